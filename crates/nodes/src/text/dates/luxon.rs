//! Luxon's format tokens, written and read, in English.

use super::names::{DAYS, MONTHS, month_of};
use super::{Moment, offset_text, zone};
use jiff::civil::{Date, ISOWeekDate, Weekday};

/// `dateTime.toFormat(format)`.
pub(crate) fn to_luxon_format(moment: &Moment, format: &str) -> String {
    let mut out = String::new();
    for piece in pieces(format) {
        match piece {
            Piece::Literal(text) => out.push_str(text),
            Piece::Token(token) => out.push_str(&write_token(moment, token)),
        }
    }
    out
}

enum Piece<'f> {
    Literal(&'f str),
    Token(&'f str),
}

/// Runs of one letter are tokens, quoted parts and everything else stand for themselves.
fn pieces(format: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        let (piece, used) = if first == '\'' {
            let inner = &rest[1..];
            let end = inner.find('\'').unwrap_or(inner.len());
            // Two quotes in a row stand for one.
            let text = if end == 0 && !inner.is_empty() { "'" } else { &inner[..end] };
            (Piece::Literal(text), (end + 2).min(rest.len()))
        } else {
            let end = rest.find(|letter| letter != first).unwrap_or(rest.len());
            let run = &rest[..end];
            (if first.is_ascii_alphabetic() { Piece::Token(run) } else { Piece::Literal(run) }, end)
        };
        pieces.push(piece);
        rest = &rest[used..];
    }
    pieces
}

fn write_token(moment: &Moment, token: &str) -> String {
    let at = &moment.at;
    let date = at.datetime();
    let week = at.date().iso_week_date();
    let hour12 = match date.hour() % 12 {
        0 => 12,
        hour => hour,
    };
    let month = MONTHS[usize::from(date.month().unsigned_abs()).saturating_sub(1) % 12];
    let day = DAYS[at.weekday().to_sunday_zero_offset().unsigned_abs() as usize % 7];
    let milliseconds = date.millisecond();
    let half = if date.hour() < 12 { "AM" } else { "PM" };
    let nested = |format: &str| to_luxon_format(moment, format);
    match token {
        "S" => milliseconds.to_string(),
        "u" | "SSS" => format!("{milliseconds:03}"),
        "uu" => format!("{:02}", milliseconds / 10),
        "uuu" => (milliseconds / 100).to_string(),
        "s" => date.second().to_string(),
        "ss" => format!("{:02}", date.second()),
        "m" => date.minute().to_string(),
        "mm" => format!("{:02}", date.minute()),
        "h" => hour12.to_string(),
        "hh" => format!("{hour12:02}"),
        "H" => date.hour().to_string(),
        "HH" => format!("{:02}", date.hour()),
        "Z" => narrow_offset(moment),
        "ZZ" if moment.is_plain_utc => "Z".into(),
        "ZZ" => offset_text(at.offset(), ":"),
        "ZZZ" => offset_text(at.offset(), ""),
        "ZZZZ" => abbreviation(moment),
        "ZZZZZ" | "z" if moment.is_plain_utc => "UTC".into(),
        "ZZZZZ" | "z" => zone_name(moment),
        "a" => half.to_owned(),
        "d" => date.day().to_string(),
        "dd" => format!("{:02}", date.day()),
        "c" | "E" => at.weekday().to_monday_one_offset().to_string(),
        "ccc" | "EEE" => day[..3].to_owned(),
        "cccc" | "EEEE" => day.to_owned(),
        "ccccc" | "EEEEE" => day[..1].to_owned(),
        "L" | "M" => date.month().to_string(),
        "LL" | "MM" => format!("{:02}", date.month()),
        "LLL" | "MMM" => month[..3].to_owned(),
        "LLLL" | "MMMM" => month.to_owned(),
        "LLLLL" | "MMMMM" => month[..1].to_owned(),
        "y" => date.year().to_string(),
        "yy" => format!("{:02}", date.year().rem_euclid(100)),
        "yyyy" => format!("{:04}", date.year()),
        "yyyyyy" => format!("{:06}", date.year()),
        "G" => if date.year() > 0 { "AD" } else { "BC" }.into(),
        "GG" => if date.year() > 0 { "Anno Domini" } else { "Before Christ" }.into(),
        "GGGGG" => if date.year() > 0 { "A" } else { "B" }.into(),
        "kk" => format!("{:02}", week.year().rem_euclid(100)),
        "kkkk" => format!("{:04}", week.year()),
        "W" => week.week().to_string(),
        "WW" => format!("{:02}", week.week()),
        "o" => at.day_of_year().to_string(),
        "ooo" => format!("{:03}", at.day_of_year()),
        "q" => ((date.month() - 1) / 3 + 1).to_string(),
        "qq" => format!("{:02}", (date.month() - 1) / 3 + 1),
        "X" => at.timestamp().as_second().to_string(),
        "x" => at.timestamp().as_millisecond().to_string(),
        "D" => nested("M/d/yyyy"),
        "DD" => nested("MMM d, yyyy"),
        "DDD" => nested("MMMM d, yyyy"),
        "DDDD" => nested("EEEE, MMMM d, yyyy"),
        "t" => nested("h:mm a"),
        "tt" => nested("h:mm:ss a"),
        "ttt" => nested("h:mm:ss a ZZZZ"),
        "tttt" => nested("h:mm:ss a ZZZZ"),
        "T" => nested("HH:mm"),
        "TT" => nested("HH:mm:ss"),
        "TTT" | "TTTT" => nested("HH:mm:ss ZZZZ"),
        "f" => nested("M/d/yyyy, h:mm a"),
        "ff" => nested("MMM d, yyyy, h:mm a"),
        "fff" => nested("MMMM d, yyyy 'at' h:mm a ZZZZ"),
        "ffff" => nested("EEEE, MMMM d, yyyy 'at' h:mm a ZZZZ"),
        "F" => nested("M/d/yyyy, h:mm:ss a"),
        "FF" => nested("MMM d, yyyy, h:mm:ss a"),
        "FFF" => nested("MMMM d, yyyy 'at' h:mm:ss a ZZZZ"),
        "FFFF" => nested("EEEE, MMMM d, yyyy 'at' h:mm:ss a ZZZZ"),
        other => other.to_owned(),
    }
}

