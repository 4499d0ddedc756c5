//! Reads a date out of text by the pieces of a format.

use super::names::{is_day_name, month_of};
use super::tokens::{DateField, DateToken, FormatPiece};
use super::zone;
use jiff::civil::{Date, ISOWeekDate, Weekday};

/// How closely the text must follow the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormatStrictness {
    /// Every character must fit.
    Exact,
    /// As `Exact`, but any white space fits any other.
    LooseSpace,
    /// What cannot start a value is passed over, and values may be short or missing.
    Lenient,
}

/// The moment that the text names, in milliseconds since 1970; `None` if the text does not fit.
pub(super) fn parse_with_format(
    text: &str,
    pieces: &[FormatPiece<'_>],
    fit: FormatStrictness,
    zone_name: &str,
    now_ms: i64,
) -> Option<f64> {
    let mut reading = ParsedFields::default();
    let mut rest = text;
    let mut found = false;
    for piece in pieces {
        let after = match piece {
            FormatPiece::Literal(literal)
                if fit == FormatStrictness::LooseSpace && literal.trim().is_empty() =>
            {
                rest.strip_prefix(literal)
                    .or_else(|| Some(rest.trim_start()).filter(|left| left.len() < rest.len()))
            }
            FormatPiece::Literal(literal) => rest.strip_prefix(literal),
            FormatPiece::Token(token) => {
                let from = if fit == FormatStrictness::Lenient {
                    skip_to_value(*token, rest)
                } else {
                    rest
                };
                let after = reading.token(*token, from, fit);
                found |= after.is_some();
                after
            }
        };
        rest = match after {
            Some(after) => after,
            None if fit == FormatStrictness::Lenient => rest,
            None => return None,
        };
    }
    if !found || (fit != FormatStrictness::Lenient && !rest.is_empty()) {
        return None;
    }
    reading.finish(zone_name, now_ms)
}

fn skip_to_value(token: DateToken, text: &str) -> &str {
    let starts = |letter: char| match token {
        DateToken::MonthName(_)
        | DateToken::DayName(_)
        | DateToken::HalfDay(_)
        | DateToken::ZoneName => letter.is_alphabetic(),
        DateToken::Offset(_) | DateToken::NarrowOffset => matches!(letter, '+' | '-' | 'Z' | 'z'),
        DateToken::Number(DateField::EpochSeconds | DateField::EpochMilliseconds, _) => {
            letter.is_ascii_digit() || letter == '-'
        }
        _ => letter.is_ascii_digit(),
    };
    text.find(starts).map_or("", |at| &text[at..])
}

#[derive(Default)]
struct ParsedFields {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    week_year: Option<i64>,
    week: Option<i64>,
    weekday: Option<i64>,
    hour: Option<i64>,
    minute: Option<i64>,
    second: Option<i64>,
    millisecond: Option<i64>,
    afternoon: Option<bool>,
    epoch_ms: Option<f64>,
    offset_minutes: Option<i64>,
    zone: Option<String>,
}

impl ParsedFields {
    /// Takes a token's value from the front of the text and gives back the rest.
    fn token<'t>(
        &mut self,
        token: DateToken,
        text: &'t str,
        fit: FormatStrictness,
    ) -> Option<&'t str> {
        let digits = |least: usize, most: usize| {
            let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
            let least = if fit == FormatStrictness::Lenient { 1 } else { least };
            (count >= least)
                .then(|| text[..count].parse::<i64>().ok().map(|value| (value, &text[count..])))?
        };
        let split = |belongs: fn(char) -> bool| {
            text.split_at(text.find(|letter| !belongs(letter)).unwrap_or(text.len()))
        };
        let (word, after_word) = split(char::is_alphabetic);
        match token {
            DateToken::Number(
                count @ (DateField::EpochSeconds | DateField::EpochMilliseconds),
                _,
            ) => {
                let (number, rest) =
                    split(|letter| letter.is_ascii_digit() || letter == '.' || letter == '-');
                let value: f64 = number.parse().ok()?;
                self.epoch_ms =
                    Some(if count == DateField::EpochSeconds { value * 1000.0 } else { value });
                Some(rest)
            }
            DateToken::Number(count, least) => {
                let (value, rest) = digits(least, if least == 1 { count.digits() } else { least })?;
                self.set(count, value);
                Some(rest)
            }
            DateToken::Ordinal(count) => {
                let (value, rest) = digits(1, count.digits())?;
                self.set(count, value);
                Some(
                    ["st", "nd", "rd", "th"]
                        .iter()
                        .find_map(|suffix| rest.strip_prefix(suffix))
                        .unwrap_or(rest),
                )
            }
            DateToken::ShortYear { of, most, last } => {
                let (value, rest) = digits(2, most)?;
                let century = match value {
                    100.. => 0,
                    value if value > last => 1900,
                    _ => 2000,
                };
                self.set(of, century + value);
                Some(rest)
            }
            DateToken::SignedYear => {
                let sign = if text.starts_with('-') { -1 } else { 1 };
                let (number, rest) =
                    text.strip_prefix(['+', '-']).unwrap_or(text).split_at_checked(6)?;
                self.year = Some(sign * number.parse::<u32>().map(i64::from).ok()?);
                Some(rest)
            }
            DateToken::MonthName(_) => {
                self.month = Some(i64::from(month_of(word)?));
                Some(after_word)
            }
            DateToken::DayName(letters) => (letters < 3 || is_day_name(word)).then_some(after_word),
            DateToken::HalfDay(_) => {
                self.afternoon = Some(match word.to_ascii_lowercase().as_str() {
                    "am" | "a" => false,
                    "pm" | "p" => true,
                    _ => return None,
                });
                Some(after_word)
            }
            DateToken::Fraction(least) => {
                let (_, rest) = digits(if fit == FormatStrictness::Exact { least } else { 1 }, 9)?;
                let taken = &text[..text.len() - rest.len()];
                self.millisecond = Some(format!("{taken:0<3}").get(..3)?.parse().ok()?);
                Some(rest)
            }
            DateToken::Offset(_) | DateToken::NarrowOffset => {
                if let Some(rest) = text.strip_prefix(['Z', 'z']) {
                    self.offset_minutes = Some(0);
                    return Some(rest);
                }
                let end = text
                    .get(1..)?
                    .find(|letter: char| !letter.is_ascii_digit() && letter != ':')
                    .map_or(text.len(), |end| end + 1);
                let (hours, minutes) = super::offset_parts(&text[..end])?;
                self.offset_minutes = Some(i64::from(hours * 60 + minutes));
                Some(&text[end..])
            }
            DateToken::ZoneName => {
                let (name, rest) =
                    split(|letter| letter.is_ascii_alphanumeric() || "/_+-".contains(letter));
                self.zone = Some(name.to_owned());
                Some(rest)
            }
            DateToken::ZoneLetters | DateToken::ZoneAbbreviation | DateToken::Era(_) => None,
        }
    }

    fn set(&mut self, count: DateField, value: i64) {
        let target = match count {
            DateField::Year => &mut self.year,
            DateField::Month => &mut self.month,
            DateField::Day => &mut self.day,
            DateField::DayOfYear => &mut self.day_of_year,
            DateField::WeekYear | DateField::AmericanWeekYear => &mut self.week_year,
            DateField::Week => &mut self.week,
            DateField::Weekday => &mut self.weekday,
            DateField::Hour | DateField::Hour12 | DateField::Hour24 => &mut self.hour,
            DateField::Minute => &mut self.minute,
            DateField::Second => &mut self.second,
            DateField::Millisecond => &mut self.millisecond,
            DateField::Hundredths => return self.set(DateField::Millisecond, value * 10),
            DateField::Tenths => return self.set(DateField::Millisecond, value * 100),
            // Nothing follows from these alone.
            DateField::Quarter | DateField::WeekdayFromSunday | DateField::AmericanWeek => return,
            DateField::EpochSeconds | DateField::EpochMilliseconds => return,
        };
        *target = Some(value);
    }

    fn finish(self, zone_name: &str, now_ms: i64) -> Option<f64> {
        if let Some(epoch_ms) = self.epoch_ms {
            return Some(epoch_ms);
        }
        let small = |value: i64| i8::try_from(value).ok();
        let zone = zone(self.zone.as_deref().unwrap_or(zone_name))?;
        let today = jiff::Timestamp::from_millisecond(now_ms)
            .unwrap_or_default()
            .to_zoned(zone.clone())
            .date();
        // What is larger than the largest unit given is today's, what is smaller starts at its
        // beginning.
        let given_year = self.year.or(self.week_year);
        let year = given_year.map_or(Some(today.year()), |year| i16::try_from(year).ok())?;
        let date = if let Some(week) = self.week {
            ISOWeekDate::new(
                year,
                small(week)?,
                Weekday::from_monday_one_offset(small(self.weekday.unwrap_or(1))?).ok()?,
            )
            .ok()?
            .date()
        } else if let Some(day_of_year) = self.day_of_year {
            Date::new(year, 1, 1)
                .ok()?
                .checked_add(jiff::Span::new().try_days(day_of_year - 1).ok()?)
                .ok()?
        } else {
            let month =
                self.month.unwrap_or(if given_year.is_none() { today.month().into() } else { 1 });
            let day = self.day.unwrap_or(if given_year.is_none() && self.month.is_none() {
                today.day().into()
            } else {
                1
            });
            Date::new(year, small(month)?, small(day)?).ok()?
        };
        let (minute, second) = (self.minute.unwrap_or(0), self.second.unwrap_or(0));
        let mut hour = self.hour.unwrap_or(0);
        match self.afternoon {
            Some(true) if hour < 12 => hour += 12,
            Some(false) if hour == 12 => hour = 0,
            _ => {}
        }
        let is_end_of_day = hour == 24 && minute == 0 && second == 0;
        let time = jiff::civil::Time::new(
            small(if is_end_of_day { 0 } else { hour })?,
            small(minute)?,
            small(second)?,
            0,
        )
        .ok()?;
        let more = jiff::Span::new()
            .days(i64::from(is_end_of_day))
            .milliseconds(self.millisecond.unwrap_or(0));
        let local = date.to_datetime(time).checked_add(more).ok()?;
        let epoch_ms = |zone| Some(local.to_zoned(zone).ok()?.timestamp().as_millisecond() as f64);
        match self.offset_minutes {
            Some(minutes) => Some(epoch_ms(jiff::tz::TimeZone::UTC)? - minutes as f64 * 60_000.0),
            None => epoch_ms(zone),
        }
    }
}
