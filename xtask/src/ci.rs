//! Everything that must hold before a change lands.

use crate::{
    audit, call, clients, clippy, dist, error_pages, fuzz, mcp_servers, rust_tests, services,
    simulate, site, spelling, tidy, types, weights,
};
use anyhow::{Context as _, Result};
use assets::web::Browser;
use assets::{at_once, sandbox, web};
use std::time::Instant;

type CiStep = fn() -> Result<()>;

/// What is checked, in order: what fails fast comes first.
const STEPS: &[(&str, CiStep)] = &[
    ("format", || call("cargo", &["fmt", "--all", "--check"])),
    ("tidy", tidy::run),
    ("spelling", spelling::check),
    ("third-party code", audit::run),
    ("services; editor and its check; sandbox, all of Rust, weights", prepare),
    ("Rust tests", rust_tests::run),
    ("docs", docs_are_current),
    ("journeys; SDK clients, simulation, fuzz seeds, site, packages", last_steps),
];

pub(crate) fn run() -> Result<()> {
    let mut times: Vec<String> = Vec::new();
    for (name, step) in STEPS {
        let (began, computed) = (Instant::now(), processor_seconds()?);
        let done = step();
        let took = format!(
            "{name} {} s ({} s of processor time)",
            began.elapsed().as_secs(),
            processor_seconds()? - computed
        );
        eprintln!("== {took}");
        times.push(took);
        if done.is_err() {
            eprintln!("== steps so far: {}", times.join(", "));
            // A full disk ends compilers and databases in the strangest ways.
            call("df", &["-h", "."])?;
        }
        done?;
    }
    eprintln!("== all steps: {}", times.join(", "));
    rust_tests::show_not_run()?;
    eprintln!("all checks passed");
    Ok(())
}

/// How long the programs that this one started and waited for have computed so far, in seconds:
/// the clock alone does not tell a step that is slow from one that waits.
fn processor_seconds() -> Result<u64> {
    const TICKS_PER_SECOND: u64 = 100;
    let status = std::fs::read_to_string("/proc/self/stat")?;
    // The name of the program, in brackets, may hold spaces.
    let (_, fields) = status.rsplit_once(')').context("/proc/self/stat has another form")?;
    let of_children = fields.split_whitespace().skip(13).take(2);
    let ticks: Vec<u64> = of_children.map(str::parse).collect::<Result<_, _>>()?;
    Ok(ticks.iter().sum::<u64>() / TICKS_PER_SECOND)
}

/// At the same time: packages come from the network while compilers work. Tests are built with the
/// program that fetches the weights, because its last crates wait for each other and leave a
/// processor idle.
fn prepare() -> Result<()> {
    let install = || {
        services::install()?;
        mcp_servers::install()?;
        clients::install()
    };
    at_once([&install, &|| {
        at_once([&|| sandbox::build(std::env::consts::ARCH), &web::build])?;
        at_once([&web::check, &|| {
            rust_tests::build()?;
            weights::fetch()
        }])
    }])
}

/// Journeys and clients wait for others most of the time, so three of them go on at once: more would
/// have the journeys wait too long for what is on the screen.
fn last_steps() -> Result<()> {
    clients::build()?;
    at_once([
        &|| web::journeys(Browser::Chromium),
        &|| {
            web::journeys(Browser::Firefox)?;
            site::build()?;
            dist::check_in_ci()?;
            simulate::run_in_ci()?;
            fuzz::replay_seeds()
        },
        &clients::run,
    ])
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
