//! Methods of numbers and booleans.

use super::date::DateTime;
use super::eval::{Args, Machine};
use super::nodes::local_zone;
use super::value::{Js, UNDEFINED, number_text};
use super::{EvalResult, Interrupt, number as spelled, text};
use model::{Object, Str, Value};
use std::sync::Arc;

pub(super) fn number(
    machine: &mut Machine<'_>,
    number: f64,
    name: &str,
    args: &Args,
) -> EvalResult<Js> {
    match (name, args.as_slice()) {
        ("toFixed", digits) => {
            let digits = digits.first().map_or(Ok(0.0), Js::to_number)?;
            let digits = spelled::to_integer(digits);
            if !(0.0..=100.0).contains(&digits) {
                return Err(Interrupt::Declined);
            }
            Ok(spelled::to_fixed(number, digits as usize).into())
        }
        ("toString", [] | [Js::Value(Value::Undefined)]) => Ok(number_text(number).into()),
        ("toString", [Js::Value(Value::Number(radix))]) if *radix == 10.0 => {
            Ok(number_text(number).into())
        }
        ("toString", [Js::Value(Value::Number(radix))]) => {
            spelled::to_radix(number, *radix as u32).map(Js::from).ok_or(Interrupt::Declined)
        }
        ("valueOf", []) => Ok(number.into()),
        ("toLocaleString" | "format", options) => locale_text(number, options).map(Js::from),
        ("abs", []) => Ok(number.abs().into()),
        ("ceil", []) => Ok(number.ceil().into()),
        ("floor", []) => Ok(number.floor().into()),
        ("round" | "toInt", []) => Ok(text::to_number(&spelled::to_fixed(number, 0)).into()),
        ("round", [Js::Value(Value::Number(digits))])
            if digits.fract() == 0.0 && (0.0..=100.0).contains(digits) =>
        {
            Ok(text::to_number(&spelled::to_fixed(number, *digits as usize)).into())
        }
        ("isEven", []) if number.fract() == 0.0 => Ok((number % 2.0 == 0.0).into()),
        ("isOdd", []) if number.fract() == 0.0 => Ok((number % 2.0 != 0.0).into()),
        ("isInteger", []) => Ok((number.is_finite() && number.fract() == 0.0).into()),
        ("toFloat" | "toNumber", []) => Ok(number.into()),
        ("toBoolean", []) if !number.is_nan() => Ok((number != 0.0).into()),
        ("toJsonString", []) if number.is_finite() => Ok(number_text(number).into()),
        ("toDateTime", format) => {
            let ms = match format {
                [] => number,
                [Js::Value(Value::String(format))] => match format.as_str() {
                    "ms" => number,
                    "s" => number * 1000.0,
                    "us" => number / 1000.0,
                    "excel" => spelled::round((number - 25_569.0) * 86_400.0 * 1000.0),
                    _ => return Err(Interrupt::Declined),
                },
                _ => return Err(Interrupt::Declined),
            };
            if ms.fract() != 0.0 || ms.abs() > 8.64e15 {
                return Err(Interrupt::Declined);
            }
            let date =
                DateTime::from_ms(ms as i64, local_zone(machine)?).ok_or(Interrupt::Declined)?;
            Ok(Js::DateTime(Arc::new(date)))
        }
        _ => Err(Interrupt::Declined),
    }
}

/// American English with at most the options for decimals.
fn locale_text(number: f64, args: &[Js]) -> EvalResult<Str> {
    match args.first() {
        None | Some(Js::Value(Value::Undefined)) => {}
        Some(locale) if locale.as_str() == Some("en-US") => {}
        Some(_) => return Err(Interrupt::Declined),
    }
    let (least, most) = match args.get(1) {
        None | Some(Js::Value(Value::Undefined)) => (0, 3),
        Some(Js::Value(Value::Object(options))) => decimals(options)?,
        Some(_) => return Err(Interrupt::Declined),
    };
    spelled::to_english(number, least, most).ok_or(Interrupt::Declined)
}

fn decimals(options: &Object) -> EvalResult<(usize, usize)> {
    let (mut least, mut most) = (None, None);
    for (key, option) in options.iter() {
        let amount = option.as_usize().filter(|amount| *amount <= 20).ok_or(Interrupt::Declined)?;
        match key.as_str() {
            "minimumFractionDigits" => least = Some(amount),
            "maximumFractionDigits" => most = Some(amount),
            _ => return Err(Interrupt::Declined),
        }
    }
    match (least, most) {
        (Some(least), Some(most)) if least > most => Err(Interrupt::Declined),
        (least, most) => Ok((
            least.unwrap_or(0).min(most.unwrap_or(20)),
            most.unwrap_or(least.unwrap_or(0).max(3)),
        )),
    }
}

pub(super) fn boolean(flag: bool, name: &str, args: &Args) -> EvalResult<Js> {
    if !args.is_empty() {
        return Err(Interrupt::Declined);
    }
    match name {
        "toString" | "toJsonString" => Ok(if flag { "true" } else { "false" }.into()),
        "valueOf" | "toBoolean" => Ok(flag.into()),
        "toInt" | "toFloat" | "toNumber" => Ok(u8::from(flag).into()),
        "toDateTime" => Ok(UNDEFINED),
        _ => Err(Interrupt::Declined),
    }
}
