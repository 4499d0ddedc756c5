//! What a workflow answers cannot break out of its response, nor act as a page of this
//! instance.

use super::wire::{activate, node, row, save, send, webhook};
use crate::app::TestApp;
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
    answering(
        &app,
        "split",
        json!({ "respondWith": "text", "responseBody": "ok", "options": from_body }),
    )
    .await;
    answering(
        &app,
        "away",
        json!({ "respondWith": "redirect", "redirectURL": "={{ $json.body.h }}" }),
    )
    .await;
    for value in [
        "a\r\nSet-Cookie: b=c",
        "a\nSet-Cookie: b=c",
        "a\rSet-Cookie: b=c",
        "a\u{0}b",
        "a\r\n\r\n<script>",
    ] {
        for path in ["/webhook/split", "/webhook/away"] {
            let body = json!({ "h": value }).to_string();
            let reply =
                send(&app, "POST", path, &[("Content-Type", "application/json")], body.as_bytes())
                    .await;
            assert_eq!(reply.status, 500, "{value:?}: {}", reply.head);
            assert!(reply.header("set-cookie").is_none() && !reply.body.contains("<script>"));
        }
    }
    let reply = send(
        &app,
        "POST",
        "/webhook/split",
        &[("Content-Type", "application/json")],
        br#"{"h":"fine"}"#,
    )
    .await;
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
    answering(
        &app,
        "frame",
        json!({ "respondWith": "text", "responseBody": "hello", "options": headers(entries) }),
    )
    .await;
    let reply = send(&app, "POST", "/webhook/frame", &[], b"").await;
    assert_eq!(
        (reply.body.as_str(), reply.header("content-length"), reply.header("x-mine")),
        ("hello", Some("5"), Some("1"))
    );
    for name in ["transfer-encoding", "upgrade", "clear-site-data", "service-worker-allowed"] {
        assert!(reply.header(name).is_none(), "{name}");
    }
}

#[tokio::test]
async fn what_a_browser_would_run_is_kept_from_our_cookies() {
    let app = TestApp::start().await;
    let kinds = [
        "",
        "text/html",
        "Text/HTML; charset=utf-8",
        "image/svg+xml",
        "application/xhtml+xml",
        "text/xml",
        "application/unheard-of",
    ];
    for (number, kind) in kinds.into_iter().enumerate() {
        let entries = if kind.is_empty() {
            json!([])
        } else {
            json!([{ "name": "Content-Type", "value": kind }])
        };
        let path = format!("page-{number}");
        let page = "<svg xmlns='http://www.w3.org/2000/svg'><script>document.cookie</script></svg>";
        answering(
            &app,
            &path,
            json!({ "respondWith": "text", "responseBody": page, "options": headers(entries) }),
        )
        .await;
        let reply = send(&app, "POST", &format!("/webhook/{path}"), &[], b"").await;
        let policy = reply.header("content-security-policy").unwrap_or_default();
        assert!(
            policy.starts_with("sandbox ") && !policy.contains("allow-same-origin"),
            "{kind}: {policy}"
        );
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    }
    let own = headers(json!([{ "name": "Content-Security-Policy", "value": "default-src *" }]));
    answering(&app, "own", json!({ "respondWith": "text", "responseBody": "<b>", "options": own }))
        .await;
    let reply = send(&app, "POST", "/webhook/own", &[], b"").await;
    assert!(reply.header("content-security-policy").unwrap().starts_with("sandbox "));
    answering(&app, "data", json!({ "respondWith": "json", "responseBody": "{}" })).await;
    assert!(
        send(&app, "POST", "/webhook/data", &[], b"")
            .await
            .header("content-security-policy")
            .is_none()
    );
}

/// Values of `Content-Type` of which some browser might make a page.
const NASTY: [&str; 21] = [
    "application/json, text/html",
    "image/png,text/html",
    "text/plain;a=b,text/html",
    "text/plain;a=\"b,text/html",
    "text/plain;a=\"b\\\",text/html;x=\"",
    "text/html\u{e9}",
    "text/pl\u{e4}in, text/html",
    "application/json\u{a0}text/html",
    "application/jsonp",
    "application/json+xml",
    "text/html;charset=utf-7",
    "image/svg+xml",
    "image/svg+xml;a=image/png",
    "application/xhtml+xml",
    "text/xml",
    "text/javascript",
    "text/css",
    "multipart/x-mixed-replace; boundary=x",
    "multipart/related",
    "*/*",
    "html",
];

