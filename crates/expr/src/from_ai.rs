//! `$fromAI(…)` calls in parameters: what a model is asked to fill in.

use crate::ExprError;
use crate::native::literal_call;
use crate::template::{TemplateSegment, split};
use model::{Str, Value, json};

/// One `$fromAI('key', 'description', 'type', default)`.
#[derive(Clone, Debug, PartialEq)]
pub struct FromAiCall {
    pub key: Str,
    pub description: Option<Str>,
    pub kind: FromAiKind,
    pub default: Option<Value>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FromAiKind {
    #[default]
    String,
    Number,
    Boolean,
    Json,
}

/// In capital letters or small ones.
const NAME: &str = "$fromAI";

/// Every call in a text, in order, whether or not it stands inside `{{ }}`.
pub fn extract_from_ai_calls(text: &str) -> Result<Vec<FromAiCall>, ExprError> {
    let mut calls = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        rest = &rest[at..];
        let (name, behind) = rest.split_at_checked(NAME.len()).unwrap_or(("", rest));
        let is_call = name.eq_ignore_ascii_case(NAME);
        match behind.trim_start().strip_prefix('(').filter(|_| is_call) {
            Some(inside) => {
                let (arguments, after) = arguments(inside)?;
                calls.push(call(arguments)?);
                rest = after;
            }
            None => rest = &rest[1..],
        }
    }
    Ok(calls)
}

/// Whether the text is a template of nothing but one `$fromAI` call with constant arguments.
pub fn is_from_ai_only_expression(text: &str) -> bool {
    let Some(template) = text.strip_prefix('=') else { return false };
    let pieces = split(template.trim());
    let code = match pieces.as_slice() {
        [TemplateSegment::Text(before), TemplateSegment::Code { source, is_closed: true }]
            if before.is_empty() =>
        {
            source
        }
        _ => return false,
    };
    literal_call(code).is_some_and(|name| name.eq_ignore_ascii_case(NAME))
}

impl FromAiKind {
    pub fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "string" => Some(FromAiKind::String),
            "number" => Some(FromAiKind::Number),
            "boolean" => Some(FromAiKind::Boolean),
            "json" => Some(FromAiKind::Json),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            FromAiKind::String => "string",
            FromAiKind::Number => "number",
            FromAiKind::Boolean => "boolean",
            FromAiKind::Json => "json",
        }
    }

    /// The default as the kind wants it; text that does not fit stays text.
    fn convert(self, text: &str) -> Value {
        match self {
            FromAiKind::String => text.into(),
            FromAiKind::Number => text
                .trim()
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
                .map_or_else(|| text.into(), Value::Number),
            FromAiKind::Boolean => match text.to_ascii_lowercase().as_str() {
                "true" => true.into(),
                "false" => false.into(),
                _ => text.into(),
            },
            FromAiKind::Json => json::parse(text).unwrap_or_else(|_| text.into()),
        }
    }
}

fn call(arguments: Vec<String>) -> Result<FromAiCall, ExprError> {
    let mut arguments = arguments.into_iter();
    let key = arguments.next().unwrap_or_default();
    if key.is_empty() {
        return Err(ExprError::data("You must add a key when using $fromAI"));
    }
    let is_plain = |part: char| part.is_ascii_alphanumeric() || part == '_' || part == '-';
    if key.len() > 64 || !key.chars().all(is_plain) {
        return Err(ExprError::data(format!(
            "Invalid key \"{key}\" in $fromAI: use 1 to 64 letters, digits, underscores and dashes"
        )));
    }
    let description = arguments.next().map(Str::from);
    let kind = match arguments.next().filter(|kind| !kind.is_empty()) {
        Some(kind) => FromAiKind::from_name(&kind)
            .ok_or_else(|| ExprError::data(format!("Invalid type \"{kind}\" in $fromAI")))?,
        None => FromAiKind::default(),
    };
    let default = arguments.next().map(|text| kind.convert(&text));
    Ok(FromAiCall { key: key.into(), description, kind, default })
}

