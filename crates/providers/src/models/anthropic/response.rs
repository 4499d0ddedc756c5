//! An answer of Anthropic as a turn.

use super::error;
use crate::models::call_ids::CallIds;
use crate::models::failure::ModelFailure;
use crate::models::opaque::{bind, text_of};
use crate::models::token_counts::count;
use model::{Object, Value};
use node_api::ai::{
    ChatRole, Message, MessagePart, ModelInfo, ModelReply, StopReason, TokenUsage, ToolArguments,
    ToolCall,
};

/// The whole answer at once.
pub fn turn(reply: &Value, info: &ModelInfo) -> Result<ModelReply, ModelFailure> {
    if reply.get("error").is_some_and(Value::is_object) {
        return Err(error::event(reply));
    }
    let Some(content) = reply.get("content").and_then(Value::as_array) else {
        return Err(ModelFailure::broken("anthropic", "The response has no content"));
    };
    let blocks =
        content.iter().map(|block| ContentBlock { value: block.clone(), input: None }).collect();
    let stop_reason = reply.get("stop_reason").and_then(Value::as_str);
    Ok(build(reply, blocks, stop_reason, reply.get("usage"), info))
}

/// A block of an answer; in a stream, what its tool is called with comes as text.
pub(super) struct ContentBlock {
    pub(super) value: Value,
    pub(super) input: Option<String>,
}

pub(super) fn build(
    head: &Value,
    blocks: Vec<ContentBlock>,
    stop: Option<&str>,
    usage: Option<&Value>,
    info: &ModelInfo,
) -> ModelReply {
    let mut ids = CallIds::new(&text_of(head, "id"));
    let parts: Vec<_> =
        blocks.into_iter().filter_map(|block| part(block, &mut ids, info)).collect();
    let message = Message::new(ChatRole::Assistant, parts);
    let stop = stop_of(stop, message.tool_calls().next().is_some());
    let model = match text_of(head, "model") {
        name if name.is_empty() => info.model.clone(),
        name => name,
    };
    ModelReply { message, stop, usage: usage_of(usage), model }
}

fn part(block: ContentBlock, ids: &mut CallIds, info: &ModelInfo) -> Option<MessagePart> {
    let kind = text_of(&block.value, "type");
    Some(match kind.as_str() {
        "text" => match text_of(&block.value, "text") {
            words if words.is_empty() => return None,
            words => MessagePart::Text(words),
        },
        "tool_use" => MessagePart::ToolCall(ToolCall {
            id: ids.take(&text_of(&block.value, "id")),
            name: text_of(&block.value, "name"),
            opaque: caller(&block.value).map(|caller| bind(info, caller)),
            arguments: arguments(&block),
        }),
        // Searches that the provider made by itself, and whatever else it comes up with, go back to
        // it as they are.
        _ => MessagePart::Thinking {
            text: text_of(&block.value, "thinking"),
            opaque: Some(bind(info, with_input(block))),
        },
    })
}

fn arguments(block: &ContentBlock) -> ToolArguments {
    match (&block.input, block.value.get("input")) {
        (Some(text), _) if !text.trim().is_empty() => ToolArguments::parse(text),
        (_, Some(Value::Object(object))) => ToolArguments::Parsed((**object).clone()),
        (_, None | Some(Value::Null)) => ToolArguments::Parsed(Object::new()),
        (_, Some(other)) => ToolArguments::parse(&model::json::to_string(other)),
    }
}

/// Who called the tool, unless it was the model itself, which needs no telling.
fn caller(block: &Value) -> Option<Value> {
    let caller = block
        .get("caller")
        .filter(|caller| caller.get("type").and_then(Value::as_str) != Some("direct"))?;
    Some([("caller", caller.clone())].into_iter().collect::<Object>().into())
}

fn with_input(block: ContentBlock) -> Value {
    let ContentBlock { mut value, input } = block;
    if let Some(read) =
        input.filter(|text| !text.trim().is_empty()).and_then(|text| model::json::parse(&text).ok())
    {
        value.make_object().insert("input", read);
    }
    value
}

fn stop_of(reason: Option<&str>, calls_tools: bool) -> StopReason {
    match reason {
        // Some gateways do not tell the two apart.
        None | Some("end_turn" | "stop_sequence") if calls_tools => StopReason::ToolCalls,
        None | Some("end_turn" | "stop_sequence") => StopReason::Stop,
        Some("tool_use") => StopReason::ToolCalls,
        Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
        Some("refusal") => StopReason::Refusal,
        Some("pause_turn") => StopReason::Pause,
        Some(other) => StopReason::Other(other.into()),
    }
}

