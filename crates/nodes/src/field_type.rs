//! Whether a value is of a field's type, and what it becomes when it is converted, as n8n decides
//! it.

mod form_fields;
mod json_text;
mod loose_json;

pub use formats::dates::{DateContext, parse_date, zone_of};
pub use json_text::JsonText;
pub use loose_json::{parse as parse_loose_json, repair as mend_json};

use model::{Str, Value};

/// How strictly a value is looked at.
#[derive(Clone, Debug, Default)]
pub struct TypeOptions {
    /// Nothing is converted.
    pub strict: bool,
    /// Other types are turned into text where text is wanted; without it they are left as they are.
    pub parse_strings: bool,
    /// What the type `options` allows.
    pub allowed: Vec<Value>,
}

/// The outcome: the value in its new type, or why it has none.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldCheck {
    Valid(Value),
    Invalid(String),
}

impl FieldCheck {
    pub fn is_valid(&self) -> bool {
        matches!(self, FieldCheck::Valid(_))
    }
}

/// Checks a value against a field type and converts it where that is allowed. `null` and
/// `undefined` fit any type.
pub fn validate_field_type(
    name: &str,
    value: &Value,
    wanted: &str,
    options: &TypeOptions,
    clock: &DateContext<'_>,
) -> FieldCheck {
    if value.is_nullish() {
        return FieldCheck::Valid(Value::Undefined);
    }
    let mismatch = || {
        FieldCheck::Invalid(format!("'{name}' expects a {wanted} but we got {}", describe(value)))
    };
    let converted = match wanted.to_ascii_lowercase().as_str() {
        "string" if !options.parse_strings => Some(value.clone()),
        "string" => (!options.strict || value.is_string()).then(|| Value::String(to_text(value))),
        "string-alphanumeric" => {
            let text = to_text(value);
            if !is_identifier(&text) {
                let reason = "Value is not a valid alphanumeric string, only letters, numbers and underscore allowed";
                return FieldCheck::Invalid(reason.into());
            }
            Some(Value::String(text))
        }
        "number" if options.strict => value.as_f64().map(Value::Number),
        "number" => Some(to_number(value)).filter(|number| !number.is_nan()).map(Value::Number),
        "boolean" if options.strict => value.as_bool().map(Value::Bool),
        "boolean" => to_boolean(value).map(Value::Bool),
        "datetime" => match parse_date(value, clock) {
            Some(date) => Some(Value::Date(date.into())),
            None => {
                return FieldCheck::Invalid(format!(
                    "'{name}' expects a {wanted} but we got {} <br/><br/> Consider using \
                     <a href=\"https://moment.github.io/luxon/api-docs/index.html#datetimefromformat\" target=\"_blank\">\
                     <code>DateTime.fromFormat</code></a> to work with custom date formats.",
                    describe(value)
                ));
            }
        },
        "time" => {
            let text = value.to_js_string();
            if !is_time(&text) {
                return FieldCheck::Invalid(format!(
                    "'{name}' expects time (hh:mm:(:ss)) but we got {}.",
                    describe(value)
                ));
            }
            Some(Value::String(text))
        }
        "object"
            if options.strict
                && !matches!(value, Value::Object(_) | Value::Array(_) | Value::Date(_)) =>
        {
            None
        }
        "object" => to_object(value),
        "array" if options.strict && !value.is_array() => None,
        "array" => to_array(value),
        "options" => {
            if !options.allowed.contains(value) {
                let allowed: Vec<Str> = options.allowed.iter().map(Value::to_js_string).collect();
                let reason = format!(
                    "'{name}' expects one of the following values: [{}] but we got {}",
                    allowed.join(", "),
                    describe(value)
                );
                return FieldCheck::Invalid(reason);
            }
            Some(value.clone())
        }
        "url" => parse_url(&value.to_js_string()).map(Value::String),
        "jwt" => {
            let text = value.to_js_string();
            if !is_jwt(&text) {
                return FieldCheck::Invalid("Value is not a valid JWT token".into());
            }
            Some(Value::String(text))
        }
        "form-fields" => match form_fields::parse(value) {
            Ok(fields) => Some(fields),
            Err(reason) => return FieldCheck::Invalid(reason),
        },
        "binary" => is_file(value).then(|| value.clone()),
        _ => Some(value.clone()),
    };
    converted.map_or_else(mismatch, FieldCheck::Valid)
}

