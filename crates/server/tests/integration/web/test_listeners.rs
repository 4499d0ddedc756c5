//! Test addresses: one call, for two minutes, of a workflow as it was last saved.

use super::wire::{node, row, save, send, webhook};
use crate::app::{Reply, TestApp, TestOptions};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

async fn listen(app: &TestApp, id: &str, body: &Value) -> Reply {
    let key = app.owner_key().await;
    app.call("POST", &format!("/api/v1/workflows/{id}/test-webhook"))
        .key(&key)
        .json(&body.to_string())
        .send()
        .await
}

fn shown(text: &str) -> Value {
    let assignments = json!([{ "id": "1", "name": "told", "value": text, "type": "string" }]);
    node(
        "Tell",
        "set",
        3.4,
        json!({ "assignments": { "assignments": assignments }, "options": {} }),
    )
}

#[tokio::test]
async fn a_draft_takes_one_test_call_as_it_was_last_saved() {
    let app = TestApp::start().await;
    let hook = || webhook("draft", "lastNode", json!({}));
    let id = save(&app, &row("Draft", &[hook(), shown("={{ $json.executionMode }} one")])).await;
    let missing = send(&app, "POST", "/webhook-test/draft", &[], b"").await;
    assert_eq!((missing.status, missing.text("code").as_str()), (404, "WEBHOOK_NOT_FOUND"));
    assert!(missing.text("hint").contains("Listen for test event"));
    let key = app.owner_key().await;
    let newer = row("Draft", &[hook(), shown("={{ $json.executionMode }} two")]);
    app.call("PUT", &format!("/api/v1/workflows/{id}"))
        .key(&key)
        .json(&newer.to_string())
        .send()
        .await;
    let listening = listen(&app, &id, &json!({})).await;
    assert_eq!(listening.status, 200, "{}", listening.body);
    let address =
        listening.json().get("addresses").and_then(model::Value::as_array).unwrap()[0].clone();
    assert_eq!(
        address.get("url").unwrap().as_str().unwrap(),
        format!("http://{}/webhook-test/draft", app.address)
    );
    assert_eq!(
        send(&app, "GET", "/webhook-test/draft", &[], b"").await.status,
        404,
        "another method is another address"
    );
    assert_eq!(
        send(&app, "POST", "/webhook/draft", &[], b"").await.status,
        404,
        "the workflow is not active"
    );
    assert_eq!(send(&app, "POST", "/webhook-test/draft", &[], b"").await.text("told"), "test two");
    assert_eq!(
        send(&app, "POST", "/webhook-test/draft", &[], b"").await.status,
        404,
        "each press is good for one call"
    );
    let executions = app.call("GET", "/api/v1/executions").key(&key).send().await.rows();
    assert_eq!(executions.len(), 1);
    assert_eq!(executions[0].get("mode").and_then(model::Value::as_str), Some("manual"));
}

#[tokio::test]
async fn listening_ends_by_itself_and_when_asked() {
    let later_ms = Arc::new(AtomicI64::new(0));
    let app =
        TestApp::start_with(TestOptions { later_ms: later_ms.clone(), ..TestOptions::default() })
            .await;
    let id = save(&app, &row("Draft", &[webhook("draft", "lastNode", json!({}))])).await;
    assert_eq!(listen(&app, &id, &json!({})).await.status, 200);
    later_ms.store(121_000, Ordering::Relaxed);
    assert_eq!(send(&app, "POST", "/webhook-test/draft", &[], b"").await.status, 404);
    assert_eq!(listen(&app, &id, &json!({})).await.status, 200);
    let key = app.owner_key().await;
    let stop = async || {
        app.call("DELETE", &format!("/api/v1/workflows/{id}/test-webhook"))
            .key(&key)
            .send()
            .await
            .status
    };
    assert_eq!((stop().await, stop().await), (204, 404));
    assert_eq!(send(&app, "POST", "/webhook-test/draft", &[], b"").await.status, 404);
}

#[tokio::test]
async fn a_test_needs_an_address_of_its_own() {
    let app = TestApp::start().await;
    let one = save(&app, &row("One", &[webhook("same", "lastNode", json!({}))])).await;
    let two = save(&app, &row("Two", &[webhook("same", "lastNode", json!({}))])).await;
    assert_eq!(listen(&app, &one, &json!({})).await.status, 200);
    assert_eq!(listen(&app, &one, &json!({})).await.status, 200, "pressing again starts over");
    let rival = listen(&app, &two, &json!({})).await;
    assert_eq!((rival.status, rival.text("code").as_str()), (409, "WEBHOOK_TAKEN"));
    let none = save(&app, &row("None", &[node("Start", "manualTrigger", 1.0, json!({}))])).await;
    assert_eq!(listen(&app, &none, &json!({})).await.status, 422);
    assert_eq!(listen(&app, &one, &json!({ "node": "Nobody" })).await.status, 422);
    assert_eq!(listen(&app, &one, &json!({ "unknown": 1 })).await.status, 400);
    assert_eq!(listen(&app, "nope", &json!({})).await.status, 404);
}

#[tokio::test]
async fn a_test_may_stop_at_a_node() {
    let app = TestApp::start().await;
    let end = node("End", "stopAndError", 1.0, json!({ "errorMessage": "too far" }));
    let id =
        save(&app, &row("Draft", &[webhook("stop", "lastNode", json!({})), shown("here"), end]))
            .await;
    assert_eq!(listen(&app, &id, &json!({ "destinationNode": "Tell" })).await.status, 200);
    assert_eq!(send(&app, "POST", "/webhook-test/stop", &[], b"").await.text("told"), "here");
}

#[tokio::test]
async fn a_form_is_shown_as_often_as_one_likes_and_sent_once() {
    let app = TestApp::start().await;
    let fields = json!({ "values": [{ "fieldLabel": "Name", "requiredField": true }] });
    let form = node(
        "Form",
        "formTrigger",
        2.2,
        json!({ "path": "ask", "formTitle": "Ask", "formFields": fields, "options": {} }),
    );
    let id = save(&app, &row("Form", &[form])).await;
    assert_eq!(send(&app, "GET", "/form-test/ask", &[], b"").await.status, 404);
    let listening = listen(&app, &id, &json!({})).await;
    assert!(listening.body.contains("/form-test/ask"), "{}", listening.body);
    for _ in 0..2 {
        assert!(send(&app, "GET", "/form-test/ask", &[], b"").await.body.contains("<h1>Ask</h1>"));
    }
    let fill = async |body: &str| {
        send(
            &app,
            "POST",
            "/form-test/ask",
            &[("Content-Type", "application/x-www-form-urlencoded")],
            body.as_bytes(),
        )
        .await
    };
    assert!(
        fill("Name=").await.body.contains("This field is required."),
        "a mistake does not use it up"
    );
    assert_eq!(fill("Name=Ada").await.status, 200);
    assert_eq!(fill("Name=Ada").await.status, 404);
    let key = app.owner_key().await;
    let run = app.call("GET", "/api/v1/executions?includeData=true").key(&key).send().await.rows()
        [0]
    .clone();
    assert!(model::json::to_string(&run).contains("\"formMode\":\"test\""));
}