/// The arguments up to the closing parenthesis, without their quotes, and the text behind it.
fn arguments(text: &str) -> Result<(Vec<String>, &str), ExprError> {
    let unbalanced = || ExprError::data("Unbalanced parentheses or quotes while parsing $fromAI");
    let mut arguments = Vec::new();
    let mut current = String::new();
    let mut was_quoted = false;
    let mut quote = None;
    let mut depth = 0usize;
    let mut characters = text.char_indices();
    while let Some((at, next)) = characters.next() {
        match (quote, next) {
            (Some(_), '\\') => current.extend(characters.next().map(|(_, escaped)| escaped)),
            (Some(open), next) if next == open => {
                quote = None;
                was_quoted = true;
            }
            (Some(_), next) => current.push(next),
            (None, '"' | '\'' | '`') if current.trim().is_empty() && !was_quoted => {
                current.clear();
                quote = Some(next);
            }
            // A text in a list or an object stays as it is written.
            (None, open @ ('"' | '\'' | '`')) if depth > 0 => {
                current.push(open);
                push_nested_text(&mut current, &mut characters, open);
            }
            (None, '"' | '\'' | '`') => return Err(unbalanced()),
            (None, ',') if depth == 0 => {
                push_argument(&mut arguments, &mut current, was_quoted);
                was_quoted = false;
            }
            (None, ')') if depth == 0 => {
                if was_quoted || !current.trim().is_empty() {
                    push_argument(&mut arguments, &mut current, was_quoted);
                }
                return Ok((arguments, &text[at + 1..]));
            }
            (None, next) => {
                match next {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if !was_quoted {
                    current.push(next);
                } else if !next.is_whitespace() {
                    return Err(unbalanced());
                }
            }
        }
    }
    Err(unbalanced())
}

/// Everything up to the end of a text.
fn push_nested_text(current: &mut String, characters: &mut std::str::CharIndices<'_>, open: char) {
    let mut is_escaped = false;
    for (_, next) in characters.by_ref() {
        current.push(next);
        if next == open && !is_escaped {
            return;
        }
        is_escaped = next == '\\' && !is_escaped;
    }
}

fn push_argument(arguments: &mut Vec<String>, current: &mut String, was_quoted: bool) {
    let argument = std::mem::take(current);
    arguments.push(if was_quoted { argument } else { argument.trim().to_owned() });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_call_is_read_with_its_description_type_and_default() {
        let calls = extract_from_ai_calls(
            "={{ $fromAI('to', 'who, exactly (or not)', 'Number', 5) }} {{ $fromai(\"b\") }}",
        )
        .unwrap();
        assert_eq!(calls[0].key, "to");
        assert_eq!(calls[0].description.as_deref(), Some("who, exactly (or not)"));
        assert_eq!((calls[0].kind, calls[0].default.clone()), (FromAiKind::Number, Some(json!(5))));
        assert_eq!(
            calls[1],
            FromAiCall {
                key: "b".into(),
                description: None,
                kind: FromAiKind::String,
                default: None
            }
        );
    }

    #[test]
    fn a_default_may_be_an_object_with_texts() {
        let calls =
            extract_from_ai_calls(r#"$FromAi('a', 'b', 'json', {"x": ["it's, \"so\")", 1]})"#)
                .unwrap();
        assert_eq!(calls[0].default, Some(json!({ "x": ["it's, \"so\")", 1] })));
    }

    #[test]
    fn bad_calls_are_refused() {
        for text in [
            "$fromAI()",
            "$fromAI('a b')",
            "$fromAI('a', 'b', 'date')",
            "$fromAI('a",
            "$fromAI('a', 'b' 'c')",
        ] {
            assert!(extract_from_ai_calls(text).is_err(), "{text}");
        }
    }

    #[test]
    fn only_a_call_with_constants_may_go_unasked() {
        assert!(is_from_ai_only_expression("={{ $fromAI('a', `b`, 'number', -5) }}"));
        for text in [
            "={{ $fromAI('a') + 1 }}",
            "={{ $fromAI($json.a) }}",
            "=x{{ $fromAI('a') }}",
            "={{ $fromAI('a') }}x",
            "{{ $fromAI('a') }}",
        ] {
            assert!(!is_from_ai_only_expression(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "(\\$fromAI\\(|['\"`,(){}é\\\\ a]){0,20}") {
            let _ = extract_from_ai_calls(&text);
            let _ = is_from_ai_only_expression(&text);
        }
    }
}
