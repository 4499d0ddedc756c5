//! Whose calls a trigger takes may be said with an expression: it sees the variables, is asked
//! again when they change, and lets nobody in when it gives nothing.

use super::addresses::{AddressHarness, hook};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use store::projects::ProjectStore as _;

/// A webhook that takes calls from some addresses only.
fn guarded(list: &str) -> Value {
    let mut document = hook("guarded", "guarded", None);
    document["nodes"][0]["parameters"]["options"]["ipWhitelist"] = json!(list);
    document
}

fn alone(kind: &str, version: f64, parameters: &Value) -> Value {
    let node = json!({
        "id": "n", "name": "Trigger", "type": kind, "typeVersion": version, "position": [0, 0], "webhookId": "w-1", "parameters": parameters
    });
    json!({ "name": "n", "nodes": [node], "connections": {}, "settings": {} })
}

#[tokio::test]
async fn issue_14_16_an_access_list_in_a_variable_holds_and_follows_it() {
    let world = AddressHarness::new().await;
    let owner = world.app.owner_key().await;
    let variable = |value: &str| json!({ "key": "OFFICE", "value": value });
    let status = async || world.app.call("POST", "/webhook/guarded").send().await.status;
    let made = world.api(&owner, "POST", "/variables", &variable("203.0.113.0/24")).await;
    let path = format!("/variables/{}", made.text("id"));
    let id = world.active(&world.victim, &guarded("={{ $vars.OFFICE }}")).await;
    assert_eq!(status().await, 403, "we are not in the office");
    assert_eq!(
        world.api(&owner, "PUT", &path, &variable("203.0.113.7, 127.0.0.0/8")).await.status,
        204
    );
    assert_eq!(status().await, 200);
    // A variable of the project stands over that of everybody.
    let user = store::UserStore::user(&world.app.store, "victim@x.y").await.unwrap().unwrap();
    let project = world.app.store.personal_project(&user.id).await.unwrap().unwrap();
    let mut own = variable("203.0.113.9");
    own["projectId"] = json!(project.as_str());
    let own = world.api(&world.victim, "POST", "/variables", &own).await;
    assert_eq!((own.status, status().await), (201, 403), "{}", own.body);
    assert_eq!(
        world
            .api(&world.victim, "DELETE", &format!("/variables/{}", own.text("id")), &Value::Null)
            .await
            .status,
        204
    );
    assert_eq!(status().await, 200);
    for nothing in ["", " , "] {
        assert_eq!(world.api(&owner, "PUT", &path, &variable(nothing)).await.status, 204);
        assert_eq!(status().await, 404, "{nothing:?}: whoever is not said to be let in is not");
    }
    assert_eq!(world.api(&owner, "PUT", &path, &variable("127.0.0.1")).await.status, 204);
    assert_eq!(status().await, 200);
    assert_eq!(world.api(&owner, "DELETE", &path, &Value::Null).await.status, 204);
    assert_eq!(status().await, 404);
    let (_, why) = world
        .app
        .runtime
        .silent_workflows()
        .into_iter()
        .find(|(silent, _)| *silent == *id)
        .unwrap();
    assert!(why.to_string().contains("ipWhitelist"), "{why}");
    // A start finds it as it is.
    assert!(matches!(
        world.app.restarted().await.find(runtime::EndpointKind::Webhook, "POST", "guarded"),
        runtime::RouteMatch::Nothing
    ));
}

