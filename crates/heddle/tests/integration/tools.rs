//! Manifests of nodes, OpenAPI documents and MCP servers, used by agents of the real program.

use crate::support::model_server::{Model, calls};
use crate::support::{TempFolder, heddle};
use serde_json::{Value, json};
use std::process::Command;
use testkit::{FakeHttp, FakeResponse};

const MCP_FIXTURE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../providers/tests/integration/mcp/server.py");

fn node(name: &str, kind: &str, version: f64, parameters: Value) -> Value {
    json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters })
}

/// An agent with registered tools, run in a data folder.
fn run(folder: &TempFolder, model: &Model, tools: &str) -> Value {
    let to_agent = |kind: &str| json!({ kind: [[{ "node": "Agent", "type": kind, "index": 0 }]] });
    let address = format!("http://{}/v1", model.address);
    let document = json!({
        "name": "Registered",
        "nodes": [
            node("Start", "n8n-nodes-base.manualTrigger", 1.0, json!({})),
            node("Agent", "ai-agent", 1.0, json!({ "userMessage": "go" })),
            node("Model", "openai-compatible-model", 1.0, json!({ "baseUrl": address, "model": "mock" })),
            node("Tools", "tool-registry", 1.0, json!({ "tools": tools })),
        ],
        "connections": {
            "Start": { "main": [[{ "node": "Agent", "type": "main", "index": 0 }]] },
            "Model": to_agent("ai_languageModel"),
            "Tools": to_agent("ai_tool"),
        },
        "settings": { "executionOrder": "v1" }
    });
    let file = folder.write_json("workflow", &document);
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(["run", "--json"])
        .arg(file)
        .env("HEDDLE_DATA", &folder.0)
        .env("HEDDLE_EGRESS_ALLOW", "127.0.0.1")
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn offered(model: &Model) -> Vec<String> {
    let tools = model.request(0)["tools"].clone();
    let names = tools.as_array().unwrap().iter();
    names.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_node_with_two_operations_is_two_tools() {
    let folder = TempFolder::new("tools-node");
    let manifest = "version: 1
tools:
  - namespace: text
    effect: read
    node:
      type: n8n-nodes-base.set
      version: 3.4
      parameters: { mode: raw }
      operations:
        greet:
          description: Greet somebody.
          parameters: { jsonOutput: '={{ JSON.stringify({ said: \"Hello \" + $fromAI(\"who\", \"whom\", \"string\") }) }}' }
        leave:
          description: Say goodbye.
          parameters: { jsonOutput: '{ \"said\": \"Bye\" }' }
          output: { type: object, required: [missing] }
";
    std::fs::write(folder.0.join("tools.yaml"), manifest).unwrap();
    let model = Model::start(vec![
        calls("text_greet", &json!({ "who": "Ada" })),
        calls("text_leave", &json!({})),
        json!({ "content": "done" }),
    ]);
    let execution = run(&folder, &model, "text.*");
    assert_eq!(offered(&model), ["text_greet", "text_leave"], "{execution}");
    assert_eq!(model.last_result(1), r#"{"said":"Hello Ada"}"#);
    assert!(model.last_result(2).contains("TOOL_OUTPUT"), "{}", model.last_result(2));
    let schema = &model.request(0)["tools"][0]["function"]["parameters"];
    assert_eq!(schema["required"], json!(["who"]));
}

#[test]
fn operations_of_an_openapi_document_are_tools() {
    let service = FakeHttp::fixed(FakeResponse::json(&json!({ "id": 7, "name": "Rex" })));
    let folder = TempFolder::new("tools-openapi");
    std::fs::create_dir_all(folder.0.join("tools/apis")).unwrap();
    let document = json!({
        "openapi": "3.0.0", "info": { "title": "Pets", "version": "1" },
        "servers": [{ "url": format!("http://{}/v1", service.address) }],
        "paths": {
            "/pets/{petId}": { "get": { "operationId": "getPet", "parameters": [
                { "name": "petId", "in": "path", "required": true, "schema": { "type": "string" } },
                { "name": "full", "in": "query", "schema": { "type": "boolean" } } ] } },
            "/pets": { "post": { "operationId": "addPet", "requestBody": { "required": true, "content": {
                "application/json": { "schema": { "type": "object" } } } } } }
        }
    });
    std::fs::write(folder.0.join("tools/apis/pets.json"), document.to_string()).unwrap();
    std::fs::write(
        folder.0.join("tools/pets.yaml"),
        "version: 1\ntools:\n  - namespace: pets\n    openapi: { file: apis/pets.json }\n",
    )
    .unwrap();
    let model = Model::start(vec![
        calls("pets_getPet", &json!({ "petId": "a/../b" })),
        calls("pets_addPet", &json!({ "body": { "name": "Rex" } })),
        json!({ "content": "done" }),
    ]);
    let execution = run(&folder, &model, "*");
    assert_eq!(offered(&model), ["pets_addPet", "pets_getPet"], "{execution}");
    let requests = service.requests();
    assert_eq!(requests[0].summary(), "GET /v1/pets/a%2F..%2Fb");
    assert_eq!(requests[1].summary(), r#"POST /v1/pets {"name":"Rex"}"#);
    assert_eq!(model.last_result(2), r#"{"id":7,"name":"Rex"}"#);
    let shown: Value =
        serde_json::from_str(&heddle(&folder.0, &["tools", "show", "pets.getPet"])).unwrap();
    assert_eq!((&shown["kind"], &shown["manifest"]), (&json!("http"), &json!("tools/pets.yaml")));
}

#[test]
fn listed_tools_of_an_mcp_server_have_the_names_of_the_manifest() {
    let folder = TempFolder::new("tools-mcp");
    let entry = json!({ "command": "python3", "args": [MCP_FIXTURE, "plain"], "cwd": folder.0 });
    let servers = json!({ "mcpServers": { "sums": entry } });
    std::fs::write(folder.0.join("mcp.json"), servers.to_string()).unwrap();
    std::fs::write(
        folder.0.join("tools.json"),
        json!({ "version": 1, "tools": [{ "namespace": "math", "mcp": { "server": "sums", "tools": { "add": { "as": "plus", "effect": "read" }, "gone": {} } } }] }).to_string(),
    )
    .unwrap();
    let model = Model::start(vec![
        calls("math_plus", &json!({ "a": 2, "b": 3 })),
        json!({ "content": "5" }),
    ]);
    let execution = run(&folder, &model, "math.*");
    assert_eq!(offered(&model), ["math_plus"], "{execution}");
    assert_eq!(model.last_result(1), r#"{"sum":5}"#);
}

#[test]
fn the_command_line_checks_and_calls_a_tool() {
    let service = FakeHttp::fixed(FakeResponse::json(&json!({ "data": { "items": [1, 2] } })));
    let folder = TempFolder::new("tools-cli");
    let manifest = format!(
        "version: 1\ntools:\n  - name: list.all\n    description: d\n    http: {{ url: 'http://{}/{{kind}}', response: {{ select: data.items }} }}\n",
        service.address
    );
    std::fs::write(folder.0.join("tools.yaml"), &manifest).unwrap();
    let checked =
        heddle(&folder.0, &["tools", "check", folder.0.join("tools.yaml").to_str().unwrap()]);
    assert!(checked.contains("1 tools, 0 problems"), "{checked}");
    let call = |arguments: &str| {
        Command::new(env!("CARGO_BIN_EXE_heddle"))
            .args(["tools", "call", "list.all", "--args", arguments])
            .env("HEDDLE_DATA", &folder.0)
            .env("HEDDLE_EGRESS_ALLOW", "127.0.0.1")
            .output()
            .unwrap()
    };
    let called = call(r#"{ "kind": "open" }"#);
    assert_eq!(String::from_utf8_lossy(&called.stdout).trim(), "[1,2]", "{called:?}");
    let refused = call(r#"{ "kind": ".." }"#);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("TOOL_ARGUMENT"), "{refused:?}");
    assert_eq!(service.n_requests(), 1);
    let schema: Value = serde_json::from_str(&heddle(&folder.0, &["tools", "schema"])).unwrap();
    assert_eq!(schema["title"], "Heddle tool manifest");
}
