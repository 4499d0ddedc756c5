//! Everything that must hold before a change lands.

use crate::{
    audit, call, clients, clippy, dist, error_pages, fuzz, rust_tests, services, simulate, site,
    spelling, tidy, types, weights,
};
use anyhow::Result;
use assets::{at_once, sandbox, web};
use std::time::Instant;

type CiStep = fn() -> Result<()>;

/// What is checked, in order: what fails fast comes first.
const STEPS: &[(&str, CiStep)] = &[
    ("format", || call("cargo", &["fmt", "--all", "--check"])),
    ("tidy", tidy::run),
    ("spelling", spelling::check),
    ("third-party code", audit::run),
    ("services, sandbox and editor", || at_once([&services::install, &build_sandbox, &web::build])),
    ("editor: check, weights", || at_once([&web::check, &weights::fetch])),
    ("Rust: build and tests", rust_tests::run),
    ("simulation", simulate::run_in_ci),
    ("fuzz: seeds", fuzz::replay_seeds),
    ("SDK clients and journeys", clients_and_journeys),
    ("docs", docs_are_current),
    ("site", site::build),
    ("packages", dist::check_in_ci),
];

pub(crate) fn run() -> Result<()> {
    let mut times: Vec<String> = Vec::new();
    for (name, step) in STEPS {
        let began = Instant::now();
        let done = step();
        times.push(format!("{name} {} s", began.elapsed().as_secs()));
        eprintln!("== {name}: {} s", began.elapsed().as_secs());
        if done.is_err() {
            eprintln!("== steps so far: {}", times.join(", "));
            // A full disk ends compilers and databases in the strangest ways.
            call("df", &["-h", "."])?;
        }
        done?;
    }
    rust_tests::show_not_run()?;
    eprintln!("all checks passed");
    Ok(())
}

fn build_sandbox() -> Result<()> {
    sandbox::build(std::env::consts::ARCH)
}

/// At the same time: either waits for its servers more than it computes.
fn clients_and_journeys() -> Result<()> {
    clients::build()?;
    at_once([&clients::run, &web::journeys])
}

/// Writes the pages that are made from code.
pub(crate) fn write_docs() -> Result<()> {
    types::write()?;
    error_pages::write()?;
    // The whole workspace at once: on its own, the binary would have its dependencies built again
    // with fewer features.
    clippy(&["build", "--quiet", "--workspace", "--bin", "heddle"])?;
    call("target/debug/heddle", &["nodes", "--docs", "docs/nodes"])?;
    call("target/debug/heddle", &["doctor", "--docs", "docs/settings.md"])
}

fn docs_are_current() -> Result<()> {
    write_docs()?;
    call(
        "git",
        &[
            "diff",
            "--exit-code",
            "--stat",
            "--",
            "docs/nodes",
            "docs/settings.md",
            error_pages::FOLDER,
            types::TYPES,
        ],
    )
}
