//! Reads JSON text into a [`Value`].

mod strings;

use super::{Spellings, ValuePath};
use crate::memory_estimate::{self, MemoryMeter};
use crate::{Object, Value, number_to_string};
use std::sync::{Arc, LazyLock};

/// Arrays and objects may be nested this deep; the reader refuses more instead of exhausting the
/// stack.
pub const MAX_DEPTH: usize = 512;

/// All empty ones share these: in a text of two letters each they would take many times its size.
static EMPTY_ARRAY: LazyLock<Arc<Vec<Value>>> = LazyLock::new(Arc::default);
static EMPTY_OBJECT: LazyLock<Arc<Object>> = LazyLock::new(Arc::default);

/// Why a text is not JSON, or cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at line {line}, column {column}")]
pub struct JsonError {
    pub what: &'static str,
    pub line: usize,
    pub column: usize,
}

const TOO_LARGE: &str = "more values than fit into memory";

impl JsonError {
    /// Whether the text may well be JSON, and only too much of it.
    pub fn is_too_large(&self) -> bool {
        self.what == TOO_LARGE
    }
}

/// Reads one JSON value; nothing but white space may follow it. It may take as much memory as
/// [`memory_estimate::MAX_BYTES`] says.
pub fn parse(text: &str) -> Result<Value, JsonError> {
    parse_within(text, memory_estimate::MAX_BYTES)
}

/// The same for a value that may take about so many bytes of memory.
pub fn parse_within(text: &str, max_bytes: usize) -> Result<Value, JsonError> {
    JsonReader::new(text, max_bytes)?.document()
}

/// The same. Tells how much it takes, too.
pub fn parse_measured(text: &str, max_bytes: usize) -> Result<(Value, usize), JsonError> {
    let mut reader = JsonReader::new(text, max_bytes)?;
    let value = reader.document()?;
    Ok((value, reader.scale.used()))
}

/// Reads one JSON value and notes every number whose spelling is not the usual one.
pub fn parse_with_spellings(text: &str) -> Result<(Value, Spellings), JsonError> {
    let mut reader = JsonReader::new(text, memory_estimate::MAX_BYTES)?;
    reader.spellings = Some(Spellings::default());
    let value = reader.document()?;
    Ok((value, reader.spellings.unwrap_or_default()))
}

/// What the spelling of a number takes where it is noted.
const SPELLING_BYTES: usize = 64;

struct JsonReader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    /// What the values take.
    scale: MemoryMeter,
    /// The place of the value being read; kept up only when spellings are asked for.
    place: ValuePath,
    /// What was found so far, when spellings are asked for.
    spellings: Option<Spellings>,
}

