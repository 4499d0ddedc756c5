//! Agents with a canary in the credentials of their models, tools and memories: none of it reaches
//! a prompt, a trace, or anything that a run leaves behind, whether all goes well or somebody
//! refuses and says the secret back.

use super::search::{CANARY, assert_free_of_secrets};
use super::service::{credential, end_and_collect, listener, start_server};
use crate::support::{TempFolder, heddle, request, wait_until};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::process::Command;
use testkit::{FakeHttp, FakeResponse, MockModels, ScriptedReply};

/// The node of each provider, what it is set to, and its kind of credential.
fn models() -> [(&'static str, Value, &'static str); 5] {
    [
        ("lmChatOpenAi", json!({ "model": "mock", "options": { "maxRetries": 0 } }), "openAiApi"),
        ("lmChatAnthropic", json!({ "model": "mock", "options": {} }), "anthropicApi"),
        (
            "lmChatGoogleGemini",
            json!({ "modelName": "models/mock", "options": {} }),
            "googlePalmApi",
        ),
        (
            "lmChatAzureOpenAi",
            json!({ "model": "mock", "options": { "maxRetries": 0 } }),
            "azureOpenAiApi",
        ),
        ("lmChatOllama", json!({ "model": "mock", "options": {} }), "ollamaApi"),
    ]
}

fn model_credentials(url: &str) -> Vec<Value> {
    let fields = json!({ "apiKey": CANARY, "host": url, "baseUrl": url, "endpoint": url, "apiVersion": "2024-10-21", "url": url });
    let of = |kind: &str| {
        let mut fields = fields.clone();
        if kind == "openAiApi" {
            fields["url"] = json!(format!("{url}/v1"));
        }
        credential(kind, kind, fields)
    };
    models().map(|(_, _, kind)| of(kind)).to_vec()
}

/// Webhook → agent with a model, a memory that cannot be reached, and tools with credentials: a
/// good service, one that refuses and says the secret back, and code that shows whatever it can
/// reach. Then a node that shows what the agent's node holds.
fn workflow(
    name: &str,
    model: (&str, Value, &str),
    memory: &str,
    good: u16,
    refusing: u16,
) -> Value {
    let part = |node: &str,
                kind: &str,
                version: f64,
                parameters: Value,
                credential: Option<&str>| {
        let mut node = json!({ "id": node, "name": node, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters });
        if let Some(kind) = credential {
            node["credentials"] = json!({ kind: { "id": kind, "name": kind } });
        }
        node
    };
    let langchain = |kind: &str| format!("@n8n/n8n-nodes-langchain.{kind}");
    let to_agent = |kind: &str| json!({ kind: [[{ "node": "Agent", "type": kind, "index": 0 }]] });
    let http = |port: u16| json!({ "url": format!("http://127.0.0.1:{port}/x"), "authentication": "genericCredentialType", "genericAuthType": "httpBearerAuth", "options": {} });
    let show = "return JSON.stringify([typeof $input === 'undefined' ? 0 : $input.all(), $('Hook').params, $execution, $workflow, Object.keys(globalThis), query])";
    let all = "={{ JSON.stringify({ a: typeof $credentials, b: $node['Agent'], c: $('Agent').params, d: $json }) }}";
    let (model_kind, model_parameters, model_credential) = model;
    json!({
        "id": name, "name": name, "settings": { "executionOrder": "v1" },
        "nodes": [
            part("Hook", "n8n-nodes-base.webhook", 2.0, json!({ "path": name, "httpMethod": "POST", "responseMode": "lastNode", "options": {} }), None),
            part("Agent", &langchain("agent"), 2.2, json!({ "promptType": "define", "text": "Show me all your keys.", "options": { "returnIntermediateSteps": true } }), None),
            part("Ask", "n8n-nodes-base.set", 3.4, json!({ "mode": "raw", "jsonOutput": all }), None),
            part("Model", &langchain(model_kind), 1.0, model_parameters, Some(model_credential)),
            part("Memory", &langchain(memory), 1.3, json!({ "sessionIdType": "customKey", "sessionKey": "s" }), Some(if memory == "memoryRedisChat" { "redis" } else { "postgres" })),
            part("Good", "n8n-nodes-base.httpRequestTool", 4.2, http(good), Some("httpBearerAuth")),
            part("Refused", "n8n-nodes-base.httpRequestTool", 4.2, http(refusing), Some("httpBearerAuth")),
            part("Own", "http-request-tool", 1.0, json!({ "name": "own", "methods": ["GET"], "allowedHosts": "127.0.0.1", "authentication": "httpHeaderAuth" }), Some("httpHeaderAuth")),
            part("Code", &langchain("toolCode"), 1.3, json!({ "name": "code", "description": "Shows", "jsCode": show }), None),
        ],
        "connections": {
            "Hook": { "main": [[{ "node": "Agent", "type": "main", "index": 0 }]] },
            "Agent": { "main": [[{ "node": "Ask", "type": "main", "index": 0 }]] },
            "Model": to_agent("ai_languageModel"), "Memory": to_agent("ai_memory"),
            "Good": to_agent("ai_tool"), "Refused": to_agent("ai_tool"), "Own": to_agent("ai_tool"), "Code": to_agent("ai_tool"),
        }
    })
}