fn assert_boxed(reply: &crate::app::Reply, what: &str) {
    let kinds: Vec<&str> =
        reply.head.lines().filter_map(|line| line.strip_prefix("content-type: ")).collect();
    assert_eq!(kinds.len(), 1, "{what}: {}", reply.head);
    assert!(
        kinds[0].is_ascii()
            && !kinds[0].contains([',', '"'])
            && !kinds[0].contains("mixed-replace"),
        "{what}: {kinds:?}"
    );
    let policies: Vec<&str> = reply
        .head
        .lines()
        .filter_map(|line| line.strip_prefix("content-security-policy: "))
        .collect();
    for policy in [policies.first(), policies.last()] {
        assert!(
            policy
                .is_some_and(|policy| policy.starts_with("sandbox ")
                    && !policy.contains("allow-same-origin")),
            "{what}: {policies:?}"
        );
    }
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{what}");
}

#[tokio::test]
async fn issue_14_05_no_type_takes_the_answer_of_a_workflow_out_of_the_sandbox() {
    let app = TestApp::start().await;
    let page = "<script>document.cookie</script>";
    for (number, kind) in NASTY.into_iter().enumerate() {
        let entries = headers(json!([{ "name": "Content-Type", "value": kind }]));
        let path = |way: &str| format!("{way}-{number}");
        for (way, respond) in [
            ("text", json!({ "respondWith": "text", "responseBody": page })),
            ("json", json!({ "respondWith": "json", "responseBody": "\"<script>\"" })),
            ("none", json!({ "respondWith": "noData" })),
        ] {
            let mut respond = respond;
            respond["options"] = entries.clone();
            answering(&app, &path(way), respond).await;
            assert_boxed(
                &send(&app, "POST", &format!("/webhook/{}", path(way)), &[], b"").await,
                &format!("{way} {kind}"),
            );
        }
        let keep = || node("Keep", "noOp", 1.0, json!({}));
        let first =
            json!({ "options": { "responseContentType": kind, "responsePropertyName": "body" } });
        activate(&app, &row(&path("last"), &[webhook(&path("last"), "lastNode", first), keep()]))
            .await;
        assert_boxed(
            &send(&app, "POST", &format!("/webhook/{}", path("last")), &[], page.as_bytes()).await,
            &format!("last node {kind}"),
        );
        let piece = node(
            "Piece",
            "respondToWebhook",
            1.5,
            json!({ "respondWith": "text", "responseBody": page }),
        );
        let streaming = webhook(&path("stream"), "streaming", json!({ "options": entries }));
        activate(&app, &row(&path("stream"), &[streaming, piece])).await;
        let reply = send(&app, "POST", &format!("/webhook/{}", path("stream")), &[], b"").await;
        assert_eq!(reply.header("transfer-encoding"), Some("chunked"), "{kind}: {}", reply.head);
        assert_boxed(&reply, &format!("stream {kind}"));
    }
}

#[tokio::test]
async fn issue_14_05_a_policy_of_the_workflow_only_adds_to_ours() {
    let app = TestApp::start().await;
    let own = headers(json!([
        { "name": "Content-Security-Policy", "value": "sandbox allow-scripts allow-same-origin, sandbox allow-same-origin" },
        { "name": "X-Content-Type-Options", "value": "sniff" },
    ]));
    answering(
        &app,
        "loose",
        json!({ "respondWith": "text", "responseBody": "<b>", "options": own }),
    )
    .await;
    let reply = send(&app, "POST", "/webhook/loose", &[], b"").await;
    assert_boxed(&reply, "a policy with the same origin");
    assert_eq!(reply.head.matches("content-security-policy: ").count(), 3, "{}", reply.head);
}

#[tokio::test]
async fn issue_14_13_a_workflow_sets_no_cookie_of_ours() {
    let app = TestApp::start().await;
    let values = [
        "heddle_session=x; Path=/",
        "=heddle_session=x; Path=/",
        " = heddle_session=x",
        "heddle_session",
        "__Host-heddle_session=x; Secure; Path=/",
        "=__Host-heddle_session=x",
        "HEDDLE_SESSION=x",
        "heddle_session =x",
        "heddle_device=x",
        "a=b; Domain=example.com",
        "fine=1; Path=/; HttpOnly",
    ];
    let entries: Vec<Value> =
        values.iter().map(|value| json!({ "name": "Set-Cookie", "value": value })).collect();
    answering(
        &app,
        "cookies",
        json!({ "respondWith": "text", "responseBody": "x", "options": headers(entries.into()) }),
    )
    .await;
    let reply = send(&app, "POST", "/webhook/cookies", &[], b"").await;
    let set: Vec<&str> =
        reply.head.lines().filter_map(|line| line.strip_prefix("set-cookie: ")).collect();
    assert_eq!(set, ["fine=1; HttpOnly; Path=/webhook"]);
}

