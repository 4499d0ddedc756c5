//! Functions that stand alone: JavaScript's, and n8n's `$if`, `$min`, `$jmespath` and so on.

use super::ast::Builtin;
use super::eval::{Args, Machine};
use super::value::{self, Js, UNDEFINED};
use super::{EvalResult, Interrupt, meter, names, nodes, text};
use model::{Object, Str, Value};

/// Longest list that `numberList` makes.
const MAX_LIST: f64 = 100_000.0;

pub(super) fn call(machine: &mut Machine<'_>, function: Builtin, args: Args) -> EvalResult<Js> {
    if machine.is_code() && !super::code::has_function(function) {
        return Err(Interrupt::Declined);
    }
    let first = args.first().unwrap_or(&UNDEFINED);
    match function {
        Builtin::ParseInt => {
            let radix = args.get(1).map_or(Ok(0.0), Js::to_number)?;
            Ok(text::parse_int(&first.to_text()?, radix).ok_or(Interrupt::Declined)?.into())
        }
        Builtin::ParseFloat => Ok(text::parse_float(&first.to_text()?).into()),
        Builtin::IsNaN => Ok(first.to_number()?.is_nan().into()),
        Builtin::IsFinite => Ok(first.to_number()?.is_finite().into()),
        Builtin::EncodeUri | Builtin::EncodeUriComponent => {
            let text = paid(machine, first, 2)?;
            Ok(text::percent_encode(
                &text,
                if function == Builtin::EncodeUri {
                    text::URI_KEEPS
                } else {
                    text::COMPONENT_KEEPS
                },
            )
            .into())
        }
        Builtin::DecodeUri | Builtin::DecodeUriComponent => {
            let text = paid(machine, first, 1)?;
            let kept = if function == Builtin::DecodeUri { ";/?:@&=+$,#" } else { "" };
            text::percent_decode(&text, kept).map(Js::from).ok_or(Interrupt::Declined)
        }
        Builtin::String => args.first().map_or(Ok("".into()), Js::to_text).map(Js::from),
        Builtin::Number => args.first().map_or(Ok(0.0), Js::to_number).map(Js::from),
        Builtin::Boolean => Ok(first.is_truthy().into()),
        Builtin::Node => match first {
            Js::Value(Value::String(name)) => nodes::node(machine, name),
            _ => Err(Interrupt::Declined),
        },
        Builtin::Items => nodes::items_function(machine, &args),
        Builtin::FromAi => {
            let is_plain = |part: char| part.is_ascii_alphanumeric() || part == '_' || part == '-';
            let key = first
                .as_str()
                .filter(|key| !key.is_empty() && key.len() <= 64 && key.chars().all(is_plain))
                .ok_or(Interrupt::Declined)?;
            let default = match args.get(3) {
                Some(Js::Value(value)) if !value.is_undefined() => Some(value.clone()),
                Some(Js::Value(_)) | None => None,
                Some(_) => return Err(Interrupt::Declined),
            };
            Ok(Js::Value(machine.scope.ai_value(key, default)?))
        }
        Builtin::If => {
            let chosen = if first.is_truthy() {
                args.get(1).cloned().unwrap_or(UNDEFINED)
            } else {
                args.get(2).cloned().unwrap_or(Js::from(false))
            };
            Ok(chosen)
        }
        Builtin::IfEmpty => {
            let Js::Value(data) = first else { return Err(Interrupt::Declined) };
            if args.len() < 2 {
                return Err(Interrupt::Declined);
            }
            let is_empty = match data {
                Value::Undefined | Value::Null => true,
                Value::String(text) => text.is_empty(),
                Value::Array(values) => values.is_empty(),
                Value::Object(object) => object.is_empty(),
                Value::Date(_) => return Err(Interrupt::Declined),
                Value::Bool(_) | Value::Number(_) => false,
            };
            Ok(if is_empty { args.get(1).cloned().unwrap_or(UNDEFINED) } else { first.clone() })
        }
        Builtin::Not => Ok((!first.is_truthy()).into()),
        Builtin::Min | Builtin::Max => {
            if args.iter().any(|arg| numbers_only(arg).is_err()) {
                return Err(Interrupt::Declined);
            }
            super::statics::extreme(&args, function == Builtin::Min)
        }
        Builtin::Average => {
            let numbers = args.iter().map(numbers_only).collect::<EvalResult<Vec<_>>>()?;
            if numbers.is_empty() {
                return Err(Interrupt::Declined);
            }
            Ok((numbers.iter().sum::<f64>() / numbers.len() as f64).into())
        }
        Builtin::NumberList => {
            let (from, to) =
                (numbers_only(first)?, args.get(1).map_or(Err(Interrupt::Declined), numbers_only)?);
            if from.fract() != 0.0 || to.fract() != 0.0 || to < from || to - from > MAX_LIST {
                return Err(Interrupt::Declined);
            }
            let count = (to - from) as usize + 1;
            machine.spend(count)?;
            machine.allocate(count * size_of::<Value>())?;
            Ok(Value::array((0..count).map(|step| Value::Number(from + step as f64)).collect())
                .into())
        }
        Builtin::Zip => {
            let (Some(Js::Value(Value::Array(keys))), Some(Js::Value(Value::Array(values)))) =
                (args.first(), args.get(1))
            else {
                return Err(Interrupt::Declined);
            };
            if keys.len() != values.len() {
                return Err(Interrupt::Declined);
            }
            machine.spend(keys.len())?;
            machine.allocate(meter::object_bytes(keys.len()))?;
            let mut object = Object::with_capacity(keys.len());
            for (key, field) in keys.iter().zip(values.iter()) {
                let key = Js::Value(key.clone()).to_key()?;
                if names::is_unsafe(&key) {
                    return Err(Interrupt::Declined);
                }
                object.insert(key, field.clone());
            }
            Ok(Js::from(value::in_js_key_order(object)))
        }
        Builtin::JmesPath => {
            let (Js::Value(data @ Value::Object(_)), Some(Js::Value(Value::String(query)))) =
                (first, args.get(1))
            else {
                return Err(Interrupt::Declined);
            };
            simple_jmespath(data, query).map(Js::Value)
        }
    }
}

