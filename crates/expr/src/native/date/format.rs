//! Writes dates: Luxon's format tokens in English, and JavaScript's own spellings.

use super::civil::Civil;
use super::zoned::{DateTime, Zone, offset_text};
use model::Str;

pub(in crate::native) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// From Monday.
pub(in crate::native) const WEEKDAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Longer formats are left to the sandbox: reading one takes many times its length.
pub(super) const MAX_FORMAT_BYTES: usize = 1024;

/// Luxon's `toFormat`. `None` for tokens whose text comes from locale data that is not ours.
pub(in crate::native) fn to_format(date: &DateTime, format: &str) -> Option<Str> {
    if format.len() > MAX_FORMAT_BYTES {
        return None;
    }
    let mut out = String::with_capacity(format.len() + 8);
    for token in tokens(format) {
        match token {
            Err(literal) => out.push_str(literal),
            Ok(token) => write_token(&mut out, date, token)?,
        }
    }
    Some(out.into())
}

fn write_token(out: &mut String, date: &DateTime, token: &str) -> Option<()> {
    let Civil { year, month, day, hour, minute, second, millisecond } = date.civil;
    let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
    let (week_year, week) =
        if token.starts_with(['k', 'W']) { date.civil.iso_week() } else { (year, 0) };
    let month_name = MONTHS.get(month as usize - 1)?;
    let weekday_name = WEEKDAYS.get(date.civil.weekday() as usize - 1)?;
    let quarter = (month + 2) / 3;
    let text = match token {
        "S" => millisecond.to_string(),
        "u" | "SSS" => format!("{millisecond:03}"),
        "uu" => format!("{:02}", millisecond / 10),
        "uuu" => (millisecond / 100).to_string(),
        "s" => second.to_string(),
        "ss" => format!("{second:02}"),
        "m" => minute.to_string(),
        "mm" => format!("{minute:02}"),
        "h" => twelve.to_string(),
        "hh" => format!("{twelve:02}"),
        "H" => hour.to_string(),
        "HH" => format!("{hour:02}"),
        "Z" => narrow_offset(date.offset),
        "ZZ" => if matches!(date.zone, Zone::Fixed(0)) {
            "Z".into()
        } else {
            offset_text(date.offset, ":")
        }
        .replace('Z', "+00:00"),
        "ZZZ" => offset_text(date.offset, ""),
        "z" => date.zone.name().to_string(),
        "a" => if hour < 12 { "AM" } else { "PM" }.into(),
        "d" => day.to_string(),
        "dd" => format!("{day:02}"),
        "c" | "E" => date.civil.weekday().to_string(),
        "ccc" | "EEE" => weekday_name[..3].into(),
        "cccc" | "EEEE" => (*weekday_name).into(),
        "ccccc" | "EEEEE" => weekday_name[..1].into(),
        "L" | "M" => month.to_string(),
        "LL" | "MM" => format!("{month:02}"),
        "LLL" | "MMM" => month_name[..3].into(),
        "LLLL" | "MMMM" => (*month_name).into(),
        "LLLLL" | "MMMMM" => month_name[..1].into(),
        "y" => year.to_string(),
        "yy" => format!("{:02}", year % 100),
        "yyyy" => format!("{year:04}"),
        "yyyyyy" => format!("{year:06}"),
        "G" => "AD".into(),
        "GG" => "Anno Domini".into(),
        "kk" => format!("{:02}", week_year % 100),
        "kkkk" => format!("{week_year:04}"),
        "W" => week.to_string(),
        "WW" => format!("{week:02}"),
        "o" => date.civil.ordinal().to_string(),
        "ooo" => format!("{:03}", date.civil.ordinal()),
        "q" => quarter.to_string(),
        "qq" => format!("{quarter:02}"),
        "X" => date.ms.div_euclid(1000).to_string(),
        "x" => date.ms.to_string(),
        "D" => format!("{month}/{day}/{year}"),
        "DD" => format!("{} {day}, {year}", &month_name[..3]),
        "DDD" => format!("{month_name} {day}, {year}"),
        "DDDD" => format!("{weekday_name}, {month_name} {day}, {year}"),
        "T" => format!("{hour:02}:{minute:02}"),
        "TT" => format!("{hour:02}:{minute:02}:{second:02}"),
        _ => return None,
    };
    out.push_str(&text);
    Some(())
}

fn narrow_offset(offset: i64) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let (hours, minutes) = (offset.abs() / 60, offset.abs() % 60);
    if minutes == 0 { format!("{sign}{hours}") } else { format!("{sign}{hours}:{minutes}") }
}

