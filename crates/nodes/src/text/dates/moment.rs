//! moment's format tokens, written and read, in English. The first version of the Date & Time node uses them.

use super::names::{DAYS, MONTHS, is_day_name, month_of, ordinal};
use super::{Moment, offset_text, zone};
use jiff::civil::Date;

/// Longest first, so that `MMMM` is not taken for `MM` twice.
const TOKENS: &[&str] = &[
    "SSSSSSSSS",
    "SSSSSSSS",
    "SSSSSSS",
    "SSSSSS",
    "YYYYYY",
    "SSSSS",
    "YYYYY",
    "SSSS",
    "YYYY",
    "gggg",
    "GGGG",
    "MMMM",
    "DDDD",
    "DDDo",
    "dddd",
    "LLLL",
    "llll",
    "SSS",
    "MMM",
    "DDD",
    "ddd",
    "LLL",
    "lll",
    "LTS",
    "MM",
    "Mo",
    "Qo",
    "DD",
    "Do",
    "dd",
    "do",
    "ww",
    "wo",
    "WW",
    "Wo",
    "YY",
    "gg",
    "GG",
    "HH",
    "hh",
    "kk",
    "mm",
    "ss",
    "SS",
    "zz",
    "ZZ",
    "LL",
    "ll",
    "LT",
    "Y",
    "M",
    "Q",
    "D",
    "d",
    "e",
    "E",
    "w",
    "W",
    "A",
    "a",
    "H",
    "h",
    "k",
    "m",
    "s",
    "S",
    "z",
    "Z",
    "X",
    "x",
    "L",
    "l",
];

enum Piece<'f> {
    Literal(&'f str),
    Token(&'f str),
}

fn pieces(format: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        let used = if first == '[' && rest.contains(']') {
            let end = rest.find(']').unwrap_or(rest.len());
            pieces.push(Piece::Literal(&rest[1..end]));
            end + 1
        } else if first == '\\' && rest.len() > 1 {
            let end = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
            pieces.push(Piece::Literal(&rest[1..end]));
            end
        } else if let Some(token) = TOKENS.iter().find(|token| rest.starts_with(**token)) {
            pieces.push(Piece::Token(&rest[..token.len()]));
            token.len()
        } else {
            pieces.push(Piece::Literal(&rest[..first.len_utf8()]));
            first.len_utf8()
        };
        rest = &rest[used..];
    }
    pieces
}

/// `moment.format(format)`; an empty format gives ISO 8601 to the second.
pub(crate) fn to_moment_format(moment: &Moment, format: &str) -> String {
    if format.is_empty() {
        return to_moment_format(moment, "YYYY-MM-DDTHH:mm:ssZ");
    }
    let mut out = String::new();
    for piece in pieces(format) {
        match piece {
            Piece::Literal(text) => out.push_str(text),
            Piece::Token(token) => out.push_str(&write_token(moment, token)),
        }
    }
    out
}

