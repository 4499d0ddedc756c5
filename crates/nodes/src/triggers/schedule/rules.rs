//! Reads the rules of a schedule out of a node's parameters.

use super::{CalendarUnit, CronExpression, Every, ScheduleError, ScheduleRule, Spread, Timing};
use model::{Object, Str, Value};

/// The modes of the Cron node, and the units of its mode "every X".
pub(in crate::triggers) const MODES: &[(&str, &str)] = &[
    ("everyMinute", "Every minute"),
    ("everyHour", "Every hour"),
    ("everyDay", "Every day"),
    ("everyWeek", "Every week"),
    ("everyMonth", "Every month"),
    ("everyX", "Every X"),
    ("custom", "Custom"),
];
pub(in crate::triggers) const UNITS: &[(&str, &str)] =
    &[("minutes", "Minutes"), ("hours", "Hours")];

/// Nobody waits longer, and counting stays cheap.
const MAX_COUNT: i64 = 1000;
const MAX_INTERVAL_MS: i64 = 1000 * 60 * 60 * 24 * 366 * 10;

/// The rules of a node that starts runs by the clock, from its complete parameters; `None` for any
/// other node. `identity` tells the node from all others, so that each keeps its own second.
pub fn rules_of_node(
    type_name: &str,
    parameters: &Object,
    identity: &str,
) -> Option<Result<Vec<ScheduleRule>, ScheduleError>> {
    let entries = |path: [&str; 2]| {
        let list = parameters
            .get(path[0])
            .and_then(|group| group.get(path[1]))
            .cloned()
            .unwrap_or_default();
        list.as_array().unwrap_or_default().to_vec()
    };
    let spread = |index: usize| Spread::of(&format!("{identity}/{index}"));
    match type_name {
        "n8n-nodes-base.scheduleTrigger" => Some(
            entries(["rule", "interval"])
                .iter()
                .enumerate()
                .map(|(index, entry)| rule_of_interval(entry, &spread(index)))
                .collect(),
        ),
        "n8n-nodes-base.cron" => {
            let times = entries(["triggerTimes", "item"]);
            Some(
                times
                    .iter()
                    .enumerate()
                    .map(|(index, entry)| rule_of_trigger_time(entry, &spread(index)))
                    .collect(),
            )
        }
        "n8n-nodes-base.interval" => Some(rule_of_passed_time(parameters).map(|rule| vec![rule])),
        _ => None,
    }
}

/// The cron expression of one time of the Cron node.
pub fn cron_of_trigger_time(time: &Value, spread: &Spread) -> Result<Str, ScheduleError> {
    let Spread { second, .. } = spread;
    let minute = || number(time, "minute", 0..=59, spread.minute);
    let hour = || number(time, "hour", 0..=23, spread.hour);
    Ok(match time.get("mode").and_then(Value::as_str).unwrap_or("everyDay") {
        "everyMinute" => format!("{second} * * * * *"),
        "everyHour" => format!("{second} {} * * * *", minute()?),
        "everyX" if unit_of(time) == "minutes" => {
            format!("{second} */{} * * * *", number(time, "value", 1..=59, 1)?)
        }
        "everyX" => {
            format!("{second} {} */{} * * *", spread.minute, number(time, "value", 1..=23, 1)?)
        }
        "everyWeek" => {
            format!("{second} {} {} * * {}", minute()?, hour()?, number(time, "weekday", 0..=7, 1)?)
        }
        "everyMonth" => {
            format!(
                "{second} {} {} {} * *",
                minute()?,
                hour()?,
                number(time, "dayOfMonth", 1..=31, spread.day_of_month)?
            )
        }
        "custom" => time
            .get("cronExpression")
            .map(Value::to_js_string)
            .unwrap_or_default()
            .trim()
            .to_owned(),
        _ => format!("{second} {} {} * * *", minute()?, hour()?),
    }
    .into())
}

fn rule_of_trigger_time(time: &Value, spread: &Spread) -> Result<ScheduleRule, ScheduleError> {
    if time.get("mode").and_then(Value::as_str) == Some("everyX") {
        let value = number(time, "value", 1..=MAX_COUNT, 1)?;
        match unit_of(time) {
            "minutes" if value > 59 => return Ok(interval_rule(value * 60_000)),
            "hours" if value > 23 => return Ok(interval_rule(value * 3_600_000)),
            _ => {}
        }
    }
    cron(&cron_of_trigger_time(time, spread)?, None)
}

fn unit_of(time: &Value) -> &str {
    time.get("unit").and_then(Value::as_str).unwrap_or("hours")
}

