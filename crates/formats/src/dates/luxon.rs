//! Luxon's format tokens, in English.

use super::Moment;
use super::format_parser::{FormatStrictness, parse_with_format};
use super::tokens::{DateField, DateToken, FormatPiece, Letters, write};

/// `dateTime.toFormat(format)`.
pub fn to_luxon_format(moment: &Moment, format: &str) -> String {
    write(moment, &pieces(format))
}

/// `DateTime.fromFormat(text, format)` as milliseconds since 1970; `None` if the text does not fit.
pub fn from_luxon_format(text: &str, format: &str, zone_name: &str, now_ms: i64) -> Option<f64> {
    parse_with_format(text, &pieces(format), FormatStrictness::LooseSpace, zone_name, now_ms)
}

/// Runs of one letter are tokens, quoted parts and everything else stand for themselves.
fn pieces(format: &str) -> Vec<FormatPiece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        let used = if first == '\'' {
            let inner = &rest[1..];
            let end = inner.find('\'').unwrap_or(inner.len());
            // Two quotes in a row stand for one.
            pieces.push(FormatPiece::Literal(if end == 0 && !inner.is_empty() {
                "'"
            } else {
                &inner[..end]
            }));
            (end + 2).min(rest.len())
        } else {
            let end = rest.find(|letter| letter != first).unwrap_or(rest.len());
            let run = &rest[..end];
            match (token(run), preset(run)) {
                (Some(token), _) => pieces.push(FormatPiece::Token(token)),
                (None, Some(format)) => pieces.extend(self::pieces(format)),
                (None, None) => pieces.push(FormatPiece::Literal(run)),
            }
            end
        };
        rest = &rest[used..];
    }
    pieces
}

fn token(letters: &str) -> Option<DateToken> {
    use DateField::*;
    use DateToken::*;
    Some(match letters {
        "S" => Number(Millisecond, 1),
        "SSS" => Number(Millisecond, 3),
        "u" => Fraction(3),
        "uu" => Number(Hundredths, 2),
        "uuu" => Number(Tenths, 1),
        "s" => Number(Second, 1),
        "ss" => Number(Second, 2),
        "m" => Number(Minute, 1),
        "mm" => Number(Minute, 2),
        "h" => Number(Hour12, 1),
        "hh" => Number(Hour12, 2),
        "H" => Number(Hour, 1),
        "HH" => Number(Hour, 2),
        "Z" => NarrowOffset,
        "ZZ" => Offset(":"),
        "ZZZ" => Offset(""),
        "ZZZZ" => ZoneAbbreviation,
        "ZZZZZ" | "z" => ZoneName,
        "a" => HalfDay(Letters::Upper),
        "d" => Number(Day, 1),
        "dd" => Number(Day, 2),
        "c" | "E" => Number(Weekday, 1),
        "ccc" | "EEE" => DayName(3),
        "cccc" | "EEEE" => DayName(usize::MAX),
        "ccccc" | "EEEEE" => DayName(1),
        "L" | "M" => Number(Month, 1),
        "LL" | "MM" => Number(Month, 2),
        "LLL" | "MMM" => MonthName(3),
        "LLLL" | "MMMM" => MonthName(usize::MAX),
        "LLLLL" | "MMMMM" => MonthName(1),
        "y" => Number(Year, 1),
        "yy" => ShortYear { of: Year, most: 4, last: 60 },
        "yyyy" => Number(Year, 4),
        "yyyyyy" => Number(Year, 6),
        "G" => Era(["BC", "AD"]),
        "GG" => Era(["Before Christ", "Anno Domini"]),
        "GGGGG" => Era(["B", "A"]),
        "kk" => ShortYear { of: WeekYear, most: 4, last: 60 },
        "kkkk" => Number(WeekYear, 4),
        "W" => Number(Week, 1),
        "WW" => Number(Week, 2),
        "o" => Number(DayOfYear, 1),
        "ooo" => Number(DayOfYear, 3),
        "q" => Number(Quarter, 1),
        "qq" => Number(Quarter, 2),
        "X" => Number(EpochSeconds, 1),
        "x" => Number(EpochMilliseconds, 1),
        _ => return None,
    })
}

/// Tokens that stand for a whole format.
fn preset(letters: &str) -> Option<&'static str> {
    Some(match letters {
        "D" => "M/d/yyyy",
        "DD" => "MMM d, yyyy",
        "DDD" => "MMMM d, yyyy",
        "DDDD" => "EEEE, MMMM d, yyyy",
        "t" => "h:mm a",
        "tt" => "h:mm:ss a",
        "ttt" | "tttt" => "h:mm:ss a ZZZZ",
        "T" => "HH:mm",
        "TT" => "HH:mm:ss",
        "TTT" | "TTTT" => "HH:mm:ss ZZZZ",
        "f" => "M/d/yyyy, h:mm a",
        "ff" => "MMM d, yyyy, h:mm a",
        "fff" => "MMMM d, yyyy 'at' h:mm a ZZZZ",
        "ffff" => "EEEE, MMMM d, yyyy 'at' h:mm a ZZZZ",
        "F" => "M/d/yyyy, h:mm:ss a",
        "FF" => "MMM d, yyyy, h:mm:ss a",
        "FFF" => "MMMM d, yyyy 'at' h:mm:ss a ZZZZ",
        "FFFF" => "EEEE, MMMM d, yyyy 'at' h:mm:ss a ZZZZ",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dates::parse_js_date;

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
        assert_eq!(
            format(text, "America/New_York", "HH ZZ ZZZ Z ZZZZ z"),
            "10 -05:00 -0500 -5 EST America/New_York"
        );
        assert_eq!(format(text, "Europe/Berlin", "ZZZZ"), "GMT+1");
        assert_eq!(format(text, "UTC", "Z ZZ ZZZ z"), "+0 +00:00 +0000 UTC");
    }

    #[test]
    fn tokens_are_read() {
        let read = |text, pattern| {
            from_luxon_format(text, pattern, "America/New_York", 0)
                .and_then(|ms| Moment::new(ms, "UTC"))
                .map(|at| at.to_iso())
        };
        assert_eq!(
            read("05.03.2024 3:07 pm", "dd.MM.yyyy h:mm a").as_deref(),
            Some("2024-03-05T20:07:00.000Z")
        );
        assert_eq!(read("20240305", "yyyyMMdd").as_deref(), Some("2024-03-05T05:00:00.000Z"));
        assert_eq!(
            read("March 5, 2024 +02:00", "LLLL d, yyyy ZZ").as_deref(),
            Some("2024-03-04T22:00:00.000Z")
        );
        assert_eq!(read("1709651229", "X").as_deref(), Some("2024-03-05T15:07:09.000Z"));
        assert_eq!(
            read("12:30 2024-W10", "HH:mm kkkk-'W'WW").as_deref(),
            Some("2024-03-04T17:30:00.000Z")
        );
        assert_eq!(read("5/3", "dd/MM"), None);
        assert_eq!(read("2024-03-05x", "yyyy-MM-dd"), None);
    }

    #[test]
    fn a_time_alone_is_todays() {
        let now_ms = 1_709_651_229_000;
        let at = from_luxon_format("08:15", "HH:mm", "UTC", now_ms)
            .and_then(|ms| Moment::new(ms, "UTC"))
            .unwrap();
        assert_eq!(at.to_iso(), "2024-03-05T08:15:00.000Z");
    }
}
