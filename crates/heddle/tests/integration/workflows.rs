//! Runs the workflows in `tests/workflows` with the real binary; what a node should put out stands
//! in its pinned data.

use crate::support::TempFolder;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn heddle(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(arguments)
        .env("HEDDLE_TIMEZONE", "UTC")
        .output();
    output.unwrap_or_else(|error| panic!("heddle cannot run: {error}"))
}

fn workflows() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/workflows");
    let entries =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect()
}

fn workflow(name: &str) -> String {
    format!("{}/../../tests/workflows/{name}.json", env!("CARGO_MANIFEST_DIR"))
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn items(execution: &Value, node: &str) -> Vec<Value> {
    let runs =
        execution["data"]["resultData"]["runData"][node].as_array().cloned().unwrap_or_default();
    let last = runs.last().cloned().unwrap_or_default();
    last["data"]["main"][0]
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| item["json"].clone())
        .collect()
}

/// The process is short of memory soon, but by nobody else's work.
#[test]
fn code_that_is_alone_may_have_all_of_the_memory_that_is_set() {
    let made = |count: u32| {
        let code = format!(
            "const out = []; for (let i = 0; i < {count}; i++) out.push({{ i, t: 't' + i }}); return [{{ n: out.length }}];"
        );
        let node = |name: &str, kind: &str, version: u8, parameters: Value| json!({ "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters });
        let nodes = [
            node("Start", "n8n-nodes-base.manualTrigger", 1, json!({})),
            node("Code", "n8n-nodes-base.code", 2, json!({ "jsCode": code })),
        ];
        let to_code = json!([[{ "node": "Code", "type": "main", "index": 0 }]]);
        let folder = TempFolder::new("code-alone");
        let document = json!({ "nodes": nodes, "connections": { "Start": { "main": to_code } } });
        let file = folder.write_json("workflow.json", &document);
        let set = ["--set", "sandbox_memory=48MB", "--set", "compute_memory=8MB"];
        json_of(&heddle(&[&["run", file.to_str().unwrap(), "--json"], &set[..]].concat()))
    };
    let execution = made(350_000);
    let error = &execution["data"]["resultData"]["error"];
    assert_eq!(items(&execution, "Code"), [json!({ "n": 350_000 })], "{error}");
    let refused = made(2_000_000);
    let error = refused["data"]["resultData"]["error"].to_string();
    assert!(error.contains("memory"), "{error}");
}

#[test]
fn every_workflow_puts_out_what_its_pinned_data_says() {
    let files = workflows();
    assert!(files.len() >= 6);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        let execution = json_of(&heddle(&["run", file.to_str().unwrap(), "--no-pins", "--json"]));
        assert_eq!(
            execution["status"],
            "success",
            "{}: {}",
            file.display(),
            execution["data"]["resultData"]["error"]
        );
        for (node, expected) in document["pinData"].as_object().unwrap() {
            let expected: Vec<Value> =
                expected.as_array().unwrap().iter().map(|item| item["json"].clone()).collect();
            assert_eq!(items(&execution, node), expected, "{}: {node}", file.display());
        }
    }
}

#[test]
fn a_run_starts_and_stops_where_it_is_told() {
    let flow = workflow("branch_and_merge");
    let execution = json_of(&heddle(&[
        "run",
        &flow,
        "--no-pins",
        "--json",
        "--start",
        "Double",
        "--until",
        "Double",
        "--input",
        r#"[{"n":21}]"#,
    ]));
    assert_eq!(items(&execution, "Double"), [serde_json::json!({ "n": 42 })]);
    assert_eq!(execution["data"]["resultData"]["runData"].as_object().unwrap().len(), 1);
}

#[test]
fn a_partial_run_takes_earlier_outputs_from_an_execution() {
    let flow = workflow("branch_and_merge");
    let earlier = heddle(&["run", &flow, "--no-pins", "--json", "--until", "Even?"]);
    let file = std::env::temp_dir().join(format!("heddle-earlier-{}.json", std::process::id()));
    std::fs::write(&file, &earlier.stdout).unwrap();
    let execution = json_of(&heddle(&[
        "run",
        &flow,
        "--no-pins",
        "--json",
        "--start",
        "Double",
        "--from",
        file.to_str().unwrap(),
    ]));
    std::fs::remove_file(&file).unwrap();
    assert_eq!(
        items(&execution, "Double"),
        [serde_json::json!({ "n": 4 }), serde_json::json!({ "n": 8 })]
    );
}

#[test]
fn a_failed_run_says_where_and_why_and_exits_with_1() {
    let flow = r#"{ "nodes": [
        { "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "position": [0, 0], "parameters": {} },
        { "name": "Stop", "type": "n8n-nodes-base.stopAndError", "typeVersion": 1, "position": [200, 0], "parameters": { "errorMessage": "enough" } }
    ], "connections": { "Start": { "main": [[{ "node": "Stop", "type": "main", "index": 0 }]] } } }"#;
    let file = std::env::temp_dir().join(format!("heddle-stop-{}.json", std::process::id()));
    std::fs::write(&file, flow).unwrap();
    let output = heddle(&["run", file.to_str().unwrap()]);
    std::fs::remove_file(&file).unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        words.contains("enough") && words.contains("'Stop'") && words.contains("NODE_FAILED"),
        "{words}"
    );
}

