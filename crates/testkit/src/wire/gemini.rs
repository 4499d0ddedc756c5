//! Google's generateContent.

use super::{EventPart, WireEvent, call_index, in_order, words};
use crate::fault::NetFault;
use crate::reply::{ScriptedReply, ScriptedUsage};
use serde_json::{Value, json};

pub(super) fn events(reply: &ScriptedReply) -> Vec<WireEvent> {
    let chunk = |part: EventPart, parts: Value| {
        let candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
        WireEvent::new(
            part,
            &json!({ "candidates": [candidate], "modelVersion": "mock", "responseId": "mock" }),
        )
    };
    let mut events: Vec<WireEvent> = words(&reply.text)
        .into_iter()
        .map(|word| chunk(EventPart::Word, json!([{ "text": word }])))
        .collect();
    let groups = (0..reply.calls.len())
        .map(|number| vec![chunk(EventPart::Call, json!([call_part(reply, number)]))]);
    events.extend(in_order(reply, groups.collect()));
    let mut last = json!({ "candidates": [{ "content": { "role": "model", "parts": [] }, "finishReason": stop(reply), "index": 0 }],
        "modelVersion": "mock", "responseId": "mock" });
    put_usage(reply, &mut last);
    events.push(WireEvent::new(EventPart::End, &last));
    events
}

pub(super) fn whole(reply: &ScriptedReply) -> Value {
    let mut parts = Vec::new();
    if !reply.text.is_empty() {
        parts.push(json!({ "text": reply.text }));
    }
    parts.extend((0..reply.calls.len()).map(|number| call_part(reply, number)));
    let candidate = json!({ "content": { "role": "model", "parts": parts }, "finishReason": stop(reply), "index": 0 });
    let mut answer =
        json!({ "candidates": [candidate], "modelVersion": "mock", "responseId": "mock" });
    put_usage(reply, &mut answer);
    answer
}

/// This format has no index; calls that are confused have the same id.
fn call_part(reply: &ScriptedReply, number: usize) -> Value {
    let Some(call) = reply.calls.get(number) else { return Value::Null };
    let mut part = json!({ "functionCall": { "name": call.name, "args": call.arguments } });
    if reply.fault == Some(NetFault::DuplicatedIndex) {
        part["functionCall"]["id"] = format!("call_{}", call_index(reply, number)).into();
    }
    part
}

fn put_usage(reply: &ScriptedReply, answer: &mut Value) {
    if let ScriptedUsage::Of { input, output } = reply.usage {
        answer["usageMetadata"] = json!({ "promptTokenCount": input, "candidatesTokenCount": output, "totalTokenCount": input + output });
    }
}

fn stop(reply: &ScriptedReply) -> &str {
    match reply.stop_reason() {
        "stop" | "tool_calls" => "STOP",
        "length" => "MAX_TOKENS",
        "content_filter" => "SAFETY",
        other => other,
    }
}
