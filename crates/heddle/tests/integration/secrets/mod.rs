//! A canary in every kind of credential that reaches the network, then a search of everything that
//! a run leaves behind.
mod agents;
mod http;
mod search;
mod service;

use crate::support::{TempFolder, heddle, request, wait_until};
use search::{CANARY, assert_free_of_secrets};
use serde_json::{Value, json};
use service::{credential, end_and_collect, listener, start_server};
use std::net::TcpListener;

/// A workflow of a webhook and one node that uses a credential; then a Code node that tries to show
/// it.
fn workflow(name: &str, node_type: &str, version: f64, parameters: &Value, kind: &str) -> Value {
    let code = "return [{ json: { all: JSON.stringify([$input.all(), $('Use').params, $('Use').context, $execution, $workflow, Object.keys(globalThis)]) } }]";
    json!({
        "id": name, "name": name, "settings": { "executionOrder": "v1" },
        "nodes": [
            { "id": "a", "name": "Hook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0],
              "parameters": { "path": name, "responseMode": "lastNode", "options": {} } },
            { "id": "b", "name": "Use", "type": node_type, "typeVersion": version, "position": [1, 0], "parameters": parameters,
              "credentials": { kind: { "id": kind, "name": kind } }, "onError": "continueRegularOutput" },
            { "id": "c", "name": "Show", "type": "n8n-nodes-base.code", "typeVersion": 2, "position": [2, 0], "parameters": { "jsCode": code } },
            { "id": "d", "name": "Ask", "type": "n8n-nodes-base.set", "typeVersion": 3.4, "position": [3, 0], "onError": "continueRegularOutput",
              "parameters": { "mode": "raw", "jsonOutput": "={{ JSON.stringify({ a: typeof $credentials, b: $node['Use'], c: $('Use').params, d: $json }) }}" } }
        ],
        "connections": {
            "Hook": { "main": [[{ "node": "Use", "type": "main", "index": 0 }]] },
            "Use": { "main": [[{ "node": "Show", "type": "main", "index": 0 }]] },
            "Show": { "main": [[{ "node": "Ask", "type": "main", "index": 0 }]] }
        }
    })
}

