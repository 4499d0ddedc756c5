//! Checks of the schemas that tools bring: nothing is fetched for them, and neither reading them
//! nor checking with them goes on for ever.

mod check_cost;
mod patterns;

pub(crate) use patterns::{PatternBudget, read_cost};

use check_cost::Cost;
use jsonschema::PatternOptions;
use patterns::{MAX_MATCHER_BYTES, MAX_PATTERN_BYTES};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Larger schemas are no description of arguments.
const MAX_PARTS: usize = 5_000;
/// How many problems are told at once, and how much of each.
const MAX_PROBLEMS: usize = 5;
const MAX_PROBLEM_LETTERS: usize = 300;
/// Keywords whose schemas are about the same value as the one they stand in: lists, single ones,
/// and those by the name of a field.
const SAME_VALUE_LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const SAME_VALUE: [&str; 4] = ["not", "if", "then", "else"];
const SAME_VALUE_BY_FIELD: [&str; 2] = ["dependentSchemas", "dependencies"];

/// A schema, ready to be held against values.
pub(crate) struct Validator {
    schema: Value,
    compiled: jsonschema::Validator,
}

/// What is wrong with a value, and where in it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SchemaProblem {
    /// A JSON pointer; empty for the value itself.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Validator {
    /// The first few problems of a value; none if it fits. A value that would take too long to
    /// check does not fit.
    pub(crate) fn problems(&self, value: &Value) -> Vec<SchemaProblem> {
        if check_cost::is_cheap(&self.schema, value) {
            return self.check(value);
        }
        compute::blocking(|| self.check(value))
            .unwrap_or_else(|busy| whole(format!("it cannot be checked now: {busy}")))
    }

    fn check(&self, value: &Value) -> Vec<SchemaProblem> {
        match check_cost::cost(&self.schema, value) {
            Cost::Low => self
                .compiled
                .iter_errors(value)
                .take(MAX_PROBLEMS)
                .map(|error| SchemaProblem {
                    path: error.instance_path().to_string(),
                    text: shortened(&error.to_string()),
                })
                .collect(),
            // Every problem would be collected before the first is told, and there may be as many
            // as steps.
            Cost::High if self.compiled.is_valid(value) => Vec::new(),
            Cost::High => whole("it does not match the schema".to_owned()),
            Cost::TooHigh => whole(format!(
                "the schema is too complex to check: more than {} steps or {} levels",
                check_cost::MAX_STEPS,
                check_cost::MAX_LEVELS
            )),
        }
    }
}

fn whole(text: String) -> Vec<SchemaProblem> {
    vec![SchemaProblem { path: String::new(), text }]
}

/// A validator for a schema, or why it cannot be used. Patterns are matched in linear time, and
/// count among those that are given.
pub(crate) fn validator(schema: &Value, patterns: &mut PatternBudget) -> Result<Validator, String> {
    let mut parts = Vec::new();
    collect(schema, &mut parts)?;
    for (at, part) in parts.iter().enumerate() {
        // A part with an address of its own would be read by rules of its own, and references in it
        // would lead elsewhere.
        if at > 0 && addresses(schema).iter().any(|keyword| text(part, keyword).is_some()) {
            return Err("a part of it is a separate schema with an identifier".to_owned());
        }
        if let Some(reference) =
            text(part, "$ref").filter(|reference| target(schema, reference).is_none())
        {
            return Err(format!(
                "the reference '{reference}' points outside the schema or to nothing"
            ));
        }
        if text(part, "$dynamicRef").is_some() || text(part, "$recursiveRef").is_some() {
            return Err("it uses dynamic references".to_owned());
        }
    }
    patterns.take(parts.iter().flat_map(|part| {
        let by_name = part
            .get("patternProperties")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::keys);
        text(part, "pattern").into_iter().chain(by_name.map(String::as_str))
    }))?;
    if has_cycle(schema, &parts) {
        return Err("it contains a circular reference".to_owned());
    }
    let matching =
        PatternOptions::regex().size_limit(MAX_PATTERN_BYTES).dfa_size_limit(MAX_MATCHER_BYTES);
    let options = jsonschema::options().with_pattern_options(matching);
    let compiled = options.build(schema).map_err(|error| shortened(&error.to_string()))?;
    Ok(Validator { schema: schema.clone(), compiled })
}

/// The text of a keyword. Anything else is the schema of a field of this name.
fn text<'s>(part: &'s Map<String, Value>, keyword: &str) -> Option<&'s str> {
    part.get(keyword).and_then(Value::as_str)
}

/// The keywords that give a part an address of its own. In the oldest drafts `id` does so, too;
/// since then it is a word like any other.
fn addresses(schema: &Value) -> &'static [&'static str] {
    let draft = schema.get("$schema").and_then(Value::as_str).unwrap_or_default();
    if draft.contains("draft-03") || draft.contains("draft-04") {
        &["$id", "$schema", "id"]
    } else {
        &["$id", "$schema"]
    }
}

/// A complaint may quote the whole value.
fn shortened(problem: &str) -> String {
    match problem.char_indices().nth(MAX_PROBLEM_LETTERS) {
        Some((end, _)) => format!("{}…", &problem[..end]),
        None => problem.to_owned(),
    }
}

/// Every object in it, itself first.
fn collect<'s>(value: &'s Value, parts: &mut Vec<&'s Map<String, Value>>) -> Result<(), String> {
    if parts.len() > MAX_PARTS {
        return Err(format!("it has more than {MAX_PARTS} parts"));
    }
    match value {
        Value::Object(fields) => {
            parts.push(fields);
            fields.values().try_for_each(|field| collect(field, parts))
        }
        Value::Array(values) => values.iter().try_for_each(|value| collect(value, parts)),
        _ => Ok(()),
    }
}

