//! Methods and properties of JavaScript dates, Luxon dates and durations.

mod js_date;
mod luxon;

use super::date::Civil;
use super::date::{
    DateTime, MONTHS, Span, UNITS, WEEKDAYS, Zone, date_style, days_in_month, is_leap_year,
    unit_index, weeks_in_year,
};
use super::eval::{Args, Machine};
use super::nodes::local_zone;
use super::value::{Js, UNDEFINED};
use super::{EvalResult, Interrupt};
use model::{DateKind, Object, Str, Value};

/// A property, without a call. `RegExp` and `Set` have few enough to answer here as well.
pub(super) fn property(object: &Js, key: &str) -> EvalResult<Js> {
    match object {
        Js::DateTime(date) => luxon_property(date, key),
        Js::Span(span) => unit_index(key)
            .filter(|index| UNITS[*index] == key)
            .map(|index| Js::from(span.units[index].unwrap_or(0.0)))
            .ok_or(Interrupt::Declined),
        Js::RegExp(regexp) => match key {
            "source" if !regexp.source.contains('/') => Ok(regexp.source.clone().into()),
            "global" => Ok(regexp.global.into()),
            _ => Err(Interrupt::Declined),
        },
        Js::Set(members) if key == "size" => Ok(members.len().into()),
        _ => Err(Interrupt::Declined),
    }
}

pub(super) fn call(
    machine: &mut Machine<'_>,
    object: &Js,
    name: &str,
    args: &Args,
    fresh: bool,
) -> EvalResult<Js> {
    match object {
        Js::DateTime(date) => luxon::call(machine, date, name, args),
        Js::Value(Value::Date(date)) if date.kind == DateKind::Js => {
            js_date::call(machine, date.epoch_ms as i64, name, args, fresh)
        }
        Js::Span(span) => span_call(span, name, args),
        _ => Err(Interrupt::Declined),
    }
}

fn luxon_property(date: &DateTime, key: &str) -> EvalResult<Js> {
    let civil = date.civil;
    let name = |names: &[&'static str], at: i64| {
        names.get(at as usize - 1).copied().ok_or(Interrupt::Declined)
    };
    let number = match key {
        "year" => civil.year,
        "month" => civil.month,
        "day" => civil.day,
        "hour" => civil.hour,
        "minute" => civil.minute,
        "second" => civil.second,
        "millisecond" => civil.millisecond,
        "weekday" => civil.weekday(),
        "weekNumber" => civil.iso_week().1,
        "weekYear" => civil.iso_week().0,
        "ordinal" => civil.ordinal(),
        "quarter" => (civil.month + 2) / 3,
        "offset" => date.offset,
        "ts" => date.ms,
        "daysInMonth" => days_in_month(civil.year, civil.month),
        "daysInYear" => 365 + i64::from(is_leap_year(civil.year)),
        "weeksInWeekYear" => weeks_in_year(civil.iso_week().0),
        "zoneName" => return Ok(date.zone.name().into()),
        "isValid" => return Ok(true.into()),
        "isInLeapYear" => return Ok(is_leap_year(civil.year).into()),
        "isOffsetFixed" => return Ok(matches!(date.zone, Zone::Fixed(_)).into()),
        "isInDST" => return date.is_in_dst().map(Js::from).ok_or(Interrupt::Declined),
        "monthLong" => return Ok(name(&MONTHS, civil.month)?.into()),
        "monthShort" => return Ok(Str::from(&name(&MONTHS, civil.month)?[..3]).into()),
        "weekdayLong" => return Ok(name(&WEEKDAYS, civil.weekday())?.into()),
        "weekdayShort" => return Ok(Str::from(&name(&WEEKDAYS, civil.weekday())?[..3]).into()),
        _ => return Err(Interrupt::Declined),
    };
    Ok(number.into())
}

fn span_call(span: &Span, name: &str, args: &Args) -> EvalResult<Js> {
    match (name, args.as_slice()) {
        ("as", [unit]) => {
            let unit = unit.as_str().and_then(unit_index).ok_or(Interrupt::Declined)?;
            span.as_unit(unit).map(Js::from).ok_or(Interrupt::Declined)
        }
        ("toMillis" | "valueOf", []) => span.as_unit(8).map(Js::from).ok_or(Interrupt::Declined),
        ("toObject", []) => Ok(Js::from(span_object(span))),
        _ => Err(Interrupt::Declined),
    }
}

