//! Runs every fuzz target for a while.

use crate::call;
use anyhow::{Context as _, Result};
use std::process::Command;

/// Seconds per target, unless the first argument says otherwise.
const SECONDS: &str = "60";

/// `cargo xtask fuzz [SECONDS]`. The targets need no sanitizer: our code is safe Rust, so a stable toolchain will do.
pub(crate) fn run() -> Result<()> {
    let seconds = std::env::args().nth(2).unwrap_or_else(|| SECONDS.to_owned());
    let seconds: u32 = seconds.parse().context("the time per target is a number of seconds")?;
    if !Command::new("cargo").args(["fuzz", "--version"]).output().is_ok_and(|output| output.status.success()) {
        call("cargo", &["install", "cargo-fuzz", "--locked"])?;
    }
    let list = Command::new("cargo").args(["fuzz", "list"]).output().context("cargo fuzz cannot list its targets")?;
    for target in String::from_utf8_lossy(&list.stdout).lines() {
        let time = format!("-max_total_time={seconds}");
        call(
            "cargo",
            &[
                "fuzz",
                "run",
                "--sanitizer",
                "none",
                "--codegen-units",
                "16",
                target,
                "--",
                &time,
                "-timeout=10",
                "-rss_limit_mb=2048",
                "-max_len=4096",
            ],
        )?;
    }
    Ok(())
}
