//! Dates as n8n's nodes handle them: a moment in a zone, with Luxon's arithmetic and the tokens of
//! Luxon and moment.

mod any_format;
mod format_parser;
mod luxon;
mod moment;
mod names;
mod parse;
mod tokens;

pub use any_format::{DateContext, parse_date, zone_of};
pub use luxon::{from_luxon_format, to_luxon_format};
pub use moment::{from_moment_format, to_moment_format};
pub use parse::{parse_js_date, parse_moment};

use jiff::civil::Weekday;
use jiff::tz::{Offset, TimeZone};
use jiff::{Span, Timestamp, ToSpan, Zoned};

/// A moment with the zone it is shown in.
#[derive(Clone, Debug)]
pub struct Moment {
    pub at: Zoned,
    /// Luxon writes `Z` only for its own UTC, not for a named zone that happens to be at it.
    is_plain_utc: bool,
}

/// A zone by its IANA name, or `UTC+3`. `None` if there is no such zone.
pub fn zone(name: &str) -> Option<TimeZone> {
    if is_plain_utc(name) {
        return Some(TimeZone::UTC);
    }
    if let Some(rest) = name.strip_prefix("UTC").or_else(|| name.strip_prefix("utc"))
        && let Some((hours, minutes)) = offset_parts(rest)
    {
        return Offset::from_seconds((hours * 60 + minutes) * 60).ok().map(TimeZone::fixed);
    }
    TimeZone::get(name).ok()
}

fn is_plain_utc(name: &str) -> bool {
    name.eq_ignore_ascii_case("utc") || name.eq_ignore_ascii_case("gmt")
}

/// Reads `+3`, `-03:30`; both parts carry the sign.
fn offset_parts(text: &str) -> Option<(i32, i32)> {
    let sign = match text.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let digits: String = text[1..].chars().filter(char::is_ascii_digit).collect();
    let (hours, minutes) = if text.contains(':') || digits.len() > 2 {
        digits.split_at(digits.len().saturating_sub(2))
    } else {
        (&*digits, "0")
    };
    Some((sign * hours.parse::<i32>().ok()?, sign * minutes.parse::<i32>().ok()?))
}

impl From<Zoned> for Moment {
    fn from(at: Zoned) -> Self {
        let is_plain_utc =
            at.offset() == Offset::UTC && at.time_zone().iana_name().is_none_or(is_plain_utc);
        Self { at, is_plain_utc }
    }
}

impl Moment {
    pub fn new(epoch_ms: f64, zone_name: &str) -> Option<Self> {
        if !epoch_ms.is_finite() || epoch_ms.abs() > 8.64e15 {
            return None;
        }
        let at =
            Timestamp::from_millisecond(epoch_ms.floor() as i64).ok()?.to_zoned(zone(zone_name)?);
        Some(Self { at, is_plain_utc: is_plain_utc(zone_name) })
    }

    /// A moment in a zone that is known only by its offset, as in an ISO text.
    pub fn from_iso_with_offset(epoch_ms: f64, iso: &str) -> Option<Self> {
        let mut moment = Self::new(epoch_ms, "UTC")?;
        if let Some(offset) = iso
            .get(10..)
            .and_then(|time| time.rfind(['+', '-']).map(|at| &time[at..]))
            .and_then(offset_parts)
        {
            let fixed = Offset::from_seconds((offset.0 * 60 + offset.1) * 60).ok()?;
            moment =
                Self { at: moment.at.with_time_zone(TimeZone::fixed(fixed)), is_plain_utc: false };
        }
        Some(moment)
    }

    pub fn in_zone(&self, zone_name: &str) -> Option<Self> {
        Some(Self {
            at: self.at.with_time_zone(zone(zone_name)?),
            is_plain_utc: is_plain_utc(zone_name),
        })
    }

    pub fn epoch_ms(&self) -> f64 {
        self.at.timestamp().as_millisecond() as f64
    }

    /// Luxon's `toISO`: milliseconds always, the offset or `Z`.
    pub fn to_iso(&self) -> String {
        let date = self.at.datetime();
        let year = if (0..=9999).contains(&date.year()) {
            format!("{:04}", date.year())
        } else {
            format!("{:+07}", date.year())
        };
        let offset =
            if self.is_plain_utc { "Z".to_owned() } else { offset_text(self.at.offset(), ":") };
        format!(
            "{year}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}{offset}",
            date.month(),
            date.day(),
            date.hour(),
            date.minute(),
            date.second(),
            date.millisecond()
        )
    }

