//! What a release is made of, in `target/dist`: packages of the binary, their checksums and the bill
//! of materials. Nothing is published.

mod arch;
mod check;
mod deb;
mod image;
mod npm;
mod sbom;
mod stage;
mod tarball;
mod wheel;

use crate::audit;
use anyhow::{Context as _, Result, bail};
use arch::Arch;
use assets::web;
use stage::{Effort, Release, file_name, sha256_hex};
use std::path::{Path, PathBuf};
use std::time::Instant;

const FOLDER: &str = "target/dist";
/// Packages of CI's own binary, which nobody should mistake for a release.
const CI_FOLDER: &str = "target/dist-ci";

const CI_BINARY: &str = "target/debug/heddle";

const USAGE: &str = "usage: cargo xtask dist [--arch x86_64|aarch64] [--binary PATH] [--check]";

/// Makes one package and says where it is.
type MakePackage = fn(&Release) -> Result<PathBuf>;

const PACKAGES: &[(&str, MakePackage)] = &[
    ("tarball", tarball::make),
    ("Debian package", deb::make),
    ("Python wheel", wheel::make),
    ("npm package", npm::make),
    ("container image", image::make),
];

/// `cargo xtask dist`: builds and packages a release for each processor that this machine can build
/// for, or for the one that is named. With `--binary`, packages that one and audits nothing; with
/// `--check`, installs every package and starts it.
pub(crate) fn run() -> Result<()> {
    let (mut arch, mut binary, mut is_checked) = (None, None, false);
    let mut arguments = std::env::args().skip(2);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--check" => is_checked = true,
            "--arch" => arch = Some(Arch::find(&arguments.next().context(USAGE)?)?),
            "--binary" => binary = Some(PathBuf::from(arguments.next().context(USAGE)?)),
            _ => bail!(USAGE),
        }
    }
    let package = |arch: &'static Arch, binary: &Path| {
        make_all(&Release::new(arch, binary, Path::new(FOLDER), Effort::Release)?, is_checked)
    };
    if let Some(binary) = binary {
        return package(arch.map_or_else(Arch::host, Ok)?, &binary);
    }
    audit::run_for_release()?;
    web::build()?;
    for made in Arch::all_from_here()? {
        if arch.is_some_and(|wanted| wanted.name != made.name) {
            continue;
        }
        match made.install_toolchain() {
            Ok(()) => package(made, Path::new(&made.build()?))?,
            Err(problem) if arch.is_none() => {
                eprintln!("no packages for {}: {problem:#}", made.name);
            }
            Err(problem) => return Err(problem),
        }
    }
    Ok(())
}

/// `cargo xtask packages`: installs and starts every package, of the binary that CI has built.
pub(crate) fn check_in_ci() -> Result<()> {
    let folder = Path::new(CI_FOLDER);
    // Most of a debug binary is symbols, which take minutes to compress.
    let binary = stage::stripped(Path::new(CI_BINARY), folder)?;
    make_all(&Release::new(Arch::host()?, &binary, folder, Effort::Check)?, true)
}

fn make_all(release: &Release, is_checked: bool) -> Result<()> {
    let (version, arch) = (&release.version, release.arch.name);
    eprintln!("heddle {version} for {arch} into {}", release.folder.display());
    let mut made = vec![write_bill(release)?];
    for (what, make) in PACKAGES {
        let began = Instant::now();
        let path = make(release).with_context(|| format!("{what} could not be made"))?;
        let size = std::fs::metadata(&path)?.len() / 1_000_000;
        eprintln!("  {what}: {} ({size} MB, {} s)", path.display(), began.elapsed().as_secs());
        made.push(path);
    }
    write_checksums(release, &made)?;
    if is_checked {
        check::all(release, &made)?;
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

/// In the form that `sha256sum --check` reads, beside what is there of other processors.
fn write_checksums(release: &Release, made: &[PathBuf]) -> Result<()> {
    let path = release.folder.join("SHA256SUMS");
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let mut lines = std::collections::BTreeMap::new();
    for line in before.lines() {
        let (_, name) = line.split_once("  ").context("SHA256SUMS has an odd line")?;
        if release.folder.join(name).exists() {
            lines.insert(name.to_owned(), line.to_owned());
        }
    }
    for path in made {
        let name = file_name(path)?;
        lines.insert(name.to_owned(), format!("{}  {name}", sha256_hex(&std::fs::read(path)?)));
    }
    let text: String = lines.into_values().map(|line| line + "\n").collect();
    std::fs::write(&path, text)?;
    eprintln!("  checksums: {}", path.display());
    Ok(())
}
