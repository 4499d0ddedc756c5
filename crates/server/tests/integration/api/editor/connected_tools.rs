//! The tools of an agent as its model is offered them, told while the workflow is drawn.

use super::{EditorHarness, text};
use model::{Value, json};

fn node(name: &str, kind: &str, parameters: Value) -> Value {
    let mut node = json!({ "typeVersion": 1, "position": [0, 0] });
    let fields = node.make_object();
    fields.insert("id", name);
    fields.insert("name", name);
    fields.insert("type", kind);
    fields.insert("parameters", parameters);
    node
}

/// An agent with these tools.
fn workflow(tools: &[Value]) -> Value {
    let mut connections = json!({});
    for tool in tools {
        connections.make_object().insert(
            text(tool, "name"),
            json!({ "ai_tool": [[{ "node": "Agent", "type": "ai_tool", "index": 0 }]] }),
        );
    }
    let agent = node("Agent", "agent-core-react", json!({ "strategy": "react" }));
    let nodes: Vec<Value> = [agent].into_iter().chain(tools.to_vec()).collect();
    json!({ "name": "Drawn", "nodes": (nodes), "connections": (connections), "settings": {} })
}

#[tokio::test]
async fn issue_17_01_tools_are_told_with_the_names_and_schemas_that_a_model_gets() {
    let editor = EditorHarness::new().await;
    let mut fetch = node(
        "Fetch page",
        "n8n-nodes-base.httpRequestTool",
        json!({ "url": "={{ $fromAI('address', 'Where', 'string') }}", "options": {} }),
    );
    fetch.make_object().insert("typeVersion", 4.2);
    let tools = [
        node("Sum", "calculator-tool", json!({})),
        fetch,
        node("Odd", "nobody-knows-this", json!({})),
    ];
    let body = json!({ "workflow": (workflow(&tools)), "node": "Agent" });
    let reply = editor.post("/workflows/tools", &body).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let told = reply.json();
    let of = |name: &str| {
        let found = told.get("data").and_then(Value::as_array).unwrap().iter();
        found.clone().find(|told| text(told, "node") == name).cloned().unwrap()
    };
    let first = |name: &str| of(name).get_path("tools.0").cloned().unwrap();
    assert_eq!(text(&first("Sum"), "name"), "calculator");
    assert!(first("Sum").get_path("parameters.properties.expression").is_some());
    assert_eq!(text(&first("Fetch page"), "name"), "Fetch_page");
    assert!(first("Fetch page").get_path("parameters.properties.address").is_some());
    let problem = of("Odd").get("error").cloned().unwrap();
    assert_eq!(text(&problem, "code"), "NODE_TYPE_UNKNOWN");
}

/// Neither a credential of somebody else nor a loop reaches further than in any preview.
#[tokio::test]
async fn issue_17_01_telling_tools_opens_no_credential_and_ends() {
    let editor = EditorHarness::new().await;
    let endless = node(
        "Endless",
        "calculator-tool",
        json!({ "description": "={{ (() => { while (true) {} })() }}" }),
    );
    let body = json!({ "workflow": (workflow(&[endless])), "node": "Agent" });
    let reply = editor.post("/workflows/tools", &body).await;
    assert!(reply.status < 500 || reply.status == 503, "{}", reply.body);
    let body = json!({ "workflow": (workflow(&[])), "node": "Nobody" });
    assert_eq!(editor.post("/workflows/tools", &body).await.status, 400);
    let body = json!({ "workflow": (workflow(&[])), "node": "Agent", "workflowId": "not-mine" });
    assert_eq!(editor.post("/workflows/tools", &body).await.status, 404);
}
