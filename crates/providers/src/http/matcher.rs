//! Compares a value with an expectation that may hold the corpus' special values (`$any`, `$regex`,
//! `$objectContaining` …).

use model::{Object, Value};

/// Whether a value is what was expected.
pub(super) fn matches_expected(expected: &Value, found: &Value) -> bool {
    match expected {
        Value::Object(object) => match special(object) {
            Some(answer) => answer(found),
            None => found.as_object().is_some_and(|found| same_fields(object, found)),
        },
        Value::Array(values) => {
            let found = found.as_array();
            found.is_some_and(|found| {
                found.len() == values.len()
                    && values
                        .iter()
                        .zip(found)
                        .all(|(expected, found)| matches_expected(expected, found))
            })
        }
        _ => expected == found,
    }
}

fn same_fields(expected: &Object, found: &Object) -> bool {
    let present = |object: &Object| object.values().filter(|value| !value.is_undefined()).count();
    let undefined = expected.values().filter(|value| value.get("$undefined").is_some()).count();
    present(expected) - undefined <= present(found)
        && expected.iter().all(|(key, value)| {
            matches_expected(value, found.get(key).unwrap_or(&Value::Undefined))
        })
        && found.iter().all(|(key, value)| value.is_undefined() || expected.contains_key(key))
}

type SpecialCheck<'e> = Box<dyn Fn(&Value) -> bool + 'e>;

fn special(object: &Object) -> Option<SpecialCheck<'_>> {
    let (key, given) = object.iter().next()?;
    let check: SpecialCheck<'_> = match key.as_str() {
        "$opaque" => Box::new(|_| true),
        "$undefined" => Box::new(Value::is_undefined),
        "$any" => Box::new(|found| {
            given.as_str().is_none_or(|kind| {
                kind.eq_ignore_ascii_case(found.kind_name()) || kind == "Anything"
            })
        }),
        "$objectContaining" => Box::new(|found| {
            let wanted = given.as_object();
            wanted.is_some_and(|wanted| {
                wanted.iter().all(|(key, value)| {
                    matches_expected(value, found.get(key).unwrap_or(&Value::Undefined))
                })
            })
        }),
        "$arrayContaining" => Box::new(|found| {
            let found = found.as_array().unwrap_or_default();
            given.as_array().is_some_and(|wanted| {
                wanted.iter().all(|value| found.iter().any(|found| matches_expected(value, found)))
            })
        }),
        "$stringContaining" => Box::new(|found| {
            found.as_str().zip(given.as_str()).is_some_and(|(found, part)| found.contains(part))
        }),
        "$regex" => Box::new(|found| {
            let pattern = given.as_str().and_then(|pattern| {
                let flags = object.get("flags").and_then(Value::as_str).unwrap_or_default();
                regex::RegexBuilder::new(pattern).case_insensitive(flags.contains('i')).build().ok()
            });
            pattern.is_some_and(|pattern| pattern.is_match(&found.to_js_string()))
        }),
        "$number" if object.len() == 1 => {
            Box::new(|found| given.as_str().is_some_and(|text| *text == *found.to_js_string()))
        }
        _ => return None,
    };
    Some(check)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn special_values_fit_what_they_stand_for() {
        let fitting = [
            (json!({ "a": { "$any": "String" } }), json!({ "a": "x" })),
            (json!({ "$objectContaining": { "a": 1 } }), json!({ "a": 1, "b": 2 })),
            (json!({ "$arrayContaining": [2] }), json!([1, 2])),
            (json!({ "$stringContaining": "b" }), json!("abc")),
            (json!({ "$regex": "^A", "flags": "i" }), json!("abc")),
            (json!({ "a": 1, "b": { "$undefined": true } }), json!({ "a": 1 })),
        ];
        for (expected, found) in fitting {
            assert!(matches_expected(&expected, &found), "{expected:?}");
        }
        let failing = [
            (json!({ "a": 1 }), json!({ "a": 1, "b": 2 })),
            (json!({ "a": 1, "b": 2 }), json!({ "a": 1 })),
            (json!([1, 2]), json!([2, 1])),
            (json!({ "$any": "String" }), json!(1)),
            (json!({ "$regex": "^x" }), json!("abc")),
        ];
        for (expected, found) in failing {
            assert!(!matches_expected(&expected, &found), "{expected:?}");
        }
    }
}
