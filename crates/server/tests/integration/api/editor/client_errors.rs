//! Errors of the editor in the server's log.

use crate::app::{Reply, TestApp};
use model::{Value, json};
use std::io::Write;
use std::sync::{Arc, Mutex};
use store::users::UserRole;
use tracing::subscriber::DefaultGuard;

/// What is logged on this thread, as the server writes it.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn listen() -> (Self, DefaultGuard) {
        let log = Self::default();
        let writer = log.clone();
        let subscriber =
            tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).finish();
        (log, tracing::subscriber::set_default(subscriber))
    }

    fn lines(&self) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines()
            .filter(|line| line.contains("WARN") || !line.contains("INFO"))
            .map(str::to_owned)
            .collect()
    }
}

async fn send(app: &TestApp, key: &str, body: &Value) -> Reply {
    app.call("POST", "/api/v1/client-errors")
        .key(key)
        .header("User-Agent", "Browser/1.0")
        .json(&model::json::to_string(body))
        .send()
        .await
}

#[tokio::test]
async fn issue_14_00_an_error_in_the_browser_is_one_line_of_the_log() {
    let app = TestApp::start().await;
    app.user("viewer@x.y", UserRole::Viewer).await;
    let key = app.key("viewer@x.y", &["tag:list"]).await;
    let (log, _guard) = Log::listen();
    let report = json!({
        "message": "l is not a function", "stack": "Error\n    at l (http://host/assets/start-a1.js:1:2)",
        "page": "/workflow/new?token=secret1#secret2", "part": "The node panel", "build": "start-a1.js"
    });
    let reply = send(&app, &key, &report).await;
    assert_eq!((reply.status, reply.body.as_str()), (204, ""));
    let lines = log.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    for words in [
        "WARN",
        "Client error.",
        r#"error="l is not a function""#,
        r#"part="The node panel""#,
        r#"page="/workflow/new""#,
        r#"build="start-a1.js""#,
        r#"browser="Browser/1.0""#,
        r#"stack="Error\n    at l (http://host/assets/start-a1.js:1:2)""#,
    ] {
        assert!(lines[0].contains(words), "{words} in {}", lines[0]);
    }
    assert!(!lines[0].contains("secret"), "{}", lines[0]);
}

#[tokio::test]
async fn issue_14_00_a_report_cannot_forge_lines_or_fields_of_the_log() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let (log, _guard) = Log::listen();
    let evil = "x\"\r\n2026-01-01T00:00:00Z ERROR heddle: forged\u{1b}[31m\u{85}\u{2028}\u{202e} user_id=root stack=\"";
    let report = json!({ "message": (evil), "stack": (evil), "page": (evil), "part": (evil), "build": (evil) });
    let call = app
        .call("POST", "/api/v1/client-errors")
        .key(&key)
        .header("User-Agent", "a\" user_id=root b");
    assert_eq!(call.json(&model::json::to_string(&report)).send().await.status, 204);
    let lines = log.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        !lines[0]
            .chars()
            .any(|letter| letter.is_control() || matches!(letter, '\u{2028}' | '\u{202e}')),
        "{:?}",
        lines[0]
    );
    assert!(!lines[0].contains("x\" "), "quotes of the report are escaped: {}", lines[0]);
    assert!(lines[0].contains("a\\\" user_id=root b"), "{}", lines[0]);
}

#[tokio::test]
async fn issue_14_00_reports_are_bounded_in_size_and_shape() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let (log, _guard) = Log::listen();
    let long = "x".repeat(5_000);
    assert_eq!(
        send(&app, &key, &json!({ "message": (long.as_str()), "stack": (long.as_str()) }))
            .await
            .status,
        204
    );
    assert!(log.lines()[0].len() < 6_000);
    for (body, status) in [
        (json!({ "message": ("x".repeat(20_000)) }), 413),
        (json!({}), 400),
        (json!({ "message": "" }), 400),
        (json!({ "message": 3 }), 400),
        (json!({ "message": "a", "stack": ["b"] }), 400),
        (json!({ "message": "a", "cookie": "b" }), 400),
        (json!([]), 400),
    ] {
        let reply = send(&app, &key, &body).await;
        assert_eq!(reply.status, status, "{body:?}: {}", reply.body);
    }
    assert_eq!(log.lines().len(), 1, "what is refused is not logged");
}

#[tokio::test]
async fn issue_14_00_reports_need_somebody_and_one_person_cannot_fill_the_log() {
    let app = TestApp::start().await;
    let report = json!({ "message": "again" });
    let (log, _guard) = Log::listen();
    let nobody = app
        .call("POST", "/api/v1/client-errors")
        .json(&model::json::to_string(&report))
        .send()
        .await;
    assert_eq!(nobody.status, 401);
    app.user("a@x.y", UserRole::Editor).await;
    app.user("b@x.y", UserRole::Editor).await;
    let (one, other) = (app.key("a@x.y", &["*"]).await, app.key("a@x.y", &["*"]).await);
    let mut refused = None;
    for at in 0..60 {
        let reply = send(&app, if at % 2 == 0 { &one } else { &other }, &report).await;
        if reply.status != 204 {
            refused.get_or_insert((at, reply));
        }
    }
    let (taken, reply) = refused.unwrap();
    assert_eq!((taken, reply.status, reply.text("code").as_str()), (10, 429, "RATE_LIMIT"));
    assert!(reply.header("retry-after").is_some());
    assert!(log.lines().len() <= 11, "{}", log.lines().len());
    let key = app.key("b@x.y", &["*"]).await;
    assert_eq!(send(&app, &key, &report).await.status, 204, "somebody else is still heard");
    let session = app.log_in("b@x.y").await;
    let call = || app.call("POST", "/api/v1/client-errors").json(&model::json::to_string(&report));
    assert_eq!(call().session(&session).send().await.status, 204);
    assert_eq!(
        call().cookie(&session).send().await.status,
        403,
        "another site's page cannot write to the log"
    );
}
