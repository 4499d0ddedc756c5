//! No more open files, threads or memory.

use super::{DiskHarness, all_over, pay};
use crate::support::faults::Field;
use crate::support::{Server, new_key, processor_time, request, wait_until};
use serde_json::{Value, json};
use std::net::TcpStream;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// File-descriptor exhaustion. The server neither spins nor dies, and serves again when
/// there is room.
#[test]
fn a_server_without_a_file_left_waits_quietly_and_serves_again() {
    let scene = DiskHarness::new("files");
    let key = new_key(&scene.data.0);
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 64; exec \"$0\" serve --port 0", env!("CARGO_BIN_EXE_heddle")]);
    let settings = [("HEDDLE_EGRESS_ALLOW", scene.counter.address.as_str()), ("HEDDLE_LOG", "off")];
    let server = Server::start_command(command, &scene.data.0, &settings, &key).unwrap();
    assert_eq!(pay(&server.address, 0, "").unwrap().status, 200);
    all_over(&server);
    let mut held: Vec<TcpStream> =
        (0..100).filter_map(|_| TcpStream::connect(&server.address).ok()).collect();
    std::thread::sleep(Duration::from_millis(300));
    let before = processor_time(server.process.id());
    std::thread::sleep(Duration::from_secs(1));
    let used = processor_time(server.process.id()) - before;
    assert!(used < 50, "it spins: {used} hundredths of a second within one");
    // One slot: a call gets in, and finds no file for what it needs. It is answered, whatever the
    // answer.
    held.truncate(held.len().saturating_sub(60));
    wait_until("it answers", || {
        request(&server.address, "GET", "/healthz", &[], b"").is_ok_and(|reply| reply.status == 200)
    });
    drop(held);
    wait_until("calls are taken again", || {
        pay(&server.address, 1, "").is_ok_and(|reply| reply.status == 200)
    });
    all_over(&server);
    assert_eq!(scene.paid(0), (1, 1));
    assert_eq!(scene.paid(1), (1, 1));
    server.stop();
}

/// Thread exhaustion. Whatever needs a new thread may fail; the server lives, and what it
/// accepted is done.
#[test]
fn a_server_without_a_thread_left_lives_and_does_what_it_accepted() {
    let scene = DiskHarness::new("threads");
    let server = scene.start();
    scene.faults.set(Field::NoThreads, 1);
    let mut accepted = Vec::new();
    for id in 0..20 {
        if pay(&server.address, id, "").is_ok_and(|reply| reply.status == 200) {
            accepted.push(id);
        }
        let _ = request(
            &server.address,
            "GET",
            "/api/v1/executions",
            &[("x-n8n-api-key", server.key())],
            b"",
        );
    }
    assert_eq!(server.call("GET", "/healthz", None).status, 200);
    scene.faults.set(Field::NoThreads, 0);
    wait_until("calls are taken again", || {
        pay(&server.address, 100, "").is_ok_and(|reply| reply.status == 200)
    });
    all_over(&server);
    for id in accepted.iter().chain([&100]) {
        assert_eq!(scene.paid(*id), (1, 1), "call {id}");
    }
    eprintln!("without threads: {} of 20 calls accepted", accepted.len());
    server.stop();
}

