//! What a request for a completion asks.

use super::{OpenAiError, tools};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Binary, Object, Str, Value};
use node_api::ai::{ChatRole, Message, MessagePart, ToolCall, ToolResult};
use runtime::chat::{ChatMessage, ClientTools};

/// Fields that would ask for an answer that no workflow gives, unless they have one of these
/// values.
const UNSUPPORTED: &[(&str, &[&str])] = &[
    ("functions", &["[]"]),
    ("function_call", &["\"none\"", "\"auto\""]),
    ("response_format", &["{\"type\":\"text\"}"]),
    ("n", &["1"]),
    ("logprobs", &["false"]),
    ("modalities", &["[\"text\"]"]),
    ("audio", &[]),
    ("web_search_options", &[]),
];

/// A request that can be answered.
pub(super) struct CompletionRequest {
    pub(super) model: Str,
    pub(super) message: ChatMessage,
    pub(super) is_streaming: bool,
    /// A stream ends with the tokens that were used.
    pub(super) include_usage: bool,
    /// A stream tells of the agent's steps, in a field of ours.
    pub(super) include_steps: bool,
}

impl CompletionRequest {
    pub(super) fn parse(body: &Value) -> Result<Self, OpenAiError> {
        let fields = body
            .as_object()
            .ok_or_else(|| OpenAiError::invalid_param("body", "must be a JSON object"))?;
        for (field, harmless) in UNSUPPORTED {
            let given =
                fields.get(field).filter(|value| !value.is_nullish()).map(model::json::to_string);
            if given.is_some_and(|given| !harmless.contains(&given.as_str())) {
                return Err(OpenAiError::invalid_param(
                    field,
                    "is not supported: the workflow behind this model controls it",
                ));
            }
        }
        let model = fields.get("model").and_then(Value::as_str).filter(|model| !model.is_empty());
        let model = model.ok_or_else(|| OpenAiError::invalid_param("model", "is missing"))?;
        let flag =
            |path: &str| body.get_path(path).is_some_and(|value| value.as_bool() == Some(true));
        Ok(Self {
            model: model.into(),
            message: message(fields)?,
            is_streaming: flag("stream"),
            include_usage: flag("stream_options.include_usage"),
            include_steps: flag("heddle.steps"),
        })
    }
}

fn message(fields: &Object) -> Result<ChatMessage, OpenAiError> {
    let messages = fields.get("messages").and_then(Value::as_array).unwrap_or_default();
    if messages.is_empty() {
        return Err(OpenAiError::invalid_param("messages", "must contain at least one message"));
    }
    let question = messages.iter().rposition(|message| role(message) == "user");
    let since = question.map_or(messages, |question| &messages[question + 1..]);
    let (Some(question), true) = (question, since.last().is_none_or(|last| role(last) == "tool"))
    else {
        return Err(OpenAiError::invalid_param(
            "messages",
            "must end with a user message or a tool result",
        ));
    };
    let (text, files) = content(&messages[question], ImageMode::Attach)?;
    let session = ["user", "safety_identifier"]
        .iter()
        .find_map(|key| fields.get(key).and_then(Value::as_str));
    let session = session.filter(|session| !session.is_empty()).map(Str::from);
    let earlier = to_agent_messages(&messages[..question])?;
    let callers_tools = client_tools(fields, since)?;
    Ok(ChatMessage { text, session, files, earlier, callers_tools, ..ChatMessage::default() })
}

/// The tools of whoever asks, and how far a turn came in which they were called.
fn client_tools(fields: &Object, since: &[Value]) -> Result<Option<ClientTools>, OpenAiError> {
    let (tools, choice) = (tools::tools(fields)?, tools::choice(fields)?);
    if tools.is_empty() && since.is_empty() {
        return Ok(None);
    }
    let mut said = to_agent_messages(since)?;
    // The results of the last calls are told apart: the execution that handed them over knows
    // better what was said before them.
    let results = said.pop().and_then(|message| Message::from_value(&message));
    let result = |result: &ToolResult| -> Value {
        let ToolResult { id, name, content, .. } = result.clone();
        Object::from_iter([("id", id), ("name", name), ("content", content)]).into()
    };
    let results = results.iter().flat_map(Message::tool_results).map(result).collect();
    let said = said
        .into_iter()
        .map(|message| plain_message(&message).map_or(message, |plain| plain.to_value()))
        .collect();
    Ok(Some(ClientTools { tools, choice, said, results }))
}

/// A message that has only words, as agents keep it.
fn plain_message(told: &Value) -> Option<Message> {
    let role = ChatRole::from_name(told.get("role")?.as_str()?)?;
    Some(Message::new(role, vec![MessagePart::Text(told.get("content")?.to_js_string())]))
}

