//! The Debian package: the program, a systemd service with its own user, and its settings.

use super::stage::{Effort, Release, Stage, glibc, output, set_mode};
use anyhow::{Context as _, Result, ensure};
use std::path::PathBuf;
use std::process::Command;

pub(crate) fn make(release: &Release) -> Result<PathBuf> {
    let arch = release.arch.debian;
    let stage = release.stage("deb")?;
    stage.copy_program(&release.binary, "usr/bin/heddle")?;
    stage.write("usr/lib/systemd/system/heddle.service", service()?)?;
    stage.copy("packaging/debian/environment", "etc/heddle/environment")?;
    // Settings may be secret, such as the token of a collector.
    set_mode(&stage.0.join("etc/heddle/environment"), 0o640)?;
    for document in ["README.md", "CHANGELOG.md", "packaging/debian/copyright"] {
        let end = document.rsplit('/').next().unwrap_or(document);
        stage.copy(document, &format!("usr/share/doc/heddle/{end}"))?;
    }
    add_control(release, &stage, arch)?;
    let target = release.folder.join(format!("heddle_{}_{arch}.deb", release.version));
    // The second level takes a quarter of the time of the default, for a package a tenth larger.
    let compression = match release.effort {
        Effort::Release => ["-Zxz", "-z2"],
        Effort::Check => ["-Zgzip", "-z1"],
    };
    let mut build = Command::new("dpkg-deb");
    build.arg("--root-owner-group").args(compression).arg("--build").arg(&stage.0).arg(&target);
    output(build.env("SOURCE_DATE_EPOCH", release.time.to_string()))?;
    Ok(target)
}

/// The unit for installations by hand, with the package's own program and user.
fn service() -> Result<String> {
    let unit = std::fs::read_to_string("packaging/heddle.service")?;
    let (_, unit) = unit.split_once("\n\n").context("the unit has no comment at its top")?;
    let (program, user) = ("ExecStart=/usr/local/bin/heddle ", "DynamicUser=yes\n");
    ensure!(unit.contains(program) && unit.contains(user), "the unit is not as it is known here");
    let unit = unit.replace(program, "ExecStart=/usr/bin/heddle ").replace(user, "");
    Ok(format!("# Settings: /etc/heddle/environment. Data: /var/lib/heddle/data.\n\n{unit}"))
}

fn add_control(release: &Release, stage: &Stage, arch: &str) -> Result<()> {
    let (major, minor) = glibc(&release.binary)?;
    let size_kb = std::fs::metadata(&release.binary)?.len() / 1024;
    let control = std::fs::read_to_string("packaging/debian/control")?
        .replace("@VERSION@", &release.version)
        .replace("@ARCH@", arch)
        .replace("@GLIBC@", &format!("{major}.{minor}"))
        .replace("@SIZE@", &size_kb.to_string());
    stage.write("DEBIAN/control", control)?;
    stage.write("DEBIAN/conffiles", "/etc/heddle/environment\n")?;
    for script in ["postinst", "prerm", "postrm"] {
        stage.copy_program(format!("packaging/debian/{script}"), &format!("DEBIAN/{script}"))?;
    }
    Ok(())
}
