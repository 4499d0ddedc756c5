//! A value as JavaScript hands it over: JSON, plus `undefined` and dates.

use crate::{Object, Str, number_to_string};
use std::sync::Arc;

/// How deeply the fields of an item may be nested: a document as deep as is read, and some levels
/// around it. Whatever walks a value counts on it.
pub const MAX_ITEM_DEPTH: usize = crate::json::MAX_DEPTH + 128;

/// The one value type of items, parameters and expressions.
///
/// Cloning is cheap at any size: text, arrays and objects are shared and copied only when changed.
/// `Undefined` and `Date` live inside a run only; written as JSON an undefined key is left out
/// (`null` inside an array) and a date becomes its ISO text, as `JSON.stringify` does it.
#[derive(Clone, Debug, Default)]
pub enum Value {
    #[default]
    Undefined,
    Null,
    Bool(bool),
    /// Every number is a double, as in JavaScript. `NaN` and the infinities are written as `null`.
    Number(f64),
    String(Str),
    /// A date with the ISO text it serialises to.
    Date(Arc<DateValue>),
    Array(Arc<Vec<Value>>),
    Object(Arc<Object>),
}

/// A point in time that came out of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct DateValue {
    /// Milliseconds since the Unix epoch.
    pub epoch_ms: f64,
    /// What `toJSON()` gives: UTC for a JavaScript `Date`, with the zone's offset for a Luxon
    /// `DateTime`.
    pub iso: Str,
    pub kind: DateKind,
}

/// Which class the date had in JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateKind {
    Js,
    Luxon,
}

impl Value {
    pub fn string(text: impl Into<Str>) -> Self {
        Value::String(text.into())
    }

    pub fn array(values: Vec<Value>) -> Self {
        Value::Array(Arc::new(values))
    }

    pub fn object(object: Object) -> Self {
        Value::Object(Arc::new(object))
    }

    /// An empty object, the JSON of an item that carries nothing.
    pub fn empty_object() -> Self {
        Value::Object(Arc::default())
    }

    /// `null` or `undefined`.
    pub fn is_nullish(&self) -> bool {
        matches!(self, Value::Undefined | Value::Null)
    }

    pub fn is_undefined(&self) -> bool {
        matches!(self, Value::Undefined)
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    pub fn is_object(&self) -> bool {
        matches!(self, Value::Object(_))
    }

    pub fn is_array(&self) -> bool {
        matches!(self, Value::Array(_))
    }

    pub fn is_string(&self) -> bool {
        matches!(self, Value::String(_))
    }

    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(flag) = self { Some(*flag) } else { None }
    }

    pub fn as_f64(&self) -> Option<f64> {
        if let Value::Number(number) = self { Some(*number) } else { None }
    }

    /// The number as a non-negative whole number, if it is one.
    pub fn as_usize(&self) -> Option<usize> {
        match self {
            Value::Number(number) if *number >= 0.0 && number.fract() == 0.0 && *number <= 9e15 => {
                Some(*number as usize)
            }
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        if let Value::String(text) = self { Some(text) } else { None }
    }

    pub fn as_array(&self) -> Option<&[Value]> {
        if let Value::Array(values) = self { Some(values) } else { None }
    }

    pub fn as_object(&self) -> Option<&Object> {
        if let Value::Object(object) = self { Some(object) } else { None }
    }

    /// The object to change in place; anything else becomes an empty object first.
    pub fn make_object(&mut self) -> &mut Object {
        if !matches!(self, Value::Object(_)) {
            *self = Value::empty_object();
        }
        match self {
            Value::Object(object) => Arc::make_mut(object),
            _ => unreachable!("made an object just above"),
        }
    }

    /// The array to change in place; anything else becomes an empty array first.
    pub fn make_array(&mut self) -> &mut Vec<Value> {
        if !matches!(self, Value::Array(_)) {
            *self = Value::array(Vec::new());
        }
        match self {
            Value::Array(values) => Arc::make_mut(values),
            _ => unreachable!("made an array just above"),
        }
    }

    /// A field of an object; `None` for a missing key and for anything that is not an object.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object()?.get(key)
    }

    /// An element of an array.
    pub fn at(&self, index: usize) -> Option<&Value> {
        self.as_array()?.get(index)
    }

    /// JavaScript's truth: `undefined`, `null`, `false`, `0`, `NaN` and `''` are false.
    pub fn is_truthy(&self) -> bool {
        match self {
            Value::Undefined | Value::Null => false,
            Value::Bool(flag) => *flag,
            Value::Number(number) => *number != 0.0 && !number.is_nan(),
            Value::String(text) => !text.is_empty(),
            Value::Date(_) | Value::Array(_) | Value::Object(_) => true,
        }
    }

