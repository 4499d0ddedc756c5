//! Methods of arrays: JavaScript's and n8n's.

mod lists;
mod sort;

use super::eval::{Args, Machine};
use super::statics::same_value_zero;
use super::value::{self, Js, UNDEFINED, join};
use super::{EvalResult, Interrupt, meter, number};
use model::{Str, Value};
use smallvec::smallvec;
use std::sync::Arc;

pub(super) fn call(
    machine: &mut Machine<'_>,
    values: Arc<Vec<Value>>,
    name: &str,
    args: Args,
    fresh: bool,
) -> EvalResult<Js> {
    machine.spend(values.len() / 8 + 1)?;
    match name {
        "map" | "filter" | "find" | "findIndex" | "findLast" | "findLastIndex" | "some"
        | "every" | "forEach" | "flatMap" => with_callback(machine, values, name, &args),
        "reduce" | "reduceRight" => reduce(machine, &values, args, name == "reduceRight"),
        "sort" | "reverse" | "pop" | "shift" | "push" | "unshift" | "splice" | "fill" => {
            // These change the array; that goes unseen only while nothing else holds it.
            if fresh { in_place(machine, values, name, &args) } else { Err(Interrupt::Declined) }
        }
        "toSorted" => in_place(machine, values, "sort", &args),
        "toReversed" => in_place(machine, values, "reverse", &args),
        _ => plain(machine, values, name, args),
    }
}

/// The element at a position, counted from the end if it is negative.
pub(super) fn at(values: &[Value], position: f64) -> Value {
    let position = number::to_integer(position);
    let position = if position < 0.0 { values.len() as f64 + position } else { position };
    if position < 0.0 {
        Value::Undefined
    } else {
        values.get(position as usize).cloned().unwrap_or_default()
    }
}

fn plain(
    machine: &mut Machine<'_>,
    values: Arc<Vec<Value>>,
    name: &str,
    args: Args,
) -> EvalResult<Js> {
    let length = values.len();
    let position = |at: usize, default: usize| -> EvalResult<usize> {
        match args.get(at) {
            None | Some(Js::Value(Value::Undefined)) => Ok(default),
            Some(arg) => Ok(number::relative_position(arg.to_number()?, length)),
        }
    };
    match name {
        "join" | "toString" => {
            let separator = match args.first() {
                None | Some(Js::Value(Value::Undefined)) => Str::from(","),
                Some(_) if name == "toString" => return Err(Interrupt::Declined),
                Some(separator) => separator.to_text()?,
            };
            join(&values, &separator, 0).map(Js::from)
        }
        "slice" => {
            let (from, to) = (position(0, 0)?, position(1, length)?);
            let part = values.get(from..to.max(from)).unwrap_or_default();
            machine.allocate(size_of_val(part))?;
            Ok(Value::array(part.to_vec()).into())
        }
        "concat" => {
            let added = args.iter().map(|arg| {
                if let Js::Value(Value::Array(others)) = arg { others.len() } else { 1 }
            });
            machine.allocate((values.len() + added.sum::<usize>()) * size_of::<Value>())?;
            let mut out = Arc::unwrap_or_clone(values);
            for arg in args {
                match arg {
                    Js::Value(Value::Array(others)) => {
                        machine.spend(others.len() / 8)?;
                        out.extend(others.iter().cloned());
                    }
                    other => out.push(other.into_value()?),
                }
            }
            Ok(Value::array(out).into())
        }
        "includes" | "indexOf" => {
            let wanted = args.first().cloned().unwrap_or(UNDEFINED).into_value()?;
            let from = position(1, 0)?;
            let rest = values.get(from..).unwrap_or_default();
            if name == "includes" {
                return contains(rest, &wanted).map(Js::from);
            }
            let mut found = -1.0;
            for (at, candidate) in rest.iter().enumerate() {
                if value::same_values(candidate, &wanted)? {
                    found = (from + at) as f64;
                    break;
                }
            }
            Ok(found.into())
        }
        "lastIndexOf" if args.len() == 1 => {
            let wanted = args.first().cloned().unwrap_or(UNDEFINED).into_value()?;
            for (at, candidate) in values.iter().enumerate().rev() {
                if value::same_values(candidate, &wanted)? {
                    return Ok(at.into());
                }
            }
            Ok((-1).into())
        }
        "at" => Ok(at(&values, args.first().unwrap_or(&UNDEFINED).to_number()?).into()),
        "flat" => {
            let depth = match args.first() {
                None | Some(Js::Value(Value::Undefined)) => 1.0,
                Some(depth) => number::to_integer(depth.to_number()?),
            };
            let mut out = Vec::new();
            flatten(&values, depth.clamp(0.0, 64.0) as usize, &mut out)?;
            Ok(Value::array(out).into())
        }
        "keys" if args.is_empty() => {
            machine.allocate(length * size_of::<Value>())?;
            Ok(Js::Iterator(Arc::new((0..length).map(Value::from).collect())))
        }
        "values" if args.is_empty() => Ok(Js::Iterator(values)),
        "entries" if args.is_empty() => {
            machine.allocate(length * (meter::list_bytes(2) + size_of::<Value>()))?;
            let entries = values
                .iter()
                .enumerate()
                .map(|(at, value)| Value::array(vec![at.into(), value.clone()]));
            Ok(Js::Iterator(Arc::new(entries.collect())))
        }
        _ => lists::call(machine, values, name, args),
    }
}

