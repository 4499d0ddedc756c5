//! Expressions shown while they are written, and what is wrong with a workflow.

use super::{EditorHarness, code, row, text};
use model::{Value, json};

fn workflow() -> Value {
    row(&[
        ("Start", "manualTrigger", json!({})),
        ("Make", "code@2", code("return [{ json: { n: 1 } }, { json: { n: 2 } }]")),
        ("Set", "set@3.4", json!({ "assignments": { "assignments": [] }, "options": {} })),
    ])
}

#[tokio::test]
async fn an_expression_is_evaluated_with_the_data_of_an_execution() {
    let editor = EditorHarness::new().await;
    let ran = editor.ran(&json!({ "workflow": (workflow()), "until": "Make" })).await;
    let given = async |expression: &str, item: i32| {
        let body = json!({ "workflow": (workflow()), "node": "Set", "expression": (expression), "item": (item), "executionId": (text(&ran, "id")) });
        let reply = editor.post("/workflows/expression", &body).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json()
    };
    let number = given("={{ $json.n + 1 }}", 1).await;
    assert_eq!(
        (number.get("value"), text(&number, "type"), text(&number, "text")),
        (Some(&json!(3)), "number", "3")
    );
    let words = given("=n is {{ $json.n }} of {{ $('Make').all().length }}", 0).await;
    assert_eq!((text(&words, "value"), text(&words, "type")), ("n is 1 of 2", "string"));
    let list = given("={{ $input.all().map(item => item.json.n) }}", 0).await;
    assert_eq!(list.get("value"), Some(&json!([1, 2])));
    let missing = given("={{ $('Nobody').item.json.n }}", 0).await;
    assert!(
        text(missing.get("error").unwrap(), "message").contains("doesn't exist"),
        "{missing:?}"
    );
    let malformed = given("={{ 1 + }}", 0).await;
    assert_eq!(text(malformed.get("error").unwrap(), "code"), "EXPRESSION_SYNTAX");
    let endless = given("={{ (() => { while (true) {} })() }}", 0).await;
    assert!(endless.get("error").is_some(), "{endless:?}");
    let long = given("={{ 'x'.repeat(100000) }}", 0).await;
    assert_eq!(
        (long.get("truncated").and_then(Value::as_bool), long.get("value")),
        (Some(true), None)
    );
}

#[tokio::test]
async fn issue_14_00_a_value_with_a_text_many_times_its_size_is_written_only_as_far_as_it_is_shown()
{
    let editor = EditorHarness::new().await;
    let given = async |expression: &str| {
        let reply = editor
            .post(
                "/workflows/expression",
                &json!({ "workflow": (workflow()), "node": "Set", "expression": (expression) }),
            )
            .await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert!(reply.body.len() < 200 << 10, "{}", reply.body.len());
        reply.json()
    };
    // A million lines, each indented by a thousand blanks.
    let deep = given("={{ Array(500).fill(0).reduce(a => [a], Array(1000000).fill(1)) }}").await;
    assert_eq!(
        (deep.get("truncated").and_then(Value::as_bool), deep.get("value"), text(&deep, "type")),
        (Some(true), None, "array")
    );
    assert!(text(&deep, "text").starts_with("[\n  [\n"));
    // What nobody would read is not taken out of the sandbox.
    let large = given("={{ (() => Array(200).fill('x'.repeat(100000)))() }}").await;
    assert!(text(large.get("error").unwrap(), "message").contains("12582912 bytes"), "{large:?}");
}

