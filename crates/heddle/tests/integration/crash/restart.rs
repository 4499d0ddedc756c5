//! Restarts under odd circumstances: another clock, another process, another version.

use crate::support::faults::{Fault, Faults, Field};
use crate::support::request_counter::{RequestCounter, pay_workflow};
use crate::support::{Server, TempFolder, heddle, request, wait_until};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The clock goes back or forward by a day between a crash and the next start.
#[test]
fn a_clock_that_jumps_between_crash_and_restart_repeats_and_loses_nothing() {
    let (data, counter) = (TempFolder::new("clock"), RequestCounter::start());
    let file = data.write_json("pay", &pay_workflow(&counter.address));
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let faults = Faults::new(&data);
    let settings = [("HEDDLE_EGRESS_ALLOW", counter.address.as_str()), ("HEDDLE_LOG", "off")];
    let day = 24 * 60 * 60 * 1000;
    for (id, jump) in [(1_u64, -day), (2, 2 * day), (3, 0)] {
        let mut server = faults.start(&settings);
        // The first call is written whole; the second is cut off in the middle.
        assert_eq!(pay(&server, id * 10).unwrap(), 200);
        wait_until("it is over", || counter.count("two", id * 10) == 1);
        std::thread::sleep(Duration::from_millis(100));
        faults.arm(Fault::Kill, 20);
        let _ = pay(&server, id);
        while server.process.try_wait().unwrap().is_none() {
            let _ = pay(&server, id * 10 + 1);
        }
        faults.clear();
        faults.set(Field::ClockMs, jump);
        let server = faults.start(&settings);
        wait_until("every run is over", || {
            server.api("GET", "/executions?status=running&limit=1", None).json()["data"]
                .as_array()
                .is_some_and(Vec::is_empty)
        });
        assert_eq!((counter.count("one", id * 10), counter.count("two", id * 10)), (1, 1));
        assert!(counter.count("one", id) <= 1 && counter.count("two", id) <= 1);
        for execution in server.executions() {
            assert!(
                matches!(execution["status"].as_str(), Some("success" | "uncertain")),
                "{}",
                execution["status"]
            );
        }
        // Newest first, whatever the clock says.
        let ids: Vec<u64> = server
            .executions()
            .iter()
            .map(|execution| execution["id"].as_str().unwrap().parse().unwrap())
            .collect();
        assert!(ids.is_sorted_by(|a, b| a > b), "{ids:?}");
        server.stop();
    }
}

fn pay(server: &Server, id: u64) -> std::io::Result<u16> {
    let body = json!({ "id": id }).to_string();
    request(
        &server.address,
        "POST",
        "/webhook/pay",
        &[("content-type", "application/json")],
        body.as_bytes(),
    )
    .map(|reply| reply.status)
}

/// A sleeping run wakes after a jump of the clock over its moment, and sleeps on after a
/// jump back.
#[test]
fn a_sleeping_run_wakes_when_the_clock_has_jumped_over_its_moment() {
    let data = TempFolder::new("sleep");
    let document = json!({ "id": "nap", "name": "Nap", "settings": {}, "nodes": [
        { "id": "1", "name": "Webhook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0], "parameters": { "httpMethod": "POST", "path": "nap", "options": {} } },
        { "id": "2", "name": "Wait", "type": "n8n-nodes-base.wait", "typeVersion": 1.1, "position": [0, 0], "parameters": { "resume": "timeInterval", "amount": 2, "unit": "hours" } },
    ], "connections": { "Webhook": { "main": [[{ "node": "Wait", "type": "main", "index": 0 }]] } } });
    let file = data.write_json("nap", &document);
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let faults = Faults::new(&data);
    let status = |server: &Server| -> Value {
        server.api("GET", "/executions", None).json()["data"][0]["status"].clone()
    };
    let server = faults.start(&[("HEDDLE_LOG", "off")]);
    assert_eq!(server.call("POST", "/webhook/nap", Some(&json!({}))).status, 200);
    wait_until("it sleeps", || status(&server) == "waiting");
    server.kill();
    faults.set(Field::ClockMs, -3_600_000);
    let server = faults.start(&[("HEDDLE_LOG", "off")]);
    assert_eq!(status(&server), "waiting");
    server.kill();
    faults.set(Field::ClockMs, 3 * 3_600_000);
    let server = faults.start(&[("HEDDLE_LOG", "off")]);
    wait_until("it wakes", || status(&server) == "success");
    server.stop();
}

/// Two processes on one folder, and an old program on a new folder.
#[test]
fn a_second_server_and_a_newer_folder_are_refused_and_nothing_is_changed() {
    let data = TempFolder::new("second");
    let server = Server::start(&data.0, &[("HEDDLE_LOG", "off")]);
    let refused = serve(&data);
    assert!(refused.contains("another Heddle process is using the data folder"), "{refused}");
    assert_eq!(server.api("GET", "/workflows", None).status, 200);
    server.stop();
    let database = rusqlite::Connection::open(data.0.join("heddle.db")).unwrap();
    let newer: i64 =
        database.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)).unwrap() + 1;
    database.pragma_update(None, "user_version", newer).unwrap();
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(database);
    let before = std::fs::read(data.0.join("heddle.db")).unwrap();
    let refused = serve(&data);
    assert!(refused.contains("written by a newer Heddle"), "{refused}");
    assert!(std::fs::read(data.0.join("heddle.db")).unwrap() == before, "it was written to");
}

