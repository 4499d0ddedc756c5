//! Messages as Converse wants them: blocks, two roles in turn, and no empty texts.

use crate::models::object_ext::ObjectExt;
use crate::models::opaque::unbind;
use crate::models::{call_ids, prompt_fallback};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Str, Value, json};
use node_api::ai::{
    ChatRole, Media, MediaData, Message, MessagePart, ModelInfo, ToolArguments, ToolCall,
    ToolResult,
};

/// Stands before a conversation that would begin with the model.
const EARLIER: &str = "(The beginning of the conversation is left out.)";

/// Stands beside a document, which may not come alone.
const SEE_DOCUMENT: &str = "See the document.";

/// Makes a model go on that does not take the beginning of an answer.
const GO_ON: &str = "Go on.";

const NOTHING: &str = "(no output)";

/// The images and documents that are taken, by the end of their type.
const IMAGES: [&str; 4] = ["png", "jpeg", "gif", "webp"];
const DOCUMENTS: [(&str, &str); 9] = [
    ("application/pdf", "pdf"),
    ("text/csv", "csv"),
    ("application/msword", "doc"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"),
    ("application/vnd.ms-excel", "xls"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"),
    ("text/html", "html"),
    ("text/markdown", "md"),
    ("text/plain", "txt"),
];

/// A conversation without its system messages. Without tools, what was done with them is told in
/// words: blocks of tools are refused where there are none.
pub(super) fn messages(messages: &[Message], info: &ModelInfo, has_tools: bool) -> Vec<Value> {
    let mut turns: Vec<(&'static str, Vec<Value>)> = Vec::new();
    let mut n_documents = 0;
    for message in messages {
        let role = match message.role {
            ChatRole::System => continue,
            ChatRole::User | ChatRole::Tool => "user",
            ChatRole::Assistant => "assistant",
        };
        let blocks: Vec<Value> = message
            .parts
            .iter()
            .filter_map(|part| block(part, role, info, has_tools, &mut n_documents))
            .collect();
        match turns.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => turns.push((role, blocks)),
        }
    }
    if turns.first().is_none_or(|(role, _)| *role == "assistant") {
        turns.insert(0, ("user", vec![text(EARLIER)]));
    }
    if turns.last().is_some_and(|(role, _)| *role == "assistant") {
        turns.push(("user", vec![text(GO_ON)]));
    }
    let turn = |(role, mut blocks): (&str, Vec<Value>)| {
        let has = |name: &str| blocks.iter().any(|block| block.get(name).is_some());
        if has("document") && !has("text") {
            blocks.push(text(SEE_DOCUMENT));
        }
        json!({ "role": role }).with("content", results_first(blocks))
    };
    turns.into_iter().map(turn).collect()
}

/// The text of all system messages, one block each.
pub(super) fn system(messages: &[Message]) -> Vec<Value> {
    let parts = messages
        .iter()
        .filter(|message| message.role == ChatRole::System)
        .flat_map(|message| &message.parts);
    parts
        .filter_map(|part| if let MessagePart::Text(words) = part { shown(words) } else { None })
        .collect()
}

pub(super) fn text(words: &str) -> Value {
    json!({}).with("text", words)
}

fn shown(words: &str) -> Option<Value> {
    (!words.trim().is_empty()).then(|| text(words))
}

fn block(
    part: &MessagePart,
    role: &str,
    info: &ModelInfo,
    has_tools: bool,
    n_documents: &mut usize,
) -> Option<Value> {
    Some(match part {
        MessagePart::Text(words) => return shown(words),
        MessagePart::Image(media) | MessagePart::File(media) if role == "user" => {
            *n_documents += 1;
            file(media, *n_documents)
        }
        MessagePart::Image(media) | MessagePart::File(media) => unreadable(media),
        MessagePart::ToolCall(call) if has_tools => tool_use(call),
        MessagePart::ToolCall(call) => text(&format!(
            "[Called {} with {}]",
            call.name,
            model::json::to_string(&call.arguments.to_value())
        )),
        MessagePart::ToolResult(result) if has_tools => tool_result(result),
        MessagePart::ToolResult(result) => {
            text(&format!("[{} returned: {}]", result.name, result.content))
        }
        MessagePart::Thinking { opaque, .. } => return unbind(opaque.as_ref(), info).cloned(),
    })
}

fn file(media: &Media, number: usize) -> Value {
    let MediaData::Bytes(bytes) = &media.data else { return unreadable(media) };
    let source = || json!({}).with("bytes", STANDARD.encode(bytes));
    let kind = media.mime_type.split(';').next().unwrap_or_default().trim();
    if let Some(image) = kind.strip_prefix("image/") {
        let format = if image == "jpg" { "jpeg" } else { image };
        return match IMAGES.contains(&format) {
            true => {
                let image = json!({}).with("format", format).with("source", source());
                json!({}).with("image", image)
            }
            false => unreadable(media),
        };
    }
    let format = DOCUMENTS.iter().find(|(known, _)| *known == kind).map(|(_, format)| *format);
    let is_text = kind.starts_with("text/") || kind == "application/json";
    let Some(format) = format.or(is_text.then_some("txt")) else { return unreadable(media) };
    let document = json!({})
        .with("format", format)
        .with("name", document_name(media.name.as_deref(), number))
        .with("source", source());
    json!({}).with("document", document)
}

/// Names have few letters, and no two documents the same.
fn document_name(given: Option<&str>, number: usize) -> Str {
    let given = given.unwrap_or("document");
    let stem = given.rsplit_once('.').map_or(given, |(stem, _)| stem);
    let plain: String = stem
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .take(100)
        .collect();
    format!("{}-{number}", plain.trim_matches('-')).trim_start_matches('-').into()
}

fn unreadable(media: &Media) -> Value {
    text(&prompt_fallback::unreadable_file(media.name.as_ref(), &media.mime_type))
}

fn tool_use(call: &ToolCall) -> Value {
    let input = match &call.arguments {
        ToolArguments::Parsed(object) => object.clone().into(),
        // The field takes objects only, and the model is to see what it wrote.
        ToolArguments::Malformed { text, .. } => json!({}).with("unreadable", text.clone()),
    };
    let tool = json!({})
        .with("toolUseId", call_ids::clean(&call.id))
        .with("name", call.name.clone())
        .with("input", input);
    json!({}).with("toolUse", tool)
}

fn tool_result(result: &ToolResult) -> Value {
    let words = if result.content.trim().is_empty() { NOTHING } else { result.content.as_str() };
    let result = json!({})
        .with("toolUseId", call_ids::clean(&result.id))
        .with("content", vec![text(words)])
        .with("status", if result.is_error { "error" } else { "success" });
    json!({}).with("toolResult", result)
}

fn results_first(blocks: Vec<Value>) -> Vec<Value> {
    let (mut results, rest): (Vec<_>, Vec<_>) =
        blocks.into_iter().partition(|block| block.get("toolResult").is_some());
    results.extend(rest);
    results
}
