//! Sends the worst that callers can send to a release build, for as long as somebody likes; the
//! tests do a short form of the same.

use anyhow::{Context as _, Result};
use std::process::Command;

const SECONDS: &str = "60";

/// `cargo xtask hostile [SECONDS]`: prints and holds the marks of latency and memory.
pub(crate) fn run() -> Result<()> {
    let seconds = std::env::args().nth(2).unwrap_or_else(|| SECONDS.to_owned());
    let _: u32 = seconds.parse().context("the number of seconds")?;
    let arguments = [
        "test",
        "--release",
        "--package",
        "heddle",
        "--test",
        "integration",
        "--",
        "--nocapture",
        "hostile_load",
    ];
    eprintln!("$ HEDDLE_HOSTILE_SECONDS={seconds} cargo {}", arguments.join(" "));
    let status =
        Command::new("cargo").args(arguments).env("HEDDLE_HOSTILE_SECONDS", &seconds).status()?;
    anyhow::ensure!(status.success(), "hostile callers were noticed: {status}");
    Ok(())
}
