//! Ollama's chat.

use super::{EventPart, WireEvent, in_order, words};
use crate::fault::NetFault;
use crate::reply::{ScriptedReply, ScriptedUsage};
use serde_json::{Value, json};

pub(super) fn events(reply: &ScriptedReply) -> Vec<WireEvent> {
    let line = |part: EventPart, message: Value| {
        WireEvent::new(
            part,
            &json!({ "model": "mock", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": false }),
        )
    };
    let mut events: Vec<WireEvent> = words(&reply.text)
        .into_iter()
        .map(|word| line(EventPart::Word, json!({ "role": "assistant", "content": word })))
        .collect();
    let groups = (0..reply.calls.len()).map(|number| {
        let message =
            json!({ "role": "assistant", "content": "", "tool_calls": [call_of(reply, number)] });
        vec![line(EventPart::Call, message)]
    });
    events.extend(in_order(reply, groups.collect()));
    events.push(WireEvent::new(
        EventPart::Done,
        &end(reply, json!({ "role": "assistant", "content": "" })),
    ));
    events
}

pub(super) fn whole(reply: &ScriptedReply) -> Value {
    let mut message = json!({ "role": "assistant", "content": reply.text });
    if !reply.calls.is_empty() {
        message["tool_calls"] =
            (0..reply.calls.len()).map(|number| call_of(reply, number)).collect();
    }
    end(reply, message)
}

/// This format has no index; calls that are confused have the same id.
fn call_of(reply: &ScriptedReply, number: usize) -> Value {
    let Some(call) = reply.calls.get(number) else { return Value::Null };
    let mut value = json!({ "function": { "name": call.name, "arguments": call.arguments } });
    if reply.fault == Some(NetFault::DuplicatedIndex) {
        value["id"] = "call_0".into();
    }
    value
}

fn end(reply: &ScriptedReply, message: Value) -> Value {
    let reason = match reply.stop_reason() {
        "tool_calls" => "stop",
        other => other,
    };
    let mut last = json!({ "model": "mock", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": true, "done_reason": reason });
    if let ScriptedUsage::Of { input, output } = reply.usage {
        last["prompt_eval_count"] = input.into();
        last["eval_count"] = output.into();
    }
    last
}
