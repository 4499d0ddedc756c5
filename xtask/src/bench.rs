//! `cargo xtask bench`: what runs cost, as ratios against a floor measured in the same sitting.

use crate::call;
use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const HEDDLE: &str = "target/release/heddle";

pub(crate) fn run() -> Result<()> {
    call("cargo", &["run", "--release", "--quiet", "--package", "xtask", "--", "sandbox"])?;
    call("cargo", &["build", "--release", "--package", "heddle"])?;
    let folder = std::env::temp_dir().join(format!("heddle-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let result = match std::env::args().nth(2).as_deref() {
        Some("server") => crate::bench_server::run(&folder),
        Some("agents") => crate::bench_server::agents::run(&folder),
        Some("scale") => crate::bench_server::scale::run(&folder),
        _ => sections(&folder),
    };
    std::fs::remove_dir_all(&folder)?;
    result
}

fn sections(folder: &Path) -> Result<()> {
    eprintln!("\n== expressions (nanoseconds each)");
    call(
        "cargo",
        &["run", "--release", "--quiet", "--package", "heddle-expr", "--example", "native_bench"],
    )?;
    call(
        "cargo",
        &["run", "--release", "--quiet", "--package", "heddle-expr", "--example", "sandbox_bench"],
    )?;
    start_up(folder)?;
    instructions(folder)?;
    growth_of_items(folder)?;
    growth_of_nodes(folder)?;
    memory(folder)?;
    crate::bench_server::run(folder)?;
    crate::bench_server::agents::run(folder)?;
    crate::bench_server::scale::run(folder)
}

/// A workflow of so many Edit Fields nodes in a row; each sets two fields, one of them by
/// expression.
fn fields_in_a_row(folder: &Path, n_nodes: usize) -> Result<PathBuf> {
    let name = |index: usize| if index == 0 { "Start".to_owned() } else { format!("Set {index}") };
    let mut nodes = vec![
        json!({ "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "position": [0, 0], "parameters": {} }),
    ];
    let mut connections = serde_json::Map::new();
    for index in 1..=n_nodes {
        let assignments = json!([
            { "id": "1", "name": "step", "value": index, "type": "number" },
            { "id": "2", "name": "next", "value": "={{ $json.id + 1 }}", "type": "number" },
        ]);
        nodes.push(json!({
            "name": name(index), "type": "n8n-nodes-base.set", "typeVersion": 3.4, "position": [index * 200, 0],
            "parameters": { "assignments": { "assignments": assignments }, "includeOtherFields": true, "options": {} },
        }));
        connections.insert(
            name(index - 1),
            json!({ "main": [[{ "node": name(index), "type": "main", "index": 0 }]] }),
        );
    }
    write_workflow(folder, &format!("row-{n_nodes}"), &nodes, connections)
}

/// A workflow whose Code node makes so many items of about a kilobyte, with four nodes behind it.
fn made_by_code(folder: &Path, n_items: usize) -> Result<PathBuf> {
    let code = format!(
        "const out = [];\nfor (let i = 0; i < {n_items}; i++) out.push({{ id: i, name: 'item ' + i, text: 'x'.repeat(960) }});\nreturn out;"
    );
    let set = json!({ "assignments": { "assignments": [{ "id": "1", "name": "even", "value": "={{ $json.id % 2 === 0 }}", "type": "boolean" }] }, "includeOtherFields": true, "options": {} });
    let condition = json!({ "conditions": { "options": { "version": 2, "caseSensitive": true, "typeValidation": "strict", "leftValue": "" }, "combinator": "and",
        "conditions": [{ "id": "1", "leftValue": "={{ $json.even }}", "rightValue": "", "operator": { "type": "boolean", "operation": "true", "singleValue": true } }] }, "options": {} });
    let node = |name: &str, kind: &str, version: f64, x: usize, parameters: Value| json!({ "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": version, "position": [x, 0], "parameters": parameters });
    let nodes = [
        node("Start", "manualTrigger", 1.0, 0, json!({})),
        node("Make", "code", 2.0, 200, json!({ "jsCode": code })),
        node("Mark", "set", 3.4, 400, set),
        node("Even?", "if", 2.2, 600, condition),
        node(
            "Rename",
            "renameKeys",
            1.0,
            800,
            json!({ "keys": { "key": [{ "currentKey": "name", "newKey": "title" }] }, "additionalOptions": {} }),
        ),
        node("End", "noOp", 1.0, 1000, json!({})),
    ];
    let mut connections = serde_json::Map::new();
    for (from, to) in [
        ("Start", "Make"),
        ("Make", "Mark"),
        ("Mark", "Even?"),
        ("Even?", "Rename"),
        ("Rename", "End"),
    ] {
        connections
            .insert(from.into(), json!({ "main": [[{ "node": to, "type": "main", "index": 0 }]] }));
    }
    write_workflow(folder, &format!("made-{n_items}"), &nodes, connections)
}

fn write_workflow(
    folder: &Path,
    name: &str,
    nodes: &[Value],
    connections: serde_json::Map<String, Value>,
) -> Result<PathBuf> {
    let path = folder.join(format!("{name}.json"));
    let document = json!({ "name": name, "nodes": nodes, "connections": connections, "settings": { "executionOrder": "v1" } });
    std::fs::write(&path, document.to_string())?;
    Ok(path)
}

fn items(n_items: usize) -> String {
    let items: Vec<Value> =
        (0..n_items).map(|id| json!({ "id": id, "name": format!("item {id}"), "tags": ["a", "b"], "price": 9.5 })).collect();
    Value::Array(items).to_string()
}

/// Runs a workflow on items, given as text or as `@FILE`, and gives back what `--stats` told.
fn stats(workflow: &Path, input: &str) -> Result<Value> {
    let mut child = Command::new(HEDDLE)
        .args([
            "run",
            "--quiet",
            "--stats",
            "--input",
            if input.starts_with('@') { input } else { "-" },
        ])
        .arg(workflow)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .context("heddle cannot run")?;
    if !input.starts_with('@') {
        child.stdin.as_mut().context("no standard input")?.write_all(input.as_bytes())?;
    }
    drop(child.stdin.take());
    let output = child.wait_with_output()?;
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        bail!("heddle run failed: {words}");
    }
    let line = words.lines().find(|line| line.starts_with('{')).context("heddle told no stats")?;
    Ok(serde_json::from_str(line)?)
}

fn start_up(folder: &Path) -> Result<()> {
    eprintln!("\n== a run from the command line, in all (best of 20)");
    let five = fields_in_a_row(folder, 5)?;
    let best = |arguments: &[&str]| -> Result<f64> {
        let mut best = f64::MAX;
        for _ in 0..20 {
            let began = std::time::Instant::now();
            Command::new(HEDDLE)
                .args(arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()?;
            best = best.min(began.elapsed().as_secs_f64() * 1000.0);
        }
        Ok(best)
    };
    let floor = best(&["--version"])?;
    let run = best(&["run", "--quiet", five.to_str().context("path")?])?;
    let code = made_by_code(folder, 1)?;
    let with_code = best(&["run", "--quiet", code.to_str().context("path")?])?;
    eprintln!("  floor: heddle --version {floor:6.1} ms");
    eprintln!(
        "  five nodes, native expressions {run:6.1} ms ({:.1} x floor; limit 50 ms)",
        run / floor
    );
    eprintln!(
        "  five nodes with a Code node    {with_code:6.1} ms ({:.1} x floor)",
        with_code / floor
    );
    Ok(())
}

/// Instructions counted by callgrind: the same on a quiet and on a busy machine.
fn instructions(folder: &Path) -> Result<()> {
    eprintln!("\n== instructions (callgrind), five Edit Fields nodes");
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("  valgrind is not installed: instructions not counted");
        return Ok(());
    }
    let workflow = fields_in_a_row(folder, 5)?;
    let count = |n_items: usize| -> Result<f64> {
        let input = folder.join("input.json");
        std::fs::write(&input, items(n_items))?;
        let output = Command::new("valgrind")
            .args([
                "--tool=callgrind",
                "--callgrind-out-file=/dev/null",
                HEDDLE,
                "run",
                "--quiet",
                "--input",
                "-",
            ])
            .arg(&workflow)
            .stdin(std::fs::File::open(&input)?)
            .stdout(Stdio::null())
            .output()?;
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = words
            .lines()
            .find(|line| line.contains("Collected"))
            .with_context(|| format!("callgrind did not count: {words}"))?;
        Ok(line.rsplit(':').next().unwrap_or_default().trim().parse()?)
    };
    let floor = count(1)?;
    eprintln!(
        "  1 item          {:10.1} M in all (the floor: start-up, plan, one pass)",
        floor / 1e6
    );
    for n_items in [1_000, 100_000] {
        let counted = count(n_items)?;
        eprintln!(
            "  {n_items:7} items {:10.1} M in all, {:7.0} for each item and node",
            counted / 1e6,
            (counted - floor) / (n_items * 5) as f64
        );
    }
    Ok(())
}

fn growth_of_items(folder: &Path) -> Result<()> {
    eprintln!("\n== growth with items, five Edit Fields nodes (10 x the work must not cost 30 x)");
    let workflow = fields_in_a_row(folder, 5)?;
    let mut before: Option<f64> = None;
    for n_items in [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000] {
        let told = stats(&workflow, &items(n_items))?;
        let cpu = told["cpu_ms"].as_f64().unwrap_or(0.0).max(10.0);
        let growth = before.map_or_else(String::new, |before| format!("{:5.1} x", cpu / before));
        eprintln!(
            "  {n_items:8} items {cpu:9.0} ms of processor {:6} MB {growth}",
            told["peak_mb"]
        );
        before = Some(cpu);
    }
    Ok(())
}

fn growth_of_nodes(folder: &Path) -> Result<()> {
    eprintln!("\n== growth with nodes, 100 items");
    let mut before: Option<f64> = None;
    for n_nodes in [1, 10, 100, 1_000] {
        let told = stats(&fields_in_a_row(folder, n_nodes)?, &items(100))?;
        let cpu = told["cpu_ms"].as_f64().unwrap_or(0.0).max(10.0);
        let growth = before.map_or_else(String::new, |before| format!("{:5.1} x", cpu / before));
        eprintln!(
            "  {n_nodes:5} nodes {cpu:9.0} ms of processor {:6} MB {growth}",
            told["peak_mb"]
        );
        before = Some(cpu);
    }
    Ok(())
}

fn memory(folder: &Path) -> Result<()> {
    eprintln!("\n== 1 KB items through five nodes (limit for a million: 1024 MB)");
    for n_items in [1_000, 100_000, 1_000_000] {
        let told = stats(&made_by_code(folder, n_items)?, "{}")?;
        eprintln!(
            "  {n_items:8} items made by a Code node {:9} ms of processor {:6} MB",
            told["cpu_ms"], told["peak_mb"]
        );
    }
    let input = folder.join("million.json");
    write_million(&input)?;
    let told = stats(&fields_in_a_row(folder, 5)?, &format!("@{}", input.display()))?;
    eprintln!(
        "   1000000 items from a file        {:9} ms of processor {:6} MB",
        told["cpu_ms"], told["peak_mb"]
    );
    Ok(())
}

/// A list of a million items of about a kilobyte, no two of them alike.
fn write_million(path: &Path) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    out.write_all(b"[")?;
    for id in 0..1_000_000 {
        let comma = if id > 0 { "," } else { "" };
        write!(
            out,
            r#"{comma}{{"id":{id},"name":"item {id}","text":"{}"}}"#,
            format!("{id:08}").repeat(120)
        )?;
    }
    out.write_all(b"]")?;
    Ok(out.flush()?)
}
