//! Reads dates out of texts as V8 does: `new Date(text)` and `Date.parse(text)`.
//!
//! What looks like ISO 8601 is read as such as far as it goes; what is left, and any other text, is
//! read word by word. The zone of the process is UTC.

mod iso;
mod legacy;
mod tokens;

use tokens::{Token, tokens};

/// Milliseconds since the Unix epoch; `None` if the text is no date.
pub(crate) fn parse(text: &str) -> Option<f64> {
    let mut reader = DateReader { tokens: tokens(text)?, ..DateReader::default() };
    if !reader.iso()? {
        reader.legacy()?;
    }
    reader.milliseconds()
}

#[derive(Default)]
struct DateReader {
    tokens: Vec<Token>,
    next: usize,
    /// Year, month and day in the order of the text.
    days: Vec<i64>,
    month: Option<i64>,
    is_iso: bool,
    clock: Vec<i64>,
    half: Option<i64>,
    zone_sign: Option<i64>,
    zone_hour: Option<i64>,
    zone_minute: Option<i64>,
    has_number: bool,
}

impl DateReader {
    fn peek(&self) -> Token {
        self.tokens.get(self.next).copied().unwrap_or(Token::End)
    }

    fn take(&mut self) -> Token {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn skip(&mut self, sign: u8) -> bool {
        let found = self.peek() == Token::Sign(sign);
        self.next += usize::from(found);
        found
    }

    /// A number of so many digits that is not larger than a limit.
    fn fixed(&mut self, digits: usize, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        match self.peek() {
            Token::Number(value, length) if length == digits && range.contains(&value) => {
                self.next += 1;
                Some(value)
            }
            _ => None,
        }
    }

    fn set_zone(&mut self, hours: i64) {
        self.zone_sign = Some(if hours < 0 { -1 } else { 1 });
        self.zone_hour = Some(hours.abs());
        self.zone_minute = Some(0);
    }

    fn milliseconds(&self) -> Option<f64> {
        let (year, month, day) = self.date()?;
        let at = |position: usize| self.clock.get(position).copied().unwrap_or(0);
        let (mut hour, minute, second, milli) = (at(0), at(1), at(2), at(3));
        if let Some(more) = self.half {
            if !(0..=12).contains(&hour) {
                return None;
            }
            hour = hour % 12 + more;
        }
        let is_time = (0..24).contains(&hour) && (0..60).contains(&minute);
        let is_time = is_time && (0..60).contains(&second) && (0..1000).contains(&milli);
        if !is_time && (hour, minute, second, milli) != (24, 0, 0, 0) {
            return None;
        }
        let offset = self.zone_sign.unwrap_or(0)
            * (self.zone_hour.unwrap_or(0) * 60 + self.zone_minute.unwrap_or(0));
        let minutes = hour * 60 + minute - offset;
        let total = days_since_epoch(year, month, day) as f64 * 86_400_000.0
            + (minutes * 60_000 + second * 1000 + milli) as f64;
        (total.abs() <= 8.64e15).then_some(total)
    }

    fn date(&self) -> Option<(i64, i64, i64)> {
        if self.days.is_empty() {
            return None;
        }
        let at = |position: usize| self.days.get(position).copied().unwrap_or(1);
        let is_day = |value: i64| (1..=31).contains(&value);
        let (mut year, month, day) = match self.month {
            None if self.is_iso || !is_day(at(0)) => (at(0), at(1), at(2)),
            None => (at(2), at(0), at(1)),
            Some(month) if !is_day(at(0)) => (at(0), month, at(1)),
            Some(month) => (at(1), month, at(0)),
        };
        if !self.is_iso {
            year += match year {
                0..=49 => 2000,
                50..=99 => 1900,
                _ => 0,
            };
        }
        ((1..=12).contains(&month) && is_day(day)).then_some((year, month, day))
    }
}

/// The first three digits of a fraction of a second.
fn milliseconds(value: i64, length: usize) -> i64 {
    match length {
        1 => value * 100,
        2 => value * 10,
        3 => value,
        // The value has nine digits at most.
        _ => value / 10_i64.pow(length.min(9) as u32 - 3),
    }
}

/// Of the proleptic Gregorian calendar.
fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iso(text: &str) -> Option<String> {
        let time = jiff::Timestamp::from_millisecond(parse(text)? as i64).unwrap();
        Some(time.to_string())
    }

    #[test]
    fn texts_are_read_as_v8_reads_them() {
        for (text, wanted) in [
            ("2026-01-15", "2026-01-15T00:00:00Z"),
            ("2026-01-15T07:34:56.789-05:00", "2026-01-15T12:34:56.789Z"),
            ("2024-02-30", "2024-03-01T00:00:00Z"),
            ("2024-01-01T24:00", "2024-01-02T00:00:00Z"),
            ("2023-10 04:49:05.005-05:00", "2023-10-01T09:49:05.005Z"),
            ("1/2", "2001-01-02T00:00:00Z"),
            ("12/31/99 5:34 PM", "1999-12-31T17:34:00Z"),
            ("May 6", "2001-05-06T00:00:00Z"),
            ("Mon, 06 May 2024 07:08:09 GMT+0200 (CEST)", "2024-05-06T05:08:09Z"),
            ("6 May 2024 10:11 PDT", "2024-05-06T17:11:00Z"),
            ("Room 101", "0101-01-01T00:00:00Z"),
        ] {
            assert_eq!(iso(text).as_deref(), Some(wanted), "{text}");
        }
        for text in [
            "",
            "hi",
            "2024-13-01",
            "8/21/26 5:34 AM CET",
            "2025-3-31 6:15:24pm",
            "1970-04-02+0530",
            "2024-01-01T25:00",
            "10:30",
            "abc1",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn long_texts_end() {
        assert_eq!(parse(&"1 ".repeat(100_000)), None);
        assert_eq!(parse(&"(".repeat(100_000)), None);
        assert_eq!(parse(&"9".repeat(100_000)), None);
    }
}
