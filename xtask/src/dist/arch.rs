//! The processors that releases are made for: what others call them, and how a release for one of
//! them is built and started on a machine with another.

use crate::call;
use crate::services::{Package, install_missing};
use anyhow::{Context as _, Result, ensure};
use assets::sandbox;
use std::path::Path;
use std::process::Command;

pub(crate) struct Arch {
    /// As Rust and Python name it.
    pub(crate) name: &'static str,
    /// As Debian and containers name it.
    pub(crate) debian: &'static str,
    /// As Node.js names it.
    pub(crate) node: &'static str,
}

const ARCHES: [Arch; 2] = [
    Arch { name: "x86_64", debian: "amd64", node: "x64" },
    Arch { name: "aarch64", debian: "arm64", node: "arm64" },
];

/// What building and starting a release of another processor takes, beside Rust's own target.
const FOREIGN_PACKAGES: &[Package] = &[
    ("/usr/bin/aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
    ("/usr/aarch64-linux-gnu/lib/libc.so", "libc6-dev-arm64-cross"),
    ("/usr/bin/qemu-aarch64", "qemu-user"),
];

impl Arch {
    /// The one of a name, if a release for it can be made here.
    pub(crate) fn find(name: &str) -> Result<&'static Self> {
        let known = Self::all_from_here()?;
        let names: Vec<&str> = known.iter().map(|arch| arch.name).collect();
        let found = known.into_iter().find(|arch| arch.name == name);
        found.with_context(|| {
            format!("this machine makes packages for {}, not for {name}", names.join(" and "))
        })
    }

    pub(crate) fn host() -> Result<&'static Self> {
        let host = std::env::consts::ARCH;
        let found = ARCHES.iter().find(|arch| arch.name == host);
        found.with_context(|| format!("there are no packages for {host}"))
    }

    /// What `make dist` makes: this machine's processor first, and arm64 from x86-64.
    pub(crate) fn all_from_here() -> Result<Vec<&'static Self>> {
        let host = Self::host()?;
        Ok(if host.name == "x86_64" { ARCHES.iter().collect() } else { vec![host] })
    }

    pub(crate) fn is_foreign(&self) -> bool {
        self.name != std::env::consts::ARCH
    }

    fn triple(&self) -> String {
        format!("{}-unknown-linux-gnu", self.name)
    }

    /// Where the libraries of another processor are.
    pub(crate) fn libraries(&self) -> String {
        format!("/usr/{}-linux-gnu", self.name)
    }

    /// Installs what a build for another processor takes.
    pub(crate) fn install_toolchain(&self) -> Result<()> {
        if !self.is_foreign() {
            return Ok(());
        }
        install_missing(FOREIGN_PACKAGES)?;
        call("rustup", &["target", "add", &self.triple()])
    }

    /// Builds the release and says where it is.
    pub(crate) fn build(&self) -> Result<String> {
        let triple = self.triple();
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--release", "--locked", "--package", "heddle"]);
        if !self.is_foreign() {
            sandbox::build(self.name)?;
            run(&mut cargo)?;
            return Ok("target/release/heddle".to_owned());
        }
        // The compiler of the sandbox knows this machine's processor only, unless it is asked to.
        let assets =
            ["run", "--profile", "assets", "--package", "assets", "--features", "all-arch"];
        call("cargo", &[&assets[..], &["--", "sandbox", self.name]].concat())?;
        let gcc = format!("{}-linux-gnu-gcc", self.name);
        let variable = triple.replace('-', "_");
        cargo.args(["--target", &triple]);
        cargo.env(format!("CC_{variable}"), &gcc);
        cargo.env(format!("CARGO_TARGET_{}_LINKER", variable.to_uppercase()), &gcc);
        run(&mut cargo)?;
        Ok(format!("target/{triple}/release/heddle"))
    }

    /// A program of a release, emulated if this machine cannot run it, with the libraries below a
    /// root.
    pub(crate) fn command_in(&self, root: impl AsRef<Path>, program: impl AsRef<Path>) -> Command {
        if !self.is_foreign() {
            return Command::new(program.as_ref());
        }
        let mut command = Command::new(format!("qemu-{}", self.name));
        command.arg("-L").arg(root.as_ref()).arg(program.as_ref());
        // A server without this setting starts itself again with it, which would not be emulated.
        command.env("MIMALLOC_PURGE_DELAY", "100");
        command
    }

    pub(crate) fn command(&self, program: impl AsRef<Path>) -> Command {
        self.command_in(self.libraries(), program)
    }
}

fn run(command: &mut Command) -> Result<()> {
    eprintln!("$ {command:?}");
    let status = command.status().context("cargo could not be started")?;
    ensure!(status.success(), "{command:?} failed with {status}");
    Ok(())
}
