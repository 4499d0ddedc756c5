//! A JSON value as a bound value: its text, and the type that a literal of the same look would
//! have.

use model::Value;

/// "Find out yourself", as for a quoted literal.
const UNKNOWN: u32 = 0;
const BOOL: u32 = 16;
const INT8: u32 = 20;
const INT4: u32 = 23;
const NUMERIC: u32 = 1700;

/// The number of the type to declare, and the value in text form; `None` for NULL.
pub(super) fn bind(value: &Value) -> (u32, Option<String>) {
    match value {
        Value::Undefined | Value::Null => (UNKNOWN, None),
        Value::Bool(flag) => (BOOL, Some(flag.to_string())),
        Value::Number(number) if !number.is_finite() => {
            (UNKNOWN, Some(value.to_js_string().to_string()))
        }
        Value::Number(number) => {
            let is_whole = number.fract() == 0.0;
            let kind = match number.abs() {
                size if is_whole && size <= f64::from(i32::MAX) => INT4,
                size if is_whole && size < 9e18 => INT8,
                _ => NUMERIC,
            };
            let text = if is_whole && number.abs() < 9e18 {
                (*number as i64).to_string()
            } else {
                value.to_js_string().to_string()
            };
            (kind, Some(text))
        }
        Value::Array(values) => (UNKNOWN, Some(array(values))),
        Value::Object(_) => (UNKNOWN, Some(model::json::to_string(value))),
        value => (UNKNOWN, Some(value.to_js_string().to_string())),
    }
}

/// A list as PostgreSQL writes arrays: `{1,"two",NULL}`.
fn array(values: &[Value]) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let element = |value: &Value| match value {
        Value::Undefined | Value::Null => "NULL".to_owned(),
        Value::Array(values) => array(values),
        Value::Object(_) => quoted(&model::json::to_string(value)),
        value => quoted(&value.to_js_string()),
    };
    format!("{{{}}}", values.iter().map(element).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn values_are_typed_as_literals_of_the_same_look_are() {
        let bound = |value: Value| bind(&value);
        assert_eq!(bound(json!(7)), (INT4, Some("7".into())));
        assert_eq!(bound(json!(3_000_000_000_u32)), (INT8, Some("3000000000".into())));
        assert_eq!(bound(json!(1.5)), (NUMERIC, Some("1.5".into())));
        assert_eq!(bound(json!(true)), (BOOL, Some("true".into())));
        assert_eq!(bound(json!(null)), (UNKNOWN, None));
        assert_eq!(bound(json!("it's")), (UNKNOWN, Some("it's".into())));
        assert_eq!(bound(json!({ "a": 1 })), (UNKNOWN, Some("{\"a\":1}".into())));
        assert_eq!(
            bound(json!([1, "a \"b\" \\", null, [2]])),
            (UNKNOWN, Some("{\"1\",\"a \\\"b\\\" \\\\\",NULL,{\"2\"}}".into()))
        );
    }
}
