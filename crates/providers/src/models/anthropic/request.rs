//! A conversation as a request to Anthropic. Unknown fields and values that a model does not take
//! are refused there, so neither is sent.

use super::content::{self, is_of};
use super::schema::closed;
use super::{AnthropicAuth, AnthropicSettings, OLD_VERSION, PromptCache, Thinking};
use crate::models::object_ext::ObjectExt;
use crate::models::opaque::unbind;
use crate::models::{Delivery, merged, prompt_fallback};
use model::{Object, Value, json};
use node_api::ai::{
    ChatRequest, ChatRole, MessagePart, ModelInfo, ModelOptions, OutputFormat, ToolChoice,
    ToolDefinition,
};

/// For models whose limit nobody knows; the field may not be left out.
const MAX_TOKENS: u64 = 8_192;

/// What comes after the address of the provider.
pub fn path() -> &'static str {
    "/v1/messages"
}

pub fn headers(settings: &AnthropicSettings, key: &str) -> Vec<(String, String)> {
    let mut headers = vec![("anthropic-version".to_owned(), settings.version.to_string())];
    headers.push(match settings.auth {
        AnthropicAuth::ApiKey => ("x-api-key".to_owned(), key.to_owned()),
        AnthropicAuth::Bearer => ("authorization".to_owned(), format!("Bearer {key}")),
    });
    if !settings.betas.is_empty() {
        headers.push(("anthropic-beta".to_owned(), settings.betas.join(",")));
    }
    headers
}

pub fn body(request: &ChatRequest, info: &ModelInfo, settings: &AnthropicSettings) -> Value {
    let options = merged(&settings.options, &request.options);
    let thinking = thinking(request, info, settings);
    let forced = info.capabilities.forced_tool && !matches!(thinking, ThinkingRequest::To(_, true));

    let mut body = Object::new();
    body.insert("model", info.model.clone());
    body.insert("max_tokens", max_tokens(&options, info, &thinking));
    let mut system = content::system(&request.messages);
    if !forced {
        system.extend(prompt_fallback::demanded_tool(request).map(|words| content::text(&words)));
    }
    let format = output_format(&request.format, info);
    if format.is_none() {
        system.extend(
            prompt_fallback::wanted_format(&request.format).map(|words| content::text(&words)),
        );
    }
    let mut tools = tools(request, info, settings.cache);
    let mut messages = content::messages(&request.messages, info, settings.traits.prefill);
    set_breakpoints(settings.cache, &mut tools, &mut system, &mut messages);

    insert_filled(&mut body, "system", system);
    body.insert("messages", messages);
    if !tools.is_empty() {
        body.insert("tools", tools);
        body.insert("tool_choice", tool_choice(request, forced));
    }
    if let ThinkingRequest::To(how, _) = &thinking {
        body.insert("thinking", how.clone());
    }
    let effort = options.effort.as_ref().filter(|effort| settings.traits.effort.contains(effort));
    let config: Object =
        [("effort", Value::from(effort.cloned())), ("format", Value::from(format))]
            .into_iter()
            .collect();
    if config.values().any(|value| !value.is_undefined()) {
        body.insert("output_config", config);
    }
    if !matches!(thinking, ThinkingRequest::To(_, true)) {
        insert_sampling(&mut body, &options, info, settings);
    }
    let stop: Vec<_> = options
        .stop
        .iter()
        .filter(|text| !text.trim().is_empty())
        .map(|text| Value::from(text.clone()))
        .collect();
    insert_filled(&mut body, "stop_sequences", stop);
    if settings.delivery == Delivery::Stream {
        body.insert("stream", true);
    }
    let mut body = Value::from(body);
    if let Some(extra) = &options.extra {
        prompt_fallback::put_extra(&mut body, extra);
    }
    body
}

/// What is said about thinking: nothing, or how, and whether it is on.
enum ThinkingRequest {
    Nothing,
    To(Value, bool),
}

fn thinking(
    request: &ChatRequest,
    info: &ModelInfo,
    settings: &AnthropicSettings,
) -> ThinkingRequest {
    let takes = |kind: &str| settings.traits.thinking.iter().any(|known| known == kind);
    let adaptive = || match settings.show_thinking {
        true => ThinkingRequest::To(json!({ "type": "adaptive", "display": "summarized" }), true),
        false => ThinkingRequest::To(json!({ "type": "adaptive" }), true),
    };
    match settings.thinking {
        Thinking::Off if takes("disabled") => {
            ThinkingRequest::To(json!({ "type": "disabled" }), false)
        }
        Thinking::Budget(_) if takes("enabled") && lacks_thoughts(request, info) => {
            ThinkingRequest::Nothing
        }
        Thinking::Budget(tokens) if takes("enabled") => ThinkingRequest::To(
            json!({ "type": "enabled" }).with("budget_tokens", tokens.max(1_024)),
            true,
        ),
        Thinking::Adaptive | Thinking::Budget(_) if takes("adaptive") => adaptive(),
        Thinking::ByDefault if settings.show_thinking && takes("adaptive") => adaptive(),
        _ => ThinkingRequest::Nothing,
    }
}

