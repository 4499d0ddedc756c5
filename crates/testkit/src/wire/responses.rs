//! OpenAI's responses.

use super::{EventPart, WireEvent, argument_pieces, call_index, in_order, words};
use crate::reply::{ScriptedCall, ScriptedReply, ScriptedUsage};
use serde_json::{Value, json};

pub(super) fn events(reply: &ScriptedReply) -> Vec<WireEvent> {
    let begun = json!({ "id": "resp_mock", "object": "response", "status": "in_progress", "model": "mock", "output": [] });
    let mut events = vec![WireEvent::named(
        EventPart::Begin,
        "response.created",
        &json!({ "type": "response.created", "response": begun }),
    )];
    if !reply.text.is_empty() {
        let item =
            json!({ "type": "message", "id": "msg_mock", "role": "assistant", "content": [] });
        events.push(item_event("response.output_item.added", 0, &item, EventPart::Begin));
        for word in words(&reply.text) {
            let name = "response.output_text.delta";
            let delta = json!({ "type": name, "item_id": "msg_mock", "output_index": 0, "content_index": 0, "delta": word });
            events.push(WireEvent::named(EventPart::Word, name, &delta));
        }
        events.push(item_event("response.output_item.done", 0, &message(reply), EventPart::Word));
    }
    let first = usize::from(!reply.text.is_empty());
    let groups = reply.calls.iter().enumerate().map(|(number, call)| {
        let index = first + call_index(reply, number);
        let mut group =
            vec![item_event("response.output_item.added", index, &item(call, ""), EventPart::Call)];
        for piece in argument_pieces(reply, &call.arguments) {
            let name = "response.function_call_arguments.delta";
            let delta =
                json!({ "type": name, "item_id": call.id, "output_index": index, "delta": piece });
            group.push(WireEvent::named(EventPart::Call, name, &delta));
        }
        group.push(item_event(
            "response.output_item.done",
            index,
            &item(call, &call.arguments.to_string()),
            EventPart::Call,
        ));
        group
    });
    events.extend(in_order(reply, groups.collect()));
    let (name, status) = match reply.stop_reason() {
        "length" | "content_filter" => ("response.incomplete", "incomplete"),
        _ => ("response.completed", "completed"),
    };
    events.push(WireEvent::named(
        EventPart::Done,
        name,
        &json!({ "type": name, "response": whole(reply, status) }),
    ));
    events
}

pub(super) fn whole(reply: &ScriptedReply, status: &str) -> Value {
    let mut output = Vec::new();
    if !reply.text.is_empty() {
        output.push(message(reply));
    }
    output.extend(reply.calls.iter().map(|call| item(call, &call.arguments.to_string())));
    let mut answer = json!({ "id": "resp_mock", "object": "response", "created_at": 1, "status": status, "model": "mock",
        "output": output, "parallel_tool_calls": true, "tool_choice": "auto", "tools": [] });
    if status == "incomplete" {
        let reason =
            if reply.stop_reason() == "length" { "max_output_tokens" } else { "content_filter" };
        answer["incomplete_details"] = json!({ "reason": reason });
    }
    if let ScriptedUsage::Of { input, output } = reply.usage {
        answer["usage"] = json!({ "input_tokens": input, "output_tokens": output, "total_tokens": input + output });
    }
    answer
}

fn message(reply: &ScriptedReply) -> Value {
    let content = json!({ "type": "output_text", "text": reply.text, "annotations": [] });
    json!({ "type": "message", "id": "msg_mock", "role": "assistant", "status": "completed", "content": [content] })
}

fn item(call: &ScriptedCall, arguments: &str) -> Value {
    json!({ "type": "function_call", "id": format!("fc_{}", call.id), "call_id": call.id, "name": call.name, "arguments": arguments,
        "status": "completed" })
}

fn item_event(name: &'static str, index: usize, item: &Value, part: EventPart) -> WireEvent {
    WireEvent::named(part, name, &json!({ "type": name, "output_index": index, "item": item }))
}
