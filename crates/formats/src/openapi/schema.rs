//! Schemas without references: each is put where it is used, as far as the limits go.

use super::references::{Reader, reference_of};
use super::{MAX_SCHEMA_DEPTH, MAX_SCHEMAS};
use model::{Object, Value};

/// Keywords whose value is a schema, a list of schemas, or an object of schemas.
const ONE: &[&str] = &[
    "items",
    "additionalProperties",
    "not",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "if",
    "then",
    "else",
];
const LIST: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems"];
const NAMED: &[&str] = &["properties", "patternProperties", "dependentSchemas"];
/// What says nothing once there are no references.
const LEFT_OUT: &[&str] = &[
    "$defs",
    "definitions",
    "$schema",
    "$id",
    "$anchor",
    "$comment",
    "discriminator",
    "xml",
    "externalDocs",
    "nullable",
    "$ref",
];

impl<'a> Reader<'a> {
    /// A schema with what its references lead to in their place. Where it contains itself, or goes
    /// beyond a limit, anything is allowed.
    pub(super) fn schema(&mut self, schema: &'a Value) -> Value {
        self.schema_at(schema, &mut Vec::new(), 0)
    }

    fn schema_at(&mut self, schema: &'a Value, path: &mut Vec<&'a str>, depth: usize) -> Value {
        let Some(fields) = schema.as_object() else {
            return if schema.as_bool().is_some() { schema.clone() } else { Value::empty_object() };
        };
        if depth == MAX_SCHEMA_DEPTH {
            self.report(format!("A schema exceeds the limit of {MAX_SCHEMA_DEPTH} levels"));
            return Value::empty_object();
        }
        let Some(left) = self.schemas_left.checked_sub(1) else {
            self.report(format!("The schemas exceed the limit of {MAX_SCHEMAS}"));
            return Value::empty_object();
        };
        self.schemas_left = left;
        let mut read = match reference_of(schema) {
            Some(reference) => self.referenced(reference, path, depth),
            None => Object::new(),
        };
        for (key, value) in fields.iter().filter(|(key, _)| !key.starts_with("x-")) {
            let key = key.as_str();
            if LEFT_OUT.contains(&key) {
                continue;
            }
            let made = if ONE.contains(&key) {
                self.schema_at(value, path, depth + 1)
            } else if let (true, Some(list)) = (LIST.contains(&key), value.as_array()) {
                Value::array(list.iter().map(|one| self.schema_at(one, path, depth + 1)).collect())
            } else if let (true, Some(named)) = (NAMED.contains(&key), value.as_object()) {
                let each = named.iter();
                Value::object(
                    each.map(|(name, one)| (name.clone(), self.schema_at(one, path, depth + 1)))
                        .collect(),
                )
            } else {
                value.clone()
            };
            read.insert(key, made);
        }
        // OpenAPI 3.0 and Swagger 2 have a word of their own for it.
        let is_nullable = ["nullable", "x-nullable"]
            .iter()
            .any(|key| fields.get(key).and_then(Value::as_bool) == Some(true));
        if let (true, Some(Value::String(kind))) = (is_nullable, read.get("type").cloned()) {
            read.insert("type", Value::array(vec![Value::String(kind), "null".into()]));
        }
        Value::object(read)
    }

    fn referenced(&mut self, reference: &'a str, path: &mut Vec<&'a str>, depth: usize) -> Object {
        if path.contains(&reference) {
            return Object::new();
        }
        let Some(target) = self.look_up(reference) else { return Object::new() };
        path.push(reference);
        let read = self.schema_at(target, path, depth + 1);
        path.pop();
        match read {
            Value::Object(fields) => std::sync::Arc::unwrap_or_clone(fields),
            _ => Object::new(),
        }
    }
}
