//! What a request for a completion asks.

use super::Refusal;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Binary, Object, Str, Value};
use runtime::chat::ChatMessage;

/// Fields that would ask for an answer that no workflow gives, unless they have one of these values.
const REFUSED: &[(&str, &[&str])] = &[
    ("tools", &["[]"]),
    ("functions", &["[]"]),
    ("tool_choice", &["\"none\"", "\"auto\""]),
    ("function_call", &["\"none\"", "\"auto\""]),
    ("response_format", &["{\"type\":\"text\"}"]),
    ("n", &["1"]),
    ("logprobs", &["false"]),
    ("modalities", &["[\"text\"]"]),
    ("audio", &[]),
    ("web_search_options", &[]),
];

/// A request that can be answered.
pub(super) struct Asked {
    pub(super) model: Str,
    pub(super) message: ChatMessage,
    pub(super) streams: bool,
    /// A stream ends with the tokens that were used.
    pub(super) tells_usage: bool,
    /// A stream tells of the agent's steps, in a field of ours.
    pub(super) tells_steps: bool,
}

impl Asked {
    pub(super) fn read(body: &Value) -> Result<Self, Refusal> {
        let fields = body.as_object().ok_or_else(|| Refusal::of("body", "must be a JSON object"))?;
        for (field, harmless) in REFUSED {
            let given = fields.get(field).filter(|value| !value.is_nullish()).map(model::json::to_string);
            if given.is_some_and(|given| !harmless.contains(&given.as_str())) {
                return Err(Refusal::of(field, "cannot be used: the workflow behind this model has tools and forms of its own"));
            }
        }
        let model = fields.get("model").and_then(Value::as_str).filter(|model| !model.is_empty());
        let model = model.ok_or_else(|| Refusal::of("model", "is missing"))?;
        let flag = |path: &str| body.get_path(path).is_some_and(|value| value.as_bool() == Some(true));
        Ok(Self {
            model: model.into(),
            message: message(fields)?,
            streams: flag("stream"),
            tells_usage: flag("stream_options.include_usage"),
            tells_steps: flag("heddle.steps"),
        })
    }
}

fn message(fields: &Object) -> Result<ChatMessage, Refusal> {
    let messages = fields.get("messages").and_then(Value::as_array).unwrap_or_default();
    let Some((last, earlier)) = messages.split_last() else { return Err(Refusal::of("messages", "must hold at least one message")) };
    if role(last) != "user" {
        return Err(Refusal::of("messages", "must end with a message of the user"));
    }
    let (text, files) = content(last, Pictures::AreTaken)?;
    let session = ["user", "safety_identifier"].iter().find_map(|key| fields.get(key).and_then(Value::as_str));
    let session = session.filter(|session| !session.is_empty()).map(Str::from);
    let earlier = earlier.iter().map(told).collect::<Result<Vec<_>, _>>()?;
    Ok(ChatMessage { text, session, files, earlier, ..ChatMessage::default() })
}

/// An earlier message as the agent gets it.
fn told(message: &Value) -> Result<Value, Refusal> {
    let role = match role(message) {
        "system" | "developer" => "system",
        "user" => "user",
        "assistant" if message.get("tool_calls").is_none_or(|calls| calls.as_array().is_none_or(<[_]>::is_empty)) => "assistant",
        "assistant" | "tool" | "function" => {
            return Err(Refusal::of("messages", "has calls of tools: the workflow behind this model calls its own"));
        }
        _ => return Err(Refusal::of("messages", "has one with a role that is not known")),
    };
    let (text, _) = content(message, Pictures::AreNamed)?;
    Ok(Object::from_iter([("role", Value::from(role)), ("content", text.into())]).into())
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

/// What becomes of pictures in a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pictures {
    AreTaken,
    /// Only that there was one.
    AreNamed,
}

type Files = Vec<(Str, Binary)>;

