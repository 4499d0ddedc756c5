//! A conversation as a request to Gemini.

use super::{GeminiSettings, content};
use crate::models::object_ext::ObjectExt;
use crate::models::opaque::unbind;
use crate::models::{Delivery, merged, prompt_fallback};
use model::{Object, Value, json};
use node_api::ai::{
    ChatRequest, ChatRole, Message, ModelInfo, ModelOptions, OutputFormat, ToolChoice,
    ToolDefinition,
};

/// What comes after the address of the provider. The key is never a part of it, for addresses are
/// written into logs.
pub fn path(info: &ModelInfo, settings: &GeminiSettings) -> String {
    let version = settings.version.name();
    let method = match settings.delivery {
        Delivery::Stream => "streamGenerateContent?alt=sse",
        Delivery::Whole => "generateContent",
    };
    let (folder, name) = match info.model.strip_prefix("tunedModels/") {
        Some(name) => ("tunedModels", name),
        None => ("models", info.model.strip_prefix("models/").unwrap_or(&info.model)),
    };
    // A name is a part of the path and may not lead out of it.
    let name: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
    format!("/{version}/{folder}/{name}:{method}")
}

pub fn headers(key: &str) -> Vec<(String, String)> {
    vec![("x-goog-api-key".to_owned(), key.to_owned())]
}

pub fn body(request: &ChatRequest, info: &ModelInfo, settings: &GeminiSettings) -> Value {
    let options = merged(&settings.options, &request.options);
    let has_tools = info.capabilities.tools && !request.tools.is_empty();
    let in_form = request.format != OutputFormat::Text
        && (!has_tools || settings.traits.schema_with_tools)
        && holds_to(&request.format, info);
    let mut words = Vec::new();
    if !info.capabilities.forced_tool {
        words.extend(prompt_fallback::demanded_tool(request));
    }
    if !in_form {
        words.extend(prompt_fallback::wanted_format(&request.format));
    }

    let mut body = Object::new();
    if let Some(system) = content::system(&request.messages, words) {
        body.insert("systemInstruction", system);
    }
    let (messages, token) = going_on(&request.messages, info);
    body.insert("contents", content::contents(messages, info, settings.traits.signatures));
    if has_tools {
        let declarations: Vec<_> = request.tools.iter().map(declaration).collect();
        body.insert("tools", vec![json!({}).with("functionDeclarations", declarations)]);
        if let Some(config) = calling_config(&request.tool_choice, info) {
            body.insert("toolConfig", json!({}).with("functionCallingConfig", config));
        }
    }
    let mut config = generation_config(&options, info, settings);
    if in_form {
        config.insert("responseMimeType", "application/json");
        if let OutputFormat::Schema { schema, .. } = &request.format {
            config.insert("responseJsonSchema", schema.clone());
        }
    }
    if !config.is_empty() {
        body.insert("generationConfig", config);
    }
    if let Some(safety) = &settings.safety {
        body.insert("safetySettings", safety.clone());
    }
    if let Some(token) = token {
        body.insert("continuationToken", token.clone());
    }
    let mut body = Value::from(body);
    if let Some(extra) = &options.extra {
        prompt_fallback::put_extra(&mut body, extra);
    }
    body
}

/// Any JSON can be asked of all models, a schema only of those that know it.
fn holds_to(format: &OutputFormat, info: &ModelInfo) -> bool {
    info.capabilities.json_schema || *format == OutputFormat::Json
}

fn declaration(definition: &ToolDefinition) -> Value {
    let mut tool = Object::new();
    tool.insert("name", definition.name.clone());
    tool.insert("description", definition.description.clone());
    let has_fields = definition
        .parameters
        .get("properties")
        .and_then(Value::as_object)
        .is_some_and(|fields| !fields.is_empty());
    if has_fields || definition.parameters.get("$ref").is_some() {
        tool.insert("parametersJsonSchema", definition.parameters.clone());
    }
    tool.into()
}

fn calling_config(choice: &ToolChoice, info: &ModelInfo) -> Option<Value> {
    match choice {
        ToolChoice::None => Some(json!({ "mode": "NONE" })),
        ToolChoice::Required if info.capabilities.forced_tool => Some(json!({ "mode": "ANY" })),
        ToolChoice::Tool(name) if info.capabilities.forced_tool => Some(
            json!({ "mode": "ANY" }).with("allowedFunctionNames", vec![Value::from(name.clone())]),
        ),
        ToolChoice::Auto | ToolChoice::Required | ToolChoice::Tool(_) => None,
    }
}

fn generation_config(
    options: &ModelOptions,
    info: &ModelInfo,
    settings: &GeminiSettings,
) -> Object {
    let mut config = Object::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            config.insert(key, value);
        }
    };
    put("maxOutputTokens", options.max_tokens.map(Value::from));
    if info.capabilities.sampling {
        put("temperature", options.temperature.map(Value::from));
        put("topP", options.top_p.map(Value::from));
        put("topK", options.top_k.map(Value::from));
        put("frequencyPenalty", options.frequency_penalty.map(Value::from));
        put("presencePenalty", options.presence_penalty.map(Value::from));
        put("seed", options.seed.map(Value::from));
    }
    let stop: Vec<_> = options
        .stop
        .iter()
        .filter(|text| !text.is_empty())
        .map(|text| Value::from(text.clone()))
        .collect();
    put("stopSequences", (!stop.is_empty()).then(|| stop.into()));
    let thinking = thinking_config(options, settings);
    put("thinkingConfig", (!thinking.is_empty()).then(|| thinking.into()));
    config
}

/// A level or a budget, never both.
fn thinking_config(options: &ModelOptions, settings: &GeminiSettings) -> Object {
    let takes_budget = settings.traits.thinking.iter().any(|kind| kind == "budget");
    let mut config = Object::new();
    match (&options.effort, settings.thinking_budget) {
        (_, Some(budget)) if takes_budget => {
            config.insert("thinkingBudget", budget);
        }
        (Some(effort), _) if settings.traits.effort.contains(effort) => {
            config.insert("thinkingLevel", effort.to_uppercase());
        }
        _ => {}
    }
    if settings.show_thinking && (takes_budget || !settings.traits.effort.is_empty()) {
        config.insert("includeThoughts", true);
    }
    config
}

/// An answer that is not at its end goes on when the same is asked again with its token and without
/// what was said so far.
fn going_on<'a>(messages: &'a [Message], info: &ModelInfo) -> (&'a [Message], Option<&'a Value>) {
    let last = messages.last().filter(|message| message.role == ChatRole::Assistant);
    let token =
        last.and_then(|message| unbind(message.opaque.as_ref(), info)?.get("continuationToken"));
    let n_asked = messages
        .iter()
        .rposition(|message| message.role != ChatRole::Assistant)
        .map_or(0, |last| last + 1);
    if token.is_some() { (&messages[..n_asked], token) } else { (messages, None) }
}
