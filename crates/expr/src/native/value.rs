//! Values while an expression runs: plain data, and what JavaScript has beyond it.

use super::ast::Builtin;
use super::date::{self, DateTime, Span};
use super::regexp::RegExp;
use super::{EvalResult, Interrupt, meter, text};
use model::{DateKind, DateValue, Item, Object, Str, Value, number_to_string};
use std::cmp::Ordering;
use std::sync::Arc;

#[derive(Clone)]
pub(super) enum Js {
    /// Data. A `Value::Date` of the JavaScript kind is a `Date`; one of Luxon's kind has lost its
    /// zone's name.
    Value(Value),
    DateTime(Arc<DateTime>),
    Span(Arc<Span>),
    RegExp(Arc<RegExp>),
    /// A function of the program.
    Closure(u32),
    Builtin(Builtin),
    Item(Box<Item>),
    Input,
    OldNodes,
    /// `$('Name')`.
    Node(Str),
    /// `$node["Name"]`.
    OldNode(Str),
    /// `$parameter`: evaluated one by one.
    OwnParameters,
    /// `$node["Name"].parameter`.
    ParametersOf(Str),
    Set(Arc<Vec<Value>>),
    /// Something that can only be spread or made an array of.
    Iterator(Arc<Vec<Value>>),
}

pub(super) const UNDEFINED: Js = Js::Value(Value::Undefined);

/// Data inside data inside data …: deeper than this is declined, as it could exhaust the stack.
const MAX_DATA_DEPTH: usize = 64;

impl<T: Into<Value>> From<T> for Js {
    fn from(value: T) -> Self {
        Js::Value(value.into())
    }
}

impl Js {
    /// A JavaScript `Date`; an invalid one is declined.
    pub(super) fn date(ms: f64) -> EvalResult<Js> {
        if !ms.is_finite() || ms.abs() > 8.64e15 {
            return Err(Interrupt::Declined);
        }
        let ms = ms.trunc();
        Ok(Js::Value(Value::Date(Arc::new(DateValue {
            epoch_ms: ms,
            iso: date::js_iso(ms as i64),
            kind: DateKind::Js,
        }))))
    }

    /// The value as data; functions and their like have no such form.
    pub(super) fn into_value(self) -> EvalResult<Value> {
        match self {
            Js::Value(value) => Ok(value),
            Js::DateTime(date) => Ok(Value::Date(date.to_date_value())),
            Js::Item(item) if item.binary.is_none() => Ok(item.to_value()),
            _ => Err(Interrupt::Declined),
        }
    }

    pub(super) fn is_nullish(&self) -> bool {
        matches!(self, Js::Value(Value::Undefined | Value::Null))
    }

    pub(super) fn is_truthy(&self) -> bool {
        match self {
            Js::Value(value) => value.is_truthy(),
            _ => true,
        }
    }

    pub(super) fn is_function(&self) -> bool {
        matches!(self, Js::Closure(_) | Js::Builtin(_))
    }

    pub(super) fn type_of(&self) -> EvalResult<&'static str> {
        match self {
            Js::Value(value) => Ok(value.type_of()),
            Js::Closure(_) | Js::Builtin(_) => Ok("function"),
            Js::DateTime(_) | Js::Span(_) | Js::RegExp(_) | Js::Item(_) | Js::Set(_) => {
                Ok("object")
            }
            _ => Err(Interrupt::Declined),
        }
    }

    /// `String(value)`.
    pub(super) fn to_text(&self) -> EvalResult<Str> {
        match self {
            Js::Value(value) => value_to_text(value, 0),
            Js::DateTime(date) => Ok(date.iso()),
            Js::Item(_) => Ok("[object Object]".into()),
            _ => Err(Interrupt::Declined),
        }
    }

    /// `Number(value)`.
    pub(super) fn to_number(&self) -> EvalResult<f64> {
        match self {
            Js::Value(Value::Number(number)) => Ok(*number),
            Js::Value(value) => value_to_number(value),
            Js::DateTime(date) => Ok(date.ms as f64),
            _ => Err(Interrupt::Declined),
        }
    }

    /// The key that `object[value]` looks for.
    pub(super) fn to_key(&self) -> EvalResult<Str> {
        match self {
            Js::Value(Value::String(text)) => Ok(text.clone()),
            Js::Value(Value::Undefined | Value::Null | Value::Bool(_) | Value::Number(_)) => {
                self.to_text()
            }
            _ => Err(Interrupt::Declined),
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        if let Js::Value(Value::String(text)) = self { Some(text) } else { None }
    }
}

