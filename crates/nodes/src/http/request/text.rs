//! Bytes of an answer as text, in the character set it was written in.

use encoding_rs::{Encoding, GB18030, UTF_8, WINDOWS_1252};
use std::borrow::Cow;

/// The text of a body. The `charset` of the content type decides; without one it is UTF-8, or the
/// likeliest older set.
pub(super) fn decode<'b>(body: &'b [u8], content_type: &str) -> Cow<'b, str> {
    if let Some(encoding) = charset(content_type).filter(|encoding| *encoding != UTF_8) {
        return encoding.decode(body).0;
    }
    let (text, had_errors) = UTF_8.decode_with_bom_removal(body);
    if !had_errors {
        return text;
    }
    // Chinese text has hardly a byte below 0x80; Western text has few above.
    let n_high = body.iter().filter(|byte| **byte >= 0x80).count();
    let likely = if n_high * 3 > body.len() { GB18030 } else { WINDOWS_1252 };
    likely.decode_without_bom_handling_and_without_replacement(body).unwrap_or(text)
}

fn charset(content_type: &str) -> Option<&'static Encoding> {
    let lower = content_type.to_ascii_lowercase();
    let (_, after) = lower.split_once("charset=")?;
    let label = after.split([';', ',', ' ', '\t']).next()?.trim_matches(['"', '\'']);
    Encoding::for_label(label.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_charset_decides() {
        assert_eq!(decode(b"d\xeda", "text/plain; charset=latin1"), "día");
        assert_eq!(decode(b"d\xeda", "text/plain; charset=\"ISO-8859-1\""), "día");
        assert_eq!(decode("día".as_bytes(), "text/plain; charset=utf-8"), "día");
        assert_eq!(decode("día".as_bytes(), ""), "día");
        assert_eq!(decode("\u{feff}x".as_bytes(), ""), "x");
        assert_eq!(decode(b"d\xeda", "text/plain"), "día");
        assert_eq!(decode(b"\xc4\xe3\xba\xc3", ""), "你好");
        assert_eq!(decode(b"x", "text/plain; charset=nonsense"), "x");
    }
}
