//! The same agent elsewhere: rig behind axum and LangGraph behind Starlette, which keep nothing, and n8n if there is one.

use super::super::load::{Load, Measured, Request};
use super::super::process::Server;
use super::Models;
use anyhow::{Context as _, Result, ensure};
use std::path::Path;
use std::process::Command;

/// Where peers are built, apart from everything of ours.
const BUILT: &str = "target/peers";

const REQUESTS: usize = 2_000;
const CONNECTIONS: usize = 50;

/// Measures each that can be had, and says why of the others. `ours` is what a run takes here.
pub(super) fn compare(models: &Models, ours: &Measured, ask: impl Fn(&str) -> Request) {
    type Start = fn(&Models) -> Result<Server>;
    let peers: [(&str, Start, usize); 3] =
        [("rig behind axum", rig, REQUESTS), ("LangGraph", langgraph, REQUESTS / 4), ("n8n", n8n, REQUESTS / 8)];
    for (name, start, requests) in peers {
        if let Err(error) = measure(name, start, requests, models, ours, &ask) {
            eprintln!("  {name} not measured: {error:#}");
        }
    }
}

fn measure(
    name: &str,
    start: fn(&Models) -> Result<Server>,
    requests: usize,
    models: &Models,
    ours: &Measured,
    ask: &dyn Fn(&str) -> Request,
) -> Result<()> {
    let peer = start(models)?;
    let asked = [ask(&peer.address)];
    Load { connections: 4, requests: 40, rate: None }.run(&peer.address, &asked)?;
    let theirs = peer.measure(&Load { connections: CONNECTIONS.min(requests / 4), requests, rate: None }, &asked)?;
    theirs.print(name, None);
    eprintln!("      ours takes {:.2} times its processor time, and keeps what it did", ours.cpu_us / theirs.cpu_us);
    Ok(())
}

fn rig(models: &Models) -> Result<Server> {
    let folder = format!("{BUILT}/rig");
    let arguments = ["build", "--release", "--quiet", "--manifest-path", "bench/peers/rig/Cargo.toml", "--target-dir", &folder];
    crate::call("cargo", &arguments)?;
    let mut command = Command::new(format!("{folder}/release/rig-peer"));
    command.env("OPENAI_API_KEY", "none").env("OPENAI_BASE_URL", format!("{}/v1", models.url));
    Server::peer(command)
}

fn langgraph(models: &Models) -> Result<Server> {
    let folder = format!("{BUILT}/langgraph");
    let python = format!("{folder}/bin/python");
    if !Path::new(&python).exists() {
        crate::call("python3", &["-m", "venv", &folder])?;
    }
    crate::call(&python, &["-m", "pip", "install", "--quiet", "--requirement", "bench/peers/langgraph/requirements.txt"])?;
    let mut command = Command::new(&python);
    command.arg("bench/peers/langgraph/serve.py").env("OPENAI_BASE_URL", format!("{}/v1", models.url));
    Server::peer(command)
}

/// `BENCH_N8N_URL` is an n8n with an active workflow of the same kind at `/webhook/agent`, `BENCH_N8N_PID` its process.
fn n8n(_models: &Models) -> Result<Server> {
    let url = std::env::var("BENCH_N8N_URL").context("BENCH_N8N_URL is not set")?;
    let process = std::env::var("BENCH_N8N_PID").context("BENCH_N8N_PID is not set")?.parse().context("BENCH_N8N_PID")?;
    let address = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
    ensure!(!address.is_empty(), "BENCH_N8N_URL is empty");
    Ok(Server::there(address, process))
}
