//! Reads dates out of texts as V8 does: `new Date(text)` and `Date.parse(text)`.
//!
//! What looks like ISO 8601 is read as such as far as it goes; what is left, and any other text, is
//! a row of numbers and words whose places say what they are. The zone of the process is UTC.

use crate::native::is_js_whitespace;

/// Milliseconds since the Unix epoch; `None` if the text is no date.
pub(crate) fn parse(text: &str) -> Option<f64> {
    let mut reader = DateReader { tokens: tokens(text)?, ..DateReader::default() };
    if !reader.iso()? {
        reader.legacy()?;
    }
    reader.milliseconds()
}

/// More tokens than any date has.
const MAX_TOKENS: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token {
    /// Its value, and how many digits it has.
    Number(i64, usize),
    Sign(u8),
    Month(i64),
    /// How many hours come to those of a clock with twelve.
    Half(i64),
    /// Hours from UTC.
    Zone(i64),
    /// The letter between a date and a time.
    T,
    Word,
    Blank,
    /// Something in brackets, which says nothing.
    Aside,
    Other,
    End,
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if found.len() >= MAX_TOKENS {
            return None;
        }
        let is_letter = |letter: char| letter >= 'A' && !is_js_whitespace(letter);
        let length =
            |keep: &dyn Fn(char) -> bool| rest.find(|letter| !keep(letter)).unwrap_or(rest.len());
        let (token, taken) = match first {
            '0'..='9' => {
                let taken = length(&|letter| letter.is_ascii_digit());
                // More than nine digits say nothing new.
                let digits = rest[..taken].trim_start_matches('0');
                let value = digits.get(..9).unwrap_or(digits).parse().unwrap_or(0);
                (Token::Number(value, taken), taken)
            }
            ':' | '-' | '+' | '.' | ')' => (Token::Sign(first as u8), 1),
            _ if is_letter(first) => {
                let taken = length(&is_letter);
                (word(&rest[..taken]), taken)
            }
            _ if is_js_whitespace(first) => (Token::Blank, length(&is_js_whitespace)),
            '(' => (Token::Aside, aside(rest)),
            _ => (Token::Other, first.len_utf8()),
        };
        found.push(token);
        rest = &rest[taken..];
    }
    Some(found)
}

