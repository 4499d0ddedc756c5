//! The steps of `make run` that are not a call of Cargo or Heddle.

use anyhow::{Result, bail};
use std::process::ExitCode;

fn main() -> ExitCode {
    assets::exit_code(run())
}

fn run() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("sandbox") => {
            let arch = arguments.next();
            assets::sandbox::build(arch.as_deref().unwrap_or(std::env::consts::ARCH))
        }
        Some("web") => assets::web::build(),
        Some("example") => {
            assets::example::prepare(&arguments.next().unwrap_or_else(|| ".heddle".to_owned()))
        }
        _ => bail!("usage: assets sandbox [ARCH] | web | example [FOLDER]"),
    }
}
