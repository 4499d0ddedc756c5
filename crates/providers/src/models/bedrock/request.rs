//! A conversation as a request to Bedrock.

use super::{BedrockSettings, content};
use crate::aws::encoded;
use crate::models::object_ext::ObjectExt;
use crate::models::{Delivery, merged, prompt_fallback};
use model::{Object, Value, json};
use node_api::ai::{
    ChatRequest, ModelInfo, ModelOptions, OutputFormat, ToolChoice, ToolDefinition,
};

/// What comes after the address of the provider.
pub(super) fn path(info: &ModelInfo, settings: &BedrockSettings) -> String {
    let action = match settings.delivery {
        Delivery::Stream => "converse-stream",
        Delivery::Whole => "converse",
    };
    format!("/model/{}/{action}", encoded(&info.model))
}

pub(super) fn body(request: &ChatRequest, info: &ModelInfo, settings: &BedrockSettings) -> Value {
    let options = merged(&settings.options, &request.options);
    let forced = info.capabilities.forced_tool;
    // There is no word for "no tool": where none may be called, none is offered.
    let has_tools = info.capabilities.tools
        && !request.tools.is_empty()
        && request.tool_choice != ToolChoice::None;
    let mut system = content::system(&request.messages);
    if !forced {
        system.extend(prompt_fallback::demanded_tool(request).map(|words| content::text(&words)));
    }
    if request.format != OutputFormat::Text {
        system.extend(
            prompt_fallback::wanted_format(&request.format).map(|words| content::text(&words)),
        );
    }
    let mut body = Object::new();
    body.insert("messages", content::messages(&request.messages, info, has_tools));
    if !system.is_empty() {
        body.insert("system", system);
    }
    let inference = inference(&options, info);
    if !inference.is_empty() {
        body.insert("inferenceConfig", inference);
    }
    if has_tools {
        let tools: Vec<Value> = request.tools.iter().map(tool).collect();
        let choice = tool_choice(&request.tool_choice, forced);
        body.insert("toolConfig", json!({}).with("tools", tools).with("toolChoice", choice));
    }
    if let Some(fields) = model_fields(&options, info, settings) {
        body.insert("additionalModelRequestFields", fields);
    }
    if let Some(latency) = &settings.latency {
        body.insert("performanceConfig", json!({}).with("latency", latency.as_str()));
    }
    if let Some(guardrail) = &settings.guardrail {
        body.insert("guardrailConfig", guardrail.clone());
    }
    let mut body = Value::from(body);
    if let Some(extra) = &options.extra {
        prompt_fallback::put_extra(&mut body, extra);
    }
    body
}

fn inference(options: &ModelOptions, info: &ModelInfo) -> Object {
    let mut fields = Object::new();
    let most = info.capabilities.max_output;
    if let Some(wanted) = options.max_tokens {
        fields.insert("maxTokens", most.map_or(wanted, |most| wanted.min(most)).max(1));
    }
    if info.capabilities.sampling {
        fields.extend(options.temperature.map(|number| ("temperature", number.clamp(0.0, 1.0))));
        fields.extend(options.top_p.map(|number| ("topP", number)));
    }
    let stop: Vec<Value> = options
        .stop
        .iter()
        .filter(|text| !text.trim().is_empty())
        .map(|text| Value::from(text.clone()))
        .collect();
    if !stop.is_empty() {
        fields.insert("stopSequences", stop);
    }
    fields
}

/// What only some families of models know goes beside.
fn model_fields(
    options: &ModelOptions,
    info: &ModelInfo,
    settings: &BedrockSettings,
) -> Option<Value> {
    let mut fields = Object::new();
    if let Some(top_k) = options.top_k.filter(|_| info.capabilities.sampling) {
        fields.insert("top_k", top_k);
    }
    let mut fields = Value::from(fields);
    if let Some(own) = &settings.model_fields {
        prompt_fallback::put_extra(&mut fields, own);
    }
    fields.as_object().is_some_and(|fields| !fields.is_empty()).then_some(fields)
}

fn tool(definition: &ToolDefinition) -> Value {
    let mut schema = definition.parameters.clone();
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        schema.make_object().insert("type", "object");
    }
    let mut spec = json!({})
        .with("name", definition.name.clone())
        .with("inputSchema", json!({}).with("json", schema));
    if !definition.description.trim().is_empty() {
        spec = spec.with("description", definition.description.clone());
    }
    json!({}).with("toolSpec", spec)
}

fn tool_choice(choice: &ToolChoice, forced: bool) -> Value {
    match choice {
        ToolChoice::Required if forced => json!({ "any": {} }),
        ToolChoice::Tool(name) if forced => {
            json!({}).with("tool", json!({}).with("name", name.clone()))
        }
        _ => json!({ "auto": {} }),
    }
}
