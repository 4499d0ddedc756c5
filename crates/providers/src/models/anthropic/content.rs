//! Messages as Anthropic wants them: blocks, two roles in turn, and the results of tools before
//! anything else.

use crate::models::object_ext::ObjectExt;
use crate::models::opaque::unbind;
use crate::models::{call_ids, prompt_fallback};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Value, json};
use node_api::ai::{
    ChatRole, Media, MediaData, Message, MessagePart, ModelInfo, ToolArguments, ToolCall,
    ToolResult,
};

/// Stands before the id of a file that is kept at the provider, in place of an address.
pub const STORED_FILE: &str = "anthropic-file:";

/// Stands before a conversation that would begin with the model.
const EARLIER: &str = "(The beginning of the conversation is left out.)";

/// Makes a model go on that does not take the beginning of an answer.
const GO_ON: &str = "Go on.";

/// A conversation without its system messages.
pub(super) fn messages(messages: &[Message], info: &ModelInfo, prefill: bool) -> Vec<Value> {
    let mut turns: Vec<(&'static str, Vec<Value>)> = Vec::new();
    for message in messages {
        let role = match message.role {
            ChatRole::System => continue,
            ChatRole::User | ChatRole::Tool => "user",
            ChatRole::Assistant => "assistant",
        };
        let blocks: Vec<_> =
            message.parts.iter().filter_map(|part| block(part, message.role, info)).collect();
        match turns.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    if turns.first().is_some_and(|(role, _)| *role == "assistant") {
        turns.insert(0, ("user", vec![text(EARLIER)]));
    }
    end_well(&mut turns, prefill);
    turns
        .into_iter()
        .map(|(role, blocks)| json!({ "role": role }).with("content", results_first(blocks)))
        .collect()
}

/// The text of all system messages, one block each.
pub(super) fn system(messages: &[Message]) -> Vec<Value> {
    let parts = messages
        .iter()
        .filter(|message| message.role == ChatRole::System)
        .flat_map(|message| &message.parts);
    parts
        .filter_map(|part| if let MessagePart::Text(words) = part { shown(words) } else { None })
        .collect()
}

pub(super) fn text(words: &str) -> Value {
    json!({ "type": "text" }).with("text", words)
}

/// A text block; the API refuses those with nothing in them.
fn shown(words: &str) -> Option<Value> {
    (!words.trim().is_empty()).then(|| text(words))
}

fn block(part: &MessagePart, role: ChatRole, info: &ModelInfo) -> Option<Value> {
    match part {
        MessagePart::Text(words) => shown(words),
        MessagePart::Image(media) | MessagePart::File(media) if role == ChatRole::Assistant => {
            Some(text(&prompt_fallback::unreadable_file(media.name.as_ref(), &media.mime_type)))
        }
        MessagePart::Image(media) => Some(json!({ "type": "image" }).with("source", source(media))),
        MessagePart::File(media) => Some(document(media)),
        MessagePart::ToolCall(call) => Some(tool_use(call, info)),
        MessagePart::ToolResult(result) => Some(tool_result(result)),
        MessagePart::Thinking { opaque, .. } => unbind(opaque.as_ref(), info).cloned(),
    }
}

fn source(media: &Media) -> Value {
    match &media.data {
        MediaData::Url(url) => match url.strip_prefix(STORED_FILE) {
            Some(id) => json!({ "type": "file" }).with("file_id", id),
            None => json!({ "type": "url" }).with("url", url.clone()),
        },
        MediaData::Bytes(bytes) => json!({ "type": "base64" })
            .with("media_type", media.mime_type.clone())
            .with("data", STANDARD.encode(bytes)),
    }
}

/// An answer as the blocks that the provider made of it: its texts, and what it did by itself.
pub fn reply_blocks(message: &Message) -> Vec<Value> {
    let block = |part: &MessagePart| match part {
        MessagePart::Text(words) => shown(words),
        MessagePart::Thinking { opaque: Some(opaque), .. } => opaque.data.get("data").cloned(),
        _ => None,
    };
    message.parts.iter().filter_map(block).collect()
}

fn document(media: &Media) -> Value {
    let is_text = media.mime_type.starts_with("text/") || media.mime_type == "application/json";
    let source = match &media.data {
        _ if media.mime_type == "application/pdf" => source(media),
        MediaData::Bytes(bytes) if is_text => json!({ "type": "text", "media_type": "text/plain" })
            .with("data", String::from_utf8_lossy(bytes).into_owned()),
        _ => return text(&prompt_fallback::unreadable_file(media.name.as_ref(), &media.mime_type)),
    };
    let document = json!({ "type": "document" }).with("source", source);
    match &media.name {
        Some(name) => document.with("title", name.clone()),
        None => document,
    }
}

fn tool_use(call: &ToolCall, info: &ModelInfo) -> Value {
    let input = match &call.arguments {
        ToolArguments::Parsed(object) => object.clone().into(),
        // The field takes objects only, and the model is to see what it wrote.
        ToolArguments::Malformed { text, .. } => json!({}).with("unreadable", text.clone()),
    };
    let block = json!({ "type": "tool_use" })
        .with("id", call_ids::clean(&call.id))
        .with("name", call.name.clone())
        .with("input", input);
    match unbind(call.opaque.as_ref(), info).and_then(Value::as_object) {
        Some(fields) => {
            fields.iter().fold(block, |block, (key, value)| block.with(key, value.clone()))
        }
        None => block,
    }
}

fn tool_result(result: &ToolResult) -> Value {
    let block = json!({ "type": "tool_result" })
        .with("tool_use_id", call_ids::clean(&result.id))
        .with("content", result.content.clone());
    if result.is_error { block.with("is_error", true) } else { block }
}

fn results_first(blocks: Vec<Value>) -> Vec<Value> {
    let (mut results, rest): (Vec<_>, Vec<_>) =
        blocks.into_iter().partition(|block| is_of(block, "tool_result"));
    results.extend(rest);
    results
}

pub(super) fn is_of(block: &Value, kind: &str) -> bool {
    block.get("type").and_then(Value::as_str) == Some(kind)
}

/// A last message of the model's is the beginning of its answer, which most models do not take; a
/// turn that paused ends otherwise.
fn end_well(turns: &mut Vec<(&'static str, Vec<Value>)>, prefill: bool) {
    let Some(("assistant", blocks)) = turns.last_mut() else { return };
    let Some(last) = blocks.last_mut().filter(|block| is_of(block, "text")) else { return };
    if prefill {
        let words = last.get("text").and_then(Value::as_str).unwrap_or_default().trim_end();
        *last = text(words);
    } else {
        turns.push(("user", vec![text(GO_ON)]));
    }
}
