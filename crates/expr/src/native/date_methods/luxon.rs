//! Methods of a Luxon `DateTime`.

use super::super::date::{self, Civil, DateTime, Zone, days_in_month, unit_index};
use super::super::eval::{Args, Machine};
use super::super::nodes::{local_zone, now};
use super::super::value::Js;
use super::super::{EvalResult, Interrupt};
use super::{english_date, extension, is_english, span_of, units_of};
use model::{Object, Value};
use std::sync::Arc;

pub(super) fn call(
    machine: &mut Machine<'_>,
    date: &Arc<DateTime>,
    name: &str,
    args: &Args,
) -> EvalResult<Js> {
    let made = |date: Option<DateTime>| {
        date.map(|date| Js::DateTime(Arc::new(date))).ok_or(Interrupt::Declined)
    };
    let unit = |arg: &Js| arg.as_str().and_then(unit_index).ok_or(Interrupt::Declined);
    match (name, args.as_slice()) {
        ("toISO", options) => {
            let (with_ms, with_offset) = iso_options(options)?;
            Ok(format!("{}T{}", date.iso_date(), date.iso_time(with_ms, with_offset)).into())
        }
        ("toString" | "toJSON", []) => Ok(date.iso().into()),
        ("toISODate" | "toSQLDate", []) => Ok(date.iso_date().into()),
        ("toISOTime", options) => {
            let (with_ms, with_offset) = iso_options(options)?;
            Ok(date.iso_time(with_ms, with_offset).into())
        }
        ("toFormat", [Js::Value(Value::String(format))]) => {
            date::to_format(date, format).map(Js::from).ok_or(Interrupt::Declined)
        }
        ("toMillis" | "valueOf", []) => Ok(date.ms.into()),
        ("toSeconds", []) => Ok((date.ms as f64 / 1000.0).into()),
        ("toUnixInteger", []) => Ok(date.ms.div_euclid(1000).into()),
        ("toJSDate", []) => Js::date(date.ms as f64),
        ("toDateTime", []) => Ok(Js::DateTime(date.clone())),
        ("plus", args) if !args.is_empty() => made(date.plus(&span_of(args)?)),
        ("minus", args) if !args.is_empty() => made(date.plus(&span_of(args)?.negated())),
        ("startOf", [name]) => made(date.start_of(unit(name)?)),
        ("endOf", [name]) => made(date.end_of(unit(name)?)),
        ("beginningOf", [name]) => made(date.start_of(unit(name)?)),
        ("endOfMonth", []) => made(date.end_of(2)),
        ("set", [Js::Value(Value::Object(fields))]) => {
            made(date.with_civil(with_fields(date.civil, fields)?))
        }
        ("setZone", [zone, options @ ..]) => {
            let name = zone.as_str().ok_or(Interrupt::Declined)?;
            let zone = Zone::from_name(name).ok_or(Interrupt::Declined)?;
            match options {
                [] => made(date.in_zone(zone)),
                [Js::Value(Value::Object(options))]
                    if options.len() == 1
                        && options.get("keepLocalTime") == Some(&Value::Bool(true)) =>
                {
                    made(DateTime::from_civil(date.civil, zone, date.offset))
                }
                _ => Err(Interrupt::Declined),
            }
        }
        ("toUTC", []) => made(date.in_zone(Zone::Fixed(0))),
        ("toLocal", []) => made(date.in_zone(local_zone(machine)?)),
        ("setLocale", [locale]) if matches!(locale.as_str(), Some("en" | "en-US")) => {
            Ok(Js::DateTime(date.clone()))
        }
        ("diff", [Js::DateTime(other), units @ ..]) if units.len() < 2 => {
            let (units, _) = units_of(units.first(), 8)?;
            date.diff(other, &units).map(|span| Js::Span(Arc::new(span))).ok_or(Interrupt::Declined)
        }
        ("diffNow", units) if units.len() < 2 => {
            let (units, _) = units_of(units.first(), 8)?;
            date.diff(&now(machine)?, &units)
                .map(|span| Js::Span(Arc::new(span)))
                .ok_or(Interrupt::Declined)
        }
        ("hasSame", [Js::DateTime(other), name]) => {
            let unit = unit(name)?;
            let there = DateTime::from_civil(date.civil, other.zone.clone(), date.offset)
                .ok_or(Interrupt::Declined)?;
            let bounds = (
                there.start_of(unit).ok_or(Interrupt::Declined)?,
                there.end_of(unit).ok_or(Interrupt::Declined)?,
            );
            Ok((bounds.0.ms <= other.ms && other.ms <= bounds.1.ms).into())
        }
        ("toLocaleString", args) if args.len() < 2 => {
            let shifted = |_: &str| Err(Interrupt::Declined);
            english_date(date.civil, shifted, args.first())
        }
        ("toLocaleString", [options, locale])
            if is_english(Some(locale)) && !matches!(options, Js::Value(Value::String(_))) =>
        {
            Err(Interrupt::Declined)
        }
        _ => extension(machine, date, name, args),
    }
}

fn iso_options(args: &[Js]) -> EvalResult<(bool, bool)> {
    let options = match args {
        [] | [Js::Value(Value::Undefined)] => return Ok((true, true)),
        [Js::Value(Value::Object(options))] => options,
        _ => return Err(Interrupt::Declined),
    };
    let with_offset = match options.get("includeOffset") {
        None | Some(Value::Bool(true)) => true,
        Some(Value::Bool(false)) => false,
        Some(_) => return Err(Interrupt::Declined),
    };
    if options.keys().any(|key| key != "includeOffset") {
        return Err(Interrupt::Declined);
    }
    Ok((true, with_offset))
}

/// The clock reading after `set({ … })`; a day that a shorter month lacks becomes its last.
fn with_fields(mut civil: Civil, fields: &Object) -> EvalResult<Civil> {
    let mut day_is_set = false;
    for (key, amount) in fields.iter() {
        let Value::Number(number) = amount else { return Err(Interrupt::Declined) };
        if number.fract() != 0.0 || number.abs() > 9999.0 {
            return Err(Interrupt::Declined);
        }
        let number = *number as i64;
        match key.as_str() {
            "year" | "years" => civil.year = number,
            "month" | "months" => civil.month = number,
            "day" | "days" => {
                civil.day = number;
                day_is_set = true;
            }
            "hour" | "hours" => civil.hour = number,
            "minute" | "minutes" => civil.minute = number,
            "second" | "seconds" => civil.second = number,
            "millisecond" | "milliseconds" => civil.millisecond = number,
            _ => return Err(Interrupt::Declined),
        }
    }
    if !day_is_set {
        civil.day = civil.day.min(days_in_month(civil.year, civil.month));
    }
    Ok(civil)
}
