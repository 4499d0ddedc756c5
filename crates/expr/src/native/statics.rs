//! Functions of classes: `Math.max`, `Object.keys`, `DateTime.fromISO`, `new Date(…)`.

use super::arithmetic::Rounding;
use super::ast::Class;
use super::date::{self, Civil, DateTime, Zone};
use super::eval::{Args, Machine};
use super::nodes::{local_zone, now};
use super::regexp::RegExp;
use super::value::{self, Js, UNDEFINED, in_js_key_order};
use super::{EvalResult, Interrupt, json, meter, names, number, operators, text};
use model::{DateKind, Object, Str, Value};
use smallvec::smallvec;
use std::sync::Arc;

const MAX_LENGTH: usize = 1_000_000;

pub(super) fn call(
    machine: &mut Machine<'_>,
    class: Class,
    name: &str,
    args: Args,
) -> EvalResult<Js> {
    match class {
        Class::Math if name == "random" => super::code::random().map(Js::from),
        Class::Math => math(name, &args),
        Class::Json => match name {
            "stringify" => json::stringify(machine, args),
            "parse" if args.len() == 1 => {
                let text = args.first().unwrap_or(&UNDEFINED).to_text()?;
                json::parse(machine, &text)
            }
            _ => Err(Interrupt::Declined),
        },
        Class::Object => object(machine, name, args),
        Class::Array => array(machine, name, args),
        Class::Number => number_function(name, &args),
        Class::String => match name {
            "fromCharCode" => {
                let units = args
                    .iter()
                    .map(|arg| Ok(number::to_uint32(arg.to_number()?) as u16))
                    .collect::<EvalResult<Vec<u16>>>()?;
                String::from_utf16(&units).map(Js::from).map_err(|_| Interrupt::Declined)
            }
            _ => Err(Interrupt::Declined),
        },
        Class::Date => date_function(machine, name, &args),
        Class::DateTime => date_time(machine, name, &args),
        Class::Set | Class::RegExp => Err(Interrupt::Declined),
    }
}

pub(super) fn new(machine: &mut Machine<'_>, class: Class, args: Args) -> EvalResult<Js> {
    match (class, args.as_slice()) {
        (Class::Date, []) => Js::date(machine.scope.now_ms() as f64),
        (Class::Date, [Js::Value(Value::Date(date))]) => Js::date(date.epoch_ms),
        (Class::Date, [Js::Value(Value::String(text))]) => {
            Js::date(date::parse_js(text).ok_or(Interrupt::Declined)?)
        }
        (Class::Date, [Js::Value(Value::Array(_) | Value::Object(_))]) => Err(Interrupt::Declined),
        (Class::Date, [one]) => Js::date(one.to_number()?),
        (Class::Date, parts) => Js::date(utc(parts)?),
        (Class::Array, [Js::Value(Value::Number(length))]) if *length != 0.0 => {
            Err(Interrupt::Declined)
        }
        (Class::Array, [Js::Value(Value::Number(_))]) => Ok(Value::array(Vec::new()).into()),
        (Class::Array, _) => {
            let values = args.into_iter().map(Js::into_value).collect::<EvalResult<Vec<_>>>()?;
            Ok(Value::array(values).into())
        }
        (Class::Set, [] | [Js::Value(Value::Undefined | Value::Null)]) => {
            Ok(Js::Set(Arc::default()))
        }
        (Class::Set, [values]) => {
            let values = machine.spread(values)?;
            distinct(machine, &values).map(|values| Js::Set(Arc::new(values)))
        }
        (Class::RegExp, [Js::Value(Value::String(pattern)), flags @ ..]) => {
            let flags = match flags {
                [] | [Js::Value(Value::Undefined)] => "",
                [Js::Value(Value::String(flags))] => flags.as_str(),
                _ => return Err(Interrupt::Declined),
            };
            // A slash in the pattern shows up escaped in `source`; nobody reads that here.
            machine.spend(100)?;
            machine.allocate(1 << 10)?;
            RegExp::new(pattern, flags)
                .map(|regexp| Js::RegExp(Arc::new(regexp)))
                .ok_or(Interrupt::Declined)
        }
        _ => Err(Interrupt::Declined),
    }
}