pub(super) fn value_to_text(value: &Value, depth: usize) -> EvalResult<Str> {
    Ok(match value {
        Value::Date(date) if date.kind == DateKind::Js => {
            date::js_date_text(date.epoch_ms as i64, true)
        }
        Value::Array(values) => {
            if depth > MAX_DATA_DEPTH {
                return Err(Interrupt::Declined);
            }
            join(values, ",", depth + 1)?
        }
        // An object with a `toString` of its own may say anything.
        Value::Object(object)
            if object.contains_key("toString") || object.contains_key("valueOf") =>
        {
            return Err(Interrupt::Declined);
        }
        other => other.to_js_string(),
    })
}

/// What `join` gives: nothing for `null` and `undefined`.
pub(super) fn join(values: &[Value], separator: &str, depth: usize) -> EvalResult<Str> {
    let mut out = String::new();
    for (position, value) in values.iter().enumerate() {
        if position > 0 {
            out.push_str(separator);
        }
        meter::spend(1)?;
        match value {
            Value::Undefined | Value::Null => meter::allocate(separator.len())?,
            Value::String(text) => {
                meter::allocate(separator.len() + text.len())?;
                out.push_str(text);
            }
            other => {
                let text = value_to_text(other, depth)?;
                meter::allocate(separator.len() + text.len())?;
                out.push_str(&text);
            }
        }
    }
    Ok(out.into())
}

fn value_to_number(value: &Value) -> EvalResult<f64> {
    Ok(match value {
        Value::Undefined => f64::NAN,
        Value::Null => 0.0,
        Value::Bool(flag) => f64::from(u8::from(*flag)),
        Value::Number(number) => *number,
        Value::String(text) => {
            meter::spend(text.len() / 256)?;
            text::to_number(text)
        }
        Value::Date(date) => date.epoch_ms,
        Value::Array(_) | Value::Object(_) => text::to_number(&value_to_text(value, 0)?),
    })
}

/// `ToPrimitive` with the hint that `+` and `==` give.
fn to_primitive(value: &Js) -> EvalResult<Value> {
    match value {
        Js::Value(data @ (Value::Array(_) | Value::Object(_))) => {
            value_to_text(data, 0).map(Value::String)
        }
        Js::Value(Value::Date(date)) if date.kind == DateKind::Js => {
            Ok(Value::String(date::js_date_text(date.epoch_ms as i64, true)))
        }
        Js::Value(Value::Date(date)) => Ok(Value::Number(date.epoch_ms)),
        Js::Value(data) => Ok(data.clone()),
        Js::DateTime(date) => Ok(Value::Number(date.ms as f64)),
        _ => Err(Interrupt::Declined),
    }
}

fn is_primitive(value: &Value) -> bool {
    !matches!(value, Value::Date(_) | Value::Array(_) | Value::Object(_))
}

/// `+`.
pub(super) fn add(left: &Js, right: &Js) -> EvalResult<Value> {
    let (left, right) = (to_primitive(left)?, to_primitive(right)?);
    if left.is_string() || right.is_string() {
        let mut out = left.to_js_string();
        match right {
            Value::String(right) => push_charged(&mut out, &right)?,
            other => push_charged(&mut out, &other.to_js_string())?,
        }
        return Ok(Value::String(out));
    }
    Ok(Value::Number(value_to_number(&left)? + value_to_number(&right)?))
}

fn push_charged(out: &mut Str, more: &str) -> EvalResult<()> {
    meter::allocate_text(out.len() + more.len())?;
    out.push_str(more);
    Ok(())
}

