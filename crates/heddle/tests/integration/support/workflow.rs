//! Workflows as tests write them down.

use serde_json::{Map, Value, json};

pub(crate) fn node(name: &str, kind: &str, version: f64, parameters: Value) -> Value {
    let version = if version.fract() == 0.0 { json!(version as u64) } else { json!(version) };
    let id = format!("id-of-{name}");
    json!({ "id": id, "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": version, "position": [0, 0],
            "parameters": parameters, "webhookId": id })
}

/// A workflow of nodes in a row.
pub(crate) fn row(name: &str, nodes: &[Value]) -> Value {
    let mut connections = Map::new();
    for pair in nodes.windows(2) {
        let target = json!([[{ "node": pair[1]["name"], "type": "main", "index": 0 }]]);
        connections.insert(pair[0]["name"].as_str().unwrap().to_owned(), json!({ "main": target }));
    }
    json!({ "name": name, "nodes": nodes, "connections": connections, "settings": { "executionOrder": "v1" } })
}
