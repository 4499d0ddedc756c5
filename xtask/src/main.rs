//! Chores of the project: what CI runs, and what is generated from code.

mod bench;
mod bench_server;
mod ci;
mod clients;
mod crash;
mod fuzz;
mod sandbox;
mod services;
mod tidy;
mod weights;

use anyhow::{Result, bail};
use std::process::Command;

fn main() -> Result<()> {
    match std::env::args().nth(1).as_deref() {
        Some("ci") => ci::run(),
        Some("sandbox") => sandbox::build(),
        Some("bench") => bench::run(),
        Some("crash") => crash::run(),
        Some("fuzz") => fuzz::run(),
        Some("clients") => clients::run(),
        Some("services") => services::install(),
        Some("docs") => ci::write_docs(),
        Some("tidy") => tidy::run(),
        Some("weights") => weights::fetch(),
        Some("example") => weights::prepare(&std::env::args().nth(2).unwrap_or_else(|| ".heddle".to_owned())),
        _ => bail!(
            "usage: cargo xtask ci | bench | clients | crash [N] | fuzz [SECONDS] | sandbox | services | docs | tidy | weights | example [FOLDER]"
        ),
    }
}

/// Runs a program and fails if it does.
fn call(program: &str, arguments: &[&str]) -> Result<()> {
    eprintln!("$ {program} {}", arguments.join(" "));
    let status = Command::new(program).args(arguments).status()?;
    if !status.success() {
        bail!("`{program} {}` failed with {status}", arguments.join(" "));
    }
    Ok(())
}
