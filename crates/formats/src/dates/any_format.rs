//! Dates out of text in the formats that n8n accepts: ISO 8601, HTTP, RFC 2822, SQL and what
//! JavaScript's `Date` reads.

use crate::dates::{Moment, parse_js_date, zone};
use jiff::civil;
use jiff::tz::{Offset, TimeZone};
use model::{DateKind, DateValue, Value};

/// What a date without a zone or a day is taken to mean.
#[derive(Clone, Copy, Debug)]
pub struct DateContext<'a> {
    /// IANA name of the zone.
    pub zone: &'a str,
    pub now_ms: i64,
}

impl DateContext<'_> {
    pub fn utc() -> DateContext<'static> {
        DateContext { zone: "UTC", now_ms: 0 }
    }
}

/// The zone of an IANA name or a fixed offset such as `UTC+2`; UTC if there is no such zone.
pub fn zone_of(name: &str) -> TimeZone {
    zone(name).unwrap_or(TimeZone::UTC)
}

/// The date a value stands for, in the zone it names or else in the clock's.
pub fn parse_date(value: &Value, clock: &DateContext<'_>) -> Option<DateValue> {
    if let Value::Date(date) = value {
        return date.epoch_ms.is_finite().then(|| (**date).clone());
    }
    let text = value.to_js_string();
    let text = text.trim();
    let found = iso(text, clock).or_else(|| mail_date(text)).or_else(|| sql(text));
    match found {
        Some(ParsedDate { moment, zone }) => {
            luxon(moment, zone.unwrap_or_else(|| zone_of(clock.zone)))
        }
        None => {
            let epoch_ms = parse_js_date(text)?;
            let stamp = jiff::Timestamp::from_millisecond(epoch_ms as i64).ok()?;
            luxon(stamp.to_zoned(TimeZone::UTC).datetime(), TimeZone::UTC)
                .map(|utc| in_zone(&utc, clock.zone))
        }
    }
}

/// A date as it is written.
pub(super) struct ParsedDate {
    pub moment: civil::DateTime,
    pub zone: Option<TimeZone>,
}

fn luxon(moment: civil::DateTime, zone: TimeZone) -> Option<DateValue> {
    let at = zone.to_ambiguous_zoned(moment).compatible().ok()?;
    let epoch_ms = at.timestamp().as_millisecond() as f64;
    Some(DateValue { epoch_ms, iso: Moment::from(at).to_iso().into(), kind: DateKind::Luxon })
}

fn in_zone(date: &DateValue, zone: &str) -> DateValue {
    let zone = zone_of(zone);
    let moved = jiff::Timestamp::from_millisecond(date.epoch_ms as i64)
        .ok()
        .map(|stamp| stamp.to_zoned(zone.clone()).datetime());
    moved
        .and_then(|moment| luxon(moment, zone))
        .map_or_else(|| date.clone(), |moved| DateValue { epoch_ms: date.epoch_ms, ..moved })
}

fn fixed(minutes: i32) -> TimeZone {
    Offset::from_seconds(minutes.saturating_mul(60)).map_or(TimeZone::UTC, TimeZone::fixed)
}

/// A walk over the letters of a date.
struct DateScanner<'t> {
    rest: &'t str,
}

impl<'t> DateScanner<'t> {
    fn new(rest: &'t str) -> Self {
        Self { rest }
    }

    fn eat(&mut self, wanted: &[char]) -> bool {
        match self.rest.chars().next() {
            Some(first) if wanted.contains(&first) => {
                self.rest = &self.rest[first.len_utf8()..];
                true
            }
            _ => false,
        }
    }

    fn digit_count(&self) -> usize {
        self.rest.bytes().take_while(u8::is_ascii_digit).count()
    }

    /// Exactly this many digits as a number.
    fn digits(&mut self, count: usize) -> Option<i32> {
        if self.digit_count() < count {
            return None;
        }
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        digits.parse().ok()
    }

    fn word(&mut self) -> &'t str {
        let length = self.rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        word
    }

    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// `Z`, `+01`, `+0130`, `+1:30`: minutes east of UTC.
    fn offset(&mut self) -> Option<i32> {
        if self.eat(&['Z', 'z']) {
            return Some(0);
        }
        let sign = if self.rest.starts_with('-') { -1 } else { 1 };
        if !self.eat(&['+', '-', '\u{2212}']) {
            return None;
        }
        let hours = match self.digit_count() {
            1 | 3 => self.digits(1)?,
            _ => self.digits(2)?,
        };
        let colon = self.eat(&[':']);
        let minutes = if colon || self.digit_count() >= 2 { self.digits(2)? } else { 0 };
        Some(sign * (hours * 60 + minutes))
    }

    /// `hh`, `hh:mm`, `hhmm`, `hh:mm:ss.fff`; 24:00 is the end of the day.
    fn time(&mut self) -> Option<(civil::Time, bool)> {
        let hour = self.digits(2)?;
        let (mut minute, mut second, mut nanos) = (0, 0, 0);
        let colon = self.eat(&[':']);
        if colon || self.digit_count() >= 2 {
            minute = self.digits(2)?;
            let colon = self.eat(&[':']);
            if colon || self.digit_count() >= 2 {
                second = self.digits(2)?;
                if self.digit_count() == 0
                    && self.rest.len() > 1
                    && self.rest.as_bytes()[1].is_ascii_digit()
                    && self.eat(&['.', ','])
                {
                    let count = self.digit_count();
                    let mut digits = self.rest[..count.min(9)].to_owned();
                    while digits.len() < 9 {
                        digits.push('0');
                    }
                    nanos = digits.parse().ok()?;
                    self.rest = &self.rest[count..];
                }
            }
        }
        let next_day = hour == 24 && minute == 0 && second == 0 && nanos == 0;
        let hour = if next_day { 0 } else { hour };
        let time = civil::Time::new(hour as i8, minute as i8, second as i8, nanos).ok()?;
        Some((time, next_day))
    }
}

