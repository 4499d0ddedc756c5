//! Reads dates without a given format: ISO 8601, and what JavaScript's `Date` makes of other texts.

use super::any_format::iso_day_and_time;
use super::names::{is_day_name, month_of};
use super::zone;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// `new Date(text).getTime()` in a process whose zone is UTC; `None` where JavaScript says "Invalid
/// Date".
pub fn parse_js_date(text: &str) -> Option<f64> {
    parse_moment(text, "UTC")
}

/// `moment.tz(text, zone)`: ISO texts without an offset are in the zone, all others are read as
/// `Date` reads them.
pub fn parse_moment(text: &str, zone_name: &str) -> Option<f64> {
    let zone = zone(zone_name)?;
    let text = text.trim();
    match iso_day_and_time(text) {
        Some(found) => epoch_of(found.moment, found.zone.as_ref().unwrap_or(&zone)),
        None => parse_loose(text),
    }
}

fn epoch_of(local: DateTime, zone: &TimeZone) -> Option<f64> {
    Some(local.to_zoned(zone.clone()).ok()?.timestamp().as_millisecond() as f64)
}

/// The reading of everything else, after V8: numbers in the order month, day, year unless the first
/// cannot be a month's day.
fn parse_loose(text: &str) -> Option<f64> {
    let mut numbers: Vec<i64> = Vec::new();
    let mut month = None;
    let mut time: Option<i64> = None;
    let mut afternoon = None;
    let mut shift_minutes = None;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first == '(' {
            rest = rest.find(')').map_or("", |end| &rest[end + 1..]);
        } else if first.is_ascii_digit() {
            let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
            let number = rest[..end].parse::<i64>().ok()?;
            let after = &rest[end..];
            if after.starts_with(':') && time.is_none() {
                let (milliseconds, left) = loose_time(rest)?;
                time = Some(milliseconds);
                rest = left;
                continue;
            }
            if numbers.len() == 3 {
                return None;
            }
            numbers.push(number);
            rest = after;
        } else if (first == '+' || first == '-')
            && time.is_some()
            && rest[1..].starts_with(|digit: char| digit.is_ascii_digit())
        {
            let end = rest[1..]
                .find(|letter: char| !letter.is_ascii_digit() && letter != ':')
                .map_or(rest.len(), |end| end + 1);
            let digits: String = rest[1..end].chars().filter(char::is_ascii_digit).collect();
            let value = digits.parse::<i64>().ok()?;
            let minutes =
                if digits.len() <= 2 { value * 60 } else { value / 100 * 60 + value % 100 };
            shift_minutes = Some(if first == '-' { -minutes } else { minutes });
            rest = &rest[end..];
        } else if first.is_alphabetic() {
            let end = rest.find(|letter: char| !letter.is_alphabetic()).unwrap_or(rest.len());
            let word = &rest[..end];
            match word.to_ascii_lowercase().as_str() {
                "am" | "pm" => afternoon = Some(word.eq_ignore_ascii_case("pm")),
                "z" | "utc" | "gmt" | "ut" => shift_minutes = Some(0),
                "est" => shift_minutes = Some(-300),
                "edt" => shift_minutes = Some(-240),
                "cst" => shift_minutes = Some(-360),
                "cdt" => shift_minutes = Some(-300),
                "mst" => shift_minutes = Some(-420),
                "mdt" => shift_minutes = Some(-360),
                "pst" => shift_minutes = Some(-480),
                "pdt" => shift_minutes = Some(-420),
                "t" if !numbers.is_empty()
                    && rest[end..].starts_with(|next: char| next.is_ascii_digit()) => {}
                _ if month_of(word).is_some() => month = month_of(word),
                _ if is_day_name(word) || numbers.is_empty() => {}
                _ => return None,
            }
            rest = &rest[end..];
        } else {
            rest = &rest[first.len_utf8()..];
        }
    }
    let is_day = |number: i64| (1..=31).contains(&number);
    if numbers.is_empty() {
        return None;
    }
    numbers.resize(3, 1);
    let (mut year, month, day) = match month {
        Some(month) if is_day(numbers[0]) => (numbers[1], i64::from(month), numbers[0]),
        Some(month) => (numbers[0], i64::from(month), numbers[1]),
        None if is_day(numbers[0]) => (numbers[2], numbers[0], numbers[1]),
        None => (numbers[0], numbers[1], numbers[2]),
    };
    match year {
        0..=49 => year += 2000,
        50..=99 => year += 1900,
        _ => {}
    }
    let mut milliseconds = time.unwrap_or(0);
    let hour = milliseconds / 3_600_000;
    match afternoon {
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(true) if hour < 12 => milliseconds += 43_200_000,
        Some(false) if hour == 12 => milliseconds -= 43_200_000,
        _ => {}
    }
    // A day past the end of its month runs over into the next one, up to the 31st.
    if !is_day(day) || !(1..=12).contains(&month) {
        return None;
    }
    let first = Date::new(i16::try_from(year).ok()?, i8::try_from(month).ok()?, 1).ok()?;
    let date = first.checked_add(jiff::Span::new().days(day - 1)).ok()?;
    let midnight = epoch_of(date.at(0, 0, 0, 0), &TimeZone::UTC)?;
    Some(midnight + milliseconds as f64 - shift_minutes.unwrap_or(0) as f64 * 60_000.0)
}

