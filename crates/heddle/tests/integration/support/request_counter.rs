//! A service that counts its requests, and a workflow whose steps call it.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use testkit::{FakeHttp, FakeResponse};

/// A service that counts requests by path and by idempotency key.
pub(crate) struct RequestCounter {
    pub(crate) address: String,
    counts: Arc<Mutex<HashMap<String, usize>>>,
    /// A request for this path is counted and gets no response while it is set.
    held_path: Arc<Mutex<Option<String>>>,
    _server: FakeHttp,
}

impl RequestCounter {
    pub(crate) fn start() -> Self {
        let counts: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
        let held_path: Arc<Mutex<Option<String>>> = Arc::default();
        let (counting, holding) = (counts.clone(), held_path.clone());
        let server = FakeHttp::unrecorded(move |request| {
            let count = |name: String| *counting.lock().unwrap().entry(name).or_default() += 1;
            count(request.path.clone());
            if let Some(key) = request.header("idempotency-key") {
                count(format!("key {key}"));
            }
            let is_held = |held: &String| {
                *held == request.path || held.ends_with('/') && request.path.starts_with(held)
            };
            while holding.lock().unwrap().as_ref().is_some_and(is_held) {
                std::thread::sleep(Duration::from_millis(10));
            }
            FakeResponse::json(&json!({}))
        });
        Self { address: server.address.to_string(), counts, held_path, _server: server }
    }

    /// From now on requests for a path, or for all below one that ends with a slash, are counted and
    /// get no response until this is called again.
    pub(crate) fn hold(&self, path: Option<String>) {
        *self.held_path.lock().unwrap() = path;
    }

    /// Every path that was requested, and how often.
    pub(crate) fn all(&self) -> HashMap<String, usize> {
        self.counts.lock().unwrap().clone()
    }

    pub(crate) fn total(&self) -> usize {
        self.counts.lock().unwrap().values().sum()
    }

    pub(crate) fn count(&self, step: &str, id: u64) -> usize {
        self.counts.lock().unwrap().get(&format!("/{step}/{id}")).copied().unwrap_or(0)
    }
}

/// A call of `/webhook/pay` with an id pays twice, and notes something between.
pub(crate) fn pay_workflow(counter: &str) -> Value {
    let node = |name: &str, kind: &str, version: f64, parameters: Value| json!({ "id": name, "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": version, "position": [0, 0], "parameters": parameters });
    let pay = |step: &str| json!({ "method": "POST", "url": format!("=http://{counter}/{step}/{{{{ $('Webhook').item.json.body.id }}}}"), "options": {} });
    let assignments = json!([{ "id": "1", "name": "id", "value": "={{ $('Webhook').item.json.body.id }}", "type": "number" }]);
    let names = ["Webhook", "One", "Note", "Two"];
    let nodes = [
        node(
            "Webhook",
            "webhook",
            2.0,
            json!({ "httpMethod": "POST", "path": "pay", "options": {} }),
        ),
        node("One", "httpRequest", 4.2, pay("one")),
        node(
            "Note",
            "set",
            3.4,
            json!({ "assignments": { "assignments": assignments }, "options": {} }),
        ),
        node("Two", "httpRequest", 4.2, pay("two")),
    ];
    let connections: serde_json::Map<String, Value> = names
        .windows(2)
        .map(|pair| {
            (
                pair[0].to_owned(),
                json!({ "main": [[{ "node": pair[1], "type": "main", "index": 0 }]] }),
            )
        })
        .collect();
    json!({ "id": "pay", "name": "Pay", "nodes": nodes, "connections": connections, "settings": { "executionOrder": "v1" } })
}
