//! What a model is asked to fill in when it calls a node as a tool: the `$fromAI` calls in its
//! parameters, as a JSON Schema.

use expr::{FromAiCall, FromAiKind, extract_from_ai_calls};
use model::{Object, Str, Value, json};
use node_api::NodeError;

/// The schema of the arguments. A node that asks for nothing takes any: its expressions may read
/// them as fields of the item.
pub(crate) fn schema_of(params: &Value) -> Result<Value, NodeError> {
    let mut calls = Vec::new();
    collect(params, "", &mut calls)?;
    let mut properties = Object::new();
    let mut required: Vec<Value> = Vec::new();
    for (place, call) in &calls {
        let property = property(call);
        match properties.get(&call.key) {
            None => {
                properties.insert(call.key.clone(), property);
                if call.default.is_none() {
                    required.push(call.key.clone().into());
                }
            }
            Some(known) if *known == property => {}
            Some(_) => {
                let message = format!(
                    "Duplicate key '{}' found with different description or type",
                    call.key
                );
                return Err(NodeError::parameter(place, message)
                    .hint("Give each $fromAI with the same key the same description and type."));
            }
        }
    }
    let is_open = properties.is_empty();
    let mut schema =
        Object::from_iter([("type", Value::from("object")), ("properties", properties.into())]);
    if !required.is_empty() {
        schema.insert("required", Value::array(required));
    }
    if !is_open {
        schema.insert("additionalProperties", false);
    }
    Ok(schema.into())
}

fn collect(
    value: &Value,
    place: &str,
    calls: &mut Vec<(Str, FromAiCall)>,
) -> Result<(), NodeError> {
    match value {
        Value::String(text) => {
            let found = extract_from_ai_calls(text).map_err(|error| {
                NodeError::parameter(place, Str::from(error.to_string()))
                    .hint("Write $fromAI('key', 'description', 'type', default).")
            })?;
            calls.extend(found.into_iter().map(|call| (Str::from(place), call)));
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                collect(value, &format!("{place}[{at}]"), calls)?;
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields.iter() {
                let place =
                    if place.is_empty() { key.to_string() } else { format!("{place}.{key}") };
                collect(value, &place, calls)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn property(call: &FromAiCall) -> Value {
    let mut property = match call.kind {
        FromAiKind::String => json!({ "type": "string" }),
        FromAiKind::Number => json!({ "type": "number" }),
        FromAiKind::Boolean => json!({ "type": "boolean" }),
        FromAiKind::Json => {
            json!({ "anyOf": [{ "type": "object" }, { "type": "array", "items": {} }] })
        }
    };
    let fields = property.make_object();
    if let Some(description) =
        call.description.as_ref().filter(|description| !description.is_empty())
    {
        fields.insert("description", description.clone());
    }
    if let Some(default) = &call.default {
        fields.insert("default", default.clone());
    }
    property
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_in_expressions_collections_and_locators() {
        let params = json!({
            "url": "=https://x/{{ $fromAI('path', 'Where to look') + '?a=1' }}",
            "query": { "values": [{ "value": "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('n', ``, 'number', 3) }}" }] },
            "sheet": { "__rl": true, "mode": "id", "value": "={{ $fromai('sheet') }}" },
            "body": "={{ { a: $fromAi('data', 'Anything', 'json'), b: $fromAI('path', 'Where to look') } }}",
            "flag": "={{ $fromAI('flag', '', 'boolean') }}"
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "path": { "type": "string", "description": "Where to look" },
                "n": { "type": "number", "default": 3 },
                "sheet": { "type": "string" },
                "data": { "anyOf": [{ "type": "object" }, { "type": "array", "items": {} }], "description": "Anything" },
                "flag": { "type": "boolean" }
            },
            "required": ["path", "sheet", "data", "flag"],
            "additionalProperties": false
        });
        assert_eq!(schema_of(&params).unwrap(), expected);
    }

    #[test]
    fn a_node_that_asks_for_nothing_takes_anything() {
        assert_eq!(
            schema_of(&json!({ "text": "={{ $json.input }}" })).unwrap(),
            json!({ "type": "object", "properties": {} })
        );
    }

    #[test]
    fn one_key_has_one_meaning() {
        let error = schema_of(
            &json!({ "a": "={{ $fromAI('x', 'one') }}", "b": "={{ $fromAI('x', 'two') }}" }),
        )
        .unwrap_err();
        assert_eq!(error.message(), "Duplicate key 'x' found with different description or type");
        let error = schema_of(&json!({ "a": { "b": ["={{ $fromAI('bad key') }}"] } })).unwrap_err();
        assert_eq!(error.context().get("parameter").and_then(Value::as_str), Some("a.b[0]"));
    }
}