/// Whether the tools that were called last were called by another model: the API does not let a
/// turn go on with thoughts that began without.
fn lacks_thoughts(request: &ChatRequest, info: &ModelInfo) -> bool {
    let in_loop = request.messages.last().is_some_and(|message| message.role == ChatRole::Tool);
    let Some(turn) = request
        .messages
        .iter()
        .rfind(|message| message.role == ChatRole::Assistant)
        .filter(|_| in_loop)
    else {
        return false;
    };
    !turn.parts.iter().any(|part| matches!(part, MessagePart::Thinking { opaque, .. } if unbind(opaque.as_ref(), info).is_some()))
}

fn max_tokens(options: &ModelOptions, info: &ModelInfo, thinking: &ThinkingRequest) -> u64 {
    let most = info.capabilities.max_output;
    let wanted = options.max_tokens.or(most).unwrap_or(MAX_TOKENS).max(1);
    let budget = match thinking {
        ThinkingRequest::To(how, _) => {
            how.get("budget_tokens").and_then(Value::as_usize).unwrap_or_default() as u64
        }
        ThinkingRequest::Nothing => 0,
    };
    // The budget is part of the limit and must be smaller.
    let wanted = if budget >= wanted { wanted.saturating_add(budget) } else { wanted };
    most.map_or(wanted, |most| wanted.min(most))
}

fn tools(request: &ChatRequest, info: &ModelInfo, cache: PromptCache) -> Vec<Value> {
    if !info.capabilities.tools {
        return Vec::new();
    }
    let mut definitions: Vec<&ToolDefinition> = request.tools.iter().collect();
    if cache != PromptCache::Off {
        // What is cached is found again only if it is the same to the byte.
        definitions.sort_by(|one, two| one.name.cmp(&two.name));
    }
    definitions.into_iter().map(tool).collect()
}

fn tool(definition: &ToolDefinition) -> Value {
    let mut schema = definition.parameters.clone();
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        schema.make_object().insert("type", "object");
    }
    let mut tool = Object::new();
    tool.insert("name", definition.name.clone());
    if !definition.description.is_empty() {
        tool.insert("description", definition.description.clone());
    }
    tool.insert("input_schema", schema);
    tool.into()
}

fn tool_choice(request: &ChatRequest, forced: bool) -> Value {
    let choice = match &request.tool_choice {
        ToolChoice::None => return json!({ "type": "none" }),
        ToolChoice::Required if forced => json!({ "type": "any" }),
        ToolChoice::Tool(name) if forced => json!({ "type": "tool" }).with("name", name.clone()),
        ToolChoice::Auto | ToolChoice::Required | ToolChoice::Tool(_) => json!({ "type": "auto" }),
    };
    if request.parallel_calls == Some(false) {
        choice.with("disable_parallel_tool_use", true)
    } else {
        choice
    }
}

fn output_format(format: &OutputFormat, info: &ModelInfo) -> Option<Value> {
    match format {
        OutputFormat::Schema { schema, .. } if info.capabilities.json_schema => {
            closed(schema).map(|schema| json!({ "type": "json_schema" }).with("schema", schema))
        }
        _ => None,
    }
}

fn insert_sampling(
    body: &mut Object,
    options: &ModelOptions,
    info: &ModelInfo,
    settings: &AnthropicSettings,
) {
    if !info.capabilities.sampling || settings.version != OLD_VERSION {
        return;
    }
    // Newer models refuse both at once.
    match (options.temperature, options.top_p) {
        (Some(temperature), _) => body.insert("temperature", temperature.clamp(0.0, 1.0)),
        (None, Some(top_p)) => body.insert("top_p", top_p),
        (None, None) => None,
    };
    if let Some(top_k) = options.top_k {
        body.insert("top_k", top_k);
    }
}

/// Marks what stays the same between two requests of a conversation: the tools, the system
/// messages, and all that was said.
fn set_breakpoints(
    cache: PromptCache,
    tools: &mut [Value],
    system: &mut [Value],
    messages: &mut [Value],
) {
    let mark = match cache {
        PromptCache::Off => return,
        PromptCache::FiveMinutes => json!({ "type": "ephemeral" }),
        PromptCache::OneHour => json!({ "type": "ephemeral", "ttl": "1h" }),
    };
    for last in [tools.last_mut(), system.last_mut()].into_iter().flatten() {
        last.make_object().insert("cache_control", mark.clone());
    }
    let Some(message) = messages.last_mut() else { return };
    let content = message.make_object().entry("content").make_array();
    let markable =
        |block: &&mut Value| !is_of(block, "thinking") && !is_of(block, "redacted_thinking");
    if let Some(block) = content.iter_mut().rev().find(markable) {
        block.make_object().insert("cache_control", mark);
    }
}

fn insert_filled(body: &mut Object, key: &str, values: Vec<Value>) {
    if !values.is_empty() {
        body.insert(key, values);
    }
}
