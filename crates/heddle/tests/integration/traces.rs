//! The decision trace of an agent, as its users meet it: live, over the API, on the command line, as
//! spans, and in the metrics.

use crate::support::model_server::{self, calls};
use crate::support::{Server, TempFolder, heddle, new_key, request, wait_until};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use testkit::FakeHttp;

const CANARY: &str = "sk-canary-0123456789abcdef";

/// A model that calls the calculator, then answers with what it gave.
fn start_model() -> FakeHttp {
    FakeHttp::unrecorded(|request| {
        let request = request.json();
        let messages = request["messages"].as_array().unwrap();
        let last = messages.last().unwrap();
        let delta = if last["role"] == "tool" {
            json!({ "content": format!("It is {}.", last["content"].as_str().unwrap()) })
        } else {
            calls("calculator", &json!({ "expression": "6*7" }))
        };
        model_server::respond(&delta)
    })
}

struct TracedAgent {
    _folder: TempFolder,
    _model: FakeHttp,
    server: Server,
    data: std::path::PathBuf,
}

impl TracedAgent {
    fn start(name: &str, settings: &[(&str, &str)]) -> Self {
        let (folder, model) = (TempFolder::new(name), start_model());
        let node = |name: &str, kind: &str, version: f64, parameters: Value| json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters });
        let to_agent =
            |kind: &str| json!({ kind: [[{ "node": "Agent", "type": kind, "index": 0 }]] });
        let address = format!("http://{}/v1", model.address);
        let document = json!({
            "name": "Traced",
            "nodes": [
                node("Hook", "n8n-nodes-base.webhook", 2.0, json!({ "path": "ask", "httpMethod": "POST", "responseMode": "lastNode" })),
                node("Agent", "ai-agent", 1.0, json!({ "userMessage": "={{ $json.body.question }}" })),
                node("Model", "openai-compatible-model", 1.0, json!({ "baseUrl": address, "model": "mock" })),
                node("Calculator", "calculator-tool", 1.0, json!({})),
                node("Memory", "@n8n/n8n-nodes-langchain.memoryBufferWindow", 1.3, json!({ "sessionIdType": "customKey", "sessionKey": "s1" })),
            ],
            "connections": {
                "Hook": { "main": [[{ "node": "Agent", "type": "main", "index": 0 }]] },
                "Model": to_agent("ai_languageModel"),
                "Calculator": to_agent("ai_tool"),
                "Memory": to_agent("ai_memory"),
            },
            "settings": { "executionOrder": "v1" }
        });
        let file = folder.write_json("traced", &document);
        heddle(&folder.0, &["import", "--activate", file.to_str().unwrap()]);
        let key = new_key(&folder.0);
        let all = [&[("HEDDLE_EGRESS_ALLOW", "127.0.0.1")], settings].concat();
        let server = Server::start_with_key(&folder.0, &all, &key).unwrap();
        Self { data: folder.0.clone(), _folder: folder, _model: model, server }
    }

    fn ask(&self, question: &str) -> Value {
        let reply =
            self.server.call("POST", "/webhook/ask", Some(&json!({ "question": question })));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }

    fn newest(&self) -> String {
        self.server.executions()[0]["id"].as_str().unwrap().to_owned()
    }

    fn trace(&self, id: &str, query: &str) -> Vec<Value> {
        let reply = self.server.api("GET", &format!("/executions/{id}/trace{query}"), None);
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["events"].as_array().unwrap().clone()
    }
}

fn stages(events: &[Value]) -> Vec<String> {
    let name = |event: &Value| {
        format!("{} {}", event["stage"].as_str().unwrap(), event["kind"].as_str().unwrap())
    };
    events.iter().map(name).collect()
}

const WHOLE: [&str; 9] = [
    "preprocess input",
    "retrieve memory_read",
    "plan model_reply",
    "act tool_call",
    "integrate tool_result",
    "plan model_reply",
    "update memory_write",
    "output answer",
    "output execution_finished",
];

