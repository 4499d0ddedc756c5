//! Query strings and form bodies: nested values to `a[b]=c`, in the spellings that services expect
//! of arrays.

use model::{Object, Value};

/// How an array is spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ArrayFormat {
    /// `a=1&a=2`
    Repeat,
    /// `a[]=1&a[]=2`
    #[default]
    Brackets,
    /// `a[0]=1&a[1]=2`
    Indices,
}

impl ArrayFormat {
    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "repeat" => ArrayFormat::Repeat,
            "indices" => ArrayFormat::Indices,
            _ => ArrayFormat::Brackets,
        }
    }
}

/// The fields as `name=value` pairs, escaped and joined. Fields without a value are left out.
pub(super) fn stringify(fields: &Object, arrays: ArrayFormat) -> String {
    let mut out = String::new();
    for (name, value) in pairs(fields, arrays) {
        if !out.is_empty() {
            out.push('&');
        }
        out.push_str(&escape(&name));
        out.push('=');
        out.push_str(&escape(&value));
    }
    out
}

/// The same pairs unescaped.
pub(super) fn pairs(fields: &Object, arrays: ArrayFormat) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for (name, value) in fields.iter() {
        flatten(name.to_string(), value, arrays, &mut out);
    }
    out
}

fn flatten(name: String, value: &Value, arrays: ArrayFormat, out: &mut Vec<(String, String)>) {
    match value {
        Value::Undefined => {}
        Value::Null => out.push((name, String::new())),
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                let name = match arrays {
                    ArrayFormat::Repeat => name.clone(),
                    ArrayFormat::Brackets => format!("{name}[]"),
                    ArrayFormat::Indices => format!("{name}[{index}]"),
                };
                flatten(name, value, arrays, out);
            }
        }
        Value::Object(object) => {
            for (key, value) in object.iter() {
                flatten(format!("{name}[{key}]"), value, arrays, out);
            }
        }
        value => out.push((name, value.to_js_string().into())),
    }
}

/// Percent escapes as in RFC 3986: everything but letters, digits and `-._~`.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The fields of a form body such as `a=1&b=2`; a name that occurs twice keeps its last value, as
/// in JavaScript's `Object.fromEntries`.
pub(super) fn parse_form(text: &str) -> Object {
    url::form_urlencoded::parse(text.trim_start_matches('?').as_bytes())
        .map(|(name, value)| (name.into_owned(), Value::from(value.into_owned())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn arrays_have_three_spellings() {
        let fields = json!({ "a": [1, "x y"], "o": { "k": true }, "u": null });
        let text = |arrays| stringify(fields.as_object().unwrap(), arrays);
        assert_eq!(text(ArrayFormat::Repeat), "a=1&a=x%20y&o%5Bk%5D=true&u=");
        assert_eq!(text(ArrayFormat::Brackets), "a%5B%5D=1&a%5B%5D=x%20y&o%5Bk%5D=true&u=");
        assert_eq!(text(ArrayFormat::Indices), "a%5B0%5D=1&a%5B1%5D=x%20y&o%5Bk%5D=true&u=");
    }

    #[test]
    fn forms_are_read_back() {
        assert_eq!(
            parse_form("a=1&b=x+y&b=%C3%A9"),
            *json!({ "a": "1", "b": "é" }).as_object().unwrap()
        );
    }
}
