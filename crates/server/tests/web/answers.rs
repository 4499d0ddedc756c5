//! T-WEB: what a workflow answers cannot break out of its response, nor act as a page of this instance.

use crate::app::TestApp;
use crate::wire::{activate, node, row, send, webhook};
use serde_json::{Value, json};

async fn answering(app: &TestApp, path: &str, respond: Value) {
    let answer = node("Answer", "respondToWebhook", 1.4, respond);
    activate(app, &row(path, &[webhook(path, "responseNode", json!({})), answer])).await;
}

fn headers(entries: Value) -> Value {
    json!({ "responseHeaders": { "entries": entries } })
}

#[tokio::test]
async fn values_from_a_call_do_not_write_headers() {
    let app = TestApp::start().await;
    let from_body = headers(json!([{ "name": "X-Told", "value": "={{ $json.body.h }}" }]));
    answering(&app, "split", json!({ "respondWith": "text", "responseBody": "ok", "options": from_body })).await;
    answering(&app, "away", json!({ "respondWith": "redirect", "redirectURL": "={{ $json.body.h }}" })).await;
    for value in ["a\r\nSet-Cookie: b=c", "a\nSet-Cookie: b=c", "a\rSet-Cookie: b=c", "a\u{0}b", "a\r\n\r\n<script>"] {
        for path in ["/webhook/split", "/webhook/away"] {
            let body = json!({ "h": value }).to_string();
            let reply = send(&app, "POST", path, &[("Content-Type", "application/json")], body.as_bytes()).await;
            assert_eq!(reply.status, 500, "{value:?}: {}", reply.head);
            assert!(reply.header("set-cookie").is_none() && !reply.body.contains("<script>"));
        }
    }
    let reply = send(&app, "POST", "/webhook/split", &[("Content-Type", "application/json")], br#"{"h":"fine"}"#).await;
    assert_eq!((reply.status, reply.header("x-told")), (200, Some("fine")));
}

#[tokio::test]
async fn a_workflow_does_not_frame_its_own_answer() {
    let app = TestApp::start().await;
    let entries = json!([
        { "name": "Content-Length", "value": "1" }, { "name": "Transfer-Encoding", "value": "chunked" },
        { "name": "Connection", "value": "upgrade" }, { "name": "Upgrade", "value": "x" }, { "name": "Clear-Site-Data", "value": "\"*\"" },
        { "name": "Service-Worker-Allowed", "value": "/" }, { "name": "X-Mine", "value": "1" },
    ]);
    answering(&app, "frame", json!({ "respondWith": "text", "responseBody": "hello", "options": headers(entries) })).await;
    let reply = send(&app, "POST", "/webhook/frame", &[], b"").await;
    assert_eq!((reply.body.as_str(), reply.header("content-length"), reply.header("x-mine")), ("hello", Some("5"), Some("1")));
    for name in ["transfer-encoding", "upgrade", "clear-site-data", "service-worker-allowed"] {
        assert!(reply.header(name).is_none(), "{name}");
    }
}

#[tokio::test]
async fn what_a_browser_would_run_is_kept_from_our_cookies() {
    let app = TestApp::start().await;
    let kinds =
        ["", "text/html", "Text/HTML; charset=utf-8", "image/svg+xml", "application/xhtml+xml", "text/xml", "application/unheard-of"];
    for (number, kind) in kinds.into_iter().enumerate() {
        let entries = if kind.is_empty() { json!([]) } else { json!([{ "name": "Content-Type", "value": kind }]) };
        let path = format!("page-{number}");
        let page = "<svg xmlns='http://www.w3.org/2000/svg'><script>document.cookie</script></svg>";
        answering(&app, &path, json!({ "respondWith": "text", "responseBody": page, "options": headers(entries) })).await;
        let reply = send(&app, "POST", &format!("/webhook/{path}"), &[], b"").await;
        let policy = reply.header("content-security-policy").unwrap_or_default();
        assert!(policy.starts_with("sandbox ") && !policy.contains("allow-same-origin"), "{kind}: {policy}");
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    }
    let own = headers(json!([{ "name": "Content-Security-Policy", "value": "default-src *" }]));
    answering(&app, "own", json!({ "respondWith": "text", "responseBody": "<b>", "options": own })).await;
    let reply = send(&app, "POST", "/webhook/own", &[], b"").await;
    assert!(reply.header("content-security-policy").unwrap().starts_with("sandbox "));
    answering(&app, "data", json!({ "respondWith": "json", "responseBody": "{}" })).await;
    assert!(send(&app, "POST", "/webhook/data", &[], b"").await.header("content-security-policy").is_none());
}

#[tokio::test]
async fn markup_in_a_form_is_shown_cleaned() {
    let app = TestApp::start().await;
    let fields = json!({ "values": [
        { "fieldType": "html", "elementName": "note", "html": "<h2>Terms</h2><script>alert(1)</script><a href='javascript:x'>x</a>" },
        { "fieldLabel": "Name\"><script>alert(1)</script>", "placeholder": "\"><img src=x onerror=y>" },
    ] });
    let form =
        node("Form", "formTrigger", 2.2, json!({ "path": "form", "formTitle": "</title><script>", "formFields": fields, "options": {} }));
    activate(&app, &row("form", &[form])).await;
    let reply = send(&app, "GET", "/form/form?Name=%22%3E%3Cscript%3E", &[], b"").await;
    assert_eq!(reply.status, 200);
    assert!(reply.body.contains("<h2>Terms</h2>"), "{}", reply.body);
    assert!(
        !reply.body.contains("<script") && !reply.body.contains("javascript:") && !reply.body.contains("onerror=y>\""),
        "{}",
        reply.body
    );
    let policy = reply.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("script-src"), "{policy}");
}
