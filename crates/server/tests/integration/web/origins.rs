//! Names under which an instance is reached: those of strangers are refused, and workflows may have
//! an origin of their own.

use super::wire::{activate, echo, node, row};
use crate::app::{Reply, TestApp, TestOptions};
use serde_json::json;

async fn at(app: &TestApp, host: &str, method: &str, path: &str) -> Reply {
    app.call(method, path).header("Host", host).send().await
}

#[tokio::test]
async fn issue_14_00_a_page_whose_name_was_pointed_here_reaches_nothing() {
    let app = TestApp::start().await;
    let port = app.address.port();
    let key = app.owner_key().await;
    for path in
        ["/", "/api/setup", "/api/me", "/api/v1/workflows", "/v1/models", "/metrics", "/invitation"]
    {
        let reply = at(&app, &format!("rebound.example:{port}"), "GET", path).await;
        assert_eq!(
            (reply.status, reply.text("code").as_str()),
            (421, "HOST_NOT_ALLOWED"),
            "{path}"
        );
    }
    let list = app
        .call("GET", "/api/v1/workflows")
        .key(&key)
        .header("Host", &format!("rebound.example:{port}"))
        .send()
        .await;
    assert_eq!(list.status, 421, "a key makes no difference");
    assert_eq!(at(&app, &format!("localhost:{port}"), "GET", "/api/setup").await.status, 200);
    assert_eq!(at(&app, "rebound.example", "GET", "/healthz").await.status, 200);
}

#[tokio::test]
async fn issue_14_00_on_this_machine_alone_workflows_answer_no_foreign_page() {
    let app = TestApp::start().await;
    let everybody = TestApp::start_with(TestOptions {
        base_url: Some("https://heddle.example.com"),
        ..TestOptions::default()
    })
    .await;
    for app in [&app, &everybody] {
        echo(app, "quiet", json!({})).await;
        echo(app, "open", json!({ "options": { "allowedOrigins": "*" } })).await;
        echo(app, "listed", json!({ "options": { "allowedOrigins": "https://a.example" } })).await;
    }
    let rebound =
        at(&app, &format!("rebound.example:{}", app.address.port()), "POST", "/webhook/quiet")
            .await;
    assert_eq!((rebound.status, rebound.text("code").as_str()), (421, "HOST_NOT_ALLOWED"));
    assert_eq!(at(&app, "localhost", "POST", "/webhook/quiet").await.status, 200);
    assert_eq!(at(&everybody, "any.example", "POST", "/webhook/quiet").await.status, 200);
    for (app, path, allowed) in [
        (&app, "quiet", None),
        (&app, "open", Some("*")),
        (&app, "listed", Some("https://a.example")),
        (&everybody, "quiet", Some("*")),
        (&everybody, "open", Some("*")),
        (&everybody, "listed", Some("https://a.example")),
    ] {
        let call = |method: &str| {
            app.call(method, &format!("/webhook/{path}")).header("Origin", "https://a.example")
        };
        let asked = call("OPTIONS").header("Access-Control-Request-Method", "POST").send().await;
        for reply in [asked, call("POST").send().await] {
            assert_eq!(
                reply.header("access-control-allow-origin"),
                allowed,
                "{path}: {}",
                reply.head
            );
        }
    }
}

#[tokio::test]
async fn issue_14_05_webhooks_answer_at_their_own_origin_and_the_editor_at_the_other() {
    let app = TestApp::start_with(TestOptions {
        webhook_host: Some("localhost"),
        ..TestOptions::default()
    })
    .await;
    let port = app.address.port();
    let (hooks, editor) = (format!("localhost:{port}"), app.address.to_string());
    echo(&app, "mine", json!({})).await;
    let fields = json!({ "values": [{ "fieldLabel": "data" }] });
    activate(
        &app,
        &row(
            "form",
            &[node(
                "Form",
                "formTrigger",
                2.2,
                json!({ "path": "form", "formTitle": "F", "formFields": fields, "options": {} }),
            )],
        ),
    )
    .await;
    let called = at(&app, &hooks, "POST", "/webhook/mine").await;
    assert_eq!(called.status, 200);
    assert_eq!(called.text("webhookUrl"), format!("http://{hooks}/webhook/mine"));
    assert_eq!(at(&app, &hooks, "GET", "/form/form").await.status, 200);
    for path in [
        "/webhook/mine",
        "/webhook/%6dine",
        "/webhook-test/mine",
        "/webhook-waiting/1-a",
        "/webhook-waiting/1-a/b",
        "/form-waiting/1-a",
        "/webhook/nothing",
    ] {
        let reply = at(&app, &editor, "POST", path).await;
        assert_eq!(
            (reply.status, reply.text("code").as_str()),
            (421, "HOST_NOT_ALLOWED"),
            "{path}"
        );
        assert!(reply.text("hint").contains(&format!("http://{hooks}")), "{}", reply.body);
    }
    assert_eq!(at(&app, &editor, "GET", "/form/form").await.status, 421);
    for path in ["/", "/api/setup", "/api/me", "/api/v1/workflows", "/v1/models", "/metrics"] {
        assert_eq!(at(&app, &hooks, "GET", path).await.status, 421, "{path}");
        assert_ne!(at(&app, &editor, "GET", path).await.status, 421, "{path}");
    }
    for host in [&hooks, &editor] {
        assert_eq!(at(&app, host, "GET", "/healthz/readiness").await.status, 200);
    }
    let key = app.owner_key().await;
    let instance = app.call("GET", "/api/v1/instance").key(&key).send().await;
    assert_eq!(instance.text("webhookUrl"), format!("http://{hooks}"));
}

#[tokio::test]
async fn issue_14_05_a_chat_for_people_of_the_instance_stays_where_they_are_signed_in() {
    let app = TestApp::start_with(TestOptions {
        webhook_host: Some("localhost"),
        ..TestOptions::default()
    })
    .await;
    for (path, authentication) in [("people", "n8nUserAuth"), ("anybody", "none")] {
        let chat = json!({ "id": "Chat", "name": "Chat", "type": "@n8n/n8n-nodes-langchain.chatTrigger", "typeVersion": 1.4,
            "position": [0, 0], "webhookId": path, "parameters": { "public": true, "authentication": authentication, "options": {} } });
        activate(&app, &row(path, &[chat])).await;
    }
    let editor = app.address.to_string();
    let page = at(&app, &editor, "GET", "/webhook/people/chat").await;
    assert_eq!(page.status, 401, "{}", page.body);
    assert!(page.body.contains("Sign in first"));
    app.user("a@b.c", store::users::UserRole::Editor).await;
    let session = app.log_in("a@b.c").await;
    assert_eq!(app.call("GET", "/webhook/people/chat").cookie(&session).send().await.status, 200);
    assert_eq!(at(&app, &editor, "GET", "/webhook/anybody/chat").await.status, 421);
    assert_eq!(
        at(&app, &format!("localhost:{}", app.address.port()), "GET", "/webhook/anybody/chat")
            .await
            .status,
        200
    );
}
