//! Runs by hand: of what is drawn and not saved, from a trigger, to a node, and of triggers that
//! wait for a call.

use super::{EditorHarness, code, order, row, text};
use model::{Value, json};

fn three() -> Value {
    row(&[
        ("Start", "manualTrigger", json!({})),
        ("One", "code@2", code("return [{json: {n: 1}}]")),
        ("Two", "noOp", json!({})),
    ])
}

#[tokio::test]
async fn what_is_drawn_runs_without_being_saved() {
    let editor = EditorHarness::new().await;
    let outline = editor.ran(&json!({ "workflow": (three()) })).await;
    assert_eq!((text(&outline, "status"), text(&outline, "mode")), ("success", "manual"));
    assert_eq!(order(&outline), ["Start", "One", "Two"]);
    assert_eq!(editor.first(&outline, "Two").await, json!({ "n": 1 }));
    let saved = editor.get(&format!("/workflows/{}", editor.workflow)).await;
    assert_eq!(
        saved.json().get("nodes").and_then(Value::as_array).map(<[Value]>::len),
        Some(0),
        "nothing was saved"
    );
    let document =
        editor.get(&format!("/executions/{}/document", text(&outline, "id"))).await.json();
    assert_eq!(document.get("nodes"), three().get("nodes"));
    assert_eq!(text(&document, "id"), editor.workflow);
}

#[tokio::test]
async fn a_run_to_a_node_runs_only_what_leads_to_it() {
    let editor = EditorHarness::new().await;
    let mut workflow = three();
    // A branch beside, and one behind.
    for (from, to) in [("Start", "Beside"), ("Two", "Behind")] {
        let node = json!({ "name": (to), "type": "n8n-nodes-base.noOp", "typeVersion": 1, "position": [0, 0], "parameters": {} });
        workflow.make_object().entry("nodes").make_array().push(node);
        let outputs = workflow
            .make_object()
            .entry("connections")
            .make_object()
            .entry(from)
            .make_object()
            .entry("main")
            .make_array();
        if outputs.is_empty() {
            outputs.push(json!([]));
        }
        outputs[0].make_array().push(json!({ "node": (to), "type": "main", "index": 0 }));
    }
    let outline = editor.ran(&json!({ "workflow": (workflow.clone()), "until": "Two" })).await;
    assert_eq!(order(&outline), ["Start", "One", "Two"]);
    let whole = editor.ran(&json!({ "workflow": (workflow) })).await;
    assert_eq!(order(&whole).len(), 5);
}

#[tokio::test]
async fn items_stand_for_what_the_trigger_gives() {
    let editor = EditorHarness::new().await;
    let chat = row(&[
        ("Chat", "@n8n/n8n-nodes-langchain.chatTrigger@1.1", json!({ "options": {} })),
        (
            "Say",
            "set@3.4",
            json!({ "mode": "raw", "jsonOutput": "={{ { said: $json.chatInput } }}", "options": {} }),
        ),
    ]);
    let without = editor.run(&json!({ "workflow": (chat.clone()), "trigger": "Chat" })).await;
    assert_eq!(without.status, 400, "a chat begins with a message: {}", without.body);
    let message =
        json!({ "json": { "sessionId": "s", "action": "sendMessage", "chatInput": "Hello" } });
    let outline =
        editor.ran(&json!({ "workflow": (chat), "trigger": "Chat", "items": [(message)] })).await;
    assert_eq!(editor.first(&outline, "Say").await, json!({ "said": "Hello" }));
    let fed = editor.ran(&json!({ "workflow": (three()), "start": "Two", "items": [{ "json": { "mine": true } }] })).await;
    assert_eq!(order(&fed), ["Two"]);
    assert_eq!(editor.first(&fed, "Two").await, json!({ "mine": true }));
}