#[tokio::test]
async fn issue_14_13_a_cookie_of_a_workflow_comes_back_where_it_was_set() {
    let app = TestApp::start().await;
    let cookies =
        ["own=1", "wide=1; Path=/", "other=1; Path=/api", "part=1; Path=/webhook-test/shop"];
    let entries: Vec<Value> =
        cookies.iter().map(|value| json!({ "name": "Set-Cookie", "value": value })).collect();
    let respond = node(
        "Respond",
        "respondToWebhook",
        1.1,
        json!({ "respondWith": "text", "responseBody": "x", "options": headers(entries.into()) }),
    );
    let id = save(&app, &row("Shop", &[webhook("shop", "responseNode", json!({})), respond])).await;
    let key = app.owner_key().await;
    let listening = app
        .call("POST", &format!("/api/v1/workflows/{id}/test-webhook"))
        .key(&key)
        .json("{}")
        .send()
        .await;
    assert_eq!(listening.status, 200, "{}", listening.body);
    let reply = send(&app, "POST", "/webhook-test/shop", &[], b"").await;
    let set: Vec<&str> =
        reply.head.lines().filter_map(|line| line.strip_prefix("set-cookie: ")).collect();
    assert_eq!(
        set,
        ["own=1", "wide=1; Path=/webhook-test", "other=1", "part=1; Path=/webhook-test/shop"]
    );
}

#[tokio::test]
async fn issue_14_00_more_headers_than_a_response_takes_are_left_out_and_told() {
    let app = TestApp::start().await;
    let entries: Vec<Value> =
        (0..300).map(|number| json!({ "name": format!("X-{number}"), "value": "1" })).collect();
    answering(
        &app,
        "many",
        json!({ "respondWith": "text", "responseBody": "x", "options": headers(entries.into()) }),
    )
    .await;
    let reply = send(&app, "POST", "/webhook/many", &[], b"").await;
    assert_eq!((reply.status, reply.header("x-99"), reply.header("x-100")), (200, Some("1"), None));
    let key = app.owner_key().await;
    let run = app.call("GET", "/api/v1/executions/1?includeData=true").key(&key).send().await;
    assert!(
        run.body.contains("at most 100 headers") && run.body.contains("190 more headers"),
        "{}",
        run.body
    );
}

#[tokio::test]
async fn issue_14_00_headers_for_the_whole_origin_are_left_out_and_told_in_the_run() {
    let app = TestApp::start().await;
    let names = [
        "NEL",
        "Report-To",
        "Strict-Transport-Security",
        "Alt-Svc",
        "Accept-CH",
        "Refresh",
        "X-Accel-Redirect",
        "X-Sendfile",
    ];
    let mut entries: Vec<Value> =
        names.iter().map(|name| json!({ "name": name, "value": "x" })).collect();
    entries.push(json!({ "name": "X-Mine", "value": "1" }));
    answering(
        &app,
        "wide",
        json!({ "respondWith": "text", "responseBody": "x", "options": headers(entries.into()) }),
    )
    .await;
    let reply = send(&app, "POST", "/webhook/wide", &[], b"").await;
    for name in names {
        assert!(reply.header(name).is_none(), "{name}");
    }
    assert_eq!(reply.header("x-mine"), Some("1"));
    let key = app.owner_key().await;
    let run = app.call("GET", "/api/v1/executions/1?includeData=true").key(&key).send().await;
    assert!(
        run.body.contains("The header 'nel' was not sent") && run.body.contains("'x-sendfile'"),
        "{}",
        run.body
    );
}

#[tokio::test]
async fn markup_in_a_form_is_shown_cleaned() {
    let app = TestApp::start().await;
    let fields = json!({ "values": [
        { "fieldType": "html", "elementName": "note", "html": "<h2>Terms</h2><script>alert(1)</script><a href='javascript:x'>x</a>" },
        { "fieldLabel": "Name\"><script>alert(1)</script>", "placeholder": "\"><img src=x onerror=y>" },
    ] });
    let form = node(
        "Form",
        "formTrigger",
        2.2,
        json!({ "path": "form", "formTitle": "</title><script>", "formFields": fields, "options": {} }),
    );
    activate(&app, &row("form", &[form])).await;
    let reply = send(&app, "GET", "/form/form?Name=%22%3E%3Cscript%3E", &[], b"").await;
    assert_eq!(reply.status, 200);
    assert!(reply.body.contains("<h2>Terms</h2>"), "{}", reply.body);
    assert!(
        !reply.body.contains("<script")
            && !reply.body.contains("javascript:")
            && !reply.body.contains("onerror=y>\""),
        "{}",
        reply.body
    );
    let policy = reply.header("content-security-policy").unwrap();
    assert!(
        policy.contains("default-src 'none'")
            && !policy.contains("script-src")
            && !policy.contains("unsafe"),
        "{policy}"
    );
}
