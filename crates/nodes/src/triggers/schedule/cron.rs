//! Cron expressions: five fields, or six with seconds in front, with names, steps, `L`, `W` and
//! `#`.

use super::ScheduleError;
use croner::parser::{CronParser, Year};
use croner::{Cron, CronPattern, Weekday};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use model::Str;

/// Longer than any list of minutes.
const MAX_LENGTH: usize = 512;
/// A day of the month and a weekday together come round within 40 years; what takes longer does not
/// exist (`30 2`).
const MAX_YEARS_AHEAD: i16 = 41;

const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const DAYS: [&str; 8] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT", "L"];
const DAYS_OF_MONTH: [&str; 3] = ["L", "W", "LW"];

const NICKNAMES: [(&str, &str); 10] = [
    ("@secondly", "* * * * * *"),
    ("@minutely", "* * * * *"),
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@weekdays", "0 0 * * 1-5"),
    ("@weekends", "0 0 * * 0,6"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

/// A cron expression that was found sound.
#[derive(Clone, Debug, PartialEq)]
pub struct CronExpression {
    text: Str,
    cron: Box<Cron>,
}

impl CronExpression {
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        let text = text.trim();
        let refused = |reason: String| {
            let expression: Str = text.chars().take(80).collect();
            ScheduleError::Cron { expression, reason: reason.into() }
        };
        if text.len() > MAX_LENGTH {
            return Err(refused(format!("it is longer than {MAX_LENGTH} characters")));
        }
        let nickname = NICKNAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        let spelled_out = nickname.map_or(text, |(_, fields)| fields);
        check_fields(spelled_out).map_err(refused)?;
        let parser = CronParser::builder().year(Year::Disallowed).sloppy_ranges(true).build();
        let cron = parser.parse(spelled_out).map_err(|error| refused(error.to_string()))?;
        match can_occur(&cron.pattern) {
            true => Ok(Self { text: text.into(), cron: cron.into() }),
            false => Err(refused("it never matches a date".into())),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The first moment after an instant.
    pub(super) fn next_after(&self, instant_ms: i64, zone: &TimeZone) -> Option<i64> {
        let from = Timestamp::from_millisecond(instant_ms).ok()?.to_zoned(zone.clone());
        let next = self.cron.find_next_occurrence(&from, false).ok()?;
        let is_in_sight = next.year() <= from.year().saturating_add(MAX_YEARS_AHEAD);
        let next_ms = next.timestamp().as_millisecond();
        (is_in_sight && next_ms > instant_ms).then_some(next_ms)
    }
}

/// Whether an expression fires more often than once a minute.
pub fn runs_within_a_minute(text: &str) -> Result<bool, ScheduleError> {
    Ok(CronExpression::parse(text)?.cron.pattern.seconds.values().len() > 1)
}

/// Whether there is a day for it, so that the search for the next one always ends soon.
fn can_occur(pattern: &CronPattern) -> bool {
    let first = Date::constant(2024, 1, 1);
    let days =
        first.series(1.day()).take_while(|date| date.year() < first.year() + MAX_YEARS_AHEAD);
    days.into_iter().any(|date| {
        let (year, month, day) = (
            i32::from(date.year()),
            date.month().unsigned_abs().into(),
            date.day().unsigned_abs().into(),
        );
        let weekday = Weekday::from_days_from_sunday(
            date.weekday().to_sunday_zero_offset().unsigned_abs().into(),
        );
        pattern.month_match(month).unwrap_or(false)
            && pattern.day_match(year, month, day, weekday).unwrap_or(false)
    })
}

/// What the parser lets pass: a wrong number of fields, empty elements of a list, names in the
/// wrong field.
fn check_fields(text: &str) -> Result<(), String> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let Some(skipped) = 6usize.checked_sub(fields.len()).filter(|skipped| *skipped <= 1) else {
        return Err(format!("it has {} fields instead of 5, or 6 with seconds", fields.len()));
    };
    for (position, field) in
        fields.iter().enumerate().map(|(position, field)| (position + skipped, field))
    {
        if field.split(',').any(str::is_empty) {
            return Err(format!("'{field}' has an empty element"));
        }
        let names: &[&str] = match position {
            3 => &DAYS_OF_MONTH,
            4 => &MONTHS,
            5 => &DAYS,
            _ => &[],
        };
        let words =
            field.split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty());
        if let Some(word) =
            words.into_iter().find(|word| !names.iter().any(|name| name.eq_ignore_ascii_case(word)))
        {
            return Err(format!("'{word}' is not valid in '{field}'"));
        }
    }
    Ok(())
}
