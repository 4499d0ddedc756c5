//! The same agent elsewhere: rig behind axum and LangGraph behind Starlette, which keep nothing,
//! and n8n if there is one.

use super::super::load::{Load, Measurement, RawRequest};
use super::super::process::BenchServer;
use super::MockModelServer;
use anyhow::{Context as _, Result};
use std::path::Path;
use std::process::Command;

/// Where peers are built, apart from everything of ours.
const BUILT: &str = "target/peers";

const REQUESTS: usize = 2_000;
const CONNECTIONS: usize = 50;

/// Measures each that can be had, and says why of the others. `ours` is what a run takes here.
pub(super) fn compare(
    models: &MockModelServer,
    ours: &Measurement,
    ask: impl Fn(&str) -> RawRequest,
) {
    type StartPeer = fn(&MockModelServer) -> Result<BenchServer>;
    let peers: [(&str, StartPeer, usize); 3] = [
        ("rig behind axum", rig, REQUESTS),
        ("LangGraph", langgraph, REQUESTS / 4),
        ("n8n", n8n, REQUESTS / 8),
    ];
    for (name, start, requests) in peers {
        if let Err(error) = measure(name, start, requests, models, ours, &ask) {
            eprintln!("  {name} not measured: {error:#}");
        }
    }
}

fn measure(
    name: &str,
    start: fn(&MockModelServer) -> Result<BenchServer>,
    requests: usize,
    models: &MockModelServer,
    ours: &Measurement,
    ask: &dyn Fn(&str) -> RawRequest,
) -> Result<()> {
    let peer = start(models)?;
    let asked = [ask(&peer.address)];
    Load { connections: 4, requests: 40, rate: None }.run(&peer.address, &asked)?;
    let theirs = peer.measure(
        &Load { connections: CONNECTIONS.min(requests / 4), requests, rate: None },
        &asked,
    )?;
    theirs.print(name, None);
    eprintln!(
        "      it takes {:.1} times ours, ours {:.2} times its processor time, and keeps what it did",
        theirs.cpu_us / ours.cpu_us,
        ours.cpu_us / theirs.cpu_us
    );
    Ok(())
}

fn rig(models: &MockModelServer) -> Result<BenchServer> {
    let folder = format!("{BUILT}/rig");
    let arguments = [
        "build",
        "--release",
        "--quiet",
        "--manifest-path",
        "bench/peers/rig/Cargo.toml",
        "--target-dir",
        &folder,
    ];
    crate::call("cargo", &arguments)?;
    let mut command = Command::new(format!("{folder}/release/rig-peer"));
    command.env("OPENAI_API_KEY", "none").env("OPENAI_BASE_URL", format!("{}/v1", models.url));
    BenchServer::peer(command)
}

fn langgraph(models: &MockModelServer) -> Result<BenchServer> {
    let folder = format!("{BUILT}/langgraph");
    let python = format!("{folder}/bin/python");
    if !Path::new(&python).exists() {
        crate::call("python3", &["-m", "venv", &folder])?;
    }
    crate::call(
        &python,
        &[
            "-m",
            "pip",
            "install",
            "--quiet",
            "--requirement",
            "bench/peers/langgraph/requirements.txt",
        ],
    )?;
    let mut command = Command::new(&python);
    command
        .arg("bench/peers/langgraph/serve.py")
        .env("OPENAI_BASE_URL", format!("{}/v1", models.url));
    BenchServer::peer(command)
}

/// As `bench/peers/start.sh` starts it: its agent asks the models at their port.
fn n8n(_models: &MockModelServer) -> Result<BenchServer> {
    BenchServer::running(super::super::N8N)?.context("BENCH_N8N_URL is not set")
}
