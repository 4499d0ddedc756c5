//! Messages in the form that n8n keeps them in, which is LangChain's. What that form has no place
//! for lies beside it, so that nothing is lost and others still read the rest.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Object, Str, Value};
use node_api::ai::{
    ChatRole, Media, MediaData, Message, MessagePart, ToolArguments, ToolCall, ToolResult,
};

/// Where our own fields lie within a message.
const EXTRA: &str = "additional_kwargs";
const OURS: &str = "heddle";

/// A message as it is stored: one object, or one for each result of a tool.
pub fn to_stored(message: &Message) -> Vec<Value> {
    let mut rows = plainly_stored(message);
    if from_stored(&rows) != [message.clone()]
        && let Some((first, rest)) = rows.split_first_mut()
    {
        mark(first, "message", message.to_value());
        rest.iter_mut().for_each(|row| mark(row, "isPart", true.into()));
    }
    rows
}

/// Messages from what is stored; what is none is left out. Results that follow each other are one
/// message.
pub fn from_stored(rows: &[Value]) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    let mut joins_results = false;
    for row in rows {
        if ours(row, "isPart").is_some() {
            continue;
        }
        if let Some(whole) = ours(row, "message").and_then(Message::from_value) {
            messages.push(whole);
            joins_results = false;
            continue;
        }
        let Some(message) = read(row) else { continue };
        match messages.last_mut() {
            Some(last) if joins_results && message.role == ChatRole::Tool => {
                last.parts.extend(message.parts)
            }
            _ => {
                joins_results = message.role == ChatRole::Tool;
                messages.push(message);
            }
        }
    }
    messages
}

/// A message as LangChain's classes write themselves down.
pub fn to_constructor(message: &Message) -> Vec<Value> {
    let rows = plainly_stored(message).into_iter();
    let constructors = rows.map(|row| {
        let mut kwargs = row.as_object().cloned().unwrap_or_default();
        let kind = kwargs.remove("type");
        let class = match kind.as_ref().and_then(Value::as_str) {
            Some("human") => "HumanMessage",
            Some("system") => "SystemMessage",
            Some("tool") => "ToolMessage",
            _ => "AIMessage",
        };
        let id = ["langchain_core", "messages", class].into_iter().map(Value::from).collect();
        Value::from(Object::from_iter([
            ("lc", Value::from(1)),
            ("type", "constructor".into()),
            ("id", Value::array(id)),
            ("kwargs", kwargs.into()),
        ]))
    });
    constructors.collect()
}

/// n8n's name of who speaks.
pub fn type_name(role: ChatRole) -> &'static str {
    match role {
        ChatRole::System => "system",
        ChatRole::User => "human",
        ChatRole::Assistant => "ai",
        ChatRole::Tool => "tool",
    }
}

/// What was said: text, or a list of parts where there is more than that.
pub fn content(message: &Message) -> Value {
    let parts: Vec<Value> = message
        .parts
        .iter()
        .filter_map(|part| match part {
            MessagePart::Text(text) => Some(
                Object::from_iter([("type", Value::from("text")), ("text", text.clone().into())])
                    .into(),
            ),
            MessagePart::Image(media) => {
                let url = Object::from_iter([("url", Value::from(url_of(media)))]);
                Some(
                    Object::from_iter([
                        ("type", Value::from("image_url")),
                        ("image_url", url.into()),
                    ])
                    .into(),
                )
            }
            _ => None,
        })
        .collect();
    match (parts.as_slice(), message.parts.first()) {
        ([], _) => "".into(),
        ([_], Some(MessagePart::Text(_))) => message.text().into(),
        ([one], _) if one.get("text").is_some() => message.text().into(),
        _ => Value::array(parts),
    }
}

/// Puts a field of ours into a stored message.
pub(super) fn mark(row: &mut Value, key: &str, value: Value) {
    row.make_object().entry(EXTRA).make_object().entry(OURS).make_object().insert(key, value);
}

/// A field of ours in a stored message.
pub(super) fn ours<'r>(row: &'r Value, key: &str) -> Option<&'r Value> {
    row.get(EXTRA)?.get(OURS)?.get(key)
}

