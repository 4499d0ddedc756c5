//! Reads dates. `None` means: not a form that is known to mean the same everywhere.

use super::civil::{Civil, days_in_month};
use super::format::MONTHS;

/// A clock reading, and the offset in minutes if the text had one.
pub(in crate::native) type DateParts = (Civil, Option<i64>);

/// ISO 8601 in its extended form: `2026-01-15`, `2026-01-15T07:34:56.789-05:00`, `2026-01`.
pub(in crate::native) fn parse_iso(text: &str) -> Option<DateParts> {
    let mut reader = DateReader { rest: text };
    let year = reader.digits(4, 4)?;
    let mut civil = Civil::date(year, 1, 1);
    if reader.rest.is_empty() {
        return Some((civil, None));
    }
    reader.sign('-')?;
    civil.month = reader.digits(2, 2)?;
    if reader.take('-') {
        civil.day = reader.digits(2, 2)?;
    }
    if !(1..=12).contains(&civil.month)
        || civil.day < 1
        || civil.day > days_in_month(year, civil.month)
    {
        return None;
    }
    if reader.rest.is_empty() {
        return Some((civil, None));
    }
    reader.sign('T')?;
    reader.clock(&mut civil)?;
    let offset = reader.offset()?;
    reader.rest.is_empty().then_some((civil, offset))
}

/// What `new Date(text)` understands and we do too. The process' zone is UTC.
pub(in crate::native) fn parse_js(text: &str) -> Option<f64> {
    let Some((civil, offset)) = parse_iso(text).or_else(|| parse_sql(text)) else {
        return crate::date_text::parse(text);
    };
    // Luxon reads `10:15`, JavaScript also wants whole hours and minutes; both agree on those.
    let ms = civil.to_ms()? - offset.unwrap_or(0) * 60_000;
    Some(ms as f64)
}

/// `2026-01-15 07:34:56`, which every engine reads as local time.
fn parse_sql(text: &str) -> Option<DateParts> {
    let (date, clock) = text.split_once(' ')?;
    if date.len() != 10 || !(clock.len() == 8 || clock.len() == 5) {
        return None;
    }
    parse_iso(&format!("{date}T{clock}"))
}

struct DateReader<'a> {
    rest: &'a str,
}

impl DateReader<'_> {
    fn take(&mut self, sign: char) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sign(&mut self, sign: char) -> Option<()> {
        self.take(sign).then_some(())
    }

    fn digits(&mut self, least: usize, most: usize) -> Option<i64> {
        let length = self.rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        if length < least {
            return None;
        }
        let (digits, rest) = self.rest.split_at(length);
        self.rest = rest;
        digits.parse().ok()
    }

    fn clock(&mut self, civil: &mut Civil) -> Option<()> {
        civil.hour = self.digits(2, 2)?;
        self.sign(':')?;
        civil.minute = self.digits(2, 2)?;
        if self.take(':') {
            civil.second = self.digits(2, 2)?;
            if self.take('.') {
                let before = self.rest;
                self.digits(1, 9)?;
                let digits = &before[..before.len() - self.rest.len()];
                civil.millisecond = format!("{digits:0<3}").get(..3)?.parse().ok()?;
            }
        }
        (civil.hour < 24 && civil.minute < 60 && civil.second < 60).then_some(())
    }

    fn offset(&mut self) -> Option<Option<i64>> {
        if self.rest.is_empty() {
            return Some(None);
        }
        if self.take('Z') {
            return Some(Some(0));
        }
        let sign = if self.take('+') {
            1
        } else {
            self.sign('-')?;
            -1
        };
        let hours = self.digits(2, 2)?;
        self.sign(':')?;
        let minutes = self.digits(2, 2)?;
        (hours < 24 && minutes < 60).then_some(Some(sign * (hours * 60 + minutes)))
    }
}

