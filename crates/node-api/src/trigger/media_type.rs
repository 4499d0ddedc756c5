//! The media type of a response, parsed strictly and written anew, so that every browser reads the
//! same type.

use std::fmt::{self, Write as _};

/// Longer values are not media types.
const MAX_LENGTH: usize = 256;

/// Types that no browser runs as a document of the origin that served them. PDF is among them
/// because browsers show it in a viewer of another origin, and a sandboxed document could not be
/// shown at all.
const INERT: &[&str] = &[
    "application/gzip",
    "application/json",
    "application/jsonl",
    "application/octet-stream",
    "application/pdf",
    "application/x-ndjson",
    "application/zip",
    "audio/aac",
    "audio/flac",
    "audio/mp4",
    "audio/mpeg",
    "audio/ogg",
    "audio/wav",
    "audio/webm",
    "image/avif",
    "image/bmp",
    "image/gif",
    "image/jpeg",
    "image/png",
    "image/webp",
    "text/csv",
    "text/event-stream",
    "text/plain",
    "video/mp4",
    "video/ogg",
    "video/webm",
];

/// A response whose parts are documents of their own, with headers that the body chooses. Nothing
/// we say about the response binds them.
const REPLACING: &str = "multipart/x-mixed-replace";

/// A media type such as `text/html; charset=utf-8`: one type, and parameters that hold no comma,
/// semicolon or quote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MediaType {
    text: String,
    essence_length: usize,
}

impl MediaType {
    /// What is sent in place of a type that cannot be sent.
    pub const FALLBACK: &str = "application/octet-stream";

    /// `None` for everything that two parsers could read differently: several types, bytes that are
    /// not ASCII, a value that is not a token where one is needed.
    pub fn parse(value: &str) -> Option<Self> {
        if value.len() > MAX_LENGTH {
            return None;
        }
        let (essence, parameters) = value.split_once(';').unwrap_or((value, ""));
        let (kind, subtype) = trimmed(essence).split_once('/')?;
        if !is_token(kind) || !is_token(subtype) {
            return None;
        }
        let mut text = format!("{kind}/{subtype}");
        text.make_ascii_lowercase();
        if text == REPLACING {
            return None;
        }
        let essence_length = text.len();
        for parameter in
            parameters.split(';').map(trimmed).filter(|parameter| !parameter.is_empty())
        {
            let (name, value) = parameter.split_once('=')?;
            let bare =
                value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
            match is_token(bare) {
                _ if !is_token(name) => return None,
                true => write!(text, "; {name}={bare}").ok()?,
                false if bare.len() < value.len() && is_plain(bare) => {
                    write!(text, "; {name}=\"{bare}\"").ok()?
                }
                false => return None,
            }
        }
        Some(Self { text, essence_length })
    }

    /// The type without its parameters, in lower case.
    pub fn essence(&self) -> &str {
        self.text.get(..self.essence_length).unwrap_or_default()
    }

    /// Whether no browser runs a response of this type as a document of its origin.
    pub fn is_inert(&self) -> bool {
        INERT.binary_search(&self.essence()).is_ok()
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for MediaType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// A token of HTTP.
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// What may stand between quotes without meaning anything to a parser that does not know quotes.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !b"\",;\\".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(INERT.is_sorted());
    }

    #[test]
    fn a_type_is_written_anew() {
        for (value, written) in [
            ("text/html", "text/html"),
            ("Text/HTML; Charset=UTF-8", "text/html; Charset=UTF-8"),
            (" text/plain ;charset=\"utf-8\";; ", "text/plain; charset=utf-8"),
            ("multipart/mixed; boundary=\"a b=c\"", "multipart/mixed; boundary=\"a b=c\""),
            ("application/vnd.api+json", "application/vnd.api+json"),
        ] {
            assert_eq!(
                MediaType::parse(value).map(|found| found.to_string()).as_deref(),
                Some(written),
                "{value}"
            );
        }
    }

    #[test]
    fn issue_14_05_a_value_that_browsers_read_as_another_type_is_no_type() {
        for value in [
            "",
            "html",
            "/",
            "text/",
            "*/*,text/html",
            "application/json, text/html",
            "image/png,text/html",
            "text/plain;a=b,text/html",
            "text/plain;a=\"b,text/html\"",
            "text/plain;a=\"b\\\",text/html",
            "text/plain;a=\",text/html",
            "text/plain; a = b",
            "text/plain text/html",
            "text/plain\u{a0}",
            "text/pläin",
            "application/json\u{2028}",
            "text/plain;\u{e9}=1",
            "text/plain;charset=\u{e9}",
            "multipart/x-mixed-replace; boundary=x",
            "Multipart/X-Mixed-Replace",
            &format!("text/plain; a={}", "b".repeat(MAX_LENGTH)),
        ] {
            assert_eq!(MediaType::parse(value), None, "{value:?}");
        }
    }

    #[test]
    fn only_types_of_the_list_are_inert() {
        let is_inert = |value: &str| MediaType::parse(value).is_some_and(|found| found.is_inert());
        assert!(
            is_inert("application/json; charset=utf-8")
                && is_inert("IMAGE/PNG")
                && is_inert("text/plain")
        );
        for active in [
            "text/html",
            "image/svg+xml",
            "application/xhtml+xml",
            "text/xml",
            "text/javascript",
            "text/plain1",
            "image/pngx",
        ] {
            assert!(!is_inert(active), "{active}");
        }
    }
}