fn write_token(moment: &Moment, token: &str) -> String {
    let at = &moment.at;
    let date = at.datetime();
    let iso = at.date().iso_week_date();
    let weekday = at.weekday().to_sunday_zero_offset();
    let (week_year, week) = american_week(at.date());
    let (month, day) = (i64::from(date.month()), i64::from(date.day()));
    let month_name = MONTHS[(month - 1).rem_euclid(12) as usize];
    let day_name = DAYS[weekday.unsigned_abs() as usize % 7];
    let hour12 = match date.hour() % 12 {
        0 => 12,
        hour => hour,
    };
    let hour24 = if date.hour() == 0 { 24 } else { date.hour() };
    let nested = |format: &str| to_moment_format(moment, format);
    match token {
        "M" => month.to_string(),
        "Mo" => ordinal(month),
        "MM" => format!("{month:02}"),
        "MMM" => month_name[..3].to_owned(),
        "MMMM" => month_name.to_owned(),
        "Q" => ((month - 1) / 3 + 1).to_string(),
        "Qo" => ordinal((month - 1) / 3 + 1),
        "D" => day.to_string(),
        "Do" => ordinal(day),
        "DD" => format!("{day:02}"),
        "DDD" => at.day_of_year().to_string(),
        "DDDo" => ordinal(i64::from(at.day_of_year())),
        "DDDD" => format!("{:03}", at.day_of_year()),
        "d" | "e" => weekday.to_string(),
        "do" => ordinal(i64::from(weekday)),
        "dd" => day_name[..2].to_owned(),
        "ddd" => day_name[..3].to_owned(),
        "dddd" => day_name.to_owned(),
        "E" => at.weekday().to_monday_one_offset().to_string(),
        "w" => week.to_string(),
        "wo" => ordinal(week),
        "ww" => format!("{week:02}"),
        "W" => iso.week().to_string(),
        "Wo" => ordinal(i64::from(iso.week())),
        "WW" => format!("{:02}", iso.week()),
        "YY" => format!("{:02}", date.year().rem_euclid(100)),
        "YYYY" => format!("{:04}", date.year()),
        "YYYYY" => format!("{:05}", date.year()),
        "YYYYYY" => format!("{:+07}", date.year()),
        "Y" => date.year().to_string(),
        "gg" => format!("{:02}", week_year.rem_euclid(100)),
        "gggg" => format!("{week_year:04}"),
        "GG" => format!("{:02}", iso.year().rem_euclid(100)),
        "GGGG" => format!("{:04}", iso.year()),
        "A" => if date.hour() < 12 { "AM" } else { "PM" }.into(),
        "a" => if date.hour() < 12 { "am" } else { "pm" }.into(),
        "H" => date.hour().to_string(),
        "HH" => format!("{:02}", date.hour()),
        "h" => hour12.to_string(),
        "hh" => format!("{hour12:02}"),
        "k" => hour24.to_string(),
        "kk" => format!("{hour24:02}"),
        "m" => date.minute().to_string(),
        "mm" => format!("{:02}", date.minute()),
        "s" => date.second().to_string(),
        "ss" => format!("{:02}", date.second()),
        "z" | "zz" if at.time_zone().iana_name().is_some() => at.time_zone().to_offset_info(at.timestamp()).abbreviation().to_owned(),
        "z" | "zz" => String::new(),
        "Z" => offset_text(at.offset(), ":"),
        "ZZ" => offset_text(at.offset(), ""),
        "X" => at.timestamp().as_second().to_string(),
        "x" => at.timestamp().as_millisecond().to_string(),
        "LT" => nested("h:mm A"),
        "LTS" => nested("h:mm:ss A"),
        "L" => nested("MM/DD/YYYY"),
        "l" => nested("M/D/YYYY"),
        "LL" => nested("MMMM D, YYYY"),
        "ll" => nested("MMM D, YYYY"),
        "LLL" => nested("MMMM D, YYYY h:mm A"),
        "lll" => nested("MMM D, YYYY h:mm A"),
        "LLLL" => nested("dddd, MMMM D, YYYY h:mm A"),
        "llll" => nested("ddd, MMM D, YYYY h:mm A"),
        fraction => {
            let digits = format!("{:03}000000", date.millisecond());
            digits.get(..fraction.len()).unwrap_or(&digits).to_owned()
        }
    }
}

/// The American week: it starts on Sunday, and the first one holds January 1st.
fn american_week(date: Date) -> (i64, i64) {
    let weekday = i64::from(date.weekday().to_sunday_zero_offset());
    let saturday = date.checked_add(jiff::Span::new().days(6 - weekday)).unwrap_or(date);
    let year = i64::from(saturday.year());
    (year, (i64::from(saturday.day_of_year()) - 1) / 7 + 1)
}

/// `moment(text, format)` as milliseconds since 1970. Strict reading wants every character to fit.
pub(crate) fn from_moment_format(text: &str, format: &str, zone_name: &str, strict: bool, now_ms: i64) -> Option<f64> {
    let mut rest = text;
    let mut read = Reading::default();
    let mut found = false;
    for piece in pieces(format) {
        match piece {
            Piece::Literal(literal) => match rest.strip_prefix(literal) {
                Some(after) => rest = after,
                None if strict => return None,
                None => {}
            },
            Piece::Token(token) => {
                let from = if strict { rest } else { skip_to_value(token, rest) };
                match read.token(token, from, strict) {
                    Some(after) => {
                        rest = after;
                        found = true;
                    }
                    None if strict => return None,
                    None => {}
                }
            }
        }
    }
    if !found || (strict && !rest.is_empty()) {
        return None;
    }
    read.finish(zone_name, now_ms)
}

