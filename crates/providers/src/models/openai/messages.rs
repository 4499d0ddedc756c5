//! Our messages in the form of chat completions.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Object, Str, Value, json};
use node_api::ai::{Capabilities, ChatRole, Media, MediaData, Message, MessagePart, ToolCall};

/// Whose opaque data these clients understand.
pub(super) const PROVIDER: &str = "openai";

/// How a conversation is written down.
#[derive(Clone, Copy)]
pub(super) struct MessageWriter {
    pub(super) capabilities: Capabilities,
    pub(super) returns_reasoning: bool,
}

impl MessageWriter {
    /// The list `messages`. Results of tools become messages of their own, one each.
    pub(super) fn messages(self, messages: &[Message]) -> Value {
        let mut list = Vec::with_capacity(messages.len());
        for message in messages {
            for result in message.tool_results() {
                list.push(json!({ "role": "tool", "tool_call_id": result.id.as_str(), "content": result.content.as_str() }));
            }
            match message.role {
                ChatRole::System => list.push(plain("system", message.text())),
                ChatRole::Assistant => list.push(self.assistant(message)),
                ChatRole::User | ChatRole::Tool => {
                    list.extend(self.content(message).map(|content| {
                        let mut entry = Object::new();
                        entry.insert("role", "user");
                        entry.insert("content", content);
                        Value::from(entry)
                    }))
                }
            }
        }
        list.into()
    }

    fn assistant(self, message: &Message) -> Value {
        let mut entry = Object::new();
        entry.insert("role", "assistant");
        let text = message.text();
        let calls: Vec<Value> = message.tool_calls().map(call).collect();
        entry.insert(
            "content",
            if text.is_empty() && !calls.is_empty() { Value::Null } else { text.into() },
        );
        if !calls.is_empty() {
            entry.insert("tool_calls", calls);
        }
        if self.returns_reasoning {
            let thought: String = message.parts.iter().filter_map(thinking).collect();
            if !thought.is_empty() {
                entry.insert("reasoning_content", thought);
            }
        }
        // What a gateway wants back unchanged beside the message.
        if let Some(fields) = message
            .opaque
            .as_ref()
            .filter(|opaque| opaque.provider == PROVIDER)
            .and_then(|opaque| opaque.data.as_object())
        {
            entry.extend(
                fields
                    .iter()
                    .filter(|(key, _)| *key == "reasoning_details")
                    .map(|(key, value)| (key.clone(), value.clone())),
            );
        }
        entry.into()
    }

    /// What a user says: a text where it is only text, a list of parts otherwise.
    fn content(self, message: &Message) -> Option<Value> {
        let parts: Vec<Value> = message.parts.iter().filter_map(|part| self.part(part)).collect();
        let is_text = |part: &Value| part.get("type").and_then(Value::as_str) == Some("text");
        if parts.is_empty() {
            return (message.role == ChatRole::User && message.tool_results().next().is_none())
                .then(|| "".into());
        }
        if parts.iter().all(is_text) {
            let texts: Vec<&str> =
                parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            return Some(texts.join("\n").into());
        }
        Some(parts.into())
    }

    fn part(self, part: &MessagePart) -> Option<Value> {
        match part {
            MessagePart::Text(text) => Some(text_part(text)),
            MessagePart::Image(media) if !self.capabilities.vision => Some(unseen("image", media)),
            MessagePart::Image(media) => {
                Some(json!({ "type": "image_url", "image_url": { "url": url_of(media).as_str() } }))
            }
            MessagePart::File(media) => Some(file(media)),
            MessagePart::ToolCall(_)
            | MessagePart::ToolResult(_)
            | MessagePart::Thinking { .. } => None,
        }
    }
}

fn plain(role: &str, text: Str) -> Value {
    json!({ "role": role, "content": text.as_str() })
}

fn text_part(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn call(call: &ToolCall) -> Value {
    let function =
        json!({ "name": call.name.as_str(), "arguments": call.arguments.to_text().as_str() });
    let mut entry = Object::new();
    entry.insert("id", call.id.clone());
    entry.insert("type", "function");
    entry.insert("function", function);
    entry.into()
}

fn thinking(part: &MessagePart) -> Option<&str> {
    if let MessagePart::Thinking { text, .. } = part { Some(text) } else { None }
}

/// The model is told of what it cannot see, so that it does not answer as if there were nothing.
pub(super) fn unseen(kind: &str, media: &Media) -> Value {
    let name = media.name.as_deref().unwrap_or("without a name");
    text_part(&format!("[{kind} {name}, {}: this model cannot read it]", media.mime_type))
}

pub(super) fn url_of(media: &Media) -> Str {
    match &media.data {
        MediaData::Url(url) => url.clone(),
        MediaData::Bytes(bytes) => {
            format!("data:{};base64,{}", media.mime_type, STANDARD.encode(bytes)).into()
        }
    }
}

fn file(media: &Media) -> Value {
    let name = media.name.clone().unwrap_or_else(|| "file".into());
    match &media.data {
        MediaData::Url(url) => text_part(&format!("[file {name}: {url}]")),
        MediaData::Bytes(bytes) if is_text(&media.mime_type) => {
            text_part(&format!("{name}:\n{}", String::from_utf8_lossy(bytes)))
        }
        MediaData::Bytes(bytes) => match media.mime_type.as_str() {
            "audio/wav" | "audio/x-wav" => sound(bytes, "wav"),
            "audio/mpeg" | "audio/mp3" => sound(bytes, "mp3"),
            _ => {
                json!({ "type": "file", "file": { "filename": name.as_str(), "file_data": url_of(media).as_str() } })
            }
        },
    }
}

pub(super) fn is_text(mime_type: &str) -> bool {
    mime_type.starts_with("text/")
        || matches!(mime_type, "application/json" | "application/xml" | "application/yaml")
}

fn sound(bytes: &[u8], format: &str) -> Value {
    json!({ "type": "input_audio", "input_audio": { "data": STANDARD.encode(bytes), "format": format } })
}