    /// What `String(value)` gives in JavaScript.
    pub fn to_js_string(&self) -> Str {
        match self {
            Value::Undefined => "undefined".into(),
            Value::Null => "null".into(),
            Value::Bool(flag) => if *flag { "true" } else { "false" }.into(),
            Value::Number(number) => number_to_string(*number).into(),
            Value::String(text) => text.clone(),
            Value::Date(date) => date.iso.clone(),
            Value::Array(values) => {
                let mut out = Str::new();
                for (position, value) in values.iter().enumerate() {
                    if position > 0 {
                        out.push(',');
                    }
                    if !value.is_nullish() {
                        out.push_str(&value.to_js_string());
                    }
                }
                out
            }
            Value::Object(_) => "[object Object]".into(),
        }
    }

    /// What `typeof` gives.
    pub fn type_of(&self) -> &'static str {
        match self {
            Value::Undefined => "undefined",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Null | Value::Date(_) | Value::Array(_) | Value::Object(_) => "object",
        }
    }

    /// The kind in words for error messages: like `typeof`, with arrays, dates and null told apart.
    pub fn kind_name(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Date(_) => "date",
            Value::Array(_) => "array",
            other => other.type_of(),
        }
    }

    /// Takes the value's rough size from `left`; false as soon as that is not enough. Looks no
    /// further than it must.
    pub fn fits_within(&self, left: &mut usize) -> bool {
        let own = match self {
            Value::String(text) => text.len(),
            _ => 0,
        };
        match left.checked_sub(own + size_of::<Value>()) {
            None => return false,
            Some(rest) => *left = rest,
        }
        match self {
            Value::Array(values) => values.iter().all(|value| value.fits_within(left)),
            Value::Object(object) => {
                object.iter().all(|(key, value)| match left.checked_sub(key.len()) {
                    None => false,
                    Some(rest) => {
                        *left = rest;
                        value.fits_within(left)
                    }
                })
            }
            _ => true,
        }
    }

    /// Whether lists and objects are in each other more than so many levels deep. Looks no further
    /// than it must.
    pub fn is_deeper_than(&self, levels: usize) -> bool {
        let Some(left) = levels.checked_sub(1) else {
            return matches!(self, Value::Array(_) | Value::Object(_));
        };
        match self {
            Value::Array(values) => values.iter().any(|value| value.is_deeper_than(left)),
            Value::Object(object) => object.iter().any(|(_, value)| value.is_deeper_than(left)),
            _ => false,
        }
    }

    /// Roughly how many bytes of memory the value holds, counting shared parts in full.
    pub fn estimated_bytes(&self) -> usize {
        self.estimated_within(usize::MAX).unwrap_or(usize::MAX)
    }

    /// The same; `None` if lists and objects are in each other more than so many levels deep.
    #[inline]
    pub fn estimated_within(&self, levels: usize) -> Option<usize> {
        let inner = match self {
            Value::String(text) if text.len() > 15 => text.len() + 16,
            Value::Date(date) => 40 + date.iso.len(),
            Value::Array(_) | Value::Object(_) => self.estimated_inner(levels.checked_sub(1)?)?,
            _ => 0,
        };
        Some(inner + size_of::<Value>())
    }

    /// What the values inside take, which may be so many levels deep.
    fn estimated_inner(&self, levels: usize) -> Option<usize> {
        let mut sum = 0;
        match self {
            Value::Array(values) => {
                sum += 40;
                for value in values.iter() {
                    sum += value.estimated_within(levels)?;
                }
            }
            Value::Object(object) => {
                sum += 48;
                for (key, value) in object.iter() {
                    sum += 16 + key.len() + value.estimated_within(levels)?;
                }
            }
            _ => {}
        }
        Some(sum)
    }
}

/// Deep equality. Key order does not matter and an undefined field equals a missing one.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Undefined, Value::Undefined) | (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a == b || (a.is_nan() && b.is_nan()),
            (Value::String(a), Value::String(b)) => a == b,
            (Value::Date(a), Value::Date(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => Arc::ptr_eq(a, b) || a == b,
            (Value::Object(a), Value::Object(b)) => Arc::ptr_eq(a, b) || a == b,
            _ => false,
        }
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Value::Bool(flag)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::String(text.into())
    }
}

impl From<Str> for Value {
    fn from(text: Str) -> Self {
        Value::String(text)
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Value::object(object)
    }
}

impl From<Vec<Value>> for Value {
    fn from(values: Vec<Value>) -> Self {
        Value::array(values)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Undefined, Into::into)
    }
}

macro_rules! from_number {
    ($($kind:ty),*) => { $(impl From<$kind> for Value {
        fn from(number: $kind) -> Self {
            Value::Number(number as f64)
        }
    })* };
}
from_number!(f64, f32, i64, i32, u64, u32, u16, u8, usize);

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(flag) => Value::Bool(flag),
            serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
            serde_json::Value::String(text) => Value::String(text.into()),
            serde_json::Value::Array(values) => {
                Value::array(values.into_iter().map(Value::from).collect())
            }
            serde_json::Value::Object(map) => Value::object(
                map.into_iter().map(|(key, value)| (Str::from(key), Value::from(value))).collect(),
            ),
        }
    }
}

/// Writes a [`Value`] as JSON stands: `json!({ "n": 1 })`.
#[macro_export]
macro_rules! json {
    ($($tokens:tt)+) => { $crate::Value::from($crate::json::serde_json::json!($($tokens)+)) };
}