/// One rule of the Schedule Trigger. Steps that do not fit into the clock (90 minutes) count the
/// time that has passed, and every n-th day, week or month counts from the last run: n8n loses
/// count of both at midnight or at the turn of the year.
fn rule_of_interval(entry: &Value, spread: &Spread) -> Result<ScheduleRule, ScheduleError> {
    let Spread { second, .. } = spread;
    let count = |field: &str, fallback: u32| number(entry, field, 1..=MAX_COUNT, fallback);
    let minute = || number(entry, "triggerAtMinute", 0..=59, spread.minute);
    let hour = || number(entry, "triggerAtHour", 0..=23, spread.hour);
    let every = |count: i64, unit: CalendarUnit| (count > 1).then_some(Every { count, unit });
    match entry.get("field").and_then(Value::as_str).unwrap_or("days") {
        "cronExpression" => {
            cron(&entry.get("expression").map(Value::to_js_string).unwrap_or_default(), None)
        }
        "seconds" => match number(entry, "secondsInterval", 1..=86_400, 30)? {
            seconds @ 60.. => Ok(interval_rule(seconds * 1000)),
            seconds => cron(&format!("*/{seconds} * * * * *"), None),
        },
        "minutes" => match number(entry, "minutesInterval", 1..=100_000, 5)? {
            minutes @ 60.. => Ok(interval_rule(minutes * 60_000)),
            minutes => cron(&format!("{second} */{minutes} * * * *"), None),
        },
        "hours" => match count("hoursInterval", 1)? {
            hours @ 24.. if hours % 24 != 0 => Ok(interval_rule(hours * 3_600_000)),
            hours @ 24.. => cron(
                &format!("{second} {} 0 * * *", minute()?),
                every(hours / 24, CalendarUnit::Day),
            ),
            hours => cron(&format!("{second} {} */{hours} * * *", minute()?), None),
        },
        "weeks" => {
            let days = match entry.get("triggerAtDay").and_then(Value::as_array).unwrap_or_default()
            {
                [] => "*".to_owned(),
                days => days.iter().map(Value::to_js_string).collect::<Vec<_>>().join(","),
            };
            let weeks = every(count("weeksInterval", 1)?, CalendarUnit::Week);
            cron(&format!("{second} {} {} * * {days}", minute()?, hour()?), weeks)
        }
        "months" => {
            let months = count("monthsInterval", 1)?;
            let day = number(entry, "triggerAtDayOfMonth", 1..=31, spread.day_of_month)?;
            // Only what divides the year comes round in the same months each year.
            let (field, every) = match 12 % months {
                0 => (format!("*/{months}"), None),
                _ => ("*".to_owned(), every(months, CalendarUnit::Month)),
            };
            cron(&format!("{second} {} {} {day} {field} *", minute()?, hour()?), every)
        }
        _ => cron(
            &format!("{second} {} {} * * *", minute()?, hour()?),
            every(count("daysInterval", 1)?, CalendarUnit::Day),
        ),
    }
}

/// The rule of the Interval node.
fn rule_of_passed_time(parameters: &Object) -> Result<ScheduleRule, ScheduleError> {
    let parameters = Value::object(parameters.clone());
    let unit_ms = match parameters.get("unit").and_then(Value::as_str) {
        Some("hours") => 3_600_000,
        Some("minutes") => 60_000,
        _ => 1000,
    };
    Ok(interval_rule(number(&parameters, "interval", 1..=MAX_INTERVAL_MS / unit_ms, 1)? * unit_ms))
}

fn cron(text: &str, every: Option<Every>) -> Result<ScheduleRule, ScheduleError> {
    Ok(ScheduleRule {
        timing: Timing::Cron { expression: CronExpression::parse(text)?, every },
        last_run_ms: None,
    })
}

fn interval_rule(milliseconds: i64) -> ScheduleRule {
    ScheduleRule { timing: Timing::Interval { milliseconds }, last_run_ms: None }
}

/// A whole number within a range, also as text; the fallback if it is not set.
fn number(
    entry: &Value,
    field: &str,
    range: std::ops::RangeInclusive<i64>,
    fallback: u32,
) -> Result<i64, ScheduleError> {
    let value = match entry.get(field) {
        None | Some(Value::Undefined | Value::Null) => return Ok(i64::from(fallback)),
        Some(value) => value,
    };
    let found = match value {
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 1e12 => {
            Some(*number as i64)
        }
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    found.filter(|number| range.contains(number)).ok_or_else(|| ScheduleError::Field {
        field: field.into(),
        wanted: format!("a whole number from {} to {}", range.start(), range.end()).into(),
        found: model::json::to_string(value).chars().take(40).collect(),
    })
}