/// Earlier messages as the agent gets them. The results of one turn's calls stand together, and
/// every call has one.
fn to_agent_messages(messages: &[Value]) -> Result<Vec<Value>, OpenAiError> {
    let mut told = Vec::with_capacity(messages.len());
    let mut open: Vec<ToolCall> = Vec::new();
    let mut results: Vec<ToolResult> = Vec::new();
    for message in messages {
        if role(message) == "tool" {
            let id = message.get("tool_call_id").and_then(Value::as_str).unwrap_or_default();
            let Some(place) = open.iter().position(|call| call.id == id) else {
                return Err(OpenAiError::invalid_param(
                    "messages",
                    "contains a tool result without its call",
                ));
            };
            let (call, (content, _)) = (open.remove(place), content(message, ImageMode::Mention)?);
            results.push(ToolResult { id: call.id, name: call.name, content, is_error: false });
            if open.is_empty() {
                told.push(Message::results(std::mem::take(&mut results)).to_value());
            }
            continue;
        }
        if !open.is_empty() {
            break;
        }
        let (text, _) = content(message, ImageMode::Mention)?;
        let role = match role(message) {
            "system" | "developer" => "system",
            "user" => "user",
            "assistant"
                if message
                    .get("tool_calls")
                    .and_then(Value::as_array)
                    .is_some_and(|calls| !calls.is_empty()) =>
            {
                let calling = tools::assistant_with_calls(message, text)?;
                open = calling.tool_calls().cloned().collect();
                told.push(calling.to_value());
                continue;
            }
            "assistant" => "assistant",
            "function" => {
                return Err(OpenAiError::invalid_param(
                    "messages",
                    "contains a message with the role 'function'; use 'tool'",
                ));
            }
            _ => {
                return Err(OpenAiError::invalid_param(
                    "messages",
                    "contains a message with an unknown role",
                ));
            }
        };
        told.push(
            Object::from_iter([("role", Value::from(role)), ("content", text.into())]).into(),
        );
    }
    match open.is_empty() {
        true => Ok(told),
        false => {
            Err(OpenAiError::invalid_param("messages", "contains a tool call without its result"))
        }
    }
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

/// What becomes of pictures in a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ImageMode {
    Attach,
    /// Only that there was one.
    Mention,
}

type Attachments = Vec<(Str, Binary)>;

fn content(message: &Value, pictures: ImageMode) -> Result<(Str, Attachments), OpenAiError> {
    let parts = match message.get("content") {
        Some(Value::String(text)) => return Ok((text.clone(), Attachments::new())),
        Some(Value::Array(parts)) => parts,
        Some(Value::Null) | None => return Ok((Str::new(), Attachments::new())),
        Some(_) => {
            return Err(OpenAiError::invalid_param(
                "messages",
                "has content that is neither text nor a list of parts",
            ));
        }
    };
    let (mut words, mut files) = (Vec::new(), Attachments::new());
    for part in parts.iter() {
        match part.get("type").and_then(Value::as_str) {
            Some("text") => words.push(
                part.get("text").map(|text| text.to_js_string().to_string()).unwrap_or_default(),
            ),
            Some("image_url") if pictures == ImageMode::Mention => {
                words.push("[picture]".to_owned())
            }
            Some("image_url") => {
                let address =
                    part.get_path("image_url.url").and_then(Value::as_str).unwrap_or_default();
                files.push((Str::new(), decode_image(address, files.len())?));
            }
            other => {
                let kind: String = other.unwrap_or("?").chars().take(40).collect();
                return Err(OpenAiError::invalid_param(
                    "messages",
                    format!(
                        "has a part of the type '{kind}'; only 'text' and 'image_url' are supported"
                    ),
                ));
            }
        }
    }
    Ok((words.join("\n").into(), files))
}

