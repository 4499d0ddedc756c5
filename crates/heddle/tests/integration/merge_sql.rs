//! Merge's SQL mode with the real binary: the process that runs a query has no files, little memory
//! and little time.

use crate::support::workflow::node;
use crate::support::{Server, TempFolder, heddle, peak_memory_kb, request};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What the process may take, with room for the program itself.
const MAX_MEMORY_KB: u64 = 900 << 10;

struct SqlRunOutput {
    text: String,
    peak_kb: u64,
    took: Duration,
}

/// Hands a query over two small tables to the hidden command, and watches its memory.
fn answer(query: &str) -> SqlRunOutput {
    answer_in(Path::new("."), query)
}

fn answer_in(folder: &Path, query: &str) -> SqlRunOutput {
    let header = json!({ "text": query, "values": [], "tables": [["id", "a"], ["id", "b"]] });
    let request = format!(
        "{header}\n{{\"id\":1,\"a\":\"x\"}}\n{{\"id\":2,\"a\":\"y\"}}\n\n{{\"id\":1,\"b\":\"z\"}}\n\n"
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command
        .current_dir(folder)
        .arg("merge-sql")
        .env_clear()
        .env("MIMALLOC_ARENA_RESERVE", "32M")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let began = Instant::now();
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(request.as_bytes()).unwrap();
    let mut from_child = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut head = Vec::new();
        let mut rest = vec![0; 64 << 10];
        // Only the start of a long answer is kept.
        while let Ok(length @ 1..) = from_child.read(&mut rest) {
            let kept = length.min((1_usize << 20).saturating_sub(head.len()));
            head.extend_from_slice(&rest[..kept]);
        }
        String::from_utf8_lossy(&head).into_owned()
    });
    let mut peak_kb = 0;
    while child.try_wait().unwrap().is_none() {
        peak_kb = peak_kb.max(peak_memory_kb(child.id()).unwrap_or(0));
        if began.elapsed() > Duration::from_secs(320) {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    SqlRunOutput { text: reader.join().unwrap(), peak_kb, took: began.elapsed() }
}

#[test]
fn a_query_gives_its_rows() {
    let found = answer("SELECT a, b FROM input1 LEFT JOIN input2 USING (id) ORDER BY a");
    assert_eq!(found.text, "r{\"a\":\"x\",\"b\":\"z\"}\nr{\"a\":\"y\"}\n.\n");
}

/// It is confined before it reads anything, so settings that cannot be read do not matter to it.
#[test]
fn issue_14_00_the_process_reads_no_settings() {
    let folder = TempFolder::new("merge-settings");
    std::fs::create_dir_all(folder.0.join(".heddle")).unwrap();
    std::fs::write(folder.0.join(".heddle/heddle.toml"), "this is [no TOML").unwrap();
    assert_eq!(answer_in(&folder.0, "SELECT 1 AS a").text, "r{\"a\":1}\n.\n");
}

#[test]
fn issue_14_01_memory_is_bounded_whatever_the_query_does() {
    let rows = |n: u64| {
        format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {n})")
    };
    for query in [
        // Sorts, joins and groups that need room of their own, which no limit on tables counts.
        format!("{} SELECT count(*) FROM (SELECT printf('%.*c', 10000, 'x') || i AS s FROM n ORDER BY s DESC)", rows(1_000_000)),
        format!("{} SELECT count(*) FROM (SELECT DISTINCT printf('%.*c', 10000, 'x') || i FROM n)", rows(1_000_000)),
        format!("{} SELECT length(group_concat(printf('%.*c', 10000, 'x'))) FROM n GROUP BY i % 10", rows(1_000_000)),
        format!("CREATE TABLE t AS {} SELECT printf('%.*c', 10000, 'x') AS s FROM n", rows(1_000_000)),
        format!("CREATE TEMP TABLE t AS {} SELECT printf('%.*c', 10000, 'x') AS s FROM n", rows(1_000_000)),
        format!("{} SELECT json_group_array(json_array(i, printf('%.*c', 10000, 'x'))) FROM n", rows(1_000_000)),
        "WITH RECURSIVE n(s) AS (SELECT 'x' UNION ALL SELECT s || printf('%.*c', 1000000, 'x') FROM n) SELECT count(*) FROM n".to_owned(),
        "SELECT length(replace(printf('%.*c', 8000, 'x'), 'x', printf('%.*c', 9000, 'y')))".to_owned(),
    ] {
        let found = answer(&query);
        assert!(found.peak_kb < MAX_MEMORY_KB, "{query} took {} KB", found.peak_kb);
        assert!(found.took < Duration::from_secs(300), "{query} took {:?}", found.took);
        // Stopped with words that name the limit, or by the system without any.
        assert!(found.text.is_empty() || found.text.contains("limit"), "{query}: {}", &found.text[..found.text.len().min(300)]);
        assert!(!found.text.ends_with(".\n") && !found.text.contains("\nr"), "{query}: {}", &found.text[..found.text.len().min(300)]);
    }
}

