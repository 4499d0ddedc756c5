//! Embeds the editor: writes a table of the files that `cargo xtask web` has put into `editor/`.
//! Without any the table is empty, so that the server builds where nobody has Node.

use std::collections::hash_map::DefaultHasher;
use std::error::Error;
use std::fmt::Write as _;
use std::hash::Hasher as _;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?).join("editor");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    find(&folder, &mut files)?;
    files.sort();
    files.retain(|file| !is_packed(file));
    let mut table = format!("{{ static FILES: [WebFile; {}] = [\n", files.len());
    for file in &files {
        let path = file
            .strip_prefix(&folder)?
            .to_str()
            .ok_or("a file name is not UTF-8")?
            .replace('\\', "/");
        let mut hasher = DefaultHasher::new();
        hasher.write(&std::fs::read(file)?);
        let tag = format!("\"{:016x}\"", hasher.finish());
        writeln!(
            table,
            "WebFile {{ path: {path:?}, kind: {:?}, tag: {tag:?}, content: {} }},",
            kind_of(&path),
            content(file)?,
        )?;
    }
    table.push_str("]; &FILES }");
    std::fs::write(PathBuf::from(std::env::var("OUT_DIR")?).join("editor.rs"), table)?;
    Ok(())
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let is_hidden =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        match (is_hidden, path.is_dir()) {
            (true, _) => {}
            (false, true) => find(&path, files)?,
            (false, false) => files.push(path),
        }
    }
    Ok(())
}

fn is_packed(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "br")
}

/// The compressed form of a file that has one, or else the file itself.
fn content(file: &Path) -> Result<String, Box<dyn Error>> {
    let mut name = file.as_os_str().to_owned();
    name.push(".br");
    let brotli = PathBuf::from(name);
    Ok(match brotli.exists() {
        true => format!("WebContent::compressed({})", include(&brotli)?),
        false => format!("WebContent::Plain({})", include(file)?),
    })
}

fn include(file: &Path) -> Result<String, Box<dyn Error>> {
    Ok(format!("include_bytes!({:?})", file.to_str().ok_or("the project path is not UTF-8")?))
}

fn kind_of(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json; charset=utf-8",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "ttf" => "font/ttf",
        "wasm" => "application/wasm",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
