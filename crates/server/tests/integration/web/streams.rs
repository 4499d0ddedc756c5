//! Answers that leave in pieces.

use super::wire::{activate, connect, node, rest_of, row, send, webhook};
use crate::app::TestApp;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

fn respond(name: &str, parameters: Value) -> Value {
    node(name, "respondToWebhook", 1.5, parameters)
}

/// Type, text and node of each line of a stream.
fn lines(body: &str) -> Vec<(String, Option<String>, String)> {
    let lines = body.lines().filter(|line| line.starts_with('{'));
    lines
        .map(|line| {
            let chunk: Value = serde_json::from_str(line).unwrap();
            let metadata = &chunk["metadata"];
            assert!(
                metadata["timestamp"].is_u64()
                    && metadata["itemIndex"].is_u64()
                    && metadata["runIndex"].is_u64(),
                "{chunk}"
            );
            let text = |value: &Value| value.as_str().map(str::to_owned);
            (
                text(&chunk["type"]).unwrap(),
                text(&chunk["content"]),
                text(&metadata["nodeName"]).unwrap(),
            )
        })
        .collect()
}

fn three(content: &str, name: &str) -> Vec<(String, Option<String>, String)> {
    [("begin", None), ("item", Some(content)), ("end", None)]
        .map(|(kind, content)| (kind.to_owned(), content.map(str::to_owned), name.to_owned()))
        .to_vec()
}

async fn last_execution(app: &TestApp) -> model::Value {
    let key = app.owner_key().await;
    app.call("GET", "/api/v1/executions?limit=1").key(&key).send().await.rows()[0].clone()
}

#[tokio::test]
async fn each_node_that_responds_adds_its_piece() {
    let app = TestApp::start().await;
    let first = respond("First", json!({ "respondWith": "text", "responseBody": "one" }));
    let second =
        respond("Second", json!({ "respondWith": "json", "responseBody": "{ \"n\": 2 }" }));
    activate(&app, &row("stream", &[webhook("stream", "streaming", json!({})), first, second]))
        .await;
    let reply = send(&app, "POST", "/webhook/stream", &[], b"").await;
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (200, Some("application/json; charset=utf-8"))
    );
    assert_eq!(reply.header("transfer-encoding"), Some("chunked"));
    assert_eq!(lines(&reply.body), [three("one", "First"), three("{\"n\":2}", "Second")].concat());
}

#[tokio::test]
async fn without_pieces_the_items_of_the_last_node_are_the_answer() {
    let app = TestApp::start().await;
    let split =
        node("Split", "splitOut", 1.0, json!({ "fieldToSplitOut": "body.list", "options": {} }));
    activate(&app, &row("items", &[webhook("items", "streaming", json!({})), split])).await;
    let reply = send(
        &app,
        "POST",
        "/webhook/items",
        &[("Content-Type", "application/json")],
        br#"{"list":[{"a":1},{"a":2}]}"#,
    )
    .await;
    assert_eq!(
        lines(&reply.body),
        [three("{\"a\":1}", "Split"), three("{\"a\":2}", "Split")].concat()
    );
}

#[tokio::test]
async fn an_answer_that_does_not_stream_goes_out_whole() {
    let app = TestApp::start().await;
    let whole = respond(
        "Whole",
        json!({ "respondWith": "text", "responseBody": "all", "options": { "enableStreaming": false, "responseCode": 202 } }),
    );
    activate(&app, &row("whole", &[webhook("whole", "streaming", json!({})), whole])).await;
    let reply = send(&app, "POST", "/webhook/whole", &[], b"").await;
    assert_eq!((reply.status, reply.body.as_str()), (202, "all"));
}

#[tokio::test]
async fn a_run_that_fails_says_so_in_the_stream_or_instead_of_it() {
    let app = TestApp::start().await;
    let stop = || node("Stop", "stopAndError", 1.0, json!({ "errorMessage": "a secret reason" }));
    let first = respond("First", json!({ "respondWith": "text", "responseBody": "one" }));
    activate(&app, &row("late", &[webhook("late", "streaming", json!({})), first, stop()])).await;
    let reply = send(&app, "POST", "/webhook/late", &[], b"").await;
    let error = ("error".to_owned(), Some("Error in workflow".to_owned()), "Stop".to_owned());
    assert_eq!(lines(&reply.body), [three("one", "First"), vec![error]].concat());
    activate(&app, &row("early", &[webhook("early", "streaming", json!({})), stop()])).await;
    let reply = send(&app, "POST", "/webhook/early", &[], b"").await;
    assert_eq!(reply.status, 500);
    assert!(!reply.body.contains("secret"));
}

/// A workflow that sends a piece, works for a while, and sends another.
async fn slow(app: &TestApp, path: &str) {
    let first = respond("First", json!({ "respondWith": "text", "responseBody": "one" }));
    let work = node(
        "Work",
        "code",
        2.0,
        json!({ "jsCode": "let n = 0; for (let i = 0; i < 3000000; i++) { n += i; } return [{ json: { n } }];" }),
    );
    let second = respond("Second", json!({ "respondWith": "text", "responseBody": "two" }));
    activate(app, &row(path, &[webhook(path, "streaming", json!({})), first, work, second])).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn pieces_leave_as_they_come() {
    let app = TestApp::start().await;
    slow(&app, "slow").await;
    let mut stream = connect(app.address).await;
    stream.write_all(b"POST /webhook/slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").await.unwrap();
    let mut seen = String::new();
    let mut buffer = [0; 4096];
    while !seen.contains("\"end\"") {
        let count = stream.read(&mut buffer).await.unwrap();
        assert!(count > 0, "{seen}");
        seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
    }
    assert!(seen.contains("one") && !seen.contains("two"), "{seen}");
    let (rest, is_closed) = rest_of(&mut stream, Duration::from_secs(20)).await;
    assert!(is_closed && rest.contains("two"), "{rest}");
}

#[tokio::test]
async fn a_caller_that_goes_away_does_not_end_the_run() {
    let app = TestApp::start().await;
    slow(&app, "gone").await;
    let mut stream = connect(app.address).await;
    stream
        .write_all(b"POST /webhook/gone HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
        .await
        .unwrap();
    let mut buffer = [0; 64];
    assert!(stream.read(&mut buffer).await.unwrap() > 0);
    drop(stream);
    for _ in 0..400 {
        if last_execution(&app).await.get("status").and_then(model::Value::as_str)
            == Some("success")
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the run did not end: {:?}", last_execution(&app).await);
}
