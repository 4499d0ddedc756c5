//! What a browser sends along for whoever is signed in stays between it and us: no workflow sees
//! it, and no journal keeps it.

use super::wire::{activate, echo, node, row, save, webhook};
use crate::app::{Reply, Session, TestApp};
use serde_json::json;
use std::time::{Duration, Instant};
use store::users::UserRole;

struct Visit {
    app: TestApp,
    key: String,
    session: Session,
}

impl Visit {
    async fn new() -> Self {
        let app = TestApp::start().await;
        app.user("a@b.c", UserRole::Editor).await;
        let (key, session) = (app.owner_key().await, app.log_in("a@b.c").await);
        Self { app, key, session }
    }

    /// A call as a page of ours would send it.
    async fn call(&self, method: &str, path: &str, cookies: &str) -> Reply {
        self.app
            .call(method, path)
            .header("Cookie", cookies)
            .header("X-CSRF-Token", &self.session.csrf)
            .send()
            .await
    }

    /// All of one's cookies, and one of somebody else's.
    fn cookies(&self) -> String {
        format!("{}; heddle_device=d.{}; other=1", self.session.cookie, self.secret())
    }

    fn secret(&self) -> &str {
        self.session.cookie.split_once('=').unwrap().1
    }

    fn shows_nothing(&self, text: &str) {
        assert!(!text.contains(self.secret()) && !text.contains(&self.session.csrf), "{text}");
    }

    /// The newest execution, with its data.
    async fn newest_execution(&self) -> String {
        let rows = self.app.call("GET", "/api/v1/executions").key(&self.key).send().await.rows();
        let id = model::json::to_string(rows[0].get("id").unwrap());
        let path = format!("/api/v1/executions/{}?includeData=true", id.trim_matches('"'));
        let kept = self.app.call("GET", &path).key(&self.key).send().await;
        assert_eq!(kept.status, 200, "{}", kept.body);
        kept.body
    }

    async fn keeps_nothing(&self) {
        self.shows_nothing(&self.newest_execution().await);
    }
}

#[tokio::test]
async fn issue_14_13_a_webhook_sees_no_session() {
    let visit = Visit::new().await;
    echo(&visit.app, "shop", json!({ "httpMethod": "GET" })).await;
    let reply = visit.call("GET", "/webhook/shop", &visit.cookies()).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(
        reply.json().get("headers").unwrap().get("cookie").unwrap().as_str(),
        Some("other=1")
    );
    visit.shows_nothing(&reply.body);
    visit.keeps_nothing().await;
    for cookies in [
        visit.session.cookie.clone(),
        format!("__Host-{}", visit.session.cookie),
        format!("={}", visit.session.cookie),
        visit.session.cookie.to_uppercase().replace(&visit.secret().to_uppercase(), visit.secret()),
    ] {
        let reply = visit.call("GET", "/webhook/shop", &cookies).await;
        assert!(
            reply.json().get("headers").unwrap().get("cookie").is_none(),
            "{cookies}: {}",
            reply.body
        );
        visit.shows_nothing(&reply.body);
    }
}

#[tokio::test]
async fn issue_14_13_a_test_webhook_sees_no_session() {
    let visit = Visit::new().await;
    let keep = node("Keep", "noOp", 1.0, json!({}));
    let id =
        save(&visit.app, &row("Draft", &[webhook("draft", "lastNode", json!({})), keep])).await;
    let listening = visit
        .app
        .call("POST", &format!("/api/v1/workflows/{id}/test-webhook"))
        .key(&visit.key)
        .json("{}")
        .send()
        .await;
    assert_eq!(listening.status, 200, "{}", listening.body);
    let reply = visit.call("POST", "/webhook-test/draft", &visit.cookies()).await;
    assert!(reply.status == 200 && reply.body.contains("other=1"), "{}", reply.body);
    visit.shows_nothing(&reply.body);
    visit.keeps_nothing().await;
}

#[tokio::test]
async fn issue_14_13_a_call_that_wakes_a_run_brings_no_session() {
    let visit = Visit::new().await;
    let told = json!({ "respondWith": "text", "responseBody": "={{ $execution.resumeUrl }}", "options": {} });
    let tell = node("Tell", "respondToWebhook", 1.1, told);
    let wait = node(
        "Wait",
        "wait",
        1.1,
        json!({ "resume": "webhook", "httpMethod": "GET", "responseMode": "lastNode", "options": {} }),
    );
    let keep = node("Keep", "noOp", 1.0, json!({}));
    activate(
        &visit.app,
        &row("Waits", &[webhook("waits", "responseNode", json!({})), tell, wait, keep]),
    )
    .await;
    let link = visit.call("POST", "/webhook/waits", "a=b").await.body;
    let path =
        format!("/{}", link.splitn(4, '/').nth(3).unwrap_or_else(|| panic!("no link: {link}")));
    let began = Instant::now();
    while !visit.newest_execution().await.contains("\"status\":\"waiting\"") {
        assert!(began.elapsed() < Duration::from_secs(60));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let reply = visit.call("GET", &path, &visit.cookies()).await;
    assert!(reply.status == 200 && reply.body.contains("other=1"), "{}", reply.body);
    visit.shows_nothing(&reply.body);
    visit.keeps_nothing().await;
}

#[tokio::test]
async fn issue_14_13_a_form_brings_no_session() {
    let visit = Visit::new().await;
    let fields = json!({ "values": [{ "fieldLabel": "Name" }] });
    let form = node(
        "Form",
        "formTrigger",
        2.2,
        json!({ "path": "ask", "formTitle": "Ask", "formFields": fields, "options": {} }),
    );
    activate(&visit.app, &row("Form", &[form])).await;
    let form = "application/x-www-form-urlencoded";
    let sent = visit
        .app
        .call("POST", "/form/ask")
        .header("Content-Type", form)
        .session(&visit.session)
        .send()
        .await;
    assert_eq!(sent.status, 200, "{}", sent.body);
    visit.shows_nothing(&sent.body);
    visit.keeps_nothing().await;
}