/// `===`. Two objects are the same only if they are one; we cannot tell.
pub(super) fn is_same(left: &Js, right: &Js) -> EvalResult<bool> {
    match (left, right) {
        (Js::Value(left), Js::Value(right)) => same_values(left, right),
        (Js::Value(value), _) | (_, Js::Value(value)) if is_primitive(value) => Ok(false),
        _ => Err(Interrupt::Declined),
    }
}

pub(super) fn same_values(left: &Value, right: &Value) -> EvalResult<bool> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Ok(left == right),
        (Value::String(left), Value::String(right)) => same_texts(left, right),
        (left, right) if is_primitive(left) || is_primitive(right) => {
            Ok(is_primitive(left) && is_primitive(right) && left == right)
        }
        _ => Err(Interrupt::Declined),
    }
}

fn same_texts(left: &Str, right: &Str) -> EvalResult<bool> {
    if left.len() != right.len() {
        return Ok(false);
    }
    meter::spend(left.len() / 1024)?;
    Ok(left == right)
}

/// `==`.
pub(super) fn is_equal(left: &Js, right: &Js) -> EvalResult<bool> {
    match (left.is_nullish(), right.is_nullish()) {
        (true, true) => return Ok(true),
        (false, false) => {}
        _ => return Ok(false),
    }
    let simple = |side: &Js| matches!(side, Js::Value(value) if is_primitive(value));
    if !simple(left) && !simple(right) {
        return Err(Interrupt::Declined);
    }
    let (left, right) = (to_primitive(left)?, to_primitive(right)?);
    Ok(match (&left, &right) {
        (Value::String(left), Value::String(right)) => same_texts(left, right)?,
        _ => value_to_number(&left)? == value_to_number(&right)?,
    })
}

/// How two values compare with `<` and its like; `None` when one of them is `NaN`.
pub(super) fn compare(left: &Js, right: &Js) -> EvalResult<Option<Ordering>> {
    let number_first = |side: &Js| match side {
        Js::Value(Value::Date(date)) => Ok(Value::Number(date.epoch_ms)),
        other => to_primitive(other),
    };
    let (left, right) = (number_first(left)?, number_first(right)?);
    if let (Value::String(left), Value::String(right)) = (&left, &right) {
        meter::spend(left.len().min(right.len()) / 256)?;
        return Ok(Some(text::compare(left, right)));
    }
    Ok(value_to_number(&left)?.partial_cmp(&value_to_number(&right)?))
}

/// A field of plain data, as `value.key` or `value['key']` reads it.
pub(super) fn member<'a>(value: &'a Value, key: &str) -> EvalResult<std::borrow::Cow<'a, Value>> {
    use std::borrow::Cow;
    if let Value::String(text) = value
        && text.len() > 256
    {
        meter::spend(text.len() / 256)?;
    }
    match value {
        Value::Object(object) => match object.get(key) {
            Some(found) => Ok(Cow::Borrowed(found)),
            None if super::names::is_object_prototype(key) => Err(Interrupt::Declined),
            None => Ok(Cow::Owned(Value::Undefined)),
        },
        Value::Array(values) => match array_index(key) {
            Some(index) => {
                Ok(values.get(index).map_or(Cow::Owned(Value::Undefined), Cow::Borrowed))
            }
            None if key == "length" => Ok(Cow::Owned(Value::Number(values.len() as f64))),
            None => missing_member(key).map(Cow::Owned),
        },
        Value::String(text) => match array_index(key) {
            Some(index) => {
                let length = text::length(text);
                let part = if index < length {
                    Value::from(text::part(text, index, index + 1).ok_or(Interrupt::Declined)?)
                } else {
                    Value::Undefined
                };
                Ok(Cow::Owned(part))
            }
            None if key == "length" => Ok(Cow::Owned(Value::Number(text::length(text) as f64))),
            None => missing_member(key).map(Cow::Owned),
        },
        Value::Number(_) | Value::Bool(_) => missing_member(key).map(Cow::Owned),
        Value::Undefined | Value::Null => Err(Interrupt::TypeError),
        Value::Date(_) => Err(Interrupt::Declined),
    }
}

