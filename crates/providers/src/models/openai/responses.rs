//! OpenAI's second API for the same models: its requests, as a pure function of what is asked, and
//! its answers.

mod reader;

pub use reader::ResponsesReader;

use super::body::{insert_extra, is_strict, named_schema, token_limit, tool_choice};
use super::messages::{PROVIDER, is_text, unseen, url_of};
use super::settings::OpenAiSettings;
use crate::models::merged;
use model::{Object, Str, Value, json};
use node_api::ai::{
    Capabilities, ChatRequest, ChatRole, Media, MediaData, Message, MessagePart, ModelInfo,
    OutputFormat, ToolDefinition,
};

/// The body. Nothing is kept at the provider, so what the model thought travels with the
/// conversation where that is wanted.
pub fn body(request: &ChatRequest, info: &ModelInfo, settings: &OpenAiSettings) -> Value {
    let capabilities = info.capabilities;
    let mut body = Object::new();
    body.insert("model", info.model.clone());
    let mut input = Vec::new();
    for message in &request.messages {
        write(message, capabilities, settings.returns_reasoning, &mut input);
    }
    body.insert("input", input);
    body.insert("store", false);
    if settings.returns_reasoning {
        body.insert("include", json!(["reasoning.encrypted_content"]));
    }
    if capabilities.tools && !request.tools.is_empty() {
        body.insert("tools", request.tools.iter().map(tool).collect::<Vec<_>>());
        if let Some(choice) = tool_choice(
            &request.tool_choice,
            capabilities,
            |name| json!({ "type": "function", "name": name }),
        ) {
            body.insert("tool_choice", choice);
        }
        if let Some(parallel) = request.parallel_calls {
            body.insert("parallel_tool_calls", parallel);
        }
    }
    let format = match &request.format {
        OutputFormat::Text => None,
        OutputFormat::Json => Some(json!({ "type": "json_object" })),
        OutputFormat::Schema { name, schema } => capabilities.json_schema.then(|| {
            let mut format = named_schema(name, schema);
            format.make_object().insert("type", "json_schema");
            format
        }),
    };
    let options = merged(&settings.options, &request.options);
    if capabilities.sampling {
        let numbers = [("temperature", options.temperature), ("top_p", options.top_p)];
        body.extend(
            numbers.into_iter().filter_map(|(name, number)| Some((name, Value::from(number?)))),
        );
    }
    if let Some(max_tokens) = token_limit(&options, capabilities) {
        body.insert("max_output_tokens", max_tokens);
    }
    if let Some(effort) = &options.effort {
        body.insert("reasoning", json!({ "effort": effort.as_str() }));
    }
    if settings.streams && capabilities.streaming {
        body.insert("stream", true);
    }
    insert_extra(&mut body, &options);
    // A form that is asked for counts more than the one that the model was set up with.
    if let Some(format) = format {
        body.entry("text").make_object().insert("format", format);
    }
    body.into()
}

/// A message as items of `input`.
fn write(
    message: &Message,
    capabilities: Capabilities,
    returns_reasoning: bool,
    input: &mut Vec<Value>,
) {
    let mut content = Vec::new();
    for part in &message.parts {
        match part {
            MessagePart::ToolResult(result) => {
                let output = json!({ "type": "function_call_output", "call_id": result.id.as_str(), "output": result.content.as_str() });
                input.push(output);
            }
            MessagePart::ToolCall(call) => {
                flush(message.role, &mut content, input);
                let (id, name, arguments) =
                    (call.id.as_str(), call.name.as_str(), call.arguments.to_text());
                input.push(json!({ "type": "function_call", "call_id": id, "name": name, "arguments": arguments.as_str() }));
            }
            MessagePart::Thinking { opaque: Some(opaque), .. }
                if returns_reasoning && opaque.provider == PROVIDER =>
            {
                flush(message.role, &mut content, input);
                input.push(opaque.data.clone());
            }
            MessagePart::Thinking { .. } => {}
            MessagePart::Text(text) if message.role == ChatRole::Assistant => {
                content.push(typed("output_text", "text", text.clone()))
            }
            MessagePart::Text(text) => content.push(typed("input_text", "text", text.clone())),
            MessagePart::Image(media) if capabilities.vision => {
                content.push(typed("input_image", "image_url", url_of(media)))
            }
            MessagePart::Image(media) => {
                let words =
                    unseen("image", media).get("text").map(Value::to_js_string).unwrap_or_default();
                content.push(typed("input_text", "text", words));
            }
            MessagePart::File(media) => content.push(file(media)),
        }
    }
    flush(message.role, &mut content, input);
}

fn flush(role: ChatRole, content: &mut Vec<Value>, input: &mut Vec<Value>) {
    if content.is_empty() {
        return;
    }
    let role = match role {
        ChatRole::System => "system",
        ChatRole::User | ChatRole::Tool => "user",
        ChatRole::Assistant => "assistant",
    };
    let mut item = Object::new();
    item.insert("role", role);
    item.insert("content", std::mem::take(content));
    input.push(item.into());
}

fn typed(kind: &str, field: &str, text: Str) -> Value {
    let mut part = Object::new();
    part.insert("type", kind);
    part.insert(field, text);
    part.into()
}

fn file(media: &Media) -> Value {
    let name = media.name.clone().unwrap_or_else(|| "file".into());
    match &media.data {
        MediaData::Url(url) => typed("input_file", "file_url", url.clone()),
        MediaData::Bytes(bytes) if is_text(&media.mime_type) => typed(
            "input_text",
            "text",
            format!("{name}:\n{}", String::from_utf8_lossy(bytes)).into(),
        ),
        MediaData::Bytes(_) => {
            json!({ "type": "input_file", "filename": name.as_str(), "file_data": url_of(media).as_str() })
        }
    }
}

fn tool(tool: &ToolDefinition) -> Value {
    let mut entry = Object::new();
    entry.insert("type", "function");
    entry.insert("name", tool.name.clone());
    if !tool.description.is_empty() {
        entry.insert("description", tool.description.clone());
    }
    entry.insert("parameters", tool.parameters.clone());
    // This API is strict unless told otherwise, and would bend the schema.
    entry.insert("strict", is_strict(&tool.parameters));
    entry.into()
}

#[cfg(test)]
mod tests;