fn span_object(span: &Span) -> Object {
    UNITS.iter().zip(span.units).filter_map(|(unit, amount)| Some((*unit, amount?))).collect()
}

/// What `plus` and `minus` are told: an object of units, a duration, or a number and a unit.
fn span_of(args: &[Js]) -> EvalResult<Span> {
    match args {
        [Js::Span(span)] => Ok(**span),
        [Js::Value(Value::Object(fields))] => {
            let mut span = Span::default();
            for (key, amount) in fields.iter() {
                let unit = unit_index(key).ok_or(Interrupt::Declined)?;
                let amount = match amount {
                    Value::Number(number) => *number,
                    Value::String(text) if !text.is_empty() => super::text::to_number(text),
                    _ => return Err(Interrupt::Declined),
                };
                if amount.is_nan() || span.units[unit].is_some() {
                    return Err(Interrupt::Declined);
                }
                span.units[unit] = Some(amount);
            }
            Ok(span)
        }
        [Js::Value(Value::Number(ms))] => Ok(Span::of(8, *ms)),
        [Js::Value(Value::Number(amount)), Js::Value(Value::String(unit))] => {
            Ok(Span::of(unit_index(unit).ok_or(Interrupt::Declined)?, *amount))
        }
        _ => Err(Interrupt::Declined),
    }
}

/// The units that `diff` and `diffTo` are asked for.
fn units_of(value: Option<&Js>, default: usize) -> EvalResult<(Vec<usize>, bool)> {
    match value {
        None | Some(Js::Value(Value::Undefined)) => Ok((vec![default], true)),
        Some(Js::Value(Value::String(unit))) => {
            Ok((vec![unit_index(unit).ok_or(Interrupt::Declined)?], true))
        }
        Some(Js::Value(Value::Array(units))) if units.len() <= UNITS.len() => {
            let units = units
                .iter()
                .map(|unit| unit.as_str().and_then(unit_index).ok_or(Interrupt::Declined))
                .collect::<EvalResult<Vec<_>>>()?;
            if units.is_empty() { Err(Interrupt::Declined) } else { Ok((units, false)) }
        }
        Some(_) => Err(Interrupt::Declined),
    }
}

/// `toLocaleString` and `toLocaleDateString` of dates without a time of day, in American English.
fn english_date(
    civil: Civil,
    zone_shift: impl Fn(&str) -> EvalResult<Civil>,
    options: Option<&Js>,
) -> EvalResult<Js> {
    let fields = match options {
        None | Some(Js::Value(Value::Undefined)) => {
            return date_style(&civil, "numeric").map(Js::from).ok_or(Interrupt::Declined);
        }
        Some(Js::Value(Value::Object(fields))) => fields,
        Some(_) => return Err(Interrupt::Declined),
    };
    let mut civil = civil;
    let (mut weekday, mut year, mut month, mut day, mut style) = ("", "", "", "", "");
    for (key, option) in fields.iter() {
        let option = option.as_str().ok_or(Interrupt::Declined)?;
        match key.as_str() {
            "timeZone" => civil = zone_shift(option)?,
            "weekday" => weekday = option,
            "year" => year = option,
            "month" => month = option,
            "day" => day = option,
            "dateStyle" => style = option,
            _ => return Err(Interrupt::Declined),
        }
    }
    if !style.is_empty() {
        if [weekday, year, month, day].iter().any(|part| !part.is_empty()) {
            return Err(Interrupt::Declined);
        }
        return if style == "numeric" {
            Err(Interrupt::Declined)
        } else {
            date_style(&civil, style).map(Js::from).ok_or(Interrupt::Declined)
        };
    }
    let long_month = MONTHS.get(civil.month as usize - 1).copied().unwrap_or_default();
    let long_weekday = WEEKDAYS.get(civil.weekday() as usize - 1).copied().unwrap_or_default();
    let weekday = match weekday {
        "" => None,
        "long" => Some(long_weekday),
        "short" => Some(&long_weekday[..3]),
        _ => return Err(Interrupt::Declined),
    };
    let year_text = match year {
        "" => None,
        "numeric" => Some(civil.year.to_string()),
        "2-digit" => Some(format!("{:02}", civil.year % 100)),
        _ => return Err(Interrupt::Declined),
    };
    let day_text = match day {
        "" => None,
        "numeric" => Some(civil.day.to_string()),
        "2-digit" => Some(format!("{:02}", civil.day)),
        _ => return Err(Interrupt::Declined),
    };
    let text = match (weekday, month, day_text, year_text) {
        (None, "", None, None) => {
            date_style(&civil, "numeric").ok_or(Interrupt::Declined)?.to_string()
        }
        (Some(weekday), "", None, None) => weekday.to_owned(),
        (None, "", None, Some(year)) => year,
        (None, "", Some(day), None) => day,
        (weekday, "long" | "short", Some(day), year) => {
            let month = if month == "long" { long_month } else { &long_month[..3] };
            let head = weekday.map_or(String::new(), |weekday| format!("{weekday}, "));
            let tail = year.map_or(String::new(), |year| format!(", {year}"));
            format!("{head}{month} {day}{tail}")
        }
        (None, "long" | "short", None, year) => {
            let month = if month == "long" { long_month } else { &long_month[..3] };
            year.map_or(month.to_owned(), |year| format!("{month} {year}"))
        }
        (None, "numeric" | "2-digit", Some(day), Some(year)) => {
            let month = if month == "numeric" {
                civil.month.to_string()
            } else {
                format!("{:02}", civil.month)
            };
            format!("{month}/{day}/{year}")
        }
        _ => return Err(Interrupt::Declined),
    };
    Ok(text.into())
}

