//! The request of chat completions, as a pure function of what is asked.

use super::messages::MessageWriter;
use super::settings::{OpenAiSettings, Surface, TokenField};
use crate::models::merged;
use model::{Object, Value, json};
use node_api::ai::{
    Capabilities, ChatRequest, ModelInfo, ModelOptions, OutputFormat, ToolChoice, ToolDefinition,
};

/// The body. What the model does not take is left out.
pub fn body(request: &ChatRequest, info: &ModelInfo, settings: &OpenAiSettings) -> Value {
    let capabilities = info.capabilities;
    let writing = MessageWriter { capabilities, returns_reasoning: settings.returns_reasoning };
    let mut body = Object::new();
    if settings.surface == Surface::V1 {
        body.insert("model", info.model.clone());
    }
    body.insert("messages", writing.messages(&request.messages));
    if capabilities.tools && !request.tools.is_empty() {
        body.insert("tools", request.tools.iter().map(tool).collect::<Vec<_>>());
        if let Some(choice) = tool_choice(
            &request.tool_choice,
            capabilities,
            |name| json!({ "type": "function", "function": { "name": name } }),
        ) {
            body.insert("tool_choice", choice);
        }
        if let Some(parallel) = request.parallel_calls {
            body.insert("parallel_tool_calls", parallel);
        }
    }
    let options = merged(&settings.options, &request.options);
    insert_sampling(&mut body, &options, capabilities);
    if let Some(max_tokens) = token_limit(&options, capabilities) {
        let field = match settings.token_field {
            TokenField::MaxCompletionTokens => "max_completion_tokens",
            TokenField::MaxTokens => "max_tokens",
        };
        body.insert(field, max_tokens);
    }
    if let Some(effort) = &options.effort {
        body.insert("reasoning_effort", effort.clone());
    }
    if settings.streams && capabilities.streaming {
        body.insert("stream", true);
        if settings.usage_in_streams {
            body.insert("stream_options", json!({ "include_usage": true }));
        }
    }
    insert_extra(&mut body, &options);
    // A form that is asked for counts more than the one that the model was set up with.
    match &request.format {
        OutputFormat::Text => {}
        OutputFormat::Json => {
            drop(body.insert("response_format", json!({ "type": "json_object" })))
        }
        OutputFormat::Schema { name, schema } if capabilities.json_schema => {
            let mut format = Object::new();
            format.insert("type", "json_schema");
            format.insert("json_schema", named_schema(name, schema));
            body.insert("response_format", format);
        }
        OutputFormat::Schema { .. } => {}
    }
    body.into()
}

/// How the choice of tools is said; nothing where it is what the model does anyhow.
pub(super) fn tool_choice(
    choice: &ToolChoice,
    capabilities: Capabilities,
    one: impl Fn(&str) -> Value,
) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some("none".into()),
        ToolChoice::Required => capabilities.forced_tool.then(|| "required".into()),
        ToolChoice::Tool(name) => capabilities.forced_tool.then(|| one(name)),
    }
}

pub(super) fn token_limit(options: &ModelOptions, capabilities: Capabilities) -> Option<u64> {
    let wanted = options.max_tokens.filter(|limit| *limit > 0)?;
    Some(capabilities.max_output.map_or(wanted, |most| wanted.min(most)))
}

/// A schema with its name; strict where the schema is what strictness asks for.
pub(super) fn named_schema(name: &str, schema: &Value) -> Value {
    let mut format = Object::new();
    format.insert("name", name);
    format.insert("strict", is_strict(schema));
    format.insert("schema", schema.clone());
    format.into()
}

pub(super) fn insert_extra(body: &mut Object, options: &ModelOptions) {
    if let Some(Value::Object(extra)) = &options.extra {
        body.extend(extra.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
}

fn insert_sampling(body: &mut Object, options: &ModelOptions, capabilities: Capabilities) {
    let numbers = [
        ("temperature", options.temperature),
        ("top_p", options.top_p),
        ("frequency_penalty", options.frequency_penalty),
        ("presence_penalty", options.presence_penalty),
    ];
    if capabilities.sampling {
        body.extend(
            numbers.into_iter().filter_map(|(name, number)| Some((name, Value::from(number?)))),
        );
        // Models that think take neither sampling nor stop words.
        if !options.stop.is_empty() {
            body.insert("stop", options.stop.iter().cloned().map(Value::from).collect::<Vec<_>>());
        }
    }
    if let Some(seed) = options.seed {
        body.insert("seed", seed);
    }
}

fn tool(tool: &ToolDefinition) -> Value {
    let mut function = Object::new();
    function.insert("name", tool.name.clone());
    if !tool.description.is_empty() {
        function.insert("description", tool.description.clone());
    }
    function.insert("parameters", tool.parameters.clone());
    let mut entry = Object::new();
    entry.insert("type", "function");
    entry.insert("function", function);
    entry.into()
}

/// Whether every object says that it has these fields, all of them, and no others.
pub(super) fn is_strict(schema: &Value) -> bool {
    let Value::Object(object) = schema else {
        return schema.as_array().is_none_or(|list| list.iter().all(is_strict));
    };
    if let Some(properties) = object.get("properties").and_then(Value::as_object) {
        let required = object.get("required").and_then(Value::as_array).unwrap_or_default();
        let is_required = |key: &str| required.iter().any(|name| name.as_str() == Some(key));
        let is_closed = object.get("additionalProperties").and_then(Value::as_bool) == Some(false);
        return is_closed
            && properties.iter().all(|(key, schema)| is_required(key) && is_strict(schema));
    }
    let is_object = object.get("type").and_then(Value::as_str) == Some("object");
    !is_object
        && object.iter().all(|(key, value)| {
            matches!(key.as_str(), "enum" | "const" | "default" | "examples") || is_strict(value)
        })
}

#[cfg(test)]
mod tests;