#[test]
fn a_trace_tells_every_stage_and_the_answer_names_its_sources() {
    let agent = TracedAgent::start("trace", &[]);
    let answer = agent.ask(&format!("What is 6*7? My key is {CANARY}, write to ann@example.com."));
    assert_eq!(answer["response"], "It is 42.", "{answer}");
    let source = json!({ "type": "tool", "tool": "calculator", "callId": "call_1", "iteration": 1, "isQuoted": true });
    assert_eq!(answer["sources"], json!([source]));
    let id = agent.newest();
    let events = agent.trace(&id, "");
    assert_eq!(stages(&events), WHOLE, "{events:#?}");
    assert_eq!(events[2]["detail"]["considered"], json!(["calculator"]));
    assert_eq!(events[2]["detail"]["chosen"][0]["name"], "calculator");
    assert_eq!(events[3]["subNode"], "Calculator");
    assert_eq!(events[3]["detail"]["arguments"]["expression"], "6*7");
    assert_eq!(events[4]["detail"]["result"], "42");
    assert_eq!(events[7]["detail"]["sources"], json!([source]));
    assert_eq!(events[7]["detail"]["finishReason"], "completed");
    let places: Vec<i64> = events.iter().filter_map(|event| event["atMs"].as_i64()).collect();
    assert!(places.len() == events.len() && places.is_sorted(), "{places:?}");
    assert!(!json!(events).to_string().contains(CANARY), "a key left the instance");

    let report = agent.server.api("GET", &format!("/executions/{id}/agent?node=Agent"), None);
    assert_eq!(report.json()["sources"][0]["tool"], "calculator", "{}", report.text());

    let spans = agent.server.api("GET", &format!("/executions/{id}/trace/otlp"), None).json();
    let spans = spans["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone();
    let names: Vec<&str> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"invoke_agent Agent") && names.contains(&"chat mock"), "{names:?}");
    assert!(names.contains(&"execute_tool Calculator"), "{names:?}");
    assert!(spans.iter().skip(1).all(|span| span["parentSpanId"] == spans[0]["spanId"]));

    let printed = heddle(&agent.data, &["executions", "trace", &id, "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&printed).unwrap(), json!(events));
    let table = heddle(&agent.data, &["executions", "trace", &id]);
    assert!(table.contains("preprocess") && table.contains("Calculator"), "{table}");

    let metrics = agent.server.metrics();
    for line in [
        "heddle_agents_finished_total{reason=\"completed\"} 1",
        "heddle_tool_calls_total{tool=\"Calculator\"} 1",
        "heddle_memory_reads_total 1",
        "heddle_memory_writes_total 1",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line} is missing in\n{metrics}");
    }
    agent.ask("What is 6*7?");
    assert!(agent.server.metrics().lines().any(|found| found == "heddle_memory_hits_total 1"));
}

#[test]
fn personal_data_are_replaced_on_request() {
    let agent = TracedAgent::start("trace-redacted", &[]);
    agent.ask("6*7 for ann@example.com");
    let id = agent.newest();
    // The answer repeats nothing of it, so what a memory would hold is looked at in the report.
    let redacted = json!(agent.trace(&id, "?redactPersonalData=true")).to_string();
    assert!(!redacted.contains("ann@example.com"), "{redacted}");
    let reply = agent.server.api("GET", &format!("/executions/{id}/trace?redact=1"), None);
    assert_eq!(reply.status, 400, "an unknown parameter is refused");
    assert_eq!(agent.server.api("GET", "/executions/999/trace", None).status, 404);
    assert_eq!(agent.server.api("GET", "/executions/x/trace/otlp", None).status, 404);
}

/// The events of a stream, up to its end or so many.
fn follow(server: &Server, path: &str, last: Option<&str>, most: usize) -> Vec<(String, Value)> {
    let mut connection = TcpStream::connect(&server.address).unwrap();
    let last = last.map_or(String::new(), |id| format!("last-event-id: {id}\r\n"));
    write!(
        connection,
        "GET /api/v1{path} HTTP/1.1\r\nhost: {}\r\nx-n8n-api-key: {}\r\n{last}connection: close\r\n\r\n",
        server.address,
        server.key()
    )
    .unwrap();
    let (mut events, mut id) = (Vec::new(), String::new());
    for line in BufReader::new(connection).lines() {
        let line = line.unwrap();
        if let Some(given) = line.strip_prefix("id: ") {
            id = given.to_owned();
        }
        if let Some(data) = line.strip_prefix("data: ") {
            events.push((id.clone(), serde_json::from_str(data).unwrap()));
            if events.len() == most {
                break;
            }
        }
    }
    events
}

#[test]
fn a_stream_tells_the_same_live_from_the_start_and_behind_an_event() {
    let agent = TracedAgent::start("trace-stream", &[]);
    let live = std::thread::scope(|scope| {
        let watching = scope.spawn(|| follow(&agent.server, "/trace/events", None, WHOLE.len()));
        // The watcher is there once an event reaches it.
        wait_until("somebody watches", || {
            agent.ask("6*7");
            watching.is_finished()
        });
        watching.join().unwrap()
    });
    let of_first: Vec<Value> = live.iter().map(|(_, event)| event.clone()).collect();
    let id = of_first[0]["executionId"].as_str().unwrap().to_owned();
    let whole = agent.trace(&id, "");
    assert_eq!(of_first, whole, "live events are those of the journal");
    let path = format!("/executions/{id}/trace/events");
    let again = follow(&agent.server, &path, None, usize::MAX);
    assert_eq!(again.iter().map(|(_, event)| event.clone()).collect::<Vec<_>>(), whole);
    let rest = follow(&agent.server, &path, Some(&again[3].0), usize::MAX);
    assert_eq!(rest, again[4..]);
    let tools = follow(&agent.server, &format!("{path}?toolsOnly=true"), None, usize::MAX);
    let tools: Vec<Value> = tools.into_iter().map(|(_, event)| event).collect();
    assert_eq!(
        stages(&tools),
        ["act tool_call", "integrate tool_result", "output execution_finished"]
    );
    let strange = request(
        &agent.server.address,
        "GET",
        &format!("/api/v1{path}"),
        &[("origin", "http://evil.example")],
        b"",
    )
    .unwrap();
    assert!(matches!(strange.status, 401 | 403), "{}", strange.status);
}
