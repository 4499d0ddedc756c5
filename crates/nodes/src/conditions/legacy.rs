//! Conditions of the first versions of If, Filter and Switch: groups by type, loose comparison as
//! JavaScript does it.

use super::ConditionRegex;
use super::operators::strictly_equal;
use crate::field_type::to_number;
use formats::dates::parse_js_date;
use model::{Str, Value};
use node_api::{Ctx, FieldGroup, NodeError, Param};

/// How the conditions of an item are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LegacyCombine {
    All,
    Any,
}

/// The conditions of one item.
pub(crate) struct LegacyConditions(Value);

impl LegacyConditions {
    pub(crate) fn read(ctx: &Ctx<'_>, item: usize) -> Result<Self, NodeError> {
        ctx.param("conditions", item).map(Self)
    }

    pub(crate) fn hold(&self, combine: LegacyCombine) -> Result<bool, NodeError> {
        for (kind, ..) in LEGACY_OPERATIONS {
            for condition in self.0.get(kind).and_then(Value::as_array).unwrap_or_default() {
                let side = |key: &str| {
                    let value = condition.get(key).cloned().unwrap_or_default();
                    if kind == "dateTime" {
                        to_milliseconds(&value).map(Value::Number)
                    } else {
                        Ok(value)
                    }
                };
                let operation =
                    condition.get("operation").and_then(Value::as_str).unwrap_or_default();
                let holds = compare(operation, &side("value1")?, &side("value2")?)?;
                if holds == (combine == LegacyCombine::Any) {
                    return Ok(holds);
                }
            }
        }
        Ok(combine == LegacyCombine::All)
    }
}

/// A date of an older node as milliseconds since the epoch.
pub(crate) fn to_milliseconds(value: &Value) -> Result<f64, NodeError> {
    let found = match value {
        Value::String(text) => parse_js_date(text),
        Value::Number(number) => Some(*number),
        Value::Date(date) => Some(date.epoch_ms),
        _ => None,
    };
    found.filter(|moment| !moment.is_nan()).ok_or_else(|| {
        let text = if value.is_undefined() { Str::from("undefined") } else { value.to_js_string() };
        NodeError::input(format!("The value \"{text}\" is not a valid DateTime."))
    })
}

/// Whether an operation of an older node holds between two values.
pub(crate) fn compare(operation: &str, left: &Value, right: &Value) -> Result<bool, NodeError> {
    let ends = |check: fn(&str, &str) -> bool, method: &str| match left {
        Value::String(text) => Ok(check(text, &right.to_js_string())),
        Value::Undefined | Value::Null => Err(NodeError::input(format!(
            "Cannot read properties of {} (reading '{method}')",
            left.to_js_string()
        ))),
        _ => Err(NodeError::input(format!("value1.{method} is not a function"))),
    };
    let contains = || text_or_empty(left).contains(text_or_empty(right).as_str());
    let regex = || {
        let pattern = text_or_empty(right);
        let found =
            ConditionRegex::cached(&pattern).and_then(|regex| regex.is_match(&text_or_empty(left)));
        found.map_err(|error| NodeError::parameter("value2", error.to_string()))
    };
    Ok(match operation {
        "equal" => strictly_equal(left, right),
        "notEqual" => !strictly_equal(left, right),
        "after" | "larger" => ordered(left, right) == Some(std::cmp::Ordering::Greater),
        "before" | "smaller" => ordered(left, right) == Some(std::cmp::Ordering::Less),
        "largerEqual" => ordered(left, right).is_some_and(std::cmp::Ordering::is_ge),
        "smallerEqual" => ordered(left, right).is_some_and(std::cmp::Ordering::is_le),
        "contains" => contains(),
        "notContains" => !contains(),
        "startsWith" => ends(|text, part| text.starts_with(part), "startsWith")?,
        "notStartsWith" => !ends(|text, part| text.starts_with(part), "startsWith")?,
        "endsWith" => ends(|text, part| text.ends_with(part), "endsWith")?,
        "notEndsWith" => !ends(|text, part| text.ends_with(part), "endsWith")?,
        "regex" => regex()?,
        "notRegex" => !regex()?,
        "isEmpty" => is_empty(left),
        "isNotEmpty" => !is_empty(left),
        _ => {
            return Err(NodeError::parameter(
                "operation",
                format!("Unknown operation \"{operation}\""),
            ));
        }
    })
}

fn text_or_empty(value: &Value) -> Str {
    if value.is_truthy() { value.to_js_string() } else { Str::new() }
}

