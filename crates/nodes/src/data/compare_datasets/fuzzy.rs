//! When two values count as equal, strictly or with small differences of type tolerated.

use node_api::prelude::*;

#[derive(Clone, Copy)]
pub(super) enum Equality {
    Strict,
    Fuzzy { null_is_zero: bool },
}

impl Equality {
    pub(super) fn new(fuzzy: bool, version: f64) -> Self {
        if fuzzy { Equality::Fuzzy { null_is_zero: version >= 2.0 } } else { Equality::Strict }
    }

    pub(super) fn is_fuzzy(self) -> bool {
        matches!(self, Equality::Fuzzy { .. })
    }

    pub(super) fn holds(self, one: &Value, two: &Value) -> bool {
        let Equality::Fuzzy { null_is_zero } = self else { return one == two };
        if !one.is_null() && !two.is_null() && one.type_of() == two.type_of() {
            return one == two;
        }
        if is_blank(one) && is_blank(two) {
            return true;
        }
        let either = |fits: fn(&Value, &Value) -> bool| fits(one, two) || fits(two, one);
        either(|one, two| is_blank(one) && two.is_undefined())
            || (null_is_zero && either(|one, two| one.is_null() && (*two == Value::Number(0.0) || two.as_str() == Some("0"))))
            || either(tells)
            || one == two
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        _ => false,
    }
}

/// Whether one value is the other in another type.
fn tells(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(_), Value::String(text)) => one.to_js_string() == *text,
        (Value::Object(_) | Value::Array(_), Value::String(text)) => model::json::parse(text).is_ok_and(|parsed| parsed == *one),
        (Value::Bool(flag), Value::String(text)) => {
            text.eq_ignore_ascii_case(if *flag { "true" } else { "false" }) || text == if *flag { "1" } else { "0" }
        }
        (Value::Bool(flag), Value::Number(number)) => *number == f64::from(u8::from(*flag)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_differences_of_type_are_tolerated() {
        let fuzzy = Equality::new(true, 2.0);
        for (one, two) in [
            (json!(3), json!("3")),
            (json!(true), json!("TRUE")),
            (json!("0"), json!(false)),
            (json!(1), json!(true)),
            (json!(null), json!("")),
            (json!([]), json!(null)),
            (json!([1, 2]), json!("[1, 2]")),
            (json!(null), json!(0)),
        ] {
            assert!(fuzzy.holds(&one, &two) && fuzzy.holds(&two, &one), "{one:?} {two:?}");
        }
        assert!(fuzzy.holds(&Value::Undefined, &json!("")));
        assert!(!fuzzy.holds(&json!(3), &json!("3.0")));
        assert!(!Equality::new(true, 1.0).holds(&json!(null), &json!(0)));
        assert!(!Equality::new(false, 2.0).holds(&json!(3), &json!("3")));
    }
}
