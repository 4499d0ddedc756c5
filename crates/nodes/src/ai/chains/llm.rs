//! Asks a model one thing about each item.

use super::chain_spec;
use crate::ai::agent_host::NodeAgentHost;
use crate::ai::batches::Batches;
use crate::ai::models::fallback::with_fallback;
use crate::ai::{parsers, prompt};
use agent::{AgentError, MAX_REPAIRS, ask_for_text, ask_structured};
use model::Kind;
use node_api::ai::{ChatRole, Media, MediaData, Message, MessagePart};
use node_api::prelude::*;
use node_api::trigger::ChunkKind;

const SYSTEM: &str = "SystemMessagePromptTemplate";
const ASSISTANT: &str = "AIMessagePromptTemplate";
const USER: &str = "HumanMessagePromptTemplate";

pub(crate) struct ChainLlm;

impl Node for ChainLlm {
    fn spec() -> Spec {
        let versions = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9];
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.chainLlm",
            &versions,
            "Basic LLM Chain",
            "Send one prompt to a model for each item",
        )
        .icon("message-square");
        chain_spec(spec)
            .sends_to("messages.messageValues.*.imageUrl")
            .inputs([
                Port::main(),
                Port::of(Kind::AiLanguageModel, "Model"),
                Port::of(Kind::AiLanguageModel, "Fallback Model").show("needsFallback", &[true]),
                Port::of(Kind::AiOutputParser, "Output Parser"),
            ])
            .params(params())
            .hint(
                "For a single prompt without tools or memory. Connect an output parser for \
                 structured output.",
            )
            .alias(&["langchain", "prompt", "gpt"])
            .differs("The image detail level is left to the model.")
            .note(
                "The model's response is stored on disk before the node continues. After a crash \
                 the model is not called again.",
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let batches = Batches::read(ctx, "batching", if ctx.version() >= 1.7 { 5 } else { 1 })?;
        let answers = |index: usize| {
            let item = items.get(index).unwrap_or_default();
            async move { ask_model(ctx, index, &item).await }
        };
        batches.output(ctx, &items, answers).await
    }
}

fn params() -> Vec<Param> {
    let old_prompts = [
        (1.0, "={{ $json.input }}"),
        (1.1, "={{ $json.chat_input }}"),
        (1.2, "={{ $json.chat_input }}"),
        (1.3, "={{ $json.chatInput }}"),
    ];
    let old = old_prompts.map(|(version, default)| {
        Param::long_text("prompt", "Prompt", default)
            .versions(&[version])
            .help("Prompt for the model.")
    });
    let mut params = Vec::from(old);
    params.extend(prompt::params(1.4));
    params.extend([
        Param::flag("hasOutputParser", "Require specific output format", false)
            .raw()
            .hide("@version", &[1.0, 1.1, 1.3])
            .help("Return the answer in the format of the connected output parser."),
        Param::flag("needsFallback", "Enable fallback model", false)
            .raw()
            .hide("@version", &[1.0, 1.1, 1.3])
            .help("Use the second connected model if the first one fails."),
        messages_param(),
        Batches::param(5).since(1.7),
    ]);
    params
}

fn messages_param() -> Param {
    let types = [(SYSTEM, "System"), (ASSISTANT, "AI"), (USER, "User")];
    let kinds = [("text", "Text"), ("imageBinary", "Image (binary)"), ("imageUrl", "Image (URL)")];
    let fields = [
        Param::choice("type", "Type", &types).help("Role of the message."),
        Param::choice("messageType", "Message type", &kinds)
            .show("type", &[USER])
            .help("Text of the message."),
        Param::text("binaryImageDataKey", "Image data field name", "data")
            .show("messageType", &["imageBinary"])
            .help("Binary field of the item with the image."),
        Param::text("imageUrl", "Image URL", "")
            .show("messageType", &["imageUrl"])
            .help("URL of the image."),
        Param::choice(
            "imageDetail",
            "Image details",
            &[("auto", "Auto"), ("low", "Low"), ("high", "High")],
        )
        .show("type", &[USER])
        .show("messageType", &["imageBinary", "imageUrl"])
        .help("Detail level of the image."),
        Param::long_text("message", "Message", "")
            .hide("messageType", &["imageBinary", "imageUrl"])
            .help("The words."),
    ];
    Param::repeated(
        "messages",
        "Chat messages",
        [FieldGroup::new("messageValues", "Prompt", fields)],
    )
    .help("Messages before the prompt.")
}