fn content(message: &Value, pictures: Pictures) -> Result<(Str, Files), Refusal> {
    let parts = match message.get("content") {
        Some(Value::String(text)) => return Ok((text.clone(), Files::new())),
        Some(Value::Array(parts)) => parts,
        Some(Value::Null) | None => return Ok((Str::new(), Files::new())),
        Some(_) => return Err(Refusal::of("messages", "has content that is neither text nor a list of parts")),
    };
    let (mut words, mut files) = (Vec::new(), Files::new());
    for part in parts.iter() {
        match part.get("type").and_then(Value::as_str) {
            Some("text") => words.push(part.get("text").map(|text| text.to_js_string().to_string()).unwrap_or_default()),
            Some("image_url") if pictures == Pictures::AreNamed => words.push("[picture]".to_owned()),
            Some("image_url") => {
                let address = part.get_path("image_url.url").and_then(Value::as_str).unwrap_or_default();
                files.push((Str::new(), picture(address, files.len())?));
            }
            other => {
                let kind: String = other.unwrap_or("?").chars().take(40).collect();
                return Err(Refusal::of("messages", format!("has a part of the type '{kind}'; only 'text' and 'image_url' are taken")));
            }
        }
    }
    Ok((words.join("\n").into(), files))
}

/// A picture that comes with the request. Addresses elsewhere are not fetched for whoever asks.
fn picture(address: &str, number: usize) -> Result<Binary, Refusal> {
    let data = address.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let read = data.and_then(|(kind, data)| Some((kind, STANDARD.decode(data.trim()).ok()?)));
    match read {
        Some((kind, bytes)) if kind.starts_with("image/") => {
            let name = format!("picture-{}.{}", number + 1, kind.trim_start_matches("image/"));
            Ok(Binary::new(bytes, kind, Some(name.into())))
        }
        _ => Err(Refusal::of("messages", "has a picture that is no data URL; send `data:image/png;base64,…`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn asked(body: Value) -> Result<Asked, String> {
        Asked::read(&body).map_err(|refusal| refusal.error.message.to_string())
    }

    #[test]
    fn the_last_message_is_the_question_and_the_others_are_what_was_said_before() {
        let body = json!({ "model": "m", "user": "ada", "temperature": 0.2, "messages": [
            { "role": "developer", "content": "Be brief." },
            { "role": "user", "content": [{ "type": "text", "text": "See" }, { "type": "image_url", "image_url": { "url": "https://a.example/b.png" } }] },
            { "role": "assistant", "content": "Nice." },
            { "role": "user", "content": [{ "type": "text", "text": "And this?" }, { "type": "image_url", "image_url": { "url": "data:image/png;base64,aGk=" } }] },
        ] });
        let Asked { message, streams, .. } = asked(body).unwrap();
        assert_eq!((message.text.as_str(), message.session.as_deref(), streams), ("And this?", Some("ada"), false));
        assert_eq!((message.files[0].1.data.as_ref(), message.files[0].1.mime_type.as_str()), (b"hi".as_slice(), "image/png"));
        let earlier = json!([{ "role": "system", "content": "Be brief." }, { "role": "user", "content": "See\n[picture]" }, { "role": "assistant", "content": "Nice." }]);
        assert_eq!(Value::array(message.earlier), earlier);
    }

    #[test]
    fn what_no_workflow_gives_is_refused_by_name() {
        let user = || json!([{ "role": "user", "content": "hi" }]);
        let with = |field: &str, value: Value| {
            let mut body = json!({ "model": "m", "messages": user() });
            body.set_path(field, value);
            body
        };
        for (body, words) in [
            (with("tools", json!([{ "type": "function" }])), "'tools' cannot be used"),
            (with("response_format", json!({ "type": "json_object" })), "'response_format' cannot be used"),
            (with("n", json!(2)), "'n' cannot be used"),
            (with("model", Value::Null), "'model' is missing"),
            (with("messages", json!([])), "at least one message"),
            (with("messages", json!([{ "role": "assistant", "content": "hi" }])), "end with a message of the user"),
            (with("messages", json!([{ "role": "tool", "content": "4" }, { "role": "user", "content": "hi" }])), "calls of tools"),
            (with("messages", json!([{ "role": "user", "content": [{ "type": "input_audio" }] }])), "input_audio"),
            (
                with(
                    "messages",
                    json!([{ "role": "user", "content": [{ "type": "image_url", "image_url": { "url": "http://169.254.169.254/" } }] }]),
                ),
                "no data URL",
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