/// Somebody removes the lock and starts a second server. The first one writes nothing from
/// then on, and ends.
#[test]
fn issue_15_00_of_two_servers_on_one_folder_the_older_one_ends() {
    let (data, counter) = (TempFolder::new("two-servers"), RequestCounter::start());
    let file = data.write_json("pay", &pay_workflow(&counter.address));
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let settings = [("HEDDLE_EGRESS_ALLOW", counter.address.as_str()), ("HEDDLE_LOG", "off")];
    let mut first = Server::start(&data.0, &settings);
    assert_eq!(pay(&first, 1).unwrap(), 200);
    wait_until("it is over", || counter.count("two", 1) == 1);
    std::fs::remove_file(data.0.join("serving.lock")).unwrap();
    let second = Server::start(&data.0, &settings);
    // Nothing is accepted that is not on disk.
    assert!(pay(&first, 2).is_err());
    assert!(!first.wait().success());
    assert_eq!(pay(&second, 3).unwrap(), 200);
    wait_until("it is over", || counter.count("two", 3) == 1);
    assert_eq!(counter.count("one", 2), 0);
    let ids: Vec<_> = second.executions().iter().map(|execution| execution["id"].clone()).collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    second.stop();
}

/// A request that carries a key is repeated after a crash with the same key, and no person
/// is asked.
#[test]
fn issue_15_00_a_step_that_sends_a_key_is_repeated_with_it() {
    let (data, counter) = (TempFolder::new("keyed"), RequestCounter::start());
    let mut document = pay_workflow(&counter.address);
    document["nodes"][1]["parameters"]["options"]["idempotencyKeyHeader"] =
        json!("Idempotency-Key");
    let file = data.write_json("pay", &document);
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let settings = [("HEDDLE_EGRESS_ALLOW", counter.address.as_str()), ("HEDDLE_LOG", "off")];
    let server = Server::start(&data.0, &settings);
    counter.hold(Some("/one/7".to_owned()));
    assert_eq!(pay(&server, 7).unwrap(), 200);
    wait_until("it has paid", || counter.count("one", 7) == 1);
    server.kill();
    let server = Server::start(&data.0, &settings);
    wait_until("it pays again", || counter.count("one", 7) == 2);
    counter.hold(None);
    wait_until("it is over", || counter.count("two", 7) == 1);
    assert_eq!(pay(&server, 8).unwrap(), 200);
    wait_until("the next one is over", || counter.count("two", 8) == 1);
    let mut keys: Vec<usize> = counter
        .all()
        .into_iter()
        .filter(|(name, _)| name.starts_with("key "))
        .map(|(_, count)| count)
        .collect();
    keys.sort_unstable();
    assert_eq!(keys, [1, 2], "one key for the step that was cut off, another for the next run");
    wait_until("both are over", || {
        server.executions().iter().all(|execution| execution["status"] == "success")
    });
    server.stop();
}

/// A folder of an older version is only migrated by whoever has it to itself, and no other
/// version works beside a server.
#[test]
fn issue_15_09_commands_beside_a_server_neither_migrate_nor_mix_versions() {
    let data = TempFolder::new("versions");
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
            .args(arguments)
            .env("HEDDLE_DATA", &data.0)
            .output()
            .unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(),
        )
    };
    assert!(run(&["migrate"]).1.contains("created"));
    assert!(run(&["migrate"]).1.contains("up to date"));
    let server = Server::start(&data.0, &[("HEDDLE_LOG", "off")]);
    assert!(run(&["list"]).0);
    let refused = run(&["migrate"]);
    assert!(!refused.0 && refused.1.contains("STORE_LOCKED"), "{}", refused.1);
    // As a server of another version writes it.
    let announced = std::fs::read_to_string(data.0.join("serving.lock")).unwrap();
    std::fs::write(data.0.join("serving.lock"), announced.replace("(database ", "(database 9"))
        .unwrap();
    let refused = run(&["list"]);
    assert!(
        !refused.0
            && refused.1.contains("a server of another version is running on the data folder"),
        "{}",
        refused.1
    );
    server.stop();
    let database = rusqlite::Connection::open(data.0.join("heddle.db")).unwrap();
    let known: i64 = database.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    database.pragma_update(None, "user_version", known - 1).unwrap();
    drop(database);
    let refused = run(&["list"]);
    assert!(
        !refused.0
            && refused.1.contains("run `heddle migrate`")
            && refused.1.contains("STORE_OLDER"),
        "{}",
        refused.1
    );
}

