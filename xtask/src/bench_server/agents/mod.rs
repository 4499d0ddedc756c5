//! What an agent costs: a webhook, a model that calls a tool, the tool, and the model's answer, all of it kept on disk.

use super::load::{Load, request};
use super::process::{HEDDLE, Server};
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

pub(crate) fn run(folder: &Path) -> Result<()> {
    eprintln!("\n== agents: webhook, model, tool, model, answer; everything kept on disk, the models answer at once");
    crate::call("cargo", &["build", "--release", "--quiet", "--package", "heddle-testkit", "--bin", "mock-models"])?;
    let models = Models::start("0")?;
    let server = server(&folder.join("agents"), &models)?;
    let ask = [request(&server.address, "POST", "/webhook/agent", "application/json", br#"{"question":"What is 2+2?"}"#)];
    Load { connections: 10, requests: 200, rate: None }.run(&server.address, &ask)?;
    for connections in [1, 50] {
        let load = Load { connections, requests: REQUESTS, rate: None };
        server.measure(&load, &ask)?.print(&format!("an agent with a tool, {connections} at once"), None);
    }
    server.stop()?;
    let models = Models::start(SLOW)?;
    let server = self::server(&folder.join("waiting"), &models)?;
    let ask = [request(&server.address, "POST", "/webhook/agent", "application/json", br#"{"question":"What is 2+2?"}"#)];
    let idle = server.memory()?;
    let (most, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let measured = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                most.fetch_max(server.memory().unwrap_or(0), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        let measured = server.measure(&Load { connections: WAITING, requests: WAITING, rate: None }, &ask);
        is_over.store(true, Ordering::Relaxed);
        measured
    })?;
    measured.print(&format!("{WAITING} agents, each answer takes {SLOW} ms"), None);
    eprintln!("      {idle} MB idle, at most {} MB while they wait", most.load(Ordering::Relaxed));
    server.stop()
}

/// Heddle with a workflow whose agent asks these models.
fn server(data: &Path, models: &Models) -> Result<Server> {
    std::fs::create_dir_all(data)?;
    let node = |name: &str, kind: &str, version: f64, parameters: serde_json::Value| json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "webhookId": name, "parameters": parameters });
    let to_agent = |kind: &str| json!({ kind: [[{ "node": "Agent", "type": kind, "index": 0 }]] });
    let workflow = json!({
        "name": "agent",
        "nodes": [
            node("Webhook", "n8n-nodes-base.webhook", 2.0, json!({ "path": "agent", "httpMethod": "POST", "responseMode": "lastNode" })),
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
    let import = Command::new(HEDDLE).args(["import", "--activate", "--data"]).arg(data).arg(&file).output()?;
    ensure!(import.status.success(), "{}", String::from_utf8_lossy(&import.stderr));
    Server::heddle(data, "127.0.0.1")
}

/// The mock models as a process of their own.
struct Models {
    url: String,
    process: Child,
}

impl Models {
    fn start(delay_ms: &str) -> Result<Self> {
        let mut command = Command::new("target/release/mock-models");
        command.env("MOCK_MODELS_FORGET", "1").env("MOCK_MODELS_DELAY_MS", delay_ms);
        let mut process = command.stdout(Stdio::piped()).spawn()?;
        let mut url = String::new();
        BufReader::new(process.stdout.take().context("no output")?).read_line(&mut url)?;
        Ok(Self { url: url.trim().to_owned(), process })
    }
}

impl Drop for Models {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