#[test]
fn a_secret_is_found_nowhere_but_where_it_was_sent() {
    let folder = TempFolder::new("secrets");
    let data = folder.0.join("data");
    let (attacker, stolen) =
        listener("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}".to_owned());
    let failing = "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: 14\r\nconnection: close\r\n\r\n{\"no\":\"entry\"}";
    let (service, got) = listener(failing.to_owned());
    let away = format!(
        "HTTP/1.1 302 Found\r\nlocation: http://localhost:{attacker}/steal\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    );
    let (redirecting, _redirecting) = listener(away);
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();

    let server = json!({ "host": "127.0.0.1", "port": closed, "user": "u", "password": CANARY });
    let with = |more: Value| {
        let mut fields = server.clone();
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        fields
    };
    let credentials = json!([
        credential("httpHeaderAuth", "httpHeaderAuth", json!({ "name": "X-Key", "value": CANARY })),
        credential("httpBasicAuth", "httpBasicAuth", json!({ "user": "u", "password": CANARY })),
        credential("httpQueryAuth", "httpQueryAuth", json!({ "name": "key", "value": CANARY })),
        credential("httpBearerAuth", "httpBearerAuth", json!({ "token": CANARY })),
        credential("postgres", "postgres", with(json!({ "database": "d", "ssl": "disable" }))),
        credential("mySql", "mySql", with(json!({ "database": "d" }))),
        credential("redis", "redis", with(json!({ "database": 0 }))),
        credential("smtp", "smtp", with(json!({ "secure": false }))),
    ]);
    let file = folder.write_json("credentials", &credentials);
    heddle(&data, &["credentials", "import", file.to_str().unwrap()]);
    std::fs::remove_file(file).unwrap();

    let http = |port: u16, kind: &str| json!({ "url": format!("http://127.0.0.1:{port}/x"), "authentication": "genericCredentialType", "genericAuthType": kind, "options": {} });
    let query = json!({ "operation": "executeQuery", "query": "SELECT 1" });
    let cases: Vec<(String, Value)> = [
        ("header", "n8n-nodes-base.httpRequest", 4.2, http(service, "httpHeaderAuth"), "httpHeaderAuth"),
        ("basic", "n8n-nodes-base.httpRequest", 4.2, http(service, "httpBasicAuth"), "httpBasicAuth"),
        ("query", "n8n-nodes-base.httpRequest", 4.2, http(service, "httpQueryAuth"), "httpQueryAuth"),
        ("bearer", "n8n-nodes-base.httpRequest", 4.2, http(service, "httpBearerAuth"), "httpBearerAuth"),
        ("redirect", "n8n-nodes-base.httpRequest", 4.2, http(redirecting, "httpHeaderAuth"), "httpHeaderAuth"),
        ("unreachable", "n8n-nodes-base.httpRequest", 4.2, http(closed, "httpQueryAuth"), "httpQueryAuth"),
        ("postgres", "n8n-nodes-base.postgres", 2.6, query.clone(), "postgres"),
        ("mysql", "n8n-nodes-base.mySql", 2.4, query, "mySql"),
        ("redis", "n8n-nodes-base.redis", 1.0, json!({ "operation": "info" }), "redis"),
        (
            "mail",
            "n8n-nodes-base.emailSend",
            2.1,
            json!({ "fromEmail": "a@b.c", "toEmail": "a@b.c", "subject": "s", "emailFormat": "text", "text": "t" }),
            "smtp",
        ),
    ]
    .into_iter()
    .map(|(name, node_type, version, parameters, kind)| (name.to_owned(), workflow(name, node_type, version, &parameters, kind)))
    .collect();
    for (name, document) in &cases {
        let file = folder.write_json(name, document);
        heddle(&data, &["import", "--activate", file.to_str().unwrap()]);
    }
    let key = heddle(&data, &["api-keys", "create"]).trim().to_owned();
    let ports = [service, redirecting, attacker, closed]
        .map(|port| format!("127.0.0.1:{port},localhost:{port}"))
        .join(",");
    let running = start_server(&data, &ports, &[]);
    let headers = [("x-n8n-api-key", key.as_str())];
    let mut seen: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, _) in &cases {
        let reply =
            request(&running.address, "GET", &format!("/webhook/{name}"), &[], b"").unwrap();
        seen.push((format!("the answer of {name}"), reply.body));
    }
    let api = |method: &str, path: &str| {
        request(&running.address, method, path, &headers, b"").unwrap().body
    };
    wait_until("all runs are over", || {
        !String::from_utf8_lossy(&api("GET", "/api/v1/executions?status=running"))
            .contains("\"id\"")
    });

    assert_eq!(
        got.heads().iter().filter(|head| head.contains(CANARY)).count(),
        3,
        "header, query and bearer reach their service"
    );
    assert!(got.heads().len() >= 4);
    let stolen = stolen.heads().join("");
    assert!(
        stolen.contains("/steal") && !stolen.contains(CANARY),
        "a redirect carries the secret away: {stolen}"
    );

    let executions = api("GET", "/api/v1/executions?includeData=true&limit=250");
    assert!(
        String::from_utf8_lossy(&executions).matches("\"lastNodeExecuted\"").count() >= cases.len()
    );
    for execution in
        serde_json::from_slice::<Value>(&executions).unwrap()["data"].as_array().unwrap()
    {
        let path = format!("/api/v1/executions/{}/events", execution["id"].as_str().unwrap());
        seen.push((path.clone(), api("GET", &path)));
    }
    seen.push(("the executions".to_owned(), executions));
    for path in
        ["/api/v1/workflows?limit=250", "/api/v1/credentials", "/metrics", "/healthz/readiness"]
    {
        seen.push((path.to_owned(), api("GET", path)));
    }
    seen.push(("the audit".to_owned(), api("POST", "/api/v1/audit")));
    for kind in ["smtp", "postgres", "mySql", "redis", "httpHeaderAuth"] {
        seen.push((
            format!("the test of {kind}"),
            api("POST", &format!("/api/v1/credentials/{kind}/test")),
        ));
    }
    for file in ["cmdline", "environ"] {
        seen.push((
            file.to_owned(),
            std::fs::read(format!("/proc/{}/{file}", running.process.id())).unwrap(),
        ));
    }
    seen.extend(end_and_collect(running, &data));
    assert_free_of_secrets(seen);
}

