//! The Linux tarball: the program, its documents and the systemd unit.

use super::stage::Release;
use anyhow::Result;
use std::path::PathBuf;

pub(crate) fn make(release: &Release) -> Result<PathBuf> {
    let name = format!("heddle-{}-linux-{}", release.version, release.arch.name);
    let stage = release.stage("tarball")?;
    stage.copy_program(&release.binary, &format!("{name}/heddle"))?;
    for document in ["README.md", "LICENSE", "CHANGELOG.md", "packaging/heddle.service"] {
        let end = document.rsplit('/').next().unwrap_or(document);
        stage.copy(document, &format!("{name}/{end}"))?;
    }
    let target = release.folder.join(format!("{name}.tar.gz"));
    release.tar(&stage, &name, &target)?;
    Ok(target)
}
