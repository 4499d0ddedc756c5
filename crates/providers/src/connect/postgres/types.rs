//! PostgreSQL's texts as JSON, by the number of the column's type.

use super::super::dates;
use super::super::result_budget::TextForm;
use model::{Object, Value};
use node_api::connect::{DateForm, NumberForm, ValueForms};

/// A value of a type in JSON; what has no closer form stays a text.
pub(super) fn read(kind: u32, text: &str, forms: ValueForms) -> Value {
    match kind {
        16 => Value::Bool(text == "t"),
        20 => number(text, forms.big_integers),
        21 | 23 | 26 | 700 | 701 => number(text, NumberForm::Number),
        1700 => number(text, forms.decimals),
        114 | 3802 => model::json::parse(text).unwrap_or_else(|_| text.into()),
        17 => bytes(text),
        1082 if forms.dates == DateForm::AsWritten => text.into(),
        // Moments are the same in both forms: the server writes them in a way that few readers
        // know.
        1082 | 1114 | 1184 => dates::iso(text).map_or_else(|| text.into(), Value::from),
        1186 => interval(text),
        600 => point(text),
        _ => match element_of(kind) {
            Some(element) => ArrayReader { text: text.as_bytes(), at: 0 }
                .read(element, forms, 0)
                .unwrap_or_else(|| text.into()),
            None => text.into(),
        },
    }
}

/// What a value of a type becomes.
pub(super) fn form(kind: u32) -> TextForm {
    if matches!(kind, 17 | 114 | 3802) || element_of(kind).is_some() {
        TextForm::Nested
    } else {
        TextForm::Plain
    }
}

/// The type of an array type's elements.
fn element_of(kind: u32) -> Option<u32> {
    Some(match kind {
        1000 => 16,
        1001 => 17,
        1005 => 21,
        1007 => 23,
        1016 => 20,
        1021 => 700,
        1022 => 701,
        1028 => 26,
        1231 => 1700,
        1115 => 1114,
        1182 => 1082,
        1185 => 1184,
        1187 => 1186,
        1017 => 600,
        199 => 114,
        3807 => 3802,
        1002 | 1003 | 1008 | 1009 | 1014 | 1015 | 1040 | 1041 | 1183 | 1270 | 2951 | 651 | 143 => {
            25
        }
        _ => return None,
    })
}

fn number(text: &str, form: NumberForm) -> Value {
    let Ok(number) = text.parse::<f64>() else { return text.into() };
    match form {
        NumberForm::Text => text.into(),
        NumberForm::NumberIfExact if number.abs() > 9_007_199_254_740_991.0 => text.into(),
        // JSON has no word for infinity and for what is not a number.
        _ if !number.is_finite() => text.into(),
        _ => Value::Number(number),
    }
}

/// `\x0aff` as Node.js shows a buffer in JSON.
fn bytes(text: &str) -> Value {
    let digits = text.strip_prefix("\\x").unwrap_or(text).as_bytes();
    let nibble = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
    let byte = |pair: &[u8]| Some(nibble(*pair.first()?)? << 4 | nibble(*pair.get(1)?)?);
    let data: Option<Vec<Value>> =
        digits.chunks(2).map(|pair| byte(pair).map(Value::from)).collect();
    data.map_or_else(
        || text.into(),
        |data| Object::from_iter([("type", Value::from("Buffer")), ("data", data.into())]).into(),
    )
}

/// `1 year 2 mons 3 days 04:05:06.7` as its parts.
fn interval(text: &str) -> Value {
    let mut parts = Object::new();
    let mut words = text.split(' ');
    while let Some(word) = words.next() {
        if word.contains(':') {
            let sign = if word.starts_with('-') { -1.0 } else { 1.0 };
            let mut clock = word
                .trim_start_matches(['-', '+'])
                .split(':')
                .map(|part| part.parse::<f64>().unwrap_or(0.0) * sign);
            let (hours, minutes, seconds) =
                (clock.next(), clock.next(), clock.next().unwrap_or(0.0));
            let millis = ((seconds - seconds.trunc()) * 1_000_000.0).round() / 1000.0;
            for (name, value) in [
                ("hours", hours.unwrap_or(0.0)),
                ("minutes", minutes.unwrap_or(0.0)),
                ("seconds", seconds.trunc()),
                ("milliseconds", millis),
            ] {
                if value != 0.0 {
                    parts.insert(name, value);
                }
            }
        } else if let (Ok(count), Some(unit)) = (word.parse::<f64>(), words.next()) {
            let name = match unit.trim_end_matches('s') {
                "mon" => "months".to_owned(),
                unit => format!("{unit}s"),
            };
            parts.insert(name, count);
        } else {
            return text.into();
        }
    }
    parts.into()
}