impl<'a> JsonReader<'a> {
    fn new(text: &'a str, max_bytes: usize) -> Result<Self, JsonError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Some(scale) = MemoryMeter::new(text.len(), max_bytes) else {
            return Err(JsonError { what: TOO_LARGE, line: 1, column: 1 });
        };
        Ok(Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth: 0,
            scale,
            place: ValuePath::TOP,
            spellings: None,
        })
    }

    fn document(&mut self) -> Result<Value, JsonError> {
        let value = self.value()?;
        self.skip_space();
        if self.at < self.bytes.len() {
            return Err(self.error("unexpected text after the JSON value"));
        }
        Ok(value)
    }

    #[cold]
    fn error(&self, what: &'static str) -> JsonError {
        let before = &self.bytes[..self.at.min(self.bytes.len())];
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        JsonError {
            what,
            line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
            column: before.len() - line_start + 1,
        }
    }

    fn skip_space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Result<Value, JsonError> {
        self.skip_space();
        match self.bytes.get(self.at) {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Value::String),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => Err(self.error("unexpected character")),
            None => Err(self.error("unexpected end of the text")),
        }
    }

    fn nested(
        &mut self,
        read: fn(&mut Self) -> Result<Value, JsonError>,
    ) -> Result<Value, JsonError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error("nested too deep"));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, JsonError> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.error("unexpected character"));
        }
        self.at += word.len();
        Ok(value)
    }

    fn object(&mut self) -> Result<Value, JsonError> {
        let mut object = Object::new();
        self.skip_space();
        if self.bytes.get(self.at) == Some(&b'}') {
            self.at += 1;
            return Ok(Value::Object(EMPTY_OBJECT.clone()));
        }
        loop {
            self.skip_space();
            if self.bytes.get(self.at) != Some(&b'"') {
                return Err(self.error("expected a key in quotes"));
            }
            let key = self.string()?;
            if !self.scale.key(object.len()) {
                return Err(self.error(TOO_LARGE));
            }
            self.skip_space();
            if self.bytes.get(self.at) != Some(&b':') {
                return Err(self.error("expected ':' after the key"));
            }
            self.at += 1;
            let outer = self.place;
            if self.spellings.is_some() {
                self.place = outer.key(&key);
            }
            let value = self.value()?;
            self.place = outer;
            object.insert(key, value);
            self.skip_space();
            match self.bytes.get(self.at) {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::object(object));
                }
                _ => return Err(self.error("expected ',' or '}'")),
            }
        }
    }

    fn array(&mut self) -> Result<Value, JsonError> {
        let mut values = Vec::new();
        self.skip_space();
        if self.bytes.get(self.at) == Some(&b']') {
            self.at += 1;
            return Ok(Value::Array(EMPTY_ARRAY.clone()));
        }
        loop {
            let outer = self.place;
            if self.spellings.is_some() {
                self.place = outer.index(values.len());
            }
            if !self.scale.element(values.len(), values.capacity()) {
                return Err(self.error(TOO_LARGE));
            }
            values.push(self.value()?);
            self.place = outer;
            self.skip_space();
            match self.bytes.get(self.at) {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::array(values));
                }
                _ => return Err(self.error("expected ',' or ']'")),
            }
        }
    }

    fn number(&mut self) -> Result<Value, JsonError> {
        let start = self.at;
        let digits = |reader: &mut Self| {
            let from = reader.at;
            while matches!(reader.bytes.get(reader.at), Some(b'0'..=b'9')) {
                reader.at += 1;
            }
            reader.at > from
        };
        if self.bytes[self.at] == b'-' {
            self.at += 1;
        }
        let zero = self.bytes.get(self.at) == Some(&b'0');
        let whole = self.at;
        if !digits(self) || (zero && self.at - whole > 1) {
            return Err(self.error("malformed number"));
        }
        let mut plain = true;
        if self.bytes.get(self.at) == Some(&b'.') {
            plain = false;
            self.at += 1;
            if !digits(self) {
                return Err(self.error("malformed number"));
            }
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            plain = false;
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if !digits(self) {
                return Err(self.error("malformed number"));
            }
        }
        let spelled = &self.text[start..self.at];
        let number = match plain && spelled.len() < 16 {
            true => spelled
                .parse::<i64>()
                .map(|number| if spelled == "-0" { -0.0 } else { number as f64 })
                .ok(),
            false => spelled.parse::<f64>().ok(),
        };
        let Some(number) = number else { return Err(self.error("malformed number")) };
        if let Some(found) = &mut self.spellings
            && number_to_string(number) != spelled
        {
            found.note(self.place, spelled);
            if !self.scale.take(SPELLING_BYTES) {
                return Err(self.error(TOO_LARGE));
            }
        }
        Ok(Value::Number(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{to_pretty_string, to_string};

    #[test]
    fn what_is_read_is_written_back() {
        for text in [
            r#"{"b":1,"a":[true,false,null,"x\"y\\z\n"],"n":-0.5}"#,
            r#""😀 é \u0001""#,
            "[]",
            "{}",
            "12345678901234567890",
        ] {
            let value = parse(text).unwrap();
            let again = parse(&to_string(&value)).unwrap();
            assert_eq!(value, again, "{text}");
        }
        assert_eq!(parse(r#""\ud83d\ude00 \ud83d x""#).unwrap().as_str(), Some("😀 \u{fffd} x"));
    }

    #[test]
    fn unusual_spellings_survive_a_round_trip() {
        let text =
            "{\n  \"a\": 1.0,\n  \"b\": [\n    1e3,\n    12345678901234567890,\n    7\n  ]\n}";
        let (value, spellings) = parse_with_spellings(text).unwrap();
        assert_eq!(to_pretty_string(&value, &spellings), text);
    }

    #[test]
    fn bad_text_is_refused_with_its_place() {
        for text in [
            "",
            "{",
            "[1,]",
            "{\"a\" 1}",
            "01",
            "1.",
            "\"\u{1}\"",
            "nul",
            "[1] x",
            "\"\\u12",
            "{\"a\":1,}",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let error = parse("{\n  \"a\": x}").unwrap_err();
        assert_eq!((error.line, error.column), (2, 8));
        assert_eq!(parse(&"[".repeat(100_000)).unwrap_err().what, "nested too deep");
    }
}
