//! The schema of an answer in the part of JSON Schema that Anthropic holds a model to.
//!
//! Objects there have the fields they name and no others. Limits on numbers, texts and lists are
//! not understood: they are told to the model in the description, and whoever reads the answer
//! checks them anyway.

use crate::models::opaque::text_of;
use model::{Object, Str, Value};

/// What is not understood and goes into the description.
const TOLD: &[&str] = &[
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "maxItems",
    "uniqueItems",
    "contains",
    "minProperties",
    "maxProperties",
    "propertyNames",
];

const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

/// The schema as it can be sent; `None` if an answer that fits it could not be given then, such as
/// an object with any fields.
pub(super) fn closed(schema: &Value) -> Option<Value> {
    let Some(fields) = schema.as_object() else { return Some(schema.clone()) };
    let mut out = Object::with_capacity(fields.len() + 1);
    let mut told = Vec::new();
    for (key, value) in fields.iter() {
        let value = match key.as_str() {
            "properties" | "$defs" | "definitions" => each_field(value)?,
            "items" => closed(value)?,
            "anyOf" | "allOf" => each(value)?,
            "oneOf" => {
                out.insert("anyOf", each(value)?);
                continue;
            }
            "additionalProperties" => continue,
            "patternProperties" => return None,
            _ if is_told(key, value) => {
                told.push(format!("{key}: {}", model::json::to_string(value)));
                continue;
            }
            _ => value.clone(),
        };
        out.insert(key.clone(), value);
    }
    if fields.get("type").and_then(Value::as_str) == Some("object")
        || fields.contains_key("properties")
    {
        let is_empty =
            fields.get("properties").and_then(Value::as_object).is_none_or(Object::is_empty);
        if is_empty && fields.get("additionalProperties") != Some(&Value::Bool(false)) {
            return None;
        }
        out.insert("additionalProperties", false);
    }
    if !told.is_empty() {
        out.insert("description", described(&text_of(schema, "description"), &told));
    }
    Some(out.into())
}

fn is_told(key: &str, value: &Value) -> bool {
    match key {
        "format" => !value.as_str().is_some_and(|format| FORMATS.contains(&format)),
        "minItems" => value.as_usize().is_none_or(|number| number > 1),
        _ => TOLD.contains(&key),
    }
}

fn described(description: &str, told: &[String]) -> Str {
    let told = told.join(", ");
    if description.is_empty() {
        format!("({told})").into()
    } else {
        format!("{description} ({told})").into()
    }
}

fn each(schemas: &Value) -> Option<Value> {
    schemas
        .as_array()
        .unwrap_or_default()
        .iter()
        .map(closed)
        .collect::<Option<Vec<_>>>()
        .map(Value::array)
}

fn each_field(schemas: &Value) -> Option<Value> {
    let Some(fields) = schemas.as_object() else { return Some(schemas.clone()) };
    let mut out = Object::with_capacity(fields.len());
    for (key, schema) in fields.iter() {
        out.insert(key.clone(), closed(schema)?);
    }
    Some(out.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn objects_are_closed_and_limits_become_words() {
        let schema = json!({
            "type": "object", "additionalProperties": true, "required": ["age"],
            "properties": {
                "age": { "type": "integer", "minimum": 0, "maximum": 150, "description": "In years." },
                "minimum": { "type": "string", "format": "date" },
                "phone": { "type": "string", "format": "phone" },
                "tags": {
                    "type": "array", "minItems": 1, "maxItems": 3,
                    "items": { "oneOf": [{ "$ref": "#/$defs/tag" }, { "type": "null" }] }
                }
            },
            "$defs": { "tag": { "type": "object", "properties": { "name": { "type": "string" } } } }
        });
        let wanted = json!({
            "type": "object", "additionalProperties": false, "required": ["age"],
            "properties": {
                "age": { "type": "integer", "description": "In years. (minimum: 0, maximum: 150)" },
                "minimum": { "type": "string", "format": "date" },
                "phone": { "type": "string", "description": "(format: \"phone\")" },
                "tags": {
                    "type": "array", "minItems": 1, "description": "(maxItems: 3)",
                    "items": { "anyOf": [{ "$ref": "#/$defs/tag" }, { "type": "null" }] }
                }
            },
            "$defs": { "tag": { "type": "object", "properties": { "name": { "type": "string" } }, "additionalProperties": false } }
        });
        assert_eq!(closed(&schema), Some(wanted));
    }

    #[test]
    fn an_object_with_any_fields_cannot_be_held_to() {
        assert_eq!(closed(&json!({ "type": "object" })), None);
        let map = json!({ "type": "object", "additionalProperties": { "type": "string" } });
        assert_eq!(closed(&map), None);
        assert_eq!(closed(&json!({ "type": "array", "items": { "type": "object" } })), None);
        assert!(closed(&json!({ "type": "object", "additionalProperties": false })).is_some());
    }
}