fn point(text: &str) -> Value {
    let parts = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .and_then(|inner| inner.split_once(','));
    match parts.map(|(x, y)| (x.parse::<f64>(), y.parse::<f64>())) {
        Some((Ok(x), Ok(y))) => Object::from_iter([("x", x), ("y", y)]).into(),
        _ => text.into(),
    }
}

/// Reads `{1,"two",NULL,{3}}`.
struct ArrayReader<'t> {
    text: &'t [u8],
    at: usize,
}

impl ArrayReader<'_> {
    const MAX_DEPTH: usize = 6;

    fn read(&mut self, element: u32, forms: ValueForms, depth: usize) -> Option<Value> {
        // `[2:4]={…}` tells bounds that JSON cannot keep.
        if depth == 0 && self.text.first() == Some(&b'[') {
            self.at = self.text.iter().position(|byte| *byte == b'=')? + 1;
        }
        if depth > Self::MAX_DEPTH || self.next()? != b'{' {
            return None;
        }
        let mut values = Vec::new();
        if self.peek()? == b'}' {
            self.at += 1;
            return Some(values.into());
        }
        loop {
            values.push(match self.peek()? {
                b'{' => self.read(element, forms, depth + 1)?,
                b'"' => read(element, &self.quoted()?, forms),
                _ => match self.bare()?.as_str() {
                    "NULL" => Value::Null,
                    text => read(element, text, forms),
                },
            });
            match self.next()? {
                b',' => {}
                b'}' => return Some(values.into()),
                _ => return None,
            }
        }
    }

    fn quoted(&mut self) -> Option<String> {
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            match self.next()? {
                b'"' => return String::from_utf8(bytes).ok(),
                b'\\' => bytes.push(self.next()?),
                byte => bytes.push(byte),
            }
        }
    }

    fn bare(&mut self) -> Option<String> {
        let rest = self.text.get(self.at..)?;
        let end = rest.iter().position(|byte| matches!(byte, b',' | b'}'))?;
        self.at += end;
        String::from_utf8(rest.get(..end)?.to_vec()).ok()
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    const FORMS: ValueForms = ValueForms {
        big_integers: NumberForm::Text,
        decimals: NumberForm::Text,
        dates: DateForm::Iso,
    };

    #[test]
    fn texts_become_the_json_of_their_type() {
        let cases = [
            (16, "t", json!(true)),
            (20, "9007199254740993", json!("9007199254740993")),
            (23, "-5", json!(-5)),
            (1700, "1.10", json!("1.10")),
            (701, "NaN", json!("NaN")),
            (3802, r#"{"a": [1]}"#, json!({ "a": [1] })),
            (17, "\\x00ff", json!({ "type": "Buffer", "data": [0, 255] })),
            (1082, "2024-02-29", json!("2024-02-29T00:00:00.000Z")),
            (1114, "2024-02-29 10:11:12.5", json!("2024-02-29T10:11:12.500Z")),
            (1184, "2024-02-29 10:11:12+02", json!("2024-02-29T08:11:12.000Z")),
            (1184, "infinity", json!("infinity")),
            (
                1186,
                "1 year 2 mons -3 days 04:05:06.7",
                json!({ "years": 1, "months": 2, "days": -3, "hours": 4, "minutes": 5, "seconds": 6, "milliseconds": 700 }),
            ),
            (1007, "{1,NULL,3}", json!([1, null, 3])),
            (1009, r#"{a,"b, \"c\"",NULL,"NULL"}"#, json!(["a", "b, \"c\"", null, "NULL"])),
            (1007, "[0:1]={{1,2},{3,4}}", json!([[1, 2], [3, 4]])),
            (1009, "{broken", json!("{broken")),
            (600, "(1.5,-2)", json!({ "x": 1.5, "y": -2 })),
            (99999, "whatever", json!("whatever")),
        ];
        for (kind, text, expected) in cases {
            assert_eq!(read(kind, text, FORMS), expected, "{kind} {text}");
        }
        let numbers =
            ValueForms { big_integers: NumberForm::Number, decimals: NumberForm::Number, ..FORMS };
        assert_eq!((read(20, "12", numbers), read(1700, "1.10", numbers)), (json!(12), json!(1.1)));
        let days = ValueForms { dates: DateForm::AsWritten, ..FORMS };
        assert_eq!(read(1082, "2024-02-29", days), json!("2024-02-29"));
        assert_eq!(read(1182, "{2024-02-29,NULL}", days), json!(["2024-02-29", null]));
        assert_eq!(read(1114, "2024-02-29 10:11:12", days), json!("2024-02-29T10:11:12.000Z"));
    }
}