/// JavaScript's order of `(left || 0)` and `(right || 0)`; none if they cannot be compared.
fn ordered(left: &Value, right: &Value) -> Option<std::cmp::Ordering> {
    if let (Value::String(left), Value::String(right)) = (left, right)
        && !left.is_empty()
        && !right.is_empty()
    {
        return Some(left.encode_utf16().cmp(right.encode_utf16()));
    }
    let number = |value: &Value| if value.is_truthy() { to_number(value) } else { 0.0 };
    number(left).partial_cmp(&number(right))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Undefined | Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.is_nan(),
        Value::Object(object) => object.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Date(date) => date.epoch_ms.is_nan(),
        Value::Bool(_) => false,
    }
}

type Operations = &'static [(&'static str, &'static str)];

/// The types of value in the order in which they are looked at, each with its name and its
/// operations.
pub(crate) const LEGACY_OPERATIONS: [(&str, &str, Operations); 4] = [
    ("boolean", "Boolean", EQUAL),
    ("dateTime", "Date & time", DATES),
    ("number", "Number", NUMBERS),
    ("string", "String", TEXTS),
];

const EQUAL: Operations = &[("equal", "Equal"), ("notEqual", "Not equal")];
const DATES: Operations = &[("after", "Occurred after"), ("before", "Occurred before")];
const NUMBERS: Operations = &[
    ("smaller", "Smaller"),
    ("smallerEqual", "Smaller or equal"),
    ("equal", "Equal"),
    ("notEqual", "Not equal"),
    ("larger", "Larger"),
    ("largerEqual", "Larger or equal"),
];
const TEXTS: Operations = &[
    ("equal", "Equal"),
    ("notEqual", "Not equal"),
    ("contains", "Contains"),
    ("notContains", "Not contains"),
    ("startsWith", "Starts with"),
    ("notStartsWith", "Not starts with"),
    ("endsWith", "Ends with"),
    ("notEndsWith", "Not ends with"),
    ("regex", "Regex match"),
    ("notRegex", "Regex not match"),
];

/// The choice among them.
pub(crate) fn legacy_operation(options: &[(&str, &str)]) -> Param {
    Param::choice("operation", "Operation", options).help("How to compare the values.")
}

/// The form of these conditions.
pub(crate) fn legacy_groups() -> Param {
    let no_second = ["isEmpty", "isNotEmpty"];
    let groups = LEGACY_OPERATIONS.map(|(kind, title, operations)| {
        let (first, second) = legacy_values(kind);
        let first = first.help("The value to compare with the second one.");
        let second = second.help("The value to compare with the first one.");
        let fields = match kind {
            "number" | "string" => {
                let operations =
                    [operations, &[("isEmpty", "Is empty"), ("isNotEmpty", "Is not empty")]]
                        .concat();
                let preset = if kind == "number" { "smaller" } else { "equal" };
                [
                    first,
                    legacy_operation(&operations).preset(preset),
                    second.hide("operation", &no_second),
                ]
            }
            _ => [first, legacy_operation(operations), second],
        };
        FieldGroup::new(kind, title, fields)
    });
    Param::repeated("conditions", "Conditions", groups).help("Values to compare, by type.")
}

/// The two values of a condition of this kind.
pub(crate) fn legacy_values(kind: &str) -> (Param, Param) {
    let value = |name, label| match kind {
        "boolean" => Param::flag(name, label, false),
        "dateTime" => Param::date_time(name, label),
        "number" => Param::number(name, label, 0),
        _ => Param::text(name, label, ""),
    };
    (value("value1", "Value 1"), value("value2", "Value 2"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn numbers_and_texts_compare_as_in_javascript() {
        assert!(compare("larger", &json!("10"), &json!(9)).unwrap());
        assert!(
            !compare("larger", &json!("10"), &json!("9")).unwrap(),
            "two texts compare as text"
        );
        assert!(compare("smallerEqual", &json!(""), &json!(0)).unwrap());
        assert!(!compare("equal", &json!("1"), &json!(1)).unwrap());
        assert!(compare("regex", &json!("foo"), &json!("/^FO/i")).unwrap());
        assert!(compare("isEmpty", &json!({}), &Value::Undefined).unwrap());
    }

    #[test]
    fn what_has_no_such_method_is_an_error() {
        assert_eq!(
            compare("endsWith", &json!(5), &json!("5")).unwrap_err().message(),
            "value1.endsWith is not a function"
        );
        assert_eq!(
            to_milliseconds(&json!("soon")).unwrap_err().message(),
            "The value \"soon\" is not a valid DateTime."
        );
    }
}