/// ISO 8601 with a day, or a time of today.
fn iso(text: &str, clock: &DateContext<'_>) -> Option<ParsedDate> {
    if let Some(found) = dated(text, &['T', 't']) {
        return Some(found);
    }
    let now = jiff::Timestamp::from_millisecond(clock.now_ms).ok()?;
    timed(DateScanner::new(text), now.to_zoned(zone_of(clock.zone)).date())
}

/// ISO 8601 with a day, which a space may part from the time.
pub(super) fn iso_day_and_time(text: &str) -> Option<ParsedDate> {
    dated(text, &['T', 't', ' '])
}

fn dated(text: &str, separators: &[char]) -> Option<ParsedDate> {
    let mut scan = DateScanner::new(text);
    let day = iso_day(&mut scan)?;
    if scan.rest.is_empty() {
        return Some(ParsedDate { moment: day.at(0, 0, 0, 0), zone: None });
    }
    if !scan.eat(separators) {
        return None;
    }
    timed(scan, day)
}

fn timed(mut scan: DateScanner<'_>, day: civil::Date) -> Option<ParsedDate> {
    let (time, next_day) = scan.time()?;
    let day = if next_day { day.tomorrow().ok()? } else { day };
    let mut zone = scan.offset().map(fixed);
    if let Some(name) = scan.rest.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        zone = Some(TimeZone::get(name).ok()?);
        scan.rest = "";
    }
    scan.rest.is_empty().then(|| ParsedDate { moment: day.to_datetime(time), zone })
}

/// `2024`, `2024-02`, `2024-02-03`, `20240203`, `2024-034`, `2024-W05-6`.
fn iso_day(scan: &mut DateScanner<'_>) -> Option<civil::Date> {
    let sign = if scan.rest.starts_with('-') { -1 } else { 1 };
    let year = if scan.eat(&['+', '-']) { sign * scan.digits(6)? } else { scan.digits(4)? };
    let year = i16::try_from(year).ok()?;
    let dash = scan.eat(&['-']);
    if scan.eat(&['W']) {
        let week = scan.digits(2)?;
        let day = if scan.eat(&['-']) || scan.digit_count() == 1 { scan.digits(1)? } else { 1 };
        let weekday = civil::Weekday::from_monday_one_offset(day as i8).ok()?;
        return civil::ISOWeekDate::new(year, week as i8, weekday).ok().map(|week| week.date());
    }
    match scan.digit_count() {
        0 if !dash => civil::Date::new(year, 1, 1).ok(),
        3 => civil::Date::new(year, 1, 1)
            .ok()?
            .with()
            .day_of_year(scan.digits(3)? as i16)
            .build()
            .ok(),
        2 | 4 => {
            let month = scan.digits(2)? as i8;
            let day = if scan.eat(&['-']) || scan.digit_count() == 2 { scan.digits(2)? } else { 1 };
            civil::Date::new(year, month, day as i8).ok()
        }
        _ => None,
    }
}

/// `2024-02-03 04:05:06.789 +01:00` or with the name of a zone.
fn sql(text: &str) -> Option<ParsedDate> {
    let mut scan = DateScanner::new(text);
    let day = iso_day(&mut scan).filter(|_| text.as_bytes().get(4) == Some(&b'-'))?;
    if !scan.eat(&[' ']) {
        return None;
    }
    let (time, next_day) = scan.time()?;
    let day = if next_day { day.tomorrow().ok()? } else { day };
    scan.space();
    let zone = match scan.offset() {
        Some(minutes) => Some(fixed(minutes)),
        None if scan.rest.is_empty() => None,
        None => {
            let zone = TimeZone::get(scan.rest).ok()?;
            scan.rest = "";
            Some(zone)
        }
    };
    scan.rest.is_empty().then(|| ParsedDate { moment: day.to_datetime(time), zone })
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const ZONES: [(&str, i32); 11] = [
    ("ut", 0),
    ("utc", 0),
    ("gmt", 0),
    ("est", -300),
    ("edt", -240),
    ("cst", -360),
    ("cdt", -300),
    ("mst", -420),
    ("mdt", -360),
    ("pst", -480),
    ("pdt", -420),
];

fn month(word: &str) -> Option<i8> {
    let short: String = word.chars().take(3).collect::<String>().to_ascii_lowercase();
    MONTHS.iter().position(|name| *name == short).map(|at| at as i8 + 1)
}

fn zone_word(word: &str) -> Option<i32> {
    ZONES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, minutes)| *minutes)
}