/// `h:mm[:ss[.fff]]` in milliseconds, and what follows.
fn loose_time(text: &str) -> Option<(i64, &str)> {
    let end = text
        .find(|letter: char| !letter.is_ascii_digit() && letter != ':' && letter != '.')
        .unwrap_or(text.len());
    let (clock, fraction) = text[..end].split_once('.').unwrap_or((&text[..end], ""));
    let parts: Vec<i64> = clock.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let (hours, minutes, seconds) =
        (parts.first().copied()?, parts.get(1).copied()?, parts.get(2).copied().unwrap_or(0));
    if parts.len() > 3 || hours > 24 || minutes > 59 || seconds > 59 {
        return None;
    }
    let milliseconds: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    Some((((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dates::Moment;

    fn iso(text: &str) -> Option<String> {
        Moment::new(parse_js_date(text)?, "UTC").map(|moment| moment.to_iso())
    }

    #[test]
    fn iso_texts_are_read() {
        for (text, expected) in [
            ("2022", "2022-01-01T00:00:00.000Z"),
            ("2022-08-01", "2022-08-01T00:00:00.000Z"),
            ("20220801T1030", "2022-08-01T10:30:00.000Z"),
            ("2022-08-01T10:30:15.123456+02:00", "2022-08-01T08:30:15.123Z"),
            ("2022-08-01 10:30", "2022-08-01T10:30:00.000Z"),
            ("2022-W31-1", "2022-08-01T00:00:00.000Z"),
            ("2022-08-01T24:00", "2022-08-02T00:00:00.000Z"),
        ] {
            assert_eq!(iso(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_texts_are_read_as_date_does() {
        for (text, expected) in [
            ("08/01/2022", "2022-08-01T00:00:00.000Z"),
            ("8/1/22 3:05 pm", "2022-08-01T15:05:00.000Z"),
            ("2022/08/01", "2022-08-01T00:00:00.000Z"),
            ("Aug 1, 2022", "2022-08-01T00:00:00.000Z"),
            ("1 August 2022 12:30 AM", "2022-08-01T00:30:00.000Z"),
            (
                "Mon Aug 01 2022 10:00:00 GMT+0200 (Central European Summer Time)",
                "2022-08-01T08:00:00.000Z",
            ),
            ("Mon, 01 Aug 2022 10:00:00 EST", "2022-08-01T15:00:00.000Z"),
            ("Aug 2022", "2022-08-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn nonsense_is_no_date() {
        for text in [
            "",
            "hello",
            "2022-13-01",
            "99/99/9999",
            "12:00",
            "5 apples 2022",
            "2022-08-01T25:00",
            "ä1/ö",
        ] {
            assert_eq!(iso(text), None, "{text}");
        }
    }
}
