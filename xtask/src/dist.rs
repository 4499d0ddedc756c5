//! What a release is made of, in `target/dist`: packages of the binary, their checksums and the bill
//! of materials. Nothing is published.

mod check;
mod deb;
mod image;
mod npm;
mod sbom;
mod stage;
mod tarball;
mod wheel;

use crate::{audit, call};
use anyhow::{Context as _, Result, bail};
use assets::{sandbox, web};
use stage::{Effort, Release, file_name, sha256_hex};
use std::path::{Path, PathBuf};
use std::time::Instant;

const FOLDER: &str = "target/dist";
/// Packages of CI's own binary, which nobody should mistake for a release.
const CI_FOLDER: &str = "target/dist-ci";

const RELEASE_BINARY: &str = "target/release/heddle";
const CI_BINARY: &str = "target/debug/heddle";

const USAGE: &str = "usage: cargo xtask dist [--binary PATH] [--check]";

/// Makes one package and says where it is.
type MakePackage = fn(&Release) -> Result<PathBuf>;

const PACKAGES: &[(&str, MakePackage)] = &[
    ("tarball", tarball::make),
    ("Debian package", deb::make),
    ("Python wheel", wheel::make),
    ("npm package", npm::make),
    ("container image", image::make),
];

/// `cargo xtask dist`: builds and packages a release. With `--binary`, packages that one and audits
/// nothing; with `--check`, installs every package and starts it.
pub(crate) fn run() -> Result<()> {
    let (mut binary, mut is_checked) = (None, false);
    let mut arguments = std::env::args().skip(2);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--check" => is_checked = true,
            "--binary" => binary = Some(PathBuf::from(arguments.next().context(USAGE)?)),
            _ => bail!(USAGE),
        }
    }
    let binary = match binary {
        Some(binary) => binary,
        None => {
            audit::run_for_release()?;
            sandbox::build()?;
            web::build()?;
            call("cargo", &["build", "--release", "--locked", "--package", "heddle"])?;
            PathBuf::from(RELEASE_BINARY)
        }
    };
    make_all(Release::new(&binary, Path::new(FOLDER), Effort::Release)?, is_checked)
}

/// `cargo xtask packages`: installs and starts every package, of the binary that CI has built.
pub(crate) fn check_in_ci() -> Result<()> {
    let folder = Path::new(CI_FOLDER);
    // Most of a debug binary is symbols, which take minutes to compress.
    let binary = stage::stripped(Path::new(CI_BINARY), folder)?;
    make_all(Release::new(&binary, folder, Effort::Check)?, true)
}

fn make_all(release: Release, is_checked: bool) -> Result<()> {
    eprintln!("heddle {} for {} into {}", release.version, release.arch, release.folder.display());
    if release.arch == "x86_64" {
        eprintln!("arm64 is not built on this machine; run this on an arm64 machine for it");
    }
    let mut made = vec![write_bill(&release)?];
    for (what, make) in PACKAGES {
        let began = Instant::now();
        let path = make(&release).with_context(|| format!("{what} could not be made"))?;
        let size = std::fs::metadata(&path)?.len() / 1_000_000;
        eprintln!("  {what}: {} ({size} MB, {} s)", path.display(), began.elapsed().as_secs());
        made.push(path);
    }
    write_checksums(&release, &made)?;
    if is_checked {
        check::all(&release, &made)?;
    }
    Ok(())
}

fn write_bill(release: &Release) -> Result<PathBuf> {
    let bill = sbom::make()?;
    let path = release.folder.join(format!("heddle-{}.cdx.json", bill.version));
    std::fs::write(&path, &bill.text)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    eprintln!("  bill of materials: {}, {} components", path.display(), bill.n_components);
    Ok(path)
}

/// In the form that `sha256sum --check` reads.
fn write_checksums(release: &Release, made: &[PathBuf]) -> Result<()> {
    let mut lines = Vec::new();
    for path in made {
        lines.push(format!("{}  {}\n", sha256_hex(&std::fs::read(path)?), file_name(path)?));
    }
    lines.sort_by(|a, b| a[64..].cmp(&b[64..]));
    let path = release.folder.join("SHA256SUMS");
    std::fs::write(&path, lines.concat())?;
    eprintln!("  checksums: {}", path.display());
    Ok(())
}
