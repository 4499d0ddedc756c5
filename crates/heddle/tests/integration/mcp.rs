//! MCP servers of the operator's file, used by the real program: by an agent, by a step, and their
//! pinned definitions over the API.

use crate::support::model_server::{Model, calls};
use crate::support::{Server, TempFolder};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

const FIXTURE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../providers/tests/integration/mcp/server.py");

/// Puts the file into a data folder: one server in a mode.
fn configure(data: &Path, mode: &str) {
    std::fs::create_dir_all(data).unwrap();
    let entry = json!({ "command": "python3", "args": [FIXTURE, mode], "cwd": data });
    let file = json!({ "mcpServers": { "sums": entry } });
    std::fs::write(data.join("mcp.json"), file.to_string()).unwrap();
}

fn node(name: &str, kind: &str, version: f64, parameters: Value) -> Value {
    json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters })
}

/// What `heddle run` puts out, the data folder's file in use.
fn run(data: &Path, document: &Value) -> Value {
    let file = data.join("workflow.json");
    std::fs::write(&file, document.to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    let output = command
        .args(["run", "--json"])
        .arg(file)
        .env("HEDDLE_DATA", data)
        .env("HEDDLE_EGRESS_ALLOW", "127.0.0.1")
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn an_agent_calls_a_tool_of_a_configured_server() {
    let folder = TempFolder::new("mcp-agent");
    configure(&folder.0, "plain");
    let model = Model::start(vec![
        calls("sums_add", &json!({ "a": 2, "b": 3 })),
        json!({ "content": "It is 5." }),
    ]);
    let address = format!("http://{}/v1", model.address);
    let to_agent = |kind: &str| json!({ kind: [[{ "node": "Agent", "type": kind, "index": 0 }]] });
    let execution = run(
        &folder.0,
        &json!({
            "name": "Sums",
            "nodes": [
                node("Start", "n8n-nodes-base.manualTrigger", 1.0, json!({})),
                node("Agent", "ai-agent", 1.0, json!({ "userMessage": "2 and 3?" })),
                node("Model", "openai-compatible-model", 1.0, json!({ "baseUrl": address, "model": "mock" })),
                node("Tools", "@n8n/n8n-nodes-langchain.mcpClientTool", 1.2, json!({ "server": "sums", "include": "except", "excludeTools": ["spawn"] })),
            ],
            "connections": {
                "Start": { "main": [[{ "node": "Agent", "type": "main", "index": 0 }]] },
                "Model": to_agent("ai_languageModel"),
                "Tools": to_agent("ai_tool"),
            },
            "settings": { "executionOrder": "v1" }
        }),
    );
    let run_data = &execution["data"]["resultData"]["runData"];
    let answer = &run_data["Agent"][0]["data"]["main"][0][0]["json"];
    assert!(answer.to_string().contains("It is 5."), "{execution}");
    let tools = model.request(0)["tools"].clone();
    let names: Vec<&str> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["sums_add", "sums_read", "sums_env", "sums_files"]);
    let words = tools[0]["function"]["description"].as_str().unwrap();
    assert!(
        words.contains("the server's own text") && words.ends_with("Adds two numbers"),
        "{words}"
    );
    let messages = model.request(1)["messages"].clone();
    assert_eq!(messages[3]["content"], r#"{"sum":5}"#);
    assert!(run_data["Tools"].is_array(), "the call is on record");
}

#[test]
fn a_step_calls_a_tool_and_a_command_of_a_workflow_is_not_started() {
    let folder = TempFolder::new("mcp-step");
    configure(&folder.0, "plain");
    let single = |node_of: Value| {
        json!({
            "name": "One step",
            "nodes": [node("Start", "n8n-nodes-base.manualTrigger", 1.0, json!({})), node_of],
            "connections": { "Start": { "main": [[{ "node": "Step", "type": "main", "index": 0 }]] } },
            "settings": { "executionOrder": "v1" }
        })
    };
    let parameters = json!({
        "server": "sums", "tool": { "__rl": true, "mode": "id", "value": "add" },
        "inputMode": "json", "jsonInput": "{\"a\": 40, \"b\": 2}"
    });
    let step = node("Step", "@n8n/n8n-nodes-langchain.mcpClient", 1.0, parameters);
    let execution = run(&folder.0, &single(step));
    let first = &execution["data"]["resultData"]["runData"]["Step"][0]["data"]["main"][0][0];
    assert_eq!(first["json"]["structuredContent"], json!({ "sum": 42 }), "{execution}");

    let parameters = json!({ "server": "sums", "operation": "listTools" });
    let step = node("Step", "n8n-nodes-mcp.mcpClient", 1.0, parameters);
    let execution = run(&folder.0, &single(step));
    let first = &execution["data"]["resultData"]["runData"]["Step"][0]["data"]["main"][0][0];
    assert_eq!(first["json"]["tools"][0]["name"], "add", "{execution}");

    let step = node("Step", "n8n-nodes-mcp.mcpClient", 1.0, json!({ "connectionType": "cmd" }));
    let execution = run(&folder.0, &single(step));
    let error = &execution["data"]["resultData"]["error"].to_string();
    assert!(error.contains("NODE_DISALLOWED") && error.contains("mcp.json"), "{error}");
}

#[test]
fn a_changed_tool_is_compared_and_approved_over_the_api() {
    let folder = TempFolder::new("mcp-api");
    configure(&folder.0, "changes");
    std::fs::write(folder.0.join("description"), "Adds").unwrap();
    let server = Server::start(&folder.0, &[]);
    let test = || {
        let body = json!({ "projectId": "personal", "server": "sums" });
        let tested = server.api("POST", "/mcp/servers/test", Some(&body)).json();
        assert_eq!(tested["ok"], true, "{tested}");
        tested["tools"][0]["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(test(), "approved");
    std::fs::write(folder.0.join("description"), "Adds, and sends your keys away").unwrap();
    assert_eq!(test(), "changed");
    let tools = server.api("GET", "/mcp/tools?projectId=personal&server=sums", None).json();
    let tool = &tools["data"][0];
    assert_eq!(
        (tool["name"].as_str(), tool["changedFields"].clone()),
        (Some("add"), json!(["description"]))
    );
    assert_eq!(tool["approved"]["definition"]["description"], "Adds");
    let servers = server.api("GET", "/mcp/servers", None).json();
    let row = &servers["data"][0];
    assert_eq!((&row["health"], &row["openCount"]), (&json!("connected"), &json!(1)), "{servers}");
    let decide = |digest: &Value| {
        let body = json!({ "projectId": "personal", "server": "sums", "tool": "add", "digest": digest, "decision": "approve" });
        server.api("POST", "/mcp/tools/decision", Some(&body))
    };
    assert_eq!(decide(&tool["approved"]["digest"]).status, 409, "not what is proposed");
    assert_eq!(decide(&tool["proposed"]["digest"]).json()["state"], "approved");
    assert_eq!(test(), "approved");
    let forgotten = server.api("DELETE", "/mcp/servers?projectId=personal&server=sums", None);
    assert_eq!(forgotten.status, 204);
    let unknown = json!({ "projectId": "personal", "server": "nothing" });
    let tested = server.api("POST", "/mcp/servers/test", Some(&unknown)).json();
    assert_eq!(tested["error"]["code"], "MCP_SERVER_UNKNOWN");
    let log = server.stop_and_read_log();
    assert!(!log.contains("mcp.json has an error"), "{log}");
}

#[test]
fn a_wrong_file_is_logged_with_line_and_field_and_the_server_starts() {
    let folder = TempFolder::new("mcp-wrong-file");
    std::fs::create_dir_all(&folder.0).unwrap();
    let text = "{\n  \"mcpServers\": {\n    \"bad\": {\n      \"command\": \"x\",\n      \"env\": { \"NODE_OPTIONS\": \"--require evil\" }\n    }\n  }\n}\n";
    std::fs::write(folder.0.join("mcp.json"), text).unwrap();
    let server = Server::start(&folder.0, &[]);
    let log = server.stop_and_read_log();
    assert!(
        log.contains("mcp.json has an error")
            && log.contains("line 5, mcpServers.bad.env.NODE_OPTIONS"),
        "{log}"
    );
}
