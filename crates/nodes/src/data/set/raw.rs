//! JSON written as text with expressions in it: each expression's value is put in where it stands,
//! then the whole is read.

use crate::field_type::{mend_json, parse_loose_json};
use node_api::prelude::*;

/// A text in pieces.
pub(super) enum RawJson {
    /// The same for every item.
    Text(Value),
    Pieces(Vec<JsonFragment>),
    /// Read for each item by its parameter.
    Parameter(String),
}

pub(super) enum JsonFragment {
    Text(Str),
    /// With its leading `=`.
    Expression(String),
}

impl RawJson {
    pub(super) fn read(ctx: &Ctx<'_>, path: &str) -> Result<Self, NodeError> {
        let raw = ctx.raw_param(path).unwrap_or_default();
        match raw.as_str().and_then(|text| text.strip_prefix('=')) {
            Some(text) => {
                let text = text.trim_start_matches('=');
                Ok(match split_expressions(text).as_slice() {
                    [] | [JsonFragment::Text(_)] => RawJson::Text(text.into()),
                    // One expression and nothing around it needs no text in between.
                    [JsonFragment::Expression(_)] => RawJson::Parameter(path.to_owned()),
                    _ => RawJson::Pieces(split_expressions(text)),
                })
            }
            None if ctx.host().has_expression(path) => Ok(RawJson::Parameter(path.to_owned())),
            None => Ok(RawJson::Text(ctx.param(path, 0)?)),
        }
    }

    /// The object it spells for an item. `place` names it in errors.
    pub(super) fn object(
        &self,
        ctx: &Ctx<'_>,
        item: usize,
        place: &str,
    ) -> Result<Value, NodeError> {
        match self {
            RawJson::Text(value) => read_object(value, item, place),
            RawJson::Parameter(path) => match ctx.param(path, item)? {
                value @ (Value::Object(_) | Value::Array(_)) => read_object(&value, item, place),
                value => read_object(&Value::String(value.to_js_string()), item, place),
            },
            RawJson::Pieces(pieces) => {
                let mut text = String::new();
                for piece in pieces {
                    match piece {
                        JsonFragment::Text(plain) => text.push_str(plain),
                        JsonFragment::Expression(expression) => {
                            match ctx
                                .host()
                                .evaluate(expression, item, &Object::new())
                                .map_err(|error| error.on_item(item))?
                            {
                                value @ (Value::Object(_) | Value::Array(_) | Value::Date(_)) => {
                                    text.push_str(&model::json::to_string(&value))
                                }
                                value => text.push_str(&value.to_js_string()),
                            }
                        }
                    }
                }
                read_object(&Value::String(text.into()), item, place)
            }
        }
    }

    /// The same, but an expression that gives nothing stays nothing.
    pub(super) fn object_or_nothing(
        &self,
        ctx: &Ctx<'_>,
        item: usize,
        place: &str,
    ) -> Result<Value, NodeError> {
        match self {
            RawJson::Parameter(path) => match ctx.param(path, item)? {
                nothing @ (Value::Null | Value::Undefined) => Ok(nothing),
                _ => self.object(ctx, item, place),
            },
            _ => self.object(ctx, item, place),
        }
    }

    /// Whether it gives the same for every item.
    pub(super) fn is_fixed(&self) -> bool {
        matches!(self, RawJson::Text(_))
    }
}

/// Splits at `{{ … }}`; what is never closed is text.
fn split_expressions(text: &str) -> Vec<JsonFragment> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let Some(length) = rest[start..].find("}}") else { break };
        let end = start + length + 2;
        if start > 0 {
            pieces.push(JsonFragment::Text(rest[..start].into()));
        }
        pieces.push(JsonFragment::Expression(format!("={}", &rest[start..end])));
        rest = &rest[end..];
    }
    if !rest.is_empty() {
        pieces.push(JsonFragment::Text(rest.into()));
    }
    pieces
}

fn read_object(value: &Value, item: usize, place: &str) -> Result<Value, NodeError> {
    let read = match value {
        Value::String(text) => {
            // Hand-written JSON often has single quotes, bare keys or trailing commas.
            let invalid = || {
                let message = format!("The {place} in item {item} contains invalid JSON");
                NodeError::parameter("jsonOutput", message).describe(text.clone()).on_item(item)
            };
            match model::json::parse(text) {
                Ok(value) => value,
                Err(error) if error.is_too_large() => return Err(too_large(item, place)),
                Err(_) => mend_json(text).or_else(|| parse_loose_json(text)).ok_or_else(invalid)?,
            }
        }
        other => other.clone(),
    };
    if matches!(read, Value::Object(_)) {
        return Ok(read);
    }
    let message = format!("The {place} in item {item} does not contain a valid JSON object");
    Err(NodeError::parameter("jsonOutput", message).on_item(item))
}

fn too_large(item: usize, place: &str) -> NodeError {
    let message = format!(
        "The {place} in item {item} has more values than fit into {} bytes of memory",
        model::memory_estimate::MAX_BYTES
    );
    NodeError::new(Code::INPUT_BOMB, message).hint("Split it into several items.").on_item(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_09_json_that_would_take_too_much_memory_is_refused() {
        let text =
            format!("{{ \"a\": [{}0] }}", "[0],".repeat(model::memory_estimate::MAX_BYTES / 150));
        let error = read_object(&Value::from(text), 2, "'JSON Output'").unwrap_err();
        assert_eq!(error.code(), Code::INPUT_BOMB);
        assert_eq!(
            error.message(),
            "The 'JSON Output' in item 2 has more values than fit into 268435456 bytes of memory"
        );
        assert_eq!(error.description(), None);
    }

    #[test]
    fn text_is_split_at_its_expressions() {
        let found: Vec<String> =
            split_expressions(r#"{ "a": {{ $json.a }}, "b": "{{ 1 }}{{ 2 }}" } {{ open"#)
                .into_iter()
                .map(|piece| match piece {
                    JsonFragment::Text(text) => text.to_string(),
                    JsonFragment::Expression(text) => text,
                })
                .collect();
        assert_eq!(
            found,
            [
                r#"{ "a": "#,
                "={{ $json.a }}",
                r#", "b": ""#,
                "={{ 1 }}",
                "={{ 2 }}",
                r#"" } {{ open"#
            ]
        );
    }

    #[test]
    fn hand_written_json_is_forgiven_and_the_rest_is_named() {
        assert_eq!(
            read_object(&json!("{ a: 'x', }"), 0, "'JSON Output'").unwrap(),
            json!({ "a": "x" })
        );
        let error = read_object(&json!("{ a "), 3, "'JSON Output'").unwrap_err();
        assert_eq!(error.message(), "The 'JSON Output' in item 3 contains invalid JSON");
        let error = read_object(&json!("[1]"), 0, "'JSON Output'").unwrap_err();
        assert_eq!(
            error.message(),
            "The 'JSON Output' in item 0 does not contain a valid JSON object"
        );
    }
}