fn narrow_offset(moment: &Moment) -> String {
    if moment.is_plain_utc {
        return "Z".into();
    }
    let minutes = moment.at.offset().seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    match minutes.abs() % 60 {
        0 => format!("{sign}{}", minutes.abs() / 60),
        rest => format!("{sign}{}:{rest:02}", minutes.abs() / 60),
    }
}

fn zone_name(moment: &Moment) -> String {
    let named = moment.at.time_zone().iana_name().map(str::to_owned);
    named.unwrap_or_else(|| format!("UTC{}", narrow_offset(moment)))
}

/// `EST`, `GMT+2`: an English reader knows the American zones by letters and the others by their offset.
fn abbreviation(moment: &Moment) -> String {
    let letters = moment.at.time_zone().to_offset_info(moment.at.timestamp()).abbreviation().to_owned();
    let american = ["EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT", "AKST", "AKDT", "HST", "UTC"];
    let name = moment.at.time_zone().iana_name().unwrap_or_default();
    if american.contains(&&*letters)
        && (letters == "UTC" || name.starts_with("America/") || name.starts_with("US/") || name.starts_with("Pacific/H"))
    {
        return letters;
    }
    if moment.at.offset().seconds() == 0 { "GMT".into() } else { format!("GMT{}", narrow_offset(moment)) }
}

/// `DateTime.fromFormat(text, format)` as milliseconds since 1970; `None` if the text does not fit.
pub(crate) fn from_luxon_format(text: &str, format: &str, zone_name: &str, now_ms: i64) -> Option<f64> {
    let mut read = Reading::default();
    let mut rest = text;
    for piece in pieces(&expand_macros(format)) {
        rest = match piece {
            Piece::Literal(literal) if literal.trim().is_empty() => {
                rest.strip_prefix(literal).or_else(|| Some(rest.trim_start()).filter(|left| left.len() < rest.len()))?
            }
            Piece::Literal(literal) => rest.strip_prefix(literal)?,
            Piece::Token(token) => read.token(token, rest)?,
        };
    }
    if !rest.is_empty() {
        return None;
    }
    read.finish(zone_name, now_ms)
}

fn expand_macros(format: &str) -> String {
    let expand = |piece: &Piece<'_>| match piece {
        Piece::Literal(text) => format!("'{text}'"),
        Piece::Token(token) => match *token {
            "D" => "M/d/yyyy".into(),
            "DD" => "MMM d, yyyy".into(),
            "DDD" => "MMMM d, yyyy".into(),
            "DDDD" => "EEEE, MMMM d, yyyy".into(),
            "t" => "h:mm a".into(),
            "tt" => "h:mm:ss a".into(),
            "T" => "HH:mm".into(),
            "TT" => "HH:mm:ss".into(),
            plain => plain.to_owned(),
        },
    };
    pieces(format).iter().map(expand).collect()
}