/// Reads a text by a Luxon format made of the plain tokens; anything cleverer is declined.
pub(in crate::native) fn from_format(text: &str, format: &str) -> Option<DateParts> {
    if format.len() > super::format::MAX_FORMAT_BYTES {
        return None;
    }
    let mut reader = DateReader { rest: text };
    let mut civil = Civil::date(0, 1, 1);
    let mut year = None;
    let mut afternoon = None;
    let mut has_twelve_hours = false;
    let mut offset = None;
    for token in super::format::tokens(format) {
        match token {
            Err(literal) => {
                reader.rest = reader.rest.strip_prefix(literal)?;
            }
            Ok(token) => match token {
                "yyyy" => year = Some(reader.digits(4, 4)?),
                "MM" | "LL" => civil.month = reader.digits(2, 2)?,
                "M" | "L" => civil.month = reader.digits(1, 2)?,
                "MMM" | "LLL" | "MMMM" | "LLLL" => civil.month = reader.month(token.len() == 4)?,
                "dd" => civil.day = reader.digits(2, 2)?,
                "d" => civil.day = reader.digits(1, 2)?,
                "HH" => civil.hour = reader.digits(2, 2)?,
                "H" => civil.hour = reader.digits(1, 2)?,
                "hh" | "h" => {
                    has_twelve_hours = true;
                    civil.hour = reader.digits(token.len(), 2)?;
                }
                "mm" => civil.minute = reader.digits(2, 2)?,
                "m" => civil.minute = reader.digits(1, 2)?,
                "ss" => civil.second = reader.digits(2, 2)?,
                "s" => civil.second = reader.digits(1, 2)?,
                "SSS" => civil.millisecond = reader.digits(3, 3)?,
                "a" => {
                    let half = reader.rest.get(..2)?.to_ascii_lowercase();
                    afternoon = Some(if half == "pm" {
                        true
                    } else if half == "am" {
                        false
                    } else {
                        return None;
                    });
                    reader.rest = reader.rest.get(2..)?;
                }
                "ZZ" => offset = Some(reader.offset()??),
                _ => return None,
            },
        }
    }
    if !reader.rest.is_empty() || has_twelve_hours != afternoon.is_some() {
        return None;
    }
    if let Some(afternoon) = afternoon {
        if !(1..=12).contains(&civil.hour) {
            return None;
        }
        civil.hour = civil.hour % 12 + if afternoon { 12 } else { 0 };
    }
    civil.year = year?;
    let is_valid = (1..=12).contains(&civil.month)
        && civil.day >= 1
        && civil.day <= days_in_month(civil.year, civil.month)
        && civil.hour < 24
        && civil.minute < 60
        && civil.second < 60;
    is_valid.then_some((civil, offset))
}

impl DateReader<'_> {
    fn month(&mut self, long: bool) -> Option<i64> {
        let rest = self.rest;
        let at = MONTHS.iter().position(|name| {
            let name = if long { name } else { &name[..3] };
            rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
        })?;
        let length = if long { MONTHS[at].len() } else { 3 };
        self.rest = rest.get(length..)?;
        Some(at as i64 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_texts_are_read_and_others_declined() {
        let (civil, offset) = parse_iso("2026-01-15T07:34:56.789-05:00").unwrap();
        assert_eq!((civil.hour, civil.millisecond, offset), (7, 789, Some(-300)));
        assert_eq!(parse_iso("2026-01-15").map(|(civil, _)| civil), Some(Civil::date(2026, 1, 15)));
        for bad in [
            "",
            "2026-13-01",
            "2026-02-30",
            "15.01.2026",
            "2026-01-15T25:00",
            "2026-01-15T10:00+5",
            "2026-01-15x",
        ] {
            assert_eq!(parse_iso(bad), None, "{bad}");
        }
        assert_eq!(parse_js("2024-01-15 10:30:00"), Some(1_705_314_600_000.0));
    }

    #[test]
    fn formats_are_read_back() {
        let read = |text, format| from_format(text, format).map(|(civil, _)| civil);
        assert_eq!(read("15/01/2026", "dd/MM/yyyy"), Some(Civil::date(2026, 1, 15)));
        assert_eq!(read("Jan 5, 2026", "MMM d, yyyy"), Some(Civil::date(2026, 1, 5)));
        assert_eq!(
            read("2026-01-15 07:34 pm", "yyyy-MM-dd hh:mm a").map(|civil| civil.hour),
            Some(19)
        );
        assert_eq!(read("31/02/2026", "dd/MM/yyyy"), None);
    }
}
