//! Headers of an answer: names and values that cannot break out of their line.

use crate::triggers::node_params::{text_of, truncated_text};
use node_api::prelude::*;

/// The headers in a list of `{ name, value }`, names in lower case. Entries without a name are left
/// out.
pub(crate) fn headers_of(parameter: &str, entries: &[Value]) -> Result<Vec<(Str, Str)>, NodeError> {
    let mut headers = Vec::new();
    for entry in entries {
        let name = entry.get("name").map(text_of).unwrap_or_default();
        if name.trim().is_empty() {
            continue;
        }
        let name = checked_name(parameter, name.trim())?;
        let value =
            checked_value(parameter, &name, &entry.get("value").map(text_of).unwrap_or_default())?;
        headers.push((name, value));
    }
    Ok(headers)
}

/// A header's name in lower case.
pub(crate) fn checked_name(parameter: &str, name: &str) -> Result<Str, NodeError> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
    if name.is_empty() || !name.chars().all(fits) {
        let message = format!("{} is not a valid header name", truncated_text(&name.into()));
        return Err(NodeError::parameter(parameter, message)
            .hint("Use letters, digits and hyphens only, such as `X-Request-Id`."));
    }
    Ok(name.to_ascii_lowercase().into())
}

/// A header's value. A line break in it would let data of the workflow write headers or the body of
/// the answer.
pub(crate) fn checked_value(parameter: &str, name: &str, value: &str) -> Result<Str, NodeError> {
    let value = value.trim_matches([' ', '\t']);
    if value.chars().any(|letter| letter.is_control() && letter != '\t') {
        let message = format!(
            "The value of the header '{name}' has a line break or another control character"
        );
        let hint = "Remove it, for example with `.replace(/[\\r\\n\\0]/g, ' ')` in the expression of the value.";
        return Err(NodeError::parameter(parameter, message).hint(hint));
    }
    Ok(value.into())
}

/// Whether a header is among them; names are in lower case.
pub(crate) fn has(headers: &[(Str, Str)], name: &str) -> bool {
    headers.iter().any(|(found, _)| found == name)
}

/// An address as a header's value: what is not plain ASCII is percent-encoded.
pub(crate) fn encoded_address(address: &str) -> Str {
    let mut encoded = String::with_capacity(address.len());
    for letter in address.trim().chars() {
        match letter {
            '!'..='~' => encoded.push(letter),
            letter => {
                let mut bytes = [0; 4];
                for byte in letter.encode_utf8(&mut bytes).bytes() {
                    encoded.push_str(&format!("%{byte:02X}"));
                }
            }
        }
    }
    encoded.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_lower_case_and_values_are_text() {
        let entries = json!([{ "name": "X-Count", "value": 3 }, { "name": " ", "value": "x" }, { "name": "Set-Cookie", "value": " a=b " }]);
        let headers = headers_of("options.responseHeaders", entries.as_array().unwrap()).unwrap();
        assert_eq!(
            headers,
            [("x-count".into(), "3".into()), ("set-cookie".into(), Str::from("a=b"))]
        );
    }

    #[test]
    fn nothing_breaks_out_of_its_line() {
        for value in ["a\r\nSet-Cookie: b", "a\nb", "a\rb", "a\0b", "a\u{85}b", "a\u{7f}b"] {
            let error = headers_of("h", &[json!({ "name": "x", "value": value })]).unwrap_err();
            assert_eq!(error.code(), Code::NODE_PARAMETER, "{value:?}");
        }
        for name in ["a b", "a:b", "a\r\nb", "ä", "a\0"] {
            assert_eq!(
                headers_of("h", &[json!({ "name": name })]).unwrap_err().code(),
                Code::NODE_PARAMETER,
                "{name:?}"
            );
        }
    }

    #[test]
    fn addresses_are_encoded_where_a_header_needs_it() {
        assert_eq!(
            encoded_address(" https://a.example/ü x?q=1#z "),
            "https://a.example/%C3%BC%20x?q=1#z"
        );
        assert_eq!(encoded_address("/a\r\nb"), "/a%0D%0Ab");
    }
}
