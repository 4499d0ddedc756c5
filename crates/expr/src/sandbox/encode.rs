//! Values on their way into the guest: JSON, with what JSON cannot say marked for `revive` in
//! `core.js`.

use super::state::{GuestState, Parcel};
use model::json::write_string;
use model::{Binary, DateKind, Item, Value, number_to_string};
use std::fmt::Write as _;

/// The only key of a marked object. Data that uses it itself is wrapped, so nothing in items can
/// pass for a mark.
const MARK: &str = "\u{1}";

pub(super) fn value_parcel(value: &Value) -> Parcel {
    let mut encoder = Encoder::default();
    encoder.value(value);
    encoder.finish()
}

/// An item as expressions and code see it: `{ json, binary?, pairedItem?, error? }`.
pub(super) fn item_parcel(state: &mut GuestState, item: &Item) -> Parcel {
    let mut encoder = Encoder::default();
    encoder.item(state, item);
    encoder.finish()
}

pub(super) fn items_parcel(state: &mut GuestState, items: impl Iterator<Item = Item>) -> Parcel {
    let mut encoder = Encoder::default();
    encoder.out.push('[');
    for (position, item) in items.enumerate() {
        if position > 0 {
            encoder.out.push(',');
        }
        encoder.item(state, &item);
    }
    encoder.out.push(']');
    encoder.finish()
}

/// `$binary`: the files of an item without their bytes.
pub(super) fn files_parcel(state: &mut GuestState, item: &Item) -> Parcel {
    let mut encoder = Encoder::default();
    encoder.files(state, item);
    encoder.finish()
}

#[derive(Default)]
struct Encoder {
    out: String,
    marked: bool,
}

impl Encoder {
    fn finish(self) -> Parcel {
        Parcel { json: self.out, marked: self.marked }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.out.push_str("null"),
            Value::Bool(flag) => self.out.push_str(if *flag { "true" } else { "false" }),
            Value::Number(number) if number.is_finite() => {
                if number.fract() == 0.0 && number.abs() < 1e15 {
                    let _ = write!(self.out, "{}", *number as i64);
                } else {
                    self.out.push_str(&number_to_string(*number));
                }
            }
            Value::String(text) => write_string(&mut self.out, text),
            Value::Array(values) => {
                self.out.push('[');
                for (position, element) in values.iter().enumerate() {
                    if position > 0 {
                        self.out.push(',');
                    }
                    self.value(element);
                }
                self.out.push(']');
            }
            Value::Object(object) if object.contains_key(MARK) => self.mark("object", |encoder| {
                encoder.out.push_str(",[");
                for (position, (key, field)) in object.iter().enumerate() {
                    if position > 0 {
                        encoder.out.push(',');
                    }
                    encoder.out.push('[');
                    write_string(&mut encoder.out, key);
                    encoder.out.push(',');
                    encoder.value(field);
                    encoder.out.push(']');
                }
                encoder.out.push(']');
            }),
            Value::Object(object) => {
                self.out.push('{');
                let fields = object.iter().filter(|(_, field)| !field.is_undefined());
                for (position, (key, field)) in fields.enumerate() {
                    if position > 0 {
                        self.out.push(',');
                    }
                    write_string(&mut self.out, key);
                    self.out.push(':');
                    self.value(field);
                }
                self.out.push('}');
            }
            Value::Undefined => self.mark("undefined", |_| ()),
            Value::Number(number) => self.mark("number", |encoder| {
                let _ = write!(encoder.out, ",\"{}\"", number_to_string(*number));
            }),
            Value::Date(date) => match date.kind {
                DateKind::Js => self.mark("date", |encoder| {
                    let _ = write!(encoder.out, ",{}", number_to_string(date.epoch_ms));
                }),
                DateKind::Luxon => self.mark("luxon", |encoder| {
                    encoder.out.push(',');
                    write_string(&mut encoder.out, &date.iso);
                }),
            },
        }
    }

    fn mark(&mut self, kind: &str, rest: impl FnOnce(&mut Self)) {
        self.marked = true;
        let _ = write!(self.out, "{{\"\\u0001\":[\"{kind}\"");
        rest(self);
        self.out.push_str("]}");
    }

    fn item(&mut self, state: &mut GuestState, item: &Item) {
        self.out.push_str("{\"json\":");
        self.value(&item.json);
        if item.binary.is_some() {
            self.out.push_str(",\"binary\":");
            self.files(state, item);
        }
        match &*item.paired {
            [] => {}
            [one] => {
                self.out.push_str(",\"pairedItem\":");
                self.value(&one.to_value());
            }
            many => {
                self.out.push_str(",\"pairedItem\":");
                self.value(&Value::array(many.iter().map(|pair| pair.to_value()).collect()));
            }
        }
        if let Some(error) = &item.error {
            self.out.push_str(",\"error\":{\"message\":");
            write_string(&mut self.out, &error.message);
            self.out.push('}');
        }
        self.out.push('}');
    }

    fn files(&mut self, state: &mut GuestState, item: &Item) {
        self.out.push('{');
        for (position, (name, file)) in
            item.binary.iter().flat_map(|files| files.iter()).enumerate()
        {
            if position > 0 {
                self.out.push(',');
            }
            write_string(&mut self.out, name);
            self.out.push(':');
            let number = file_number(state, file);
            self.mark("file", |encoder| {
                let _ = write!(encoder.out, ",{number},");
                // The bytes stay here; the guest asks for them when `data` is read.
                let described = Binary { data: Default::default(), ..file.clone() };
                let mut fields = described.to_value();
                fields.make_object().insert("fileSize", file.size_text());
                encoder.value(&fields);
            });
        }
        self.out.push('}');
    }
}

/// The number under which the guest asks for a file's bytes.
fn file_number(state: &mut GuestState, file: &Binary) -> usize {
    let same = |held: &Binary| {
        held.data.as_ptr() == file.data.as_ptr() && held.data.len() == file.data.len()
    };
    if let Some(number) = state.files.iter().rposition(same) {
        return number;
    }
    state.files.push(file.clone());
    state.files.len() - 1
}