#[tokio::test]
async fn a_webhook_waits_for_a_test_call_of_what_is_drawn() {
    let editor = EditorHarness::new().await;
    let hook = row(&[
        ("Hook", "webhook@2", json!({ "httpMethod": "POST", "path": "drawn", "options": {} })),
        ("One", "noOp", json!({})),
        ("Two", "noOp", json!({})),
    ]);
    let waits = editor.run(&json!({ "workflow": (hook), "until": "One" })).await;
    assert_eq!(waits.status, 200, "{}", waits.body);
    assert!(waits.json().get("executionId").is_some_and(Value::is_null));
    let waiting = waits.json().get("waitingFor").cloned().unwrap();
    assert_eq!((text(&waiting, "method"), text(&waiting, "path")), ("POST", "drawn"));
    assert!(text(&waiting, "url").ends_with("/webhook-test/drawn"));
    assert_eq!(
        editor.app.call("POST", "/webhook-test/drawn").json(r#"{"a":1}"#).send().await.status,
        200
    );
    let found = editor.get(&format!("/executions?workflowId={}", editor.workflow)).await.rows();
    let outline = editor.outline(text(&found[0], "id")).await;
    assert_eq!(order(&outline), ["Hook", "One"]);
    assert_eq!(editor.first(&outline, "One").await.get("body"), Some(&json!({ "a": 1 })));
}

#[tokio::test]
async fn what_cannot_be_run_is_told_with_the_field_that_says_so() {
    let editor = EditorHarness::new().await;
    let with = |field: &str, value: Value| {
        let mut body = json!({ "workflow": (three()) });
        body.make_object().insert(field, value);
        body
    };
    for (body, status, word) in [
        (with("until", "Nobody".into()), 400, "until"),
        (with("trigger", "Nobody".into()), 400, "trigger"),
        (with("start", "Two".into()), 400, "reuse"),
        (with("items", json!([])), 400, "items"),
        (with("items", json!([1])), 400, "items"),
        (with("reuse", "999".into()), 404, "999"),
        (with("reuse", 7.into()), 400, "reuse"),
        (with("until", "".into()), 400, "until"),
        (with("unheardOf", true.into()), 400, "unheardOf"),
        (json!({ "workflow": { "nodes": [] } }), 400, "connections"),
        (json!({ "workflow": [] }), 400, "workflow"),
        (json!({ "workflow": { "nodes": [], "connections": {} } }), 422, "start"),
        (json!({}), 422, "start"),
        (json!([]), 400, "body"),
    ] {
        let reply = editor.run(&body).await;
        assert_eq!(reply.status, status, "{}: {}", model::json::to_string(&body), reply.body);
        assert!(reply.text("message").contains(word), "{word}: {}", reply.body);
    }
    assert_eq!(editor.post("/workflows/nope/run", &json!({})).await.status, 404);
    let other = editor
        .post("/workflows", &json!({ "name": "Other", "nodes": [], "connections": {} }))
        .await
        .text("id");
    let foreign = editor
        .post(&format!("/workflows/{other}/run"), &json!({ "workflow": (three()) }))
        .await
        .text("executionId");
    let reply = editor.run(&with("reuse", foreign.as_str().into())).await;
    assert_eq!(reply.status, 400, "{}", reply.body);
}

#[tokio::test]
async fn a_drawn_workflow_uses_only_the_credentials_of_its_project() {
    let editor = EditorHarness::new().await;
    editor.app.user("e@x.y", store::users::UserRole::Editor).await;
    let key = editor.app.key("e@x.y", &["*"]).await;
    let secret = json!({ "name": "Mine", "type": "httpBearerAuth", "data": { "token": "t" } });
    let credential = editor.post("/credentials", &secret).await.text("id");
    let mut workflow = row(&[
        ("Start", "manualTrigger", json!({})),
        ("Ask", "httpRequest@4.2", json!({ "url": "http://x.test/" })),
    ]);
    let nodes = workflow.make_object().entry("nodes").make_array();
    nodes[1]
        .make_object()
        .insert("credentials", json!({ "httpBearerAuth": { "id": (credential), "name": "Mine" } }));
    let own = r#"{"name":"Own","nodes":[],"connections":{},"settings":{}}"#;
    let own =
        editor.app.call("POST", "/api/v1/workflows").key(&key).json(own).send().await.text("id");
    let body = model::json::to_string(&json!({ "workflow": (workflow) }));
    let reply = editor
        .app
        .call("POST", &format!("/api/v1/workflows/{own}/run"))
        .key(&key)
        .json(&body)
        .send()
        .await;
    assert!(reply.status == 403 || reply.status == 422, "{} {}", reply.status, reply.body);
    assert_eq!(reply.text("code"), "CREDENTIAL_FOREIGN");
}