#[test]
fn issue_14_01_the_process_opens_no_file() {
    let data = TempFolder::new("merge-files");
    heddle(&data.0, &["list"]);
    let file = data.0.join("heddle.db");
    let before = std::fs::read(&file).unwrap();
    for query in [
        "SELECT 1 /*/ ' */ ; ATTACH DATABASE 'FILE' AS h; UPDATE h.users SET role='owner' -- '",
        "SELECT $a::('; ATTACH DATABASE 'FILE' AS h; DELETE FROM h.users; SELECT ')",
        "VACUUM INTO 'FILE.copy'",
        "SELECT load_extension('FILE')",
    ] {
        let found = answer(&query.replace("FILE", file.to_str().unwrap()));
        // A statement before the one that is refused may have given rows; the end says what became
        // of the query.
        let end = found.text.lines().last().unwrap_or_default();
        assert!(end.starts_with('e') && end.contains("NODE_"), "{query}: {}", found.text);
    }
    assert!(std::fs::read(&file).unwrap() == before && !data.0.join("heddle.db.copy").exists());
}

/// A webhook whose calls are both inputs of a query.
fn flow(query: &str) -> Value {
    let webhook = json!({ "httpMethod": "POST", "path": "query", "responseMode": "lastNode", "responseData": "allEntries", "options": {} });
    let edit = json!({ "mode": "raw", "jsonOutput": "={{ $json.body }}", "options": {} });
    let merge = json!({ "mode": "combineBySql", "query": query });
    json!({
        "name": "query",
        "nodes": [node("Webhook", "webhook", 2.0, webhook), node("Body", "set", 3.4, edit), node("Merge", "merge", 3.2, merge)],
        "connections": {
            "Webhook": { "main": [[{ "node": "Body", "type": "main", "index": 0 }]] },
            "Body": { "main": [[{ "node": "Merge", "type": "main", "index": 0 }, { "node": "Merge", "type": "main", "index": 1 }]] }
        },
        "settings": { "executionOrder": "v1" }
    })
}

/// What an anonymous caller gets.
fn called(query: &str, body: &Value) -> (u16, String, Value) {
    let data = TempFolder::new(&format!("merge-{}", query.len()));
    let file = data.write_json("query", &flow(query));
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let server = Server::start(&data.0, &[("HEDDLE_LOG", "off")]);
    let headers = [("content-type", "application/json")];
    let reply =
        request(&server.address, "POST", "/webhook/query", &headers, body.to_string().as_bytes())
            .unwrap();
    let executions = server.executions();
    let error = executions
        .first()
        .map(|run| run["data"]["resultData"]["error"].clone())
        .unwrap_or_default();
    (reply.status, reply.text(), error)
}

#[test]
fn issue_14_01_what_a_caller_sends_is_a_value() {
    let hostile = "x' OR '1'='1'; ATTACH DATABASE 'heddle.db' AS h; SELECT * FROM h.users --";
    let (status, text, error) = called(
        "SELECT x, '{{ $json.x }}' AS y, {{ $json.x }} AS z FROM input1",
        &json!({ "x": hostile }),
    );
    assert_eq!((status, &error), (200, &Value::Null), "{text}");
    let rows: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(rows, json!([{ "x": hostile, "y": hostile, "z": hostile }]));
}

#[test]
fn issue_14_01_an_expression_is_no_part_of_the_sql() {
    let (status, _, error) = called("SELECT * FROM {{ $json.x }}", &json!({ "x": "input1" }));
    assert_eq!(status, 500);
    assert_eq!(error["code"], "NODE_PARAMETER", "{error}");
    assert!(error["description"].as_str().unwrap().contains("always values"), "{error}");
}

#[test]
fn issue_14_01_a_server_outlives_a_query_without_end() {
    let data = TempFolder::new("merge-endless");
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    let file = data.write_json("query", &flow(endless));
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let server = Server::start(&data.0, &[("HEDDLE_LOG", "off")]);
    let headers = [("content-type", "application/json")];
    let began = Instant::now();
    let reply = std::thread::scope(|scope| {
        let caller =
            scope.spawn(|| request(&server.address, "POST", "/webhook/query", &headers, b"{}"));
        // Others are served meanwhile.
        for _ in 0..20 {
            let asked = Instant::now();
            assert_eq!(request(&server.address, "GET", "/healthz", &[], b"").unwrap().status, 200);
            assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
            std::thread::sleep(Duration::from_millis(50));
        }
        caller.join().unwrap()
    });
    // The rows are too many long before the time is over.
    assert!(began.elapsed() < Duration::from_secs(120));
    assert!(reply.is_ok_and(|reply| reply.status == 500));
}
