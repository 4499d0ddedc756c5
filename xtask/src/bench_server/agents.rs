//! What an agent costs: a webhook, a model that calls a tool, the tool, and the model's answer, all
//! of it kept on disk.

mod peers;
mod streaming;

use super::load::{Load, Measurement, RawRequest, request};
use super::process::{BenchServer, HEDDLE};
use anyhow::{Context as _, Result, ensure};
use serde_json::json;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

const REQUESTS: usize = 4_000;
/// Runs that wait for slow models at the same time, and how slow these are.
const WAITING: usize = 1_000;
const SLOW: &str = "2000";
/// Where n8n's workflow looks for the models.
const MODELS_PORT: &str = "8090";
/// The memory they may take.
const MAX_MEMORY_MB: u64 = 300;

pub(crate) fn run(folder: &Path) -> Result<()> {
    eprintln!(
        "\n== agents: webhook, model, tool, model, answer; everything kept on disk, the models answer at once"
    );
    crate::call(
        "cargo",
        &["build", "--release", "--quiet", "--package", "heddle-testkit", "--bin", "mock-models"],
    )?;
    let models = MockModelServer::start(&[])?;
    let ours = measure_concurrent(&folder.join("agents"), &models)?;
    peers::compare(&models, &ours, ask);
    drop(models);
    measure_waiting(&folder.join("waiting"))?;
    streaming::run(folder)
}

fn ask(address: &str) -> RawRequest {
    request(
        address,
        "POST",
        "/webhook/agent",
        "application/json",
        br#"{"question":"What is 2+2?"}"#,
    )
}

/// What a run takes of the processor, one at a time and fifty at once; the latter is compared with
/// others.
fn measure_concurrent(folder: &Path, models: &MockModelServer) -> Result<Measurement> {
    let server = server(folder, models, "lastNode")?;
    let ask = [ask(&server.address)];
    Load { connections: 10, requests: 200, rate: None }.run(&server.address, &ask)?;
    server
        .measure(&Load { connections: 1, requests: REQUESTS / 4, rate: None }, &ask)?
        .print("an agent with a tool, 1 at once", None);
    let measured =
        server.measure(&Load { connections: 50, requests: REQUESTS, rate: None }, &ask)?;
    measured.print("an agent with a tool, 50 at once", None);
    server.stop()?;
    Ok(measured)
}

/// The memory of many runs that wait for slow models.
fn measure_waiting(folder: &Path) -> Result<()> {
    let models = MockModelServer::start(&[("MOCK_MODELS_DELAY_MS", SLOW)])?;
    let server = server(folder, &models, "lastNode")?;
    let ask = [ask(&server.address)];
    let idle = server.memory()?;
    let (most, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let measured = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                most.fetch_max(server.memory().unwrap_or(0), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        let measured =
            server.measure(&Load { connections: WAITING, requests: WAITING, rate: None }, &ask);
        is_over.store(true, Ordering::Relaxed);
        measured
    })?;
    measured.print(&format!("{WAITING} agents, each answer takes {SLOW} ms"), None);
    let most = most.load(Ordering::Relaxed);
    eprintln!(
        "      {idle} MB idle, at most {most} MB while they wait, of {MAX_MEMORY_MB} MB that it may be"
    );
    server.stop()
}

/// Heddle with a workflow whose agent asks these models.
fn server(data: &Path, models: &MockModelServer, response_mode: &str) -> Result<BenchServer> {
    std::fs::create_dir_all(data)?;
    let node = |name: &str, kind: &str, version: f64, parameters: serde_json::Value| json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "webhookId": name, "parameters": parameters });
    let to_agent = |kind: &str| json!({ kind: [[{ "node": "Agent", "type": kind, "index": 0 }]] });
    let workflow = json!({
        "name": "agent",
        "nodes": [
            node("Webhook", "n8n-nodes-base.webhook", 2.1, json!({ "path": "agent", "httpMethod": "POST", "responseMode": response_mode })),
            node("Agent", "ai-agent", 1.0, json!({ "userMessage": "={{ $json.body.question }}" })),
            node("Model", "openai-compatible-model", 1.0, json!({ "baseUrl": format!("{}/v1", models.url), "model": "mock" })),
            node("Calculator", "calculator-tool", 1.0, json!({})),
        ],
        "connections": {
            "Webhook": { "main": [[{ "node": "Agent", "type": "main", "index": 0 }]] },
            "Model": to_agent("ai_languageModel"),
            "Calculator": to_agent("ai_tool"),
        },
        "settings": { "executionOrder": "v1" },
    });
    let file = data.join("agent.json");
    std::fs::write(&file, workflow.to_string())?;
    let import = Command::new(HEDDLE)
        .args(["import", "--activate", "--data"])
        .arg(data)
        .arg(&file)
        .output()?;
    ensure!(import.status.success(), "{}", String::from_utf8_lossy(&import.stderr));
    BenchServer::heddle(data, "127.0.0.1")
}

/// The mock models as a process of their own.
struct MockModelServer {
    url: String,
    process: Child,
}

impl MockModelServer {
    /// `settings` are variables of the program.
    fn start(settings: &[(&str, &str)]) -> Result<Self> {
        let mut command = Command::new("target/release/mock-models");
        command.arg(MODELS_PORT).env("MOCK_MODELS_FORGET", "1").envs(settings.iter().copied());
        let mut process = command.stdout(Stdio::piped()).spawn()?;
        let mut url = String::new();
        BufReader::new(process.stdout.take().context("no output")?).read_line(&mut url)?;
        Ok(Self { url: url.trim().to_owned(), process })
    }
}

impl Drop for MockModelServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