/// A picture that comes with the request. Addresses elsewhere are not fetched for whoever asks.
fn decode_image(address: &str, number: usize) -> Result<Binary, OpenAiError> {
    let data = address.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let read = data.and_then(|(kind, data)| Some((kind, STANDARD.decode(data.trim()).ok()?)));
    match read {
        Some((kind, bytes)) if kind.starts_with("image/") => {
            let name = format!("picture-{}.{}", number + 1, kind.trim_start_matches("image/"));
            Ok(Binary::new(bytes, kind, Some(name.into())))
        }
        _ => Err(OpenAiError::invalid_param(
            "messages",
            "has an image that is not a data URL; send `data:image/png;base64,…`",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn asked(body: Value) -> Result<CompletionRequest, String> {
        CompletionRequest::parse(&body).map_err(|refusal| refusal.error.message.to_string())
    }

    #[test]
    fn the_last_message_is_the_question_and_the_others_are_what_was_said_before() {
        let body = json!({ "model": "m", "user": "ada", "temperature": 0.2, "messages": [
            { "role": "developer", "content": "Be brief." },
            { "role": "user", "content": [{ "type": "text", "text": "See" }, { "type": "image_url", "image_url": { "url": "https://a.example/b.png" } }] },
            { "role": "assistant", "content": "Nice." },
            { "role": "user", "content": [{ "type": "text", "text": "And this?" }, { "type": "image_url", "image_url": { "url": "data:image/png;base64,aGk=" } }] },
        ] });
        let CompletionRequest { message, is_streaming: streams, .. } = asked(body).unwrap();
        assert_eq!(
            (message.text.as_str(), message.session.as_deref(), streams),
            ("And this?", Some("ada"), false)
        );
        assert_eq!(
            (message.files[0].1.data.as_ref(), message.files[0].1.mime_type.as_str()),
            (b"hi".as_slice(), "image/png")
        );
        let earlier = json!([{ "role": "system", "content": "Be brief." }, { "role": "user", "content": "See\n[picture]" }, { "role": "assistant", "content": "Nice." }]);
        assert_eq!(Value::array(message.earlier), earlier);
    }

    fn calling() -> Value {
        let call = |id: &str| json!({ "id": id, "type": "function", "function": { "name": "look_up", "arguments": "{\"q\":1}" } });
        json!({ "role": "assistant", "content": Value::Null, "tool_calls": [call("a"), call("b")] })
    }

    #[test]
    fn what_the_tools_of_the_caller_gave_goes_on_with_the_turn() {
        let result =
            |id: &str, words: &str| json!({ "role": "tool", "tool_call_id": id, "content": words });
        let tools = json!([{ "type": "function", "function": { "name": "look_up" } }]);
        let said = json!([
            { "role": "user", "content": "before" }, calling(), result("b", "2"), result("a", "1"), { "role": "assistant", "content": "so" },
            { "role": "user", "content": "now" }, calling(), result("a", "3"), result("b", "4"),
        ]);
        let CompletionRequest { message, .. } =
            asked(json!({ "model": "m", "messages": said, "tools": tools })).unwrap();
        assert_eq!((message.text.as_str(), message.earlier.len()), ("now", 4));
        let tools = message.callers_tools.unwrap();
        assert_eq!((tools.tools.len(), tools.said.len()), (1, 1));
        let told: Vec<_> = tools
            .results
            .iter()
            .map(|result| (result.get("id").cloned(), result.get("content").cloned()))
            .collect();
        assert_eq!(
            told,
            [(Some(json!("a")), Some(json!("3"))), (Some(json!("b")), Some(json!("4")))]
        );
    }

    #[test]
    fn what_no_workflow_gives_is_refused_by_name() {
        let user = || json!([{ "role": "user", "content": "hi" }]);
        let with = |field: &'static str, value: Value| {
            let mut body = json!({ "model": "m", "messages": user() });
            body.set_path(field, value);
            body
        };
        for (body, words) in [
            (with("tools", json!([{ "type": "function" }])), "'tools' may contain only"),
            (with("functions", json!([{ "name": "f" }])), "'functions' is not supported"),
            (
                with("response_format", json!({ "type": "json_object" })),
                "'response_format' is not supported",
            ),
            (with("n", json!(2)), "'n' is not supported"),
            (with("model", Value::Null), "'model' is missing"),
            (with("messages", json!([])), "at least one message"),
            (
                with("messages", json!([{ "role": "assistant", "content": "hi" }])),
                "end with a user message",
            ),
            (
                with(
                    "messages",
                    json!([{ "role": "tool", "content": "4" }, { "role": "user", "content": "hi" }]),
                ),
                "without its call",
            ),
            (
                with("messages", json!([calling(), { "role": "user", "content": "hi" }])),
                "without its result",
            ),
            (
                with(
                    "messages",
                    json!([{ "role": "user", "content": [{ "type": "input_audio" }] }]),
                ),
                "input_audio",
            ),
            (
                with(
                    "messages",
                    json!([{ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": "http://169.254.169.254/" } }] }]),
                ),
                "not a data URL",
            ),
            (json!([]), "JSON object"),
        ] {
            let refused = asked(body).err().unwrap_or_default();
            assert!(refused.contains(words), "{refused} should say {words}");
        }
        let harmless = json!({ "model": "m", "messages": user(), "tools": [], "n": 1, "tool_choice": "auto", "response_format": { "type": "text" }, "logprobs": Value::Null });
        assert!(asked(harmless).is_ok());
    }
}
