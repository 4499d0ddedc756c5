//! Reads JSON the way people write it by hand: JavaScript literals with bare keys, single quotes,
//! comments and trailing commas.

use model::memory_estimate::{self, MemoryMeter};
use model::{Object, Str, Value};

/// Nothing a person writes is nested deeper, and reading must not exhaust the stack.
const MAX_DEPTH: usize = 128;

/// The value a text spells, or nothing if it cannot be read even so.
pub fn parse(text: &str) -> Option<Value> {
    read(text, Repair::No)
}

/// As [`parse`], and mends what is broken: words without quotes, missing commas, brackets and
/// quotes that are never closed, Markdown fences around it.
pub fn repair(text: &str) -> Option<Value> {
    let text = text.trim();
    let fenced = text
        .strip_prefix("```")
        .and_then(|rest| rest.split_once('\n'))
        .map(|(_, inside)| inside.trim_end().trim_end_matches('`'));
    read(fenced.unwrap_or(text), Repair::Yes)
}

fn read(text: &str, repair: Repair) -> Option<Value> {
    // The letters of the text are kept one by one.
    let scale =
        MemoryMeter::new(text.len().saturating_mul(size_of::<char>()), memory_estimate::MAX_BYTES)?;
    let mut reader = LooseJsonParser {
        letters: text.chars().collect(),
        at: 0,
        repairs: repair == Repair::Yes,
        scale,
    };
    let value = reader.value(0)?;
    reader.skip_space();
    (reader.at == reader.letters.len()).then_some(value)
}

#[derive(PartialEq, Eq)]
enum Repair {
    No,
    Yes,
}

struct LooseJsonParser {
    letters: Vec<char>,
    at: usize,
    repairs: bool,
    scale: MemoryMeter,
}

impl LooseJsonParser {
    fn peek(&self) -> Option<char> {
        self.letters.get(self.at).copied()
    }

