//! Writes the schemas of the API to a file, for the generator of the editor's types.

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let usage = || std::io::Error::other("usage: api_schemas FILE");
    let file: PathBuf = std::env::args_os().nth(1).ok_or_else(usage)?.into();
    std::fs::write(file, serde_json::to_string_pretty(&heddle_server::api_schemas())?)
}