#[tokio::test]
async fn pinned_data_stands_in_for_what_has_not_run() {
    let editor = EditorHarness::new().await;
    let mut drawn = workflow();
    drawn.make_object().insert("pinData", json!({ "Make": [{ "json": { "n": 41 } }] }));
    let body = json!({ "workflow": (drawn), "node": "Set", "expression": "={{ $json.n + 1 }}" });
    assert_eq!(
        editor.post("/workflows/expression", &body).await.json().get("value"),
        Some(&json!(42))
    );
    let body = json!({ "workflow": (workflow()), "node": "Set", "expression": "={{ $vars.city }}", "workflowId": (editor.workflow.as_str()) });
    assert_eq!(
        editor.post("/variables", &json!({ "key": "city", "value": "Ghent" })).await.status,
        201
    );
    let began = std::time::Instant::now();
    // Variables reach runs within a second.
    while editor.post("/workflows/expression", &body).await.json().get("value")
        != Some(&"Ghent".into())
    {
        assert!(began.elapsed() < std::time::Duration::from_secs(60));
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    for (body, status) in [
        (json!({ "workflow": (workflow()), "node": "Nobody", "expression": "=1" }), 400),
        (json!({ "workflow": (workflow()), "expression": "=1" }), 400),
        (json!({ "node": "Set", "expression": "=1" }), 400),
        (json!({ "workflow": (workflow()), "node": "Set", "expression": "=1", "item": -1 }), 400),
        (
            json!({ "workflow": (workflow()), "node": "Set", "expression": "=1", "executionId": "77" }),
            404,
        ),
        (
            json!({ "workflow": (workflow()), "node": "Set", "expression": "=1", "workflowId": "nope" }),
            404,
        ),
    ] {
        assert_eq!(
            editor.post("/workflows/expression", &body).await.status,
            status,
            "{}",
            model::json::to_string(&body)
        );
    }
}

#[tokio::test]
async fn a_check_tells_problems_and_how_each_node_is_supported() {
    let editor = EditorHarness::new().await;
    let drawn = row(&[
        ("Start", "manualTrigger", json!({})),
        ("Ask", "httpRequest@4.2", json!({ "url": "" })),
        ("Odd", "n8n-nodes-base.doesNotExist", json!({})),
        ("Old", "merge@77", json!({})),
    ]);
    let reply = editor.post("/workflows/check", &drawn).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    let report = reply.json();
    let of = |list: &str| report.get(list).and_then(Value::as_array).unwrap().to_vec();
    let support: Vec<String> = of("nodes")
        .iter()
        .map(|node| format!("{} {}", text(node, "name"), text(node, "support")))
        .collect();
    assert_eq!(support, ["Start full", "Ask full", "Odd unknown", "Old version"]);
    let empty = of("problems")
        .into_iter()
        .find(|problem| problem.get("parameter") == Some(&"url".into()))
        .unwrap();
    assert_eq!(
        (text(&empty, "severity"), text(&empty, "node"), text(&empty, "code")),
        ("warning", "Ask", "NODE_PARAMETER")
    );
    let stopped: Vec<String> = of("problems")
        .iter()
        .filter(|problem| problem.get("stopsNode") == Some(&true.into()))
        .map(|problem| format!("{} {}", text(problem, "node"), text(problem, "code")))
        .collect();
    assert_eq!(stopped, ["Odd NODE_TYPE_UNKNOWN", "Old NODE_VERSION_UNKNOWN"]);
    for body in [
        json!({}),
        json!([]),
        json!({ "nodes": {}, "connections": {} }),
        json!({ "nodes": [7], "connections": {} }),
    ] {
        assert_eq!(editor.post("/workflows/check", &body).await.status, 400);
    }
}

#[tokio::test]
async fn a_check_tells_which_credentials_are_not_there() {
    let editor = EditorHarness::new().await;
    let secret = json!({ "name": "Shop", "type": "httpHeaderAuth", "data": { "name": "X-Key", "value": "s3cret" } });
    let id = editor.post("/credentials", &secret).await.text("id");
    let request = |name: &str, kind: &str, id: &str| {
        json!({
            "name": (name), "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2, "position": [0, 0],
            "parameters": { "url": "https://example.com", "authentication": "genericCredentialType", "genericAuthType": (kind) },
            "credentials": { (kind): { "id": (id), "name": "Shop" } }
        })
    };
    let nodes = json!([
        (request("Fits", "httpHeaderAuth", &id)),
        (request("Of another type", "httpBasicAuth", &id)),
        (request("Gone", "httpHeaderAuth", "no-such-id")),
        (request("Not chosen", "httpHeaderAuth", ""))
    ]);
    let drawn = json!({ "nodes": (nodes), "connections": {} });
    let report = editor.post("/workflows/check", &drawn).await.json();
    let problems = report.get("problems").and_then(Value::as_array).unwrap();
    let mut lacking: Vec<&str> = problems
        .iter()
        .filter(|problem| text(problem, "code") == "CREDENTIAL_MISSING")
        .map(|problem| text(problem, "node"))
        .collect();
    lacking.sort();
    assert_eq!(lacking, ["Gone", "Not chosen", "Of another type"]);
}
