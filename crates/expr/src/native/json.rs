//! `JSON.stringify` and `JSON.parse`.

use super::eval::{Args, Machine};
use super::value::{Js, UNDEFINED, has_js_key_order};
use super::{EvalResult, Interrupt, meter};
use model::{Value, json, number_to_string};

const MAX_DEPTH: usize = 100;

pub(super) fn stringify(machine: &mut Machine<'_>, args: Args) -> EvalResult<Js> {
    let mut args = args.into_iter();
    let value = args.next().unwrap_or(UNDEFINED);
    if args.next().is_some_and(|replacer| !replacer.is_nullish()) {
        return Err(Interrupt::Declined);
    }
    let indent = match args.next() {
        None | Some(Js::Value(Value::Undefined | Value::Null)) => String::new(),
        Some(Js::Value(Value::Number(number))) => {
            " ".repeat(number.trunc().clamp(0.0, 10.0) as usize)
        }
        Some(Js::Value(Value::String(text))) => text.chars().take(10).collect(),
        Some(_) => return Err(Interrupt::Declined),
    };
    let value = value.into_value()?;
    if value.is_undefined() {
        return Ok(UNDEFINED);
    }
    text_of(machine, &value, &indent).map(Js::from)
}

pub(super) fn text_of(
    machine: &mut Machine<'_>,
    value: &Value,
    indent: &str,
) -> EvalResult<String> {
    let mut writer = JsonWriter { out: String::new(), indent, depth: 0 };
    machine.spend(1)?;
    writer.value(value)?;
    Ok(writer.out)
}

pub(super) fn parse(machine: &mut Machine<'_>, text: &str) -> EvalResult<Js> {
    machine.spend(text.len() / 16)?;
    if text.starts_with('\u{feff}') {
        return Err(Interrupt::Declined);
    }
    match json::parse_measured(text, meter::left()) {
        Ok((value, bytes)) => machine.allocate(bytes).map(|()| Js::Value(value)),
        // All that is left, and more: begun again elsewhere, or read by the sandbox within its own
        // memory.
        Err(error) if error.is_too_large() => match machine.allocate(usize::MAX) {
            Err(Interrupt::Unfinished) => Err(Interrupt::Unfinished),
            _ => Err(Interrupt::Declined),
        },
        Err(_) => Err(Interrupt::Declined),
    }
}

struct JsonWriter<'a> {
    out: String,
    indent: &'a str,
    depth: usize,
}

impl JsonWriter<'_> {
    fn value(&mut self, value: &Value) -> EvalResult<()> {
        meter::spend(1)?;
        meter::allocate(if let Value::String(text) = value {
            text.len() + 2
        } else {
            8 + self.indent.len() * self.depth
        })?;
        match value {
            Value::Undefined | Value::Null => self.out.push_str("null"),
            Value::Bool(flag) => self.out.push_str(if *flag { "true" } else { "false" }),
            Value::Number(number) if number.is_finite() => {
                self.out.push_str(&number_to_string(*number))
            }
            Value::Number(_) => self.out.push_str("null"),
            Value::String(text) => json::write_string(&mut self.out, text),
            Value::Date(date) => json::write_string(&mut self.out, &date.iso),
            Value::Array(values) if values.is_empty() => self.out.push_str("[]"),
            Value::Array(values) => {
                self.open('[')?;
                for (position, element) in values.iter().enumerate() {
                    self.separate(position);
                    self.value(element)?;
                }
                self.close(']');
            }
            Value::Object(object) => {
                if !has_js_key_order(object) {
                    return Err(Interrupt::Declined);
                }
                let mut fields =
                    object.iter().filter(|(_, field)| !field.is_undefined()).enumerate().peekable();
                if fields.peek().is_none() {
                    self.out.push_str("{}");
                    return Ok(());
                }
                self.open('{')?;
                for (position, (key, field)) in fields {
                    self.separate(position);
                    meter::allocate(key.len())?;
                    json::write_string(&mut self.out, key);
                    self.out.push_str(if self.indent.is_empty() { ":" } else { ": " });
                    self.value(field)?;
                }
                self.close('}');
            }
        }
        Ok(())
    }

    fn open(&mut self, bracket: char) -> EvalResult<()> {
        self.out.push(bracket);
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(Interrupt::Declined) } else { Ok(()) }
    }

    fn separate(&mut self, position: usize) {
        if position > 0 {
            self.out.push(',');
        }
        self.line();
    }

    fn close(&mut self, bracket: char) {
        self.depth -= 1;
        self.line();
        self.out.push(bracket);
    }

    fn line(&mut self) {
        if !self.indent.is_empty() {
            self.out.push('\n');
            for _ in 0..self.depth {
                self.out.push_str(self.indent);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::native::testing::{TestScope, evaluate};
    use crate::native::{MAX_BYTES, NativeFailure, measured};
    use model::{Object, Value};

    #[test]
    fn issue_14_09_json_is_charged_for_what_it_becomes() {
        let lists = |bytes: usize| Value::from(format!("[{}0]", "[0],".repeat(bytes / 192)));
        for source in ["JSON.parse($json.x).length", "$json.x.parseJson().length"] {
            let parse = |bytes: usize| {
                evaluate(source, Value::object(Object::from_iter([("x", lists(bytes))])))
            };
            assert_eq!(
                parse(2 * MAX_BYTES),
                Err(NativeFailure::Declined),
                "the sandbox has memory of its own"
            );
            assert!(parse(MAX_BYTES / 4).is_ok());
        }
        let scope = TestScope::new(Value::object(Object::from_iter([("x", lists(MAX_BYTES / 4))])));
        let (_, _, bytes) = measured("JSON.parse($json.x)", &scope).unwrap();
        assert!(bytes > MAX_BYTES / 4, "{bytes}");
    }
}
