//! Reads generated cases, with n8n's answers where they are known. See `tests/oracle/README.md`.

use super::FakeScope;
use crate::{EvalRoute, Evaluator, ExprError, Template};
use model::{DateKind, Item, Object, Value, json};

/// One expression with what it is evaluated on.
#[derive(Debug)]
pub struct Case {
    /// The whole line, as it was read.
    pub fields: Value,
    pub scope: FakeScope,
}

impl Case {
    /// Reads one line. None if it is no JSON or names a time that does not exist.
    pub fn read(line: &str) -> Option<Case> {
        let fields = json::parse(line).ok()?;
        let items = fields.get("items").and_then(Value::as_array).unwrap_or_default();
        let now = fields.get("now").and_then(Value::as_str).unwrap_or("2026-01-15T12:34:56.789Z");
        let scope = FakeScope {
            items: items.iter().map(Item::from_value).collect(),
            now_ms: now.parse::<jiff::Timestamp>().ok()?.as_millisecond(),
            nodes: [("node".into(), None)].into(),
            ..FakeScope::default()
        };
        Some(Case { fields, scope })
    }

    pub fn expression(&self) -> &str {
        self.fields.get("expression").and_then(Value::as_str).unwrap_or_default()
    }

    /// Whether items are all that it needs: no workflow and no helper function.
    pub fn needs_only_items(&self) -> bool {
        self.fields.get("workflow").is_none() && self.fields.get("function").is_none()
    }

    pub fn evaluate(&self, route: EvalRoute) -> Result<Value, ExprError> {
        Evaluator::new(route).evaluate(&Template::parse(self.expression()), &self.scope)
    }

    /// Whether n8n gives the same answer. Errors may be worded differently.
    pub fn is_answered_by(&self, found: &Result<Value, ExprError>) -> bool {
        match (found, self.fields.get("expectedError")) {
            (Err(_), Some(_)) => true,
            (Ok(found), None) => {
                agrees(self.fields.get("expected").unwrap_or(&Value::Undefined), found)
            }
            _ => false,
        }
    }
}

/// By the rules of the corpus: what is missing and what is undefined are the same.
fn agrees(expected: &Value, found: &Value) -> bool {
    let is_nothing = |value: &Value| value.is_nullish() || value.get("$undefined").is_some();
    if let Some(name) = expected.get("$number").and_then(Value::as_str) {
        return found.as_f64().is_some_and(|number| model::number_to_string(number) == name);
    }
    if let Some(iso) = expected.get("$date") {
        return matches!(found, Value::Date(date) if Some(date.iso.as_str()) == iso.as_str());
    }
    if expected.get("$opaque").is_some() {
        return true;
    }
    if is_nothing(expected) || expected.get("$invalid").is_some() {
        return found.is_nullish();
    }
    match (expected, found) {
        (Value::String(text), Value::Date(date)) => date.iso == *text,
        (Value::Array(expected), Value::Array(found)) => {
            expected.len() == found.len()
                && expected
                    .iter()
                    .zip(found.iter())
                    .all(|(expected, found)| agrees(expected, found))
        }
        (Value::Object(expected), Value::Object(found)) => {
            let field = |object: &Object, key: &str| object.get(key).cloned().unwrap_or_default();
            let mut keys = expected.keys().chain(found.keys());
            keys.all(|key| agrees(&field(expected, key), &field(found, key)))
        }
        _ => expected == found,
    }
}

/// A value with the corpus's spelling of what JSON has no word for.
pub fn encode(value: &Value) -> Value {
    let tagged = |key: &str, value: Value| Value::from(Object::from_iter([(key, value)]));
    match value {
        Value::Undefined => tagged("$undefined", true.into()),
        Value::Number(number) if !number.is_finite() => {
            tagged("$number", model::number_to_string(*number).into())
        }
        Value::Date(date) if date.kind == DateKind::Js => tagged("$date", date.iso.clone().into()),
        Value::Date(date) => date.iso.clone().into(),
        Value::Array(values) => Value::array(values.iter().map(encode).collect()),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, field)| (key.clone(), encode(field)))
            .collect::<Object>()
            .into(),
        other => other.clone(),
    }
}
