//! What a request costs the server, next to a bare handler that does the same input and output, and
//! next to n8n and Node-RED if they are there.

pub(crate) mod agents;
mod api;
mod driver;
mod load;
mod process;
mod response;
pub(crate) mod scale;
mod scenarios;
mod service;

use anyhow::{Context as _, Result};
use api::ApiClient;
use load::{Load, Measurement, RawRequest};
use process::BenchServer;
use scenarios::{SCENARIOS, Scenario};
use service::BenchService;
use std::path::Path;
use std::time::{Duration, Instant};

const CONNECTIONS: usize = 50;
const REQUESTS: usize = 20_000;
/// How long half of the most it can do is held: long enough that one slow write to the disk is not
/// the whole of the slowest hundredth.
const HALF: Duration = Duration::from_secs(10);
/// Numbers of calls at once for the curve.
const CONCURRENCY_LEVELS: &[usize] = &[1, 10, 100, 1000];
/// How long a steady stream is held, and how many calls it has a second.
const SUSTAINED_TIME: Duration = Duration::from_secs(60);
const SUSTAINED_RATE: f64 = 1000.0;

struct Peer {
    name: &'static str,
    /// `BENCH_<variable>_URL` is where it listens, `BENCH_<variable>_PID` its process.
    variable: &'static str,
    /// The workflows it has.
    has: &'static [&'static str],
    /// So many of the first scenario take some seconds.
    requests: usize,
}

const PEERS: &[Peer] = &[
    Peer {
        name: "n8n",
        variable: N8N,
        has: &["single-webhook", "set-node-expressions", "js-code-node", "http-node"],
        requests: 400,
    },
    Peer {
        name: "Node-RED",
        variable: "NODE_RED",
        has: &["single-webhook", "set-node-expressions"],
        requests: 4_000,
    },
];
const N8N: &str = "N8N";

pub(crate) fn run(folder: &Path) -> Result<()> {
    eprintln!(
        "\n== the server: {CONNECTIONS} connections, up to {REQUESTS} requests, everything kept on disk"
    );
    if !Path::new(scenarios::CORPUS).is_dir() {
        eprintln!("  corpus not found, {} scenarios not run", SCENARIOS.len());
        return Ok(());
    }
    crate::call(
        "cargo",
        &["build", "--release", "--quiet", "--package", "heddle-server", "--example", "floor"],
    )?;
    let service = BenchService::start()?;
    // One alone: `cargo xtask bench server "data table"`.
    let chosen = std::env::args().nth(3);
    for scenario in SCENARIOS
        .iter()
        .filter(|scenario| chosen.as_ref().is_none_or(|part| scenario.name.contains(part)))
    {
        compare(scenario, &folder.join(scenario.file), &service)
            .with_context(|| scenario.name.to_owned())?;
    }
    if chosen.is_some() { Ok(()) } else { sustain(&folder.join("held"), &service) }
}

/// What a run leaves on disk.
#[derive(Clone, Copy)]
struct DiskUsage {
    bytes: usize,
    /// How often something was written: a run that changes something keeps each step before the
    /// next begins.
    writes: usize,
}

