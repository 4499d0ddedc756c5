//! Messages as data, for notes and memories.

use super::message::{
    ChatRole, Media, MediaData, Message, MessagePart, Opaque, ToolArguments, ToolCall, ToolResult,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Object, Str, Value};

impl Message {
    pub fn to_value(&self) -> Value {
        let parts = Value::array(self.parts.iter().map(part_to_value).collect());
        let mut object =
            Object::from_iter([("role", Value::from(self.role.name())), ("parts", parts)]);
        put_opaque(&mut object, self.opaque.as_ref());
        object.into()
    }

    /// `None` if it is no message of ours.
    pub fn from_value(value: &Value) -> Option<Self> {
        let role = ChatRole::from_name(value.get("role")?.as_str()?)?;
        let parts = value
            .get("parts")?
            .as_array()?
            .iter()
            .map(part_from_value)
            .collect::<Option<Vec<_>>>()?;
        Some(Message { role, parts, opaque: opaque(value) })
    }
}

impl ChatRole {
    pub fn name(self) -> &'static str {
        match self {
            ChatRole::System => "system",
            ChatRole::User => "user",
            ChatRole::Assistant => "assistant",
            ChatRole::Tool => "tool",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        [ChatRole::System, ChatRole::User, ChatRole::Assistant, ChatRole::Tool]
            .into_iter()
            .find(|role| role.name() == name)
    }
}

fn part_to_value(part: &MessagePart) -> Value {
    let mut object = Object::new();
    match part {
        MessagePart::Text(text) => {
            object.insert("text", text.clone());
        }
        MessagePart::Image(media) => {
            object.insert("image", media_to_value(media));
        }
        MessagePart::File(media) => {
            object.insert("file", media_to_value(media));
        }
        MessagePart::ToolCall(call) => {
            object.insert("call", call.id.clone());
            object.insert("name", call.name.clone());
            match &call.arguments {
                ToolArguments::Parsed(arguments) => object.insert("arguments", arguments.clone()),
                ToolArguments::Malformed { text, .. } => object.insert("unreadable", text.clone()),
            };
            put_opaque(&mut object, call.opaque.as_ref());
        }
        MessagePart::ToolResult(result) => {
            object.insert("result", result.id.clone());
            object.insert("name", result.name.clone());
            object.insert("content", result.content.clone());
            object.insert("isError", result.is_error);
        }
        MessagePart::Thinking { text, opaque } => {
            object.insert("thinking", text.clone());
            put_opaque(&mut object, opaque.as_ref());
        }
    }
    object.into()
}

fn part_from_value(value: &Value) -> Option<MessagePart> {
    if let Some(text) = text(value, "text") {
        return Some(MessagePart::Text(text));
    }
    if let Some(media) = value.get("image") {
        return media_from_value(media).map(MessagePart::Image);
    }
    if let Some(media) = value.get("file") {
        return media_from_value(media).map(MessagePart::File);
    }
    if let Some(thought) = text(value, "thinking") {
        return Some(MessagePart::Thinking { text: thought, opaque: opaque(value) });
    }
    let name = text(value, "name")?;
    if let Some(id) = text(value, "result") {
        let is_error = value.get("isError").and_then(Value::as_bool).unwrap_or_default();
        return Some(MessagePart::ToolResult(ToolResult {
            id,
            name,
            content: text(value, "content")?,
            is_error,
        }));
    }
    let arguments =
        match (value.get("arguments").and_then(Value::as_object), text(value, "unreadable")) {
            (Some(arguments), _) => ToolArguments::Parsed(arguments.clone()),
            (None, Some(text)) => ToolArguments::parse(&text),
            (None, None) => return None,
        };
    Some(MessagePart::ToolCall(ToolCall {
        id: text(value, "call")?,
        name,
        arguments,
        opaque: opaque(value),
    }))
}

fn media_to_value(media: &Media) -> Value {
    let mut object = Object::from_iter([
        ("mimeType", Value::from(media.mime_type.clone())),
        ("name", media.name.clone().into()),
    ]);
    match &media.data {
        MediaData::Bytes(bytes) => object.insert("base64", STANDARD.encode(bytes)),
        MediaData::Url(url) => object.insert("url", url.clone()),
    };
    object.into()
}

fn media_from_value(value: &Value) -> Option<Media> {
    let data = match (text(value, "url"), text(value, "base64")) {
        (Some(url), _) => MediaData::Url(url),
        (None, Some(encoded)) => MediaData::Bytes(STANDARD.decode(encoded.as_bytes()).ok()?.into()),
        (None, None) => return None,
    };
    Some(Media { mime_type: text(value, "mimeType")?, name: text(value, "name"), data })
}

fn put_opaque(object: &mut Object, opaque: Option<&Opaque>) {
    if let Some(opaque) = opaque {
        object.insert(
            "opaque",
            Object::from_iter([
                ("provider", Value::from(opaque.provider.clone())),
                ("data", opaque.data.clone()),
            ]),
        );
    }
}

fn opaque(value: &Value) -> Option<Opaque> {
    let opaque = value.get("opaque")?;
    Some(Opaque { provider: text(opaque, "provider")?, data: opaque.get("data")?.clone() })
}

fn text(value: &Value, key: &str) -> Option<Str> {
    value.get(key).and_then(Value::as_str).map(Str::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn a_message_comes_back_as_it_was() {
        let opaque = Some(Opaque { provider: "p".into(), data: json!({ "signature": "s" }) });
        let call = |arguments| ToolCall {
            id: "1".into(),
            name: "add".into(),
            arguments,
            opaque: opaque.clone(),
        };
        let media = Media {
            mime_type: "image/png".into(),
            name: None,
            data: MediaData::Bytes(vec![1, 2, 255].into()),
        };
        let file = Media {
            mime_type: "text/plain".into(),
            name: Some("a.txt".into()),
            data: MediaData::Url("https://a.test/".into()),
        };
        let message = Message {
            role: ChatRole::Assistant,
            parts: vec![
                MessagePart::Thinking { text: "hm".into(), opaque: opaque.clone() },
                MessagePart::Text("yes\0".into()),
                MessagePart::Image(media),
                MessagePart::File(file),
                MessagePart::ToolCall(call(ToolArguments::Parsed(Object::from_iter([("a", 1)])))),
                MessagePart::ToolCall(call(ToolArguments::parse("{ broken"))),
                MessagePart::ToolResult(ToolResult {
                    id: "1".into(),
                    name: "add".into(),
                    content: "2".into(),
                    is_error: true,
                }),
            ],
            opaque,
        };
        assert_eq!(Message::from_value(&message.to_value()), Some(message));
    }
}
