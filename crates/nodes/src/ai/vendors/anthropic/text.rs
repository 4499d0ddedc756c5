//! Conversations with a model of Anthropic, and questions about files.

use super::media::{at_address, check_kind, kind_at};
use super::{CODE_BETA, FILES_BETA, base_url};
use crate::ai::models::anthropic::settings;
use crate::ai::models::options::{read, split_list};
use crate::ai::models::{endpoint, known_or_open};
use crate::ai::vendors::{access, chosen_model, converse, files};
use agent::AgentOutcome;
use futures::future::join_all;
use node_api::addresses;
use node_api::ai::{ChatModel, ChatRole, Message, MessagePart, ModelOptions};
use node_api::prelude::*;
use providers::models::anthropic::{Anthropic, BASE_URL, STORED_FILE, reply_blocks};
use std::sync::Arc;

/// The longest answer if nothing else is said.
const MAX_TOKENS: u64 = 1_024;

pub(super) async fn message(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
) -> Result<Vec<Item>, NodeError> {
    let raw = ctx.param("options", index)?;
    let system = raw.get("system").and_then(Value::as_str).filter(|words| !words.is_empty());
    let mut messages: Vec<Message> = system.map(Message::system).into_iter().collect();
    messages.extend(conversation(&ctx.param("messages.values", index)?));
    let mut betas = Vec::new();
    if ctx.flag("addAttachments", index)? {
        let parts = match ctx.text("attachmentsInputType", index)?.as_str() {
            "binary" => of_item(ctx, index, item)?,
            _ => {
                let (base, urls) = (base(ctx, index)?, ctx.text("attachmentsUrls", index)?);
                let urls: Vec<&str> = addresses(&urls).collect();
                let kinds = join_all(urls.iter().map(|url| kind_at(ctx, index, url))).await;
                let told = urls.iter().zip(kinds);
                told.map(|(url, is_document)| Ok(at_address(&base, url, is_document?)))
                    .collect::<Result<Vec<_>, NodeError>>()?
            }
        };
        messages.push(Message::new(ChatRole::User, parts));
    }
    let tools = provider_tools(&raw);
    if raw.get("codeExecution").is_some_and(Value::is_truthy) {
        betas.push(CODE_BETA);
    }
    let extra = (!tools.is_empty()).then(|| Object::from_iter([("tools", tools)]).into());
    let options = ModelOptions { extra, ..read(&raw) };
    let outcome =
        converse(ctx, index, model(ctx, index, options, betas, &messages)?, messages).await?;
    let content = Value::array(blocks(&outcome));
    let merged = raw.get("includeMergedResponse").is_some_and(Value::is_truthy);
    let merged = merged.then(|| ("merged_response", Value::from(outcome.answer.clone())));
    let mut shown = match ctx.flag("simplify", index)? {
        true => Object::from_iter([("content", content)]),
        false => whole(ctx, index, &outcome, content)?,
    };
    shown.extend(merged);
    Ok(vec![Item::new(shown)])
}

/// What is in images or documents.
pub(super) async fn analyze(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
    resource: &str,
) -> Result<Vec<Item>, NodeError> {
    let mut parts: Vec<MessagePart> = match ctx.text("inputType", index)?.as_str() {
        "binary" => of_item(ctx, index, item)?,
        _ => {
            let base = base(ctx, index)?;
            let is_document = resource == "document";
            addresses(&ctx.text(&format!("{resource}Urls"), index)?)
                .map(|url| at_address(&base, url, is_document))
                .collect()
        }
    };
    if parts.is_empty() {
        return Err(NodeError::parameter(
            &format!("{resource}Urls"),
            format!("No {resource} to analyze"),
        )
        .hint("Enter a URL, or choose a binary field of the item."));
    }
    parts.push(MessagePart::Text(ctx.text("text", index)?));
    let options = read(&ctx.param("options", index)?);
    let messages = vec![Message::new(ChatRole::User, parts)];
    let model = model(ctx, index, options, Vec::new(), &messages)?;
    let outcome = converse(ctx, index, model, messages).await?;
    let content = blocks(&outcome);
    if ctx.flag("simplify", index)? {
        return Ok(content.into_iter().map(Item::new).collect());
    }
    Ok(vec![Item::new(whole(ctx, index, &outcome, Value::array(content))?)])
}

/// What is written in the form. A conversation needs something to answer: where nobody but the
/// model speaks, its last message is taken as the user's.
fn conversation(given: &Value) -> Vec<Message> {
    let entries = given.as_array().unwrap_or_default();
    let is_model = |entry: &Value| entry.get("role").and_then(Value::as_str) == Some("assistant");
    let nobody_asks = entries.iter().all(is_model);
    let last = entries.len().saturating_sub(1);
    let message = |(number, entry): (usize, &Value)| {
        let words = entry.get("content").filter(|words| !words.is_nullish());
        let words = words.map(Value::to_js_string).unwrap_or_default();
        match is_model(entry) && !(nobody_asks && number == last) {
            true => Message::assistant(words),
            false => Message::user(words),
        }
    };
    entries.iter().enumerate().map(message).collect()
}

