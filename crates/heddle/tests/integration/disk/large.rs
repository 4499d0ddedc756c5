//! Executions that are far larger than the memory that a run may take, written and read
//! within bounds.

use crate::support::{Server, TempFolder, heddle, peak_memory_kb, processor_time, wait_until};
use serde_json::{Value, json};
use std::time::Instant;
use testkit::{FakeHttp, FakeResponse};

/// So many nodes fetch so many items each.
const NODES: usize = 40;
const ITEMS: usize = 5000;

/// A service whose answer is always the same list of about five megabytes.
fn list_service() -> FakeHttp {
    let text = "x".repeat(980);
    let list: Value = (0..ITEMS).map(|number| json!({ "number": number, "text": text })).collect();
    FakeHttp::fixed(FakeResponse::json(&list))
}

fn workflow(service: &str) -> Value {
    let mut nodes = vec![
        json!({ "id": "W", "name": "Webhook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0],
        "parameters": { "httpMethod": "POST", "path": "large", "options": {} } }),
    ];
    let mut connections = serde_json::Map::new();
    let mut before = "Webhook".to_owned();
    for number in 0..NODES {
        let name = format!("Get {number}");
        nodes.push(json!({ "id": name, "name": name, "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2, "position": [0, 0],
            "executeOnce": true, "parameters": { "method": "GET", "url": format!("http://{service}/list"), "options": {} } }));
        connections
            .insert(before, json!({ "main": [[{ "node": name, "type": "main", "index": 0 }]] }));
        before = name;
    }
    json!({ "id": "large", "name": "Large", "nodes": nodes, "connections": connections, "settings": { "executionOrder": "v1" } })
}

/// Waits until the only run is over.
fn run_succeeds(server: &Server) {
    let began = Instant::now();
    let status = || server.api("GET", "/executions", None).json()["data"][0]["status"].clone();
    while status() == "running" {
        assert!(began.elapsed().as_secs() < 600, "the run takes too long");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert_eq!(status(), "success");
}

/// The most memory that a process has had at a time, in megabytes.
fn peak(process: u32) -> u64 {
    peak_memory_kb(process).unwrap() / 1024
}

#[test]
fn issue_14_09_two_hundred_megabytes_of_items_are_written_and_read_within_the_limit_on_memory() {
    let (data, service) = (TempFolder::new("large-run"), list_service());
    let file = data.write_json("large", &workflow(&service.address.to_string()));
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let allow = service.address.to_string();
    let settings = [
        ("HEDDLE_EGRESS_ALLOW", allow.as_str()),
        ("HEDDLE_LOG", "off"),
        ("HEDDLE_RUN_MEMORY_LIMIT", "32MB"),
    ];
    let server = Server::start(&data.0, &settings);
    let process = server.process.id();
    let before = peak(process);
    assert_eq!(server.call("POST", "/webhook/large", Some(&json!({}))).status, 200);
    run_succeeds(&server);
    let written = peak(process);
    // The limit is on items; the threads that handle them keep some room of their own for a while.
    assert!(written < before + 350, "{before} MB before the run, {written} MB with it");

    // A page of one list costs what it shows, and several readers do not add up to the whole.
    let id =
        server.api("GET", "/executions", None).json()["data"][0]["id"].as_str().unwrap().to_owned();
    let page = |number: usize| {
        let path = format!("/executions/{id}/items?node=Get%20{number}&offset=4321&limit=1");
        let reply = server.api("GET", &path, None);
        assert_eq!(reply.status, 200, "{}", reply.text());
        let page = reply.json();
        assert_eq!(
            (page["total"].as_u64(), page["items"][0]["json"]["number"].as_u64()),
            (Some(ITEMS as u64), Some(4321)),
            "{number}"
        );
    };
    let began = processor_time(process);
    page(NODES - 1);
    let used = processor_time(process) - began;
    assert!(used < 500, "{used} hundredths of a second for a page");
    std::thread::scope(|scope| {
        for reader in 0..6 {
            scope.spawn(move || (0..5).for_each(|turn| page((reader * 5 + turn) % NODES)));
        }
    });
    let outline = server.api("GET", &format!("/executions/{id}/outline"), None);
    assert_eq!(outline.json()["nodes"]["Get 7"][0]["outputs"][0]["items"], ITEMS);
    let read = peak(process);
    assert!(read < written + 100, "{written} MB after the run, {read} MB after its readers");

    // All of it at once leaves as it is read.
    let whole = server.api("GET", &format!("/executions/{id}?includeData=true"), None);
    assert!(whole.body.len() > 190 << 20, "{} bytes", whole.body.len());
    assert_eq!(whole.body.last(), Some(&b'}'));
    let whole = whole.json();
    assert_eq!(
        whole["data"]["resultData"]["runData"]["Get 39"][0]["data"]["main"][0][4999]["json"]["number"],
        4999
    );
    assert_eq!(whole["workflowData"]["name"], "Large");
    let streamed = peak(process);
    assert!(streamed < read + 100, "{read} MB before all of it was read, {streamed} MB after");
    server.stop();
    wait_until("the process has ended", || {
        !std::path::Path::new(&format!("/proc/{process}/status")).exists()
    });
}

/// A service whose answer is always the same object of two hundred kilobytes.
fn object_service() -> FakeHttp {
    FakeHttp::fixed(FakeResponse::json(&json!({ "text": "x".repeat(200_000) })))
}

#[test]
fn issue_14_05_one_list_of_large_items_is_written_within_the_limit_on_memory() {
    let (data, service) = (TempFolder::new("large-items"), object_service());
    let code = "return Array.from({ length: 2000 }, (_, number) => ({ json: { number } }));";
    let nodes = json!([
        { "id": "W", "name": "Webhook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0],
          "parameters": { "httpMethod": "POST", "path": "items", "options": {} } },
        { "id": "N", "name": "Numbers", "type": "n8n-nodes-base.code", "typeVersion": 2, "position": [0, 0], "parameters": { "jsCode": code } },
        { "id": "G", "name": "Get", "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2, "position": [0, 0],
          "parameters": { "method": "GET", "url": service.url("/object"), "options": { "batching": { "batch": { "batchSize": 20, "batchInterval": 1 } } } } },
    ]);
    let to = |node: &str| json!({ "main": [[{ "node": node, "type": "main", "index": 0 }]] });
    let connections = json!({ "Webhook": to("Numbers"), "Numbers": to("Get") });
    let document = json!({ "id": "items", "name": "Items", "nodes": nodes, "connections": connections, "settings": { "executionOrder": "v1" } });
    let file = data.write_json("items", &document);
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let allow = service.address.to_string();
    let settings = [
        ("HEDDLE_EGRESS_ALLOW", allow.as_str()),
        ("HEDDLE_LOG", "off"),
        ("HEDDLE_RUN_MEMORY_LIMIT", "32MB"),
    ];
    let server = Server::start(&data.0, &settings);
    let before = peak(server.process.id());
    assert_eq!(server.call("POST", "/webhook/items", Some(&json!({}))).status, 200);
    run_succeeds(&server);
    let written = peak(server.process.id());
    // Four hundred megabytes went through many threads, each of which keeps room of its own for a
    // while.
    assert!(written < before + 1000, "{before} MB before the run, {written} MB with it");
    server.stop();
}
