//! Messages as Gemini wants them: contents of two roles, made of parts.

use crate::models::object_ext::ObjectExt;
use crate::models::opaque::{text_of, unbind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Object, Str, Value, json};
use node_api::ai::{
    ChatRole, Media, MediaData, Message, MessagePart, ModelInfo, ToolArguments, ToolCall,
    ToolResult,
};

/// Stands in for a signature that is not there, because the call was another model's or came from
/// elsewhere.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// A conversation without its system messages.
pub(super) fn contents(messages: &[Message], info: &ModelInfo, signatures: bool) -> Vec<Value> {
    let mut turns: Vec<(&'static str, Vec<Value>)> = Vec::new();
    let mut calls: Vec<&ToolCall> = Vec::new();
    for message in messages {
        let (role, parts) = match message.role {
            ChatRole::System => continue,
            ChatRole::User => {
                ("user", message.parts.iter().filter_map(|one| part(one, &calls, info)).collect())
            }
            ChatRole::Tool => ("user", results(message, &calls, info)),
            ChatRole::Assistant => {
                let new: Vec<_> = message.tool_calls().collect();
                if !new.is_empty() {
                    calls = new;
                }
                ("model", said(message, info, signatures))
            }
        };
        match turns.last_mut() {
            _ if parts.is_empty() => {}
            Some((last, all)) if *last == role => all.extend(parts),
            _ => turns.push((role, parts)),
        }
    }
    turns.into_iter().map(|(role, parts)| json!({ "role": role }).with("parts", parts)).collect()
}

/// All system messages as one instruction.
pub(super) fn system(messages: &[Message], more: impl IntoIterator<Item = Str>) -> Option<Value> {
    let texts =
        messages.iter().filter(|message| message.role == ChatRole::System).map(Message::text);
    let parts: Vec<_> =
        texts.chain(more).filter(|words| !words.trim().is_empty()).map(text).collect();
    (!parts.is_empty()).then(|| json!({}).with("parts", parts))
}

fn text(words: Str) -> Value {
    json!({}).with("text", words)
}

/// A turn of the model. Only the first of several calls carries a signature.
fn said(message: &Message, info: &ModelInfo, signatures: bool) -> Vec<Value> {
    let mut parts: Vec<_> = message.parts.iter().filter_map(|one| part(one, &[], info)).collect();
    if signatures
        && let Some(first) = parts.iter_mut().find(|part| part.get("functionCall").is_some())
    {
        let fields = first.make_object();
        if !fields.contains_key("thoughtSignature") {
            fields.insert("thoughtSignature", NO_SIGNATURE);
        }
    }
    parts
}

/// The results in the order of their calls, by which they are matched where calls have no ids.
fn results(message: &Message, calls: &[&ToolCall], info: &ModelInfo) -> Vec<Value> {
    let place = |part: &&MessagePart| match part {
        MessagePart::ToolResult(result) => {
            calls.iter().position(|call| call.id == result.id).unwrap_or(calls.len())
        }
        _ => calls.len(),
    };
    let mut parts: Vec<&MessagePart> = message.parts.iter().collect();
    parts.sort_by_key(place);
    parts.into_iter().filter_map(|one| part(one, calls, info)).collect()
}

fn part(part: &MessagePart, calls: &[&ToolCall], info: &ModelInfo) -> Option<Value> {
    match part {
        MessagePart::Text(words) if words.is_empty() => None,
        MessagePart::Text(words) => Some(text(words.clone())),
        MessagePart::Image(media) | MessagePart::File(media) => Some(file(media)),
        MessagePart::ToolCall(call) => Some(function_call(call, info)),
        MessagePart::ToolResult(result) => Some(function_response(result, calls, info)),
        MessagePart::Thinking { opaque, .. } => unbind(opaque.as_ref(), info).cloned(),
    }
}

fn file(media: &Media) -> Value {
    let place = json!({}).with("mimeType", media.mime_type.clone());
    match &media.data {
        MediaData::Bytes(bytes) => {
            json!({}).with("inlineData", place.with("data", STANDARD.encode(bytes)))
        }
        MediaData::Url(url) => json!({}).with("fileData", place.with("fileUri", url.clone())),
    }
}

fn function_call(call: &ToolCall, info: &ModelInfo) -> Value {
    let arguments = match &call.arguments {
        ToolArguments::Parsed(object) => object.clone().into(),
        // The field takes objects only, and the model is to see what it wrote.
        ToolArguments::Malformed { text, .. } => json!({}).with("unreadable", text.clone()),
    };
    let own = unbind(call.opaque.as_ref(), info);
    let mut function = Object::new();
    function.extend(own.and_then(|own| own.get("id")).map(|id| ("id", id.clone())));
    function.insert("name", call.name.clone());
    function.insert("args", arguments);
    let part = json!({}).with("functionCall", function);
    match own.and_then(|own| own.get("thoughtSignature")) {
        Some(signature) => part.with("thoughtSignature", signature.clone()),
        None => part,
    }
}

fn function_response(result: &ToolResult, calls: &[&ToolCall], info: &ModelInfo) -> Value {
    let call = calls.iter().find(|call| call.id == result.id);
    let id = call
        .and_then(|call| unbind(call.opaque.as_ref(), info))
        .map(|own| text_of(own, "id"))
        .filter(|id| !id.is_empty());
    let mut function = Object::new();
    function.extend(id.map(|id| ("id", id)));
    function.insert("name", call.map_or_else(|| result.name.clone(), |call| call.name.clone()));
    function.insert("response", response(result));
    json!({}).with("functionResponse", function)
}

/// Only objects may be answered with: what is none is wrapped.
fn response(result: &ToolResult) -> Value {
    if result.is_error {
        return json!({}).with("error", result.content.clone());
    }
    match model::json::parse(&result.content) {
        Ok(object @ Value::Object(_)) => object,
        Ok(other) => json!({}).with("result", other),
        Err(_) => json!({}).with("result", result.content.clone()),
    }
}
