//! What the sandbox image was made from, as one number. Included by `build.rs` and by the image
//! builder, so that both agree.

use std::path::{Path, PathBuf};

/// Where the image for a processor and a system is, given the folder of the `expr` crate.
pub(crate) fn artifacts(expr_dir: &Path, arch: &str, os: &str) -> PathBuf {
    expr_dir.join("artifacts").join(format!("{arch}-{os}"))
}

/// Every file whose change makes the image stale, given the folder of the `expr` crate.
pub(crate) fn input_files(expr_dir: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files =
        vec![expr_dir.join("src/sandbox/engine_config.rs"), expr_dir.join("image_stamp.rs")];
    for folder in [expr_dir.join("js"), expr_dir.join("../../xtask/assets/src/sandbox")] {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if matches!(extension, Some("js" | "json" | "rs")) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// A hash over the input files, the pinned packages and the version of wasmtime.
pub(crate) fn stamp(expr_dir: &Path) -> std::io::Result<String> {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for file in input_files(expr_dir)? {
        hash.write(file.file_name().and_then(|name| name.to_str()).unwrap_or_default().as_bytes());
        hash.write(&std::fs::read(&file)?);
    }
    let lock = std::fs::read_to_string(expr_dir.join("../../Cargo.lock"))?;
    let version = lock
        .split("name = \"wasmtime\"\nversion = \"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    hash.write(version.unwrap_or_default().as_bytes());
    Ok(format!("{:016x}", hash.0))
}

struct Fnv(u64);

impl Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
}