/// The members of a set: each primitive once, in order. Objects are told apart by identity, which
/// we do not have.
fn distinct(machine: &mut Machine<'_>, values: &[Value]) -> EvalResult<Vec<Value>> {
    #[derive(PartialEq, Eq, Hash)]
    enum Key<'a> {
        Undefined,
        Null,
        Bool(bool),
        Number(u64),
        Text(&'a str),
    }
    machine.spend(values.len())?;
    machine.allocate(values.len() * (size_of::<Key<'_>>() * 2 + size_of::<Value>()))?;
    let mut seen = std::collections::HashSet::new();
    let mut out = Vec::new();
    for value in values {
        let key = match value {
            Value::Undefined => Key::Undefined,
            Value::Null => Key::Null,
            Value::Bool(flag) => Key::Bool(*flag),
            // Both zeros are one member, and so are all numbers that are none.
            Value::Number(number) if *number == 0.0 => Key::Number(0),
            Value::Number(number) if number.is_nan() => Key::Number(f64::NAN.to_bits()),
            Value::Number(number) => Key::Number(number.to_bits()),
            Value::String(text) => {
                machine.spend(text.len() / 64)?;
                Key::Text(text)
            }
            _ => return Err(Interrupt::Declined),
        };
        if seen.insert(key) {
            out.push(value.clone());
        }
    }
    Ok(out)
}

/// `Math.min` and `Math.max`.
pub(super) fn extreme(args: &[Js], smallest: bool) -> EvalResult<Js> {
    let mut best = if smallest { f64::INFINITY } else { f64::NEG_INFINITY };
    let mut has_nan = false;
    for arg in args {
        let number = arg.to_number()?;
        has_nan |= number.is_nan();
        if (number < best) == smallest && number != best
            || (number == 0.0 && best == 0.0 && number.is_sign_negative() == smallest)
        {
            best = number;
        }
    }
    Ok(if has_nan { f64::NAN } else { best }.into())
}

pub(super) fn math(name: &str, args: &[Js]) -> EvalResult<Js> {
    if name == "min" || name == "max" {
        return extreme(args, name == "min");
    }
    let first = args.first().unwrap_or(&UNDEFINED).to_number()?;
    if let Some(rounding) = Rounding::from_name(name) {
        return Ok(rounding.apply(first).into());
    }
    let result = match name {
        "sqrt" => first.sqrt(),
        "sign" => {
            if first == 0.0 || first.is_nan() {
                first
            } else {
                first.signum()
            }
        }
        "pow" => operators::pow(first, args.get(1).unwrap_or(&UNDEFINED).to_number()?)?,
        _ => return Err(Interrupt::Declined),
    };
    Ok(result.into())
}

fn number_function(name: &str, args: &[Js]) -> EvalResult<Js> {
    let first = args.first().unwrap_or(&UNDEFINED);
    let as_number = if let Js::Value(Value::Number(number)) = first { Some(*number) } else { None };
    let is_whole = |number: f64| number.is_finite() && number.fract() == 0.0;
    Ok(match name {
        "isInteger" => as_number.is_some_and(is_whole).into(),
        "isSafeInteger" => as_number
            .is_some_and(|number| is_whole(number) && number.abs() <= 9_007_199_254_740_991.0)
            .into(),
        "isFinite" => as_number.is_some_and(f64::is_finite).into(),
        "isNaN" => as_number.is_some_and(f64::is_nan).into(),
        "parseFloat" => text::parse_float(&first.to_text()?).into(),
        "parseInt" => {
            let radix = args.get(1).map_or(Ok(0.0), Js::to_number)?;
            text::parse_int(&first.to_text()?, radix).ok_or(Interrupt::Declined)?.into()
        }
        _ => return Err(Interrupt::Declined),
    })
}

fn object(machine: &mut Machine<'_>, name: &str, args: Args) -> EvalResult<Js> {
    let mut args = args.into_iter();
    let first = args.next().unwrap_or(UNDEFINED);
    match name {
        "keys" | "values" | "entries" => {
            if args.next().is_some() {
                return Err(Interrupt::Declined);
            }
            let made = |key: &Str, value: &Value| match name {
                "keys" => Value::String(key.clone()),
                "values" => value.clone(),
                _ => Value::array(vec![Value::String(key.clone()), value.clone()]),
            };
            let part_bytes =
                if name == "entries" { meter::list_bytes(3) } else { size_of::<Value>() };
            let list: Vec<Value> = match &first {
                Js::Value(Value::Object(object)) => {
                    machine.spend(object.len())?;
                    machine.allocate(object.len() * part_bytes)?;
                    if value::has_js_key_order(object) {
                        object.iter().map(|(key, value)| made(key, value)).collect()
                    } else {
                        machine.allocate(meter::object_bytes(object.len()))?;
                        in_js_key_order((**object).clone())
                            .iter()
                            .map(|(key, value)| made(key, value))
                            .collect()
                    }
                }
                // What `match` gives is an array of texts with more fields than we keep.
                Js::Value(Value::Array(values))
                    if !values.is_empty()
                        && values.iter().all(|value| value.is_string() || value.is_undefined()) =>
                {
                    return Err(Interrupt::Declined);
                }
                Js::Value(Value::Array(values)) => {
                    machine.spend(values.len())?;
                    machine.allocate(values.len() * part_bytes)?;
                    values
                        .iter()
                        .enumerate()
                        .map(|(at, value)| made(&at.to_string().into(), value))
                        .collect()
                }
                Js::Value(Value::Undefined | Value::Null) => return Err(Interrupt::TypeError),
                _ => return Err(Interrupt::Declined),
            };
            Ok(Value::array(list).into())
        }
        "fromEntries" => {
            let entries = machine.spread(&first)?;
            machine.allocate(meter::object_bytes(entries.len()))?;
            let mut object = Object::with_capacity(entries.len());
            for entry in entries.iter() {
                let Value::Array(pair) = entry else { return Err(Interrupt::Declined) };
                let key = Js::Value(pair.first().cloned().unwrap_or_default()).to_key()?;
                if names::is_unsafe(&key) {
                    return Err(Interrupt::Declined);
                }
                object.insert(key, pair.get(1).cloned().unwrap_or_default());
            }
            Ok(Js::from(in_js_key_order(object)))
        }
        "assign" => {
            let Js::Value(Value::Object(target)) = first else { return Err(Interrupt::Declined) };
            machine.allocate(meter::object_bytes(target.len()))?;
            let mut target = Arc::unwrap_or_clone(target);
            for source in args {
                match source {
                    Js::Value(Value::Object(source)) => {
                        machine.spend(source.len())?;
                        machine.allocate(meter::object_bytes(source.len()))?;
                        target
                            .extend(source.iter().map(|(key, value)| (key.clone(), value.clone())));
                    }
                    Js::Value(Value::Undefined | Value::Null) => {}
                    _ => return Err(Interrupt::Declined),
                }
            }
            Ok(Js::from(in_js_key_order(target)))
        }
        "hasOwn" => match (&first, args.next()) {
            (Js::Value(Value::Object(object)), Some(key)) => {
                Ok(object.contains_key(&key.to_key()?).into())
            }
            _ => Err(Interrupt::Declined),
        },
        _ => Err(Interrupt::Declined),
    }
}

fn array(machine: &mut Machine<'_>, name: &str, args: Args) -> EvalResult<Js> {
    match (name, args.as_slice()) {
        ("isArray", [Js::Value(value), ..]) => Ok(value.is_array().into()),
        ("isArray", [Js::DateTime(_) | Js::Item(_) | Js::Set(_), ..]) => Ok(false.into()),
        ("of", _) => {
            let values = args.into_iter().map(Js::into_value).collect::<EvalResult<Vec<_>>>()?;
            Ok(Value::array(values).into())
        }
        ("from", [source, rest @ ..]) => {
            let values = match source {
                Js::Value(Value::Object(object)) => {
                    let length = object
                        .get("length")
                        .map_or(Ok(0.0), |length| Js::Value(length.clone()).to_number())?;
                    let length = number::to_integer(length).max(0.0);
                    if length > MAX_LENGTH as f64 {
                        return Err(
                            crate::ExprError::Memory { limit_bytes: super::MAX_BYTES }.into()
                        );
                    }
                    machine.spend(length as usize)?;
                    machine.allocate(length as usize * size_of::<Value>())?;
                    Arc::new(
                        (0..length as usize)
                            .map(|at| object.get(&at.to_string()).cloned().unwrap_or_default())
                            .collect(),
                    )
                }
                other => machine.spread(other)?,
            };
            match rest {
                [] | [Js::Value(Value::Undefined)] => Ok(Js::Value(Value::Array(values))),
                [function] if function.is_function() => {
                    machine.allocate(values.len() * size_of::<Value>())?;
                    let mut out = Vec::with_capacity(values.len());
                    for (at, value) in values.iter().enumerate() {
                        out.push(
                            machine
                                .call(function, smallvec![value.clone().into(), at.into()])?
                                .into_value()?,
                        );
                    }
                    Ok(Value::array(out).into())
                }
                _ => Err(Interrupt::Declined),
            }
        }
        _ => Err(Interrupt::Declined),
    }
}

/// Milliseconds of `(year, month, day, hour …)` with the month from 0.
fn utc(parts: &[Js]) -> EvalResult<f64> {
    let mut numbers = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    for (place, part) in numbers.iter_mut().zip(parts) {
        *place = part.to_number()?;
        if !place.is_finite() || place.abs() > 1e9 {
            return Err(Interrupt::Declined);
        }
    }
    let [mut year, month, day, hour, minute, second, millisecond] =
        numbers.map(|number| number.trunc() as i64);
    if (0..=99).contains(&year) {
        year += 1900;
    }
    Civil { year, month: month + 1, day, hour, minute, second, millisecond }
        .to_ms()
        .map(|ms| ms as f64)
        .ok_or(Interrupt::Declined)
}

fn date_function(machine: &mut Machine<'_>, name: &str, args: &[Js]) -> EvalResult<Js> {
    match (name, args) {
        ("now", []) => Ok((machine.scope.now_ms() as f64).into()),
        ("parse", [Js::Value(Value::String(text))]) => {
            Ok(date::parse_js(text).ok_or(Interrupt::Declined)?.into())
        }
        ("UTC", parts) if !parts.is_empty() => Ok(utc(parts)?.into()),
        _ => Err(Interrupt::Declined),
    }
}

/// The zone that an options object asks for, and whether the text's own offset stays.
fn zone_options(machine: &Machine<'_>, options: Option<&Js>) -> EvalResult<(Zone, bool)> {
    let local = local_zone(machine)?;
    let object = match options {
        None | Some(Js::Value(Value::Undefined)) => return Ok((local, false)),
        Some(Js::Value(Value::Object(object))) => object,
        Some(_) => return Err(Interrupt::Declined),
    };
    let (mut zone, mut keeps_offset) = (local, false);
    for (key, option) in object.iter() {
        match (key.as_str(), option) {
            ("zone", Value::String(name)) => {
                zone = Zone::from_name(name).ok_or(Interrupt::Declined)?
            }
            ("setZone", Value::Bool(flag)) => keeps_offset = *flag,
            _ => return Err(Interrupt::Declined),
        }
    }
    Ok((zone, keeps_offset))
}

/// The instant of what was read, in the zone that was asked for.
pub(super) fn instant(
    machine: &Machine<'_>,
    read: (Civil, Option<i64>),
    zone: Zone,
    keeps_offset: bool,
) -> EvalResult<DateTime> {
    let (civil, offset) = read;
    let found = match offset {
        Some(offset) => {
            let ms = civil.to_ms().ok_or(Interrupt::Declined)? - offset * 60_000;
            DateTime::from_ms(ms, if keeps_offset { Zone::Fixed(offset) } else { zone })
        }
        None => {
            // Luxon first tries the offset that the zone has now.
            let guess = DateTime::from_ms(machine.scope.now_ms(), zone.clone())
                .ok_or(Interrupt::Declined)?
                .offset;
            DateTime::from_civil(civil, zone, guess)
        }
    };
    found.ok_or(Interrupt::Declined)
}

fn date_time(machine: &mut Machine<'_>, name: &str, args: &[Js]) -> EvalResult<Js> {
    let made = |date: DateTime| Ok(Js::DateTime(Arc::new(date)));
    match (name, args) {
        ("now", []) => made(now(machine)?),
        ("local", []) => made(now(machine)?),
        ("utc", []) => made(
            DateTime::from_ms(machine.scope.now_ms(), Zone::Fixed(0)).ok_or(Interrupt::Declined)?,
        ),
        ("local" | "utc", parts) if parts.len() <= 7 => {
            let zone = if name == "utc" { Zone::Fixed(0) } else { local_zone(machine)? };
            let mut numbers = [0, 1, 1, 0, 0, 0, 0];
            for (place, part) in numbers.iter_mut().zip(parts) {
                let Js::Value(Value::Number(number)) = part else {
                    return Err(Interrupt::Declined);
                };
                if number.fract() != 0.0 || number.abs() > 9999.0 {
                    return Err(Interrupt::Declined);
                }
                *place = *number as i64;
            }
            let [year, month, day, hour, minute, second, millisecond] = numbers;
            let in_range = (1..=12).contains(&month)
                && (1..=date::days_in_month(year, month)).contains(&day)
                && (0..24).contains(&hour)
                && (0..60).contains(&minute)
                && (0..60).contains(&second)
                && (0..1000).contains(&millisecond);
            if !in_range {
                return Err(Interrupt::Declined);
            }
            made(instant(
                machine,
                (Civil { year, month, day, hour, minute, second, millisecond }, None),
                zone,
                false,
            )?)
        }
        ("fromISO", [Js::Value(Value::String(text)), options @ ..]) => {
            let (zone, keeps_offset) = zone_options(machine, options.first())?;
            made(instant(
                machine,
                date::parse_iso(text).ok_or(Interrupt::Declined)?,
                zone,
                keeps_offset,
            )?)
        }
        (
            "fromFormat",
            [Js::Value(Value::String(text)), Js::Value(Value::String(format)), options @ ..],
        ) => {
            let (zone, keeps_offset) = zone_options(machine, options.first())?;
            made(instant(
                machine,
                date::from_format(text, format).ok_or(Interrupt::Declined)?,
                zone,
                keeps_offset,
            )?)
        }
        ("fromMillis" | "fromSeconds", [Js::Value(Value::Number(number)), options @ ..]) => {
            let ms = if name == "fromSeconds" { number * 1000.0 } else { *number };
            if ms.fract() != 0.0 || ms.abs() > 8.64e15 {
                return Err(Interrupt::Declined);
            }
            let (zone, _) = zone_options(machine, options.first())?;
            made(DateTime::from_ms(ms as i64, zone).ok_or(Interrupt::Declined)?)
        }
        ("fromJSDate", [Js::Value(Value::Date(date)), options @ ..])
            if date.kind == DateKind::Js =>
        {
            let (zone, _) = zone_options(machine, options.first())?;
            made(DateTime::from_ms(date.epoch_ms as i64, zone).ok_or(Interrupt::Declined)?)
        }
        ("min" | "max", dates) if !dates.is_empty() => {
            let mut best: Option<&Js> = None;
            for candidate in dates {
                let Js::DateTime(date) = candidate else { return Err(Interrupt::Declined) };
                let is_better = match best {
                    Some(Js::DateTime(best)) => {
                        (name == "min" && date.ms < best.ms) || (name == "max" && date.ms > best.ms)
                    }
                    _ => true,
                };
                if is_better {
                    best = Some(candidate);
                }
            }
            best.cloned().ok_or(Interrupt::Declined)
        }
        ("isDateTime", [value]) => Ok(matches!(value, Js::DateTime(_)).into()),
        _ => Err(Interrupt::Declined),
    }
}

/// Whether two pieces of data are the same to a set or to `includes`.
pub(super) fn same_value_zero(left: &Value, right: &Value) -> EvalResult<bool> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) if left.is_nan() && right.is_nan() => Ok(true),
        _ => value::same_values(left, right),
    }
}
