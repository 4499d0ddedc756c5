//! n8n's extension functions of arrays.

use super::super::eval::{Args, Machine};
use super::super::extension::{deep_equal, to_json_string};
use super::super::value::{Js, UNDEFINED, in_js_key_order};
use super::super::{EvalResult, Interrupt, meter, names};
use model::{Object, Value};
use std::sync::Arc;

/// Comparing every element with every other is kept to lists of this size.
const MAX_COMPARED: usize = 1000;

pub(super) fn call(
    machine: &mut Machine<'_>,
    values: Arc<Vec<Value>>,
    name: &str,
    args: Args,
) -> EvalResult<Js> {
    match (name, args.as_slice()) {
        ("first", []) => Ok(values.first().cloned().unwrap_or_default().into()),
        ("last", []) => Ok(values.last().cloned().unwrap_or_default().into()),
        ("isEmpty", []) => Ok(values.is_empty().into()),
        ("isNotEmpty", []) => Ok((!values.is_empty()).into()),
        ("toJsonString", []) => to_json_string(machine, &Value::Array(values)),
        // Luckily-typed extra arguments such as `(undefined)?.test` change nothing.
        ("sum", [] | [Js::Value(Value::Undefined)]) => {
            fold_numbers(&values, 0.0, |sum, number| sum + number).map(Js::from)
        }
        ("average", []) if !values.is_empty() => {
            Ok((fold_numbers(&values, 0.0, |sum, number| sum + number)? / values.len() as f64)
                .into())
        }
        ("min", []) if !values.is_empty() => {
            fold_numbers(&values, f64::INFINITY, f64::min).map(Js::from)
        }
        ("max", []) if !values.is_empty() => {
            fold_numbers(&values, f64::NEG_INFINITY, f64::max).map(Js::from)
        }
        ("append", added) if !added.is_empty() => {
            machine.allocate((values.len() + added.len()) * size_of::<Value>())?;
            let mut out = Arc::unwrap_or_clone(values);
            for value in args {
                match value.into_value()? {
                    Value::Array(_) => return Err(Interrupt::Declined),
                    value => out.push(value),
                }
            }
            Ok(Value::array(out).into())
        }
        ("chunk", [Js::Value(size)]) => {
            let size = size.as_usize().filter(|size| *size > 0).ok_or(Interrupt::Declined)?;
            machine.allocate(
                values.len().div_ceil(size) * meter::list_bytes(1)
                    + meter::list_bytes(values.len()),
            )?;
            Ok(Value::array(
                values.chunks(size).map(|chunk| Value::array(chunk.to_vec())).collect(),
            )
            .into())
        }
        ("compact", []) => {
            machine.allocate(values.len() * size_of::<Value>())?;
            compact(&values).map(Js::from)
        }
        ("unique" | "removeDuplicates", []) => unique(machine, &values).map(Js::from),
        ("unique" | "removeDuplicates", [Js::Value(Value::String(key))]) => {
            unique_by(machine, &values, key).map(Js::from)
        }
        ("union", [Js::Value(Value::Array(others))]) => {
            if values.len() + others.len() > MAX_COMPARED {
                return Err(Interrupt::Declined);
            }
            let all: Vec<Value> = values.iter().chain(others.iter()).cloned().collect();
            unique(machine, &all).map(Js::from)
        }
        ("intersection" | "difference", [Js::Value(Value::Array(others))]) => {
            let keeps_common = name == "intersection";
            let own = unique(machine, &values)?;
            // Whether repeated elements of the difference stay is not ours to guess.
            if own.len() != values.len() && !keeps_common {
                return Err(Interrupt::Declined);
            }
            let mut out = Vec::new();
            for value in own {
                if is_member(machine, others, &value)? == keeps_common {
                    out.push(value);
                }
            }
            Ok(Value::array(out).into())
        }
        ("pluck", []) => Ok(Js::Value(Value::Array(values))),
        ("toInt" | "toFloat" | "toNumber" | "toBoolean" | "toDateTime", []) => Ok(UNDEFINED),
        ("pluck", [Js::Value(Value::String(key))]) => {
            machine.allocate(values.len() * size_of::<Value>())?;
            let field = |value: &Value| {
                value
                    .get(key)
                    .filter(|field| !field.is_undefined())
                    .cloned()
                    .ok_or(Interrupt::Declined)
            };
            Ok(Value::array(values.iter().map(field).collect::<EvalResult<Vec<_>>>()?).into())
        }
        ("smartJoin", [Js::Value(Value::String(key)), Js::Value(Value::String(field))]) => {
            machine.allocate(meter::object_bytes(values.len()))?;
            smart_join(&values, key, field).map(Js::from)
        }
        _ => Err(Interrupt::Declined),
    }
}

fn fold_numbers(
    values: &[Value],
    first: f64,
    combine: impl Fn(f64, f64) -> f64,
) -> EvalResult<f64> {
    let number =
        |value: &Value| value.as_f64().filter(|number| !number.is_nan()).ok_or(Interrupt::Declined);
    values.iter().try_fold(first, |folded, value| Ok(combine(folded, number(value)?)))
}

fn compact(values: &[Value]) -> EvalResult<Vec<Value>> {
    let mut out = Vec::new();
    for value in values {
        match value {
            Value::Undefined | Value::Null => {}
            Value::String(text) if text.is_empty() || text == "nil" => {}
            Value::Array(_) | Value::Object(_) | Value::Date(_) => return Err(Interrupt::Declined),
            other => out.push(other.clone()),
        }
    }
    Ok(out)
}

fn is_member(machine: &mut Machine<'_>, values: &[Value], wanted: &Value) -> EvalResult<bool> {
    machine.spend(values.len())?;
    for value in values {
        if deep_equal(value, wanted)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn unique(machine: &mut Machine<'_>, values: &[Value]) -> EvalResult<Vec<Value>> {
    if values.len() > MAX_COMPARED {
        return Err(Interrupt::Declined);
    }
    let mut out: Vec<Value> = Vec::new();
    for value in values {
        if !is_member(machine, &out, value)? {
            out.push(value.clone());
        }
    }
    Ok(out)
}

fn unique_by(machine: &mut Machine<'_>, values: &[Value], key: &str) -> EvalResult<Vec<Value>> {
    if values.len() > MAX_COMPARED {
        return Err(Interrupt::Declined);
    }
    let (mut seen, mut out) = (Vec::new(), Vec::new());
    for value in values {
        let field = value.get(key).ok_or(Interrupt::Declined)?;
        if !is_member(machine, &seen, field)? {
            seen.push(field.clone());
            out.push(value.clone());
        }
    }
    Ok(out)
}

fn smart_join(values: &[Value], key: &str, field: &str) -> EvalResult<Object> {
    let mut out = Object::new();
    for value in values {
        let name = value
            .get(key)
            .and_then(Value::as_str)
            .filter(|name| !names::is_unsafe(name))
            .ok_or(Interrupt::Declined)?;
        out.insert(name, value.get(field).cloned().ok_or(Interrupt::Declined)?);
    }
    Ok(in_js_key_order(out))
}