/// Cuts a format into tokens (`Ok`) and plain text (`Err`): runs of one letter are tokens, quotes
/// hold text.
pub(super) fn tokens(format: &str) -> Vec<Result<&str, &str>> {
    let mut out = Vec::new();
    let mut rest = format;
    while let Some(first) = rest.chars().next() {
        if first == '\'' {
            let inner = &rest[1..];
            let end = inner.find('\'').unwrap_or(inner.len());
            out.push(Err(&inner[..end]));
            rest = inner.get(end + 1..).unwrap_or_default();
            continue;
        }
        let end = rest.find(|next| next != first).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        let is_token = first.is_ascii_alphabetic() && (is_token_letter(first));
        out.push(if is_token { Ok(run) } else { Err(run) });
        rest = after;
    }
    out
}

/// Letters that Luxon knows; every other letter stands for itself.
fn is_token_letter(letter: char) -> bool {
    "SsmhHZzadcELMyGkWnoqXxDtTfFuKi".contains(letter)
}

/// `toLocaleString({ dateStyle })` in American English.
pub(in crate::native) fn date_style(civil: &Civil, style: &str) -> Option<Str> {
    let month = MONTHS.get(civil.month as usize - 1)?;
    let Civil { year, day, .. } = *civil;
    Some(
        match style {
            "full" => {
                format!("{}, {month} {day}, {year}", WEEKDAYS.get(civil.weekday() as usize - 1)?)
            }
            "long" => format!("{month} {day}, {year}"),
            "medium" => format!("{} {day}, {year}", &month[..3]),
            "short" => format!("{}/{day}/{:02}", civil.month, year % 100),
            "numeric" => format!("{}/{day}/{year}", civil.month),
            _ => return None,
        }
        .into(),
    )
}

/// What `toISOString()` gives.
pub(in crate::native) fn js_iso(ms: i64) -> Str {
    let Civil { year, month, day, hour, minute, second, millisecond } = Civil::from_ms(ms);
    let year = if (0..=9999).contains(&year) {
        format!("{year:04}")
    } else {
        format!("{}{:06}", if year < 0 { '-' } else { '+' }, year.abs())
    };
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z").into()
}

/// What `String(date)` gives in a process whose zone is UTC.
pub(in crate::native) fn js_date_text(ms: i64, with_time: bool) -> Str {
    let civil = Civil::from_ms(ms);
    let (weekday, month) = short_names(&civil);
    let date = format!("{weekday} {month} {:02} {:04}", civil.day, civil.year);
    if !with_time {
        return date.into();
    }
    format!(
        "{date} {:02}:{:02}:{:02} GMT+0000 (Coordinated Universal Time)",
        civil.hour, civil.minute, civil.second
    )
    .into()
}

/// What `toUTCString()` gives.
pub(in crate::native) fn js_utc_text(ms: i64) -> Str {
    let civil = Civil::from_ms(ms);
    let (weekday, month) = short_names(&civil);
    let Civil { year, day, hour, minute, second, .. } = civil;
    format!("{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT").into()
}

fn short_names(civil: &Civil) -> (&'static str, &'static str) {
    let weekday = WEEKDAYS.get(civil.weekday() as usize - 1).map_or("", |name| &name[..3]);
    let month = MONTHS.get(civil.month as usize - 1).map_or("", |name| &name[..3]);
    (weekday, month)
}

#[cfg(test)]
mod tests {
    use super::super::zoned::{DateTime, Zone};
    use super::*;

    #[test]
    fn luxon_tokens_are_written_in_english() {
        let date =
            DateTime::from_ms(1_768_480_496_789, Zone::from_name("America/New_York").unwrap())
                .unwrap();
        let cases = [
            ("yyyy-MM-dd HH:mm:ss.SSS ZZ", "2026-01-15 07:34:56.789 -05:00"),
            ("dd LLL yyyy, h:mm a", "15 Jan 2026, 7:34 AM"),
            ("cccc d MMMM yy 'o''clock' z", "Thursday 15 January 26 oclock America/New_York"),
            ("kkkk-'W'WW-c o q X", "2026-W03-4 15 1 1768480496"),
            ("Z ZZZ S", "-5 -0500 789"),
        ];
        for (format, text) in cases {
            assert_eq!(to_format(&date, format).as_deref(), Some(text), "{format}");
        }
        assert_eq!(to_format(&date, "ZZZZ"), None);
    }

    #[test]
    fn javascript_dates_are_spelled_out() {
        let ms = 1_768_480_496_789;
        assert_eq!(js_iso(ms), "2026-01-15T12:34:56.789Z");
        assert_eq!(
            js_date_text(ms, true),
            "Thu Jan 15 2026 12:34:56 GMT+0000 (Coordinated Universal Time)"
        );
        assert_eq!(js_utc_text(ms), "Thu, 15 Jan 2026 12:34:56 GMT");
    }
}
