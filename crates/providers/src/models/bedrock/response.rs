//! An answer of Bedrock as a turn.

use crate::models::call_ids::CallIds;
use crate::models::failure::ModelFailure;
use crate::models::opaque::{bind, text_of};
use crate::models::token_counts::count;
use model::{Object, Str, Value};
use node_api::ai::{
    ChatRole, Message, MessagePart, ModelInfo, ModelReply, StopReason, TokenUsage, ToolArguments,
    ToolCall,
};

/// The whole answer at once.
pub(super) fn turn(reply: &Value, info: &ModelInfo) -> Result<ModelReply, ModelFailure> {
    let Some(content) = reply.get_path("output.message.content").and_then(Value::as_array) else {
        return Err(ModelFailure::broken("bedrock", "The response has no content"));
    };
    let blocks = content.iter().map(|block| (block.clone(), None)).collect();
    let stop = reply.get("stopReason").and_then(Value::as_str);
    Ok(build(blocks, stop, reply.get("usage"), info))
}

/// Blocks, each with the input of its tool where that came as text.
pub(super) fn build(
    blocks: Vec<(Value, Option<String>)>,
    stop: Option<&str>,
    usage: Option<&Value>,
    info: &ModelInfo,
) -> ModelReply {
    let mut ids = CallIds::new("");
    let parts: Vec<MessagePart> = blocks
        .into_iter()
        .filter_map(|(block, input)| part(&block, input.as_deref(), &mut ids, info))
        .collect();
    let message = Message::new(ChatRole::Assistant, parts);
    let stop = stop_of(stop, message.tool_calls().next().is_some());
    ModelReply { message, stop, usage: usage_of(usage), model: info.model.clone() }
}

fn part(
    block: &Value,
    input: Option<&str>,
    ids: &mut CallIds,
    info: &ModelInfo,
) -> Option<MessagePart> {
    if let Some(words) = block.get("text").and_then(Value::as_str) {
        return (!words.is_empty()).then(|| MessagePart::Text(words.into()));
    }
    if let Some(tool) = block.get("toolUse").filter(|tool| tool.is_object()) {
        return Some(MessagePart::ToolCall(ToolCall {
            id: ids.take(&text_of(tool, "toolUseId")),
            name: text_of(tool, "name"),
            opaque: None,
            arguments: arguments(tool, input),
        }));
    }
    // Thoughts with their signature, and whatever else it comes up with, go back as they are.
    let is_kept = block.as_object().is_some_and(|fields| !fields.is_empty());
    is_kept.then(|| MessagePart::Thinking {
        text: block
            .get_path("reasoningContent.reasoningText.text")
            .and_then(Value::as_str)
            .map(Str::from)
            .unwrap_or_default(),
        opaque: Some(bind(info, block.clone())),
    })
}

fn arguments(tool: &Value, input: Option<&str>) -> ToolArguments {
    match (input, tool.get("input")) {
        (Some(text), _) if !text.trim().is_empty() => ToolArguments::parse(text),
        (_, Some(Value::Object(object))) => ToolArguments::Parsed((**object).clone()),
        (_, None | Some(Value::Null)) => ToolArguments::Parsed(Object::new()),
        (_, Some(other)) => ToolArguments::parse(&model::json::to_string(other)),
    }
}

fn stop_of(reason: Option<&str>, calls_tools: bool) -> StopReason {
    match reason {
        None | Some("end_turn" | "stop_sequence") if calls_tools => StopReason::ToolCalls,
        None | Some("end_turn" | "stop_sequence") => StopReason::Stop,
        Some("tool_use") => StopReason::ToolCalls,
        Some("max_tokens" | "model_context_window_exceeded") => StopReason::Length,
        Some("guardrail_intervened" | "content_filtered") => StopReason::ContentFilter,
        Some("refusal") => StopReason::Refusal,
        Some(other) => StopReason::Other(other.into()),
    }
}

/// What was cached is not in the provider's count of the input, and is in ours.
fn usage_of(usage: Option<&Value>) -> TokenUsage {
    let Some(usage) = usage.filter(|usage| usage.is_object()) else { return TokenUsage::default() };
    let cached_read = count(usage, "cacheReadInputTokens");
    let cache_write = count(usage, "cacheWriteInputTokens");
    TokenUsage {
        input: count(usage, "inputTokens").saturating_add(cached_read).saturating_add(cache_write),
        cached_read,
        cache_write,
        output: count(usage, "outputTokens"),
        reasoning: 0,
        raw: Some(usage.clone()),
    }
}
