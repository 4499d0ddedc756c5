//! Which mails to look for: n8n's list of search criteria as IMAP search keys.

use jiff::civil::Date;
use node_api::prelude::*;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MAX_DEPTH: usize = 8;

/// `["UNSEEN", ["SINCE", "2024-01-31"]]` as `UNSEEN SINCE 31-Jan-2024`.
pub(super) fn keys(list: &Value) -> Result<String, NodeError> {
    let entries = list.as_array().ok_or_else(|| wrong("it must be a list such as [\"UNSEEN\"]"))?;
    let keys: Result<Vec<String>, NodeError> = entries.iter().map(|entry| key(entry, 0)).collect();
    let keys = keys?.join(" ");
    Ok(if keys.is_empty() { "ALL".into() } else { keys })
}

fn key(entry: &Value, depth: usize) -> Result<String, NodeError> {
    if depth > MAX_DEPTH {
        return Err(wrong("it is nested too deeply"));
    }
    let (name, arguments) = match entry {
        Value::String(name) => (name.clone(), &[][..]),
        Value::Array(parts) => match parts.split_first() {
            Some((Value::String(name), arguments)) => (name.clone(), arguments),
            // A list of criteria: all of them must hold.
            Some(_) => {
                let inner: Result<Vec<String>, NodeError> =
                    parts.iter().map(|part| key(part, depth + 1)).collect();
                return Ok(format!("({})", inner?.join(" ")));
            }
            None => return Err(wrong("an entry is empty")),
        },
        other => return Err(wrong(&format!("{} is not a search criterion", other.kind_name()))),
    };
    let (not, name) = match name.strip_prefix('!') {
        Some(rest) => ("NOT ", rest),
        None => ("", name.as_str()),
    };
    let name = name.trim().to_ascii_uppercase();
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Err(wrong(&format!("'{name}' is not a search key")));
    }
    let mut made = format!("{not}{name}");
    for argument in arguments {
        made.push(' ');
        made.push_str(&match name.as_str() {
            "OR" | "NOT" => key(argument, depth + 1)?,
            "SINCE" | "BEFORE" | "ON" | "SENTSINCE" | "SENTBEFORE" | "SENTON" => {
                date(&argument.to_js_string())?
            }
            "UID" => numbers(&argument.to_js_string())?,
            "LARGER" | "SMALLER" => numbers(&argument.to_js_string())?,
            _ => quoted(&argument.to_js_string())?,
        });
    }
    Ok(made)
}

fn date(text: &str) -> Result<String, NodeError> {
    let moment = formats::dates::parse_js_date(text)
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms as i64).ok());
    let date: Date = moment
        .map(|moment| moment.to_zoned(jiff::tz::TimeZone::UTC).date())
        .ok_or_else(|| wrong(&format!("'{text}' is not a date")))?;
    Ok(format!("{:02}-{}-{:04}", date.day(), MONTHS[(date.month() - 1) as usize], date.year()))
}

fn numbers(text: &str) -> Result<String, NodeError> {
    if text.is_empty()
        || !text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b',' | b'*'))
    {
        return Err(wrong(&format!("'{text}' is not a number or range")));
    }
    Ok(text.to_owned())
}

fn quoted(text: &str) -> Result<String, NodeError> {
    if text.contains(['\r', '\n', '\0']) {
        return Err(wrong("a text has a line break"));
    }
    Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

fn wrong(why: &str) -> NodeError {
    NodeError::parameter(
        "options.customEmailConfig",
        format!("Custom email config is not valid: {why}"),
    )
    .hint("Enter a list of IMAP search keys, such as [\"UNSEEN\", [\"SINCE\", \"2024-01-31\"]].")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn criteria_become_search_keys() {
        let made = |list: Value| keys(&list).map_err(|error| error.message().to_string());
        assert_eq!(made(json!(["UNSEEN"])).unwrap(), "UNSEEN");
        assert_eq!(made(json!([])).unwrap(), "ALL");
        assert_eq!(
            made(json!(["!SEEN", ["SINCE", "2024-01-31"], ["FROM", "a \"b\""]])).unwrap(),
            "NOT SEEN SINCE 31-Jan-2024 FROM \"a \\\"b\\\"\""
        );
        assert_eq!(
            made(json!([["OR", "UNSEEN", ["SUBJECT", "x"]]])).unwrap(),
            "OR UNSEEN SUBJECT \"x\""
        );
        assert_eq!(made(json!([["UID", "4:*"]])).unwrap(), "UID 4:*");
        assert!(made(json!([["SUBJECT", "x\r\nA1 DELETE INBOX"]])).is_err());
        assert!(made(json!(["UNSEEN) A1 LOGOUT"])).is_err());
        assert!(made(json!("UNSEEN")).is_err());
    }
}
