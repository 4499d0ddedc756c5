//! Methods of a JavaScript `Date`. The process' own zone is UTC.

use super::super::date::{self, Civil, DateTime, Zone};
use super::super::eval::{Args, Machine};
use super::super::nodes::local_zone;
use super::super::value::Js;
use super::super::{EvalResult, Interrupt};
use super::{english_date, extension, is_english, span_of};
use std::sync::Arc;

pub(super) fn call(
    machine: &mut Machine<'_>,
    ms: i64,
    name: &str,
    args: &Args,
    fresh: bool,
) -> EvalResult<Js> {
    let civil = Civil::from_ms(ms);
    if let Some(field) = name.strip_prefix("set")
        && !args.is_empty()
    {
        // Setting changes the date itself; that goes unseen only while nothing else holds it.
        return if fresh { set(ms, civil, field, args) } else { Err(Interrupt::Declined) };
    }
    let local = |machine: &Machine<'_>| {
        DateTime::from_ms(ms, local_zone(machine)?).ok_or(Interrupt::Declined)
    };
    match (name, args.as_slice()) {
        ("getTime" | "valueOf", []) => Ok(ms.into()),
        ("toISOString" | "toJSON", []) => Ok(date::js_iso(ms).into()),
        ("toString", []) => Ok(date::js_date_text(ms, true).into()),
        ("toDateString", []) => Ok(date::js_date_text(ms, false).into()),
        ("toUTCString" | "toGMTString", []) => Ok(date::js_utc_text(ms).into()),
        ("getFullYear" | "getUTCFullYear", []) => Ok(civil.year.into()),
        ("getMonth" | "getUTCMonth", []) => Ok((civil.month - 1).into()),
        ("getDate" | "getUTCDate", []) => Ok(civil.day.into()),
        ("getDay" | "getUTCDay", []) => Ok((civil.weekday() % 7).into()),
        ("getHours" | "getUTCHours", []) => Ok(civil.hour.into()),
        ("getMinutes" | "getUTCMinutes", []) => Ok(civil.minute.into()),
        ("getSeconds" | "getUTCSeconds", []) => Ok(civil.second.into()),
        ("getMilliseconds" | "getUTCMilliseconds", []) => Ok(civil.millisecond.into()),
        ("getTimezoneOffset", []) => Ok(0.into()),
        ("toLocaleDateString", args) if is_english(args.first()) && args.len() < 3 => {
            let shifted = |zone: &str| {
                let zone = Zone::from_name(zone).ok_or(Interrupt::Declined)?;
                Ok(DateTime::from_ms(ms, zone).ok_or(Interrupt::Declined)?.civil)
            };
            english_date(civil, shifted, args.get(1))
        }
        ("toDateTime", []) => Ok(Js::DateTime(Arc::new(local(machine)?))),
        ("plus" | "minus", args) if !args.is_empty() => {
            let span = span_of(args)?;
            let span = if name == "minus" { span.negated() } else { span };
            let moved = local(machine)?.plus(&span).ok_or(Interrupt::Declined)?;
            Js::date(moved.ms as f64)
        }
        (
            "format" | "extract" | "isWeekend" | "isDst" | "toInt" | "toFloat" | "toNumber"
            | "toBoolean" | "diffTo",
            _,
        ) => {
            let date = local(machine)?;
            extension(machine, &date, name, args)
        }
        _ => Err(Interrupt::Declined),
    }
}

/// `setDate`, `setHours` and so on: the new time in milliseconds.
fn set(ms: i64, mut civil: Civil, field: &str, args: &[Js]) -> EvalResult<Js> {
    let mut numbers = Vec::with_capacity(args.len());
    for arg in args {
        let number = arg.to_number()?;
        if !number.is_finite() || number.abs() > 1e12 {
            return Err(Interrupt::Declined);
        }
        numbers.push(number.trunc() as i64);
    }
    let field = field.strip_prefix("UTC").unwrap_or(field);
    if field == "Time" {
        return match numbers.as_slice() {
            [ms] => Ok((*ms).into()),
            _ => Err(Interrupt::Declined),
        };
    }
    let fields: &mut [&mut i64] = match field {
        "FullYear" => &mut [&mut civil.year, &mut civil.month, &mut civil.day],
        "Month" => &mut [&mut civil.month, &mut civil.day],
        "Date" => &mut [&mut civil.day],
        "Hours" => {
            &mut [&mut civil.hour, &mut civil.minute, &mut civil.second, &mut civil.millisecond]
        }
        "Minutes" => &mut [&mut civil.minute, &mut civil.second, &mut civil.millisecond],
        "Seconds" => &mut [&mut civil.second, &mut civil.millisecond],
        "Milliseconds" => &mut [&mut civil.millisecond],
        _ => return Err(Interrupt::Declined),
    };
    if numbers.len() > fields.len() {
        return Err(Interrupt::Declined);
    }
    for (place, number) in fields.iter_mut().zip(&numbers) {
        **place = *number;
    }
    // Months count from 0 in JavaScript.
    let month_is_set = field == "Month" || (field == "FullYear" && numbers.len() > 1);
    if month_is_set {
        civil.month += 1;
    }
    let moved = civil.to_ms().ok_or(Interrupt::Declined)?;
    debug_assert!(moved.abs() < i64::MAX / 2, "from {ms}");
    Ok(moved.into())
}