fn plainly_stored(message: &Message) -> Vec<Value> {
    let row = |content: Value| {
        Object::from_iter([
            ("type", Value::from(type_name(message.role))),
            ("content", content),
            (EXTRA, Object::new().into()),
            ("response_metadata", Object::new().into()),
        ])
    };
    if message.role == ChatRole::Tool {
        let results = message.tool_results().map(|result| {
            let mut row = row(result.content.clone().into());
            row.insert("tool_call_id", result.id.clone());
            row.insert("name", result.name.clone());
            row.insert("status", if result.is_error { "error" } else { "success" });
            Value::from(row)
        });
        return results.collect();
    }
    let mut row = row(content(message));
    if message.role == ChatRole::Assistant {
        let (mut calls, mut invalid) = (Vec::new(), Vec::new());
        for call in message.tool_calls() {
            let kind = if matches!(call.arguments, ToolArguments::Parsed(_)) {
                "tool_call"
            } else {
                "invalid_tool_call"
            };
            let made = Object::from_iter([
                ("name", Value::from(call.name.clone())),
                ("args", call.arguments.to_value()),
                ("id", call.id.clone().into()),
                ("type", kind.into()),
            ]);
            if kind == "tool_call" { calls.push(made.into()) } else { invalid.push(made.into()) }
        }
        row.insert("tool_calls", Value::array(calls));
        row.insert("invalid_tool_calls", Value::array(invalid));
    }
    vec![row.into()]
}

fn read(row: &Value) -> Option<Message> {
    let kind = row.get("type")?.as_str()?;
    // Older ones have everything but the type one level deeper.
    let row = row.get("data").filter(|data| data.as_object().is_some()).unwrap_or(row);
    let text = |value: &Value, key: &str| -> Str {
        value.get(key).and_then(Value::as_str).unwrap_or_default().into()
    };
    let role = match kind {
        "human" | "user" => ChatRole::User,
        "ai" | "assistant" => ChatRole::Assistant,
        "system" => ChatRole::System,
        "tool" => ChatRole::Tool,
        _ => return None,
    };
    let mut parts = parts_of(row.get("content").unwrap_or(&Value::Null));
    if role == ChatRole::Tool {
        let content = Message::new(role, parts).text();
        let is_error = row.get("status").and_then(Value::as_str) == Some("error");
        return Some(Message::results([ToolResult {
            id: text(row, "tool_call_id"),
            name: text(row, "name"),
            content,
            is_error,
        }]));
    }
    for (list, is_read) in [("tool_calls", true), ("invalid_tool_calls", false)] {
        for call in row.get(list).and_then(Value::as_array).unwrap_or_default() {
            let arguments = match (call.get("args").and_then(Value::as_object), is_read) {
                (Some(arguments), true) => ToolArguments::Parsed(arguments.clone()),
                _ => ToolArguments::parse(&text(call, "args")),
            };
            parts.push(MessagePart::ToolCall(ToolCall {
                id: text(call, "id"),
                name: text(call, "name"),
                arguments,
                opaque: None,
            }));
        }
    }
    Some(Message::new(role, parts))
}

fn parts_of(content: &Value) -> Vec<MessagePart> {
    let one = |value: &Value| -> Option<MessagePart> {
        if let Some(text) = value.as_str().or_else(|| value.get("text").and_then(Value::as_str)) {
            return Some(MessagePart::Text(text.into()));
        }
        let image = value.get("image_url")?;
        let url = image.as_str().or_else(|| image.get("url").and_then(Value::as_str))?;
        Some(MessagePart::Image(media_of(url)))
    };
    match content {
        Value::Array(values) => values.iter().filter_map(one).collect(),
        Value::String(text) if text.is_empty() => Vec::new(),
        other => one(other).into_iter().collect(),
    }
}

fn url_of(media: &Media) -> String {
    match &media.data {
        MediaData::Url(url) => url.to_string(),
        MediaData::Bytes(bytes) => {
            format!("data:{};base64,{}", media.mime_type, STANDARD.encode(bytes))
        }
    }
}

