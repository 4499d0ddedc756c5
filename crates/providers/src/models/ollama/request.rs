//! A conversation as a request to Ollama.

use super::{CONTEXT, OllamaSettings};
use crate::models::object_ext::ObjectExt;
use crate::models::{Delivery, merged, prompt_fallback};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Object, Str, Value, json};
use node_api::ai::{
    ChatRequest, ChatRole, Media, MediaData, Message, MessagePart, ModelInfo, ModelOptions,
    OutputFormat, ToolArguments, ToolChoice, ToolDefinition,
};

/// What comes after the address of the server.
pub fn path() -> &'static str {
    "/api/chat"
}

/// A server of one's own has no key; one behind a proxy may.
pub fn headers(key: &str) -> Vec<(String, String)> {
    if key.is_empty() {
        Vec::new()
    } else {
        vec![("authorization".to_owned(), format!("Bearer {key}"))]
    }
}

pub fn body(request: &ChatRequest, info: &ModelInfo, settings: &OllamaSettings) -> Value {
    let options = merged(&settings.options, &request.options);
    let tools = tools(request, info);
    // A form for the answer would also bind the model where it wants to call a tool.
    let format = if tools.is_empty() { format(&request.format, info) } else { None };
    let mut words = Vec::new();
    words.extend(prompt_fallback::demanded_tool(request).filter(|_| !tools.is_empty()));
    if format.is_none() {
        words.extend(prompt_fallback::wanted_format(&request.format));
    }

    let mut body = Object::new();
    body.insert("model", info.model.clone());
    let told = words.into_iter().map(|words| json!({ "role": "system" }).with("content", words));
    // What is told about this answer stands before the conversation, next to the other
    // instructions.
    let n_system =
        request.messages.iter().take_while(|message| message.role == ChatRole::System).count();
    let (system, rest) = request.messages.split_at(n_system);
    let messages: Vec<_> = system
        .iter()
        .flat_map(messages)
        .chain(told)
        .chain(rest.iter().flat_map(messages))
        .collect();
    body.insert("messages", messages);
    if !tools.is_empty() {
        body.insert("tools", tools);
    }
    if let Some(format) = format {
        body.insert("format", format);
    }
    let effort = options.effort.as_ref().filter(|effort| settings.traits.effort.contains(effort));
    if let Some(think) = settings.think.clone().or_else(|| effort.cloned().map(Value::from)) {
        body.insert("think", think);
    }
    body.insert("stream", settings.delivery == Delivery::Stream);
    if let Some(keep_alive) = &settings.keep_alive {
        body.insert("keep_alive", keep_alive.clone());
    }
    body.insert("options", model_options(&options, info, settings));
    let mut body = Value::from(body);
    if let Some(extra) = &options.extra {
        prompt_fallback::put_extra(&mut body, extra);
    }
    body
}

/// One message of ours is one of theirs, but for results, of which each is one.
fn messages(message: &Message) -> Vec<Value> {
    match message.role {
        ChatRole::System => vec![plain("system", message)],
        ChatRole::User => vec![plain("user", message)],
        ChatRole::Assistant => {
            let calls: Vec<_> =
                message.tool_calls().map(|call| call_of(&call.name, &call.arguments)).collect();
            let said = plain("assistant", message);
            vec![if calls.is_empty() { said } else { said.with("tool_calls", calls) }]
        }
        ChatRole::Tool => {
            let results = message.tool_results();
            results
                .map(|result| {
                    json!({ "role": "tool" })
                        .with("tool_name", result.name.clone())
                        .with("content", content_of(result.is_error, &result.content))
                })
                .collect()
        }
    }
}

/// There is no field for a failure.
fn content_of(is_error: bool, content: &Str) -> Str {
    if is_error { format!("Error: {content}").into() } else { content.clone() }
}

fn call_of(name: &Str, arguments: &ToolArguments) -> Value {
    let arguments = match arguments {
        ToolArguments::Parsed(object) => object.clone().into(),
        // The field takes objects only, and the model is to see what it wrote.
        ToolArguments::Malformed { text, .. } => json!({}).with("unreadable", text.clone()),
    };
    json!({}).with("function", json!({}).with("name", name.clone()).with("arguments", arguments))
}

fn plain(role: &str, message: &Message) -> Value {
    let (mut words, mut images) = (message.text(), Vec::new());
    for part in &message.parts {
        match part {
            MessagePart::Image(Media { data: MediaData::Bytes(bytes), .. }) => {
                images.push(Value::from(STANDARD.encode(bytes)))
            }
            MessagePart::Image(media) | MessagePart::File(media) => {
                words.push('\n');
                words.push_str(&in_words(media));
            }
            MessagePart::Text(_)
            | MessagePart::ToolCall(_)
            | MessagePart::ToolResult(_)
            | MessagePart::Thinking { .. } => {}
        }
    }
    let message = json!({}).with("role", role).with("content", words);
    if images.is_empty() { message } else { message.with("images", images) }
}

/// There is a place for images only: a text stands among the words, and of the rest at least the
/// name.
fn in_words(media: &Media) -> Str {
    match &media.data {
        MediaData::Bytes(bytes)
            if media.mime_type.starts_with("text/") || media.mime_type == "application/json" =>
        {
            String::from_utf8_lossy(bytes).as_ref().into()
        }
        MediaData::Bytes(_) => {
            prompt_fallback::unreadable_file(media.name.as_ref(), &media.mime_type)
        }
        MediaData::Url(url) => url.clone(),
    }
}

/// What cannot be demanded is offered alone, and what is not wanted is not offered.
fn tools(request: &ChatRequest, info: &ModelInfo) -> Vec<Value> {
    let wanted = |tool: &&ToolDefinition| match &request.tool_choice {
        ToolChoice::Auto | ToolChoice::Required => true,
        ToolChoice::None => false,
        ToolChoice::Tool(name) => tool.name == *name,
    };
    if !info.capabilities.tools {
        return Vec::new();
    }
    let functions = request.tools.iter().filter(wanted).map(|tool| {
        let function =
            json!({}).with("name", tool.name.clone()).with("description", tool.description.clone());
        json!({ "type": "function" })
            .with("function", function.with("parameters", tool.parameters.clone()))
    });
    functions.collect()
}

fn format(format: &OutputFormat, info: &ModelInfo) -> Option<Value> {
    match format {
        OutputFormat::Text => None,
        OutputFormat::Json => Some("json".into()),
        OutputFormat::Schema { schema, .. } => {
            info.capabilities.json_schema.then(|| schema.clone())
        }
    }
}

fn model_options(options: &ModelOptions, info: &ModelInfo, settings: &OllamaSettings) -> Object {
    let mut out = Object::new();
    let context = settings.context.unwrap_or(CONTEXT);
    out.insert("num_ctx", info.capabilities.context.map_or(context, |most| context.min(most)));
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            out.insert(key, value);
        }
    };
    put("num_predict", options.max_tokens.map(Value::from));
    if info.capabilities.sampling {
        put("temperature", options.temperature.map(Value::from));
        put("top_p", options.top_p.map(Value::from));
        put("top_k", options.top_k.map(Value::from));
        put("frequency_penalty", options.frequency_penalty.map(Value::from));
        put("presence_penalty", options.presence_penalty.map(Value::from));
        put("seed", options.seed.map(Value::from));
    }
    let stop: Vec<_> = options
        .stop
        .iter()
        .filter(|text| !text.is_empty())
        .map(|text| Value::from(text.clone()))
        .collect();
    put("stop", (!stop.is_empty()).then(|| stop.into()));
    out
}
