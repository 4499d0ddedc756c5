//! Output parsers: the form an answer is to have, and how it is read.

pub(super) mod autofixing;
pub(super) mod item_list;
pub(super) mod structured;

use model::Kind;
use node_api::ai::{OutputParser, Supply};
use node_api::host::Host;
use node_api::prelude::*;
use std::sync::Arc;

/// The description of a node that supplies a parser.
fn parser_spec(spec: Spec) -> Spec {
    spec.group(NodeGroup::Ai)
        .icon("braces")
        .inputs([])
        .outputs([Port::of(Kind::AiOutputParser, "Output Parser")])
}

/// The parser that is connected, if the node is to use one.
pub(super) async fn connected_parser(
    host: &dyn Host,
    index: usize,
) -> Result<Option<Arc<dyn OutputParser>>, NodeError> {
    let supplied = host.supplies(Kind::AiOutputParser, index).await?;
    Ok(supplied.into_iter().find_map(|supplied| {
        if let Supply::Parser(parser) = supplied.supply { Some(parser) } else { None }
    }))
}

/// The parser of a node that has a switch for it; older versions have none and take what is
/// connected.
pub(super) async fn enabled_parser(
    ctx: &Ctx<'_>,
    index: usize,
) -> Result<Option<Arc<dyn OutputParser>>, NodeError> {
    let switch = ctx.param("hasOutputParser", index)?;
    if switch.is_undefined() || switch.is_truthy() {
        connected_parser(ctx.host(), index).await
    } else {
        Ok(None)
    }
}

/// The JSON in what a model says: alone, in a code fence, or between other words.
pub(super) fn json_in(text: &str) -> Result<Value, String> {
    let text = text.trim();
    let whole = match model::json::parse(text) {
        Ok(value) => return Ok(value),
        Err(error) => error.to_string(),
    };
    if let Some(value) = in_fence(text).and_then(|inner| model::json::parse(inner).ok()) {
        return Ok(value);
    }
    for (open, close) in [('{', '}'), ('[', ']')] {
        if let (Some(start), Some(end)) = (text.find(open), text.rfind(close))
            && start < end
            && let Ok(value) = model::json::parse(&text[start..=end])
        {
            return Ok(value);
        }
    }
    Err(whole)
}

/// What stands between the first fence and the last one.
fn in_fence(text: &str) -> Option<&str> {
    let (_, after) = text.split_once("```")?;
    let (inner, _) = after.rsplit_once("```")?;
    Some(inner.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric()).trim())
}

/// A schema that an example fits.
pub(super) fn schema_of_example(example: &Value, all_required: bool) -> Value {
    match example {
        Value::Object(fields) => {
            let properties: Object = fields
                .iter()
                .map(|(key, field)| (key.clone(), schema_of_example(field, all_required)))
                .collect();
            let mut schema = Object::from_iter([
                ("type", Value::from("object")),
                ("properties", properties.into()),
            ]);
            if all_required && !fields.is_empty() {
                schema.insert(
                    "required",
                    fields.keys().map(|key| Value::from(key.clone())).collect::<Vec<_>>(),
                );
            }
            schema.into()
        }
        Value::Array(values) => {
            let items = values
                .first()
                .map_or_else(Value::empty_object, |first| schema_of_example(first, all_required));
            Object::from_iter([("type", Value::from("array")), ("items", items)]).into()
        }
        Value::Number(_) => json!({ "type": "number" }),
        Value::Bool(_) => json!({ "type": "boolean" }),
        Value::String(_) | Value::Date(_) => json!({ "type": "string" }),
        // An example that is empty says nothing about what may stand there.
        Value::Null | Value::Undefined => json!({}),
    }
}

/// The JSON of a parameter that may be written as text.
pub(super) fn json_param(ctx: &Ctx<'_>, name: &str, index: usize) -> Result<Value, NodeError> {
    let value = ctx.param(name, index)?;
    match value.as_str() {
        Some(text) => model::json::parse(text).map_err(|error| {
            NodeError::parameter(name, "Error during parsing of JSON Schema.")
                .describe(error.to_string())
                .on_item(index)
        }),
        None => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_found_wherever_a_model_puts_it() {
        let wanted = json!({ "a": "b ``` c" });
        let fenced = "Here it is:\n```json\n{ \"a\": \"b ``` c\" }\n```\nDone.";
        for text in [r#"{ "a": "b ``` c" }"#, fenced, r#"Sure! { "a": "b ``` c" } is it."#] {
            assert_eq!(json_in(text), Ok(wanted.clone()), "{text}");
        }
        assert_eq!(json_in("list: [1, 2]"), Ok(json!([1, 2])));
        assert!(json_in("no JSON at all").is_err());
        assert!(json_in("}{").is_err());
    }

    #[test]
    fn an_example_says_what_fits_it() {
        let example = json!({ "state": "California", "cities": ["LA"], "n": 1, "any": null });
        let wanted = json!({
            "type": "object",
            "properties": {
                "state": { "type": "string" },
                "cities": { "type": "array", "items": { "type": "string" } },
                "n": { "type": "number" },
                "any": {}
            },
            "required": ["state", "cities", "n", "any"]
        });
        assert_eq!(schema_of_example(&example, true), wanted);
        assert_eq!(schema_of_example(&example, false).get("required"), None);
    }
}