#[derive(Default)]
struct Reading {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    ordinal: Option<i64>,
    week_year: Option<i64>,
    week: Option<i64>,
    weekday: Option<i64>,
    hour: Option<i64>,
    minute: i64,
    second: i64,
    millisecond: i64,
    afternoon: Option<bool>,
    epoch_ms: Option<f64>,
    offset_minutes: Option<i64>,
    zone: Option<String>,
}

impl Reading {
    /// Takes a token's value from the front of the text and gives back the rest.
    fn token<'t>(&mut self, token: &str, text: &'t str) -> Option<&'t str> {
        let digits = |least: usize, most: usize| {
            let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
            if count < least { None } else { Some((text[..count].parse::<i64>().ok()?, &text[count..])) }
        };
        let word = || {
            let end = text.find(|letter: char| !letter.is_alphabetic()).unwrap_or(text.len());
            (&text[..end], &text[end..])
        };
        let fixed = |count: usize| digits(count, count);
        let (target, (value, rest)) = match token {
            "y" => (&mut self.year, digits(1, 6)?),
            "yy" | "kk" => {
                let (value, rest) = digits(2, 4)?;
                let year = if value > 99 {
                    value
                } else if value > 60 {
                    1900 + value
                } else {
                    2000 + value
                };
                (if token == "yy" { &mut self.year } else { &mut self.week_year }, (year, rest))
            }
            "yyyy" => (&mut self.year, fixed(4)?),
            "yyyyy" => (&mut self.year, digits(4, 6)?),
            "yyyyyy" => (&mut self.year, fixed(6)?),
            "kkkk" => (&mut self.week_year, fixed(4)?),
            "M" | "L" => (&mut self.month, digits(1, 2)?),
            "MM" | "LL" => (&mut self.month, fixed(2)?),
            "MMM" | "LLL" | "MMMM" | "LLLL" => {
                let (name, rest) = word();
                (&mut self.month, (i64::from(month_of(name)?), rest))
            }
            "d" => (&mut self.day, digits(1, 2)?),
            "dd" => (&mut self.day, fixed(2)?),
            "o" => (&mut self.ordinal, digits(1, 3)?),
            "ooo" => (&mut self.ordinal, fixed(3)?),
            "W" => (&mut self.week, digits(1, 2)?),
            "WW" => (&mut self.week, fixed(2)?),
            "E" | "c" => (&mut self.weekday, fixed(1)?),
            "EEE" | "ccc" | "EEEE" | "cccc" => {
                let (name, rest) = word();
                if !super::names::is_day_name(name) {
                    return None;
                }
                return Some(rest);
            }
            "H" | "h" => (&mut self.hour, digits(1, 2)?),
            "HH" | "hh" => (&mut self.hour, fixed(2)?),
            "m" | "mm" => {
                let (value, rest) = digits(token.len(), 2)?;
                self.minute = value;
                return Some(rest);
            }
            "s" | "ss" => {
                let (value, rest) = digits(token.len(), 2)?;
                self.second = value;
                return Some(rest);
            }
            "S" | "SSS" => {
                let (value, rest) = digits(token.len(), 3)?;
                self.millisecond = value;
                return Some(rest);
            }
            "u" | "uu" | "uuu" => {
                let (_, rest) = digits(1, 9)?;
                let taken = &text[..text.len() - rest.len()];
                self.millisecond = format!("{taken:0<3}").get(..3)?.parse().ok()?;
                return Some(rest);
            }
            "a" => {
                let (name, rest) = word();
                self.afternoon = Some(match name.to_ascii_lowercase().as_str() {
                    "am" => false,
                    "pm" => true,
                    _ => return None,
                });
                return Some(rest);
            }
            "X" | "x" => {
                let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.' && letter != '-').unwrap_or(text.len());
                let value: f64 = text[..end].parse().ok()?;
                self.epoch_ms = Some(if token == "X" { value * 1000.0 } else { value });
                return Some(&text[end..]);
            }
            "Z" | "ZZ" | "ZZZ" => {
                if let Some(rest) = text.strip_prefix('Z') {
                    self.offset_minutes = Some(0);
                    return Some(rest);
                }
                let end = text.get(1..)?.find(|letter: char| !letter.is_ascii_digit() && letter != ':').map_or(text.len(), |end| end + 1);
                let (hours, minutes) = super::offset_parts(&text[..end])?;
                self.offset_minutes = Some(i64::from(hours * 60 + minutes));
                return Some(&text[end..]);
            }
            "z" => {
                let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && !"/_+-".contains(letter)).unwrap_or(text.len());
                self.zone = Some(text[..end].to_owned());
                return Some(&text[end..]);
            }
            // A letter that is no token stands for itself.
            literal => return text.strip_prefix(literal),
        };
        *target = Some(value);
        Some(rest)
    }

    fn finish(self, zone_name: &str, now_ms: i64) -> Option<f64> {
        if let Some(epoch_ms) = self.epoch_ms {
            return Some(epoch_ms);
        }
        let mut hour = self.hour.unwrap_or(0);
        match self.afternoon {
            Some(true) if hour < 12 => hour += 12,
            Some(false) if hour == 12 => hour = 0,
            _ => {}
        }
        let small = |value: i64| i8::try_from(value).ok();
        let zone = zone(self.zone.as_deref().unwrap_or(zone_name))?;
        let this_year = || i64::from(jiff::Timestamp::from_millisecond(now_ms).unwrap_or_default().to_zoned(zone.clone()).year());
        let year = i16::try_from(self.year.or(self.week_year).unwrap_or_else(this_year)).ok()?;
        let date = if let Some(week) = self.week {
            ISOWeekDate::new(year, small(week)?, Weekday::from_monday_one_offset(small(self.weekday.unwrap_or(1))?).ok()?).ok()?.date()
        } else if let Some(ordinal) = self.ordinal {
            Date::new(year, 1, 1).ok()?.checked_add(jiff::Span::new().try_days(ordinal - 1).ok()?).ok()?
        } else {
            Date::new(year, small(self.month.unwrap_or(1))?, small(self.day.unwrap_or(1))?).ok()?
        };
        let extra_day = hour == 24 && self.minute == 0 && self.second == 0;
        let time = jiff::civil::Time::new(small(if extra_day { 0 } else { hour })?, small(self.minute)?, small(self.second)?, 0).ok()?;
        let mut local = date.to_datetime(time).checked_add(jiff::Span::new().milliseconds(self.millisecond)).ok()?;
        if extra_day {
            local = local.checked_add(jiff::Span::new().days(1)).ok()?;
        }
        match self.offset_minutes {
            Some(minutes) => {
                Some(local.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond() as f64 - minutes as f64 * 60_000.0)
            }
            None => Some(local.to_zoned(zone).ok()?.timestamp().as_millisecond() as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::dates::parse_js_date;

    fn format(text: &str, zone: &str, format: &str) -> String {
        to_luxon_format(&Moment::new(parse_js_date(text).unwrap(), zone).unwrap(), format)
    }

    #[test]
    fn tokens_are_written() {
        let text = "2024-03-05T15:07:09.045Z";
        for (pattern, expected) in [
            ("yyyy-MM-dd HH:mm:ss.SSS", "2024-03-05 15:07:09.045"),
            ("d LLL yy, h:mm a", "5 Mar 24, 3:07 PM"),
            ("cccc, MMMM", "Tuesday, March"),
            ("'week' W ''o'''", "week 10 '65'"),
            ("kkkk-'W'WW-E", "2024-W10-2"),
            ("q qq ooo X x", "1 01 065 1709651229 1709651229045"),
            ("DDDD t", "Tuesday, March 5, 2024 3:07 PM"),
            ("FF", "Mar 5, 2024, 3:07:09 PM"),
        ] {
            assert_eq!(format(text, "UTC", pattern), expected, "{pattern}");
        }
        assert_eq!(format(text, "America/New_York", "HH ZZ ZZZ Z ZZZZ z"), "10 -05:00 -0500 -5 EST America/New_York");
        assert_eq!(format(text, "Europe/Berlin", "ZZZZ"), "GMT+1");
    }

    #[test]
    fn tokens_are_read() {
        let read = |text, pattern| {
            from_luxon_format(text, pattern, "America/New_York", 0).and_then(|ms| Moment::new(ms, "UTC")).map(|at| at.to_iso())
        };
        assert_eq!(read("05.03.2024 3:07 pm", "dd.MM.yyyy h:mm a").as_deref(), Some("2024-03-05T20:07:00.000Z"));
        assert_eq!(read("20240305", "yyyyMMdd").as_deref(), Some("2024-03-05T05:00:00.000Z"));
        assert_eq!(read("March 5, 2024 +02:00", "LLLL d, yyyy ZZ").as_deref(), Some("2024-03-04T22:00:00.000Z"));
        assert_eq!(read("1709651229", "X").as_deref(), Some("2024-03-05T15:07:09.000Z"));
        assert_eq!(read("5/3", "dd/MM"), None);
        assert_eq!(read("2024-03-05x", "yyyy-MM-dd"), None);
    }
}
