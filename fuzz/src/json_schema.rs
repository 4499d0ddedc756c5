//! Any schema and any value: checking one against the other never panics, ends, tells little, and
//! fetches nothing.

use agent::SchemaCheck;
use model::Value;

/// Problems that are told at once.
const MOST_PROBLEMS: usize = 5;

/// The text holds a schema and a value, a NUL between them.
#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds(text: &str) {
    let (schema, value) = text.split_once('\0').unwrap_or((text, text));
    let Ok(schema) = model::json::parse(schema) else { return };
    let value = model::json::parse(value).unwrap_or_else(|_| value.into());
    let Ok(shape) = SchemaCheck::new(&schema) else { return };
    assert!(!leads_out(&schema), "a schema with a reference to somewhere else is no schema");
    for value in [&value, &schema] {
        let problems = shape.problems(value);
        assert!(problems.len() <= MOST_PROBLEMS, "{} problems", problems.len());
        assert_eq!(problems, shape.problems(value), "the same again");
    }
}

/// Whether some object in it has a reference that does not begin at the schema itself.
fn leads_out(value: &Value) -> bool {
    if let Some(fields) = value.as_object() {
        let reference = fields.get("$ref").and_then(Value::as_str);
        return reference.is_some_and(|reference| !reference.starts_with('#'))
            || fields.iter().any(|(_, field)| leads_out(field));
    }
    value.as_array().is_some_and(|values| values.iter().any(leads_out))
}
