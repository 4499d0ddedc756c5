//! What ten thousand workflows cost: bringing them in, starting with them, activating one more.
//! What a million executions cost is measured without a server, by an example of the store.

use super::api::ApiClient;
use super::process::{BenchServer, HEDDLE};
use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const WORKFLOWS: usize = 10_000;
/// How often one more is activated; the middle and the slowest count.
const ACTIVATIONS: usize = 51;

pub(crate) fn run(folder: &Path) -> Result<()> {
    eprintln!("\n== scale: {WORKFLOWS} workflows on one machine");
    let hooks = write_many(folder, "hooks", |number| hook(&format!("many-{number}")))?;
    let clocks = write_many(folder, "clocks", |_| clock())?;
    let one = folder.join("one.json");
    std::fs::write(&one, workflow("one", hook("one")).to_string())?;
    imports(folder, &hooks, &one)?;
    starts(folder, &clocks, &one)?;
    activations(folder, &one)?;
    eprintln!("\n== scale: a million executions");
    crate::call(
        "cargo",
        &["run", "--release", "--quiet", "--package", "heddle-store", "--example", "scale"],
    )
}

fn imports(folder: &Path, many: &Path, one: &Path) -> Result<()> {
    let floor = import(&folder.join("inactive"), one, &[])?;
    eprintln!(
        "  import of one workflow                  {:8.2} s (the floor)",
        floor.as_secs_f64()
    );
    for (data, options, name) in
        [("inactive", &[][..], ""), ("many", &["--activate"][..], ", all made to listen")]
    {
        let took = import(&folder.join(data), many, options)?;
        eprintln!("  import of all of them{name:20} {:6.2} s (goal: 5 s)", took.as_secs_f64());
    }
    Ok(())
}

/// The first start plans the next moment of every schedule and writes it down; later ones find it.
fn starts(folder: &Path, many: &Path, one: &Path) -> Result<()> {
    let (few, data) = (folder.join("few"), folder.join("clocks"));
    import(&few, one, &["--activate"])?;
    import(&data, many, &["--activate"])?;
    start(&few, 1)?;
    eprintln!("  start with one workflow                 {:8.2} s (the floor)", start(&few, 1)?);
    eprintln!(
        "  first start with all, each a schedule   {:8.2} s (goal: 1 s)",
        start(&data, WORKFLOWS)?
    );
    eprintln!("  second start with them                  {:8.2} s", start(&data, WORKFLOWS)?);
    eprintln!(
        "  start with all, each a webhook          {:8.2} s",
        start(&folder.join("many"), WORKFLOWS)?
    );
    Ok(())
}

/// Seconds until all workflows listen.
fn start(data: &Path, n_workflows: usize) -> Result<f64> {
    let api = ApiClient::of(data)?;
    let began = Instant::now();
    let server = BenchServer::heddle(data, "127.0.0.1:1")?;
    while api.n_active(&server)? < n_workflows as f64 {
        ensure!(began.elapsed() < Duration::from_secs(120), "not all workflows listen");
        std::thread::sleep(Duration::from_millis(5));
    }
    let took = began.elapsed();
    server.stop()?;
    Ok(took.as_secs_f64())
}

fn activations(folder: &Path, one: &Path) -> Result<()> {
    for (data, name) in [
        ("few", "alone (the floor)"),
        ("many", "beside all others (goal: 20 ms)"),
        ("clocks", "beside as many schedules (goal: 20 ms)"),
    ] {
        let data = folder.join(data);
        let api = ApiClient::of(&data)?;
        let server = BenchServer::heddle(&data, "127.0.0.1:1")?;
        let document: Value = serde_json::from_str(&std::fs::read_to_string(one)?)?;
        let made = api.call(
            &server,
            "POST",
            "/api/v1/workflows",
            with_path(&document, "one-more").to_string().as_bytes(),
        )?;
        let made: Value = serde_json::from_str(&made)?;
        let id = made["id"].as_str().context("a workflow without an id")?;
        let mut times = Vec::new();
        for _ in 0..ACTIVATIONS {
            let began = Instant::now();
            api.call(&server, "POST", &format!("/api/v1/workflows/{id}/activate"), b"")?;
            times.push(began.elapsed());
            api.call(&server, "POST", &format!("/api/v1/workflows/{id}/deactivate"), b"")?;
        }
        server.stop()?;
        times.sort_unstable();
        let at = |place: usize| times.get(place).copied().unwrap_or_default().as_secs_f64() * 1e3;
        eprintln!(
            "  one activation {name:38} {:6.1} ms, the slowest {:6.1} ms",
            at(ACTIVATIONS / 2),
            at(ACTIVATIONS - 1)
        );
    }
    Ok(())
}

/// Imports a file as a person does; how long that took in all.
fn import(data: &Path, file: &Path, options: &[&str]) -> Result<Duration> {
    let began = Instant::now();
    let mut command = Command::new(HEDDLE);
    command.arg("import").args(options).arg("--data").arg(data).arg(file);
    let done = command.stdout(Stdio::null()).output()?;
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Ok(began.elapsed())
}

/// A list of workflows in one file, as n8n exports them.
fn write_many(folder: &Path, name: &str, trigger: impl Fn(usize) -> Value) -> Result<PathBuf> {
    let all: Vec<Value> = (0..WORKFLOWS)
        .map(|number| workflow(&format!("{name} {number}"), trigger(number)))
        .collect();
    let path = folder.join(format!("{name}.json"));
    std::fs::write(&path, Value::Array(all).to_string())?;
    Ok(path)
}

/// A trigger and four nodes behind it.
fn workflow(name: &str, trigger: Value) -> Value {
    let assignments = json!({ "assignments": [{ "id": "1", "name": "next", "value": "={{ $json.id + 1 }}", "type": "number" }] });
    let parameters =
        json!({ "assignments": assignments, "includeOtherFields": true, "options": {} });
    let set = |number: usize| json!({ "id": format!("set-{number}"), "name": format!("Set {number}"), "type": "n8n-nodes-base.set", "typeVersion": 3.4, "position": [number * 200, 0], "parameters": parameters });
    let mut connections = serde_json::Map::new();
    for number in 1..=4 {
        let from = if number == 1 { "Start".to_owned() } else { format!("Set {}", number - 1) };
        connections.insert(
            from,
            json!({ "main": [[{ "node": format!("Set {number}"), "type": "main", "index": 0 }]] }),
        );
    }
    json!({ "name": name, "nodes": [trigger, set(1), set(2), set(3), set(4)], "connections": connections, "settings": { "executionOrder": "v1" } })
}

fn hook(path: &str) -> Value {
    json!({ "id": "start", "name": "Start", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0], "parameters": { "path": path, "options": {} } })
}

/// Once a day, so that none is due while we measure.
fn clock() -> Value {
    let rule = json!({ "interval": [{ "field": "days", "daysInterval": 1, "triggerAtHour": 3, "triggerAtMinute": 17 }] });
    json!({ "id": "start", "name": "Start", "type": "n8n-nodes-base.scheduleTrigger", "typeVersion": 1.2, "position": [0, 0], "parameters": { "rule": rule } })
}

/// A workflow that listens somewhere else.
fn with_path(document: &Value, path: &str) -> Value {
    let mut document = document.clone();
    document["nodes"][0]["parameters"]["path"] = path.into();
    document
}
