//! What a model is told in words where its API has no field for it.

use model::{Str, Value};
use node_api::ai::{ChatRequest, OutputFormat, ToolChoice};

/// For a model that cannot be made to call a tool. Whoever asked still looks whether it did.
pub(super) fn demanded_tool(request: &ChatRequest) -> Option<Str> {
    match &request.tool_choice {
        _ if request.tools.is_empty() => None,
        ToolChoice::Auto | ToolChoice::None => None,
        ToolChoice::Required => {
            Some("Answer by calling one of the tools; do not answer with text alone.".into())
        }
        ToolChoice::Tool(name) => Some(
            format!("Answer by calling the tool `{name}`; do not answer with text alone.").into(),
        ),
    }
}

/// For a model whose answer cannot be held to a form.
pub(super) fn wanted_format(format: &OutputFormat) -> Option<Str> {
    match format {
        OutputFormat::Text => None,
        OutputFormat::Json => Some("Answer with one JSON object and nothing else: no words around it, no code fence.".into()),
        OutputFormat::Schema { schema, .. } => Some(
            format!(
                "Answer with JSON that fits this schema and with nothing else, no words around it, no code fence:\n{}",
                model::json::to_string(schema)
            )
            .into(),
        ),
    }
}

/// A file that a format has no place for, as words.
pub(super) fn unreadable_file(name: Option<&Str>, mime_type: &str) -> Str {
    format!(
        "[A file, {}, of type {mime_type}, that cannot be shown here.]",
        name.map_or("unnamed", Str::as_str)
    )
    .into()
}

/// Puts the provider's own fields into a request: objects are joined, lists of tools are added to,
/// the rest is replaced.
pub(super) fn put_extra(body: &mut Value, extra: &Value) {
    let Some(fields) = extra.as_object() else { return };
    for (key, value) in fields.iter() {
        let place = body.make_object().entry(key);
        match (&*place, value) {
            (Value::Object(_), Value::Object(_)) => put_extra(place, value),
            (Value::Array(_), Value::Array(more)) if key == "tools" => {
                place.make_array().extend(more.iter().cloned())
            }
            _ => *place = value.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn fields_of_the_provider_join_those_that_are_there() {
        let mut body =
            json!({ "tools": [{ "name": "a" }], "config": { "x": 1, "y": 2 }, "stop": ["a"] });
        put_extra(
            &mut body,
            &json!({ "tools": [{ "type": "search" }], "config": { "y": 3 }, "stop": ["b"], "tier": "flex" }),
        );
        let wanted = json!({
            "tools": [{ "name": "a" }, { "type": "search" }], "config": { "x": 1, "y": 3 }, "stop": ["b"], "tier": "flex"
        });
        assert_eq!(body, wanted);
    }
}