/// What was cached is not in the provider's count of the input, and is in ours.
fn usage_of(usage: Option<&Value>) -> TokenUsage {
    let Some(usage) = usage.filter(|usage| usage.is_object()) else { return TokenUsage::default() };
    let cached_read = count(usage, "cache_read_input_tokens");
    let split = usage.get("cache_creation").map_or(0, |parts| {
        count(parts, "ephemeral_5m_input_tokens")
            .saturating_add(count(parts, "ephemeral_1h_input_tokens"))
    });
    let cache_write = count(usage, "cache_creation_input_tokens").max(split);
    let details = usage.get("output_tokens_details");
    TokenUsage {
        input: count(usage, "input_tokens").saturating_add(cached_read).saturating_add(cache_write),
        cached_read,
        cache_write,
        output: count(usage, "output_tokens"),
        reasoning: details.map_or(0, |details| count(details, "thinking_tokens")),
        raw: Some(usage.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::catalog::Catalog;
    use model::json;

    fn read(reply: Value) -> ModelReply {
        turn(&reply, &Catalog::shipped().find("anthropic", "claude-opus-4-6").info).unwrap()
    }

    #[test]
    fn an_answer_has_its_text_calls_usage_and_end() {
        let turn = read(json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-opus-4-6-20260205",
            "content": [
                { "type": "thinking", "thinking": "Two numbers.", "signature": "c2ln" },
                { "type": "text", "text": "I compute." },
                { "type": "tool_use", "id": "toolu_1", "name": "calc", "input": { "a": 1 }, "caller": { "type": "direct" } }
            ],
            "stop_reason": "tool_use",
            "usage": {
                "input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 30,
                "output_tokens": 50, "output_tokens_details": { "thinking_tokens": 20 }
            }
        }));
        assert_eq!(turn.message.text(), "I compute.");
        let call = turn.message.tool_calls().next().unwrap();
        assert_eq!(
            (call.id.as_str(), call.name.as_str(), &call.opaque),
            ("toolu_1", "calc", &None)
        );
        assert_eq!(call.arguments.to_value(), json!({ "a": 1 }));
        assert_eq!(turn.stop, StopReason::ToolCalls);
        let usage = &turn.usage;
        assert_eq!(
            (usage.input, usage.cached_read, usage.cache_write, usage.output, usage.reasoning),
            (240, 200, 30, 50, 20)
        );
        assert_eq!(turn.model, "claude-opus-4-6-20260205");
        assert!(
            matches!(&turn.message.parts[0], MessagePart::Thinking { text, opaque: Some(_) } if text == "Two numbers.")
        );
    }

    #[test]
    fn every_reason_to_stop_has_its_name() {
        let cases = [
            ("end_turn", StopReason::Stop),
            ("stop_sequence", StopReason::Stop),
            ("max_tokens", StopReason::Length),
            ("model_context_window_exceeded", StopReason::Length),
            ("tool_use", StopReason::ToolCalls),
            ("refusal", StopReason::Refusal),
            ("pause_turn", StopReason::Pause),
            ("something_new", StopReason::Other("something_new".into())),
        ];
        for (reason, stop) in cases {
            let turn = read(
                json!({ "content": [{ "type": "text", "text": "x" }], "stop_reason": reason }),
            );
            assert_eq!(turn.stop, stop);
        }
    }

    #[test]
    fn missing_and_negative_usage_count_nothing() {
        let turn = read(json!({ "content": [], "stop_reason": "end_turn" }));
        assert_eq!(turn.usage, TokenUsage::default());
        let turn = read(
            json!({ "content": [], "usage": { "input_tokens": -3, "output_tokens": -9, "cache_read_input_tokens": 5 } }),
        );
        assert_eq!((turn.usage.input, turn.usage.output), (5, 0));
    }

    #[test]
    fn an_error_or_an_answer_without_content_is_refused() {
        let info = Catalog::shipped().find("anthropic", "x").info;
        assert!(
            turn(&json!({ "type": "error", "error": { "type": "overloaded_error" } }), &info)
                .is_err()
        );
        assert!(turn(&json!({ "type": "message" }), &info).is_err());
        assert!(turn(&json!("hello"), &info).is_err());
    }

    #[test]
    fn calls_with_the_same_id_or_none_get_their_own() {
        let call = json!({ "type": "tool_use", "id": "a", "name": "t", "input": null });
        let turn = read(
            json!({ "id": "m", "content": [call.clone(), call, { "type": "tool_use", "name": "t" }], "stop_reason": "tool_use" }),
        );
        let ids: Vec<_> = turn.message.tool_calls().map(|call| call.id.as_str()).collect();
        assert_eq!(ids, ["a", "call_m_1", "call_m_2"]);
    }
}
