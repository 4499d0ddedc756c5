//! The server of the instance: workflows that are available, and the tools that build and debug.

use super::client::McpClient;
use super::{api, callable, node, save, slow, to};
use crate::app::TestApp;
use serde_json::{Value, json};

const FORECAST: &str = "return [{ json: { sky: 'blue over ' + $json.city, days: $json.days } }]";

fn structured(reply: &super::client::McpReply) -> Value {
    reply.result()["structuredContent"].clone()
}

#[tokio::test]
async fn a_marked_workflow_is_a_tool_with_the_inputs_of_its_trigger() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let client = McpClient::new(&app, "/mcp", Some(&key));
    let before = client.tools().await;
    assert!(before.iter().all(|name| !name.starts_with("workflow_")), "{before:?}");
    save(&app, &key, &callable("Weather report", FORECAST)).await;
    let listed = client.call("tools/list", json!({})).await;
    let tools = listed.result()["tools"].as_array().unwrap().clone();
    let tool = tools.iter().find(|tool| tool["name"] == json!("workflow_weather_report")).unwrap();
    assert_eq!(tool["description"], json!("Forecasts the weather."));
    assert_eq!(tool["inputSchema"]["properties"]["days"]["type"], json!("number"));
    let reply = client.tool("workflow_weather_report", json!({ "city": "Turin", "days": 2 })).await;
    let told = structured(&reply);
    assert_eq!(told["items"], json!([{ "sky": "blue over Turin", "days": 2 }]), "{}", reply.text);
    assert_eq!(told["status"], json!("success"));
}

#[tokio::test]
async fn a_workflow_is_no_tool_any_more_once_it_is_not_marked() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let mut document = callable("Weather", FORECAST);
    let id = save(&app, &key, &document).await;
    let client = McpClient::new(&app, "/mcp", Some(&key));
    assert!(client.tools().await.contains(&"workflow_weather".to_owned()));
    document["settings"] = json!({});
    let saved = api(&app, &key, "PUT", &format!("/workflows/{id}"), &document).await;
    assert_eq!(saved.status, 200, "{}", saved.body);
    assert!(!client.tools().await.contains(&"workflow_weather".to_owned()));
    let gone = client.tool("workflow_weather", json!({})).await;
    assert_eq!(gone.message()["error"]["code"], json!(-32602));
}

#[tokio::test]
async fn a_failed_run_tells_where_and_why() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    save(&app, &key, &callable("Broken", "throw new Error('no sky')")).await;
    let client = McpClient::new(&app, "/mcp", Some(&key));
    let (words, is_error) =
        client.tool("workflow_broken", json!({ "city": "Turin" })).await.tool_text();
    assert!(is_error && words.contains("'Code'") && words.contains("no sky"), "{words}");
}

#[tokio::test]
async fn a_form_a_chat_and_a_webhook_take_what_they_ask_for() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let fields = json!({ "values": [
        { "fieldLabel": "Name", "requiredField": true },
        { "fieldLabel": "Size", "fieldType": "dropdown", "fieldOptions": { "values": [{ "option": "S" }, { "option": "L" }] } } ] });
    for (name, kind, version, parameters) in [
        (
            "Order",
            "n8n-nodes-base.formTrigger",
            2.2,
            json!({ "formTitle": "Orders", "formFields": fields }),
        ),
        ("Talk", "@n8n/n8n-nodes-langchain.chatTrigger", 1.4, json!({})),
        ("Hook", "n8n-nodes-base.webhook", 2.1, json!({ "path": "hook" })),
    ] {
        let mut start = node("Start", kind, version, parameters);
        start["webhookId"] = json!(name);
        let end = node("End", "n8n-nodes-base.noOp", 1.0, json!({}));
        save(
            &app,
            &key,
            &json!({ "name": name, "settings": { "availableInMCP": true }, "nodes": [start, end],
            "connections": { "Start": to("End", "main") } }),
        )
        .await;
    }
    let client = McpClient::new(&app, "/mcp", Some(&key));
    let order = client.tool("workflow_order", json!({ "Name": "Ada", "Size": "L" })).await;
    let item = structured(&order)["items"][0].clone();
    assert_eq!(
        (&item["Name"], &item["formMode"]),
        (&json!("Ada"), &json!("production")),
        "{}",
        order.text
    );
    let (words, is_error) =
        client.tool("workflow_order", json!({ "Size": "XL" })).await.tool_text();
    assert!(is_error && words.contains("'Name'") && words.contains("'Size'"), "{words}");
    let talk = client.tool("workflow_talk", json!({ "message": "Hi" })).await;
    assert_eq!(structured(&talk)["items"][0]["chatInput"], json!("Hi"), "{}", talk.text);
    let named = client.tool("workflow_talk", json!({ "message": "Hi", "sessionId": "s" })).await;
    let session = structured(&named)["items"][0]["sessionId"].as_str().unwrap().to_owned();
    assert!(session.ends_with(":s") && session.len() > 40, "a signed name: {session}");
    let hook =
        client.tool("workflow_hook", json!({ "body": { "a": 1 }, "query": { "b": "2" } })).await;
    let item = structured(&hook)["items"][0].clone();
    assert_eq!(
        (&item["body"], &item["query"]),
        (&json!({ "a": 1 }), &json!({ "b": "2" })),
        "{}",
        hook.text
    );
}

