//! One hostile call at a time: it ends with an error that has a name, and the process lives on
//! within its memory.

use super::attacks::{compare, set, webhook};
use super::{activate, activate_document};
use crate::support::workflow::{node, row};
use crate::support::{Server, TempFolder, wait_until};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// What JavaScript may cost beyond what the server takes anyway: the shared limit of the sandbox,
/// and some room.
const MAX_GROWTH_MB: u64 = 300;

fn code(source: &str) -> Value {
    node("Code", "code", 2.0, json!({ "jsCode": source }))
}

/// The code of the error that the newest execution of a workflow ended with.
fn error_of(server: &Server, name: &str) -> Option<String> {
    let workflows = server.api("GET", "/workflows?limit=250", None).json();
    let id = workflows["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|workflow| workflow["name"] == name)
        .unwrap()["id"]
        .clone();
    let path = format!("/executions?workflowId={}&includeData=true&limit=1", id.as_str().unwrap());
    // The items may be nested more deeply than the test's own reader of JSON goes. The error of the
    // run stands behind those of its steps.
    let page = server.api("GET", &path, None).text();
    let (_, error) = page.rsplit_once(r#""error":{"code":""#)?;
    error.split('"').next().map(str::to_owned)
}

fn start(data: &TempFolder, settings: &[(&str, &str)]) -> Server {
    let settings: Vec<_> = [("HEDDLE_LOG", "off"), ("HEDDLE_RATE_LIMIT", "0")]
        .into_iter()
        .chain(settings.iter().copied())
        .collect();
    Server::start(&data.0, &settings)
}

#[test]
fn issue_14_01_javascript_takes_no_more_of_the_hosts_memory_than_its_limit() {
    let flood = "for (let i = 0; i < 10000; i++) fetch('http://127.0.0.1:9/', { method: 'POST', body: 'x'.repeat(1e6) }).catch(() => {});";
    let custom = "for (let i = 0; i < 1000; i++) $execution.customData.set('k' + i, 'x'.repeat(1e5) + i); return [];";
    let template = format!("={}", "{{'x'.repeat(16777216)}}".repeat(2_700));
    let ended: &[&str] = &["SANDBOX_MEMORY", "SANDBOX_TIME", "SANDBOX_OUTPUT"];
    let cases: Vec<(&'static str, Value, &[&str])> = vec![
        ("doubled", set("={{ $jmespath({}, '[@,@]' + '|[@,@]'.repeat(22)) }}"), ended),
        ("holes", set("={{ (() => new Array(1e8))() }}"), ended),
        (
            "caught",
            set(
                "={{ (() => { const s = 'x'.repeat(2e6); for (;;) try { $items(s) } catch {} })() }}",
            ),
            ended,
        ),
        ("parts", set(&template), ended),
        ("requests", code(&format!("{flood} return [];")), ended),
        ("custom", code(custom), &[]),
    ];
    let data = TempFolder::new("hostile-memory");
    for (name, hit, _) in &cases {
        activate(&data, name, &[webhook(name), hit.clone()]);
    }
    activate(&data, "honest", &[webhook("honest"), set("={{ Object.keys($json.body).join() }}")]);
    let server = start(&data, &[]);
    let honest = || server.call("POST", "/webhook/honest", Some(&json!({ "a": 1 }))).status;
    assert_eq!(honest(), 200);
    let before = server.peak_memory_mb();
    for (name, _, codes) in &cases {
        server.call("POST", &format!("/webhook/{name}"), Some(&json!({})));
        let (error, grown) = (error_of(&server, name), server.peak_memory_mb() - before);
        assert!(
            error.as_deref().map_or(codes.is_empty(), |error| codes.contains(&error)),
            "{name}: {error:?}"
        );
        assert!(grown < MAX_GROWTH_MB, "{name}: {grown} MB");
        assert_eq!(honest(), 200, "{name}");
    }
}

#[test]
fn issue_14_02_deep_values_neither_kill_the_process_nor_reach_the_journal() {
    let named = |name: &str| json!({ "assignments": { "assignments": [{ "id": "1", "name": name, "type": "string", "value": "x" }] } });
    let rename = json!({ "keys": { "key": [{ "currentKey": "body", "newKey": "={{ $json.body.name }}" }] } });
    let markdown = json!({ "mode": "markdownToHtml", "markdown": "x", "destinationKey": "={{ $json.body.name }}" });
    let wrap = json!({ "assignments": { "assignments": [{ "id": "1", "name": "a", "type": "object", "value": "={{ $json }}" }] } });
    let again = json!({ "conditions": {
        "options": { "caseSensitive": true, "typeValidation": "strict", "version": 2 }, "combinator": "and",
        "conditions": [{ "id": "1", "leftValue": "={{ $runIndex }}", "rightValue": 2_000, "operator": { "type": "number", "operation": "lt" } }] } });
    let data = TempFolder::new("hostile-depth");
    for (name, hit) in [
        ("set", node("Set", "set", 3.4, named("={{ $json.body.name }}"))),
        ("rename", node("Rename", "renameKeys", 1.0, rename)),
        ("markdown", node("Markdown", "markdown", 1.0, markdown)),
    ] {
        activate(&data, name, &[webhook(name), hit]);
    }
    let mut round = row(
        "round",
        &[webhook("round"), node("Set", "set", 3.4, wrap), node("If", "if", 2.2, again)],
    );
    round["connections"]["If"] =
        json!({ "main": [[{ "node": "Set", "type": "main", "index": 0 }]] });
    activate_document(&data, "round", &round);
    let server = start(&data, &[]);
    for path in [format!("a{}", ".a".repeat(100_000)), format!("a{}", "[10000]".repeat(400))] {
        for name in ["set", "rename", "markdown"] {
            let reply =
                server.call("POST", &format!("/webhook/{name}"), Some(&json!({ "name": path })));
            assert_eq!(
                (reply.status, error_of(&server, name).as_deref()),
                (500, Some("NODE_PARAMETER")),
                "{name}: {}",
                reply.text()
            );
        }
    }
    let reply = server.call("POST", "/webhook/round", Some(&json!({})));
    assert_eq!(
        (reply.status, error_of(&server, "round").as_deref()),
        (500, Some("RUN_DATA_DEPTH")),
        "{}",
        reply.text()
    );
    assert_eq!(server.call("GET", "/healthz", None).status, 200);
}

/// A workflow that looks for each item of a list in all others, in vain.
fn comparing(name: &'static str) -> Value {
    let split = node(
        "Split Out",
        "splitOut",
        1.0,
        json!({ "fieldToSplitOut": "body.list", "include": "noOtherFields" }),
    );
    super::with_both_inputs(row(name, &[webhook(name), split, compare()]))
}

fn long_list() -> Value {
    json!({ "list": (0..40_000).map(|number| json!({ "same": 1, "number": number })).collect::<Vec<_>>() })
}

#[test]
fn issue_14_04_a_step_that_computes_too_long_fails_and_others_are_served_meanwhile() {
    let data = TempFolder::new("hostile-cpu");
    activate_document(&data, "comparing", &comparing("comparing"));
    activate(&data, "honest", &[webhook("honest"), set("={{ $json.body.text.length }}")]);
    let server = start(&data, &[("HEDDLE_STEP_CPU_TIME", "2")]);
    let (large, list) = (json!({ "text": "x".repeat(100_000) }), long_list());
    std::thread::scope(|scope| {
        // More of them than may compute at once.
        let many = std::thread::available_parallelism().map_or(2, usize::from) + 2;
        let (server, list) = (&server, &list);
        let hostile: Vec<_> = (0..many)
            .map(|_| scope.spawn(move || server.call("POST", "/webhook/comparing", Some(list))))
            .collect();
        std::thread::sleep(Duration::from_millis(500));
        let began = Instant::now();
        let reply = server.call("POST", "/webhook/honest", Some(&large));
        assert!(reply.status == 200 && reply.text().contains("100000"), "{}", reply.text());
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
        for call in hostile {
            assert_eq!(call.join().unwrap().status, 500);
        }
    });
    assert_eq!(error_of(&server, "comparing").as_deref(), Some("RUN_CPU_TIME"));
}

#[test]
fn issue_14_04_a_step_that_computes_can_be_stopped() {
    is_stopped("hostile-stop", &comparing("computing"), &long_list());
}

#[test]
fn issue_15_01_code_that_never_ends_can_be_stopped() {
    is_stopped(
        "hostile-stop-code",
        &row("computing", &[webhook("computing"), code("while (true) {}")]),
        &json!({}),
    );
}

/// Calls the workflow `computing`, and stops its run while it computes.
#[track_caller]
fn is_stopped(folder: &str, document: &Value, body: &Value) {
    let data = TempFolder::new(folder);
    activate_document(&data, "computing", document);
    let server = start(&data, &[]);
    std::thread::scope(|scope| {
        let server = &server;
        let call = scope.spawn(move || server.call("POST", "/webhook/computing", Some(body)));
        let running = || {
            server.api("GET", "/executions?status=running&limit=1", None).json()["data"][0]["id"]
                .as_str()
                .map(str::to_owned)
        };
        wait_until("the step computes", || running().is_some());
        // Past the steps before it.
        std::thread::sleep(Duration::from_secs(2));
        let stopped =
            running().map(|id| server.api("POST", &format!("/executions/{id}/stop"), None).status);
        assert_eq!(stopped, Some(200));
        wait_until("it is stopped", || running().is_none());
        call.join().unwrap();
    });
    assert_eq!(
        server.api("GET", "/executions?limit=1", None).json()["data"][0]["status"],
        "canceled"
    );
}