fn media_of(url: &str) -> Media {
    let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    if let Some((mime_type, data)) = inline
        && let Ok(bytes) = STANDARD.decode(data)
    {
        return Media {
            mime_type: mime_type.into(),
            name: None,
            data: MediaData::Bytes(bytes.into()),
        };
    }
    Media { mime_type: "image/*".into(), name: None, data: MediaData::Url(url.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;
    use node_api::ai::Opaque;

    #[test]
    fn what_n8n_has_written_is_read() {
        let rows = [
            json!({ "type": "human", "content": "Hi, I am Ada", "additional_kwargs": {}, "response_metadata": {} }),
            json!({ "type": "ai", "content": "", "tool_calls": [{ "name": "add", "args": { "a": 1 }, "id": "c1", "type": "tool_call" }],
                    "additional_kwargs": {}, "response_metadata": {}, "invalid_tool_calls": [] }),
            json!({ "type": "tool", "data": { "content": "2", "tool_call_id": "c1", "name": "add" } }),
            json!({ "type": "ai", "content": [{ "type": "text", "text": "Two" }] }),
            json!({ "type": "remove" }),
        ];
        let messages = from_stored(&rows);
        assert_eq!(
            messages.iter().map(|message| message.role).collect::<Vec<_>>(),
            [ChatRole::User, ChatRole::Assistant, ChatRole::Tool, ChatRole::Assistant]
        );
        assert_eq!(
            (messages[0].text().as_str(), messages[3].text().as_str()),
            ("Hi, I am Ada", "Two")
        );
        assert_eq!(
            messages[1].tool_calls().next().unwrap().id,
            messages[2].tool_results().next().unwrap().id
        );
    }

    #[test]
    fn a_plain_message_is_stored_as_n8n_stores_it() {
        let expected = json!([{ "type": "human", "content": "hi", "additional_kwargs": {}, "response_metadata": {} }]);
        assert_eq!(Value::array(to_stored(&Message::user("hi"))), expected);
        let constructor = to_constructor(&Message::assistant("yes"));
        assert_eq!(constructor[0].get_path("id[2]").and_then(Value::as_str), Some("AIMessage"));
        assert_eq!(constructor[0].get_path("kwargs.content").and_then(Value::as_str), Some("yes"));
    }

    #[test]
    fn whatever_a_message_carries_it_comes_back() {
        let opaque = Some(Opaque { provider: "p".into(), data: json!({ "s": 1 }) });
        let media = |data| Media { mime_type: "image/png".into(), name: None, data };
        let call = |id: &str, arguments| {
            MessagePart::ToolCall(ToolCall {
                id: id.into(),
                name: "add".into(),
                arguments,
                opaque: None,
            })
        };
        let result = |id: &str, is_error| ToolResult {
            id: id.into(),
            name: "add".into(),
            content: "2".into(),
            is_error,
        };
        let messages = [
            Message::user("hi"),
            Message::user(""),
            Message::system("note"),
            Message::new(ChatRole::User, vec![]),
            Message::new(
                ChatRole::User,
                vec![MessagePart::Text("a".into()), MessagePart::Text("b".into())],
            ),
            Message::new(
                ChatRole::User,
                vec![
                    MessagePart::Text("see".into()),
                    MessagePart::Image(media(MediaData::Bytes(vec![1, 2].into()))),
                ],
            ),
            Message::new(
                ChatRole::User,
                vec![MessagePart::Image(media(MediaData::Url("https://a.test/b.png".into())))],
            ),
            Message::new(
                ChatRole::User,
                vec![MessagePart::File(media(MediaData::Bytes(vec![0].into())))],
            ),
            Message::new(
                ChatRole::Assistant,
                vec![
                    MessagePart::Thinking { text: "hm".into(), opaque: opaque.clone() },
                    MessagePart::Text("yes".into()),
                ],
            ),
            Message::new(
                ChatRole::Assistant,
                vec![
                    call("1", ToolArguments::parse("{\"a\":1}")),
                    call("2", ToolArguments::parse("{ no")),
                ],
            ),
            Message { opaque, ..Message::assistant("signed") },
            Message::results([result("1", true), result("2", false)]),
        ];
        for message in &messages {
            assert_eq!(from_stored(&to_stored(message)), std::slice::from_ref(message));
        }
        let all: Vec<Value> = messages.iter().flat_map(to_stored).collect();
        assert_eq!(from_stored(&all), messages);
    }
}
