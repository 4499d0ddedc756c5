//! What each operator of a condition means, once both sides have their type.

use super::{ConditionOperator, ConditionRegex, FilterError};
use model::{Str, Value};

pub(super) fn apply(
    operator: &ConditionOperator,
    left: &Value,
    right: &Value,
    ignore_case: bool,
) -> Result<bool, FilterError> {
    let exists = !left.is_nullish() && !matches!(left, Value::Number(number) if number.is_nan());
    let operation = operator.operation.as_str();
    match operation {
        "exists" => return Ok(exists),
        "notExists" => return Ok(!exists),
        _ => {}
    }
    Ok(match operator.kind.as_str() {
        "string" => return text(operation, left, right, ignore_case),
        "number" => match operation {
            "empty" => !exists,
            "notEmpty" => exists,
            _ => number(operation, left, right),
        },
        "dateTime" => match operation {
            "empty" => !exists,
            "notEmpty" => exists,
            _ => date(operation, left, right),
        },
        "boolean" => match operation {
            "empty" => !exists,
            "notEmpty" => exists,
            "true" => left.is_truthy(),
            "false" => !left.is_truthy(),
            "equals" => strictly_equal(left, right),
            "notEquals" => !strictly_equal(left, right),
            _ => false,
        },
        "array" => array(operation, left.as_array().unwrap_or_default(), right, ignore_case),
        "object" => {
            let is_empty = match left {
                Value::Object(object) => object.is_empty(),
                Value::Array(values) => values.is_empty(),
                Value::Date(_) => false,
                _ => true,
            };
            match operation {
                "empty" => is_empty,
                "notEmpty" => !is_empty,
                _ => false,
            }
        }
        _ => false,
    })
}

/// JavaScript's `===`, for values that are not shared objects.
pub(super) fn strictly_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right,
        (Value::Object(left), Value::Object(right)) => std::sync::Arc::ptr_eq(left, right),
        (Value::Array(left), Value::Array(right)) => std::sync::Arc::ptr_eq(left, right),
        (Value::Date(left), Value::Date(right)) => std::sync::Arc::ptr_eq(left, right),
        _ => left == right,
    }
}

/// Whether an array holds a value; text may be compared without regard to case.
pub fn array_contains_value(values: &[Value], wanted: &Value, ignore_case: bool) -> bool {
    match wanted {
        Value::String(wanted) if ignore_case => {
            let wanted = wanted.to_lowercase();
            values
                .iter()
                .any(|value| value.as_str().is_some_and(|text| text.to_lowercase() == wanted))
        }
        _ => values.iter().any(|value| match (value, wanted) {
            (Value::Number(value), Value::Number(wanted)) if value.is_nan() && wanted.is_nan() => {
                true
            }
            _ => strictly_equal(value, wanted),
        }),
    }
}

fn text(
    operation: &str,
    left: &Value,
    right: &Value,
    ignore_case: bool,
) -> Result<bool, FilterError> {
    let is_regex = matches!(operation, "regex" | "notRegex");
    let plain = |value: &Value, ignore_case: bool| match value {
        Value::Undefined | Value::Null => Str::new(),
        Value::String(text) if ignore_case => text.to_lowercase(),
        value => value.to_js_string(),
    };
    // A pattern stays as it is, and sees small letters only.
    let (left, right) = (plain(left, ignore_case), plain(right, ignore_case && !is_regex));
    let (left, right) = (left.as_str(), right.as_str());
    Ok(match operation {
        "empty" => left.is_empty(),
        "notEmpty" => !left.is_empty(),
        "equals" => left == right,
        "notEquals" => left != right,
        "contains" => left.contains(right),
        "notContains" => !left.contains(right),
        "startsWith" => left.starts_with(right),
        "notStartsWith" => !left.starts_with(right),
        "endsWith" => left.ends_with(right),
        "notEndsWith" => !left.ends_with(right),
        "regex" | "notRegex" => {
            let found = ConditionRegex::cached(right).and_then(|regex| regex.is_match(left));
            let found = found
                .map_err(|error| FilterError { message: error.to_string(), description: None })?;
            found == (operation == "regex")
        }
        _ => false,
    })
}

fn number(operation: &str, left: &Value, right: &Value) -> bool {
    // Comparing with nothing follows JavaScript: null counts as 0, undefined as no number.
    let (low, high) = (crate::field_type::to_number(left), crate::field_type::to_number(right));
    match operation {
        "equals" => strictly_equal(left, right),
        "notEquals" => !strictly_equal(left, right),
        "gt" => low > high,
        "lt" => low < high,
        "gte" => low >= high,
        "lte" => low <= high,
        _ => false,
    }
}

fn date(operation: &str, left: &Value, right: &Value) -> bool {
    let (Value::Date(left), Value::Date(right)) = (left, right) else { return false };
    let (left, right) = (left.epoch_ms, right.epoch_ms);
    match operation {
        "equals" => left == right,
        "notEquals" => left != right,
        "after" => left > right,
        "before" => left < right,
        "afterOrEquals" => left >= right,
        "beforeOrEquals" => left <= right,
        _ => false,
    }
}

fn array(operation: &str, left: &[Value], right: &Value, ignore_case: bool) -> bool {
    let length = left.len() as f64;
    let wanted = crate::field_type::to_number(right);
    match operation {
        "contains" => array_contains_value(left, right, ignore_case),
        "notContains" => !array_contains_value(left, right, ignore_case),
        "lengthEquals" => right.as_f64() == Some(length),
        "lengthNotEquals" => right.as_f64() != Some(length),
        "lengthGt" => length > wanted,
        "lengthLt" => length < wanted,
        "lengthGte" => length >= wanted,
        "lengthLte" => length <= wanted,
        "empty" => left.is_empty(),
        "notEmpty" => !left.is_empty(),
        _ => false,
    }
}
