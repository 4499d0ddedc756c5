//! T-CRASH: restarts under odd circumstances: another clock, another process, another version.

use crate::support::faults::{Fault, Faults, Field};
use crate::support::ledger::{Ledger, pay_workflow};
use crate::support::{Folder, Server, heddle, request, wait_until};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::Duration;

/// T-CRASH: the clock goes back or forward by a day between a crash and the next start.
#[test]
fn a_clock_that_jumps_between_crash_and_restart_repeats_and_loses_nothing() {
    let (data, ledger) = (Folder::new("clock"), Ledger::start());
    let file = data.workflow("pay", &pay_workflow(&ledger.address));
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let faults = Faults::new(&data);
    let settings = [("HEDDLE_EGRESS_ALLOW", ledger.address.as_str()), ("HEDDLE_LOG", "off")];
    let day = 24 * 60 * 60 * 1000;
    for (id, jump) in [(1_u64, -day), (2, 2 * day), (3, 0)] {
        let mut server = faults.start(&settings);
        // The first call is written whole; the second is cut off in the middle.
        assert_eq!(pay(&server, id * 10).unwrap(), 200);
        wait_until("it is over", || ledger.count("two", id * 10) == 1);
        std::thread::sleep(Duration::from_millis(100));
        faults.arm(Fault::Kill, 20);
        let _ = pay(&server, id);
        while server.process.try_wait().unwrap().is_none() {
            let _ = pay(&server, id * 10 + 1);
        }
        faults.mend();
        faults.set(Field::ClockMs, jump);
        let server = faults.start(&settings);
        wait_until("every run is over", || {
            server.api("GET", "/executions?status=running&limit=1", None).json()["data"].as_array().is_some_and(Vec::is_empty)
        });
        assert_eq!((ledger.count("one", id * 10), ledger.count("two", id * 10)), (1, 1));
        assert!(ledger.count("one", id) <= 1 && ledger.count("two", id) <= 1);
        for execution in server.executions() {
            assert!(matches!(execution["status"].as_str(), Some("success" | "uncertain")), "{}", execution["status"]);
        }
        // Newest first, whatever the clock says.
        let ids: Vec<u64> = server.executions().iter().map(|execution| execution["id"].as_str().unwrap().parse().unwrap()).collect();
        assert!(ids.is_sorted_by(|a, b| a > b), "{ids:?}");
        server.stop();
    }
}

fn pay(server: &Server, id: u64) -> std::io::Result<u16> {
    let body = json!({ "id": id }).to_string();
    request(&server.address, "POST", "/webhook/pay", &[("content-type", "application/json")], body.as_bytes()).map(|reply| reply.status)
}

/// T-CRASH: a sleeping run wakes after a jump of the clock over its moment, and sleeps on after a jump back.
#[test]
fn a_sleeping_run_wakes_when_the_clock_has_jumped_over_its_moment() {
    let data = Folder::new("sleep");
    let document = json!({ "id": "nap", "name": "Nap", "settings": {}, "nodes": [
        { "id": "1", "name": "Webhook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0], "parameters": { "httpMethod": "POST", "path": "nap", "options": {} } },
        { "id": "2", "name": "Wait", "type": "n8n-nodes-base.wait", "typeVersion": 1.1, "position": [0, 0], "parameters": { "resume": "timeInterval", "amount": 2, "unit": "hours" } },
    ], "connections": { "Webhook": { "main": [[{ "node": "Wait", "type": "main", "index": 0 }]] } } });
    let file = data.workflow("nap", &document);
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let faults = Faults::new(&data);
    let status = |server: &Server| -> Value { server.api("GET", "/executions", None).json()["data"][0]["status"].clone() };
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

/// T-CRASH: two processes on one folder, and an old program on a new folder.
#[test]
fn a_second_server_and_a_newer_folder_are_refused_and_nothing_is_changed() {
    let data = Folder::new("second");
    let server = Server::start(&data.0, &[("HEDDLE_LOG", "off")]);
    let refused = serve(&data);
    assert!(refused.contains("another Heddle uses the data folder"), "{refused}");
    assert_eq!(server.api("GET", "/workflows", None).status, 200);
    server.stop();
    let database = rusqlite::Connection::open(data.0.join("heddle.db")).unwrap();
    let newer: i64 = database.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0)).unwrap() + 1;
    database.pragma_update(None, "user_version", newer).unwrap();
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(database);
    let before = std::fs::read(data.0.join("heddle.db")).unwrap();
    let refused = serve(&data);
    assert!(refused.contains("written by a newer Heddle"), "{refused}");
    assert!(std::fs::read(data.0.join("heddle.db")).unwrap() == before, "it was written to");
}

/// What a server says that does not start.
fn serve(data: &Folder) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    let output = command.args(["serve", "--port", "0"]).env("HEDDLE_DATA", &data.0).stdout(Stdio::null()).output().unwrap();
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}
