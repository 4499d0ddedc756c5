//! Texts inside of JSON, with their escapes.

use super::super::plain::plain_length;
use super::{JsonError, JsonReader, TOO_LARGE};
use crate::Str;

impl<'a> JsonReader<'a> {
    pub(super) fn string(&mut self) -> Result<Str, JsonError> {
        self.at += 1;
        let start = self.at;
        let plain = self.plain();
        match self.bytes.get(self.at) {
            Some(b'"') => {
                self.at += 1;
                if !self.scale.text(plain.len()) {
                    return Err(self.error(TOO_LARGE));
                }
                // Pushed, a long text is copied in one piece; `Str::from` copies byte by byte.
                let mut text = Str::with_capacity(plain.len());
                text.push_str(plain);
                Ok(text)
            }
            _ => self.escaped_string(start),
        }
    }

    /// Reads on to the next character of a string that does not stand for itself.
    fn plain(&mut self) -> &'a str {
        let from = self.at;
        self.at += plain_length(&self.bytes[from..]);
        &self.text[from..self.at]
    }

    fn escaped_string(&mut self, start: usize) -> Result<Str, JsonError> {
        let mut text = String::from(&self.text[start..self.at]);
        loop {
            match self.bytes.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    if !self.scale.text(text.len()) {
                        return Err(self.error(TOO_LARGE));
                    }
                    return Ok(text.into());
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(&mut text)?;
                }
                Some(0..0x20) => return Err(self.error("control character inside a string")),
                Some(_) => text.push_str(self.plain()),
                None => return Err(self.error("unterminated string")),
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Result<(), JsonError> {
        let escape = self.bytes.get(self.at).copied();
        self.at += 1;
        text.push(match escape {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => self.unicode_escape()?,
            _ => return Err(self.error("unknown escape")),
        });
        Ok(())
    }

    fn unicode_escape(&mut self) -> Result<char, JsonError> {
        let first = self.hex4()?;
        if (0xd800..0xdc00).contains(&first) && self.bytes[self.at..].starts_with(b"\\u") {
            let back = self.at;
            self.at += 2;
            let second = self.hex4()?;
            if (0xdc00..0xe000).contains(&second) {
                let joined = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = back;
        }
        // Half of a surrogate pair has no place in Rust's text.
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(number) = digits.and_then(|text| u32::from_str_radix(text, 16).ok()) else {
            return Err(self.error("malformed \\u escape"));
        };
        self.at += 4;
        Ok(number)
    }
}
