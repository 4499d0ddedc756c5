//! Writes a [`Value`] as JSON text.

use super::plain::plain_length;
use super::{Spellings, ValuePath};
use crate::{Object, Value, number_to_string};
use std::fmt::Write as _;

/// On one line, as `JSON.stringify(value)` spells it. `undefined` alone is written as `null`.
pub fn to_string(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

/// Like [`to_string`], into a writer; a big array goes out element by element.
pub fn to_writer(out: &mut dyn std::io::Write, value: &Value) -> std::io::Result<()> {
    let Value::Array(values) = value else { return out.write_all(to_string(value).as_bytes()) };
    out.write_all(b"[")?;
    let mut buffer = String::new();
    for (position, element) in values.iter().enumerate() {
        buffer.clear();
        if position > 0 {
            buffer.push(',');
        }
        write_value(&mut buffer, element);
        out.write_all(buffer.as_bytes())?;
    }
    out.write_all(b"]")
}

/// Indented by two spaces, as n8n saves a workflow.
pub fn to_pretty_string(value: &Value, spellings: &Spellings) -> String {
    let mut writer = PrettyWriter {
        out: String::new(),
        limit: usize::MAX,
        indent: 0,
        place: ValuePath::TOP,
        spellings,
    };
    writer.value(value);
    writer.out
}

/// The beginning of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPrefix {
    pub text: String,
    /// Whether there is more of it.
    pub is_cut: bool,
}

/// The beginning of what [`to_pretty_string`] writes, of at most so many bytes. Writing stops
/// there: indentation, and what a value holds several times, make a text that is many times larger
/// than the value.
pub fn to_pretty_prefix(value: &Value, limit: usize) -> TextPrefix {
    let spellings = Spellings::default();
    let mut writer = PrettyWriter {
        out: String::new(),
        limit,
        indent: 0,
        place: ValuePath::TOP,
        spellings: &spellings,
    };
    writer.value(value);
    let is_cut = writer.is_full();
    let mut text = writer.out;
    text.truncate(text.floor_char_boundary(limit));
    TextPrefix { text, is_cut }
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Undefined | Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) => write_number(out, *number),
        Value::String(text) => write_string(out, text),
        Value::Date(date) => write_string(out, &date.iso),
        Value::Array(values) => {
            out.push('[');
            for (position, element) in values.iter().enumerate() {
                if position > 0 {
                    out.push(',');
                }
                write_value(out, element);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (position, (key, field)) in written_fields(object).enumerate() {
                if position > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write_value(out, field);
            }
            out.push('}');
        }
    }
}

fn written_fields(object: &Object) -> impl Iterator<Item = (&crate::Str, &Value)> {
    object.iter().filter(|(_, field)| !field.is_undefined())
}

fn write_number(out: &mut String, number: f64) {
    if !number.is_finite() {
        out.push_str("null");
    } else if number.fract() == 0.0 && number.abs() < 1e15 {
        let _ = write!(out, "{}", number as i64);
    } else {
        out.push_str(&number_to_string(number));
    }
}

/// Writes a text in quotes with JSON's escapes.
pub fn write_string(out: &mut String, text: &str) {
    out.reserve(text.len() + 2);
    out.push('"');
    let mut rest = text;
    loop {
        let (plain, after) = rest.split_at(plain_length(rest.as_bytes()));
        out.push_str(plain);
        let Some(byte) = after.bytes().next() else { break };
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x8 => out.push_str("\\b"),
            0xc => out.push_str("\\f"),
            _ => {
                let _ = write!(out, "\\u{byte:04x}");
            }
        }
        rest = &after[1..];
    }
    out.push('"');
}

struct PrettyWriter<'a> {
    out: String,
    /// Nothing is begun any more once more than this is written.
    limit: usize,
    indent: usize,
    place: ValuePath,
    spellings: &'a Spellings,
}

impl PrettyWriter<'_> {
    fn is_full(&self) -> bool {
        self.out.len() > self.limit
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.text(text),
            Value::Number(number) => match self.spellings.get(self.place) {
                Some(spelled) if spelled.parse() == Ok(*number) => self.out.push_str(spelled),
                _ => write_number(&mut self.out, *number),
            },
            Value::Array(values) if !values.is_empty() => {
                self.open('[');
                for (position, element) in values.iter().enumerate() {
                    if self.is_full() {
                        return;
                    }
                    self.line(position);
                    self.child(|place| place.index(position), element);
                }
                self.close(']');
            }
            Value::Object(object) if written_fields(object).next().is_some() => {
                self.open('{');
                for (position, (key, field)) in written_fields(object).enumerate() {
                    if self.is_full() {
                        return;
                    }
                    self.line(position);
                    self.text(key);
                    self.out.push_str(": ");
                    self.child(|place| place.key(key), field);
                }
                self.close('}');
            }
            other => write_value(&mut self.out, other),
        }
    }

    /// Of a long text no more than fills the rest; a few bytes on top, so that what was cut within
    /// a character is over the limit too.
    fn text(&mut self, text: &str) {
        let room = self.limit.saturating_sub(self.out.len()).saturating_add(4);
        write_string(&mut self.out, &text[..text.floor_char_boundary(room)]);
    }

    fn child(&mut self, step: impl Fn(ValuePath) -> ValuePath, value: &Value) {
        let outer = self.place;
        if !self.spellings.is_empty() {
            self.place = step(outer);
        }
        self.value(value);
        self.place = outer;
    }

    fn open(&mut self, bracket: char) {
        self.out.push(bracket);
        self.indent += 1;
    }

    fn line(&mut self, position: usize) {
        if position > 0 {
            self.out.push(',');
        }
        self.break_line();
    }

    fn close(&mut self, bracket: char) {
        self.indent -= 1;
        if self.is_full() {
            return;
        }
        self.break_line();
        self.out.push(bracket);
    }

    fn break_line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.indent));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn issue_14_00_the_beginning_of_a_text_is_all_that_is_written_of_it() {
        let value = json!({ "a": [1, "zwei", { "b": null }], "ü": "ß" });
        let whole = to_pretty_string(&value, &Spellings::default());
        for limit in 0..whole.len() + 2 {
            let TextPrefix { text, is_cut } = to_pretty_prefix(&value, limit);
            assert!(text.len() <= limit && whole.starts_with(&text), "{limit}: {text}");
            assert_eq!(is_cut, limit < whole.len(), "{limit}");
            assert!(is_cut || text == whole, "{limit}");
        }
    }

    #[test]
    fn issue_14_00_a_small_value_with_a_text_without_end_is_written_only_so_far() {
        // Each holds the one before it twice: written out, the last has 2^60 numbers.
        let doubled =
            (0..60).fold(Value::from(1), |inner, _| Value::array(vec![inner.clone(), inner]));
        // And a million lines, each of a thousand blanks.
        let nested = (0..500).fold(Value::array(vec![Value::from(1); 1_000_000]), |inner, _| {
            Value::array(vec![inner])
        });
        let long = Value::from("\u{1f600}\n".repeat(1_000_000));
        for value in [doubled, nested, long] {
            let mut writer = PrettyWriter {
                out: String::new(),
                limit: 1000,
                indent: 0,
                place: ValuePath::TOP,
                spellings: &Spellings::default(),
            };
            writer.value(&value);
            assert!(writer.is_full() && writer.out.len() < 2_100, "{}", writer.out.len());
        }
    }
}
