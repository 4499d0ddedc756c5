//! What a client may send at most.

use super::client::McpClient;
use super::{activate, calculator};
use crate::app::{TestApp, TestOptions};
use heddle_server::{AdmissionLimits, BodyLimits};
use serde_json::json;

#[tokio::test]
async fn arguments_that_are_too_large_reach_no_tool() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    activate(&app, &key, &calculator("tools", json!({}))).await;
    let client = McpClient::new(&app, "/mcp/tools", None);
    let reply = client.tool("Calculator", json!({ "input": "1".repeat(5 << 20) })).await;
    let (words, is_error) = reply.tool_text();
    assert!(is_error && words.contains("1048576"), "{words}");
}

#[tokio::test]
async fn a_message_beyond_the_limit_is_refused_unread() {
    let bodies = BodyLimits { bytes: 1 << 20, ..BodyLimits::default() };
    let app = TestApp::start_with(TestOptions { bodies, ..TestOptions::default() }).await;
    let key = app.owner_key().await;
    let client = McpClient::new(&app, "/mcp", Some(&key));
    let params = json!({ "name": "get_workflow", "arguments": { "id": "x".repeat(2 << 20) } });
    let status = client.modern("tools/call", params).send().await.unwrap().status();
    assert_eq!(status, 413);
}

#[tokio::test]
async fn what_is_no_message_is_refused() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let client = McpClient::new(&app, "/mcp", Some(&key));
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let nested =
        format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{deep}}}");
    for (body, statuses) in [
        (nested.as_str(), 400..=422),
        ("{", 400..=422),
        ("", 400..=422),
        ("null", 400..=422),
        ("[]", 400..=422),
        (r#"{"jsonrpc":"2.0","id":1,"method":"no/such"}"#, 400..=404),
    ] {
        let request = client.modern("tools/list", json!({})).body(body.to_owned());
        let reply = super::client::read(request.send().await.unwrap()).await;
        let shown: String = body.chars().take(40).collect();
        assert!(statuses.contains(&reply.status), "{shown}: {} {}", reply.status, reply.text);
    }
    assert_eq!(client.modern("tools/list", json!({})).send().await.unwrap().status(), 200);
}

/// However many ask, the list is made once, and everybody else is served meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_lists_at_the_same_time_are_made_once() {
    let admission = AdmissionLimits { per_second: 1_000_000, ..AdmissionLimits::default() };
    let app = TestApp::start_with(TestOptions { admission, ..TestOptions::default() }).await;
    let key = app.owner_key().await;
    activate(&app, &key, &calculator("tools", json!({}))).await;
    let client = McpClient::new(&app, "/mcp/tools", None);
    assert_eq!(client.tools().await, ["Calculator"]);
    let mut failed: Vec<u16> = Vec::new();
    for _ in 0..20 {
        let calls = (0..500).map(|_| {
            let client = client.clone();
            async move { client.modern("tools/list", json!({})).send().await }
        });
        let statuses = futures::future::join_all(calls).await;
        let refused = statuses
            .into_iter()
            .map(|reply| reply.map_or(0, |reply| reply.status().as_u16()))
            .filter(|status| *status != 200);
        failed.extend(refused);
    }
    assert!(failed.iter().all(|status| matches!(status, 429 | 503)), "{failed:?}");
    assert_eq!(client.tools().await, ["Calculator"]);
    let health = app.call("GET", "/healthz").send().await;
    assert_eq!(health.status, 200, "{}", health.body);
}
