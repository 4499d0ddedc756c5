//! Chores of the project: what CI runs, and what is generated from code.

mod bench;
mod bench_server;
mod ci;
mod clients;
mod crash;
mod fuzz;
mod hostile;
mod sandbox;
mod services;
mod tidy;
mod types;
mod web;
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
        Some("hostile") => hostile::run(),
        Some("clients") => clients::run(),
        Some("services") => services::install(),
        Some("docs") => ci::write_docs(),
        Some("tidy") => tidy::run(),
        Some("types") => types::write(),
        Some("web") => web::build(),
        Some("weights") => weights::fetch(),
        Some("example") => weights::prepare(&std::env::args().nth(2).unwrap_or_else(|| ".heddle".to_owned())),
        _ => bail!(
            "usage: cargo xtask ci | bench | clients | crash [N] | fuzz [SECONDS] | hostile [SECONDS] | sandbox | services | docs | tidy | types | web | weights | example [FOLDER]"
        ),
    }
}

/// Runs a program and fails if it does.
fn call(program: &str, arguments: &[&str]) -> Result<()> {
    call_with(program, arguments, &[])
}

/// Cargo with Clippy in the compiler's place for our own crates. What is linted is then what is tested: dependencies are built once,
/// and not a second time for the linter alone, which took a third of a run from nothing.
fn linted(arguments: &[&str]) -> Result<()> {
    // Clippy takes its flags from the environment in this form; its own subcommand of Cargo does the same.
    let strict = ("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
    call_with("cargo", arguments, &[("RUSTC_WORKSPACE_WRAPPER", "clippy-driver"), strict])
}

fn call_with(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    eprintln!("$ {program} {}", arguments.join(" "));
    let status = Command::new(program).args(arguments).envs(environment.iter().copied()).status()?;
    if !status.success() {
        bail!("`{program} {}` failed with {status}", arguments.join(" "));
    }
    Ok(())
}
