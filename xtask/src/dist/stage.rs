//! What all packages share: the release they are of, and archives that come out the same each time.

use super::arch::Arch;
use anyhow::{Context as _, Result, bail, ensure};
use aws_lc_rs::digest::{SHA256, digest};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How well packages are compressed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// For a download.
    Release,
    /// For a package that is installed once and deleted.
    Check,
}

/// What is packaged.
pub(crate) struct Release {
    pub(crate) version: String,
    pub(crate) binary: PathBuf,
    /// Where packages go.
    pub(crate) folder: PathBuf,
    pub(crate) arch: &'static Arch,
    pub(crate) effort: Effort,
    /// Every file in a package has this time, in seconds: that of the commit.
    pub(crate) time: u64,
}

impl Release {
    pub(crate) fn new(
        arch: &'static Arch,
        binary: &Path,
        folder: &Path,
        effort: Effort,
    ) -> Result<Self> {
        std::fs::create_dir_all(folder)?;
        ensure!(binary.exists(), "{} does not exist; build it first", binary.display());
        let version = output(arch.command(binary).arg("--version"))?;
        let version = version.trim().strip_prefix("heddle ").context("that is not heddle")?;
        let time = match std::env::var("SOURCE_DATE_EPOCH") {
            Ok(time) => time,
            Err(_) => output(Command::new("git").args(["log", "-1", "--format=%ct"]))?,
        };
        Ok(Self {
            version: version.to_owned(),
            binary: binary.to_owned(),
            folder: folder.to_owned(),
            arch,
            effort,
            time: time.trim().parse().context("the time of the commit is not a number")?,
        })
    }

    /// An empty folder in which the content of a package is put together.
    pub(crate) fn stage(&self, name: &str) -> Result<Stage> {
        let path = std::path::absolute(stage_folder(&self.folder).join(name))?;
        if path.exists() {
            std::fs::remove_dir_all(&path)?;
        }
        std::fs::create_dir_all(&path)?;
        Ok(Stage(path))
    }

    /// Packs a folder of the stage, named as it should unpack, and compresses it.
    pub(crate) fn tar(&self, stage: &Stage, entry: &str, target: &Path) -> Result<()> {
        let plain = target.with_extension("plain");
        self.pack(stage, ".", entry, 0, &plain)?;
        self.gzip(&plain, target)
    }

    /// Compresses a file into another one, without a name or time in it, and removes the first.
    pub(crate) fn gzip(&self, plain: &Path, target: &Path) -> Result<()> {
        let level = if self.effort == Effort::Release { "-6" } else { "-1" };
        let mut command = Command::new("gzip");
        command.args(["--no-name", "--stdout", level]).arg(plain);
        let status = command.stdout(std::fs::File::create(target)?).status()?;
        ensure!(status.success(), "gzip failed with {status}");
        std::fs::remove_file(plain)?;
        Ok(())
    }

    /// Packs a path below a folder of the stage, with sorted names, one owner and one time.
    pub(crate) fn pack(
        &self,
        stage: &Stage,
        folder: &str,
        entry: &str,
        owner: u32,
        target: &Path,
    ) -> Result<()> {
        let mut tar = Command::new("tar");
        tar.args(["--create", "--format=gnu", "--sort=name", "--numeric-owner"]);
        tar.arg(format!("--owner={owner}")).arg(format!("--group={owner}"));
        tar.arg(format!("--mtime=@{}", self.time));
        tar.arg("--file").arg(std::path::absolute(target)?);
        tar.arg("--directory").arg(stage.0.join(folder)).arg(entry);
        output(&mut tar).map(drop)
    }
}

/// A folder that becomes a package.
pub(crate) struct Stage(pub(crate) PathBuf);

impl Stage {
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> Result<()> {
        let path = self.path(name)?;
        std::fs::write(&path, text)?;
        set_mode(&path, 0o644)
    }

    pub(crate) fn copy(&self, source: impl AsRef<Path>, name: &str) -> Result<()> {
        let (source, path) = (source.as_ref(), self.path(name)?);
        std::fs::copy(source, &path)
            .with_context(|| format!("{} cannot be copied", source.display()))?;
        set_mode(&path, 0o644)
    }

    pub(crate) fn copy_program(&self, source: impl AsRef<Path>, name: &str) -> Result<()> {
        self.copy(source, name)?;
        set_mode(&self.0.join(name), 0o755)
    }

    /// The path of a file whose folder is there, open to everybody.
    fn path(&self, name: &str) -> Result<PathBuf> {
        let path = self.0.join(name);
        let mut folder = self.0.clone();
        for part in Path::new(name).parent().unwrap_or(Path::new("")) {
            folder.push(part);
            if !folder.exists() {
                std::fs::create_dir(&folder)?;
                set_mode(&folder, 0o755)?;
            }
        }
        Ok(path)
    }
}

pub(crate) fn set_mode(path: &Path, mode: u32) -> Result<()> {
    Ok(std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?)
}

/// Beside the packages, so that only they are in their folder.
fn stage_folder(packages: &Path) -> PathBuf {
    packages.with_extension("stage")
}

/// A copy of a program without its symbols.
pub(crate) fn stripped(binary: &Path, folder: &Path) -> Result<PathBuf> {
    let stage = stage_folder(folder);
    std::fs::create_dir_all(&stage)?;
    let target = stage.join("heddle");
    output(Command::new("strip").arg("-o").arg(&target).arg(binary))?;
    Ok(target)
}

/// The newest glibc that a program needs a symbol of, such as `(2, 35)`.
pub(crate) fn glibc(binary: &Path) -> Result<(u32, u32)> {
    let needs = output(Command::new("readelf").args(["--wide", "--version-info"]).arg(binary))?;
    let versions = needs.split("GLIBC_").skip(1).filter_map(|rest| {
        let version =
            rest.split(|letter: char| letter != '.' && !letter.is_ascii_digit()).next()?;
        let mut parts = version.split('.').map(str::parse::<u32>);
        Some((parts.next()?.ok()?, parts.next()?.ok()?))
    });
    versions.max().context("the binary needs no glibc, which is not expected")
}

pub(crate) fn file_name(path: &Path) -> Result<&str> {
    path.file_name().and_then(|name| name.to_str()).context("a package has no name")
}

pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    digest(&SHA256, bytes).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a program prints; it must succeed.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let done = command
        .output()
        .with_context(|| format!("{:?} could not be started", command.get_program()))?;
    if !done.status.success() {
        let text = [done.stdout, done.stderr].concat();
        bail!("{command:?} failed with {}: {}", done.status, String::from_utf8_lossy(&text));
    }
    Ok(String::from_utf8(done.stdout)?)
}
