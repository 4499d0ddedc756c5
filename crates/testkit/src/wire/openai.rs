//! OpenAI's chat completions.

use super::{EventPart, WireEvent, argument_pieces, call_index, in_order, words};
use crate::reply::{ScriptedReply, ScriptedUsage};
use serde_json::{Value, json};

pub(super) fn events(reply: &ScriptedReply) -> Vec<WireEvent> {
    let chunk = |part: EventPart, delta: Value, finish: Value| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
        WireEvent::new(
            part,
            &json!({ "id": "chatcmpl-mock", "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": [choice] }),
        )
    };
    let mut events =
        vec![chunk(EventPart::Begin, json!({ "role": "assistant", "content": "" }), Value::Null)];
    events.extend(
        words(&reply.text)
            .into_iter()
            .map(|word| chunk(EventPart::Word, json!({ "content": word }), Value::Null)),
    );
    let groups = reply.calls.iter().enumerate().map(|(number, call)| {
        let index = call_index(reply, number);
        let begin = json!({ "index": index, "id": call.id, "type": "function", "function": { "name": call.name, "arguments": "" } });
        let piece = |piece: String| json!({ "index": index, "function": { "arguments": piece } });
        let fragments = [begin].into_iter().chain(argument_pieces(reply, &call.arguments).into_iter().map(piece));
        fragments.map(|fragment| chunk(EventPart::Call, json!({ "tool_calls": [fragment] }), Value::Null)).collect()
    });
    events.extend(in_order(reply, groups.collect()));
    events.push(chunk(EventPart::End, json!({}), json!(reply.stop_reason())));
    if let Some(usage) = usage(reply) {
        events.push(WireEvent::new(EventPart::End, &json!({ "object": "chat.completion.chunk", "model": "mock", "choices": [], "usage": usage })));
    }
    events.push(WireEvent { name: None, data: "[DONE]".to_owned(), part: EventPart::Done });
    events
}

pub(super) fn whole(reply: &ScriptedReply) -> Value {
    let call = |(number, call): (usize, &crate::reply::ScriptedCall)| {
        json!({ "index": call_index(reply, number), "id": call.id, "type": "function",
            "function": { "name": call.name, "arguments": call.arguments.to_string() } })
    };
    let calls: Vec<Value> = reply.calls.iter().enumerate().map(call).collect();
    let mut message = json!({ "role": "assistant", "content": reply.text });
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    let choice = json!({ "index": 0, "message": message, "finish_reason": reply.stop_reason() });
    let mut answer = json!({ "id": "chatcmpl-mock", "object": "chat.completion", "created": 1, "model": "mock", "choices": [choice] });
    if let Some(usage) = usage(reply) {
        answer["usage"] = usage;
    }
    answer
}

fn usage(reply: &ScriptedReply) -> Option<Value> {
    match reply.usage {
        ScriptedUsage::Of { input, output } => Some(
            json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output }),
        ),
        ScriptedUsage::Missing => None,
    }
}