/// RFC 2822 and the three HTTP forms: `Tue, 01 Nov 2016 13:23:12 +0630`, `Sunday, 06-Nov-94
/// 08:49:37 GMT`, `Sun Nov  6 08:49:37 1994`.
fn mail_date(text: &str) -> Option<ParsedDate> {
    let mut scan = DateScanner::new(text);
    let weekday = scan.word();
    if !weekday.is_empty() && !scan.eat(&[',']) {
        scan.space();
        let month = month(scan.word())?;
        scan.space();
        let day = scan.digits(scan.digit_count().clamp(1, 2))?;
        scan.space();
        let (time, _) = scan.time()?;
        scan.space();
        let year = scan.digits(4)?;
        let date = civil::Date::new(year as i16, month, day as i8).ok()?;
        return scan
            .rest
            .is_empty()
            .then(|| ParsedDate { moment: date.to_datetime(time), zone: Some(TimeZone::UTC) });
    }
    scan.space();
    let day = scan.digits(scan.digit_count().clamp(1, 2))?;
    let dashed = scan.eat(&['-']);
    scan.space();
    let month = month(scan.word())?;
    if dashed && !scan.eat(&['-']) {
        return None;
    }
    scan.space();
    let year = match scan.digit_count() {
        2 => scan.digits(2).map(|year| if year > 60 { 1900 + year } else { 2000 + year })?,
        _ => scan.digits(4)?,
    };
    let date = civil::Date::new(year as i16, month, day as i8).ok()?;
    scan.space();
    let (time, _) = scan.time()?;
    scan.space();
    let minutes = scan.offset().or_else(|| zone_word(scan.word()))?;
    scan.rest
        .trim()
        .is_empty()
        .then(|| ParsedDate { moment: date.to_datetime(time), zone: Some(fixed(minutes)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn read(text: &str) -> Option<String> {
        let clock = DateContext { zone: "America/New_York", now_ms: 1_704_067_200_000 };
        parse_date(&json!(text), &clock).map(|date| date.iso.to_string())
    }

    #[test]
    fn iso_dates_keep_their_zone_or_take_the_clocks() {
        assert_eq!(read("2023-11-15T17:10:49.113Z").as_deref(), Some("2023-11-15T17:10:49.113Z"));
        assert_eq!(
            read("2023-11-15T17:10+02:00").as_deref(),
            Some("2023-11-15T17:10:00.000+02:00")
        );
        assert_eq!(read("2023-07-01").as_deref(), Some("2023-07-01T00:00:00.000-04:00"));
        assert_eq!(read("20230701T101112").as_deref(), Some("2023-07-01T10:11:12.000-04:00"));
        assert_eq!(read("2023-W01-2").as_deref(), Some("2023-01-03T00:00:00.000-05:00"));
        assert_eq!(read("2023-034").as_deref(), Some("2023-02-03T00:00:00.000-05:00"));
        assert_eq!(read("2023-01-01T24:00").as_deref(), Some("2023-01-02T00:00:00.000-05:00"));
        assert_eq!(read("14:30").as_deref(), Some("2023-12-31T14:30:00.000-05:00"));
    }

    #[test]
    fn mail_http_and_sql_dates_are_read() {
        assert_eq!(
            read("Tue, 01 Nov 2016 13:23:12 +0630").as_deref(),
            Some("2016-11-01T13:23:12.000+06:30")
        );
        assert_eq!(
            read("Sunday, 06-Nov-94 08:49:37 GMT").as_deref(),
            Some("1994-11-06T08:49:37.000Z")
        );
        assert_eq!(read("Sun Nov  6 08:49:37 1994").as_deref(), Some("1994-11-06T08:49:37.000Z"));
        assert_eq!(
            read("2024-02-03 04:05:06.789").as_deref(),
            Some("2024-02-03T04:05:06.789-05:00")
        );
        assert_eq!(
            read("2024-02-03 04:05 Europe/Berlin").as_deref(),
            Some("2024-02-03T04:05:00.000+01:00")
        );
    }

    #[test]
    fn javascript_forms_are_read() {
        assert_eq!(parse_js_date("Jan 5, 2024 3:04 PM"), Some(1_704_467_040_000.0));
        assert_eq!(parse_js_date("1/5/2024"), Some(1_704_412_800_000.0));
        assert_eq!(
            parse_js_date("Mon Jan 01 2024 01:00:00 GMT+0100 (CET)"),
            Some(1_704_067_200_000.0)
        );
        assert_eq!(parse_js_date("2024-01-01"), Some(1_704_067_200_000.0));
        assert_eq!(parse_js_date("2024/01/01 00:00"), Some(1_704_067_200_000.0));
    }

    #[test]
    fn what_is_no_date_gives_nothing() {
        for text in [
            "",
            "hello",
            "2024-13-01",
            "1700000000000",
            "true",
            "é",
            "2024-01-01T",
            "25:00",
            "12/é",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