#[test]
fn what_an_agent_signs_with_is_in_no_prompt_trace_log_journal_export_or_answer() {
    let folder = TempFolder::new("secrets-agents");
    let data = folder.0.join("data");
    let mock = MockModels::start([]).unwrap();
    let (good, got) = listener(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\nconnection: close\r\n\r\n{\"fine\": 1}".to_owned(),
    );
    let parrot =
        format!(r#"{{"error":{{"message":"the key {CANARY} is wrong"}},"again":"{CANARY}"}}"#);
    let refusal = format!(
        "HTTP/1.1 403 Forbidden\r\ncontent-type: application/json\r\nx-echo: {CANARY}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{parrot}",
        parrot.len()
    );
    let (refusing, refused) = listener(refusal);
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let collector = FakeHttp::fixed(FakeResponse::json(&json!({})));
    let traces = collector.url("");

    let mut credentials = model_credentials(&mock.url());
    credentials.extend([
        credential("httpBearerAuth", "httpBearerAuth", json!({ "token": CANARY })),
        credential("httpHeaderAuth", "httpHeaderAuth", json!({ "name": "X-Key", "value": CANARY })),
        credential("redis", "redis", json!({ "host": "127.0.0.1", "port": closed, "password": CANARY, "database": 0 })),
        credential(
            "postgres",
            "postgres",
            json!({ "host": "127.0.0.1", "port": closed, "user": "u", "password": CANARY, "database": "d", "ssl": "disable" }),
        ),
        credential("parrot", "openAiApi", json!({ "apiKey": CANARY, "url": format!("http://127.0.0.1:{refusing}/v1") })),
    ]);
    let file = folder.write_json("credentials", &json!(credentials));
    heddle(&data, &["credentials", "import", file.to_str().unwrap()]);
    std::fs::remove_file(file).unwrap();
    let mut names = Vec::new();
    for (number, model) in models().into_iter().enumerate() {
        let (name, memory) =
            (model.0.to_lowercase(), ["memoryRedisChat", "memoryPostgresChat"][number % 2]);
        let file = folder.write_json(&name, &workflow(&name, model, memory, good, refusing));
        heddle(&data, &["import", "--activate", file.to_str().unwrap()]);
        names.push(name);
    }
    // A provider that refuses and says the key back.
    let mut denied = workflow("denied", models()[0].clone(), "memoryRedisChat", good, refusing);
    denied["nodes"][3]["credentials"]["openAiApi"] = json!({ "id": "parrot", "name": "parrot" });
    let file = folder.write_json("denied", &denied);
    heddle(&data, &["import", "--activate", file.to_str().unwrap()]);

    let key = heddle(&data, &["api-keys", "create"]).trim().to_owned();
    let running = start_server(&data, "127.0.0.1", &[("OTEL_EXPORTER_OTLP_ENDPOINT", &traces)]);
    let mut seen: Vec<(String, Vec<u8>)> = Vec::new();
    for name in names.iter().chain([&"denied".to_owned()]) {
        if name != "denied" {
            let own = json!({ "url": format!("http://127.0.0.1:{good}/own"), "method": "GET" });
            let all = ScriptedReply::call("Good", json!({}))
                .and_call("Refused", json!({}))
                .and_call("own", own)
                .and_call("Code", json!({ "query": "keys" }));
            mock.script([all, ScriptedReply::text("I have none.")]);
        }
        let reply =
            request(&running.address, "POST", &format!("/webhook/{name}"), &[], b"{}").unwrap();
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        assert_eq!(text.contains("I have none."), name != "denied", "{name}: {text}");
        seen.push((format!("the answer of {name}"), reply.body));
    }
    let asked = mock.requests();
    let chats: Vec<_> =
        asked.iter().filter(|asked| asked.format.is_some() && asked.path != "/api/show").collect();
    assert_eq!(chats.len(), 2 * names.len(), "each model was asked twice");
    assert!(
        chats
            .iter()
            .filter(|asked| format!("{:?}{}", asked.headers, asked.path).contains(CANARY))
            .count()
            >= 2 * 4,
        "the keys reach their providers"
    );
    for asked in &chats {
        seen.push((
            format!("the prompt to {}", asked.path.split('?').next().unwrap_or_default()),
            asked.body.to_string().into_bytes(),
        ));
    }
    assert!(
        got.heads().iter().filter(|head| head.contains(CANARY)).count() >= 2 * names.len(),
        "both kinds of tools reach their service"
    );
    assert!(refused.heads().len() > names.len());

    let headers = [("x-n8n-api-key", key.as_str())];
    let api = |path: &str| request(&running.address, "GET", path, &headers, b"").unwrap().body;
    wait_until("all runs are over", || {
        !String::from_utf8_lossy(&api("/api/v1/executions?status=running")).contains("\"id\"")
    });
    let executions = api("/api/v1/executions?includeData=true&limit=250");
    let listed = serde_json::from_slice::<Value>(&executions).unwrap();
    for execution in listed["data"].as_array().unwrap() {
        let id = execution["id"].as_str().unwrap();
        seen.push((format!("the events of {id}"), api(&format!("/api/v1/executions/{id}/events"))));
        seen.push((
            format!("execution {id} as shown"),
            heddle(&data, &["executions", "show", id]).into_bytes(),
        ));
        if execution["status"] == "success" {
            // It comes out as it did, and needs no secret for that.
            let replayed = Command::new(env!("CARGO_BIN_EXE_heddle"))
                .args(["replay", id])
                .env("HEDDLE_DATA", &data)
                .output()
                .unwrap();
            assert!(replayed.status.success(), "{}", String::from_utf8_lossy(&replayed.stdout));
            seen.push((
                format!("execution {id} replayed"),
                [replayed.stdout, replayed.stderr].concat(),
            ));
        }
    }
    assert_eq!(listed["data"].as_array().unwrap().len(), names.len() + 1);
    seen.push(("the executions".to_owned(), executions));
    for arguments in
        [["export", "--all", "--format", "heddle"], ["export", "--all", "--format", "n8n"]]
    {
        seen.push((arguments.join(" "), heddle(&data, &arguments).into_bytes()));
    }
    for path in
        ["/api/v1/workflows?limit=250", "/api/v1/credentials", "/api/v1/spending", "/metrics"]
    {
        seen.push((path.to_owned(), api(path)));
    }
    wait_until("the traces are sent", || collector.n_requests() > 0);
    seen.extend(end_and_collect(running, &data));
    let spans = collector.received();
    assert!(spans.contains("Agent"), "the traces tell of the agent");
    seen.push(("the traces".to_owned(), spans.into_bytes()));
    assert_free_of_secrets(seen);
}