fn missing_member(key: &str) -> EvalResult<Value> {
    if super::names::is_prototype_method(key) {
        Err(Interrupt::Declined)
    } else {
        Ok(Value::Undefined)
    }
}

/// The array index a key stands for: digits without leading zeros.
pub(super) fn array_index(key: &str) -> Option<usize> {
    let is_index = !key.is_empty()
        && key.len() < 10
        && key.bytes().all(|byte| byte.is_ascii_digit())
        && (key.len() == 1 || !key.starts_with('0'));
    if is_index { key.parse().ok() } else { None }
}

/// Whether the keys stand as JavaScript would list them: whole numbers first, in order.
pub(super) fn has_js_key_order(object: &Object) -> bool {
    let mut last = None;
    let mut seen_name = false;
    for key in object.keys() {
        match array_index(key) {
            Some(index) => {
                if seen_name || last.is_some_and(|last| last > index) {
                    return false;
                }
                last = Some(index);
            }
            None => seen_name = true,
        }
    }
    true
}

/// Puts keys that are whole numbers first, as JavaScript does it.
pub(super) fn in_js_key_order(object: Object) -> Object {
    if has_js_key_order(&object) {
        return object;
    }
    let (mut numbers, names): (Vec<_>, Vec<_>) =
        object.into_iter().partition(|(key, _)| array_index(key).is_some());
    numbers.sort_by_key(|(key, _)| array_index(key));
    numbers.into_iter().chain(names).collect()
}

pub(super) fn number_text(number: f64) -> Str {
    number_to_string(number).into()
}

/// Walks a result once, so that one which is far larger written out than it is in memory never
/// leaves.
pub(super) fn check_output(value: &Value) -> EvalResult<()> {
    match value {
        Value::Array(values) => values.iter().try_for_each(|element| {
            meter::spend(1)?;
            check_output(element)
        }),
        Value::Object(object) => object.iter().try_for_each(|(_, field)| {
            meter::spend(1)?;
            check_output(field)
        }),
        Value::String(text) => meter::spend(text.len() / 64),
        _ => Ok(()),
    }
}

/// Arrays inside arrays deeper than this are declined: dropping and writing them walks down step by
/// step.
const MAX_GROWN_DEPTH: usize = 150;

/// Checks what `reduce` made in one round, looking only at the parts that the round before did not
/// have.
pub(super) fn check_growth(before: &Value, now: &Value) -> EvalResult<()> {
    match (before, now) {
        (Value::Array(before), Value::Array(now)) => {
            for (at, element) in now.iter().enumerate() {
                if !before.get(at).is_some_and(|older| is_one(older, element)) {
                    check_depth(element, 1)?;
                }
            }
            Ok(())
        }
        (Value::Object(before), Value::Object(now)) => {
            for (key, field) in now.iter() {
                if !before.get(key).is_some_and(|older| is_one(older, field)) {
                    check_depth(field, 1)?;
                }
            }
            Ok(())
        }
        _ => check_depth(now, 0),
    }
}

/// Whether two values are one and the same piece of memory, or too simple to hold another.
fn is_one(older: &Value, newer: &Value) -> bool {
    match (older, newer) {
        (Value::Array(older), Value::Array(newer)) => Arc::ptr_eq(older, newer),
        (Value::Object(older), Value::Object(newer)) => Arc::ptr_eq(older, newer),
        (_, newer) => is_primitive(newer),
    }
}

fn check_depth(value: &Value, depth: usize) -> EvalResult<()> {
    if depth > MAX_GROWN_DEPTH {
        return Err(Interrupt::Declined);
    }
    match value {
        Value::Array(values) => {
            values.iter().filter(|element| !is_primitive(element)).try_for_each(|element| {
                meter::spend(1)?;
                check_depth(element, depth + 1)
            })
        }
        Value::Object(object) => {
            object.values().filter(|field| !is_primitive(field)).try_for_each(|field| {
                meter::spend(1)?;
                check_depth(field, depth + 1)
            })
        }
        _ => Ok(()),
    }
}