#[tokio::test]
async fn issue_14_16_a_guard_that_an_expression_leaves_empty_refuses_to_listen() {
    let world = AddressHarness::new().await;
    let webhook = |parameters: Value| {
        let mut all = json!({ "httpMethod": "POST", "path": "open" });
        all.as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
        alone("n8n-nodes-base.webhook", 2.1, &all)
    };
    let form = |parameters: Value| {
        let mut all =
            json!({ "formTitle": "t", "formFields": { "values": [{ "fieldLabel": "a" }] } });
        all.as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
        alone("n8n-nodes-base.formTrigger", 2.2, &all)
    };
    let chat = |parameters: Value| {
        let mut all = json!({ "public": true });
        all.as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
        alone("@n8n/n8n-nodes-langchain.chatTrigger", 1.4, &all)
    };
    let nothing = "={{ $vars.NOPE }}";
    let mut cases = vec![
        webhook(json!({ "options": nothing })),
        webhook(json!({ "authentication": nothing })),
        webhook(json!({ "responseMode": "lastNode", "responseData": nothing })),
        webhook(
            json!({ "responseMode": "lastNode", "options": { "responsePropertyName": nothing } }),
        ),
        webhook(json!({ "options": { "ipWhitelist": "={{ $secrets.list }}" } })),
        webhook(json!({ "options": { "ipWhitelist": "={{ $env.LIST }}" } })),
        form(json!({ "authentication": nothing })),
        form(json!({ "authentication": "={{ 'none' }}" })),
        form(json!({ "options": { "ignoreBots": nothing } })),
        chat(json!({ "authentication": nothing })),
        chat(json!({ "authentication": "={{ $vars.NOPE || 'none' }}" })),
    ];
    for empty in [
        nothing,
        "={{ '' }}",
        "={{ null }}",
        "={{ [] }}",
        "={{ $vars.NOPE }},{{ $vars.NOPE }}",
        "={{ $execution.id }}",
        "= ",
    ] {
        cases.push(webhook(json!({ "options": { "ipWhitelist": empty } })));
    }
    for option in ["ignoreBots", "allowedOrigins", "deliveryHeader"] {
        cases.push(webhook(json!({ "options": { option: nothing } })));
    }
    for option in ["allowedOrigins", "allowedFilesMimeTypes", "eventDetail"] {
        cases.push(chat(json!({ "options": { option: nothing } })));
    }
    for document in cases {
        let parameters = &document["nodes"][0]["parameters"];
        let id = world.save(&world.victim, &document).await;
        let refused = world.activate(&world.victim, &id).await;
        assert!(
            (400..500).contains(&refused.status),
            "{parameters} gave {} {}",
            refused.status,
            refused.body
        );
        let listens = world
            .api(&world.victim, "POST", &format!("/workflows/{id}/test-webhook"), &json!({}))
            .await;
        assert!(
            (400..500).contains(&listens.status),
            "{parameters} gave {} {}",
            listens.status,
            listens.body
        );
    }
    for (path, status) in [
        ("/webhook/open", 404),
        ("/webhook-test/open", 404),
        ("/form/w-1", 404),
        ("/webhook/w-1/chat", 404),
    ] {
        assert_eq!(world.app.call("POST", path).send().await.status, status, "{path}");
    }
    // What is written down is taken as it is.
    for document in [
        webhook(
            json!({ "options": { "ipWhitelist": "", "ignoreBots": false, "allowedOrigins": "" } }),
        ),
        form(json!({ "options": { "ignoreBots": "={{ false }}" } })),
        chat(json!({ "options": { "allowedFilesMimeTypes": "={{ 'image/*' }}" } })),
    ] {
        let id = world.active(&world.victim, &document).await;
        world
            .api(&world.victim, "POST", &format!("/workflows/{id}/deactivate"), &Value::Null)
            .await;
    }
}

#[tokio::test]
async fn issue_14_16_a_wait_whose_guard_is_empty_is_woken_by_nobody() {
    let world = AddressHarness::new().await;
    for (option, expected) in [
        ("={{ $json.body.office }}", 422),
        ("={{ '127.0.0.1' }}", 200),
        ("={{ '203.0.113.7' }}", 403),
    ] {
        let mut document = hook("waits", "waits", None);
        let wait = json!({
            "id": "w", "name": "Wait", "type": "n8n-nodes-base.wait", "typeVersion": 1.1, "position": [0, 0],
            "parameters": { "resume": "webhook", "httpMethod": "POST", "options": { "ipWhitelist": option } }
        });
        document["nodes"].as_array_mut().unwrap().push(wait);
        document["connections"] = json!({ "Hook of waits": { "main": [[{ "node": "Wait", "type": "main", "index": 0 }]] } });
        let id = world.active(&world.victim, &document).await;
        assert_eq!(world.app.call("POST", "/webhook/waits").json("{}").send().await.status, 200);
        let began = Instant::now();
        let execution = loop {
            let rows = world
                .api(
                    &world.victim,
                    "GET",
                    &format!("/executions?workflowId={id}&status=waiting"),
                    &Value::Null,
                )
                .await
                .rows();
            if let Some(row) = rows.first() {
                break row.get("id").unwrap().as_str().unwrap().to_owned();
            }
            assert!(began.elapsed() < Duration::from_secs(60), "it does not wait");
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        let asked = json!({
            "workflow": document, "workflowId": id, "executionId": execution, "node": "Wait", "expression": "={{ $execution.resumeUrl }}"
        });
        let address =
            world.api(&world.victim, "POST", "/workflows/expression", &asked).await.text("text");
        let path = format!("/{}", address.splitn(4, '/').nth(3).unwrap());
        let reply = world.app.call("POST", &path).json("{}").send().await;
        assert_eq!(reply.status, expected, "{option}: {}", reply.body);
        let status = world
            .api(&world.victim, "GET", &format!("/executions/{execution}"), &Value::Null)
            .await
            .text("status");
        assert_eq!(status == "waiting", expected != 200, "{option}: {status}");
        world
            .api(&world.victim, "POST", &format!("/workflows/{id}/deactivate"), &Value::Null)
            .await;
    }
}
