//! Workflows for the tests, and connections on which every byte is ours.

use crate::app::{Reply, TestApp};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

pub(crate) fn node(name: &str, kind: &str, version: f64, parameters: Value) -> Value {
    json!({ "id": name, "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": version, "position": [0, 0],
            "parameters": parameters, "webhookId": format!("id-of-{name}"),
            "credentials": { "jwtAuth": { "id": "1" }, "httpBasicAuth": { "id": "1" }, "httpHeaderAuth": { "id": "1" } } })
}

pub(crate) fn webhook(path: &str, mode: &str, more: Value) -> Value {
    let mut parameters =
        json!({ "httpMethod": "POST", "path": path, "responseMode": mode, "options": {} });
    for (key, value) in more.as_object().unwrap() {
        parameters[key] = value.clone();
    }
    node("Webhook", "webhook", 2.1, parameters)
}

/// A workflow of nodes in a row.
pub(crate) fn row(name: &str, nodes: &[Value]) -> Value {
    let mut connections = serde_json::Map::new();
    for pair in nodes.windows(2) {
        let target = json!([[{ "node": pair[1]["name"], "type": "main", "index": 0 }]]);
        connections.insert(pair[0]["name"].as_str().unwrap().to_owned(), json!({ "main": target }));
    }
    json!({ "name": name, "nodes": nodes, "connections": connections, "settings": { "executionOrder": "v1" } })
}

/// Puts a workflow in and gives its id.
pub(crate) async fn save(app: &TestApp, document: &Value) -> String {
    let key = app.owner_key().await;
    let made =
        app.call("POST", "/api/v1/workflows").key(&key).json(&document.to_string()).send().await;
    assert_eq!(made.status, 200, "{}", made.body);
    made.text("id")
}

/// Puts a workflow in and lets it listen.
pub(crate) async fn activate(app: &TestApp, document: &Value) -> String {
    let id = save(app, document).await;
    let key = app.owner_key().await;
    let reply =
        app.call("POST", &format!("/api/v1/workflows/{id}/activate")).key(&key).send().await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    id
}

/// A webhook that answers with what it got.
pub(crate) async fn echo(app: &TestApp, path: &str, more: Value) -> String {
    let keep = node("Keep", "noOp", 1.0, json!({}));
    activate(app, &row(path, &[webhook(path, "lastNode", more), keep])).await
}

pub(crate) async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.unwrap()
}

/// What comes back until the other side closes, or for so long.
pub(crate) async fn rest_of(stream: &mut TcpStream, longest: Duration) -> (String, bool) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    let reading = async {
        loop {
            match stream.read(&mut buffer).await {
                Ok(0) | Err(_) => return,
                Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            }
        }
    };
    let is_closed = tokio::time::timeout(longest, reading).await.is_ok();
    (String::from_utf8_lossy(&bytes).into_owned(), is_closed)
}

/// One request, its body as bytes.
pub(crate) async fn send(
    app: &TestApp,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Reply {
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n",
        app.address,
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = connect(app.address).await;
    stream.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
    // The server may have answered and closed before it has read everything.
    let _ = stream.write_all(body).await;
    let (text, is_closed) = rest_of(&mut stream, Duration::from_secs(60)).await;
    assert!(is_closed, "{method} {path} hangs after {text:?}");
    Reply::read(text.as_bytes())
}
