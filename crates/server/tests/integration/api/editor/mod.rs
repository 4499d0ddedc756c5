//! What the editor asks of the server.

mod api_descriptions;
mod client_errors;
mod connected_tools;
mod expressions;
mod files;
mod late_calls;
mod late_chat;
mod lists;
mod node_types;
mod partial;
mod readers;
mod records;
mod resume_links;
mod run;

use crate::app::{Reply, TestApp};
use model::{Object, Value, json};
use std::time::{Duration, Instant};

/// A workflow of nodes in a row, each a name, a type and its parameters. Names with a version in
/// their type are of that version.
pub(crate) fn row(nodes: &[(&str, &str, Value)]) -> Value {
    let mut connections = Object::new();
    for pair in nodes.windows(2) {
        connections.insert(
            pair[0].0,
            json!({ "main": [[{ "node": (pair[1].0), "type": "main", "index": 0 }]] }),
        );
    }
    let nodes = nodes.iter().enumerate().map(|(at, (name, kind, parameters))| {
        let (kind, version) = kind.rsplit_once('@').unwrap_or((kind, "1"));
        let kind = if kind.contains('.') { kind.to_owned() } else { format!("n8n-nodes-base.{kind}") };
        json!({
            "id": (*name), "name": (*name), "type": (kind), "typeVersion": (version.parse::<f64>().unwrap()),
            "position": [at * 200, 0], "parameters": (parameters.clone())
        })
    });
    let nodes = Value::array(nodes.collect());
    json!({ "name": "Drawn", "nodes": (nodes), "connections": (connections), "settings": { "executionOrder": "v1" } })
}

/// A node that makes something else each time it runs.
pub(crate) fn dice() -> Value {
    json!({ "jsCode": "return [{ json: { thrown: Math.random() } }]" })
}

/// A Code node that runs this.
pub(crate) fn code(text: &str) -> Value {
    json!({ "jsCode": (text) })
}

/// Somebody at the editor.
pub(crate) struct EditorHarness {
    pub(crate) app: TestApp,
    pub(crate) key: String,
    /// A workflow that was saved empty.
    pub(crate) workflow: String,
}

impl EditorHarness {
    pub(crate) async fn new() -> Self {
        let app = TestApp::start().await;
        let key = app.owner_key().await;
        let body = r#"{"name":"Saved","nodes":[],"connections":{},"settings":{}}"#;
        let workflow =
            app.call("POST", "/api/v1/workflows").key(&key).json(body).send().await.text("id");
        Self { app, key, workflow }
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.app.call("GET", &format!("/api/v1{path}")).key(&self.key).send().await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.app
            .call("POST", &format!("/api/v1{path}"))
            .key(&self.key)
            .json(&model::json::to_string(body))
            .send()
            .await
    }

    /// Asks for a run of the workflow.
    pub(crate) async fn run(&self, body: &Value) -> Reply {
        self.post(&format!("/workflows/{}/run", self.workflow), body).await
    }

    /// The id of a run that was begun.
    pub(crate) async fn begun(&self, body: &Value) -> String {
        let reply = self.run(body).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.text("executionId")
    }

    /// The outline of an execution once it is no longer running.
    pub(crate) async fn outline(&self, id: &str) -> Value {
        let began = Instant::now();
        loop {
            let outline = self.get(&format!("/executions/{id}/outline")).await;
            assert_eq!(outline.status, 200, "{}", outline.body);
            if outline.text("status") != "running" {
                return outline.json();
            }
            assert!(began.elapsed() < Duration::from_secs(60), "still running: {}", outline.body);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Runs to the end and gives the outline.
    pub(crate) async fn ran(&self, body: &Value) -> Value {
        let id = self.begun(body).await;
        self.outline(&id).await
    }

    /// The JSON of the first item that a node put out.
    pub(crate) async fn first(&self, outline: &Value, node: &str) -> Value {
        let id = outline.get("id").and_then(Value::as_str).unwrap();
        let reply =
            self.get(&format!("/executions/{id}/items?node={}", node.replace(' ', "%20"))).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply
            .json()
            .get("items")
            .and_then(|items| items.at(0)?.get("json").cloned())
            .unwrap_or_default()
    }
}

/// The names of the nodes that ran, in order, those whose result was taken over with a mark.
pub(crate) fn order(outline: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (node, runs) in outline.get("nodes").and_then(Value::as_object).unwrap().iter() {
        for run in runs.as_array().unwrap().iter().filter(|run| run.get("served").is_none()) {
            let mark = if run.get("reused").is_some() { "*" } else { "" };
            found.push((
                run.get("executionIndex").and_then(Value::as_usize).unwrap_or(usize::MAX),
                format!("{node}{mark}"),
            ));
        }
    }
    found.sort();
    found.into_iter().map(|(_, name)| name).collect()
}

pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no {key} in {}", model::json::to_string(value)))
}
