//! Conversations with a model of Google.

use crate::ai::models::options::read;
use crate::ai::models::{endpoint, known_or_open};
use crate::ai::vendors::{access, chosen_model, converse};
use agent::AgentOutcome;
use node_api::ai::{ChatModel, Message, ModelOptions};
use node_api::prelude::*;
use providers::models::gemini::{BASE_URL, Gemini, GeminiSettings, GeminiVersion};
use std::sync::Arc;

pub(super) async fn message(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let raw = ctx.param("options", index)?;
    let given = ctx.param("messages.values", index)?;
    let system = raw.get("systemMessage").and_then(Value::as_str).filter(|words| !words.is_empty());
    let mut messages: Vec<Message> = system.map(Message::system).into_iter().collect();
    messages.extend(given.as_array().unwrap_or_default().iter().map(|entry| {
        let words = entry
            .get("content")
            .filter(|words| !words.is_nullish())
            .map(Value::to_js_string)
            .unwrap_or_default();
        if entry.get("role").and_then(Value::as_str) == Some("model") {
            Message::assistant(words)
        } else {
            Message::user(words)
        }
    }));
    let mut extra = Object::new();
    if ctx.flag("jsonOutput", index)? {
        extra.insert("generationConfig", json!({ "responseMimeType": "application/json" }));
    }
    let tools = built_in_tools(&ctx.param("builtInTools", index)?, &raw);
    if !tools.is_empty() {
        extra.insert("tools", tools);
    }
    let options = ModelOptions { extra: (!extra.is_empty()).then(|| extra.into()), ..read(&raw) };
    let outcome = converse(ctx, index, model(ctx, index, options)?, messages).await?;
    output_value(ctx, index, &outcome)
}

pub(super) fn model(
    ctx: &Ctx<'_>,
    index: usize,
    options: ModelOptions,
) -> Result<Arc<dyn ChatModel>, NodeError> {
    let mut known = known_or_open("gemini", &chosen_model(ctx, index)?);
    known.info.capabilities.vision = true;
    let credential = ctx.host().credential("googlePalmApi", index)?;
    let settings = GeminiSettings {
        version: GeminiVersion::V1Beta,
        options,
        traits: known.traits,
        ..GeminiSettings::default()
    };
    Ok(agent::with_tools(Arc::new(Gemini::new(
        known.info,
        settings,
        endpoint(&credential, "host", BASE_URL),
        &access(ctx)?,
    ))))
}

/// The answer in the provider's form: one candidate, or what is around it too.
pub(super) fn output_value(
    ctx: &Ctx<'_>,
    index: usize,
    outcome: &AgentOutcome,
) -> Result<Vec<Item>, NodeError> {
    let part = Object::from_iter([("text", outcome.answer.clone())]);
    let content =
        Object::from_iter([("parts", Value::array(vec![part.into()])), ("role", "model".into())]);
    let candidate = Object::from_iter([
        ("content", Value::from(content)),
        ("finishReason", "STOP".into()),
        ("index", 0.into()),
    ]);
    if ctx.flag("simplify", index)? {
        return Ok(vec![Item::new(candidate)]);
    }
    let used = &outcome.record.usage;
    let usage = Object::from_iter([
        ("promptTokenCount", used.input as f64),
        ("candidatesTokenCount", used.output as f64),
        ("totalTokenCount", (used.input + used.output) as f64),
    ]);
    let whole = Object::from_iter([
        ("candidates", Value::array(vec![candidate.into()])),
        ("usageMetadata", usage.into()),
        ("modelVersion", chosen_model(ctx, index)?.into()),
    ]);
    Ok(vec![Item::new(whole)])
}

fn built_in_tools(chosen: &Value, options: &Value) -> Vec<Value> {
    let is_wanted = |name: &str| {
        chosen
            .get(name)
            .or_else(|| options.get(name))
            .is_some_and(|value| value.is_truthy() || value.is_object())
    };
    ["googleSearch", "urlContext", "codeExecution"]
        .into_iter()
        .filter(|name| is_wanted(name))
        .map(|name| Object::from_iter([(name, Value::empty_object())]).into())
        .collect()
}
