//! From the library's types to those of the port.

use super::limits::{MAX_DESCRIPTION_CHARS, MAX_RESULT_PARTS};
use super::text::{line, visible};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use model::{Str, Value};
use node_api::mcp::{
    McpContent, McpError, McpFile, McpPinState, McpResource, McpResourceBody, McpTool,
    McpToolHints, McpToolResult,
};
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents, Tool};

/// Names and kinds that are longer are cut.
const MAX_LABEL_CHARS: usize = 300;

pub(super) fn tool(tool: &Tool, pin: McpPinState) -> McpTool {
    let object =
        |object: &rmcp::model::JsonObject| Value::from(serde_json::Value::Object(object.clone()));
    let hints = tool.annotations.as_ref();
    McpTool {
        name: tool.name.as_ref().into(),
        title: tool.title.as_deref().map(|title| line(title, MAX_LABEL_CHARS)),
        description: visible(
            tool.description.as_deref().unwrap_or_default(),
            MAX_DESCRIPTION_CHARS,
        ),
        input_schema: described(object(&tool.input_schema)),
        output_schema: tool.output_schema.as_deref().map(object),
        hints: McpToolHints {
            read_only: hints.and_then(|hints| hints.read_only_hint),
            destructive: hints.and_then(|hints| hints.destructive_hint),
            idempotent: hints.and_then(|hints| hints.idempotent_hint),
            open_world: hints.and_then(|hints| hints.open_world_hint),
        },
        pin,
    }
}

/// A schema whose words are fit for a model; what it demands stays as it is.
fn described(schema: Value) -> Value {
    match schema {
        Value::Object(object) => {
            let field = |(key, value): (&Str, &Value)| {
                let value = match value {
                    Value::String(text) if matches!(&**key, "description" | "title") => {
                        visible(text, MAX_DESCRIPTION_CHARS).into()
                    }
                    other => described(other.clone()),
                };
                (key.clone(), value)
            };
            Value::from(object.iter().map(field).collect::<model::Object>())
        }
        Value::Array(values) => Value::array(values.iter().cloned().map(described).collect()),
        other => other,
    }
}

pub(super) fn result(server: &Str, result: CallToolResult) -> Result<McpToolResult, McpError> {
    if result.content.len() > MAX_RESULT_PARTS {
        let what = "parts of one result";
        return Err(McpError::Limit { server: server.clone(), what, limit: MAX_RESULT_PARTS });
    }
    let content = result.content.into_iter().map(|block| content(server, block));
    Ok(McpToolResult {
        content: content.collect::<Result<_, _>>()?,
        structured: result.structured_content.map(Value::from),
        is_error: result.is_error.unwrap_or(false),
    })
}

fn content(server: &Str, block: ContentBlock) -> Result<McpContent, McpError> {
    Ok(match block {
        ContentBlock::Text(text) => McpContent::Text(text.text.into()),
        ContentBlock::Image(image) => {
            McpContent::Image(file(server, &image.data, &image.mime_type)?)
        }
        ContentBlock::Audio(audio) => {
            McpContent::Audio(file(server, &audio.data, &audio.mime_type)?)
        }
        ContentBlock::ResourceLink(link) => McpContent::Link {
            uri: line(&link.uri, MAX_DESCRIPTION_CHARS),
            name: line(&link.name, MAX_LABEL_CHARS),
            mime_type: link.mime_type.map(|kind| line(&kind, MAX_LABEL_CHARS)),
        },
        ContentBlock::Resource(embedded) => {
            McpContent::Resource(resource(server, embedded.resource)?)
        }
        _ => McpContent::Text("[content of a kind that is not known]".into()),
    })
}

fn file(server: &Str, data: &str, mime_type: &str) -> Result<McpFile, McpError> {
    Ok(McpFile { mime_type: line(mime_type, MAX_LABEL_CHARS), bytes: bytes(server, data)? })
}

fn bytes(server: &Str, data: &str) -> Result<Bytes, McpError> {
    STANDARD.decode(data.trim()).map(Bytes::from).map_err(|_| McpError::Protocol {
        server: server.clone(),
        reason: "a file in its answer is not valid Base64".into(),
    })
}

pub(super) fn resource(server: &Str, contents: ResourceContents) -> Result<McpResource, McpError> {
    let (uri, mime_type, body) = match contents {
        ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
            (uri, mime_type, McpResourceBody::Text(text.into()))
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            (uri, mime_type, McpResourceBody::Bytes(bytes(server, &blob)?))
        }
        _ => {
            let reason = "a resource in its answer is of a kind that is not known".into();
            return Err(McpError::Protocol { server: server.clone(), reason });
        }
    };
    let mime_type = mime_type.map(|kind| line(&kind, MAX_LABEL_CHARS));
    Ok(McpResource { uri: line(&uri, MAX_DESCRIPTION_CHARS), mime_type, body })
}