    /// Adds an amount of a unit: calendar units by the calendar, shorter ones by the clock.
    pub fn plus(&self, amount: f64, unit: Unit) -> Option<Self> {
        let whole = amount.trunc();
        if !amount.is_finite() || whole.abs() > 1e12 {
            return None;
        }
        let calendar = if unit >= Unit::Day { whole } else { 0.0 };
        let mut at = self.at.checked_add(unit.span(calendar as i64)?).ok()?;
        let rest_ms = ((amount - calendar) * unit.casual_ms()).round();
        if rest_ms != 0.0 {
            at = at.checked_add((rest_ms as i64).milliseconds()).ok()?;
        }
        Some(Self { at, is_plain_utc: self.is_plain_utc })
    }

    /// The start of the unit that the moment lies in.
    pub fn start_of(&self, unit: Unit) -> Option<Self> {
        let now = self.at.datetime();
        let day = now.date();
        let midnight = |date: jiff::civil::Date| date.at(0, 0, 0, 0);
        let start = match unit {
            Unit::Year => midnight(jiff::civil::Date::new(day.year(), 1, 1).ok()?),
            Unit::Quarter => {
                midnight(jiff::civil::Date::new(day.year(), (day.month() - 1) / 3 * 3 + 1, 1).ok()?)
            }
            Unit::Month => midnight(day.first_of_month()),
            Unit::Week => midnight(
                day.checked_sub(i64::from(day.weekday().since(Weekday::Monday)).days()).ok()?,
            ),
            Unit::Day => midnight(day),
            Unit::Hour => day.at(now.hour(), 0, 0, 0),
            Unit::Minute => day.at(now.hour(), now.minute(), 0, 0),
            Unit::Second => day.at(now.hour(), now.minute(), now.second(), 0),
            Unit::Millisecond => now,
        };
        // Clock units are cut off on the time line, so that the hour that occurs twice stays
        // itself.
        if unit <= Unit::Hour {
            let over = now.duration_since(start);
            return Some(Self {
                at: self.at.checked_sub(over).ok()?,
                is_plain_utc: self.is_plain_utc,
            });
        }
        Some(Self {
            at: start.to_zoned(self.at.time_zone().clone()).ok()?,
            is_plain_utc: self.is_plain_utc,
        })
    }

    /// How much time lies between, in the units asked for; the smallest takes the rest as a
    /// fraction.
    pub fn until(&self, end: &Self, units: &[Unit]) -> Option<Vec<(Unit, f64)>> {
        let (earlier, later, sign) =
            if end.at < self.at { (end, self, -1.0) } else { (self, end, 1.0) };
        let mut units = units.to_vec();
        units.sort_by(|one, two| two.cmp(one));
        units.dedup();
        let mut results: Vec<(Unit, f64)> = Vec::new();
        let mut cursor = earlier.at.clone();
        for unit in units.iter().copied().filter(|unit| *unit >= Unit::Day) {
            let gap_ms = (later.epoch_ms() - cursor.timestamp().as_millisecond() as f64).max(0.0);
            let mut count = (gap_ms / unit.casual_ms()).ceil() + 1.0;
            results.push((unit, count));
            loop {
                let reached = earlier.at.checked_add(calendar_span(&results)?).ok();
                if count <= 0.0 || reached.as_ref().is_some_and(|reached| *reached <= later.at) {
                    cursor = reached?;
                    break;
                }
                count -= 1.0;
                if let Some(last) = results.last_mut() {
                    last.1 = count;
                }
            }
        }
        let mut rest_ms = later.epoch_ms() - cursor.timestamp().as_millisecond() as f64;
        let clock: Vec<Unit> = units.iter().copied().filter(|unit| *unit < Unit::Day).collect();
        for (at, unit) in clock.iter().enumerate() {
            let exact = rest_ms / unit.casual_ms();
            let count = if at + 1 == clock.len() { exact } else { exact.trunc() };
            rest_ms -= count * unit.casual_ms();
            results.push((*unit, count));
        }
        if clock.is_empty()
            && let Some((unit, count)) = results.last_mut()
        {
            let next = cursor.checked_add(unit.span(1)?).ok()?;
            *count += rest_ms
                / (next.timestamp().as_millisecond() - cursor.timestamp().as_millisecond()) as f64;
        }
        Some(
            results
                .into_iter()
                .map(|(unit, count)| (unit, if count == 0.0 { 0.0 } else { count * sign }))
                .collect(),
        )
    }
}

