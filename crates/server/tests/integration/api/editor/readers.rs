//! Readers of executions: what they hold while they read, and what they hear once they may not.

use super::{EditorHarness, code, row, text};
use model::json;
use std::cell::Cell;
use std::time::{Duration, Instant};
use store::ExecutionStore as _;
use store::access::ApiKeyStore as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpSocket;

#[tokio::test]
async fn issue_14_09_what_a_preview_reads_counts_until_it_is_computed() {
    let editor = EditorHarness::new().await;
    let large = "return [{ json: { text: Array.from({ length: 400000 }, () => Math.random().toString(36)).join('') } }]";
    let workflow = row(&[
        ("Start", "manualTrigger", json!({})),
        ("Make", "code@2", code(large)),
        ("Set", "set@3.4", json!({ "assignments": { "assignments": [] }, "options": {} })),
    ]);
    let ran = editor.ran(&json!({ "workflow": (workflow.clone()), "until": "Make" })).await;
    let id = text(&ran, "id");
    let stored = editor.app.store.execution(id.parse().unwrap()).await.unwrap().unwrap();
    assert!(
        stored.bytes > 2 << 20,
        "two of them fit into the share of a person: {} bytes",
        stored.bytes
    );

    let slow =
        "={{ (() => { const end = Date.now() + 2000; while (Date.now() < end) {} return 1 })() }}";
    let body =
        json!({ "workflow": (workflow), "node": "Set", "expression": (slow), "executionId": (id) });
    let is_shown = Cell::new(false);
    let preview = async {
        let reply = editor.post("/workflows/expression", &body).await;
        is_shown.set(true);
        reply
    };
    let readers = async {
        let mut longest = Duration::ZERO;
        while !is_shown.get() {
            let began = Instant::now();
            let outline = editor.get(&format!("/executions/{id}/outline")).await;
            assert_eq!(outline.status, 200, "{}", outline.body);
            longest = longest.max(began.elapsed());
        }
        longest
    };
    let (shown, longest) = tokio::join!(preview, readers);
    assert_eq!(shown.status, 200, "{}", shown.body);
    assert!(longest > Duration::from_secs(1), "nobody waited for the preview: {longest:?}");
}

#[tokio::test]
async fn issue_14_09_past_events_end_with_the_right_to_hear_them() {
    let editor = EditorHarness::new().await;
    // More than fits into the buffers between the two.
    let talk =
        "for (let n = 0; n < 200; n++) { console.log('x'.repeat(65536)); } return [{ json: {} }]";
    let workflow = row(&[("Start", "manualTrigger", json!({})), ("Talk", "code@2", code(talk))]);
    let ran = editor.ran(&json!({ "workflow": (workflow) })).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(16 << 10).unwrap();
    let mut stream = socket.connect(editor.app.address).await.unwrap();
    let path = format!("/api/v1/executions/{}/events", text(&ran, "id"));
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nX-N8N-API-KEY: {}\r\n\r\n",
        editor.app.address, editor.key
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut heard = vec![0; 4096];
    stream.read_exact(&mut heard).await.unwrap();
    for key in editor.app.store.api_keys().await.unwrap() {
        assert!(editor.app.store.delete_api_key(&key.id).await.unwrap());
    }
    tokio::time::sleep(Duration::from_millis(1100)).await;
    stream.read_to_end(&mut heard).await.unwrap();
    let heard = String::from_utf8_lossy(&heard);
    assert!(heard.contains("text/event-stream") && heard.contains("nodeLog"), "{}", &heard[..200]);
    assert!(
        !heard.contains("executionFinished"),
        "whoever has left still hears all of {} bytes",
        heard.len()
    );
}
