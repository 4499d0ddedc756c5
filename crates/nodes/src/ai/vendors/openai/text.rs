//! Conversations with a model of OpenAI, and the judgement of texts.

use super::api;
use crate::ai::models::known_or_open;
use crate::ai::models::openai::openai_settings;
use crate::ai::models::openai_n8n::responses_fields;
use crate::ai::models::options::read;
use crate::ai::vendors::api::CallEffect;
use crate::ai::vendors::{access, chosen_model, converse, file, unsupported_operation};
use agent::AgentOutcome;
use node_api::ai::{ChatModel, ChatRole, Media, MediaData, Message, MessagePart, ModelOptions};
use node_api::prelude::*;
use providers::models::openai::{OpenAiApi, OpenAiChat, OpenAiSettings};
use std::sync::Arc;

const JSON_PROMPT: &str = "Answer in JSON.";

/// By the older of the provider's two APIs.
pub(super) async fn message(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let raw = ctx.param("options", index)?;
    let wants_json = ctx.flag("jsonOutput", index)?;
    let given = ctx.param("messages.values", index)?;
    let mut messages: Vec<Message> =
        wants_json.then(|| Message::system(JSON_PROMPT)).into_iter().collect();
    messages.extend(given.as_array().unwrap_or_default().iter().map(|entry| {
        Message::new(role(entry), vec![MessagePart::Text(entry_text(entry, "content"))])
    }));
    let number = |name: &str| raw.get(name).and_then(Value::as_f64).filter(|number| *number != 0.0);
    let options = ModelOptions {
        frequency_penalty: number("frequency_penalty"),
        presence_penalty: number("presence_penalty"),
        extra: wants_json.then(|| json!({ "response_format": { "type": "json_object" } })),
        ..read(&raw)
    };
    let outcome =
        converse(ctx, index, model(ctx, index, OpenAiApi::ChatCompletions, options)?, messages)
            .await?;
    let content = content(&outcome, wants_json);
    let message = Object::from_iter([
        ("role", Value::from("assistant")),
        ("content", content),
        ("refusal", Value::Null),
        ("annotations", Value::array(Vec::new())),
    ]);
    let choice = Object::from_iter([
        ("index", Value::from(0)),
        ("message", message.into()),
        ("logprobs", Value::Null),
        ("finish_reason", "stop".into()),
    ]);
    if ctx.flag("simplify", index)? {
        return Ok(vec![Item::new(choice)]);
    }
    let whole = Object::from_iter([
        ("object", Value::from("chat.completion")),
        ("model", chosen_model(ctx, index)?.into()),
        ("choices", Value::array(vec![choice.into()])),
        ("usage", usage(&outcome, ["prompt_tokens", "completion_tokens"])),
    ]);
    Ok(vec![Item::new(whole)])
}

/// By the newer one.
pub(super) async fn response(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
) -> Result<Vec<Item>, NodeError> {
    let raw = ctx.param("options", index)?;
    let given = ctx.param("responses.values", index)?;
    let instructions = entry_text(&raw, "instructions");
    let mut messages: Vec<Message> = Some(instructions)
        .filter(|words| !words.is_empty())
        .map(Message::system)
        .into_iter()
        .collect();
    for entry in given.as_array().unwrap_or_default() {
        messages.push(Message::new(role(entry), vec![part(ctx, index, item, entry)?]));
    }
    let mut fields = responses_fields(&raw, &ctx.param("builtInTools", index)?);
    for (name, key) in [
        ("previousResponseId", "previous_response_id"),
        ("store", "store"),
        ("maxToolCalls", "max_tool_calls"),
        ("include", "include"),
        ("parallelToolCalls", "parallel_tool_calls"),
    ] {
        if let Some(value) =
            raw.get(name).filter(|value| !value.is_nullish() && value.as_str() != Some(""))
        {
            fields.insert(key, value.clone());
        }
    }
    if raw.get("truncation").is_some_and(Value::is_truthy) {
        fields.insert("truncation", "auto");
    }
    let effort = raw.get("reasoning").and_then(|reasoning| reasoning.get("reasoningOptions"));
    let effort = effort
        .map(|entry| entry.at(0).unwrap_or(entry))
        .map(|entry| entry_text(entry, "effort"))
        .filter(|effort| !effort.is_empty());
    let is_json = fields.get("text").and_then(|text| text.get_path("format.type")).is_some();
    let extra = (!fields.is_empty()).then(|| fields.into());
    let options = ModelOptions { effort, extra, ..read(&raw) };
    let outcome =
        converse(ctx, index, model(ctx, index, OpenAiApi::Responses, options)?, messages).await?;
    let said = response_message(&outcome, is_json);
    if ctx.flag("simplify", index)? {
        return Ok(vec![Item::new(Object::from_iter([("output", Value::array(vec![said]))]))]);
    }
    let whole = Object::from_iter([
        ("object", Value::from("response")),
        ("status", "completed".into()),
        ("model", chosen_model(ctx, index)?.into()),
        ("output", Value::array(vec![said])),
        ("usage", usage(&outcome, ["input_tokens", "output_tokens"])),
    ]);
    Ok(vec![Item::new(whole)])
}