/// What `Number(value)` gives in JavaScript.
pub fn to_number(value: &Value) -> f64 {
    match value {
        Value::Undefined | Value::Object(_) => f64::NAN,
        Value::Null => 0.0,
        Value::Bool(flag) => f64::from(u8::from(*flag)),
        Value::Number(number) => *number,
        Value::String(text) => text_to_number(text),
        Value::Date(date) => date.epoch_ms,
        Value::Array(_) => text_to_number(&value.to_js_string()),
    }
}

fn text_to_number(text: &str) -> f64 {
    let text = text.trim_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
    if text.is_empty() {
        return 0.0;
    }
    for (prefix, radix) in [("0x", 16), ("0X", 16), ("0o", 8), ("0O", 8), ("0b", 2), ("0B", 2)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let value = digits.chars().try_fold(0.0, |sum, digit| {
                Some(sum * f64::from(radix) + f64::from(digit.to_digit(radix)?))
            });
            return if digits.is_empty() { f64::NAN } else { value.unwrap_or(f64::NAN) };
        }
    }
    match text.strip_prefix(['+', '-']).unwrap_or(text) {
        "Infinity" => {
            if text.starts_with('-') {
                f64::NEG_INFINITY
            } else {
                f64::INFINITY
            }
        }
        // Rust also reads "inf" and "nan", which JavaScript does not.
        _ if text.contains(|letter: char| {
            !matches!(letter, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')
        }) =>
        {
            f64::NAN
        }
        _ => text.parse().unwrap_or(f64::NAN),
    }
}

/// The value as text: objects, arrays and dates as JSON, nothing as the empty text.
pub fn to_text(value: &Value) -> Str {
    match value {
        Value::Undefined => Str::new(),
        Value::Null | Value::Object(_) | Value::Array(_) | Value::Date(_) => {
            model::json::to_string(value).into()
        }
        _ => value.to_js_string(),
    }
}

fn to_boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => return Some(*flag),
        Value::String(text) if text.eq_ignore_ascii_case("true") => return Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => return Some(false),
        Value::String(text) if text.trim().is_empty() => return None,
        _ => {}
    }
    match to_number(value) {
        0.0 => Some(false),
        1.0 => Some(true),
        _ => None,
    }
}

fn to_object(value: &Value) -> Option<Value> {
    match value {
        Value::Object(_) | Value::Date(_) => Some(value.clone()),
        _ => {
            let text = value.to_js_string();
            let read = model::json::parse(&text).ok().or_else(|| loose_json::parse(&text));
            read.filter(|read| matches!(read, Value::Object(_) | Value::Null))
        }
    }
}

fn to_array(value: &Value) -> Option<Value> {
    if value.is_array() {
        return Some(value.clone());
    }
    let text = value.to_js_string();
    let read = model::json::parse(&text).or_else(|_| model::json::parse(&text.replace("'", "\"")));
    read.ok().filter(Value::is_array)
}

/// The text as an address of the web; one without a scheme is meant for `https`.
pub fn parse_url(text: &str) -> Option<Str> {
    let text =
        if text.contains("://") { Str::from(text) } else { format!("https://{text}").into() };
    let url = url::Url::parse(&text).ok()?;
    matches!(url.scheme(), "http" | "https" | "ftp" | "file").then_some(text)
}