/// What a server says that does not start.
fn serve(data: &TempFolder) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    let output = command
        .args(["serve", "--port", "0"])
        .env("HEDDLE_DATA", &data.0)
        .stdout(Stdio::null())
        .output()
        .unwrap();
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

/// Sleeps at two waits, the first of which ends after an hour, and asks the counter after each.
fn two_waits(counter: &str) -> Value {
    let part = |name: &str, kind: &str, version: f64, parameters: Value| json!({ "id": name, "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": version, "position": [0, 0], "parameters": parameters });
    let ask = |step: &str| json!({ "method": "GET", "url": format!("=http://{counter}/{step}/{{{{ $('Webhook').first().json.body.id }}}}"), "options": {} });
    let wait = |is_limited: bool| json!({ "resume": "webhook", "httpMethod": "POST", "limitWaitTime": is_limited, "limitType": "afterTimeInterval", "resumeAmount": 1, "resumeUnit": "hours", "options": {} });
    let nodes = [
        part(
            "Webhook",
            "webhook",
            2.0,
            json!({ "httpMethod": "POST", "path": "waits", "responseMode": "responseNode", "options": {} }),
        ),
        part(
            "Tell",
            "respondToWebhook",
            1.1,
            json!({ "respondWith": "text", "responseBody": "={{ $execution.resumeUrl }}", "options": {} }),
        ),
        part("First", "wait", 1.1, wait(true)),
        part("Between", "httpRequest", 4.2, ask("between")),
        part("Second", "wait", 1.1, wait(false)),
        part("Late", "httpRequest", 4.2, ask("late")),
    ];
    let names: Vec<&str> = nodes.iter().map(|node| node["name"].as_str().unwrap()).collect();
    let connections: serde_json::Map<String, Value> = names
        .windows(2)
        .map(|pair| {
            (
                pair[0].to_owned(),
                json!({ "main": [[{ "node": pair[1], "type": "main", "index": 0 }]] }),
            )
        })
        .collect();
    json!({ "id": "waits", "name": "Waits", "nodes": nodes, "connections": connections, "settings": { "executionOrder": "v1" } })
}

/// A run whose time has passed is called while it waits to be resumed. The call is for its
/// first wait, and so is its time.
#[test]
fn issue_14_00_a_run_that_was_called_before_its_turn_to_be_resumed_stays_at_its_next_wait() {
    let (data, counter) = (TempFolder::new("turn"), RequestCounter::start());
    let busy = json!({ "id": "busy", "name": "Busy", "settings": {}, "nodes": [
        { "id": "1", "name": "Webhook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0], "parameters": { "httpMethod": "POST", "path": "busy", "options": {} } },
        { "id": "2", "name": "Ask", "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2, "position": [0, 0], "parameters": { "method": "GET", "url": format!("http://{}/busy/1", counter.address), "options": {} } },
    ], "connections": { "Webhook": { "main": [[{ "node": "Ask", "type": "main", "index": 0 }]] } } });
    for (name, document) in [("waits", two_waits(&counter.address)), ("busy", busy)] {
        let file = data.write_json(name, &document);
        heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    }
    let faults = Faults::new(&data);
    let settings = [("HEDDLE_EGRESS_ALLOW", counter.address.as_str()), ("HEDDLE_LOG", "off")];
    let asleep = |server: &Server| {
        server.api("GET", "/executions?status=waiting", None).json()["data"]
            .as_array()
            .unwrap()
            .len()
    };
    let server = faults.start(&settings);
    let links = [1, 2].map(|id| {
        let link = server.call("POST", "/webhook/waits", Some(&json!({ "id": id }))).text();
        wait_until("it sleeps", || asleep(&server) == id);
        link[link.find("/webhook-waiting/").unwrap()..].to_owned()
    });
    // As many as are resumed at once, each of which takes a while to show that it is harmless.
    counter.hold(Some("/busy/1".to_owned()));
    for _ in 0..8 {
        assert_eq!(server.call("POST", "/webhook/busy", Some(&json!({}))).status, 200);
    }
    wait_until("all are busy", || counter.count("busy", 1) == 8);
    server.kill();
    faults.set(Field::ClockMs, 2 * 3_600_000);
    let server = faults.start(&settings);
    assert_eq!(server.call("POST", &links[0], Some(&json!({}))).status, 200);
    wait_until("it goes on", || counter.count("between", 1) == 1);
    std::thread::sleep(Duration::from_millis(200));
    counter.hold(None);
    // The other one has its turn after it.
    wait_until("the other one goes on", || counter.count("between", 2) == 1);
    wait_until("both sleep again", || asleep(&server) == 2);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(
        (counter.count("between", 1), counter.count("late", 1), counter.count("late", 2)),
        (1, 0, 0)
    );
    assert_eq!(asleep(&server), 2);
    server.stop();
}
