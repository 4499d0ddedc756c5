//! Everything that must hold before a change lands.

use crate::{call, clients, linted, sandbox, services, tidy, types, web, weights};
use anyhow::Result;

pub(crate) fn run() -> Result<()> {
    call("cargo", &["fmt", "--all", "--check"])?;
    tidy::run()?;
    services::install()?;
    sandbox::build()?;
    web::build()?;
    web::check()?;
    weights::fetch()?;
    linted(&["test", "--workspace", "--quiet", "--no-fail-fast"])?;
    clients::run()?;
    web::journeys()?;
    docs_are_current()?;
    eprintln!("all checks passed");
    Ok(())
}

/// Writes the pages that are made from code.
pub(crate) fn write_docs() -> Result<()> {
    types::write()?;
    // The whole workspace at once: on its own, the binary would have its dependencies built again with fewer features.
    linted(&["build", "--quiet", "--workspace", "--bin", "heddle"])?;
    call("target/debug/heddle", &["nodes", "--docs", "docs/nodes"])?;
    call("target/debug/heddle", &["doctor", "--docs", "docs/settings.md"])
}

fn docs_are_current() -> Result<()> {
    write_docs()?;
    call("git", &["diff", "--exit-code", "--stat", "--", "docs/nodes", "docs/settings.md", types::TYPES])
}