fn is_identifier(text: &str) -> bool {
    let starts_well = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    starts_well && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// `hh:mm`, `hh:mm:ss`, either with an offset `+hhmm`, `+h`, `+hh` or `+hh:mm`.
fn is_time(text: &str) -> bool {
    let digits = |text: &str, count: usize| {
        text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let at = text.find(['+', '-']).unwrap_or(text.len());
    let (clock, offset) = text.split_at(at);
    let parts: Vec<&str> = clock.split(':').collect();
    let clock_fits = (2..=3).contains(&parts.len()) && parts.iter().all(|part| digits(part, 2));
    let offset_fits = match offset.strip_prefix(['+', '-']) {
        None => offset.is_empty(),
        Some(offset) => match offset.split_once(':') {
            Some((hours, minutes)) => (digits(hours, 1) || digits(hours, 2)) && digits(minutes, 2),
            None => digits(offset, 4) || digits(offset, 1) || digits(offset, 2),
        },
    };
    clock_fits && offset_fits
}

fn is_jwt(text: &str) -> bool {
    let mut parts = text.splitn(3, '.');
    let mut named = |allowed: &str, may_be_empty: bool| {
        parts.next().is_some_and(|part| {
            (may_be_empty || !part.is_empty())
                && part
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || allowed.contains(letter))
        })
    };
    named("-_", false) && named("-_", false) && named("-_.+/=", true)
}

fn is_file(value: &Value) -> bool {
    let text =
        |key: &str| value.get(key).and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    text("mimeType") && (text("data") || text("id"))
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "'null'".into(),
        Value::Array(_) => "array".into(),
        Value::Object(_) | Value::Date(_) => "object".into(),
        _ => format!("'{}'", value.to_js_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn check(value: Value, wanted: &str) -> FieldCheck {
        validate_field_type("f", &value, wanted, &TypeOptions::default(), &DateContext::utc())
    }

    #[test]
    fn text_that_spells_a_value_is_converted() {
        assert_eq!(check(json!(" 1e3 "), "number"), FieldCheck::Valid(json!(1000)));
        assert_eq!(check(json!("0x1F"), "number"), FieldCheck::Valid(json!(31)));
        assert_eq!(check(json!("TRUE"), "boolean"), FieldCheck::Valid(json!(true)));
        assert_eq!(check(json!("['a', 'b']"), "array"), FieldCheck::Valid(json!(["a", "b"])));
        assert_eq!(check(json!("{a: 1}"), "object"), FieldCheck::Valid(json!({ "a": 1 })));
        assert_eq!(
            check(json!("example.org/x"), "url"),
            FieldCheck::Valid(json!("https://example.org/x"))
        );
    }

    #[test]
    fn what_does_not_fit_is_named_in_the_reason() {
        assert_eq!(
            check(json!("inf"), "number"),
            FieldCheck::Invalid("'f' expects a number but we got 'inf'".into())
        );
        assert_eq!(
            check(json!([1]), "object"),
            FieldCheck::Invalid("'f' expects a object but we got array".into())
        );
        assert_eq!(
            check(json!("7:30"), "time"),
            FieldCheck::Invalid("'f' expects time (hh:mm:(:ss)) but we got '7:30'.".into())
        );
        assert!(
            !check(json!("javascript:alert(1)"), "url").is_valid()
                && !check(json!("two words"), "url").is_valid()
        );
        assert_eq!(
            check(json!("a.b"), "jwt"),
            FieldCheck::Invalid("Value is not a valid JWT token".into())
        );
    }

    #[test]
    fn nothing_fits_every_type() {
        assert_eq!(check(Value::Null, "number"), FieldCheck::Valid(Value::Undefined));
    }

    #[test]
    fn only_the_allowed_options_pass() {
        let options =
            TypeOptions { allowed: vec![json!("a"), json!("b")], ..TypeOptions::default() };
        let check =
            |value| validate_field_type("f", &value, "options", &options, &DateContext::utc());
        assert!(check(json!("a")).is_valid());
        let reason = "'f' expects one of the following values: [a, b] but we got 'c'".to_owned();
        assert_eq!(check(json!("c")), FieldCheck::Invalid(reason));
    }
}