/// An answer as the newer API writes it.
pub(super) fn response_message(outcome: &AgentOutcome, is_json: bool) -> Value {
    let mut text = json!({ "type": "output_text", "annotations": [], "logprobs": [] });
    text.make_object().insert("text", content(outcome, is_json));
    let mut message = json!({ "type": "message", "status": "completed", "role": "assistant" });
    message.make_object().insert("content", vec![text]);
    message
}

/// Whether a text breaks the provider's rules.
pub(super) async fn classify(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let is_stable = ctx.param("options.useStableModel", index)?.is_truthy();
    let model = if is_stable { "omni-moderation-2024-09-26" } else { "omni-moderation-latest" };
    let body = Object::from_iter([("input", ctx.text("input", index)?), ("model", model.into())]);
    let answer = api(ctx, index)?
        .json(ctx, index, CallEffect::None, "POST", "/moderations", Some(body.into()))
        .await?;
    let result = answer.get_path("results[0]").cloned().unwrap_or_else(Value::empty_object);
    if ctx.flag("simplify", index)? {
        let flagged = result.get("flagged").cloned().unwrap_or_default();
        return Ok(vec![Item::new(Object::from_iter([("flagged", flagged)]))]);
    }
    Ok(vec![Item::new(result)])
}

/// The model that the node names.
pub(super) fn model(
    ctx: &Ctx<'_>,
    index: usize,
    surface: OpenAiApi,
    options: ModelOptions,
) -> Result<Arc<dyn ChatModel>, NodeError> {
    let mut info = known_or_open("openai", &chosen_model(ctx, index)?).info;
    // Whoever shows a model an image knows that it sees.
    info.capabilities.vision = true;
    let settings = OpenAiSettings {
        api: surface,
        options,
        ..openai_settings(&ctx.host().credential("openAiApi", index)?)
    };
    Ok(agent::with_tools(Arc::new(OpenAiChat::new(info, settings, &access(ctx)?))))
}

fn part(ctx: &Ctx<'_>, index: usize, item: &Item, entry: &Value) -> Result<MessagePart, NodeError> {
    let kind = entry_text(entry, "type");
    let source = match kind.as_str() {
        "image" => entry_text(entry, "imageType"),
        "file" => entry_text(entry, "fileType"),
        _ => return Ok(MessagePart::Text(entry_text(entry, "content"))),
    };
    let property = entry_text(entry, "binaryPropertyName");
    let at_address = |name: &str, mime_type: &str| Media {
        mime_type: mime_type.into(),
        name: None,
        data: MediaData::Url(entry_text(entry, name)),
    };
    match (kind.as_str(), source.as_str()) {
        (_, "base64") => Ok(file(ctx.binary(
            item,
            index,
            if property.is_empty() { "data" } else { &property },
        )?)),
        ("image", "url" | "") => Ok(MessagePart::Image(at_address("imageUrl", "image/jpeg"))),
        ("file", "url" | "") => Ok(MessagePart::File(at_address("fileUrl", "application/pdf"))),
        _ => Err(unsupported_operation(
            &kind,
            &source,
            "Send the file itself: choose a binary field of the item.",
        )),
    }
}

fn role(entry: &Value) -> ChatRole {
    match entry_text(entry, "role").as_str() {
        "system" => ChatRole::System,
        "assistant" => ChatRole::Assistant,
        _ => ChatRole::User,
    }
}

fn entry_text(entry: &Value, name: &str) -> Str {
    entry.get(name).filter(|value| !value.is_nullish()).map(Value::to_js_string).unwrap_or_default()
}

/// The answer, read where JSON was asked for and it is some.
fn content(outcome: &AgentOutcome, is_json: bool) -> Value {
    let read = is_json.then(|| model::json::parse(&outcome.answer).ok()).flatten();
    read.unwrap_or_else(|| outcome.answer.clone().into())
}

fn usage(outcome: &AgentOutcome, [input, output]: [&str; 2]) -> Value {
    let used = &outcome.record.usage;
    Object::from_iter([
        (input, used.input as f64),
        (output, used.output as f64),
        ("total_tokens", (used.input + used.output) as f64),
    ])
    .into()
}
