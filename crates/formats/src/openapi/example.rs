//! Values that a schema allows, to start from.

use model::{Object, Str, Value};

const MAX_DEPTH: usize = 8;
const MAX_VALUES: usize = 500;

/// One that the schema itself gives.
pub(super) fn given(schema: &Value) -> Option<Value> {
    let first = |key: &str| schema.get(key)?.as_array()?.first().cloned();
    schema
        .get("example")
        .cloned()
        .or_else(|| first("examples"))
        .or_else(|| schema.get("default").cloned())
        .or_else(|| schema.get("const").cloned())
        .or_else(|| first("enum"))
}

/// One that is made up where none is given.
pub(super) fn made(schema: &Value) -> Value {
    ExampleMaker { values_left: MAX_VALUES }.value(schema, 0)
}

/// The type that a value has to have, other than null.
pub(super) fn type_of(schema: &Value) -> &str {
    let named = match schema.get("type") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or("null")
        }
        _ => "",
    };
    match named {
        "" if schema.get("properties").is_some() => "object",
        "" if schema.get("items").is_some() => "array",
        named => named,
    }
}

struct ExampleMaker {
    values_left: usize,
}

impl ExampleMaker {
    fn value(&mut self, schema: &Value, depth: usize) -> Value {
        if let Some(given) = given(schema) {
            return given;
        }
        let Some(left) = self.values_left.checked_sub(1).filter(|_| depth < MAX_DEPTH) else {
            return Value::Null;
        };
        self.values_left = left;
        let parts = schema.get("allOf").and_then(Value::as_array).unwrap_or_default();
        if !parts.is_empty() {
            return self.combined(schema, parts, depth);
        }
        for key in ["oneOf", "anyOf"] {
            let choices = schema.get(key).and_then(Value::as_array).unwrap_or_default();
            let choice = choices.iter().find(|choice| type_of(choice) != "null");
            if let Some(choice) = choice {
                let own = self.properties(schema, depth);
                return merged(own, self.value(choice, depth + 1));
            }
        }
        match type_of(schema) {
            "object" => Value::object(self.properties(schema, depth)),
            "array" => {
                let entry = schema.get("items").map(|items| self.value(items, depth + 1));
                Value::array(entry.into_iter().filter(|entry| !entry.is_nullish()).collect())
            }
            "string" => text(schema),
            "integer" | "number" => number(schema),
            "boolean" => Value::Bool(true),
            _ => Value::Null,
        }
    }

    /// All parts and the schema's own properties in one.
    fn combined(&mut self, schema: &Value, parts: &[Value], depth: usize) -> Value {
        let mut whole = Value::Null;
        for part in parts {
            let made = self.value(part, depth + 1);
            whole = match whole {
                Value::Object(fields) => merged(std::sync::Arc::unwrap_or_clone(fields), made),
                Value::Null => made,
                other => other,
            };
        }
        match whole {
            Value::Object(fields) => {
                let own = self.properties(schema, depth);
                merged(std::sync::Arc::unwrap_or_clone(fields), Value::object(own))
            }
            Value::Null => Value::object(self.properties(schema, depth)),
            other => other,
        }
    }

    /// What is sent: no fields that only answers have.
    fn properties(&mut self, schema: &Value, depth: usize) -> Object {
        let properties = schema.get("properties").and_then(Value::as_object);
        let sent = properties.into_iter().flat_map(Object::iter).filter(|(_, property)| {
            property.get("readOnly").and_then(Value::as_bool) != Some(true)
        });
        let mut fields = Object::new();
        for (name, property) in sent {
            if self.values_left == 0 {
                break;
            }
            let made = self.value(property, depth + 1);
            let is_required = requires(schema, name);
            if is_required || !made.is_nullish() {
                fields.insert(name.clone(), made);
            }
        }
        fields
    }
}

pub(super) fn requires(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array).unwrap_or_default();
    required.iter().any(|required| required.as_str() == Some(name))
}

fn merged(mut fields: Object, more: Value) -> Value {
    match more {
        Value::Object(more) => {
            more.iter().for_each(|(name, value)| {
                fields.insert(name.clone(), value.clone());
            });
            Value::object(fields)
        }
        other if fields.is_empty() => other,
        _ => Value::object(fields),
    }
}

fn text(schema: &Value) -> Value {
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    Value::from(match format {
        "date-time" => "2025-01-31T12:00:00Z",
        "date" => "2025-01-31",
        "time" => "12:00:00Z",
        "email" => "user@example.com",
        "uuid" => "00000000-0000-4000-8000-000000000000",
        "uri" | "url" => "https://example.com",
        "hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        _ => return Value::String(Str::from("string")),
    })
}

fn number(schema: &Value) -> Value {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    Value::Number(match (bound("minimum"), bound("maximum")) {
        (Some(least), _) if least > 0.0 => least,
        (_, Some(most)) if most < 0.0 => most,
        _ => 0.0,
    })
}