/// Runs that want more memory than they may have fail, alone: in the sandbox, and by what
/// their nodes leave.
#[test]
fn a_run_past_its_memory_fails_and_the_server_lives() {
    let scene = DiskHarness::new("memory");
    let in_sandbox = "return [{ json: { length: new Uint8Array(3e9).length } }];";
    let by_items = "return Array.from({ length: 400 }, (_, i) => ({ json: { text: 'x'.repeat(10000) + i } }));";
    for (name, code) in [("sandbox", in_sandbox), ("items", by_items)] {
        let greedy = json!({ "id": name, "name": name, "settings": {}, "nodes": [
            { "id": "1", "name": "Webhook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0],
              "parameters": { "httpMethod": "POST", "path": name, "responseMode": "lastNode", "options": {} } },
            { "id": "2", "name": "Code", "type": "n8n-nodes-base.code", "typeVersion": 2, "position": [0, 0], "parameters": { "jsCode": code } },
        ], "connections": { "Webhook": { "main": [[{ "node": "Code", "type": "main", "index": 0 }]] } } });
        let file = scene.data.write_json(name, &greedy);
        super::heddle(&scene.data.0, &["import", "--activate", file.to_str().unwrap()]);
    }
    let mut settings = scene.settings();
    settings.extend([("HEDDLE_RUN_DATA_LIMIT", "2MB"), ("HEDDLE_RUN_MEMORY_LIMIT", "1MB")]);
    let server = scene.faults.start(&settings);
    for name in ["sandbox", "items"] {
        assert_eq!(
            server.call("POST", &format!("/webhook/{name}"), Some(&json!({}))).status,
            500,
            "{name}"
        );
        let of_it = |execution: &Value| execution["workflowId"] == name;
        assert_eq!(server.executions().into_iter().find(of_it).unwrap()["status"], "error");
    }
    assert!(server.peak_memory_mb() < 1 << 10, "{} MB at most", server.peak_memory_mb());
    assert_eq!(pay(&server.address, 1, "").unwrap().status, 200);
    all_over(&server);
    assert_eq!(scene.paid(1), (1, 1));
    eprintln!("two greedy runs failed; the server had {} MB at most", server.peak_memory_mb());
    server.stop();
}

/// New calls take every slot as it comes free. Those that sleep stand in line with them.
#[test]
fn issue_15_00_a_run_whose_time_has_come_is_woken_however_many_new_ones_wait() {
    let scene = DiskHarness::new("in-line");
    let code =
        "let sum = 0; for (let i = 0; i < 200000; i++) sum += i; return [{ json: { sum } }];";
    let busy = json!({ "id": "busy", "name": "Busy", "settings": {}, "nodes": [
        { "id": "1", "name": "Webhook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0],
          "parameters": { "httpMethod": "POST", "path": "busy", "responseMode": "lastNode", "options": {} } },
        { "id": "2", "name": "Code", "type": "n8n-nodes-base.code", "typeVersion": 2, "position": [0, 0], "parameters": { "jsCode": code } },
    ], "connections": { "Webhook": { "main": [[{ "node": "Code", "type": "main", "index": 0 }]] } } });
    let sleeper = json!({ "id": "sleeper", "name": "Sleeper", "settings": {}, "nodes": [
        { "id": "1", "name": "Webhook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0],
          "parameters": { "httpMethod": "POST", "path": "sleep", "options": {} } },
        { "id": "2", "name": "Wait", "type": "n8n-nodes-base.wait", "typeVersion": 1.1, "position": [0, 0],
          "parameters": { "resume": "timeInterval", "amount": 66, "unit": "seconds" } },
    ], "connections": { "Webhook": { "main": [[{ "node": "Wait", "type": "main", "index": 0 }]] } } });
    for (name, document) in [("busy", busy), ("sleeper", sleeper)] {
        let file = scene.data.write_json(name, &document);
        super::heddle(&scene.data.0, &["import", "--activate", file.to_str().unwrap()]);
    }
    let mut settings = scene.settings();
    settings.extend([("HEDDLE_RUNS_AT_ONCE", "1"), ("HEDDLE_RUNS_WAITING", "1000")]);
    let server = scene.faults.start(&settings);
    assert_eq!(server.call("POST", "/webhook/sleep", Some(&json!({}))).status, 200);
    let status_of_sleeper = || {
        let executions = server.executions();
        executions
            .into_iter()
            .find(|execution| execution["workflowId"] == "sleeper")
            .unwrap_or_default()["status"]
            .clone()
    };
    wait_until("it sleeps", || status_of_sleeper() == "waiting");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    assert_eq!(server.call("POST", "/webhook/busy", Some(&json!({}))).status, 200);
                }
            });
        }
        std::thread::sleep(Duration::from_millis(500));
        // An hour later; a change of what is active makes the scheduler look at the clock.
        scene.faults.set(Field::ClockMs, 3_600_000);
        assert_eq!(server.api("POST", "/workflows/busy/activate", None).status, 200);
        let deadline = Instant::now() + Duration::from_secs(60);
        while status_of_sleeper() == "waiting" && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(100));
        }
        is_over.store(true, Ordering::Relaxed);
        assert_ne!(status_of_sleeper(), "waiting", "it starves");
    });
    server.stop();
}
