//! TypeScript types of what the API takes and gives, made from the server's types.

use crate::{call, clippy};
use anyhow::{Context as _, Result};
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::path::Path;

/// Where the server's example writes the schemas.
const SCHEMAS: &str = "target/api-schemas.json";
/// Where the editor finds them.
pub(crate) const TYPES: &str = "web/src/api/generated.ts";

/// Writes the types.
pub(crate) fn write() -> Result<()> {
    // The whole workspace at once: on its own, the server would have its dependencies built again
    // with fewer features.
    clippy(&["build", "--quiet", "--workspace", "--example", "api_schemas"])?;
    call("target/debug/examples/api_schemas", &[SCHEMAS])?;
    let text =
        std::fs::read_to_string(SCHEMAS).with_context(|| format!("{SCHEMAS} cannot be read"))?;
    let schemas: Map<String, Value> = serde_json::from_str(&text)
        .with_context(|| format!("{SCHEMAS} is no object of schemas"))?;
    let folder = Path::new(TYPES).parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    std::fs::write(TYPES, types_of(&schemas)).with_context(|| format!("{TYPES} cannot be written"))
}

fn types_of(schemas: &Map<String, Value>) -> String {
    let mut out = String::from(
        "// What the API takes and gives. Generated from the server's types (crates/server/src/wire) by `cargo xtask types`; do not edit.\n\
         // biome-ignore-all format: generated\n// biome-ignore-all lint: generated\n",
    );
    for (name, schema) in schemas {
        let name = type_name(name);
        out.push('\n');
        out.push_str(&comment(schema, 0));
        match schema.get("properties") {
            Some(Value::Object(_)) if !is_nullable(schema) => {
                let _ = writeln!(out, "export interface {name} {}", shape(schema, 0));
            }
            _ => {
                let _ = writeln!(out, "export type {name} = {};", type_of(schema, 0));
            }
        }
    }
    out
}

/// `executionOutline` is called `ExecutionOutline`.
fn type_name(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// What the server's source says about a type or a field.
fn comment(schema: &Value, depth: usize) -> String {
    let Some(text) = schema.get("description").and_then(Value::as_str) else {
        return String::new();
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("*/", "* /");
    format!("{}/** {text} */\n", "  ".repeat(depth))
}

fn is_nullable(schema: &Value) -> bool {
    schema.get("nullable").and_then(Value::as_bool).unwrap_or(false)
}

fn type_of(schema: &Value, depth: usize) -> String {
    let plain = plain_type(schema, depth);
    if is_nullable(schema) && plain != "unknown" { format!("{plain} | null") } else { plain }
}

fn plain_type(schema: &Value, depth: usize) -> String {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return type_name(reference.rsplit('/').next().unwrap_or(reference));
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        return choices.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    if let Some([only]) = schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        return type_of(only, depth);
    }
    for joined in ["oneOf", "anyOf"] {
        if let Some(choices) = schema.get(joined).and_then(Value::as_array) {
            return choices
                .iter()
                .map(|choice| type_of(choice, depth))
                .collect::<Vec<_>>()
                .join(" | ");
        }
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => "string".into(),
        Some("number" | "integer") => "number".into(),
        Some("boolean") => "boolean".into(),
        Some("array") => {
            let items =
                schema.get("items").map_or_else(|| "unknown".into(), |items| type_of(items, depth));
            if items.contains(' ') { format!("({items})[]") } else { format!("{items}[]") }
        }
        Some("object") if schema.get("properties").is_some() => shape(schema, depth),
        Some("object") => match schema.get("additionalProperties") {
            Some(values @ Value::Object(_)) => {
                format!("Record<string, {}>", type_of(values, depth))
            }
            _ => "Record<string, unknown>".into(),
        },
        _ => "unknown".into(),
    }
}

/// The fields of an object between braces.
fn shape(schema: &Value, depth: usize) -> String {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let indent = "  ".repeat(depth + 1);
    let mut out = String::from("{\n");
    for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        out.push_str(&comment(field, depth + 1));
        let mark = if required.contains(&name.as_str()) { "" } else { "?" };
        let _ = writeln!(out, "{indent}{name}{mark}: {};", type_of(field, depth + 1));
    }
    if schema.get("additionalProperties").and_then(Value::as_bool) == Some(true) {
        let _ = writeln!(out, "{indent}[other: string]: unknown;");
    }
    let _ = write!(out, "{}}}", "  ".repeat(depth));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_become_interfaces_and_unions() -> Result<()> {
        let schemas: Map<String, Value> = serde_json::from_str(
            r##"{
                "thing": { "type": "object", "required": ["id"], "properties": {
                    "id": { "type": "string" },
                    "kind": { "type": "string", "enum": ["a", "b"], "nullable": true },
                    "parts": { "type": "array", "items": { "$ref": "#/components/schemas/part" } },
                    "size": { "type": "object", "properties": { "w": { "type": "integer" } } },
                    "any": {} } },
                "part": { "oneOf": [{ "type": "boolean" }, { "type": "array", "items": { "type": "number" } }] }
            }"##,
        )?;
        let expected = "\nexport interface Thing {\n  id: string;\n  kind?: \"a\" | \"b\" | null;\n  parts?: Part[];\n  size?: {\n    w?: number;\n  };\n  any?: unknown;\n}\n";
        let made = types_of(&schemas);
        assert!(made.contains(expected), "{made}");
        assert!(made.contains("export type Part = boolean | number[];"), "{made}");
        Ok(())
    }
}
