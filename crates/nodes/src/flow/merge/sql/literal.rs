//! What a value means where it stands in a query without quotes: a text that spells a literal is
//! that literal.
//!
//! n8n puts the text of an expression into the query, so `{{ "5" }}` is a number there and `{{
//! "'a'" }}` a text. It is so here as well, but only literals are read, and their values are bound.

use model::Value;

/// The value of an expression that stands for one value.
pub(super) fn literal(value: Value) -> Value {
    match &value {
        Value::String(text) => read(text.trim()).unwrap_or(value),
        _ => value,
    }
}

/// The values of an expression that stands for a list: its entries, or a text with commas between
/// literals.
pub(super) fn literals(value: Value) -> Vec<Value> {
    match &value {
        Value::Array(entries) => entries.to_vec(),
        Value::String(text) => listed(text).unwrap_or_else(|| vec![value]),
        _ => vec![value],
    }
}

fn listed(text: &str) -> Option<Vec<Value>> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    loop {
        let length = match rest.chars().next()? {
            quote @ ('\'' | '"') => quoted_length(rest, quote)?,
            _ => rest.find(',').unwrap_or(rest.len()),
        };
        let (entry, after) = rest.split_at(length);
        found.push(read(entry.trim())?);
        rest = after.trim_start();
        match rest.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None if rest.is_empty() => return Some(found),
            None => return None,
        }
    }
}

/// The value of a literal; none for any other text.
fn read(text: &str) -> Option<Value> {
    match text.chars().next()? {
        quote @ ('\'' | '"') if quoted_length(text, quote) == Some(text.len()) => {
            let inner = text.get(1..text.len() - 1)?;
            Some(inner.replace(&format!("{quote}{quote}"), &quote.to_string()).into())
        }
        '0'..='9' | '.' | '-' | '+' => {
            let is_plain = text.bytes().all(|byte| {
                byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E')
            });
            let number =
                text.parse::<f64>().ok().filter(|number| is_plain && number.is_finite())?;
            // A number that would lose digits, such as a long id, stays the text it is.
            (number.fract() != 0.0 || number.abs() < 9e15).then_some(Value::Number(number))
        }
        _ if text.eq_ignore_ascii_case("null") => Some(Value::Null),
        _ if text.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
        _ if text.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
        _ => None,
    }
}

/// The length of the quoted text at the start, quotes included; a doubled quote does not end it.
fn quoted_length(text: &str, quote: char) -> Option<usize> {
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == quote && letters.next_if(|(_, next)| *next == quote).is_none() {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn only_whole_literals_are_read() {
        for (text, value) in [
            ("5", json!(5)),
            (" -1.5e3 ", json!(-1500)),
            ("'it''s'", json!("it's")),
            ("\"a\"", json!("a")),
            ("NULL", json!(null)),
            ("true", json!(true)),
        ] {
            assert_eq!(literal(json!(text)), value, "{text}");
        }
        for text in [
            "",
            "Ada",
            "'a' OR 'b'",
            "1 OR 1",
            "0x10",
            "inf",
            "NaN",
            "'open",
            "12345678901234567890",
            "'",
        ] {
            assert_eq!(literal(json!(text)), json!(text));
        }
        assert_eq!(literals(json!("")), [json!("")]);
        assert_eq!(literals(json!("1,,2")), [json!("1,,2")]);
    }
}