#[test]
fn a_credential_is_tried_out_against_its_service() {
    let folder = TempFolder::new("credential-test");
    let data = folder.0.join("data");
    let (good, got) =
        listener("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}".to_owned());
    let (bad, _bad) = listener(
        "HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}".to_owned(),
    );
    let key = heddle(&data, &["api-keys", "create"]).trim().to_owned();
    let running = start_server(&data, &format!("127.0.0.1:{good},127.0.0.1:{bad}"), &[]);
    let headers = [("x-n8n-api-key", key.as_str()), ("content-type", "application/json")];
    let api = |path: &str, body: &Value| {
        request(&running.address, "POST", path, &headers, body.to_string().as_bytes())
            .unwrap()
            .json()
    };
    let tried = |kind: &str, fields: Value| {
        let made =
            api("/api/v1/credentials", &json!({ "name": "c", "type": kind, "data": fields }));
        api(&format!("/api/v1/credentials/{}/test", made["id"].as_str().unwrap()), &json!({}))
    };
    let url =
        |port: u16| json!({ "apiKey": CANARY, "baseUrl": format!("http://127.0.0.1:{port}") });
    assert_eq!(tried("n8nApi", url(good))["status"], "OK");
    assert!(
        got.heads()[0].starts_with("GET /workflows?limit=1") && got.heads()[0].contains(CANARY)
    );
    let refused = tried("n8nApi", url(bad));
    assert!(refused["status"] == "Error" && !refused.to_string().contains(CANARY), "{refused}");
    let closed =
        tried("grafanaApi", json!({ "apiKey": CANARY, "baseUrl": "http://169.254.169.254" }));
    assert!(
        closed["status"] == "Error" && !closed.to_string().contains(CANARY),
        "the egress policy holds for tests: {closed}"
    );
    assert_eq!(
        tried("httpHeaderAuth", json!({ "name": "a", "value": CANARY }))["message"],
        "Credentials of this type have no test"
    );
}

#[test]
fn a_credential_lists_the_models_that_it_may_use() {
    let folder = TempFolder::new("credential-models");
    let data = folder.0.join("data");
    let mock = testkit::MockModels::start([]).unwrap();
    let key = heddle(&data, &["api-keys", "create"]).trim().to_owned();
    let running = start_server(&data, &mock.address().to_string(), &[]);
    let headers = [("x-n8n-api-key", key.as_str()), ("content-type", "application/json")];
    let listed = |kind: &str, fields: Value| {
        let made = json!({ "name": "c", "type": kind, "data": fields }).to_string();
        let made =
            request(&running.address, "POST", "/api/v1/credentials", &headers, made.as_bytes())
                .unwrap()
                .json();
        let path = format!("/api/v1/credentials/{}/models", made["id"].as_str().unwrap());
        request(&running.address, "GET", &path, &headers, b"").unwrap().json()
    };
    assert_eq!(
        listed("openAiApi", json!({ "apiKey": CANARY, "url": mock.v1() })),
        json!({ "data": ["mock", "mock-large"], "message": null })
    );
    assert_eq!(
        listed("anthropicApi", json!({ "apiKey": CANARY, "url": mock.url() }))["data"],
        json!(["mock", "mock-large"])
    );
    assert_eq!(
        listed("googlePalmApi", json!({ "apiKey": CANARY, "host": mock.url() }))["data"],
        json!(["models/mock", "models/mock-large"])
    );
    assert_eq!(
        listed("ollamaApi", json!({ "baseUrl": mock.url() }))["data"],
        json!(["mock", "mock-large"])
    );
    let closed = listed("openAiApi", json!({ "apiKey": CANARY, "url": "http://169.254.169.254" }));
    assert!(
        closed["data"] == json!([]) && !closed["message"].as_str().unwrap().contains(CANARY),
        "{closed}"
    );
    assert_eq!(
        listed("httpHeaderAuth", json!({ "name": "a", "value": CANARY }))["message"],
        "Credentials of this type have no list of models"
    );
}
