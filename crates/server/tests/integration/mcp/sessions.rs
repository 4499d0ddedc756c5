//! Sessions of clients that speak an older revision.

use super::client::McpClient;
use super::{activate, api, calculator, save, slow};
use crate::app::TestApp;
use serde_json::{Value, json};
use store::users::UserRole;

fn listing() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })
}

#[tokio::test]
async fn an_older_client_opens_a_session_calls_tools_and_ends_it() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    activate(&app, &key, &calculator("tools", json!({}))).await;
    let client = McpClient::new(&app, "/mcp/tools", None).open_session().await;
    assert_eq!(client.legacy(&listing()).await.tool_names(), ["Calculator"]);
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
        "params": { "name": "Calculator", "arguments": { "input": "2 + 2" } } });
    let reply = client.legacy(&call).await;
    assert_eq!(reply.tool_text(), ("4".to_owned(), false), "{}", reply.text);
    assert_eq!(client.get().await, 200, "the stream of the session");
    assert!(matches!(client.delete().await, 200..=204));
    assert_eq!(client.legacy(&listing()).await.status, 404);
}

#[tokio::test]
async fn a_session_is_worth_nothing_to_anybody_else() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    app.user("eve@x.y", UserRole::Editor).await;
    let eve = app.key("eve@x.y", &["*"]).await;
    activate(&app, &key, &calculator("tools", json!({}))).await;
    let own = McpClient::new(&app, "/mcp", Some(&key)).open_session().await;
    let id = {
        let opened = McpClient::new(&app, "/mcp", Some(&key));
        let params = json!({ "protocolVersion": super::client::LEGACY, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let message =
            json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        opened.legacy(&message).await.session.unwrap()
    };
    for thief in
        [McpClient::new(&app, "/mcp", Some(&eve)), McpClient::new(&app, "/mcp/tools", None)]
    {
        let thief = thief.with_session(&id);
        assert_eq!(thief.legacy(&listing()).await.status, 404);
        assert_eq!((thief.get().await, thief.delete().await), (404, 404));
    }
    // Nobody brings a session of their own choice along.
    let guess = McpClient::new(&app, "/mcp", Some(&key))
        .with_session("00000000-0000-0000-0000-000000000000");
    assert_eq!(guess.legacy(&listing()).await.status, 404);
    assert_eq!(own.legacy(&listing()).await.status, 200);
}

#[tokio::test]
async fn an_older_client_cancels_a_call_with_a_notification() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let id = save(&app, &key, &slow()).await;
    let client = McpClient::new(&app, "/mcp", Some(&key)).open_session().await;
    let call = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": { "name": "workflow_slow", "arguments": {} } });
    let calling = {
        let client = client.clone();
        tokio::spawn(async move { client.legacy(&call).await.status })
    };
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 9 } });
    assert_eq!(client.legacy(&cancel).await.status, 202);
    for _ in 0..200 {
        let runs =
            api(&app, &key, "GET", &format!("/executions?workflowId={id}"), &Value::Null).await;
        if runs.body.contains("\"canceled\"") {
            calling.abort();
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the run was not stopped");
}

#[tokio::test]
async fn whoever_opens_many_sessions_ends_their_own_oldest() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let client = McpClient::new(&app, "/mcp", Some(&key));
    let first = client.open_session().await;
    for _ in 0..32 {
        client.open_session().await;
    }
    assert_eq!(first.legacy(&listing()).await.status, 404);
}