/// `undefined` or American English.
fn is_english(locale: Option<&Js>) -> bool {
    match locale {
        None | Some(Js::Value(Value::Undefined)) => true,
        Some(locale) => matches!(locale.as_str(), Some("en-US" | "en")),
    }
}

/// n8n's date functions, which both kinds of date have; dates are seen in the run's zone.
fn extension(machine: &Machine<'_>, date: &DateTime, name: &str, args: &Args) -> EvalResult<Js> {
    match (name, args.as_slice()) {
        ("format", [Js::Value(Value::String(format))]) => {
            super::date::to_format(date, format).map(Js::from).ok_or(Interrupt::Declined)
        }
        ("extract", [Js::Value(Value::String(part))]) => Ok(match part.as_str() {
            "week" => date.civil.iso_week().1.into(),
            "year" | "month" | "day" | "hour" | "minute" | "second" | "millisecond" => {
                luxon_property(date, part)?
            }
            _ => return Err(Interrupt::Declined),
        }),
        ("isWeekend", []) => Ok((date.civil.weekday() >= 6).into()),
        ("toBoolean", []) => Ok(UNDEFINED),
        ("isDst", []) => date.is_in_dst().map(Js::from).ok_or(Interrupt::Declined),
        ("toInt" | "toFloat" | "toNumber", []) => Ok(date.ms.into()),
        ("diffTo", [other, unit @ ..]) if unit.iter().all(is_difference_unit) => {
            let other = date_argument(machine, other)?;
            let (units, is_single) = units_of(unit.first(), 4)?;
            let span = date.diff(&other, &units).ok_or(Interrupt::Declined)?;
            Ok(if is_single {
                units
                    .first()
                    .and_then(|unit| span.as_unit(*unit))
                    .map(Js::from)
                    .ok_or(Interrupt::Declined)?
            } else {
                span_object(&span).into()
            })
        }
        _ => Err(Interrupt::Declined),
    }
}

/// The units that `diffTo` knows by these names; others are the sandbox's to judge.
fn is_difference_unit(unit: &Js) -> bool {
    let is_known = |name: &str| {
        let lower = name.chars().all(|letter| letter.is_ascii_lowercase());
        lower && name != "quarter" && unit_index(name).is_some()
    };
    match unit {
        Js::Value(Value::String(name)) => is_known(name),
        Js::Value(Value::Array(names)) => {
            names.len() > 1 && names.iter().all(|name| name.as_str().is_some_and(is_known))
        }
        _ => false,
    }
}

/// A date given as a date or as ISO text.
fn date_argument(machine: &Machine<'_>, value: &Js) -> EvalResult<DateTime> {
    match value {
        Js::DateTime(date) => Ok((**date).clone()),
        Js::Value(Value::Date(date)) if date.kind == DateKind::Js => {
            DateTime::from_ms(date.epoch_ms as i64, local_zone(machine)?).ok_or(Interrupt::Declined)
        }
        Js::Value(Value::String(text)) => {
            let read = super::date::parse_iso(text).ok_or(Interrupt::Declined)?;
            super::statics::instant(machine, read, local_zone(machine)?, true)
        }
        _ => Err(Interrupt::Declined),
    }
}
