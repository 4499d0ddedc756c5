//! T-CRASH: kill -9 under load. What was accepted is finished or resumable, and nothing happens twice without a word.
//!
//! `HEDDLE_CRASHES=500 cargo test --test crash` is the long form; the suite runs a short one.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop the test")]

mod support;

use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::{Folder, Server, heddle, request, wait_until};

/// A service that writes down every request it gets, by its path.
struct Ledger {
    address: String,
    seen: Arc<Mutex<HashMap<String, usize>>>,
}

impl Ledger {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let seen: Arc<Mutex<HashMap<String, usize>>> = Arc::default();
        let written = seen.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let written = written.clone();
                std::thread::spawn(move || serve(stream, &written));
            }
        });
        Self { address, seen }
    }

    fn count(&self, step: &str, id: u64) -> usize {
        self.seen.lock().unwrap().get(&format!("/{step}/{id}")).copied().unwrap_or(0)
    }
}

/// Answers requests on one connection until it is closed.
fn serve(mut stream: std::net::TcpStream, written: &Mutex<HashMap<String, usize>>) {
    let mut pending = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        while let Some(end) = pending.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&pending[..end]).into_owned();
            pending.drain(..end + 4);
            let path = head.split_whitespace().nth(1).unwrap_or_default().to_owned();
            *written.lock().unwrap().entry(path).or_default() += 1;
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

fn workflow(ledger: &str) -> Value {
    let node = |name: &str, kind: &str, version: f64, parameters: Value| json!({ "id": name, "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": version, "position": [0, 0], "parameters": parameters });
    let pay = |step: &str| json!({ "method": "POST", "url": format!("=http://{ledger}/{step}/{{{{ $('Webhook').item.json.body.id }}}}"), "options": {} });
    let assignments = json!([{ "id": "1", "name": "id", "value": "={{ $('Webhook').item.json.body.id }}", "type": "number" }]);
    let names = ["Webhook", "One", "Note", "Two"];
    let nodes = [
        node("Webhook", "webhook", 2.0, json!({ "httpMethod": "POST", "path": "pay", "options": {} })),
        node("One", "httpRequest", 4.2, pay("one")),
        node("Note", "set", 3.4, json!({ "assignments": { "assignments": assignments }, "options": {} })),
        node("Two", "httpRequest", 4.2, pay("two")),
    ];
    let connections: serde_json::Map<String, Value> =
        names.windows(2).map(|pair| (pair[0].to_owned(), json!({ "main": [[{ "node": pair[1], "type": "main", "index": 0 }]] }))).collect();
    json!({ "id": "pay", "name": "Pay", "nodes": nodes, "connections": connections, "settings": { "executionOrder": "v1" } })
}

/// Sends calls as fast as they are answered, to whatever server there is, and writes down which were accepted.
fn load(address: Arc<Mutex<String>>, next: Arc<AtomicU64>, accepted: Arc<Mutex<Vec<u64>>>, stop: Arc<AtomicBool>) {
    while !stop.load(Ordering::Relaxed) {
        let id = next.fetch_add(1, Ordering::Relaxed);
        let server = address.lock().unwrap().clone();
        let body = json!({ "id": id }).to_string();
        match request(&server, "POST", "/webhook/pay", &[("content-type", "application/json")], body.as_bytes()) {
            Ok(reply) if reply.status == 200 => accepted.lock().unwrap().push(id),
            // Turned away, or cut off before the answer: nothing was promised.
            Ok(_) | Err(_) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

#[test]
fn what_was_accepted_survives_kill_9_and_nothing_happens_twice_silently() {
    let crashes: u64 = std::env::var("HEDDLE_CRASHES").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let ledger = Ledger::start();
    let data = Folder::new("crash");
    let file = data.workflow("pay", &workflow(&ledger.address));
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let settings = [("HEDDLE_EGRESS_ALLOW", ledger.address.as_str()), ("HEDDLE_LOG", "off")];

    let address = Arc::new(Mutex::new(String::new()));
    let (next, accepted, stop) = (Arc::new(AtomicU64::new(0)), Arc::default(), Arc::new(AtomicBool::new(false)));
    let mut server = Server::start(&data.0, &settings);
    *address.lock().unwrap() = server.address.clone();
    let callers: Vec<_> = (0..4)
        .map(|_| {
            let (address, next, accepted, stop) = (address.clone(), next.clone(), Arc::clone(&accepted), stop.clone());
            std::thread::spawn(move || load(address, next, accepted, stop))
        })
        .collect();
    let mut moment = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..crashes {
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis(20 + (moment >> 33) % 300));
        server.kill();
        server = Server::start(&data.0, &settings);
        *address.lock().unwrap() = server.address.clone();
    }
    stop.store(true, Ordering::Relaxed);
    for caller in callers {
        caller.join().unwrap();
    }
    wait_until("every run is over", || {
        let running = server.api("GET", "/executions?status=running&limit=1", None).json();
        running["data"].as_array().is_some_and(Vec::is_empty)
    });

    let mut statuses: HashMap<u64, Vec<String>> = HashMap::new();
    for execution in server.executions() {
        let item = &execution["data"]["resultData"]["runData"]["Webhook"][0]["data"]["main"][0][0];
        let id = item["json"]["body"]["id"].as_u64().unwrap_or(u64::MAX);
        statuses.entry(id).or_default().push(execution["status"].as_str().unwrap_or_default().to_owned());
    }
    let accepted: Vec<u64> = accepted.lock().unwrap().clone();
    assert!(accepted.len() > 20, "only {} calls were accepted", accepted.len());
    let mut uncertain = 0;
    for id in &accepted {
        let found = statuses.get(id).unwrap_or_else(|| panic!("call {id} was accepted and is gone"));
        assert_eq!(found.len(), 1, "call {id} has {found:?}");
        match found[0].as_str() {
            "success" => assert_eq!((ledger.count("one", *id), ledger.count("two", *id)), (1, 1), "call {id}"),
            "uncertain" => uncertain += 1,
            other => panic!("call {id} is {other}"),
        }
    }
    for id in 0..next.load(Ordering::Relaxed) {
        assert!(ledger.count("one", id) <= 1 && ledger.count("two", id) <= 1, "call {id} was paid twice");
    }
    // A person may decide to take an uncertain step again.
    let doubtful = server.api("GET", "/executions?status=uncertain&limit=1", None).json();
    if let Some(id) = doubtful["data"][0]["id"].as_str() {
        assert_eq!(server.api("POST", &format!("/executions/{id}/resume"), None).status, 200);
        assert_eq!(server.api("POST", &format!("/executions/{id}/resume"), None).status, 409);
        wait_until("the run went on", || server.api("GET", &format!("/executions/{id}"), None).json()["status"] == "success");
    }
    eprintln!("{crashes} crashes, {} calls accepted, {uncertain} uncertain", accepted.len());
}
