//! The Python wheel, for `uvx heddle` and `pip install heddle`: the program as a script, no Python.

use super::stage::{Effort, Release, glibc};
use anyhow::Result;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::fs::File;
use std::io::Write as _;
use std::path::PathBuf;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

pub(crate) fn make(release: &Release) -> Result<PathBuf> {
    let version = &release.version;
    let (major, minor) = glibc(&release.binary)?;
    let tag = format!("py3-none-manylinux_{major}_{minor}_{}", release.arch.name);
    let info = format!("heddle-{version}.dist-info");
    let wheel =
        format!("Wheel-Version: 1.0\nGenerator: heddle\nRoot-Is-Purelib: false\nTag: {tag}\n");

    let target = release.folder.join(format!("heddle-{version}-{tag}.whl"));
    let mut writer = WheelWriter {
        zip: ZipWriter::new(File::create(&target)?),
        record: String::new(),
        level: if release.effort == Effort::Release { 6 } else { 1 },
    };
    let program = std::fs::read(&release.binary)?;
    writer.add(&format!("heddle-{version}.data/scripts/heddle"), 0o755, &program)?;
    writer.add(&format!("{info}/METADATA"), 0o644, metadata(version)?.as_bytes())?;
    writer.add(&format!("{info}/WHEEL"), 0o644, wheel.as_bytes())?;
    writer.add(&format!("{info}/licenses/LICENSE"), 0o644, &std::fs::read("LICENSE")?)?;
    // The last line is that of the list itself, which cannot have a sum.
    let record = format!("{}{info}/RECORD,,\n", writer.record);
    writer.add(&format!("{info}/RECORD"), 0o644, record.as_bytes())?;
    writer.zip.finish()?;
    Ok(target)
}

fn metadata(version: &str) -> Result<String> {
    let readme = std::fs::read_to_string("README.md")?;
    Ok(format!(
        "Metadata-Version: 2.4\nName: heddle\nVersion: {version}\n\
         Summary: Run n8n workflows and AI agents in a single binary\n\
         License-Expression: Apache-2.0\nLicense-File: LICENSE\n\
         Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{readme}"
    ))
}

struct WheelWriter {
    zip: ZipWriter<File>,
    record: String,
    level: i64,
}

impl WheelWriter {
    fn add(&mut self, name: &str, mode: u32, content: &[u8]) -> Result<()> {
        // Without a time: all entries then have the first one that the format knows.
        let options =
            SimpleFileOptions::default().compression_level(Some(self.level)).unix_permissions(mode);
        self.zip.start_file(name, options)?;
        self.zip.write_all(content)?;
        let sum = URL_SAFE_NO_PAD.encode(digest(&SHA256, content));
        self.record.push_str(&format!("{name},sha256={sum},{}\n", content.len()));
        Ok(())
    }
}
