//! Checks of the schemas that tools bring: nothing is fetched for them, and reading them comes to an end.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;
use std::collections::HashSet;

/// Larger schemas are no description of arguments.
const MAX_PARTS: usize = 10_000;
/// Keywords whose schemas are about the same value as the one they stand in.
const SAME_PLACE_LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const SAME_PLACE: [&str; 4] = ["not", "if", "then", "else"];

/// A validator for a schema, or why it cannot be used. Patterns are matched in linear time.
pub(crate) fn validator(schema: &Value) -> Result<Validator, String> {
    let mut parts = Vec::new();
    collect(schema, String::new(), &mut parts)?;
    for (place, part) in &parts {
        let reference = part.get("$ref").map(|reference| reference.as_str().unwrap_or_default());
        if reference.is_some_and(|reference| target(schema, reference).is_none()) {
            return Err(format!("the reference '{}' leads out of it or to nothing", reference.unwrap_or_default()));
        }
        if part.get("$dynamicRef").is_some() || part.get("$recursiveRef").is_some() {
            return Err("it has references that depend on where it is read".to_owned());
        }
        if turns_in_circles(schema, place) {
            return Err(format!("the reference at '{place}' leads back to itself"));
        }
    }
    let options = jsonschema::options().with_pattern_options(PatternOptions::regex());
    options.build(schema).map_err(|error| error.to_string())
}

/// Every object in it, by its place.
fn collect<'s>(value: &'s Value, place: String, parts: &mut Vec<(String, &'s Value)>) -> Result<(), String> {
    if parts.len() > MAX_PARTS {
        return Err(format!("it has more than {MAX_PARTS} parts"));
    }
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                collect(field, format!("{place}/{}", key.replace('~', "~0").replace('/', "~1")), parts)?;
            }
            parts.push((place, value));
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                collect(value, format!("{place}/{at}"), parts)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// The place that a reference within the schema leads to.
fn target(schema: &Value, reference: &str) -> Option<String> {
    let place = reference.strip_prefix('#')?;
    schema.pointer(place).map(|_| place.to_owned())
}

/// Whether reading the schema at a place comes back to that place without looking at another part of the value.
fn turns_in_circles(schema: &Value, start: &str) -> bool {
    let mut seen: HashSet<String> = HashSet::new();
    let mut waiting = next_of(schema, start);
    while let Some(place) = waiting.pop() {
        if place == start {
            return true;
        }
        if seen.insert(place.clone()) {
            waiting.extend(next_of(schema, &place));
        }
    }
    false
}

fn next_of(schema: &Value, place: &str) -> Vec<String> {
    let Some(Value::Object(part)) = schema.pointer(place) else { return Vec::new() };
    let mut next: Vec<String> =
        part.get("$ref").and_then(Value::as_str).and_then(|reference| target(schema, reference)).into_iter().collect();
    for name in SAME_PLACE_LISTS {
        let n_schemas = part.get(name).and_then(Value::as_array).map_or(0, Vec::len);
        next.extend((0..n_schemas).map(|at| format!("{place}/{name}/{at}")));
    }
    next.extend(SAME_PLACE.iter().filter(|name| part.contains_key(**name)).map(|name| format!("{place}/{name}")));
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_schema_that_is_fetched_or_never_ends_is_refused() {
        let wrong = [
            json!({ "$ref": "#" }),
            json!({ "properties": { "a": { "$ref": "#/$defs/x" } }, "$defs": { "x": { "$ref": "#/$defs/y" }, "y": { "anyOf": [{ "$ref": "#/$defs/x" }] } } }),
            json!({ "properties": { "a": { "$ref": "https://example.com/schema.json" } } }),
            json!({ "properties": { "a": { "$ref": "file:///etc/passwd" } } }),
            json!({ "properties": { "a": { "$ref": "#/$defs/missing" } } }),
            json!({ "properties": { "a": { "pattern": "(" } } }),
            json!({ "properties": { "a": { "pattern": "(?=a)b" } } }),
            json!({ "type": "thing" }),
        ];
        for schema in wrong {
            assert!(validator(&schema).is_err(), "{schema}");
        }
    }

    #[test]
    fn a_tree_of_values_is_fine() {
        let tree = json!({ "type": "object", "properties": { "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#" } } } });
        let validator = validator(&tree).unwrap();
        assert!(validator.is_valid(&json!({ "name": "a", "children": [{ "name": "b", "children": [] }] })));
        assert!(!validator.is_valid(&json!({ "children": [{ "name": 1 }] })));
    }

    #[test]
    fn a_pattern_takes_no_longer_than_its_text() {
        let validator = validator(&json!({ "type": "string", "pattern": "^(a+)+$" })).unwrap();
        assert!(!validator.is_valid(&json!("a".repeat(50_000) + "b")));
    }
}
