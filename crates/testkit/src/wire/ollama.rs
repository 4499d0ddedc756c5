//! Ollama's chat.

use super::{Event, Part, in_order, words};
use crate::fault::Fault;
use crate::reply::{Reply, Usage};
use serde_json::{Value, json};

pub(super) fn events(reply: &Reply) -> Vec<Event> {
    let line = |part: Part, message: Value| {
        Event::new(
            part,
            &json!({ "model": "mock", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false }),
        )
    };
    let mut events: Vec<Event> = words(&reply.text)
        .into_iter()
        .map(|word| line(Part::Word, json!({ "role": "assistant", "content": word })))
        .collect();
    let groups = (0..reply.calls.len()).map(|number| {
        let message =
            json!({ "role": "assistant", "content": "", "tool_calls": [call_of(reply, number)] });
        vec![line(Part::Call, message)]
    });
    events.extend(in_order(reply, groups.collect()));
    events.push(Event::new(Part::Done, &end(reply, json!({ "role": "assistant", "content": "" }))));
    events
}

pub(super) fn whole(reply: &Reply) -> Value {
    let mut message = json!({ "role": "assistant", "content": reply.text });
    if !reply.calls.is_empty() {
        message["tool_calls"] =
            (0..reply.calls.len()).map(|number| call_of(reply, number)).collect();
    }
    end(reply, message)
}

/// This format has no index; calls that are confused have the same id.
fn call_of(reply: &Reply, number: usize) -> Value {
    let Some(call) = reply.calls.get(number) else { return Value::Null };
    let mut value = json!({ "function": { "name": call.name, "arguments": call.arguments } });
    if reply.fault == Some(Fault::DuplicatedIndex) {
        value["id"] = "call_0".into();
    }
    value
}

fn end(reply: &Reply, message: Value) -> Value {
    let reason = match reply.stop_reason() {
        "tool_calls" => "stop",
        other => other,
    };
    let mut last = json!({ "model": "mock", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": true, "done_reason": reason });
    if let Usage::Of { input, output } = reply.usage {
        last["prompt_eval_count"] = input.into();
        last["eval_count"] = output.into();
    }
    last
}
