//! Many runs that a crash has interrupted: the server answers at once and goes on with
//! them in turn.

use crate::support::request_counter::RequestCounter;
use crate::support::{Server, TempFolder, heddle, wait_until, wait_until_within};
use serde_json::json;
use std::time::{Duration, Instant};

/// Runs that the crash has cut off, unless the variable says otherwise.
const INTERRUPTED: i64 = 1500;
const VARIABLE: &str = "HEDDLE_INTERRUPTED";

fn n_interrupted() -> i64 {
    std::env::var(VARIABLE).map_or(INTERRUPTED, |number| number.parse().unwrap())
}

/// Makes an interrupted run many.
fn multiply(data: &TempFolder) {
    let database = rusqlite::Connection::open(data.0.join("heddle.db")).unwrap();
    let copies = format!(
        "WITH RECURSIVE copies (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM copies WHERE n < {})",
        n_interrupted() - 1
    );
    let columns = "workflow_id, version_id, mode, status, started_ms, bytes";
    let sql = format!(
        "{copies} INSERT INTO journal (place, sum, events, format) SELECT place + (n << 24), sum, events, format FROM journal, copies;
         {copies} INSERT INTO executions (id, {columns}) SELECT id + n, {columns} FROM executions, copies WHERE id = 1;"
    );
    database.execute_batch(&sql).unwrap();
}

#[test]
fn issue_15_08_interrupted_runs_take_turns_and_new_calls_are_not_turned_away() {
    let (data, counter) = (TempFolder::new("many"), RequestCounter::start());
    let document = json!({ "id": "many", "name": "Many", "settings": {}, "nodes": [
        { "id": "1", "name": "Webhook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0], "parameters": { "httpMethod": "POST", "path": "many", "options": {} } },
        { "id": "2", "name": "Ask", "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2, "position": [0, 0], "parameters": { "method": "GET", "url": format!("http://{}/seen/1", counter.address), "options": {} } },
    ], "connections": { "Webhook": { "main": [[{ "node": "Ask", "type": "main", "index": 0 }]] } } });
    let file = data.write_json("many", &document);
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let settings = [
        ("HEDDLE_LOG", "off"),
        ("HEDDLE_EGRESS_ALLOW", counter.address.as_str()),
        ("HEDDLE_RUNS_AT_ONCE", "4"),
        ("HEDDLE_RUNS_WAITING", "20"),
        // All of them are counted in the end.
        ("HEDDLE_KEEP_COUNT", "1000000"),
    ];
    let server = Server::start(&data.0, &settings);
    let body = json!({ "text": "x".repeat(20_000) });
    // It is cut off while it waits for an answer.
    counter.hold(Some("/seen/1".to_owned()));
    assert_eq!(server.call("POST", "/webhook/many", Some(&body)).status, 200);
    wait_until("it asks", || counter.count("seen", 1) == 1);
    server.kill();
    counter.hold(None);
    multiply(&data);
    let began = Instant::now();
    let server = Server::start(&data.0, &settings);
    eprintln!(
        "{} interrupted runs: listening after {} ms",
        n_interrupted(),
        began.elapsed().as_millis()
    );
    let queued = || -> f64 {
        let metrics = server.metrics();
        metrics
            .lines()
            .find_map(|line| line.strip_prefix("heddle_executions_queued "))
            .unwrap()
            .parse()
            .unwrap()
    };
    let mut answered = 0;
    let limit = Duration::from_secs(60)
        + Duration::from_millis(20) * u32::try_from(n_interrupted()).unwrap();
    wait_until_within(limit, "all are resumed", || {
        assert_eq!(
            server.call("POST", "/webhook/many", Some(&json!({}))).status,
            200,
            "after {answered} calls"
        );
        answered += 1;
        // New calls may be queued, of which there are few.
        assert!(queued() < 20.0, "nothing is read of a run before it has its turn");
        server.api("GET", "/executions?status=running&limit=1", None).json()["data"]
            .as_array()
            .is_some_and(Vec::is_empty)
    });
    let (took, memory) = (began.elapsed().as_secs(), server.peak_memory_mb());
    eprintln!(
        "all are over after {took} s, with {answered} new ones beside them; {memory} MB at most"
    );
    let count = |status: &str| -> i64 {
        let database = rusqlite::Connection::open(data.0.join("heddle.db")).unwrap();
        database
            .query_row("SELECT count(*) FROM executions WHERE status = ?1", [status], |row| {
                row.get(0)
            })
            .unwrap()
    };
    assert_eq!(count("success"), n_interrupted() + answered);
    assert_eq!(count("error") + count("uncertain") + count("running"), 0);
    server.stop();
}