#[test]
fn what_is_not_a_workflow_is_refused_with_a_code_and_exit_2() {
    let output = heddle(&["run", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("WORKFLOW_JSON"));
}

#[test]
fn an_unknown_node_stops_a_run_only_when_it_is_reached() {
    let flow = r#"{ "nodes": [
        { "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "position": [0, 0], "parameters": {} },
        { "name": "Never", "type": "acme.teleport", "typeVersion": 3, "position": [200, 0], "parameters": { "x": 1 } }
    ], "connections": { "Start": { "main": [[{ "node": "Never", "type": "main", "index": 0 }]] } } }"#;
    let file = std::env::temp_dir().join(format!("heddle-unknown-{}.json", std::process::id()));
    std::fs::write(&file, flow).unwrap();
    let path = file.to_str().unwrap();
    let stopped = heddle(&["run", path, "--until", "Start", "--json"]);
    let reached = json_of(&heddle(&["run", path, "--json"]));
    let exported = heddle(&["export", "--file", path]);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(json_of(&stopped)["status"], "success");
    assert_eq!(reached["data"]["resultData"]["error"]["code"], "NODE_TYPE_UNKNOWN");
    assert_eq!(reached["data"]["resultData"]["error"]["node"], "Never");
    assert_eq!(json_of(&exported), serde_json::from_str::<Value>(flow).unwrap());
}

#[test]
fn expressions_are_evaluated_on_the_command_line() {
    let output =
        heddle(&["expr", "Hello {{ $json.name.toUpperCase() }}", "--json", r#"{"name":"ada"}"#]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "Hello ADA");
    let denied = heddle(&["expr", "{{ $('Nowhere').item }}"]);
    assert_eq!(denied.status.code(), Some(1));
}

/// A model that is disabled supplies nothing, and what nothing leads to needs nothing.
#[test]
fn issue_17_an_agent_without_a_model_is_found_before_it_runs() {
    let document = |is_disabled: bool, target: &str| {
        serde_json::json!({
            "nodes": [
                { "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "position": [0, 0], "parameters": {} },
                { "name": "Agent", "type": "@n8n/n8n-nodes-langchain.agent", "typeVersion": 2, "position": [200, 0], "parameters": {} },
                { "name": "Model", "type": "@n8n/n8n-nodes-langchain.lmChatOpenAi", "typeVersion": 1.2, "position": [200, 200], "parameters": {}, "disabled": is_disabled },
            ],
            "connections": {
                "Start": { "main": [[{ "node": target, "type": "main", "index": 0 }]] },
                "Model": { "ai_languageModel": [[{ "node": "Agent", "type": "ai_languageModel", "index": 0 }]] },
            },
        })
    };
    let folder = TempFolder::new("check");
    let file = folder.0.join("agent.json");
    let findings = |document: Value| {
        std::fs::write(&file, document.to_string()).unwrap();
        let output = heddle(&["check", file.to_str().unwrap(), "--json"]);
        let reports = json_of(&output);
        let problems = reports[0]["problems"].as_array();
        let missing =
            |problem: &&Value| problem["message"].as_str().unwrap().contains("needs a connection");
        (output.status.code(), problems.unwrap().iter().find(missing).cloned())
    };
    assert_eq!(findings(document(false, "Agent")), (Some(0), None));
    let (code, found) = findings(document(true, "Agent"));
    let found = found.unwrap();
    assert_eq!(
        (code, &found["code"], &found["node"]),
        (Some(1), &"WORKFLOW_CONNECTION".into(), &"Agent".into())
    );
    assert_eq!(found["message"], "'Agent' needs a connection to its input 'Chat Model'");
    assert_eq!(findings(document(true, "Nowhere")).1, None);
}