#[tokio::test]
async fn an_assistant_builds_runs_and_repairs_a_workflow() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let client = McpClient::new(&app, "/mcp", Some(&key));
    let found = client.tool("search_nodes", json!({ "query": "http request", "limit": 3 })).await;
    assert_eq!(structured(&found)["nodes"][0]["type"], json!("n8n-nodes-base.httpRequest"));
    let page =
        client.tool("get_node", json!({ "type": "n8n-nodes-base.code" })).await.tool_text().0;
    assert!(page.contains("jsCode"), "{page}");
    let start = node("Start", "n8n-nodes-base.manualTrigger", 1.0, json!({}));
    let broken = node(
        "Code",
        "n8n-nodes-base.code",
        2.0,
        json!({ "jsCode": "return [{ json: { n: missing } }]" }),
    );
    let connections = json!({ "Start": to("Code", "main") });
    let draft = json!({ "nodes": [start, broken], "connections": connections });
    let checked = client.tool("validate_workflow", draft.clone()).await;
    assert_eq!(structured(&checked)["valid"], json!(true), "{}", checked.text);
    let mut unknown = draft.clone();
    unknown["nodes"][1]["type"] = json!("n8n-nodes-base.telepathy");
    let checked = structured(&client.tool("validate_workflow", unknown).await);
    assert!(checked["problems"].to_string().contains("NODE_TYPE_UNKNOWN"), "{checked}");
    let mut new = draft.clone();
    new["name"] = json!("Built");
    let made = structured(&client.tool("create_workflow", new.clone()).await);
    let (id, version) = (made["id"].clone(), made["versionId"].clone());
    let ran = client.tool("run_workflow", json!({ "id": id })).await;
    let ran = structured(&ran);
    assert_eq!(ran["status"], json!("error"), "{ran}");
    let why = structured(&client.tool("explain_execution", json!({ "id": ran["id"] })).await);
    assert_eq!(why["failedAt"]["node"], json!("Code"), "{why}");
    assert!(why["explanation"].as_str().unwrap().contains("missing"), "{why}");
    assert_eq!(why["failedAt"]["type"], json!("n8n-nodes-base.code"), "{why}");
    assert_eq!(why["failedAt"]["input"].as_array().unwrap().len(), 1, "{why}");
    let mut fixed = new;
    fixed["nodes"][1]["parameters"]["jsCode"] = json!("return [{ json: { n: 7 } }]");
    fixed["id"] = id.clone();
    fixed["versionId"] = version.clone();
    let updated = client.tool("update_workflow", fixed.clone()).await;
    assert_ne!(structured(&updated)["versionId"], version, "{}", updated.text);
    let (words, is_error) = client.tool("update_workflow", fixed).await.tool_text();
    assert!(is_error && words.contains("WORKFLOW_CHANGED"), "{words}");
    let ran = structured(&client.tool("run_workflow", json!({ "id": id })).await);
    assert_eq!(ran["status"], json!("success"), "{ran}");
    assert!(ran["items"].to_string().contains("\"n\":7"), "{ran}");
    let shown =
        structured(&client.tool("get_execution", json!({ "id": ran["id"], "node": "Code" })).await);
    assert_eq!(shown["steps"].as_array().unwrap().len(), 2, "{shown}");
    let listed =
        structured(&client.tool("list_executions", json!({ "workflowId": id, "limit": 1 })).await);
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    assert!(listed["nextCursor"].is_string(), "{listed}");
    let on = client.tool("activate_workflow", json!({ "id": id })).await;
    assert!(!on.tool_text().0.is_empty());
    let listed = structured(&client.tool("list_workflows", json!({ "query": "Built" })).await);
    assert_eq!(listed["data"][0]["id"], id, "{listed}");
    assert!(listed["data"][0].get("nodes").is_none(), "a list is short");
    let off = client.tool("deactivate_workflow", json!({ "id": id })).await;
    assert!(!off.tool_text().1, "{}", off.text);
}

#[tokio::test]
async fn hints_are_true_to_what_tools_do() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let listed = McpClient::new(&app, "/mcp", Some(&key)).call("tools/list", json!({})).await;
    let tools = listed.result()["tools"].as_array().unwrap().clone();
    let hint = |name: &str, hint: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == json!(name)).unwrap();
        tool["annotations"][hint].clone()
    };
    for reads in [
        "list_workflows",
        "get_workflow",
        "search_nodes",
        "get_node",
        "validate_workflow",
        "list_executions",
        "get_execution",
        "explain_execution",
    ] {
        assert_eq!(hint(reads, "readOnlyHint"), json!(true), "{reads}");
    }
    for changes in ["update_workflow", "activate_workflow", "deactivate_workflow", "run_workflow"] {
        assert_eq!(hint(changes, "readOnlyHint"), json!(false), "{changes}");
        assert_eq!(hint(changes, "destructiveHint"), json!(true), "{changes}");
    }
    assert_eq!(hint("create_workflow", "destructiveHint"), json!(false));
    for tool in &tools {
        assert!(!tool["inputSchema"].to_string().contains("$ref"), "{tool}");
        assert!(tool["title"].is_string() && tool["description"].is_string(), "{tool}");
    }
}

#[tokio::test]
async fn a_long_run_reports_progress_and_ends_when_the_client_cancels() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let id = save(&app, &key, &slow()).await;
    let client = McpClient::new(&app, "/mcp", Some(&key));
    let params = json!({ "name": "workflow_slow", "arguments": {}, "progressToken": "p" });
    let mut response = client.modern("tools/call", params).send().await.unwrap();
    let mut heard = String::new();
    while !heard.contains("notifications/progress") {
        heard.push_str(&String::from_utf8_lossy(&response.chunk().await.unwrap().unwrap()));
    }
    assert!(heard.contains("\"progressToken\":\"p\""), "{heard}");
    drop(response);
    for _ in 0..200 {
        let runs =
            api(&app, &key, "GET", &format!("/executions?workflowId={id}"), &Value::Null).await;
        let rows = runs.rows();
        let status = rows.first().and_then(|run| run.get("status")?.as_str().map(str::to_owned));
        if status.as_deref() == Some("canceled") {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("the run was not stopped");
}
