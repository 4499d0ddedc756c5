//! The npm package, for `npx heddle` and `npm install --global heddle`: the program and a launcher.

use super::stage::Release;
use anyhow::Result;
use serde_json::json;
use std::path::PathBuf;

pub(crate) fn make(release: &Release) -> Result<PathBuf> {
    let cpu = release.arch.node;
    let manifest = json!({
        "name": "heddle",
        "version": release.version,
        "description": "Run n8n workflows and AI agents in a single binary",
        "license": "Apache-2.0",
        "type": "module",
        "bin": { "heddle": "bin/heddle.js" },
        "files": ["bin"],
        "engines": { "node": ">=18" },
        "os": ["linux"],
        "cpu": [cpu],
        "libc": ["glibc"],
    });
    let stage = release.stage("npm")?;
    stage.write("package/package.json", serde_json::to_string_pretty(&manifest)? + "\n")?;
    stage.copy_program("packaging/npm/heddle.js", "package/bin/heddle.js")?;
    stage.copy_program(&release.binary, "package/bin/heddle")?;
    stage.copy("README.md", "package/README.md")?;
    stage.copy("LICENSE", "package/LICENSE")?;
    let target = release.folder.join(format!("heddle-{}-npm-linux-{cpu}.tgz", release.version));
    release.tar(&stage, "package", &target)?;
    Ok(target)
}
