//! Compares what was expected with what came, by the corpus' rules.

use model::{DateKind, Object, Value};
use regex::Regex;

/// The first difference found, as a path and the two sides; `None` if they agree.
pub(crate) fn difference(expected: &Value, found: &Value) -> Option<String> {
    Comparison { path: String::new() }.differs(expected, found).err()
}

struct Comparison {
    path: String,
}

impl Comparison {
    fn differs(&mut self, expected: &Value, found: &Value) -> Result<(), String> {
        if let Value::Object(special) = expected
            && let Some(result) = self.special(special, found)
        {
            return result;
        }
        match (expected, found) {
            (Value::Array(wanted), Value::Array(got)) => {
                for (index, value) in wanted.iter().enumerate() {
                    let other = match got.get(index) {
                        // What a list holds that is undefined is null in JSON.
                        Some(Value::Undefined) if value.is_null() => value,
                        other => other.unwrap_or(&Value::Undefined),
                    };
                    self.at(&format!("[{index}]"), value, other)?;
                }
                match wanted.len() == got.len() {
                    true => Ok(()),
                    false => Err(format!(
                        "{}: {} elements expected, {} found; the first extra one: {}",
                        self.shown_path(),
                        wanted.len(),
                        got.len(),
                        short(got.get(wanted.len()).unwrap_or(&Value::Undefined))
                    )),
                }
            }
            (Value::Object(wanted), Value::Object(got)) => {
                for (key, value) in wanted.iter() {
                    self.at(&format!(".{key}"), value, got.get(key).unwrap_or(&Value::Undefined))?;
                }
                for (key, value) in got
                    .iter()
                    .filter(|(key, value)| !wanted.contains_key(key) && !value.is_undefined())
                {
                    self.at(&format!(".{key}"), &Value::Undefined, value)?;
                }
                Ok(())
            }
            // A date inside data appears as its ISO text.
            (Value::String(text), Value::Date(date)) if *text == date.iso => Ok(()),
            (Value::Null, Value::Number(number)) if !number.is_finite() => Ok(()),
            (wanted, got) if wanted == got => Ok(()),
            (wanted, got) => Err(format!(
                "{}: expected {}, found {}",
                self.shown_path(),
                short(wanted),
                short(got)
            )),
        }
    }

    fn at(&mut self, step: &str, expected: &Value, found: &Value) -> Result<(), String> {
        let mark = self.path.len();
        self.path.push_str(step);
        let result = self.differs(expected, found);
        self.path.truncate(mark);
        result
    }

    fn shown_path(&self) -> &str {
        if self.path.is_empty() { "value" } else { self.path.trim_start_matches('.') }
    }

    /// Compares with one of the corpus' special values; `None` if the object is an ordinary one.
    fn special(&mut self, special: &Object, found: &Value) -> Option<Result<(), String>> {
        let (key, value) = special.iter().next()?;
        let agrees = match key.as_str() {
            "$opaque" => true,
            "$undefined" => found.is_undefined(),
            "$number" => {
                matches!(found, Value::Number(number) if Some(model::number_to_string(*number).as_str()) == value.as_str())
            }
            "$date" => match found {
                Value::Date(date) => {
                    date.kind == DateKind::Js && Some(date.iso.as_str()) == value.as_str()
                }
                Value::String(text) => Some(text.as_str()) == value.as_str(),
                _ => false,
            },
            "$regex" => found
                .as_str()
                .is_some_and(|text| matches_pattern(value.as_str().unwrap_or_default(), text)),
            "$base64" => found.as_str() == value.as_str(),
            "$any" => value.as_str().is_some_and(|kind| {
                found.kind_name().eq_ignore_ascii_case(kind)
                    || kind.eq_ignore_ascii_case(found.type_of())
            }),
            "$stringContaining" => {
                matches!((found.as_str(), value.as_str()), (Some(text), Some(part)) if text.contains(part))
            }
            "$objectContaining" => {
                for (name, wanted) in value.as_object()?.iter() {
                    if let Err(problem) = self.at(
                        &format!(".{name}"),
                        wanted,
                        found.get(name).unwrap_or(&Value::Undefined),
                    ) {
                        return Some(Err(problem));
                    }
                }
                true
            }
            "$arrayContaining" => {
                let got = found.as_array().unwrap_or_default();
                value
                    .as_array()?
                    .iter()
                    .all(|wanted| got.iter().any(|element| difference(wanted, element).is_none()))
            }
            _ => return None,
        };
        Some(match agrees {
            true => Ok(()),
            false => Err(format!(
                "{}: expected {}, found {}",
                self.shown_path(),
                short(&Value::object(special.clone())),
                short(found)
            )),
        })
    }
}

/// Whether a text fits a JavaScript regular expression of the corpus.
pub(crate) fn matches_pattern(pattern: &str, text: &str) -> bool {
    Regex::new(&pattern.replace("\\/", "/")).is_ok_and(|regex| regex.is_match(text))
}

/// A value on one short line.
pub(crate) fn short(value: &Value) -> String {
    let text = match value {
        Value::Undefined => "undefined".to_owned(),
        Value::Number(number) if !number.is_finite() => model::number_to_string(*number),
        other => model::json::to_string(other),
    };
    match text.char_indices().nth(300) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn a_changed_expectation_is_a_difference() {
        let found = json!([{ "a": 1, "b": [true, null] }]);
        assert_eq!(difference(&json!([{ "b": [true, null], "a": 1.0 }]), &found), None);
        assert_eq!(
            difference(&json!([{ "a": 2, "b": [true, null] }]), &found).as_deref(),
            Some("[0].a: expected 2, found 1")
        );
        assert!(difference(&json!([{ "a": 1 }]), &found).is_some());
        assert!(difference(&json!([]), &found).is_some());
        assert!(difference(&json!([{ "a": 1, "b": [true, null], "c": "x" }]), &found).is_some());
    }

    #[test]
    fn special_values_are_understood() {
        for (expected, found) in [
            (json!({ "$undefined": true }), Value::Undefined),
            (json!({ "$number": "NaN" }), Value::Number(f64::NAN)),
            (json!({ "$any": "String" }), json!("x")),
            (json!({ "$stringContaining": "el" }), json!("hello")),
            (json!({ "$objectContaining": { "a": 1 } }), json!({ "a": 1, "b": 2 })),
            (json!({ "$arrayContaining": [2] }), json!([1, 2])),
        ] {
            assert_eq!(difference(&expected, &found), None);
            assert!(difference(&expected, &json!(-99)).is_some());
        }
    }
}