pub(super) fn contains(values: &[Value], wanted: &Value) -> EvalResult<bool> {
    for candidate in values {
        if same_value_zero(candidate, wanted)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn flatten(values: &[Value], depth: usize, out: &mut Vec<Value>) -> EvalResult<()> {
    for value in values {
        meter::spend(1)?;
        match value {
            Value::Array(inner) if depth > 0 => flatten(inner, depth - 1, out)?,
            other => {
                meter::allocate(size_of::<Value>())?;
                out.push(other.clone());
            }
        }
    }
    Ok(())
}

fn with_callback(
    machine: &mut Machine<'_>,
    values: Arc<Vec<Value>>,
    name: &str,
    args: &[Js],
) -> EvalResult<Js> {
    let [function] = args else { return Err(Interrupt::Declined) };
    if !function.is_function() {
        return Err(Interrupt::Declined);
    }
    let length = values.len();
    if name == "map" {
        machine.allocate(length * size_of::<Value>())?;
    }
    let mut out = Vec::with_capacity(if name == "map" { length } else { 0 });
    let backwards = name.starts_with("findLast");
    for step in 0..length {
        let at = if backwards { length - 1 - step } else { step };
        let Some(element) = values.get(at) else { break };
        let result = machine.call_for_element(function, element, at, &values)?;
        match name {
            "map" => out.push(result.into_value()?),
            "flatMap" => match result.into_value()? {
                Value::Array(inner) => {
                    machine.spend(inner.len())?;
                    machine.allocate(inner.len() * size_of::<Value>())?;
                    out.extend(inner.iter().cloned());
                }
                other => {
                    machine.allocate(size_of::<Value>())?;
                    out.push(other);
                }
            },
            "filter" if result.is_truthy() => out.push(element.clone()),
            "find" | "findLast" if result.is_truthy() => return Ok(element.clone().into()),
            "findIndex" | "findLastIndex" if result.is_truthy() => return Ok(at.into()),
            "some" if result.is_truthy() => return Ok(true.into()),
            "every" if !result.is_truthy() => return Ok(false.into()),
            _ => {}
        }
    }
    if name == "filter" {
        machine.allocate(size_of_val(out.as_slice()))?;
    }
    Ok(match name {
        "map" | "flatMap" | "filter" => Value::array(out).into(),
        "findIndex" | "findLastIndex" => (-1).into(),
        "some" => false.into(),
        "every" => true.into(),
        _ => UNDEFINED,
    })
}

fn reduce(
    machine: &mut Machine<'_>,
    values: &Arc<Vec<Value>>,
    args: Args,
    backwards: bool,
) -> EvalResult<Js> {
    let mut args = args.into_iter();
    let Some(function) = args.next().filter(Js::is_function) else {
        return Err(Interrupt::Declined);
    };
    let mut order: Box<dyn Iterator<Item = usize>> =
        if backwards { Box::new((0..values.len()).rev()) } else { Box::new(0..values.len()) };
    let mut result = match args.next() {
        Some(initial) => initial,
        // Without a first value an empty array is an error.
        None => order
            .next()
            .and_then(|at| values.get(at).cloned())
            .map(Js::Value)
            .ok_or(Interrupt::Declined)?,
    };
    for at in order {
        let element = values.get(at).cloned().unwrap_or_default();
        let before = if let Js::Value(before @ (Value::Array(_) | Value::Object(_))) = &result {
            before.clone()
        } else {
            Value::Undefined
        };
        result = machine.call(
            &function,
            smallvec![result, element.into(), at.into(), Js::Value(Value::Array(values.clone()))],
        )?;
        if let Js::Value(now @ (Value::Array(_) | Value::Object(_))) = &result {
            value::check_growth(&before, now)?;
        }
    }
    Ok(result)
}

/// Methods that change the array, on an array that is ours alone.
fn in_place(
    machine: &mut Machine<'_>,
    values: Arc<Vec<Value>>,
    name: &str,
    args: &[Js],
) -> EvalResult<Js> {
    machine.allocate(values.len() * size_of::<Value>())?;
    let mut values = Arc::unwrap_or_clone(values);
    match (name, args) {
        ("sort", []) | ("sort", [Js::Value(Value::Undefined)]) => {
            sort::by_text(machine, values).map(Js::from)
        }
        ("sort", [function]) if function.is_function() => {
            sort::by_function(machine, values, function).map(Js::from)
        }
        ("reverse", []) => {
            values.reverse();
            Ok(Value::array(values).into())
        }
        ("pop", []) => Ok(values.pop().unwrap_or_default().into()),
        ("shift", []) => Ok(if values.is_empty() { UNDEFINED } else { values.remove(0).into() }),
        ("push" | "unshift", added) => Ok((values.len() + added.len()).into()),
        ("splice", [start]) => {
            let start = number::relative_position(start.to_number()?, values.len());
            Ok(Value::array(values.split_off(start)).into())
        }
        ("splice", [start, count, ..]) => {
            let start = number::relative_position(start.to_number()?, values.len());
            let count = number::to_integer(count.to_number()?)
                .clamp(0.0, (values.len() - start) as f64) as usize;
            Ok(Value::array(values.drain(start..start + count).collect()).into())
        }
        ("fill", [filling]) => {
            let filling = filling.clone().into_value()?;
            Ok(Value::array(vec![filling; values.len()]).into())
        }
        _ => Err(Interrupt::Declined),
    }
}
