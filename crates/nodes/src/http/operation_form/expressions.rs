//! JavaScript for the fields of a form. Texts of a document stand in it as literals that cannot end
//! the expression they are in.

use model::Value;
use model::json::Spellings;

/// Longest name and description of what a model gives.
const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 300;

/// A text as a literal of JavaScript, without two braces in a row.
pub(super) fn js_text(text: &str) -> String {
    js_literal(&Value::from(text))
}

/// Any value as a literal. Only in its texts can two braces follow each other, as its lines are
/// broken after each.
pub(super) fn js_literal(value: &Value) -> String {
    let text = model::json::to_pretty_string(value, &Spellings::default());
    text.replace("}}", "}\\u007d").replace("{{", "{\\u007b")
}

/// A field of the item.
pub(super) fn open_value(name: &str) -> String {
    let is_word = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_word { format!("$json.{name}") } else { format!("$json[{}]", js_text(name)) }
}

/// What a model gives when it calls the tool.
pub(super) fn from_model(name: &str, description: &str, kind: &str) -> String {
    let allowed = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let name: String = name.chars().map(allowed).take(MAX_NAME).collect();
    let description: String = description.chars().take(MAX_DESCRIPTION).collect();
    format!("$fromAI({}, {}, {})", js_text(&name), js_text(description.trim()), js_text(kind))
}

/// What the author wrote in a field, as JavaScript: its texts and expressions one after the other.
pub(super) fn expression_of(value: &Value) -> String {
    let Some(template) = value.as_str().and_then(|text| text.strip_prefix('=')) else {
        return js_literal(value);
    };
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some((text, behind)) = rest.split_once("{{") {
        let Some((code, behind)) = behind.split_once("}}") else { break };
        if !text.is_empty() {
            parts.push(js_text(text));
        }
        parts.push(format!("({})", code.trim()));
        rest = behind;
    }
    if !rest.is_empty() || parts.is_empty() {
        parts.push(js_text(rest));
    }
    parts.join(" + ")
}
