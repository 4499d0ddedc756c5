//! Chores of the project: what CI runs, and what is generated from code.

mod audit;
mod bench;
mod bench_server;
mod ci;
mod clients;
mod crash;
mod dependencies;
mod dist;
mod error_pages;
mod fuzz;
mod hostile;
mod mcp_servers;
mod rust_tests;
mod services;
mod simulate;
mod site;
mod spelling;
mod tidy;
mod types;
mod weights;

use anyhow::{Result, bail};
use assets::{sandbox, web};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    assets::exit_code(run())
}

fn run() -> Result<()> {
    if let Some(compiler) = fuzz::compiler() {
        return fuzz::compile(&compiler);
    }
    match std::env::args().nth(1).as_deref() {
        Some("ci") => ci::run(),
        Some("sandbox") => sandbox::build(std::env::consts::ARCH),
        Some("bench") => bench::run(),
        Some("crash") => crash::run(),
        Some("fuzz") => fuzz::run(),
        Some("hostile") => hostile::run(),
        Some("audit") => audit::run(),
        Some("dist") => dist::run(),
        Some("lint") => lint_everything(),
        Some("packages") => dist::check_in_ci(),
        Some("clients") => clients::run(),
        Some("mcp-servers") => mcp_servers::install(),
        Some("services") => services::install(),
        Some("simulate") => simulate::run(),
        Some("site") => site::build(),
        Some("spelling") => spelling::check(),
        Some("docs") => ci::write_docs(),
        Some("test") => rust_tests::run(),
        Some("tidy") => tidy::run(),
        Some("types") => types::write(),
        Some("web") => web::build(),
        Some("weights") => weights::fetch(),
        _ => bail!(
            "usage: cargo xtask ci | audit | bench | clients | crash [N] | dist [--arch ARCH] [--binary PATH] [--check] | fuzz [seeds | SECONDS [TARGET…]] | hostile [SECONDS] | lint | mcp-servers | packages | sandbox | services | simulate [N | --seed SEED | bugs] | site | spelling | docs | test | tidy | types | web | weights"
        ),
    }
}

/// Runs a program and fails if it does.
fn call(program: &str, arguments: &[&str]) -> Result<()> {
    call_with(program, arguments, &[])
}

/// Cargo with Clippy in the compiler's place for our own crates. What is linted is then what is
/// tested: dependencies are built once, and not a second time for the linter alone, which took a
/// third of a run from nothing.
fn clippy(arguments: &[&str]) -> Result<()> {
    let (name, wrapper) = lint_wrapper()?;
    call_with("cargo", arguments, &[(name, &wrapper)])
}

/// The Makefile names the same: Cargo builds everything anew for another.
fn lint_wrapper() -> Result<(&'static str, String)> {
    let script = std::env::current_dir()?.join("xtask/lint.sh");
    Ok(("RUSTC_WORKSPACE_WRAPPER", script.to_string_lossy().into_owned()))
}

/// Lints tests, examples and benchmarks as well.
fn lint_everything() -> Result<()> {
    call("cargo", &["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"])
}

/// A program with the rights of root, which package managers and other roots need.
fn as_root(program: &str) -> Command {
    let id = Command::new("id").arg("-u").output();
    if id.is_ok_and(|id| id.stdout.trim_ascii() == b"0") {
        return Command::new(program);
    }
    let mut sudo = Command::new("sudo");
    sudo.args(["--non-interactive", "--preserve-env", program]);
    sudo
}

fn call_with(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    eprintln!("$ {program} {}", arguments.join(" "));
    let status =
        Command::new(program).args(arguments).envs(environment.iter().copied()).status()?;
    if !status.success() {
        bail!("`{program} {}` failed with {status}", arguments.join(" "));
    }
    Ok(())
}
