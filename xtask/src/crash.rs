//! Kills servers and breaks their disks, for as long as somebody likes; the tests do a short form
//! of the same.

use anyhow::{Context as _, Result};
use std::process::Command;

/// How often a server is killed at random unless told otherwise.
const KILLS: &str = "200";

/// `cargo xtask crash [N]`: N kills at random times, and one at every write and sync. Each part
/// says what its ledger shows.
pub(crate) fn run() -> Result<()> {
    let kills = std::env::args().nth(2).unwrap_or_else(|| KILLS.to_owned());
    let _: u32 = kills.parse().context("the number of kills")?;
    let arguments = [
        "test",
        "--workspace",
        "--quiet",
        "--test",
        "integration",
        "--",
        "--nocapture",
        // Modules of the tests of `heddle` and of `store`; `agent_crash` is one of the first.
        "crash::",
        "disk::",
        "durability::",
    ];
    eprintln!("$ HEDDLE_CRASHES={kills} cargo {}", arguments.join(" "));
    let status = Command::new("cargo")
        .args(arguments)
        .env("HEDDLE_CRASHES", &kills)
        .env("HEDDLE_AGENT_CRASHES", &kills)
        .status()?;
    anyhow::ensure!(status.success(), "what a crash must not do has happened: {status}");
    Ok(())
}