/// One scenario here, on the floor with as much input and output, and on the peers.
fn compare(scenario: &Scenario, data: &Path, service: &BenchService) -> Result<()> {
    std::fs::create_dir_all(data)?;
    scenario.import(data, service)?;
    let empty = database_bytes(data)?;
    let began = Instant::now();
    let server = BenchServer::heddle(data, &service.address)?;
    let requests = scenario.requests(&server, data)?;
    let one =
        Load { connections: 1, requests: 1, rate: None }.run(&server.address, &requests[..1])?;
    let first = began.elapsed();
    let idle = server.memory()?;
    let n_requests = REQUESTS / scenario.relative_cost;
    let all = Load { connections: CONNECTIONS, requests: n_requests, rate: None };
    let api = ApiClient::of(data)?;
    let before = api.writes(&server)?;
    let ours = server.measure(&all, &requests)?;
    let writes = ((api.writes(&server)? - before) / n_requests as f64).round().max(1.0) as usize;
    let half = half_of(&ours);
    let n_runs = n_requests + half.requests + 1;
    let half = server.measure(&half, &requests)?;
    let after = server.memory()?;
    server.stop()?;
    let kept =
        DiskUsage { bytes: database_bytes(data)?.saturating_sub(empty) as usize / n_runs, writes };
    let floor = BenchServer::floor(data)?;
    let same = [scenario.floor_request(&floor, kept, one.answer_bytes, service)];
    let bare = floor.measure(&all, &same)?;
    let bare_half = half_of(&bare).run(&floor.address, &same)?;
    drop(floor);
    bare.print(&format!("floor of {}", scenario.name), None);
    ours.print(scenario.name, Some(&bare));
    let DiskUsage { bytes, writes } = kept;
    eprintln!(
        "      first answer after {} ms; {idle} MB idle, {after} MB after; {bytes} bytes in {writes} writes a run",
        first.as_millis()
    );
    eprintln!(
        "      half of that rate for {} s: {:.0} µs of processor, {}",
        HALF.as_secs(),
        half.cpu_us,
        half.latency()
    );
    eprintln!("      the floor at half of its own: {}", bare_half.latency());
    PEERS.iter().try_for_each(|peer| compare_with(peer, scenario, &ours))
}

/// A stream of half of what was measured.
fn half_of(most: &Measurement) -> Load {
    let rate = most.rate / 2.0;
    Load {
        connections: CONNECTIONS,
        requests: (rate * HALF.as_secs_f64()).ceil() as usize,
        rate: Some(rate),
    }
}

/// If it runs, as `bench/peers/start.sh` starts it.
fn compare_with(peer: &Peer, scenario: &Scenario, ours: &Measurement) -> Result<()> {
    let Some(server) = BenchServer::running(peer.variable)? else { return Ok(()) };
    if !peer.has.contains(&scenario.file) {
        return Ok(());
    }
    let few =
        Load { connections: 10, requests: peer.requests / scenario.relative_cost, rate: None };
    let requests = [scenario.request_to_peer(&server)];
    few.run(&server.address, &requests).with_context(|| peer.name.to_owned())?;
    let theirs = server.measure(&few, &requests)?;
    theirs.print(&format!("{}: {}", peer.name, scenario.name), None);
    eprintln!(
        "      {} takes {:.1} times the processor time",
        peer.name,
        theirs.cpu_us / ours.cpu_us
    );
    Ok(())
}

/// More and more calls at once, then a steady stream: memory must stay where it is.
fn sustain(data: &Path, service: &BenchService) -> Result<()> {
    let Some(scenario) = SCENARIOS.first() else { return Ok(()) };
    std::fs::create_dir_all(data)?;
    scenario.import(data, service)?;
    let server = BenchServer::heddle(data, &service.address)?;
    let requests: Vec<RawRequest> = scenario.requests(&server, data)?;
    for connections in CONCURRENCY_LEVELS {
        let load = Load {
            connections: *connections,
            requests: REQUESTS.min(connections * 2000),
            rate: None,
        };
        let measured = server.measure(&load, &requests)?;
        measured.print(&format!("{connections} at once"), None);
    }
    let early = server.memory()?;
    let n_requests = (SUSTAINED_RATE * SUSTAINED_TIME.as_secs_f64()) as usize;
    let steady =
        Load { connections: CONNECTIONS, requests: n_requests, rate: Some(SUSTAINED_RATE) };
    let measured = server.measure(&steady, &requests)?;
    measured.print(&format!("{SUSTAINED_RATE} a second for {} s", SUSTAINED_TIME.as_secs()), None);
    eprintln!("      {}; {early} MB before, {} MB after", measured.latency(), server.memory()?);
    Ok(())
}

/// What the database takes while nobody has it open.
fn database_bytes(data: &Path) -> Result<u64> {
    Ok(std::fs::metadata(data.join("heddle.db"))?.len())
}
