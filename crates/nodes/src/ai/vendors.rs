//! n8n's nodes for everything that one provider offers: texts, images, speech, files.

pub(super) mod anthropic;
mod api;
mod download;
pub(super) mod gemini;
pub(super) mod openai;

use super::agent_host::NodeAgentHost;
use super::agent_limits::{guarded, limited};
use super::sub_nodes::tools;
use agent::{AgentOptions, AgentOutcome, ToolsAgent};
use node_api::ai::{ChatModel, ChatRole, Media, MediaData, Message, MessagePart};
use node_api::prelude::*;
use providers::models::requester::ModelAccess;
use std::sync::Arc;

/// How often a model may call tools if nothing else is said.
const MAX_ITERATIONS: f64 = 15.0;

/// Asks a model that the node itself names, with the tools that are connected to the node.
async fn converse(
    ctx: &Ctx<'_>,
    index: usize,
    model: Arc<dyn ChatModel>,
    messages: Vec<Message>,
) -> Result<AgentOutcome, NodeError> {
    let (system, mut said): (Vec<Message>, Vec<Message>) =
        messages.into_iter().partition(|message| message.role == ChatRole::System);
    let system_prompt = system
        .iter()
        .map(Message::text)
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n");
    // Some workflows say everything in the system message; a conversation needs something to
    // answer.
    let (system_prompt, user) = match said.pop() {
        Some(last) => (system_prompt, last),
        None => (String::new(), Message::user(system_prompt)),
    };
    let limit = ctx.param("options.maxToolsIterations", index)?.as_f64().unwrap_or(MAX_ITERATIONS);
    let options = AgentOptions {
        system_prompt: system_prompt.into(),
        opening: said,
        // 0 is n8n's word for no limit.
        max_iterations: match limit as usize {
            0 => ctx.host().agent_limits().max_iterations,
            limit => limit,
        },
        item: index,
        ..AgentOptions::default()
    };
    let guard = guarded(ctx, index, tools(ctx, index).await?)?;
    let model = ctx.host().metered_model(model);
    let agent = ToolsAgent { model, guard, memory: None, options: limited(ctx, options) };
    let world = NodeAgentHost::new(ctx, index);
    world.resolve_outcome(agent.run(&world, user).await).await
}

fn access(ctx: &Ctx<'_>) -> Result<ModelAccess, NodeError> {
    let http = ctx
        .host()
        .shared_http()
        .ok_or_else(|| NodeError::failed("HTTP access to models is not available"))?;
    Ok(ModelAccess::new(http))
}

/// What is chosen from a list or by its id, or written as text.
fn chosen(ctx: &Ctx<'_>, param: &str, index: usize) -> Result<Str, NodeError> {
    let value = ctx.param(param, index)?;
    let text = match &value {
        Value::Object(locator) => locator
            .get("value")
            .filter(|value| !value.is_nullish())
            .map(Value::to_js_string)
            .unwrap_or_default(),
        Value::Undefined | Value::Null => Str::new(),
        other => other.to_js_string(),
    };
    Ok(text.trim().into())
}

fn chosen_model(ctx: &Ctx<'_>, index: usize) -> Result<Str, NodeError> {
    match chosen(ctx, "modelId", index)? {
        name if name.is_empty() => Err(NodeError::parameter("modelId", "No model is chosen")
            .hint("Enter the name of a model.")
            .on_item(index)),
        name => Ok(name),
    }
}

/// Files of the item, by names with commas between.
fn files(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Vec<MessagePart>, NodeError> {
    let properties = ctx.text("binaryPropertyName", index)?;
    let properties = if properties.trim().is_empty() { "data".into() } else { properties };
    let names = properties.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(|property| ctx.binary(item, index, property).map(file)).collect()
}

fn file(file: &Binary) -> MessagePart {
    let media = Media {
        mime_type: file.mime_type.clone(),
        name: file.file_name.clone(),
        data: MediaData::Bytes(file.data.clone()),
    };
    if file.mime_type.starts_with("image/") {
        MessagePart::Image(media)
    } else {
        MessagePart::File(media)
    }
}

/// An item with a file, whose JSON tells about it.
fn file_item(property: &str, file: Binary) -> Item {
    let mut about = file.to_value();
    about.make_object().remove("data");
    let mut item = Item::new(about);
    item.set_binary(property, file);
    item
}

/// What a node says about an operation that it does not have.
fn unsupported_operation(resource: &str, operation: &str, instead: &str) -> NodeError {
    NodeError::parameter(
        "operation",
        format!("The operation '{operation}' of '{resource}' is not available here"),
    )
    .hint(instead)
}
