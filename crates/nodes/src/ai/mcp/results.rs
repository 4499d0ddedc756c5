//! Results of MCP servers as models and items see them.

use node_api::mcp::{McpContent, McpFile, McpResource, McpResourceBody, McpToolResult};
use node_api::prelude::*;

/// What a model reads: what is structured as it is, else the texts. Files are named, not shown.
pub(super) fn for_model(result: &McpToolResult) -> Value {
    if let Some(structured) = &result.structured
        && !structured.is_nullish()
    {
        return structured.clone();
    }
    let parts: Vec<Str> = result.content.iter().map(text_for_model).collect();
    Str::from(parts.join("\n")).into()
}

fn text_for_model(part: &McpContent) -> Str {
    match part {
        McpContent::Text(text) => text.clone(),
        McpContent::Image(file) => placeholder("image", file),
        McpContent::Audio(file) => placeholder("audio", file),
        McpContent::Link { uri, name, .. } => format!("[resource '{name}' at {uri}]").into(),
        McpContent::Resource(resource) => match &resource.body {
            McpResourceBody::Text(text) => format!("[resource {}]\n{text}", resource.uri).into(),
            McpResourceBody::Bytes(bytes) => {
                format!("[resource {}, {} bytes, not shown]", resource.uri, bytes.len()).into()
            }
        },
    }
}

fn placeholder(kind: &str, file: &McpFile) -> Str {
    format!("[{kind} of type {}, {} bytes, not shown]", file.mime_type, file.bytes.len()).into()
}

/// A result as an item: `content` as the protocol has it, files beside it if they are wanted.
pub(super) fn item(result: McpToolResult, files_as_binary: bool) -> Item {
    let mut item = Item::default();
    let (mut parts, mut n_files) = (Vec::new(), 0);
    for part in result.content {
        let file = match &part {
            McpContent::Image(file) | McpContent::Audio(file) => Some(file.clone()),
            _ => None,
        };
        match file.filter(|_| files_as_binary) {
            Some(file) => {
                let key = match n_files {
                    0 => "data".to_owned(),
                    count => format!("data_{count}"),
                };
                n_files += 1;
                item.set_binary(key, Binary::new(file.bytes, file.mime_type, None));
            }
            None => parts.push(part_value(&part)),
        }
    }
    let mut json = Object::from_iter([("content", Value::array(parts))]);
    if let Some(structured) = result.structured {
        json.insert("structuredContent", structured);
    }
    item.json = json.into();
    item
}

/// A part of a result. A text that is JSON becomes what it says.
fn part_value(part: &McpContent) -> Value {
    let file = |kind: &str, file: &McpFile| {
        Object::from_iter([
            ("type", Value::from(kind)),
            ("mimeType", file.mime_type.clone().into()),
            ("data", base64(&file.bytes).into()),
        ])
    };
    let object = match part {
        McpContent::Text(text) => {
            let trimmed = text.trim_start();
            let parsed = (trimmed.starts_with(['{', '['])).then(|| model::json::parse(text).ok());
            let text = parsed.flatten().unwrap_or_else(|| text.clone().into());
            Object::from_iter([("type", Value::from("text")), ("text", text)])
        }
        McpContent::Image(image) => file("image", image),
        McpContent::Audio(audio) => file("audio", audio),
        McpContent::Link { uri, name, mime_type } => {
            let mut link = Object::from_iter([
                ("type", Value::from("resource_link")),
                ("uri", uri.clone().into()),
                ("name", name.clone().into()),
            ]);
            if let Some(kind) = mime_type {
                link.insert("mimeType", kind.clone());
            }
            link
        }
        McpContent::Resource(found) => {
            Object::from_iter([("type", Value::from("resource")), ("resource", resource(found))])
        }
    };
    object.into()
}

/// A resource with the field names of the protocol.
pub(super) fn resource(found: &McpResource) -> Value {
    let mut object = Object::from_iter([("uri", Value::from(found.uri.clone()))]);
    if let Some(kind) = &found.mime_type {
        object.insert("mimeType", kind.clone());
    }
    match &found.body {
        McpResourceBody::Text(text) => object.insert("text", text.clone()),
        McpResourceBody::Bytes(bytes) => object.insert("blob", base64(bytes)),
    };
    object.into()
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// What a tool says about its failure.
pub(super) fn failure_text(result: &McpToolResult) -> Str {
    let text = for_model(result);
    let text = match &text {
        Value::String(text) => text.clone(),
        other => model::json::to_string(other).into(),
    };
    match text.trim().is_empty() {
        true => "The tool failed without a message".into(),
        false => text,
    }
}
