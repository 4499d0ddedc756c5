//! Anthropic's messages.

use super::{EventPart, WireEvent, argument_pieces, call_index, in_order, words};
use crate::fault::NetFault;
use crate::reply::{ScriptedReply, ScriptedUsage};
use serde_json::{Value, json};

pub(super) fn events(reply: &ScriptedReply) -> Vec<WireEvent> {
    let mut head = json!({ "id": "msg_mock", "type": "message", "role": "assistant", "model": "mock", "content": [],
        "stop_reason": null, "stop_sequence": null });
    if let ScriptedUsage::Of { input, .. } = reply.usage {
        head["usage"] = json!({ "input_tokens": input, "output_tokens": 1 });
    }
    let mut events = vec![
        event(EventPart::Begin, "message_start", json!({ "message": head })),
        event(EventPart::Begin, "ping", json!({})),
    ];
    if !reply.text.is_empty() {
        events.push(event(
            EventPart::Begin,
            "content_block_start",
            json!({ "index": 0, "content_block": { "type": "text", "text": "" } }),
        ));
        for word in words(&reply.text) {
            let delta = json!({ "index": 0, "delta": { "type": "text_delta", "text": word } });
            events.push(event(EventPart::Word, "content_block_delta", delta));
        }
        events.push(event(EventPart::Word, "content_block_stop", json!({ "index": 0 })));
    }
    let first = usize::from(!reply.text.is_empty());
    let groups = reply.calls.iter().enumerate().map(|(number, call)| {
        let index = first + call_index(reply, number);
        let block = json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": {} });
        let mut group = vec![event(EventPart::Call, "content_block_start", json!({ "index": index, "content_block": block }))];
        for piece in argument_pieces(reply, &call.arguments) {
            let delta = json!({ "index": index, "delta": { "type": "input_json_delta", "partial_json": piece } });
            group.push(event(EventPart::Call, "content_block_delta", delta));
        }
        if reply.fault == Some(NetFault::OutOfOrderBlocks) {
            // The first piece comes before the beginning.
            group.swap(0, 1);
        }
        group.push(event(EventPart::Call, "content_block_stop", json!({ "index": index })));
        group
    });
    events.extend(in_order(reply, groups.collect()));
    let mut end = json!({ "delta": { "stop_reason": stop(reply), "stop_sequence": null } });
    if let ScriptedUsage::Of { output, .. } = reply.usage {
        end["usage"] = json!({ "output_tokens": output });
    }
    events.push(event(EventPart::End, "message_delta", end));
    events.push(event(EventPart::Done, "message_stop", json!({})));
    events
}

pub(super) fn whole(reply: &ScriptedReply) -> Value {
    let mut content = Vec::new();
    if !reply.text.is_empty() {
        content.push(json!({ "type": "text", "text": reply.text }));
    }
    content.extend(reply.calls.iter().map(|call| json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments })));
    let mut answer = json!({ "id": "msg_mock", "type": "message", "role": "assistant", "model": "mock", "content": content,
        "stop_reason": stop(reply), "stop_sequence": null });
    if let ScriptedUsage::Of { input, output } = reply.usage {
        answer["usage"] = json!({ "input_tokens": input, "output_tokens": output });
    }
    answer
}

fn event(part: EventPart, name: &'static str, mut data: Value) -> WireEvent {
    data["type"] = name.into();
    WireEvent::named(part, name, &data)
}

fn stop(reply: &ScriptedReply) -> &str {
    match reply.stop_reason() {
        "stop" => "end_turn",
        "tool_calls" => "tool_use",
        "length" => "max_tokens",
        "content_filter" => "refusal",
        other => other,
    }
}