    fn eat(&mut self, wanted: char) -> bool {
        self.skip_space();
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn skip_space(&mut self) {
        while let Some(letter) = self.peek() {
            match (letter, self.letters.get(self.at + 1)) {
                ('/', Some('/')) => self.skip_until(|reader| reader.peek() == Some('\n')),
                ('/', Some('*')) => {
                    self.at += 2;
                    self.skip_until(|reader| reader.letters[reader.at..].starts_with(&['*', '/']));
                    self.at = (self.at + 2).min(self.letters.len());
                }
                _ if letter.is_whitespace() || letter == '\u{feff}' => self.at += 1,
                _ => return,
            }
        }
    }

    /// Whether a list or object may end here without its bracket.
    fn is_cut_off(&mut self) -> bool {
        self.skip_space();
        self.repairs && self.at >= self.letters.len()
    }

    fn skip_until(&mut self, ends: impl Fn(&Self) -> bool) {
        while self.at < self.letters.len() && !ends(self) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.skip_space();
        match self.peek()? {
            '{' => self.object(depth),
            '[' => self.array(depth),
            quote @ ('"' | '\'' | '`') => self.quoted(quote).map(Value::String),
            _ => self.bare(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut object = Object::new();
        while !self.eat('}') && !self.is_cut_off() {
            let key = match self.peek()? {
                quote @ ('"' | '\'' | '`') => self.quoted(quote)?,
                _ => self.word(|letter| letter != ':' && !letter.is_whitespace())?,
            };
            if !self.scale.key(object.len()) || !self.eat(':') {
                return None;
            }
            let value = if self.is_cut_off() { Value::Null } else { self.value(depth + 1)? };
            object.insert(key, value);
            if !self.eat(',') && !self.repairs && self.peek()? != '}' {
                return None;
            }
        }
        Some(Value::object(object))
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut values = Vec::new();
        while !self.eat(']') && !self.is_cut_off() {
            if !self.scale.element(values.len(), values.capacity()) {
                return None;
            }
            values.push(self.value(depth + 1)?);
            if !self.eat(',') && !self.repairs && self.peek()? != ']' {
                return None;
            }
        }
        Some(Value::array(values))
    }

    fn quoted(&mut self, quote: char) -> Option<Str> {
        self.at += 1;
        let mut text = Str::new();
        loop {
            let letter = match self.peek() {
                None if self.repairs => return self.scale.text(text.len()).then_some(text),
                letter => letter?,
            };
            self.at += 1;
            match letter {
                _ if letter == quote => return self.scale.text(text.len()).then_some(text),
                '\\' => {
                    let escaped = self.peek()?;
                    self.at += 1;
                    match escaped {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        'r' => text.push('\r'),
                        'b' => text.push('\u{8}'),
                        'f' => text.push('\u{c}'),
                        'u' => text.push(self.code_point()?),
                        '\n' => {}
                        other => text.push(other),
                    }
                }
                other => text.push(other),
            }
        }
    }

    /// The letter of `\uXXXX`, with the second half of a pair if it takes one.
    fn code_point(&mut self) -> Option<char> {
        let mut unit = || {
            let digits: String = self.letters.get(self.at..self.at + 4)?.iter().collect();
            self.at += 4;
            u32::from_str_radix(&digits, 16).ok()
        };
        let high = unit()?;
        if !(0xD800..0xDC00).contains(&high) {
            return Some(char::from_u32(high).unwrap_or('\u{fffd}'));
        }
        if self.letters.get(self.at..self.at + 2) != Some(&['\\', 'u']) {
            return Some('\u{fffd}');
        }
        self.at += 2;
        let digits: String = self.letters.get(self.at..self.at + 4)?.iter().collect();
        self.at += 4;
        let low = u32::from_str_radix(&digits, 16).ok()?;
        Some(
            char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low.wrapping_sub(0xDC00) & 0x3FF))
                .unwrap_or('\u{fffd}'),
        )
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> Option<Str> {
        let from = self.at;
        while self.peek().is_some_and(&belongs) {
            self.at += 1;
        }
        let word: Str = self.letters[from..self.at].iter().copied().collect();
        (!word.is_empty() && self.scale.text(word.len())).then_some(word)
    }

    fn bare(&mut self) -> Option<Value> {
        if self.repairs {
            let words =
                self.word(|letter| !matches!(letter, ',' | '}' | ']' | '{' | '[' | '\n'))?;
            let words = words.trim();
            return Some(match words {
                "True" => Value::Bool(true),
                "False" => Value::Bool(false),
                "None" | "undefined" => Value::Null,
                words => parse(words).unwrap_or_else(|| words.into()),
            });
        }
        let word = self.word(|letter| {
            !matches!(letter, ',' | '}' | ']' | ':' | '/') && !letter.is_whitespace()
        })?;
        Some(match word.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" => Value::Null,
            // A name stands for itself, `undefined` and `NaN` too.
            name if name.starts_with(|first: char| first.is_alphabetic() || first == '_') => {
                let belongs = |letter: char| letter.is_alphanumeric() || "_$".contains(letter);
                return name.chars().all(belongs).then(|| word.into());
            }
            number => {
                let (sign, digits) = match number.strip_prefix('-') {
                    Some(digits) => (-1.0, digits),
                    None => (1.0, number.strip_prefix('+').unwrap_or(number)),
                };
                let value = super::text_to_number(digits);
                if value.is_nan() {
                    return None;
                }
                Value::Number(sign * value)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, repair};
    use model::json;

    #[test]
    fn javascript_literals_are_read() {
        let text = "{int: -12345, float: .5, hex: 0x10, 'a b': \"x\", list: [1, 2,], /* note */ nested: { ok: true, }, }";
        let value = json!({ "int": -12345, "float": 0.5, "hex": 16, "a b": "x", "list": [1, 2], "nested": { "ok": true } });
        assert_eq!(parse(text), Some(value));
        assert_eq!(
            parse(r"{key: 'it\'s', face: '\ud83d\ude00'}"),
            Some(json!({ "key": "it's", "face": "😀" }))
        );
    }

    #[test]
    fn names_are_texts_and_undefined_is_mended_to_null() {
        assert_eq!(
            parse("{a: undefined, b: NaN, c: foo}"),
            Some(json!({ "a": "undefined", "b": "NaN", "c": "foo" }))
        );
        assert_eq!(
            repair("{\"a\": undefined, \"b\": [undefined], \"c\": undefinedx}"),
            Some(json!({ "a": null, "b": [null], "c": "undefinedx" }))
        );
    }

    #[test]
    fn broken_text_gives_nothing() {
        for text in ["", "{", "{a}", "{a: }", "{a: 1} x", "[1 2]", "'open", "{a: b c}"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse(&"[".repeat(5000)), None);
    }

    #[test]
    fn issue_14_09_text_that_would_take_too_much_memory_gives_nothing() {
        let text = format!("[{}]", "[0],".repeat(model::memory_estimate::MAX_BYTES / 150));
        assert_eq!(parse(&text), None);
        assert_eq!(repair(&text), None);
        assert!(
            parse(&text[..4_000_001]).is_none()
                && parse(&format!("{}]", &text[..4_000_001])).is_some()
        );
    }

    #[test]
    fn broken_text_is_mended() {
        for (text, value) in [
            ("{a: b c, 'd': 1,}", json!({ "a": "b c", "d": 1 })),
            ("{\"a\": [1, 2", json!({ "a": [1, 2] })),
            ("{\"a\": \"cut o", json!({ "a": "cut o" })),
            ("{a:", json!({ "a": null })),
            ("[1 \n 2]", json!([1, 2])),
            ("{\"a\": 1 \n \"b\": True}", json!({ "a": 1, "b": true })),
            ("```json\n{\"a\": 1}\n```", json!({ "a": 1 })),
            ("{url: http://example.com/x}", json!({ "url": "http://example.com/x" })),
        ] {
            assert_eq!(repair(text), Some(value), "{text}");
        }
        for text in ["", "{a}", "}", "]", "{:1}"] {
            assert_eq!(repair(text), None, "{text}");
        }
        assert_eq!(repair(&"[".repeat(5000)), None);
    }
}