async fn ask_model(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Vec<Item>, NodeError> {
    let words = if ctx.version() <= 1.3 {
        ctx.text("prompt", index)?
    } else {
        prompt::prompt_text(ctx, index)?
    };
    let model = with_fallback(ctx, index).await?;
    let messages = conversation(ctx, index, item, words)?;
    let answered = match parsers::enabled_parser(ctx, index).await? {
        Some(parser) => {
            let world = NodeAgentHost::silent(ctx, index);
            ask_structured(&world, model.as_ref(), "answer", messages, parser.as_ref(), MAX_REPAIRS)
                .await
        }
        None => {
            let world = NodeAgentHost::new(ctx, index);
            world.announce(ChunkKind::Begin).await;
            let turn = ask_for_text(&world, model.as_ref(), "answer", messages).await;
            world.announce(ChunkKind::End).await;
            turn.map(|turn| turn.message.text().into())
        }
    };
    let answered = answered.map_err(AgentError::into_node_error)?;
    Ok(match answered {
        Value::Array(values) => {
            values.iter().map(|value| Item::new(output_value(value, ctx.version()))).collect()
        }
        value => vec![Item::new(output_value(&value, ctx.version()))],
    })
}

/// What stands before the prompt, and the prompt, which joins an image that stands right before it.
fn conversation(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
    words: Str,
) -> Result<Vec<Message>, NodeError> {
    let given = ctx.param("messages.messageValues", index)?;
    let mut messages = Vec::new();
    for entry in given.as_array().unwrap_or_default() {
        messages.push(message(ctx, index, item, entry)?);
    }
    match messages.last_mut().filter(|last| {
        last.role == ChatRole::User
            && last.parts.iter().any(|part| matches!(part, MessagePart::Image(_)))
    }) {
        Some(last) => last.parts.push(MessagePart::Text(words)),
        None => messages.push(Message::user(words)),
    }
    Ok(messages)
}

fn message(ctx: &Ctx<'_>, index: usize, item: &Item, entry: &Value) -> Result<Message, NodeError> {
    let text = |name: &str| {
        entry
            .get(name)
            .filter(|value| !value.is_nullish())
            .map(Value::to_js_string)
            .unwrap_or_default()
    };
    let role = match text("type").as_str() {
        SYSTEM | "" => ChatRole::System,
        ASSISTANT => ChatRole::Assistant,
        USER => ChatRole::User,
        other => {
            let error = NodeError::parameter("messages", format!("Invalid message type '{other}'"));
            return Err(error.hint("Choose System, AI or User.").on_item(index));
        }
    };
    let part = match text("messageType").as_str() {
        "imageBinary" if role == ChatRole::User => {
            prompt::image(ctx.binary(item, index, &text("binaryImageDataKey"))?)
        }
        "imageUrl" if role == ChatRole::User => {
            let url = text("imageUrl");
            let mime_type = mime_guess::from_path(url.split('?').next().unwrap_or_default())
                .first_raw()
                .unwrap_or("image/jpeg");
            MessagePart::Image(Media {
                mime_type: mime_type.into(),
                name: None,
                data: MediaData::Url(url),
            })
        }
        _ => MessagePart::Text(text("message")),
    };
    Ok(Message::new(role, vec![part]))
}

/// An answer in n8n's form, which changed with version 1.6.
fn output_value(answer: &Value, version: f64) -> Value {
    match answer {
        Value::String(text) => Object::from_iter([("text", text.trim())]).into(),
        Value::Array(_) => Object::from_iter([("data", answer.clone())]).into(),
        Value::Object(_) if version >= 1.6 => answer.clone(),
        Value::Object(_) => Object::from_iter([("text", model::json::to_string(answer))]).into(),
        other => {
            Object::from_iter([("response", Object::from_iter([("text", other.clone())]))]).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_put_out_as_they_are_since_version_1_6() {
        let answer = json!({ "output": { "n": 1 } });
        assert_eq!(output_value(&answer, 1.6), answer);
        assert_eq!(output_value(&answer, 1.5), json!({ "text": "{\"output\":{\"n\":1}}" }));
        assert_eq!(output_value(&json!(" hi "), 1.0), json!({ "text": "hi" }));
    }
}
