//! The servers of the Model Context Protocol as their clients meet them.

mod access;
mod client;
mod instance;
mod limits;
mod sessions;
mod triggers;

use crate::app::{Reply, TestApp};
use serde_json::{Value, json};

pub(crate) fn node(name: &str, kind: &str, version: f64, parameters: Value) -> Value {
    json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters })
}

fn to(node: &str, kind: &str) -> Value {
    json!({ kind: [[{ "node": node, "type": kind, "index": 0 }]] })
}

/// A server with a calculator at a path.
fn calculator(path: &str, parameters: Value) -> Value {
    let mut trigger = node("Server", "@n8n/n8n-nodes-langchain.mcpTrigger", 2.0, parameters);
    trigger["parameters"]["path"] = json!(path);
    let tool = node("Calculator", "@n8n/n8n-nodes-langchain.toolCalculator", 1.0, json!({}));
    json!({ "name": "Tools", "settings": {}, "nodes": [trigger, tool],
        "connections": { "Calculator": to("Server", "ai_tool") } })
}

/// A workflow that is called with a city and answers with JavaScript.
fn callable(name: &str, code: &str) -> Value {
    let inputs = json!({ "workflowInputs": { "values": [{ "name": "city" }, { "name": "days", "type": "number" }] } });
    let mut start = node("Start", "n8n-nodes-base.executeWorkflowTrigger", 1.1, inputs);
    start["notes"] = json!("Forecasts the weather.");
    let code = node("Code", "n8n-nodes-base.code", 2.0, json!({ "jsCode": code }));
    json!({ "name": name, "settings": { "availableInMCP": true }, "nodes": [start, code],
        "connections": { "Start": to("Code", "main") } })
}

/// One that takes half a minute: a step that fails is tried again.
fn slow() -> Value {
    let mut document = callable("Slow", "throw new Error('not yet')");
    document["nodes"][1]["retryOnFail"] = json!(true);
    document["nodes"][1]["maxTries"] = json!(5);
    document["nodes"][1]["waitBetweenTries"] = json!(5000);
    document
}

async fn api(app: &TestApp, key: &str, method: &str, path: &str, body: &Value) -> Reply {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    app.call(method, &format!("/api/v1{path}")).key(key).json(&body).send().await
}

async fn save(app: &TestApp, key: &str, document: &Value) -> String {
    let reply = api(app, key, "POST", "/workflows", document).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.text("id")
}

async fn activate(app: &TestApp, key: &str, document: &Value) -> String {
    let id = save(app, key, document).await;
    let reply = api(app, key, "POST", &format!("/workflows/{id}/activate"), &Value::Null).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    id
}