/// A text that is about to be made into another, of so many times its length.
fn paid(machine: &mut Machine<'_>, value: &Js, times: usize) -> EvalResult<Str> {
    let text = value.to_text()?;
    machine.spend(text.len() / 64)?;
    machine.allocate(text.len() * times)?;
    Ok(text)
}

fn numbers_only(value: &Js) -> EvalResult<f64> {
    if let Js::Value(Value::Number(number)) = value {
        Ok(*number)
    } else {
        Err(Interrupt::Declined)
    }
}

/// `a.b[0].c`: the part of JMESPath that most queries are. The rest is the sandbox's.
fn simple_jmespath(data: &Value, query: &str) -> EvalResult<Value> {
    let mut current = data;
    for step in query.split('.') {
        let (name, brackets) = step.split_at(step.find('[').unwrap_or(step.len()));
        let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(|part| part.is_ascii_alphanumeric() || part == '_');
        if !is_name || names::is_object_prototype(name) || names::is_prototype_method(name) {
            return Err(Interrupt::Declined);
        }
        current = match current {
            Value::Object(object) => object.get(name).unwrap_or(&Value::Null),
            _ => &Value::Null,
        };
        let mut rest = brackets;
        while let Some(inner) = rest.strip_prefix('[') {
            let (index, after) = inner.split_once(']').ok_or(Interrupt::Declined)?;
            let index = value::array_index(index).ok_or(Interrupt::Declined)?;
            current = match current {
                Value::Array(values) => values.get(index).unwrap_or(&Value::Null),
                _ => &Value::Null,
            };
            rest = after;
        }
        if !rest.is_empty() {
            return Err(Interrupt::Declined);
        }
    }
    Ok(if current.is_undefined() { Value::Null } else { current.clone() })
}