/// Units of time, the smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Unit {
    /// By its English name, singular or plural.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let all = [
            Unit::Millisecond,
            Unit::Second,
            Unit::Minute,
            Unit::Hour,
            Unit::Day,
            Unit::Week,
            Unit::Month,
            Unit::Quarter,
            Unit::Year,
        ];
        all.into_iter()
            .find(|unit| unit.plural() == name || unit.plural().strip_suffix('s') == Some(&*name))
    }

    pub fn plural(self) -> &'static str {
        match self {
            Unit::Millisecond => "milliseconds",
            Unit::Second => "seconds",
            Unit::Minute => "minutes",
            Unit::Hour => "hours",
            Unit::Day => "days",
            Unit::Week => "weeks",
            Unit::Month => "months",
            Unit::Quarter => "quarters",
            Unit::Year => "years",
        }
    }

    /// The length that Luxon takes for fractions: months of 30 days, years of 365.
    fn casual_ms(self) -> f64 {
        const DAY: f64 = 86_400_000.0;
        match self {
            Unit::Millisecond => 1.0,
            Unit::Second => 1000.0,
            Unit::Minute => 60_000.0,
            Unit::Hour => 3_600_000.0,
            Unit::Day => DAY,
            Unit::Week => 7.0 * DAY,
            Unit::Month => 30.0 * DAY,
            Unit::Quarter => 91.0 * DAY,
            Unit::Year => 365.0 * DAY,
        }
    }

    fn span(self, count: i64) -> Option<Span> {
        let span = Span::new();
        match self {
            Unit::Millisecond => span.try_milliseconds(count),
            Unit::Second => span.try_seconds(count),
            Unit::Minute => span.try_minutes(count),
            Unit::Hour => span.try_hours(count),
            Unit::Day => span.try_days(count),
            Unit::Week => span.try_weeks(count),
            Unit::Month => span.try_months(count),
            Unit::Quarter => span.try_months(count.checked_mul(3)?),
            Unit::Year => span.try_years(count),
        }
        .ok()
    }
}

/// Several calendar units in one step, so that the end of a month is cut off once.
fn calendar_span(parts: &[(Unit, f64)]) -> Option<Span> {
    let of = |wanted: Unit| {
        parts.iter().find(|(unit, _)| *unit == wanted).map_or(0, |(_, count)| *count as i64)
    };
    let months = of(Unit::Quarter).checked_mul(3)?.checked_add(of(Unit::Month))?;
    let span = Span::new().try_years(of(Unit::Year)).ok()?.try_months(months).ok()?;
    span.try_weeks(of(Unit::Week)).ok()?.try_days(of(Unit::Day)).ok()
}

/// `+02:00`, with a separator of choice.
fn offset_text(offset: Offset, separator: &str) -> String {
    let minutes = offset.seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}{separator}{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, zone: &str) -> Moment {
        Moment::new(parse_js_date(text).unwrap(), zone).unwrap()
    }

    #[test]
    fn months_end_where_they_must() {
        assert_eq!(
            at("2024-01-31", "UTC").plus(1.0, Unit::Month).unwrap().to_iso(),
            "2024-02-29T00:00:00.000Z"
        );
        assert_eq!(
            at("2024-01-31", "Etc/UTC").plus(-0.5, Unit::Day).unwrap().to_iso(),
            "2024-01-30T12:00:00.000+00:00"
        );
    }

    #[test]
    fn a_day_keeps_the_clock_across_a_change_of_summer_time() {
        let before = at("2024-03-30T12:00:00Z", "Europe/Berlin");
        assert_eq!(before.plus(1.0, Unit::Day).unwrap().to_iso(), "2024-03-31T13:00:00.000+02:00");
        assert_eq!(
            before.plus(24.0, Unit::Hour).unwrap().to_iso(),
            "2024-03-31T14:00:00.000+02:00"
        );
    }

    #[test]
    fn units_start_where_they_must() {
        let moment = at("2024-05-16T10:20:30.456Z", "UTC");
        let start = |unit| moment.start_of(unit).unwrap().to_iso();
        assert_eq!(start(Unit::Week), "2024-05-13T00:00:00.000Z");
        assert_eq!(start(Unit::Quarter), "2024-04-01T00:00:00.000Z");
        assert_eq!(start(Unit::Minute), "2024-05-16T10:20:00.000Z");
    }

    #[test]
    fn differences_are_split_into_units() {
        let (start, end) = (at("2024-01-31", "UTC"), at("2024-03-01T12:00:00", "UTC"));
        assert_eq!(
            start.until(&end, &[Unit::Month, Unit::Day]).unwrap(),
            [(Unit::Month, 1.0), (Unit::Day, 1.5)]
        );
        assert_eq!(end.until(&start, &[Unit::Hour]).unwrap(), [(Unit::Hour, -732.0)]);
        assert_eq!(
            start.until(&end, &[Unit::Day, Unit::Minute]).unwrap(),
            [(Unit::Day, 30.0), (Unit::Minute, 720.0)]
        );
    }

    #[test]
    fn zones_have_names_or_offsets() {
        assert!(
            zone("Europe/Paris").is_some() && zone("UTC+5:30").is_some() && zone("utc").is_some()
        );
        assert!(zone("Mars/Base").is_none());
        assert_eq!(
            Moment::from_iso_with_offset(0.0, "1970-01-01T02:00:00.000+02:00").unwrap().to_iso(),
            "1970-01-01T02:00:00.000+02:00"
        );
    }
}