/// How long the brackets at the beginning are, with those inside of them.
fn aside(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

fn word(text: &str) -> Token {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let is_start = |month: &str| {
        text.as_bytes().get(..3).is_some_and(|start| start.eq_ignore_ascii_case(month.as_bytes()))
    };
    if let Some(month) = MONTHS.iter().position(|month| is_start(month)) {
        return Token::Month(month as i64 + 1);
    }
    // Only names of months may go on behind three letters.
    let short = if text.len() <= 3 { text.to_ascii_lowercase() } else { String::new() };
    match short.as_str() {
        "am" => Token::Half(0),
        "pm" => Token::Half(12),
        "ut" | "utc" | "z" | "gmt" => Token::Zone(0),
        "est" | "cdt" => Token::Zone(-5),
        "edt" => Token::Zone(-4),
        "cst" | "mdt" => Token::Zone(-6),
        "mst" | "pdt" => Token::Zone(-7),
        "pst" => Token::Zone(-8),
        "t" => Token::T,
        _ => Token::Word,
    }
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

    /// Reads ISO 8601. Whether that was all of it; `None` if the text cannot be a date any more.
    fn iso(&mut self) -> Option<bool> {
        let start = self.next;
        match self.peek() {
            Token::Sign(sign @ (b'+' | b'-')) => {
                self.next += 1;
                match self.fixed(6, 0..=999_999) {
                    Some(0) if sign == b'-' => {
                        self.next = start;
                        return Some(false);
                    }
                    Some(year) => self.days.push(if sign == b'-' { -year } else { year }),
                    None => {
                        self.next = start;
                        return Some(false);
                    }
                }
            }
            _ => match self.fixed(4, 0..=9999) {
                Some(year) => self.days.push(year),
                None => return Some(false),
            },
        }
        if self.skip(b'-') {
            let Some(month) = self.fixed(2, 1..=12) else { return Some(false) };
            self.days.push(month);
            if self.skip(b'-') {
                let Some(day) = self.fixed(2, 1..=31) else { return Some(false) };
                self.days.push(day);
            }
        }
        if self.peek() == Token::T {
            self.next += 1;
            if !self.iso_clock() {
                return Some(false);
            }
            if self.peek() != Token::End {
                return None;
            }
        } else if self.peek() != Token::End {
            return Some(false);
        }
        if self.zone_sign.is_none() && self.clock.is_empty() {
            self.set_zone(0);
        }
        self.is_iso = true;
        Some(true)
    }

    fn iso_clock(&mut self) -> bool {
        let Some(hour) = self.fixed(2, 0..=24) else { return false };
        self.clock.push(hour);
        let limit = |most| if hour == 24 { 0..=0 } else { 0..=most };
        if !self.skip(b':') {
            return false;
        }
        let Some(minute) = self.fixed(2, limit(59)) else { return false };
        self.clock.push(minute);
        if self.skip(b':') {
            let Some(second) = self.fixed(2, limit(59)) else { return false };
            self.clock.push(second);
            if self.skip(b'.') {
                match self.peek() {
                    Token::Number(value, length) if hour != 24 || value == 0 => {
                        self.next += 1;
                        self.clock.push(milliseconds(value, length));
                    }
                    _ => return false,
                }
            }
        }
        match self.peek() {
            Token::Zone(0) => {
                self.next += 1;
                self.set_zone(0);
                true
            }
            Token::Sign(sign @ (b'+' | b'-')) => {
                self.next += 1;
                self.zone_sign = Some(if sign == b'+' { 1 } else { -1 });
                if let Some(both) = self.fixed(4, 0..=2359) {
                    self.zone_hour = Some(both / 100);
                    self.zone_minute = Some(both % 100);
                    return both % 100 < 60;
                }
                let Some(hour) = self.fixed(2, 0..=23) else { return false };
                self.zone_hour = Some(hour);
                if !self.skip(b':') {
                    return false;
                }
                self.zone_minute = self.fixed(2, 0..=59);
                self.zone_minute.is_some()
            }
            _ => true,
        }
    }

    fn set_zone(&mut self, hours: i64) {
        self.zone_sign = Some(if hours < 0 { -1 } else { 1 });
        self.zone_hour = Some(hours.abs());
        self.zone_minute = Some(0);
    }

    /// Whether a number may come next in a clock that has begun.
    fn continues_clock(&self, value: i64) -> bool {
        match self.clock.len() {
            1 | 2 => (0..60).contains(&value),
            3 => (0..1000).contains(&value),
            _ => false,
        }
    }

    fn add_to_clock(&mut self, value: i64) -> Option<()> {
        (self.clock.len() < 4).then(|| self.clock.push(value))
    }

    fn finish_clock(&mut self, value: i64) -> Option<()> {
        self.add_to_clock(value)?;
        self.clock.resize(4, 0);
        Some(())
    }

    /// Reads what is left, number by number and word by word.
    fn legacy(&mut self) -> Option<()> {
        self.has_number = !self.days.is_empty();
        loop {
            match self.take() {
                Token::End => return Some(()),
                Token::Number(value, _) => self.number(value)?,
                Token::Half(hours) if !self.clock.is_empty() => self.half = Some(hours),
                Token::Month(month) => {
                    self.month = Some(month);
                    self.skip(b'-');
                }
                Token::Zone(hours) if self.has_number => self.set_zone(hours),
                Token::Half(_) | Token::Zone(_) | Token::T | Token::Word => {
                    // Other words stand before the first number, and apart from it.
                    if self.has_number || matches!(self.peek(), Token::Number(..)) {
                        return None;
                    }
                }
                Token::Sign(sign @ (b'+' | b'-')) if self.takes_offset() => self.offset(sign)?,
                Token::Sign(b'+' | b'-' | b')') if self.has_number => return None,
                Token::Sign(_) | Token::Blank | Token::Aside | Token::Other => {}
            }
        }
    }

    fn number(&mut self, value: i64) -> Option<()> {
        self.has_number = true;
        if self.skip(b':') {
            if self.skip(b':') {
                if !self.clock.is_empty() {
                    return None;
                }
                self.clock.extend([value, 0]);
                return Some(());
            }
            self.add_to_clock(value)?;
            self.skip(b'.');
            return Some(());
        }
        if self.peek() == Token::Sign(b'.') && self.continues_clock(value) {
            self.next += 1;
            self.add_to_clock(value)?;
            let Token::Number(fraction, length) = self.take() else { return None };
            return self.finish_clock(milliseconds(fraction, length));
        }
        self.skip(b'.');
        if self.zone_hour.is_some() && self.zone_minute.is_none() && (0..60).contains(&value) {
            self.zone_minute = Some(value);
            return Some(());
        }
        if self.continues_clock(value) {
            self.finish_clock(value)?;
            let ends = matches!(
                self.peek(),
                Token::End | Token::Blank | Token::Zone(0) | Token::Sign(b'+' | b'-')
            );
            return ends.then_some(());
        }
        if self.days.len() >= 3 {
            return None;
        }
        self.days.push(value);
        self.skip(b'-');
        Some(())
    }

    fn takes_offset(&self) -> bool {
        let is_utc = self.zone_hour == Some(0) && self.zone_minute == Some(0);
        is_utc || !self.clock.is_empty()
    }

    fn offset(&mut self, sign: u8) -> Option<()> {
        self.zone_sign = Some(if sign == b'+' { 1 } else { -1 });
        let (mut value, mut length) = (0, 0);
        if let Token::Number(number, digits) = self.peek() {
            self.next += 1;
            (value, length) = (number, digits);
        }
        self.has_number = true;
        if self.peek() == Token::Sign(b':') {
            self.zone_hour = Some(value);
            self.zone_minute = None;
        } else if matches!(length, 1 | 2) {
            self.zone_hour = Some(value);
            self.zone_minute = Some(0);
        } else if matches!(length, 3 | 4) {
            self.zone_hour = Some(value / 100);
            self.zone_minute = Some(value % 100);
        } else {
            return None;
        }
        Some(())
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
