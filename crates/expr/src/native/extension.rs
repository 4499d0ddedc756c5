//! Finds the method of a value: JavaScript's own first, then n8n's extension functions.

use super::eval::{Args, Machine};
use super::value::Js;
use super::{
    EvalResult, Interrupt, array, date_methods, json, meter, nodes, number_methods, object, string,
};
use model::Value;
use std::sync::Arc;

/// Pays for what a call made, as far as it has not done so itself since `before`. Every method and
/// function that is called passes here.
#[inline(always)]
pub(super) fn charge_result(before: usize, made: &EvalResult<Js>) -> EvalResult<()> {
    match made {
        // Numbers and short texts take nothing beside the value itself.
        Err(_)
        | Ok(Js::Value(Value::Undefined | Value::Null | Value::Bool(_) | Value::Number(_))) => {
            Ok(())
        }
        Ok(Js::Value(Value::String(text))) if meter::text_bytes(text.len()) == 0 => Ok(()),
        Ok(made) => charge(before, made),
    }
}

/// A date, an item, a node.
const OTHER_BYTES: usize = 128;

/// Pays for what the scope gave, unless it only lent what it has.
pub(super) fn charge_scope_value(value: Js) -> EvalResult<Js> {
    let bytes = match &value {
        Js::Value(data @ Value::Object(fields)) if Arc::strong_count(fields) == 1 => {
            data.estimated_bytes()
        }
        Js::Value(data @ Value::Array(values)) if Arc::strong_count(values) == 1 => {
            data.estimated_bytes()
        }
        Js::Value(_) | Js::Input | Js::OldNodes => return Ok(value),
        _ => OTHER_BYTES,
    };
    meter::allocate(bytes).map(|()| value)
}

fn charge(before: usize, made: &Js) -> EvalResult<()> {
    let bytes = match made {
        Js::Value(Value::String(text)) => meter::text_bytes(text.len()),
        Js::Value(Value::Array(values)) | Js::Set(values) | Js::Iterator(values) => {
            meter::list_bytes(values.len())
        }
        Js::Value(Value::Object(fields)) => meter::object_bytes(fields.len()),
        _ => OTHER_BYTES,
    };
    meter::allocate(bytes.saturating_sub(meter::allocated().saturating_sub(before)))
}

pub(super) fn call_method(
    machine: &mut Machine<'_>,
    object: Js,
    name: &str,
    args: Args,
    fresh: bool,
) -> EvalResult<Js> {
    match object {
        Js::Value(Value::String(text)) => string::call(machine, text, name, args),
        Js::Value(Value::Array(values)) => array::call(machine, values, name, args, fresh),
        Js::Value(Value::Object(fields)) => object::call(machine, fields, name, &args),
        Js::Value(Value::Number(number)) => number_methods::number(machine, number, name, &args),
        Js::Value(Value::Bool(flag)) => number_methods::boolean(flag, name, &args),
        Js::Value(Value::Date(_)) | Js::DateTime(_) | Js::Span(_) => {
            date_methods::call(machine, &object, name, &args, fresh)
        }
        Js::RegExp(regexp) => string::regexp_call(&regexp, name, &args),
        Js::Set(members) if name == "has" && args.len() == 1 => {
            let wanted = args.into_iter().next().map_or(Ok(Value::Undefined), Js::into_value)?;
            array::contains(&members, &wanted).map(Js::from)
        }
        Js::Item(_) if name == "toJsonString" && args.is_empty() => {
            let value = object.into_value()?;
            json::text_of(machine, &value, "").map(Js::from)
        }
        Js::Input | Js::Node(_) => nodes::call(machine, &object, name, &args),
        _ => Err(Interrupt::Declined),
    }
}

/// `toJsonString()`, which every kind of data has.
pub(super) fn to_json_string(machine: &mut Machine<'_>, value: &Value) -> EvalResult<Js> {
    json::text_of(machine, value, "").map(Js::from)
}

/// Deep equality as n8n's list functions use it.
pub(super) fn deep_equal(left: &Value, right: &Value) -> EvalResult<bool> {
    meter::spend(1)?;
    match (left, right) {
        (Value::Date(_), _) | (_, Value::Date(_)) => Err(Interrupt::Declined),
        (Value::Undefined, other) | (other, Value::Undefined) => Ok(other.is_undefined()),
        (Value::Number(left), Value::Number(right)) if left.is_nan() || right.is_nan() => {
            Err(Interrupt::Declined)
        }
        (Value::Array(left), Value::Array(right)) => {
            if left.len() != right.len() {
                return Ok(false);
            }
            for (left, right) in left.iter().zip(right.iter()) {
                if !deep_equal(left, right)? {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        (Value::Object(left), Value::Object(right)) => {
            if left.len() != right.len() {
                return Ok(false);
            }
            for (key, left) in left.iter() {
                match right.get(key) {
                    Some(right) if deep_equal(left, right)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        _ => Ok(left == right),
    }
}
