//! A server that speaks OpenAI's format and says what a script says, in the place of a model.

use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Answers with the turns of a script, each as a stream, and keeps what it was asked.
pub(crate) struct Model {
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Model {
    pub(crate) fn start(turns: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let known = asked.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let request = serde_json::from_slice(&read_request(&stream).1).unwrap();
                let number = known.lock().unwrap().len();
                known.lock().unwrap().push(request);
                let turn = turns
                    .get(number)
                    .cloned()
                    .unwrap_or_else(|| json!({ "content": "the script is over" }));
                answer(stream, &turn);
            }
        });
        Self { address, asked }
    }

    pub(crate) fn asked(&self, number: usize) -> Value {
        self.asked.lock().unwrap()[number].clone()
    }

    pub(crate) fn n_asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// The result of a tool that the model saw last when it was asked for this turn.
    pub(crate) fn last_result(&self, number: usize) -> String {
        let asked = self.asked(number);
        let last = asked["messages"]
            .as_array()
            .unwrap()
            .iter()
            .rev()
            .find(|message| message["role"] == "tool")
            .unwrap();
        last["content"].as_str().unwrap().to_owned()
    }
}

/// The first line and the body of a request.
fn read_request(stream: &TcpStream) -> (String, Vec<u8>) {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
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
        if first.is_empty() {
            first = line;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    (first, body)
}

/// The delta in two pieces, then why it stopped, then the usage.
fn answer(mut stream: TcpStream, delta: &Value) {
    let chunk = |delta: &Value, reason: Value| json!({ "object": "chat.completion.chunk", "model": "mock", "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }] });
    let reason = if delta.get("tool_calls").is_some() { "tool_calls" } else { "stop" };
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18 } });
    let events = [
        chunk(&json!({ "role": "assistant" }), Value::Null),
        chunk(delta, Value::Null),
        chunk(&json!({}), json!(reason)),
        usage,
    ];
    let body: String = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .chain(["data: [DONE]\n\n".to_owned()])
        .collect();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
}

/// A turn in which the model calls a tool.
pub(crate) fn calls(name: &str, arguments: &Value) -> Value {
    json!({ "tool_calls": [{ "index": 0, "id": "call_1", "type": "function", "function": { "name": name, "arguments": arguments.to_string() } }] })
}

/// A service that answers every request the same and keeps what it was asked.
pub(crate) struct Service {
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Service {
    pub(crate) fn start(content_type: &str, body: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let known = asked.clone();
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        let answer = head + body;
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (first, body) = read_request(&stream);
                let line = first.trim().trim_end_matches(" HTTP/1.1").to_owned();
                let body = String::from_utf8_lossy(&body).into_owned();
                known.lock().unwrap().push(if body.is_empty() {
                    line
                } else {
                    format!("{line} {body}")
                });
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { address, asked }
    }

    /// Method, path and body of a request.
    pub(crate) fn asked(&self, number: usize) -> String {
        self.asked.lock().unwrap()[number].clone()
    }

    pub(crate) fn n_asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}
