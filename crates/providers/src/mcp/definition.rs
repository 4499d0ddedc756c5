//! A tool's definition in the one form whose sum is pinned.

use super::limits::{
    MAX_DEFINITION_BYTES, MAX_DEFINITIONS_BYTES, MAX_SCHEMA_DEPTH, MAX_TOOL_NAME_CHARS, MAX_TOOLS,
};
use super::text::line;
use aws_lc_rs::digest::{SHA256, digest};
use model::{Object, Str, Value, json};
use node_api::mcp::{McpError, McpToolDefinition};
use rmcp::model::Tool;

/// The definitions of all tools of a server. What is too large or named badly is refused as a whole:
/// a list that is cut would change with its order.
pub(super) fn definitions(
    server: &Str,
    tools: &[Tool],
) -> Result<Vec<McpToolDefinition>, McpError> {
    let over = |what, limit| McpError::Limit { server: server.clone(), what, limit };
    if tools.len() > MAX_TOOLS {
        return Err(over("tools", MAX_TOOLS));
    }
    let mut total = 0;
    let mut found: Vec<McpToolDefinition> = Vec::with_capacity(tools.len());
    for tool in tools {
        let name = tool.name.as_ref();
        if name.is_empty() || name.chars().count() > MAX_TOOL_NAME_CHARS || line(name, 200) != name
        {
            let reason = format!("the tool name '{}' is not valid", line(name, 100)).into();
            return Err(McpError::Protocol { server: server.clone(), reason });
        }
        let definition = definition(tool);
        if definition.json.len() > MAX_DEFINITION_BYTES {
            return Err(over("bytes of a tool's definition", MAX_DEFINITION_BYTES));
        }
        total += definition.json.len();
        if total > MAX_DEFINITIONS_BYTES {
            return Err(over("bytes of all definitions", MAX_DEFINITIONS_BYTES));
        }
        if depth(&tool.input_schema) > MAX_SCHEMA_DEPTH {
            return Err(over("depth of a tool's schema", MAX_SCHEMA_DEPTH));
        }
        found.push(definition);
    }
    let mut names: Vec<&Str> = found.iter().map(|definition| &definition.name).collect();
    names.sort();
    if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        let reason = format!("it lists two tools named '{}'", twice[0]).into();
        return Err(McpError::Protocol { server: server.clone(), reason });
    }
    Ok(found)
}

fn definition(tool: &Tool) -> McpToolDefinition {
    let mut object = Object::from_iter([
        ("name", Value::from(tool.name.as_ref())),
        ("description", tool.description.as_deref().unwrap_or_default().into()),
        ("inputSchema", Value::from(serde_json::Value::Object((*tool.input_schema).clone()))),
    ]);
    let hints = tool.annotations.as_ref().and_then(|hints| model::to_value(hints).ok());
    if let Some(hints) = hints {
        object.insert("annotations", hints);
    }
    let json = json::to_string(&sorted(object.into()));
    let digest = hex(digest(&SHA256, json.as_bytes()).as_ref());
    McpToolDefinition { name: tool.name.as_ref().into(), json: json.into(), digest }
}

/// The same value with the keys of all its objects in order.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut fields: Vec<(Str, Value)> =
                object.iter().map(|(key, value)| (key.clone(), sorted(value.clone()))).collect();
            fields.sort_by(|one, other| one.0.cmp(&other.0));
            Value::from(fields.into_iter().collect::<Object>())
        }
        Value::Array(values) => Value::array(values.iter().cloned().map(sorted).collect()),
        other => other,
    }
}

/// How deep a schema is nested. The reader of messages bounds it, so that this ends.
fn depth(schema: &serde_json::Map<String, serde_json::Value>) -> usize {
    fn of(value: &serde_json::Value) -> usize {
        match value {
            serde_json::Value::Object(object) => depth(object),
            serde_json::Value::Array(values) => values.iter().map(of).max().unwrap_or(0),
            _ => 0,
        }
    }
    1 + schema.values().map(of).max().unwrap_or(0)
}

fn hex(bytes: &[u8]) -> Str {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn tool(description: &str, schema: serde_json::Value) -> Tool {
        let schema = schema.as_object().unwrap().clone();
        Tool::new("add", description.to_owned(), Arc::new(schema))
    }

    #[test]
    fn the_order_of_keys_does_not_change_a_definition_and_its_words_do() {
        let one = definition(&tool(
            "Adds",
            serde_json::json!({ "type": "object", "a": { "x": 1, "y": 2 } }),
        ));
        let other = definition(&tool(
            "Adds",
            serde_json::json!({ "a": { "y": 2, "x": 1 }, "type": "object" }),
        ));
        assert_eq!(one, other);
        assert_ne!(
            one.digest,
            definition(&tool("adds", serde_json::json!({ "type": "object" }))).digest
        );
        assert_eq!(one.digest.len(), 64);
    }

    #[test]
    fn what_is_too_large_too_deep_or_twice_there_is_refused() {
        let server = Str::from("s");
        let plain = tool("", serde_json::json!({ "type": "object" }));
        let code =
            |tools: &[Tool]| definitions(&server, tools).map(|_| ()).unwrap_err().to_string();
        assert!(code(&vec![plain.clone(); 10_000]).contains("tools (limit 1000)"));
        assert!(code(&[plain.clone(), plain.clone()]).contains("two tools named 'add'"));
        let long = tool(&"x".repeat(MAX_DEFINITION_BYTES), serde_json::json!({}));
        assert!(code(&[long]).contains("bytes of a tool's definition"));
        let deep =
            (0..100).fold(serde_json::json!({}), |inner, _| serde_json::json!({ "a": inner }));
        assert!(code(&[tool("", deep)]).contains("depth"));
        let mut hidden = plain;
        hidden.name = "a\u{200b}dd".into();
        assert!(code(&[hidden]).contains("not valid"));
    }
}