/// What a reference within the schema leads to. Escapes of addresses are not taken, so that nobody
/// reads them in another way.
fn target<'s>(schema: &'s Value, reference: &str) -> Option<&'s Value> {
    schema.pointer(reference.strip_prefix('#').filter(|place| !place.contains('%'))?)
}

/// The schemas that are about the same value as this one.
fn same_value_schemas<'s>(schema: &'s Value, part: &'s Map<String, Value>) -> Vec<&'s Value> {
    let reference = text(part, "$ref").and_then(|reference| target(schema, reference));
    let lists = SAME_VALUE_LISTS
        .iter()
        .filter_map(|name| part.get(*name))
        .filter_map(Value::as_array)
        .flatten();
    let by_field = SAME_VALUE_BY_FIELD
        .iter()
        .filter_map(|name| part.get(*name))
        .filter_map(Value::as_object)
        .flat_map(Map::values);
    let single = SAME_VALUE.iter().filter_map(|name| part.get(*name));
    reference.into_iter().chain(lists).chain(single).chain(by_field).collect()
}

/// Whether reading the schema comes back to a part of it without looking at another part of the
/// value. Each part is looked at once.
fn has_cycle<'s>(schema: &'s Value, parts: &[&'s Map<String, Value>]) -> bool {
    // Parts on the way from where the walk began are open; those behind it are not.
    let mut is_open: HashMap<*const Map<String, Value>, bool> = HashMap::new();
    for start in parts {
        let mut way = vec![(*start, None::<std::vec::IntoIter<&Value>>)];
        while let Some((part, next)) = way.last_mut() {
            let part = *part;
            if next.is_none() {
                match is_open.insert(std::ptr::from_ref(part), true) {
                    None => {}
                    Some(true) => return true,
                    Some(false) => {
                        is_open.insert(std::ptr::from_ref(part), false);
                        way.pop();
                        continue;
                    }
                }
            }
            let next = next.get_or_insert_with(|| same_value_schemas(schema, part).into_iter());
            match next.find_map(Value::as_object) {
                Some(inner) => way.push((inner, None)),
                None => {
                    is_open.insert(std::ptr::from_ref(part), false);
                    way.pop();
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(schema: &Value) -> Result<Validator, String> {
        validator(schema, &mut PatternBudget::default())
    }

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
            json!({ "properties": { "a": { "$id": "http://example.com/a", "$ref": "#/k", "k": { "$ref": "#/k" } } }, "k": {} }),
            json!({ "$ref": "#/$defs/a%25b", "$defs": { "a%25b": {}, "a%b": { "$ref": "#/$defs/a%25b" } } }),
            json!({ "$schema": "http://json-schema.org/draft-04/schema#", "properties": { "a": { "id": "http://example.com/a" } } }),
        ];
        for schema in wrong {
            assert!(read(&schema).is_err(), "{schema}");
        }
    }

    #[test]
    fn issue_14_00_schemas_of_draft_4_are_read_unless_a_part_has_an_address() {
        let draft = "http://json-schema.org/draft-04/schema#";
        let plain = json!({
            "$schema": draft, "id": "http://example.com/tool", "type": "object",
            "properties": { "id": { "type": "string" }, "at": { "$ref": "#/definitions/at" } },
            "definitions": { "at": { "type": "integer", "minimum": 0, "exclusiveMinimum": true } }
        });
        let validator = read(&plain).unwrap();
        assert!(validator.problems(&json!({ "id": "a", "at": 1 })).is_empty());
        assert_eq!(validator.problems(&json!({ "id": 1, "at": 0 })).len(), 2);
    }

    #[test]
    fn issue_14_00_fields_may_be_called_like_keywords() {
        let odd = json!({
            "type": "object",
            "properties": { "$ref": { "type": "string" }, "$dynamicRef": { "type": "string" }, "pattern": { "type": "integer" }, "id": { "type": "string" } },
            "required": ["$ref"]
        });
        let validator = read(&odd).unwrap();
        assert!(validator.problems(&json!({ "$ref": "a", "pattern": 1 })).is_empty());
        assert_eq!(validator.problems(&json!({ "$ref": 1, "pattern": "(" })).len(), 2);
    }

    #[test]
    fn a_tree_of_values_is_fine() {
        let tree = json!({ "type": "object", "properties": { "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#" } } } });
        let validator = read(&tree).unwrap();
        assert!(
            validator
                .problems(&json!({ "name": "a", "children": [{ "name": "b", "children": [] }] }))
                .is_empty()
        );
        assert_eq!(validator.problems(&json!({ "children": [{ "name": 1 }] })).len(), 1);
    }

    #[test]
    fn a_pattern_takes_no_longer_than_its_text() {
        let validator = read(&json!({ "type": "string", "pattern": "^(a+)+$" })).unwrap();
        assert_eq!(validator.problems(&json!("a".repeat(50_000) + "b")).len(), 1);
    }

    #[test]
    fn a_circle_through_a_field_that_is_there_is_a_circle() {
        let by_field = json!({ "$ref": "#/$defs/x", "$defs": { "x": { "dependentSchemas": { "a": { "$ref": "#/$defs/x" } } } } });
        assert!(read(&by_field).is_err());
        let shared = json!({ "allOf": [{ "$ref": "#/$defs/x" }, { "$ref": "#/$defs/x" }], "$defs": { "x": { "type": "object" } } });
        assert!(read(&shared).is_ok(), "two ways to the same part are no circle");
    }
}
