//! `{placeholders}` in the parts of a request that a model fills in.
//!
//! What a model gives for a placeholder stays where it was put: in JSON it is written as JSON, and
//! in an address it cannot change the host.

use node_api::prelude::*;
use regex::Regex;
use std::sync::LazyLock;

static PLACEHOLDER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\{([a-zA-Z0-9_-]+)\}").ok());

/// The names of the placeholders of a text, each once.
pub(super) fn names_in(text: &str) -> Vec<Str> {
    let mut names: Vec<Str> = Vec::new();
    for found in PLACEHOLDER.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        if let Some(name) =
            found.get(1).map(|name| Str::from(name.as_str())).filter(|name| !names.contains(name))
        {
            names.push(name);
        }
    }
    names
}

/// The text with the values in their places; a placeholder without a value stays.
pub(super) fn fill(text: &str, arguments: &Object) -> String {
    filled(text, |name, _| arguments.get(name).map(plain))
}

/// The same for a text that is JSON: values become JSON, and inside of quotes a part of the text
/// there.
pub(super) fn fill_json(text: &str, arguments: &Object) -> String {
    filled(text, |name, is_quoted| {
        let value = arguments.get(name)?;
        if !is_quoted {
            return Some(model::json::to_string(value));
        }
        let quoted = model::json::to_string(&plain(value).into());
        Some(quoted[1..quoted.len() - 1].to_owned())
    })
}

/// A value where a text is wanted.
fn plain(value: &Value) -> String {
    match value {
        Value::Undefined | Value::Null => String::new(),
        Value::Array(_) | Value::Object(_) => model::json::to_string(value),
        value => value.to_js_string().into(),
    }
}

fn filled(text: &str, value_of: impl Fn(&str, bool) -> Option<String>) -> String {
    let mut made = String::with_capacity(text.len());
    let mut at = 0;
    let mut quotes = QuoteTracker::default();
    for found in PLACEHOLDER.iter().flat_map(|pattern| pattern.captures_iter(text)) {
        let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else { continue };
        let before = &text[at..whole.start()];
        quotes.pass(before);
        made.push_str(before);
        made.push_str(
            &value_of(name.as_str(), quotes.is_open).unwrap_or_else(|| whole.as_str().to_owned()),
        );
        at = whole.end();
    }
    made.push_str(&text[at..]);
    made
}

/// Whether a place in JSON text is inside of quotes.
#[derive(Default)]
struct QuoteTracker {
    is_open: bool,
    is_escaped: bool,
}

impl QuoteTracker {
    fn pass(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                _ if self.is_escaped => self.is_escaped = false,
                '\\' => self.is_escaped = self.is_open,
                '"' => self.is_open = !self.is_open,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_cannot_leave_their_place_in_json() {
        let arguments =
            json!({ "q": "a\" , \"admin\": true, \"x\": \"{n}", "n": 3, "o": { "k": [1] } });
        let filled = fill_json(
            r#"{ "query": "say \"{q}\"", "n": {n}, "whole": {q}, "o": {o}, "kept": "{unknown}" }"#,
            arguments.as_object().unwrap(),
        );
        let read = model::json::parse(&filled).unwrap();
        assert_eq!(read.get("query"), Some(&json!("say \"a\" , \"admin\": true, \"x\": \"{n}\"")));
        assert_eq!(read.get("admin"), None);
        assert_eq!((read.get("n"), read.get("o")), (Some(&json!(3)), Some(&json!({ "k": [1] }))));
        assert_eq!(read.get("kept"), Some(&json!("{unknown}")));
    }

    #[test]
    fn names_are_found_once_and_json_is_none() {
        assert_eq!(names_in(r#"{"a":"{x}","b":{x},"c":{ "d": {y-1} }, {}}"#), ["x", "y-1"]);
        assert_eq!(fill("/{a}/{b}", json!({ "a": "x y" }).as_object().unwrap()), "/x y/{b}");
    }
}
