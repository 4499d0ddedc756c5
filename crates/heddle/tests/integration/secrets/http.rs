//! Every kind of credential that HTTP Request knows, with answers of every kind: good, refused,
//! broken, and such that say the secret back.

use super::search::{CANARY, assert_free_of_secrets};
use super::service::{credential, end_and_collect, listener, start_server};
use crate::support::{TempFolder, heddle, request, wait_until};
use serde_json::{Value, json};

const KINDS: [&str; 7] = [
    "httpHeaderAuth",
    "httpBasicAuth",
    "httpQueryAuth",
    "httpBearerAuth",
    "httpDigestAuth",
    "httpCustomAuth",
    "oAuth2Api",
];

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// The fields of a credential of a kind; a token is renewed at a place of its own.
fn fields(kind: &str, token_url: &str) -> Value {
    match kind {
        "httpHeaderAuth" => json!({ "name": "X-Key", "value": CANARY }),
        "httpQueryAuth" => json!({ "name": "key", "value": CANARY }),
        "httpBearerAuth" => json!({ "token": CANARY }),
        "httpCustomAuth" => {
            json!({ "json": json!({ "headers": { "X-Custom": CANARY }, "qs": { "custom": CANARY } }).to_string() })
        }
        "oAuth2Api" => json!({
            "grantType": "authorizationCode", "accessTokenUrl": token_url, "clientId": "me", "clientSecret": format!("{CANARY}-client"),
            "oauthTokenData": { "access_token": CANARY, "refresh_token": format!("{CANARY}-refresh") }
        }),
        _ => json!({ "user": "u", "password": CANARY }),
    }
}

/// A webhook, a request, and a Code node that shows all it can reach.
fn workflow(
    name: &str,
    kind: &str,
    credential: &str,
    url: &str,
    on_error: &str,
    options: Value,
) -> Value {
    let code = "return [{ json: { all: JSON.stringify([$input.all(), $('Use').params, $('Use').context, $execution]) } }]";
    let next = |node: &str| json!([{ "node": node, "type": "main", "index": 0 }]);
    json!({
        "id": name, "name": name, "settings": { "executionOrder": "v1" },
        "nodes": [
            { "id": "a", "name": "Hook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0],
              "parameters": { "path": name, "responseMode": "lastNode", "options": {} } },
            { "id": "b", "name": "Use", "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.5, "position": [1, 0], "onError": on_error,
              "parameters": { "url": url, "authentication": "genericCredentialType", "genericAuthType": kind, "options": options },
              "credentials": { kind: { "id": credential, "name": credential } } },
            { "id": "c", "name": "Show", "type": "n8n-nodes-base.code", "typeVersion": 2, "position": [2, 0], "parameters": { "jsCode": code } }
        ],
        "connections": { "Hook": { "main": [next("Use")] }, "Use": { "main": [next("Show"), next("Show")] } }
    })
}