/// Files of the item that the provider can read.
fn of_item(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Vec<MessagePart>, NodeError> {
    let parts = files(ctx, index, item)?;
    parts.iter().try_for_each(check_kind)?;
    Ok(parts)
}

fn base(ctx: &Ctx<'_>, index: usize) -> Result<String, NodeError> {
    Ok(base_url(&ctx.host().credential("anthropicApi", index)?))
}

/// The model that the node names.
fn model(
    ctx: &Ctx<'_>,
    index: usize,
    options: ModelOptions,
    betas: Vec<&str>,
    messages: &[Message],
) -> Result<Arc<dyn ChatModel>, NodeError> {
    let mut known = known_or_open("anthropic", &chosen_model(ctx, index)?);
    // Whoever shows a model an image knows that it sees.
    known.info.capabilities.vision = true;
    let credential = ctx.host().credential("anthropicApi", index)?;
    let max_tokens = options.max_tokens.or(Some(MAX_TOKENS));
    let options = ModelOptions { max_tokens, ..options };
    let mut settings = settings(&credential, &known, options, &Value::Undefined);
    let keeps_files = messages.iter().flat_map(|message| &message.parts).any(is_stored);
    let betas = betas.into_iter().chain(keeps_files.then_some(FILES_BETA));
    settings.betas = betas.map(Str::from).collect();
    let place = endpoint(&credential, "url", BASE_URL);
    let model = Anthropic::new(known.info, settings, place, &access(ctx)?);
    Ok(agent::with_tools(Arc::new(model)))
}

fn is_stored(part: &MessagePart) -> bool {
    use node_api::ai::MediaData::Url;
    matches!(part, MessagePart::Image(media) | MessagePart::File(media)
        if matches!(&media.data, Url(url) if url.starts_with(STORED_FILE)))
}

/// The tools that the provider runs itself.
fn provider_tools(raw: &Value) -> Vec<Value> {
    let mut tools = Vec::new();
    if raw.get("codeExecution").is_some_and(Value::is_truthy) {
        tools.push(json!({ "type": "code_execution_20250522", "name": "code_execution" }));
    }
    if raw.get("webSearch").is_some_and(Value::is_truthy) {
        let mut search = json!({ "type": "web_search_20250305", "name": "web_search" });
        let fields = search.make_object();
        if let Some(uses) = raw.get("maxUses").and_then(Value::as_f64) {
            fields.insert("max_uses", uses);
        }
        for (name, key) in
            [("allowedDomains", "allowed_domains"), ("blockedDomains", "blocked_domains")]
        {
            let text = raw.get(name).and_then(Value::as_str).unwrap_or_default();
            let domains: Vec<Value> = split_list(text).map(Value::from).collect();
            if !domains.is_empty() {
                fields.insert(key, domains);
            }
        }
        tools.push(search);
    }
    tools
}

/// The answer as the provider's blocks.
fn blocks(outcome: &AgentOutcome) -> Vec<Value> {
    let last = outcome.record.messages.last();
    let last = last.filter(|message| message.role == ChatRole::Assistant).map(reply_blocks);
    last.filter(|blocks| !blocks.is_empty()).unwrap_or_else(|| {
        let mut text = json!({ "type": "text" });
        text.make_object().insert("text", outcome.answer.clone());
        vec![text]
    })
}

fn whole(
    ctx: &Ctx<'_>,
    index: usize,
    outcome: &AgentOutcome,
    content: Value,
) -> Result<Object, NodeError> {
    let used = &outcome.record.usage;
    let usage = Object::from_iter([
        ("input_tokens", used.input as f64),
        ("output_tokens", used.output as f64),
    ]);
    Ok(Object::from_iter([
        ("type", Value::from("message")),
        ("role", "assistant".into()),
        ("model", chosen_model(ctx, index)?.into()),
        ("content", content),
        ("stop_reason", "end_turn".into()),
        ("stop_sequence", Value::Null),
        ("usage", usage.into()),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_always_has_something_to_answer() {
        let roles = |given: Value| -> Vec<ChatRole> {
            conversation(&given).iter().map(|message| message.role).collect()
        };
        let said = |role: &str| Value::from(Object::from_iter([("role", role), ("content", "x")]));
        let list = |roles: &[&str]| Value::array(roles.iter().map(|role| said(role)).collect());
        assert_eq!(roles(list(&["assistant"])), [ChatRole::User]);
        assert_eq!(roles(list(&["assistant", "assistant"])), [ChatRole::Assistant, ChatRole::User]);
        assert_eq!(
            roles(list(&["user", "assistant"])),
            [ChatRole::User, ChatRole::Assistant],
            "the beginning of an answer stays one"
        );
        assert!(roles(Value::Undefined).is_empty());
    }

    #[test]
    fn the_providers_own_tools_are_asked_for() {
        let raw = json!({ "webSearch": true, "maxUses": 2, "allowedDomains": "a.org, b.org", "codeExecution": true });
        let wanted = json!([
            { "type": "code_execution_20250522", "name": "code_execution" },
            { "type": "web_search_20250305", "name": "web_search", "max_uses": 2, "allowed_domains": ["a.org", "b.org"] }
        ]);
        assert_eq!(Value::from(provider_tools(&raw)), wanted);
        assert!(provider_tools(&json!({ "maxUses": 2 })).is_empty());
    }
}
