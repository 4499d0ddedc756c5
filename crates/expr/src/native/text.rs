//! Texts as JavaScript counts them: in UTF-16 units.

use model::Str;
use std::cmp::Ordering;

/// What `trim()` takes off and numbers may be surrounded by.
pub(crate) fn is_js_whitespace(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}'
    ) || matches!(
        character,
        '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// The `length` of a text.
pub(super) fn length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// The byte position of a UTF-16 position; `None` inside a surrogate pair.
fn byte_at(text: &str, position: usize) -> Option<usize> {
    if text.is_ascii() {
        return Some(position.min(text.len()));
    }
    let mut units = 0;
    for (at, character) in text.char_indices() {
        if units == position {
            return Some(at);
        }
        if units > position {
            return None;
        }
        units += character.len_utf16();
    }
    (units <= position).then_some(text.len())
}

/// The part between two UTF-16 positions; `None` when it would cut a character in half.
pub(super) fn part(text: &str, from: usize, to: usize) -> Option<&str> {
    if from >= to {
        return Some("");
    }
    text.get(byte_at(text, from)?..byte_at(text, to)?)
}

/// The UTF-16 position of a byte position.
pub(super) fn units_before(text: &str, byte: usize) -> usize {
    length(text.get(..byte).unwrap_or(text))
}

/// Where `wanted` first stands at or after a UTF-16 position.
pub(super) fn find_from(text: &str, wanted: &str, from: usize) -> Option<Option<usize>> {
    let start = byte_at(text, from)?;
    Some(text[start..].find(wanted).map(|at| units_before(text, start + at)))
}

/// The order of `<` on texts: by UTF-16 units.
pub(super) fn compare(one: &str, two: &str) -> Ordering {
    if one.is_ascii() || two.is_ascii() {
        one.cmp(two)
    } else {
        one.encode_utf16().cmp(two.encode_utf16())
    }
}

/// Whether every character is one UTF-16 unit.
pub(super) fn is_single_units(text: &str) -> bool {
    text.is_ascii() || text.chars().all(|character| character.len_utf16() == 1)
}

/// `encodeURIComponent` and `encodeURI`, which leaves more characters as they are.
pub(super) fn percent_encode(text: &str, kept: &str) -> Str {
    let mut out = Str::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
            out.push(byte as char);
        } else {
            out.push('%');
            out.push(hex_digit(byte >> 4));
            out.push(hex_digit(byte & 15));
        }
    }
    out
}

pub(super) const COMPONENT_KEEPS: &str = "-_.!~*'()";
pub(super) const URI_KEEPS: &str = "-_.!~*'();/?:@&=+$,#";

/// `decodeURIComponent` and `decodeURI`, which leaves some escapes as they are. `None`: malformed.
pub(super) fn percent_decode(text: &str, kept: &str) -> Option<Str> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            let digits = text
                .get(at + 1..at + 3)
                .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
            let byte = u8::from_str_radix(digits, 16).ok()?;
            if byte < 0x80 && kept.as_bytes().contains(&byte) {
                out.extend_from_slice(&bytes[at..at + 3]);
            } else {
                out.push(byte);
            }
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8(out).ok().map(Str::from)
}

fn hex_digit(value: u8) -> char {
    char::from_digit(u32::from(value), 16).unwrap_or('0').to_ascii_uppercase()
}

/// What `Number(text)` gives.
pub(super) fn to_number(text: &str) -> f64 {
    let text = text.trim_matches(is_js_whitespace);
    if text.is_empty() {
        return 0.0;
    }
    for (prefix, radix) in [("0x", 16), ("0X", 16), ("0b", 2), ("0B", 2), ("0o", 8), ("0O", 8)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let mut number = 0.0f64;
            for digit in digits.chars() {
                match digit.to_digit(radix) {
                    Some(digit) => number = number * f64::from(radix) + f64::from(digit),
                    None => return f64::NAN,
                }
            }
            return if digits.is_empty() { f64::NAN } else { number };
        }
    }
    match text {
        "Infinity" | "+Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        _ if text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) =>
        {
            text.parse().unwrap_or(f64::NAN)
        }
        _ => f64::NAN,
    }
}

/// What `parseFloat(text)` gives: the longest number the text starts with.
pub(super) fn parse_float(text: &str) -> f64 {
    let text = text.trim_start_matches(is_js_whitespace);
    let bytes = text.as_bytes();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    if text[sign..].starts_with("Infinity") {
        return if bytes[0] == b'-' { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let whole = digits(sign);
    let mut end = whole;
    if bytes.get(whole) == Some(&b'.') {
        let fraction = digits(whole + 1);
        if fraction > whole + 1 || whole > sign {
            end = fraction;
        }
    }
    if end == sign || &text[sign..end] == "." {
        return f64::NAN;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let from = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(from);
        if exponent > from {
            end = exponent;
        }
    }
    text[..end].parse().unwrap_or(f64::NAN)
}

/// What `parseInt(text, radix)` gives; `None` where doubles would round and engines differ.
pub(super) fn parse_int(text: &str, radix: f64) -> Option<f64> {
    let text = text.trim_matches(is_js_whitespace);
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut radix = super::number::to_int32(radix);
    let mut digits = text;
    if (radix == 0 || radix == 16)
        && let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
    {
        radix = 16;
        digits = hex;
    }
    if radix == 0 {
        radix = 10;
    }
    if !(2..=36).contains(&radix) {
        return Some(f64::NAN);
    }
    let end = digits.find(|digit: char| !digit.is_digit(radix as u32)).unwrap_or(digits.len());
    if end == 0 {
        return Some(f64::NAN);
    }
    let number = if radix == 10 {
        digits[..end].parse().ok()?
    } else {
        u64::from_str_radix(&digits[..end], radix as u32).ok().filter(|n| *n < 1 << 53)? as f64
    };
    Some(if negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf16_units_and_never_cut_a_character() {
        assert_eq!(length("a😀b"), 4);
        assert_eq!(part("a😀b", 0, 1), Some("a"));
        assert_eq!(part("a😀b", 1, 3), Some("😀"));
        assert_eq!(part("a😀b", 0, 2), None);
        assert_eq!(part("äb", 1, 9), Some("b"));
        assert_eq!(find_from("a😀b", "b", 0), Some(Some(3)));
    }

    #[test]
    fn numbers_are_read_as_javascript_reads_them() {
        for (text, number) in [
            ("", 0.0),
            (" 12 ", 12.0),
            ("0x1f", 31.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("-Infinity", f64::NEG_INFINITY),
        ] {
            assert_eq!(to_number(text), number, "{text}");
        }
        for text in ["12px", "inf", "nan", "1e", "--1", "0x", "1 2"] {
            assert!(to_number(text).is_nan(), "{text}");
        }
        assert_eq!(parse_float("3.25abc"), 3.25);
        assert_eq!(parse_float("-.5e1x"), -5.0);
        assert_eq!(parse_float("1e"), 1.0);
        assert!(parse_float(".").is_nan());
        assert_eq!(parse_int("42px", 0.0), Some(42.0));
        assert_eq!(parse_int("0x1f", 0.0), Some(31.0));
        assert_eq!(parse_int("101", 2.0), Some(5.0));
    }

    #[test]
    fn escapes_come_back_as_they_went() {
        let encoded = percent_encode("a b/ä&", COMPONENT_KEEPS);
        assert_eq!(encoded, "a%20b%2F%C3%A4%26");
        assert_eq!(percent_decode(&encoded, "").as_deref(), Some("a b/ä&"));
        assert_eq!(percent_decode("%zz", ""), None);
    }
}
