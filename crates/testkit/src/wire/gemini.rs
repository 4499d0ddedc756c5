//! Google's generateContent.

use super::{Event, Part, call_index, in_order, words};
use crate::fault::Fault;
use crate::reply::{Reply, Usage};
use serde_json::{Value, json};

pub(super) fn events(reply: &Reply) -> Vec<Event> {
    let chunk = |part: Part, parts: Value| {
        let candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
        Event::new(
            part,
            &json!({ "candidates": [candidate], "modelVersion": "mock", "responseId": "mock" }),
        )
    };
    let mut events: Vec<Event> = words(&reply.text)
        .into_iter()
        .map(|word| chunk(Part::Word, json!([{ "text": word }])))
        .collect();
    let groups = (0..reply.calls.len())
        .map(|number| vec![chunk(Part::Call, json!([call_part(reply, number)]))]);
    events.extend(in_order(reply, groups.collect()));
    let mut last = json!({ "candidates": [{ "content": { "role": "model", "parts": [] }, "finishReason": stop(reply), "index": 0 }],
        "modelVersion": "mock", "responseId": "mock" });
    put_usage(reply, &mut last);
    events.push(Event::new(Part::End, &last));
    events
}

pub(super) fn whole(reply: &Reply) -> Value {
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
fn call_part(reply: &Reply, number: usize) -> Value {
    let Some(call) = reply.calls.get(number) else { return Value::Null };
    let mut part = json!({ "functionCall": { "name": call.name, "args": call.arguments } });
    if reply.fault == Some(Fault::DuplicatedIndex) {
        part["functionCall"]["id"] = format!("call_{}", call_index(reply, number)).into();
    }
    part
}

fn put_usage(reply: &Reply, answer: &mut Value) {
    if let Usage::Of { input, output } = reply.usage {
        answer["usageMetadata"] = json!({ "promptTokenCount": input, "candidatesTokenCount": output, "totalTokenCount": input + output });
    }
}

fn stop(reply: &Reply) -> &str {
    match reply.stop_reason() {
        "stop" | "tool_calls" => "STOP",
        "length" => "MAX_TOKENS",
        "content_filter" => "SAFETY",
        other => other,
    }
}
