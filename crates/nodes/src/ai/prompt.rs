//! What n8n's AI nodes ask: where the prompt comes from, and the files that go with it.

use node_api::ai::{ChatModel, Media, MediaData, MessagePart};
use node_api::prelude::*;

/// The parameters by which agents and chains say what is asked. `first` is the version that has
/// them.
pub(super) fn params(first: f64) -> Vec<Param> {
    let sources = [
        ("auto", "Connected chat trigger"),
        ("guardrails", "Connected guardrails"),
        ("define", "Define below"),
    ];
    vec![
        Param::choice("promptType", "Source for prompt", &sources)
            .since(first)
            .help("Source of the user message."),
        Param::long_text("text", "Prompt (user message)", "={{ $json.chatInput }}")
            .since(first)
            .show("promptType", &["auto"])
            .help("Field from a chat."),
        Param::long_text("text", "Prompt (user message)", "={{ $json.guardrailsInput }}")
            .since(first)
            .show("promptType", &["guardrails"])
            .help("Field from a guardrails node."),
        Param::long_text("text", "Prompt (user message)", "")
            .since(first)
            .required()
            .show("promptType", &["define"])
            .help("Prompt for the model."),
    ]
}

/// What is asked about an item.
pub(super) fn prompt_text(ctx: &Ctx<'_>, index: usize) -> Result<Str, NodeError> {
    let field = match ctx.param("promptType", index)?.as_str() {
        Some("auto") => "chatInput",
        Some("guardrails") => "guardrailsInput",
        _ => return ctx.text("text", index),
    };
    let item = ctx.input(0).and_then(|items| items.get(index));
    match item.as_ref().and_then(|item| item.json.get(field)) {
        None | Some(Value::Undefined | Value::Null) => Err(NodeError::input("No prompt specified")
            .describe(format!("Expected to find the prompt in an input field called '{field}'"))
            .hint("Connect a trigger that provides this field, or define the prompt in the node.")
            .on_item(index)),
        Some(value @ (Value::Object(_) | Value::Array(_))) => {
            Ok(model::json::to_string(value).into())
        }
        Some(value) => Ok(value.to_js_string()),
    }
}

/// Whether a model is to be shown images: it takes them, or nobody knows.
pub(super) fn accepts_images(model: &dyn ChatModel) -> bool {
    let info = model.info();
    info.capabilities.vision || info.price.is_none()
}

/// The images of an item, as parts of a message.
pub(super) fn images(item: &Item) -> Vec<MessagePart> {
    let files = item.binary.iter().flat_map(|files| files.iter());
    files
        .filter(|(_, file)| file.mime_type.starts_with("image/"))
        .map(|(_, file)| image(file))
        .collect()
}

/// The texts among the files of an item, as parts of a message.
pub(super) fn texts(item: &Item) -> Vec<MessagePart> {
    const KINDS: [&str; 5] = [
        "application/json",
        "application/xml",
        "application/csv",
        "application/x-yaml",
        "application/yaml",
    ];
    let is_text = |file: &Binary| {
        file.mime_type.starts_with("text/") || KINDS.contains(&file.mime_type.as_str())
    };
    let part = |file: &Binary| {
        let name = file.file_name.as_deref().unwrap_or("attachment");
        MessagePart::Text(
            format!("File: {name}\nContent:\n{}", String::from_utf8_lossy(&file.data)).into(),
        )
    };
    let files = item.binary.iter().flat_map(|files| files.iter());
    files.filter(|(_, file)| is_text(file)).map(|(_, file)| part(file)).collect()
}

/// The documents among the files of an item that providers read themselves.
pub(super) fn documents(item: &Item) -> Vec<MessagePart> {
    let files = item.binary.iter().flat_map(|files| files.iter());
    let documents = files.filter(|(_, file)| file.mime_type == "application/pdf");
    documents.map(|(_, file)| MessagePart::File(media(file))).collect()
}

pub(super) fn image(file: &Binary) -> MessagePart {
    MessagePart::Image(media(file))
}

fn media(file: &Binary) -> Media {
    Media {
        mime_type: file.mime_type.clone(),
        name: file.file_name.clone(),
        data: MediaData::Bytes(file.data.clone()),
    }
}
