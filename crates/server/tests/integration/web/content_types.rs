//! Every content type at every door, with names that reached files or prototypes elsewhere.

use super::wire::{activate, echo, node, row, send};
use crate::app::TestApp;
use serde_json::json;

const KINDS: [&str; 18] = [
    "",
    "application/json",
    "application/json; charset=utf-7",
    "application/ld+json",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "multipart/mixed; boundary=x",
    "text/plain",
    "text/html",
    "text/xml",
    "application/xml",
    "image/svg+xml",
    "application/octet-stream",
    "application/zip",
    "application/x-yaml",
    "message/http",
    "\u{7f}",
];

const BODIES: [&str; 9] = [
    "",
    r#"{"files":{"a":{"filepath":"/etc/passwd","originalFilename":"x"}},"data":{"x":1}}"#,
    r#"{"files":[{"filepath":"/etc/passwd","mimetype":"text/plain"}],"body":{"data":1},"binary":{"data":{"id":"filesystem:/etc/passwd"}}}"#,
    r#"{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1}"#,
    "files[0][filepath]=/etc/passwd&files.a.filepath=/etc/passwd&__proto__[polluted]=1&data=x",
    "--x\r\ncontent-disposition: form-data; name=\"files[0].filepath\"\r\n\r\n/etc/passwd\r\n--x\r\ncontent-disposition: form-data; name=\"__proto__\"; filename=\"/etc/passwd\"\r\n\r\n1\r\n--x--\r\n",
    "<a xmlns:x='y'><__proto__>1</__proto__><x:b c='d'>e</x:b></a>",
    "<!DOCTYPE a [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><a>&e;</a>",
    "a: &a [*a, *a]\nb: !!js/function 'x'",
];

#[tokio::test]
async fn no_body_reads_a_file_or_breaks_a_door() {
    let app = TestApp::start().await;
    echo(&app, "plain", json!({})).await;
    echo(&app, "raw", json!({ "options": { "rawBody": true } })).await;
    let fields = json!({ "values": [{ "fieldLabel": "data" }, { "fieldLabel": "files", "fieldType": "file" }] });
    let form = node(
        "Form",
        "formTrigger",
        2.2,
        json!({ "path": "form", "formTitle": "F", "formFields": fields, "options": {} }),
    );
    activate(&app, &row("form", &[form])).await;
    let mut chat = json!({ "id": "Chat", "name": "Chat", "type": "@n8n/n8n-nodes-langchain.chatTrigger", "typeVersion": 1.4, "position": [0, 0] });
    chat["parameters"] = json!({ "public": true, "options": { "allowFileUploads": true } });
    chat["webhookId"] = json!("talk");
    activate(&app, &row("chat", &[chat])).await;
    let key = app.owner_key().await;
    let doors = [
        "/webhook/plain",
        "/webhook/raw",
        "/webhook/nothing",
        "/webhook-test/plain",
        "/webhook-waiting/1-0",
        "/webhook-waiting/1-0/x",
        "/webhook/talk/chat",
        "/v1/chat/completions",
        "/v1/embeddings",
        "/form/form",
        "/form-test/form",
        "/form-waiting/1-0",
        "/api/v1/workflows",
        "/api/v1/tags",
        "/api/login",
        "/api/setup",
        "/healthz",
        "/",
    ];
    for door in doors {
        for kind in KINDS {
            for body in BODIES {
                let headers = [("Content-Type", kind), ("X-N8N-API-KEY", key.as_str())];
                let reply = send(&app, "POST", door, &headers, body.as_bytes()).await;
                assert!(
                    reply.status < 500 && reply.status >= 200,
                    "{door} {kind} {body}: {} {}",
                    reply.status,
                    reply.body
                );
                assert!(
                    !reply.body.contains("root:"),
                    "{door} {kind} {body} read a file: {}",
                    reply.body
                );
            }
        }
    }
    let reply =
        send(&app, "POST", "/webhook/plain", &[("Content-Type", "application/json")], b"{\"n\":1}")
            .await;
    assert_eq!(reply.json().get("body").and_then(|body| body.get("polluted")), None);
}

#[tokio::test]
async fn what_names_a_file_in_a_body_stays_text() {
    let app = TestApp::start().await;
    echo(&app, "plain", json!({})).await;
    let reply = send(
        &app,
        "POST",
        "/webhook/plain",
        &[("Content-Type", "application/json")],
        BODIES[1].as_bytes(),
    )
    .await;
    let body = reply.json().get("body").cloned().unwrap();
    assert_eq!(model::json::to_string(&body), BODIES[1]);
    let reply = send(
        &app,
        "POST",
        "/webhook/plain?a[b]=1&__proto__[x]=2",
        &[("Content-Type", "text/plain")],
        b"x",
    )
    .await;
    assert_eq!(model::json::to_string(reply.json().get("query").unwrap()), r#"{"a":{"b":"1"}}"#);
}
