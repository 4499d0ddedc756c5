//! A server that speaks OpenAI's format and says what a script says, in the place of a model.

use serde_json::{Value, json};
use std::sync::Mutex;
use testkit::{FakeHttp, FakeResponse};

/// Answers with the turns of a script, each as a stream.
pub(crate) struct Model {
    pub(crate) address: String,
    server: FakeHttp,
}

impl Model {
    pub(crate) fn start(turns: Vec<Value>) -> Self {
        let turns = Mutex::new(turns.into_iter());
        let server = FakeHttp::start(move |_| {
            let turn = turns.lock().unwrap().next();
            respond(&turn.unwrap_or_else(|| json!({ "content": "the script is over" })))
        });
        Self { address: server.address.to_string(), server }
    }

    pub(crate) fn request(&self, number: usize) -> Value {
        self.server.requests()[number].json()
    }

    pub(crate) fn n_requests(&self) -> usize {
        self.server.n_requests()
    }

    /// The result of a tool that the model saw last when it was asked for this turn.
    pub(crate) fn last_result(&self, number: usize) -> String {
        let request = self.request(number);
        let last = request["messages"]
            .as_array()
            .unwrap()
            .iter()
            .rev()
            .find(|message| message["role"] == "tool")
            .unwrap();
        last["content"].as_str().unwrap().to_owned()
    }
}

/// The delta in two pieces, then why it stopped, then the usage.
pub(crate) fn respond(delta: &Value) -> FakeResponse {
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
    FakeResponse::new(200, "text/event-stream", body)
}

/// A turn in which the model calls a tool.
pub(crate) fn calls(name: &str, arguments: &Value) -> Value {
    json!({ "tool_calls": [{ "index": 0, "id": "call_1", "type": "function", "function": { "name": name, "arguments": arguments.to_string() } }] })
}
