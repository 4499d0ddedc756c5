//! What the tokens of a date format stand for, whatever their letters are, and how they are written
//! in English.
//!
//! Luxon and moment spell their formats differently; both are split into these pieces, which one
//! writer writes and one reader (`reading.rs`) reads.

use super::names::{DAYS, MONTHS, ordinal};
use super::{Moment, offset_text};
use jiff::civil::Date;

#[derive(Clone, Copy, Debug)]
pub(super) enum FormatPiece<'f> {
    Literal(&'f str),
    Token(DateToken),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum DateToken {
    /// A number with at least so many digits.
    Number(DateField, usize),
    /// `1st`, `2nd`.
    Ordinal(DateField),
    /// The last two digits of a year. Reading takes up to `most` digits; two of them up to `last`
    /// are of this century.
    ShortYear {
        of: DateField,
        most: usize,
        last: i64,
    },
    /// A year with its sign and six digits.
    SignedYear,
    /// So many letters of the name, at the most.
    MonthName(usize),
    DayName(usize),
    HalfDay(Letters),
    /// The digits behind the second's decimal point.
    Fraction(usize),
    /// `+02:00` with this between hours and minutes.
    Offset(&'static str),
    /// `+2`, `+5:30`.
    NarrowOffset,
    ZoneName,
    /// The letters of the zone database: `CET`.
    ZoneLetters,
    /// The letters an American knows, or the offset: `EST`, `GMT+1`.
    ZoneAbbreviation,
    /// Before and after the year 1.
    Era([&'static str; 2]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letters {
    Upper,
    Lower,
}

/// The numbers in a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DateField {
    Year,
    Quarter,
    Month,
    Day,
    DayOfYear,
    /// Monday is 1.
    Weekday,
    /// Sunday is 0.
    WeekdayFromSunday,
    WeekYear,
    Week,
    AmericanWeekYear,
    AmericanWeek,
    Hour,
    Hour12,
    /// Midnight is 24.
    Hour24,
    Minute,
    Second,
    Millisecond,
    Tenths,
    Hundredths,
    EpochSeconds,
    EpochMilliseconds,
}

pub(super) fn write(moment: &Moment, pieces: &[FormatPiece<'_>]) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            FormatPiece::Literal(text) => out.push_str(text),
            FormatPiece::Token(token) => out.push_str(&text_of(moment, *token)),
        }
    }
    out
}

fn text_of(moment: &Moment, token: DateToken) -> String {
    let at = &moment.at;
    match token {
        DateToken::Number(count, digits) => format!("{:0digits$}", count.of(moment)),
        DateToken::Ordinal(count) => ordinal(count.of(moment)),
        DateToken::ShortYear { of, .. } => format!("{:02}", of.of(moment).rem_euclid(100)),
        DateToken::SignedYear => format!("{:+07}", at.year()),
        DateToken::MonthName(letters) => {
            shortened(MONTHS[at.month().unsigned_abs().saturating_sub(1) as usize % 12], letters)
        }
        DateToken::DayName(letters) => shortened(
            DAYS[at.weekday().to_sunday_zero_offset().unsigned_abs() as usize % 7],
            letters,
        ),
        DateToken::HalfDay(letters) => match (at.hour() < 12, letters) {
            (true, Letters::Upper) => "AM",
            (true, Letters::Lower) => "am",
            (false, Letters::Upper) => "PM",
            (false, Letters::Lower) => "pm",
        }
        .into(),
        DateToken::Fraction(digits) => shortened(&format!("{:03}000000", at.millisecond()), digits),
        DateToken::Offset(separator) => offset_text(at.offset(), separator),
        DateToken::NarrowOffset => narrow_offset(moment),
        DateToken::ZoneName if moment.is_plain_utc => "UTC".into(),
        DateToken::ZoneName => at
            .time_zone()
            .iana_name()
            .map_or_else(|| format!("UTC{}", narrow_offset(moment)), str::to_owned),
        DateToken::ZoneLetters if at.time_zone().iana_name().is_none() => String::new(),
        DateToken::ZoneLetters => zone_letters(moment),
        DateToken::ZoneAbbreviation => abbreviation(moment),
        DateToken::Era([before, after]) => if at.year() > 0 { after } else { before }.into(),
    }
}

fn shortened(name: &str, letters: usize) -> String {
    name.get(..letters).unwrap_or(name).to_owned()
}

impl DateField {
    fn of(self, moment: &Moment) -> i64 {
        let at = &moment.at;
        let iso_week = || at.date().iso_week_date();
        match self {
            Self::Year => at.year().into(),
            Self::Quarter => i64::from(at.month() - 1) / 3 + 1,
            Self::Month => at.month().into(),
            Self::Day => at.day().into(),
            Self::DayOfYear => at.day_of_year().into(),
            Self::Weekday => at.weekday().to_monday_one_offset().into(),
            Self::WeekdayFromSunday => at.weekday().to_sunday_zero_offset().into(),
            Self::WeekYear => iso_week().year().into(),
            Self::Week => iso_week().week().into(),
            Self::AmericanWeekYear => end_of_american_week(at.date()).year().into(),
            Self::AmericanWeek => {
                i64::from(end_of_american_week(at.date()).day_of_year() - 1) / 7 + 1
            }
            Self::Hour => at.hour().into(),
            Self::Hour12 => i64::from(at.hour() + 11) % 12 + 1,
            Self::Hour24 => i64::from(at.hour() + 23) % 24 + 1,
            Self::Minute => at.minute().into(),
            Self::Second => at.second().into(),
            Self::Millisecond => at.millisecond().into(),
            Self::Hundredths => i64::from(at.millisecond()) / 10,
            Self::Tenths => i64::from(at.millisecond()) / 100,
            Self::EpochSeconds => at.timestamp().as_second(),
            Self::EpochMilliseconds => at.timestamp().as_millisecond(),
        }
    }

    /// How many digits the number has at the most.
    pub(super) fn digits(self) -> usize {
        match self {
            Self::Year | Self::WeekYear | Self::AmericanWeekYear => 6,
            Self::DayOfYear | Self::Millisecond => 3,
            Self::Quarter | Self::Weekday | Self::WeekdayFromSunday => 1,
            _ => 2,
        }
    }
}

/// The American week starts on Sunday, and the first one holds January 1st: its Saturday tells
/// which it is.
fn end_of_american_week(date: Date) -> Date {
    let weekday = i64::from(date.weekday().to_sunday_zero_offset());
    date.checked_add(jiff::Span::new().days(6 - weekday)).unwrap_or(date)
}

fn narrow_offset(moment: &Moment) -> String {
    let minutes = moment.at.offset().seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    match minutes.abs() % 60 {
        0 => format!("{sign}{}", minutes.abs() / 60),
        rest => format!("{sign}{}:{rest:02}", minutes.abs() / 60),
    }
}

fn zone_letters(moment: &Moment) -> String {
    moment.at.time_zone().to_offset_info(moment.at.timestamp()).abbreviation().to_owned()
}

/// An English reader knows the American zones by letters and the others by their offset.
fn abbreviation(moment: &Moment) -> String {
    let letters = zone_letters(moment);
    let american =
        ["EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT", "AKST", "AKDT", "HST", "UTC"];
    let name = moment.at.time_zone().iana_name().unwrap_or_default();
    if american.contains(&&*letters)
        && (letters == "UTC"
            || name.starts_with("America/")
            || name.starts_with("US/")
            || name.starts_with("Pacific/H"))
    {
        return letters;
    }
    if moment.at.offset().seconds() == 0 {
        "GMT".into()
    } else {
        format!("GMT{}", narrow_offset(moment))
    }
}
