//! The values for `$1`, `$2` … of a query, from the option "Query Parameters".

use super::binding::n_placeholders;
use crate::expression_spans::expression_spans;
use node_api::connect::Dialect;
use node_api::prelude::*;

const PATH: &str = "options.queryReplacement";

/// The query of an item, with the expressions in it evaluated even where no `=` stands before them.
pub(in super::super) fn query_of(ctx: &Ctx<'_>, item: usize) -> Result<Str, NodeError> {
    let query = ctx.text("query", item)?;
    // What is no text in the workflow has been evaluated; what it gave is data, also where it looks
    // like an expression.
    let is_written = ctx
        .raw_param("query")
        .is_some_and(|raw| raw.as_str().is_some_and(|text| !text.starts_with('=')));
    if !is_written || !query.contains("{{") {
        return Ok(query);
    }
    let value = ctx
        .host()
        .evaluate(&format!("={query}"), item, &Object::new())
        .map_err(|error| error.on_item(item))?;
    Ok(value.to_js_string())
}

/// The values of an item. A list is taken as it is; a text is a list with commas, in which each `{{
/// }}` is a value.
pub(in super::super) fn values_of(
    ctx: &Ctx<'_>,
    dialect: Dialect,
    query: &str,
    item: usize,
) -> Result<Vec<Value>, NodeError> {
    let raw = match ctx.raw_param(PATH) {
        None | Some(Value::Undefined | Value::Null) => return Ok(Vec::new()),
        Some(Value::String(text)) => text,
        Some(_) => return list_values(ctx.param(PATH, item)?),
    };
    let text = raw.trim_start_matches('=');
    let expressions = expressions(text);
    // One expression and nothing else may give a list.
    if let [only] = expressions.as_slice()
        && *only == text.trim()
    {
        let value = evaluate(ctx, only, item)?;
        return match value {
            Value::Array(_) => list_values(value),
            value if n_placeholders(dialect, query) <= 1 => Ok(vec![value]),
            value => Ok(split(&value)),
        };
    }
    if ctx.version() < 2.5 || expressions.is_empty() {
        let mut values = Vec::new();
        for part in parts(text) {
            match self::expressions(part).as_slice() {
                [] => values.push(Value::from(part)),
                several => {
                    for expression in several {
                        values.push(evaluate(ctx, expression, item)?);
                    }
                }
            }
        }
        return Ok(values);
    }
    let mut values = Vec::new();
    // With as many expressions as placeholders each gives one value; otherwise a text with commas
    // gives several.
    let is_one_each = expressions.len() == n_placeholders(dialect, query);
    for expression in &expressions {
        let value = evaluate(ctx, expression, item)?;
        if is_one_each { values.push(value) } else { values.extend(split(&value)) }
    }
    Ok(values)
}

fn list_values(value: Value) -> Result<Vec<Value>, NodeError> {
    match value {
        Value::Array(values) => Ok(values.to_vec()),
        value @ (Value::Number(_) | Value::Bool(_)) => Ok(vec![value]),
        _ => Err(NodeError::parameter(
            PATH,
            "Query Parameters must be a string of comma-separated values or an array of values",
        )
        .hint("Use an expression that returns an array, such as {{ [$json.id, $json.name] }}.")),
    }
}

fn evaluate(ctx: &Ctx<'_>, expression: &str, item: usize) -> Result<Value, NodeError> {
    ctx.host()
        .evaluate(&format!("={expression}"), item, &Object::new())
        .map_err(|error| error.on_item(item))
}

fn split(value: &Value) -> Vec<Value> {
    let text = match value {
        Value::Object(_) | Value::Array(_) => return vec![value.clone()],
        Value::Undefined | Value::Null => return vec![Value::Null],
        value => value.to_js_string(),
    };
    if model::json::parse(&text).is_ok_and(|parsed| parsed.is_object() || parsed.is_array()) {
        return vec![text.into()];
    }
    text.split(',').filter(|entry| !entry.is_empty()).map(|entry| entry.trim().into()).collect()
}

/// What stands between commas, those inside of `{{ }}` left alone.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'{' if bytes.get(at + 1) == Some(&b'{') => depth += 1,
            b'}' if bytes.get(at + 1) == Some(&b'}') => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Each `{{ … }}` of a text.
fn expressions(text: &str) -> Vec<&str> {
    expression_spans(text).into_iter().map(|hole| &text[hole]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_api::NodeInfo;
    use node_testing::TestHost;

    #[test]
    fn issue_14_00_only_a_query_that_is_a_text_is_evaluated_without_a_sign() {
        let read = |query: Value| {
            // It evaluates nothing, and says so.
            let host = TestHost::new(&Spec::default(), 2.5, &json!({ "query": query }));
            let node = NodeInfo::default();
            query_of(&Ctx::new(&node, &[], 0, &host), 0)
        };
        assert!(read(json!("SELECT {{ $json.x }}")).is_err());
        assert_eq!(read(json!("=SELECT {{ $json.x }}")).unwrap(), "=SELECT {{ $json.x }}");
        assert_eq!(read(json!("SELECT 1")).unwrap(), "SELECT 1");
        for data in [json!(["{{ $json.x }}"]), json!({ "a": "{{ $json.x }}" })] {
            assert!(read(data).unwrap().contains("{{ $json.x }}"));
        }
    }

    #[test]
    fn texts_are_cut_at_commas_outside_of_expressions() {
        assert_eq!(parts("a, {{ f(1, 2) }} ,b"), ["a", "{{ f(1, 2) }}", "b"]);
        assert_eq!(
            expressions("{{ $json.a }}, x, {{ {b: {c: 1}}}}"),
            ["{{ $json.a }}", "{{ {b: {c: 1}}}}"]
        );
        assert_eq!(split(&json!("a, b")), [json!("a"), json!("b")]);
        assert_eq!(split(&json!("[1, 2]")), [json!("[1, 2]")]);
    }
}
