//! moment's format tokens, in English. The first version of the Date & Time node uses them.

use super::Moment;
use super::format_parser::{FormatStrictness, parse_with_format};
use super::tokens::{DateField, DateToken, FormatPiece, Letters, write};

/// `moment.format(format)`; an empty format gives ISO 8601 to the second.
pub fn to_moment_format(moment: &Moment, format: &str) -> String {
    write(moment, &pieces(if format.is_empty() { "YYYY-MM-DDTHH:mm:ssZ" } else { format }))
}

/// `moment(text, format)` as milliseconds since 1970. Strict reading wants every character to fit.
pub fn from_moment_format(
    text: &str,
    format: &str,
    zone_name: &str,
    strict: bool,
    now_ms: i64,
) -> Option<f64> {
    parse_with_format(
        text,
        &pieces(format),
        if strict { FormatStrictness::Exact } else { FormatStrictness::Lenient },
        zone_name,
        now_ms,
    )
}

/// The longest token there is comes first, so that `MMMM` is not taken for `MM` twice.
fn pieces(format: &str) -> Vec<FormatPiece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        let heads = || (1..=LONGEST).rev().filter_map(|length| rest.get(..length));
        let used = if first == '[' && rest.contains(']') {
            let end = rest.find(']').unwrap_or(rest.len());
            pieces.push(FormatPiece::Literal(&rest[1..end]));
            end + 1
        } else if first == '\\' && rest.len() > 1 {
            let end = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
            pieces.push(FormatPiece::Literal(&rest[1..end]));
            end
        } else if let Some((length, format)) =
            heads().find_map(|head| Some((head.len(), preset(head)?)))
        {
            pieces.extend(self::pieces(format));
            length
        } else if let Some((length, token)) =
            heads().find_map(|head| Some((head.len(), token(head)?)))
        {
            pieces.push(FormatPiece::Token(token));
            length
        } else {
            pieces.push(FormatPiece::Literal(&rest[..first.len_utf8()]));
            first.len_utf8()
        };
        rest = &rest[used..];
    }
    pieces
}

/// `SSSSSSSSS`.
const LONGEST: usize = 9;

fn token(letters: &str) -> Option<DateToken> {
    use DateField::*;
    use DateToken::*;
    Some(match letters {
        "M" => Number(Month, 1),
        "Mo" => Ordinal(Month),
        "MM" => Number(Month, 2),
        "MMM" => MonthName(3),
        "MMMM" => MonthName(usize::MAX),
        "Q" => Number(Quarter, 1),
        "Qo" => Ordinal(Quarter),
        "D" => Number(Day, 1),
        "Do" => Ordinal(Day),
        "DD" => Number(Day, 2),
        "DDD" => Number(DayOfYear, 1),
        "DDDo" => Ordinal(DayOfYear),
        "DDDD" => Number(DayOfYear, 3),
        "d" | "e" => Number(WeekdayFromSunday, 1),
        "do" => Ordinal(WeekdayFromSunday),
        "dd" => DayName(2),
        "ddd" => DayName(3),
        "dddd" => DayName(usize::MAX),
        "E" => Number(Weekday, 1),
        "w" => Number(AmericanWeek, 1),
        "wo" => Ordinal(AmericanWeek),
        "ww" => Number(AmericanWeek, 2),
        "W" => Number(Week, 1),
        "Wo" => Ordinal(Week),
        "WW" => Number(Week, 2),
        "Y" => Number(Year, 1),
        "YY" => ShortYear { of: Year, most: 2, last: 68 },
        "YYYY" => Number(Year, 4),
        "YYYYY" => Number(Year, 5),
        "YYYYYY" => SignedYear,
        "gg" => ShortYear { of: AmericanWeekYear, most: 2, last: 68 },
        "gggg" => Number(AmericanWeekYear, 4),
        "GG" => ShortYear { of: WeekYear, most: 2, last: 68 },
        "GGGG" => Number(WeekYear, 4),
        "A" => HalfDay(Letters::Upper),
        "a" => HalfDay(Letters::Lower),
        "H" => Number(Hour, 1),
        "HH" => Number(Hour, 2),
        "h" => Number(Hour12, 1),
        "hh" => Number(Hour12, 2),
        "k" => Number(Hour24, 1),
        "kk" => Number(Hour24, 2),
        "m" => Number(Minute, 1),
        "mm" => Number(Minute, 2),
        "s" => Number(Second, 1),
        "ss" => Number(Second, 2),
        "z" | "zz" => ZoneLetters,
        "Z" => Offset(":"),
        "ZZ" => Offset(""),
        "X" => Number(EpochSeconds, 1),
        "x" => Number(EpochMilliseconds, 1),
        _ if letters.bytes().all(|letter| letter == b'S') => Fraction(letters.len()),
        _ => return None,
    })
}

/// Tokens that stand for a whole format.
fn preset(letters: &str) -> Option<&'static str> {
    Some(match letters {
        "LT" => "h:mm A",
        "LTS" => "h:mm:ss A",
        "L" => "MM/DD/YYYY",
        "l" => "M/D/YYYY",
        "LL" => "MMMM D, YYYY",
        "ll" => "MMM D, YYYY",
        "LLL" => "MMMM D, YYYY h:mm A",
        "lll" => "MMM D, YYYY h:mm A",
        "LLLL" => "dddd, MMMM D, YYYY h:mm A",
        "llll" => "ddd, MMM D, YYYY h:mm A",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dates::parse_js_date;

    #[test]
    fn tokens_are_written() {
        let moment =
            Moment::new(parse_js_date("2024-03-05T15:07:09.045Z").unwrap(), "Europe/Berlin")
                .unwrap();
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
            from_moment_format(text, pattern, "US/Hawaii", strict, 0)
                .and_then(|ms| Moment::new(ms, "UTC"))
                .map(|at| at.to_iso())
        };
        assert_eq!(
            read("2022-01-12", "YYYY-DD-MM", false).as_deref(),
            Some("2022-12-01T10:00:00.000Z")
        );
        assert_eq!(read("1663801200000", "x", false).as_deref(), Some("2022-09-21T23:00:00.000Z"));
        assert_eq!(
            read("5th March 2024 at 3:04 PM Z", "Do MMMM YYYY [at] h:mm A Z", false).as_deref(),
            Some("2024-03-05T15:04:00.000Z")
        );
        assert_eq!(read("5/3/2024", "DD/MM/YYYY", true), None);
        assert_eq!(
            read("05/03/2024", "DD/MM/YYYY", true).as_deref(),
            Some("2024-03-05T10:00:00.000Z")
        );
        assert_eq!(read("nothing", "DD/MM/YYYY", false), None);
    }
}
