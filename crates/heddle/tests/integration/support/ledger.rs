//! A service that writes down what it is asked, and a workflow whose steps ask it.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// A service that writes down every request it gets, by its path and by its idempotency key.
pub(crate) struct Ledger {
    pub(crate) address: String,
    seen: Arc<Mutex<HashMap<String, usize>>>,
    /// A request for this path is written down and gets no answer as long as this is so.
    held: Arc<Mutex<Option<String>>>,
}

impl Ledger {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
        let held: Arc<Mutex<Option<String>>> = Arc::default();
        let (written, unanswered) = (seen.clone(), held.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (written, unanswered) = (written.clone(), unanswered.clone());
                std::thread::spawn(move || serve(stream, &written, &unanswered));
            }
        });
        Self { address, seen, held }
    }

    /// From now on requests for a path, or for all below one that ends with a slash, are written
    /// down and not answered, until another word.
    pub(crate) fn hold(&self, path: Option<String>) {
        *self.held.lock().unwrap() = path;
    }

    /// Every path that was asked for, and how often.
    pub(crate) fn all(&self) -> HashMap<String, usize> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn total(&self) -> usize {
        self.seen.lock().unwrap().values().sum()
    }

    pub(crate) fn count(&self, step: &str, id: u64) -> usize {
        self.seen.lock().unwrap().get(&format!("/{step}/{id}")).copied().unwrap_or(0)
    }
}

/// Answers requests on one connection until it is closed.
fn serve(
    mut stream: std::net::TcpStream,
    written: &Mutex<HashMap<String, usize>>,
    unanswered: &Mutex<Option<String>>,
) {
    let mut pending = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        while let Some(end) = pending.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&pending[..end]).into_owned();
            pending.drain(..end + 4);
            let path = head.split_whitespace().nth(1).unwrap_or_default().to_owned();
            *written.lock().unwrap().entry(path.clone()).or_default() += 1;
            for key in head.lines().filter_map(|line| line.strip_prefix("idempotency-key: ")) {
                *written.lock().unwrap().entry(format!("key {key}")).or_default() += 1;
            }
            let is_held = |held: &String| {
                *held == path || held.ends_with('/') && path.starts_with(held.as_str())
            };
            while unanswered.lock().unwrap().as_ref().is_some_and(is_held) {
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
            if stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}").is_err() {
                return;
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(count) => pending.extend_from_slice(&buffer[..count]),
        }
    }
}

/// A call of `/webhook/pay` with an id pays twice, and notes something between.
pub(crate) fn pay_workflow(ledger: &str) -> Value {
    let node = |name: &str, kind: &str, version: f64, parameters: Value| json!({ "id": name, "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": version, "position": [0, 0], "parameters": parameters });
    let pay = |step: &str| json!({ "method": "POST", "url": format!("=http://{ledger}/{step}/{{{{ $('Webhook').item.json.body.id }}}}"), "options": {} });
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
