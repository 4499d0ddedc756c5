//! Who may call what: keys, scopes, roles and projects.

use super::client::McpClient;
use super::{callable, save};
use crate::app::TestApp;
use serde_json::json;
use store::access::ApiKeyStore as _;
use store::users::UserRole;

async fn status(client: &McpClient) -> u16 {
    client.modern("tools/list", json!({})).send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn only_a_valid_key_lets_in_and_a_revoked_one_no_longer() {
    let app = TestApp::start().await;
    let anonymous = McpClient::new(&app, "/mcp", None);
    let refused = anonymous.modern("tools/list", json!({})).send().await.unwrap();
    assert_eq!(refused.status(), 401);
    assert!(refused.headers()["www-authenticate"].to_str().unwrap().starts_with("Bearer"));
    assert_eq!(status(&McpClient::new(&app, "/mcp", Some("heddle_wrong"))).await, 401);
    let key = app.owner_key().await;
    let client = McpClient::new(&app, "/mcp", Some(&key));
    assert_eq!(status(&client).await, 200);
    let session = client.open_session().await;
    for known in app.store.api_keys().await.unwrap() {
        app.store.delete_api_key(&known.id).await.unwrap();
    }
    assert_eq!(status(&client).await, 401);
    let listing = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    assert_eq!(session.legacy(&listing).await.status, 401, "a session outlives no key");
}

#[tokio::test]
async fn a_key_sees_and_calls_only_what_its_scopes_allow() {
    let app = TestApp::start().await;
    let owner = app.owner_key().await;
    save(&app, &owner, &callable("Weather", "return []")).await;
    let key = app.key("owner@localhost", &["workflow:list", "workflow:read"]).await;
    let client = McpClient::new(&app, "/mcp", Some(&key));
    assert_eq!(
        client.tools().await,
        ["list_workflows", "get_workflow", "search_nodes", "get_node", "validate_workflow"]
    );
    for name in ["create_workflow", "run_workflow", "workflow_weather", "explain_execution"] {
        let refused = client.tool(name, json!({})).await;
        assert_eq!(refused.message()["error"]["code"], json!(-32602), "{name}: {}", refused.text);
    }
    let runner = app.key("owner@localhost", &["workflow:execute"]).await;
    let client = McpClient::new(&app, "/mcp", Some(&runner));
    assert!(client.tools().await.contains(&"workflow_weather".to_owned()));
    let ran = client.tool("workflow_weather", json!({})).await;
    assert!(!ran.tool_text().1, "{}", ran.text);
}

#[tokio::test]
async fn nobody_sees_or_runs_the_workflows_of_another_project() {
    let app = TestApp::start().await;
    let owner = app.owner_key().await;
    let id = save(&app, &owner, &callable("Secret plan", "return []")).await;
    app.user("eve@x.y", UserRole::Editor).await;
    let eve = app.key("eve@x.y", &["*"]).await;
    let client = McpClient::new(&app, "/mcp", Some(&eve));
    let names = client.tools().await;
    assert!(names.contains(&"run_workflow".to_owned()), "{names:?}");
    assert!(!names.iter().any(|name| name.contains("secret")), "{names:?}");
    let foreign = client.tool("workflow_secret_plan", json!({})).await;
    let missing = client.tool("workflow_no_such", json!({})).await;
    let code = |reply: &super::client::McpReply| reply.message()["error"]["code"].clone();
    assert_eq!((code(&foreign), code(&missing)), (json!(-32602), json!(-32602)));
    for (tool, arguments) in [
        ("get_workflow", json!({ "id": id })),
        ("run_workflow", json!({ "id": id })),
        ("activate_workflow", json!({ "id": id })),
    ] {
        let (words, is_error) = client.tool(tool, arguments).await.tool_text();
        assert!(is_error && words.contains("WORKFLOW_NOT_FOUND"), "{tool}: {words}");
        assert!(!words.contains("Secret"), "{words}");
    }
}

#[tokio::test]
async fn a_viewer_changes_and_runs_nothing() {
    let app = TestApp::start().await;
    app.user("vi@x.y", UserRole::Viewer).await;
    let key = app.key("vi@x.y", &["*"]).await;
    let names = McpClient::new(&app, "/mcp", Some(&key)).tools().await;
    assert_eq!(
        names,
        [
            "list_workflows",
            "get_workflow",
            "search_nodes",
            "get_node",
            "validate_workflow",
            "list_executions",
            "get_execution",
            "explain_execution"
        ]
    );
}

#[tokio::test]
async fn a_page_of_another_site_is_refused_and_so_is_another_host_name() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let client = McpClient::new(&app, "/mcp", Some(&key));
    for origin in ["https://evil.example", "null", "http://localhost"] {
        assert_eq!(status(&client.clone().with_header("origin", origin)).await, 403, "{origin}");
    }
    let own = format!("http://{}", app.address);
    assert_eq!(status(&client.clone().with_header("origin", &own)).await, 200);
    assert_eq!(status(&client.clone().with_header("host", "evil.example")).await, 421);
    super::activate(&app, &key, &super::calculator("tools", json!({}))).await;
    let public = McpClient::new(&app, "/mcp/tools", None);
    assert_eq!(status(&public.clone().with_header("origin", "https://evil.example")).await, 403);
    assert_eq!(status(&public.with_header("host", "evil.example")).await, 421);
}