/// Lenient reading passes over whatever cannot start a value.
fn skip_to_value<'t>(token: &str, text: &'t str) -> &'t str {
    let is_word = matches!(token, "MMM" | "MMMM" | "ddd" | "dddd" | "dd" | "A" | "a");
    let starts = |letter: char| match token {
        _ if is_word => letter.is_alphabetic(),
        "Z" | "ZZ" => letter == '+' || letter == '-' || letter == 'Z' || letter == 'z',
        _ => letter.is_ascii_digit() || letter == '-' && (token == "X" || token == "x"),
    };
    text.find(starts).map_or("", |at| &text[at..])
}

#[derive(Default)]
struct Reading {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    ordinal: Option<i64>,
    hour: Option<i64>,
    minute: i64,
    second: i64,
    millisecond: i64,
    afternoon: Option<bool>,
    epoch_ms: Option<f64>,
    offset_minutes: Option<i64>,
}

impl Reading {
    fn token<'t>(&mut self, token: &str, text: &'t str, strict: bool) -> Option<&'t str> {
        let digits = |least: usize, most: usize| {
            let count = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
            if count < if strict { least } else { 1 } { None } else { Some((text[..count].parse::<i64>().ok()?, &text[count..])) }
        };
        let end_of_word = text.find(|letter: char| !letter.is_alphabetic()).unwrap_or(text.len());
        let (word, after_word) = text.split_at(end_of_word);
        let (target, (value, rest)) = match token {
            "YYYY" | "GGGG" | "gggg" => (&mut self.year, digits(4, 4)?),
            "Y" | "YYYYY" | "YYYYYY" => (&mut self.year, digits(1, 6)?),
            "YY" => {
                let (value, rest) = digits(2, 2)?;
                (&mut self.year, (value + if value > 68 { 1900 } else { 2000 }, rest))
            }
            "M" | "Mo" => (&mut self.month, digits(1, 2)?),
            "MM" => (&mut self.month, digits(2, 2)?),
            "MMM" | "MMMM" => (&mut self.month, (i64::from(month_of(word)?), after_word)),
            "D" => (&mut self.day, digits(1, 2)?),
            "Do" => {
                let (value, rest) = digits(1, 2)?;
                let rest = ["st", "nd", "rd", "th"].iter().find_map(|suffix| rest.strip_prefix(suffix)).unwrap_or(rest);
                (&mut self.day, (value, rest))
            }
            "DD" => (&mut self.day, digits(2, 2)?),
            "DDD" => (&mut self.ordinal, digits(1, 3)?),
            "DDDD" => (&mut self.ordinal, digits(3, 3)?),
            "H" | "h" | "k" => (&mut self.hour, digits(1, 2)?),
            "HH" | "hh" | "kk" => (&mut self.hour, digits(2, 2)?),
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
            "A" | "a" => {
                self.afternoon = Some(match word.to_ascii_lowercase().as_str() {
                    "am" | "a" => false,
                    "pm" | "p" => true,
                    _ => return None,
                });
                return Some(after_word);
            }
            "dd" | "ddd" | "dddd" => return (is_day_name(word) || token == "dd").then_some(after_word),
            "X" | "x" => {
                let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.' && letter != '-').unwrap_or(text.len());
                let value: f64 = text[..end].parse().ok()?;
                self.epoch_ms = Some(if token == "X" { value * 1000.0 } else { value });
                return Some(&text[end..]);
            }
            "Z" | "ZZ" => {
                if let Some(rest) = text.strip_prefix(['Z', 'z']) {
                    self.offset_minutes = Some(0);
                    return Some(rest);
                }
                let end = text.get(1..)?.find(|letter: char| !letter.is_ascii_digit() && letter != ':').map_or(text.len(), |end| end + 1);
                let (hours, minutes) = super::offset_parts(&text[..end])?;
                self.offset_minutes = Some(i64::from(hours * 60 + minutes));
                return Some(&text[end..]);
            }
            fraction if fraction.starts_with('S') => {
                let (_, rest) = digits(fraction.len(), 9)?;
                let taken = &text[..text.len() - rest.len()];
                self.millisecond = format!("{taken:0<3}").get(..3)?.parse().ok()?;
                return Some(rest);
            }
            "LT" => return self.all("h:mm A", text, strict),
            "LTS" => return self.all("h:mm:ss A", text, strict),
            "L" | "l" => return self.all("M/D/YYYY", text, strict),
            "LL" | "ll" => return self.all("MMMM D, YYYY", text, strict),
            "LLL" | "lll" => return self.all("MMMM D, YYYY h:mm A", text, strict),
            _ => return digits(1, 4).map(|(_, rest)| rest),
        };
        *target = Some(value);
        Some(rest)
    }

    fn all<'t>(&mut self, format: &str, text: &'t str, strict: bool) -> Option<&'t str> {
        pieces(format).into_iter().try_fold(text, |rest, piece| match piece {
            Piece::Literal(literal) => rest.strip_prefix(literal).or((!strict).then_some(rest)),
            Piece::Token(token) => self.token(token, rest, strict),
        })
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
        let zone = zone(zone_name)?;
        let today = jiff::Timestamp::from_millisecond(now_ms).unwrap_or_default().to_zoned(zone.clone()).date();
        let year = self.year.map_or(Some(today.year()), |year| i16::try_from(year).ok())?;
        // What is larger than the first unit given is today's, what is smaller starts at its beginning.
        let has_date = self.year.is_some() || self.month.is_some() || self.ordinal.is_some();
        let month = self.month.or_else(|| (!has_date).then(|| i64::from(today.month()))).unwrap_or(1);
        let day = self.day.or_else(|| (!has_date && self.hour.is_some()).then(|| i64::from(today.day()))).unwrap_or(1);
        let date = match self.ordinal {
            Some(ordinal) => Date::new(year, 1, 1).ok()?.checked_add(jiff::Span::new().try_days(ordinal - 1).ok()?).ok()?,
            None => Date::new(year, small(month)?, small(day)?).ok()?,
        };
        let time = jiff::civil::Time::new(small(hour)?, small(self.minute)?, small(self.second)?, 0).ok()?;
        let local = date.to_datetime(time).checked_add(jiff::Span::new().milliseconds(self.millisecond)).ok()?;
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

    #[test]
    fn tokens_are_written() {
        let moment = Moment::new(parse_js_date("2024-03-05T15:07:09.045Z").unwrap(), "Europe/Berlin").unwrap();
        for (pattern, expected) in [
            ("YYYY-MM-DD HH:mm:ss.SSS", "2024-03-05 16:07:09.045"),
            ("dddd, MMMM Do YYYY, h:mm a", "Tuesday, March 5th 2024, 4:07 pm"),
            ("[Today is] ddd D.M.YY Z", "Today is Tue 5.3.24 +01:00"),
            ("X x Q w WW GGGG E z", "1709651229 1709651229045 1 10 10 2024 2 CET"),
            ("", "2024-03-05T16:07:09+01:00"),
            ("LLLL", "Tuesday, March 5, 2024 4:07 PM"),
        ] {
            assert_eq!(to_moment_format(&moment, pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn tokens_are_read() {
        let read = |text, pattern, strict| {
            from_moment_format(text, pattern, "US/Hawaii", strict, 0).and_then(|ms| Moment::new(ms, "UTC")).map(|at| at.to_iso())
        };
        assert_eq!(read("2022-01-12", "YYYY-DD-MM", false).as_deref(), Some("2022-12-01T10:00:00.000Z"));
        assert_eq!(read("1663801200000", "x", false).as_deref(), Some("2022-09-21T23:00:00.000Z"));
        assert_eq!(read("5th March 2024 at 3:04 PM Z", "Do MMMM YYYY [at] h:mm A Z", false).as_deref(), Some("2024-03-05T15:04:00.000Z"));
        assert_eq!(read("5/3/2024", "DD/MM/YYYY", true), None);
        assert_eq!(read("05/03/2024", "DD/MM/YYYY", true).as_deref(), Some("2024-03-05T10:00:00.000Z"));
        assert_eq!(read("nothing", "DD/MM/YYYY", false), None);
    }
}
