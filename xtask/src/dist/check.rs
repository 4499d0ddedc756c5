//! Installs every package from its file and starts what was installed.

mod image;
mod server;

use super::stage::{Release, output};
use crate::as_root;
use anyhow::{Context as _, Result, ensure};
use server::serves;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// Installs one package below a folder of its own and starts it.
type CheckPackage = fn(&Path, &Path, &Release) -> Result<()>;

/// How the file of a package ends, and what is done with it.
const CHECKS: &[(&str, CheckPackage)] =
    &[(".tar.gz", tarball), (".deb", deb), (".whl", wheel), (".tgz", npm), (".tar", image::check)];

pub(crate) fn all(release: &Release, made: &[PathBuf]) -> Result<()> {
    for (end, check) in CHECKS {
        let began = Instant::now();
        let package = made.iter().find(|path| path.to_string_lossy().ends_with(end));
        let package = std::path::absolute(package.context("a package is missing")?)?;
        let place = Place::new(end.trim_start_matches('.'))?;
        check(&package, &place.0, release)
            .with_context(|| format!("{} does not work", package.display()))?;
        let (name, took) = (super::file_name(&package)?, began.elapsed().as_secs());
        eprintln!("  installed and started: {name} ({took} s)");
    }
    Ok(())
}

/// A folder that every user can reach, and that is gone with this.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Result<Self> {
        let name = format!("heddle-dist-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Some of what was installed belongs to root.
        let _ = as_root("rm").args(["--recursive", "--force"]).arg(&self.0).status();
    }
}

fn says_its_version(command: &mut Command, release: &Release) -> Result<()> {
    let said = output(command.arg("--version"))?;
    let expected = format!("heddle {}", release.version);
    ensure!(said.trim() == expected, "{command:?} printed {said:?}, not {expected:?}");
    Ok(())
}

fn tarball(package: &Path, place: &Path, release: &Release) -> Result<()> {
    output(Command::new("tar").arg("--directory").arg(place).arg("-xzf").arg(package))?;
    let name = format!("heddle-{}-linux-{}", release.version, release.arch.name);
    starts(&place.join(name).join("heddle"), place, release)
}

fn starts(program: &Path, place: &Path, release: &Release) -> Result<()> {
    says_its_version(&mut release.arch.command(program), release)?;
    serves(release.arch.command(program).arg("serve").env("HEDDLE_DATA", place.join("data")))
}

/// Installs, starts as the package's user, removes and purges below another root.
fn deb(package: &Path, place: &Path, release: &Release) -> Result<()> {
    let root = place.join("root");
    for folder in ["etc", "var/lib/dpkg/info", "var/lib/dpkg/updates"] {
        std::fs::create_dir_all(root.join(folder))?;
    }
    for (file, text) in [
        ("etc/passwd", "root:x:0:0:root:/:/bin/sh\n"),
        ("etc/group", "root:x:0:\n"),
        ("etc/shadow", "root:*:19000:0:99999:7:::\n"),
        ("etc/gshadow", "root:*::\n"),
        ("var/lib/dpkg/status", ""),
    ] {
        std::fs::write(root.join(file), text)?;
    }
    // No other package is there, so its dependencies are not looked at; and there is no shell to
    // run its scripts with but our own.
    let dpkg = |arguments: &[&str]| {
        let mut command = as_root("dpkg");
        command.args(["--force-depends", "--force-script-chrootless", "--log=/dev/null"]);
        if release.arch.is_foreign() {
            command.arg("--force-architecture");
        }
        output(command.arg(format!("--root={}", root.display())).args(arguments))
    };
    dpkg(&["--install", package.to_str().context("an odd path")?])?;
    let program = root.join("usr/bin/heddle");
    let heddle = release.arch.command(&program);
    says_its_version(&mut release.arch.command(&program), release)?;
    let users = std::fs::read_to_string(root.join("etc/passwd"))?;
    let user = users.lines().find(|line| line.starts_with("heddle:")).context("no user heddle")?;
    let ids: Vec<&str> = user.split(':').skip(2).take(2).collect();
    let data = root.join("var/lib/heddle/data");
    let mut serve = as_root("setpriv");
    serve.arg(format!("--reuid={}", ids[0])).arg(format!("--regid={}", ids[1]));
    serve.arg("--clear-groups").arg("env").arg(format!("HEDDLE_DATA={}", data.display()));
    serve.arg("HEDDLE_PORT=0").arg(heddle.get_program()).args(heddle.get_args());
    serve.envs(heddle.get_envs().filter_map(|(name, value)| Some((name, value?))));
    serves(serve.arg("serve"))?;

    dpkg(&["--remove", "heddle"])?;
    ensure!(!program.exists() && root.join("etc/heddle/environment").exists(), "not removed well");
    dpkg(&["--purge", "heddle"])?;
    ensure!(!root.join("etc/heddle").exists(), "settings are left after a purge");
    ensure!(root.join("var/lib/heddle").exists(), "data was removed");
    Ok(())
}

fn wheel(package: &Path, place: &Path, release: &Release) -> Result<()> {
    if release.arch.is_foreign() {
        // pip would refuse it here.
        output(
            Command::new("python3").args(["-m", "zipfile", "--extract"]).args([package, place]),
        )?;
        let program = format!("heddle-{}.data/scripts/heddle", release.version);
        super::stage::set_mode(&place.join(&program), 0o755)?;
        return starts(&place.join(program), place, release);
    }
    let folder = place.join("venv");
    output(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    let mut pip = Command::new(folder.join("bin/pip"));
    output(pip.args(["install", "--no-index", "--no-deps", "--quiet"]).arg(package))?;
    starts(&folder.join("bin/heddle"), place, release)
}

fn npm(package: &Path, place: &Path, release: &Release) -> Result<()> {
    std::fs::write(place.join("package.json"), "{ \"private\": true }")?;
    let mut install = Command::new("npm");
    install.args(["install", "--offline", "--no-audit", "--no-fund"]).arg(package);
    if release.arch.is_foreign() {
        // For this processor npm would refuse it.
        install.arg("--force");
    }
    output(install.current_dir(place))?;
    if release.arch.is_foreign() {
        // Its launcher would start a program that cannot run here.
        return starts(&place.join("node_modules/heddle/bin/heddle"), place, release);
    }
    let mut npx = Command::new("npx");
    says_its_version(npx.args(["--offline", "--", "heddle"]).current_dir(place), release)?;
    starts(&place.join("node_modules/.bin/heddle"), place, release)
}
