//! The official MCP servers, which our client is tested with.

use crate::call;
use anyhow::{Context as _, Result};
use std::path::Path;

/// Packages with a version that does not change under us.
const NPM: &[&str] = &[
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
];
const PIP: &[&str] = &["mcp-server-time==2026.10.19", "mcp-server-fetch==2026.10.24"];
/// Servers that need the first line of the Python SDK.
const PIP_MCP1: &[&str] = &["mcp<2", "mcp-server-sqlite==2025.4.25"];

/// `cargo xtask mcp-servers`. Installs them where the tests look for them, unless they are there.
pub(crate) fn install() -> Result<()> {
    let folder = std::env::current_dir()?.join("target/mcp-servers");
    std::fs::create_dir_all(&folder)?;
    let wanted = NPM.iter().chain(PIP).chain(PIP_MCP1).copied().collect::<Vec<_>>().join("\n");
    let note = folder.join("installed");
    if std::fs::read_to_string(&note).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let path = |path: &Path| path.display().to_string();
    let missing = "the MCP servers that the client is tested with cannot be installed; this needs npm, Python and a network";
    let npm = path(&folder.join("npm"));
    let arguments =
        ["install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", &npm];
    call("npm", &[&arguments[..], NPM].concat()).context(missing)?;
    for (name, packages) in [("python", PIP), ("python-mcp1", PIP_MCP1)] {
        let python = folder.join(name);
        call("python3", &["-m", "venv", &path(&python)]).context(missing)?;
        call(&path(&python.join("bin/pip")), &[&["install", "--quiet"], packages].concat())
            .context(missing)?;
    }
    Ok(std::fs::write(note, wanted)?)
}