#[test]
fn a_request_keeps_its_credential_to_itself() {
    let folder = TempFolder::new("secrets-http");
    let data = folder.0.join("data");
    let (good, got) = listener(answer("200 OK", "", r#"{"page":1}"#));
    let (refusing, refused) = listener(answer(
        "401 Unauthorized",
        "www-authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\"\r\n",
        r#"{"no":"entry"}"#,
    ));
    let (broken, _broken) = listener(answer("200 OK", "", "{ this is no JSON"));
    // What a service says back is the workflow's to see where it is an answer, and nobody's where
    // it is the reason of a failure.
    let parrot = format!(r#"{{"message":"the key {CANARY} is wrong","again":"{CANARY}-client"}}"#);
    let (echoing, _echoing) =
        listener(answer("403 Forbidden", &format!("x-echo: {CANARY}\r\n"), &parrot));
    let (tokens, renewed) = listener(answer(
        "200 OK",
        "",
        &format!(r#"{{"access_token":"{CANARY}-new","token_type":"bearer"}}"#),
    ));
    let denied = format!(
        r#"{{"error":"invalid_grant","error_description":"{CANARY}-refresh of {CANARY}-client is over"}}"#
    );
    let (no_tokens, _no_tokens) = listener(answer("400 Bad Request", "", &denied));
    let at = |port: u16| format!("http://127.0.0.1:{port}/x");

    let mut credentials: Vec<Value> =
        KINDS.map(|kind| credential(kind, kind, fields(kind, &at(tokens)))).to_vec();
    credentials.push(credential("denied", "oAuth2Api", fields("oAuth2Api", &at(no_tokens))));
    let mut textual = fields("oAuth2Api", "");
    textual["oauthTokenData"] = textual["oauthTokenData"].to_string().into();
    credentials.push(credential("textual", "oAuth2Api", textual));
    let file = folder.write_json("credentials", &json!(credentials));
    heddle(&data, &["credentials", "import", file.to_str().unwrap()]);
    std::fs::remove_file(file).unwrap();

    let full = json!({ "response": { "response": { "fullResponse": true, "neverError": true } } });
    let as_json = json!({ "response": { "response": { "responseFormat": "json" } } });
    let shown = "={{ JSON.stringify($request) }}";
    let pages = json!({ "pagination": { "pagination": { "paginationMode": "updateAParameterInEachRequest", "limitPagesFetched": true, "maxRequests": 2,
        "paginationCompleteWhen": "other", "completeExpression": "={{ $pageCount > 1 }}",
        "parameters": { "parameters": [{ "type": "qs", "name": "shown", "value": shown }] } } } });
    let mut names = Vec::new();
    let mut add =
        |name: String, kind: &str, credential: &str, port: u16, on_error: &str, options: &Value| {
            let file = folder.write_json(
                &name,
                &workflow(&name, kind, credential, &at(port), on_error, options.clone()),
            );
            heddle(&data, &["import", "--activate", file.to_str().unwrap()]);
            names.push(name);
        };
    for kind in KINDS {
        for (case, port, on_error, options) in [
            ("good", good, "stopWorkflow", &full),
            ("pages", good, "stopWorkflow", &pages),
            ("full", refusing, "stopWorkflow", &full),
            ("stop", refusing, "stopWorkflow", &json!({})),
            ("apart", refusing, "continueErrorOutput", &json!({})),
            ("broken", broken, "continueRegularOutput", &as_json),
            ("echo", echoing, "continueRegularOutput", &json!({})),
            ("echo-stop", echoing, "stopWorkflow", &json!({})),
        ] {
            add(format!("{kind}-{case}"), kind, kind, port, on_error, options);
        }
    }
    add("denied".to_owned(), "oAuth2Api", "denied", refusing, "continueRegularOutput", &json!({}));
    add("textual".to_owned(), "oAuth2Api", "textual", echoing, "stopWorkflow", &json!({}));
    let key = heddle(&data, &["api-keys", "create"]).trim().to_owned();
    let ports = [good, refusing, broken, echoing, tokens, no_tokens]
        .map(|port| format!("127.0.0.1:{port}"))
        .join(",");
    let running = start_server(&data, &ports, &[]);
    let mut seen: Vec<(String, Vec<u8>)> = Vec::new();
    for name in &names {
        let reply =
            request(&running.address, "GET", &format!("/webhook/{name}"), &[], b"").unwrap();
        seen.push((format!("the answer of {name}"), reply.body));
    }
    let headers = [("x-n8n-api-key", key.as_str())];
    let api = |path: &str| request(&running.address, "GET", path, &headers, b"").unwrap().body;
    wait_until("all runs are over", || {
        !String::from_utf8_lossy(&api("/api/v1/executions?status=running")).contains("\"id\"")
    });

    let count =
        |heads: &[String], form: &str| heads.iter().filter(|head| head.contains(form)).count();
    let good_heads = got.heads();
    assert!(
        count(&good_heads, CANARY) >= 5 * 3,
        "header, query, bearer, custom and token reach their service: {good_heads:?}"
    );
    for head in good_heads.iter().filter(|head| head.contains("shown=")) {
        let line = head.lines().next().unwrap();
        let shown = line.split("shown=").nth(1).unwrap().split(['&', ' ']).next().unwrap();
        assert!(!shown.contains(CANARY), "$request shows the secret: {line}");
    }
    assert!(count(&good_heads, "shown=") >= KINDS.len(), "{good_heads:?}");
    assert!(count(&refused.heads(), &format!("{CANARY}-new")) > 0, "a renewed token is used");
    assert!(!renewed.heads().is_empty());

    let executions = api("/api/v1/executions?includeData=true&limit=250");
    let listed = serde_json::from_slice::<Value>(&executions).unwrap();
    let ids: Vec<String> = listed["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), names.len());
    for id in &ids {
        seen.push((format!("the events of {id}"), api(&format!("/api/v1/executions/{id}/events"))));
        seen.push((
            format!("execution {id} as shown"),
            heddle(&data, &["executions", "show", id]).into_bytes(),
        ));
    }
    seen.push(("the executions".to_owned(), executions));
    for arguments in [
        ["export", "--all", "--format", "heddle"],
        ["export", "--all", "--format", "n8n"],
        ["executions", "list", "--limit", "100"],
    ] {
        seen.push((arguments.join(" "), heddle(&data, &arguments).into_bytes()));
    }
    for path in ["/api/v1/workflows?limit=250", "/api/v1/credentials", "/metrics"] {
        seen.push((path.to_owned(), api(path)));
    }
    seen.extend(end_and_collect(running, &data));
    assert_free_of_secrets(seen);
}
