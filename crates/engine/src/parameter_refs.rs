//! `$parameter["&key"]`: an expression that reads the field beside its own.

use model::{Object, Str, Value};
use regex::{Captures, Regex};
use std::sync::LazyLock;

static REFERENCE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\$parameter\s*\[\s*(?:"&([^"\\]+)"|'&([^'\\]+)')\s*\]"#).ok());

/// The template with the fields it reads beside itself written in, or nothing if there are none.
///
/// The fields stand in the same object, so what they hold is known before any item is.
pub(crate) fn written_in(template: &str, siblings: &Object) -> Option<String> {
    if !template.contains("&") {
        return None;
    }
    let replace = |found: &Captures<'_>| {
        let key = found.get(1).or_else(|| found.get(2)).map_or("", |key| key.as_str());
        siblings.get(key).map_or_else(|| "undefined".to_owned(), source_of)
    };
    match REFERENCE.as_ref()?.replace_all(template, replace) {
        std::borrow::Cow::Owned(written) => Some(written),
        std::borrow::Cow::Borrowed(_) => None,
    }
}

/// JavaScript for a parameter's value.
fn source_of(value: &Value) -> String {
    let expression = value
        .as_str()
        .and_then(|text| text.strip_prefix("={{")?.strip_suffix("}}"))
        .filter(|inner| !inner.contains("{{"));
    match expression {
        Some(inner) => format!("({inner})"),
        None => {
            let plain = value
                .as_str()
                .and_then(|text| text.strip_prefix('='))
                .map(|text| Value::from(Str::from(text)));
            format!("({})", model::json::to_string(plain.as_ref().unwrap_or(value)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, expected: Option<&str>) {
        let siblings = Object::from_iter([
            ("key", Value::from("title|text")),
            ("of", "={{ $json.a }}".into()),
        ]);
        assert_eq!(written_in(template, &siblings).as_deref(), expected);
    }

    #[test]
    fn a_constant_beside_the_expression_is_written_in() {
        check(
            r#"={{$parameter["&key"].split("|")[1]}}"#,
            Some(r#"={{("title|text").split("|")[1]}}"#),
        );
    }

    #[test]
    fn an_expression_beside_the_expression_is_written_in() {
        check("={{ $parameter['&of'] }}", Some("={{ ( $json.a ) }}"));
    }

    #[test]
    fn other_parameters_are_left_alone() {
        check(r#"={{ $parameter["key"] && $json.a }}"#, None);
    }
}
