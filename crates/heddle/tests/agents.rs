//! Agents in workflows, with a server that speaks OpenAI's format in the place of a model.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop the test")]

mod support;

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};
use support::Folder;

/// Answers with the turns of a script, each as a stream, and keeps what it was asked.
struct Model {
    address: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    fn start(turns: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let known = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let request = read_json(&stream);
                let number = known.lock().unwrap().len();
                known.lock().unwrap().push(request);
                let turn = turns.get(number).cloned().unwrap_or_else(|| json!({ "content": "the script is over" }));
                answer(stream, &turn);
            }
        });
        Self { address, asked }
    }

    fn asked(&self, number: usize) -> Value {
        self.asked.lock().unwrap()[number].clone()
    }
}

fn read_json(stream: &TcpStream) -> Value {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap()
}

/// The delta in two pieces, then why it stopped, then the usage.
fn answer(mut stream: TcpStream, delta: &Value) {
    let chunk = |delta: &Value, reason: Value| json!({ "object": "chat.completion.chunk", "model": "mock", "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
    let reason = if delta.get("tool_calls").is_some() { "tool_calls" } else { "stop" };
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18 } });
    let events = [chunk(&json!({ "role": "assistant" }), Value::Null), chunk(delta, Value::Null), chunk(&json!({}), json!(reason)), usage];
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).chain(["data: [DONE]\n\n".to_owned()]).collect();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
}

fn calls(name: &str, arguments: &Value) -> Value {
    json!({ "tool_calls": [{ "index": 0, "id": "call_1", "type": "function", "function": { "name": name, "arguments": arguments.to_string() } }] })
}

fn workflow(model: &Model, agent: Value) -> Value {
    let part = |name: &str, kind: &str, parameters: Value| json!({ "id": name, "name": name, "type": kind, "typeVersion": 1, "position": [0, 0], "parameters": parameters });
    let to_agent = |kind: &str| json!({ kind: [[{ "node": "Agent", "type": kind, "index": 0 }]] });
    json!({
        "name": "Agent",
        "nodes": [
            part("Start", "n8n-nodes-base.manualTrigger", json!({})),
            agent,
            part("Model", "openai-compatible-model", json!({ "baseUrl": format!("http://{}/v1", model.address), "model": "mock" })),
            part("Calculator", "calculator-tool", json!({})),
        ],
        "connections": {
            "Start": { "main": [[{ "node": "Agent", "type": "main", "index": 0 }]] },
            "Model": to_agent("ai_languageModel"),
            "Calculator": to_agent("ai_tool"),
        },
        "settings": { "executionOrder": "v1" }
    })
}

fn agent(kind: &str, parameters: Value) -> Value {
    json!({ "id": "a", "name": "Agent", "type": kind, "typeVersion": 1, "position": [0, 0], "parameters": parameters })
}

/// What `heddle run` prints, or its error.
fn run(folder: &Folder, document: &Value) -> Result<Value, String> {
    let file = folder.workflow("agent", document);
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    let output = command.args(["run", "--json"]).arg(file).env("HEDDLE_EGRESS_ALLOW", "127.0.0.1").output().unwrap();
    let execution: Value = serde_json::from_slice(&output.stdout).unwrap();
    match output.status.success() {
        true => Ok(execution["data"]["resultData"]["runData"]["Agent"][0]["data"]["main"][0][0]["json"].clone()),
        false => Err(execution["data"]["resultData"]["error"].to_string()),
    }
}

#[test]
fn an_agent_calls_its_calculator_and_answers() {
    let model = Model::start(vec![calls("calculator", &json!({ "expression": "2+2" })), json!({ "content": "It is 4." })]);
    let folder = Folder::new("agent");
    let parameters = json!({ "userMessage": "What is 2+2?", "options": { "outputFormat": "full" } });
    let answer = run(&folder, &workflow(&model, agent("ai-agent", parameters))).unwrap();
    let answer = answer.to_string();
    assert!(
        answer.contains("\"response\":\"It is 4.\"")
            && answer.contains("\"toolName\":\"calculator\"")
            && answer.contains("\"result\":\"4\""),
        "{answer}"
    );
    let second = model.asked(1);
    let messages = second["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool"]);
    assert_eq!(messages[3]["content"], "4");
    assert_eq!(messages[3]["tool_call_id"], "call_1");
    assert_eq!(model.asked(0)["tools"][0]["function"]["name"], "calculator");
}

#[test]
fn a_strict_agent_puts_out_its_envelope_or_says_which_rule_was_broken() {
    let tool = json!({ "content": "{ \"action\": \"tool\", \"tool\": \"calculator\", \"input\": { \"expression\": \"6*7\" }, \"confidence\": 0.5 }" });
    let last = json!({ "content": "{ \"action\": \"final\", \"message\": \"42\", \"confidence\": 1 }" });
    let folder = Folder::new("react");
    let model = Model::start(vec![tool, last]);
    let answer = run(&folder, &workflow(&model, agent("agent-core-react", json!({})))).unwrap().to_string();
    assert!(answer.contains("\"completed\":true") && answer.contains("\"data\":\"42\""), "{answer}");
    let model = Model::start(vec![json!({ "content": "It is 42." })]);
    let error = run(&folder, &workflow(&model, agent("agent-core-react", json!({})))).unwrap_err();
    assert!(error.contains("AGENT_REPLY") && error.contains("no JSON"), "{error}");
}

#[test]
fn an_agent_without_a_model_says_so() {
    let model = Model::start(Vec::new());
    let mut document = workflow(&model, agent("ai-agent", json!({ "userMessage": "hi" })));
    document["connections"].as_object_mut().unwrap().remove("Model");
    let error = run(&Folder::new("no-model"), &document).unwrap_err();
    assert!(error.contains("A model is not connected"), "{error}");
}
