//! The files of the container: the libraries that the program is linked with, certificates and a
//! user. No shell and no package manager, so there is little to keep up to date. Time zones are
//! compiled into the program.

use super::recipe::Recipe;
use crate::dist::stage::{Release, Stage, output, set_mode};
use anyhow::{Context as _, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

const CERTIFICATES: &str = "etc/ssl/certs/ca-certificates.crt";

/// Packages of Debian and its relatives whose files are copied; their licences go along.
const PACKAGES: [&str; 3] = ["libc6", "libgcc-s1", "ca-certificates"];

/// Everything but the program and its data folder.
pub(crate) fn base(release: &Release, stage: &Stage, recipe: &Recipe) -> Result<()> {
    if release.arch.is_foreign() {
        let libraries = PathBuf::from(release.arch.libraries()).join("lib");
        for name in needed(&release.binary)? {
            stage.copy_program(libraries.join(&name), &format!("root/lib/{name}"))?;
        }
    } else {
        for library in libraries(&release.binary)? {
            let name = library.to_str().context("a library has an odd name")?;
            stage.copy_program(&library, &format!("root/{}", name.trim_start_matches('/')))?;
        }
    }
    let certificates = Path::new("/").join(CERTIFICATES);
    stage.copy(certificates, &format!("root/{CERTIFICATES}"))?;
    let Recipe { user, uid, home, .. } = recipe;
    let passwd = format!("root:x:0:0::/:/\n{user}:x:{uid}:{uid}::{home}:/\n");
    stage.write("root/etc/passwd", passwd)?;
    stage.write("root/etc/group", format!("root:x:0:\n{user}:x:{uid}:\n"))?;
    stage.write("root/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n")?;
    for package in PACKAGES {
        let path = format!("usr/share/doc/{package}/copyright");
        if Path::new("/").join(&path).exists() {
            stage.copy(Path::new("/").join(&path), &format!("root/{path}"))?;
        }
    }
    stage.copy("LICENSE", "root/usr/share/doc/heddle/LICENSE")?;
    for (folder, mode) in [("root/tmp", 0o1777), ("root/proc", 0o755), ("root/var/lib", 0o755)] {
        std::fs::create_dir_all(stage.0.join(folder))?;
        set_mode(&stage.0.join(folder), mode)?;
    }
    Ok(())
}

/// The libraries that the loader finds for a program, and the loader.
fn libraries(binary: &Path) -> Result<Vec<PathBuf>> {
    let text = output(Command::new("ldd").arg(binary))?;
    let found: Vec<PathBuf> = text
        .lines()
        .filter_map(|line| line.split_whitespace().find(|word| word.starts_with('/')))
        .map(PathBuf::from)
        .collect();
    ensure!(found.iter().any(|path| path.ends_with("libc.so.6")), "no libc in {text}");
    Ok(found)
}

/// The names of the libraries that a program of another processor is linked with, and its loader.
/// They need nothing more than each other.
fn needed(binary: &Path) -> Result<Vec<String>> {
    let text =
        output(Command::new("readelf").args(["--wide", "--dynamic", "--segments"]).arg(binary))?;
    let names = text.lines().filter_map(|line| match line.split_once("(NEEDED)") {
        Some((_, name)) => name.split(['[', ']']).nth(1),
        None => line.split_once("interpreter: /lib/").map(|(_, name)| name.trim_end_matches(']')),
    });
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    names.dedup();
    ensure!(names.iter().any(|name| name == "libc.so.6"), "no libc in {text}");
    Ok(names)
}
