//! What a text in a sheet without types stands for: a number, a yes or no, a date, or itself.

use super::SheetCell;

/// The value of a text cell; `None` if it is empty.
pub(super) fn cell(text: &str, raw: bool) -> Option<SheetCell> {
    if text.is_empty() {
        return None;
    }
    if raw || text.trim().is_empty() {
        return Some(SheetCell::Text(text.into()));
    }
    Some(match text {
        "TRUE" => SheetCell::Bool(true),
        "FALSE" => SheetCell::Bool(false),
        _ => number(text)
            .map(SheetCell::Number)
            .or_else(|| date(text).map(SheetCell::Date))
            .unwrap_or_else(|| SheetCell::Text(text.into())),
    })
}

/// A number, perhaps with thousands commas, a dollar or percent sign, or in parentheses for less
/// than zero.
pub(super) fn number(text: &str) -> Option<f64> {
    if let Some(number) = plain_number(text) {
        return Some(number);
    }
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut scale = 1.0;
    let mut clean = String::with_capacity(text.len());
    let letters: Vec<char> = text.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let is_digit = |place: Option<&char>| place.is_some_and(char::is_ascii_digit);
        match letter {
            ',' if at > 0 && is_digit(letters.get(at - 1)) && is_digit(letters.get(at + 1)) => {}
            '$' => {}
            '%' => scale *= 100.0,
            letter => clean.push(*letter),
        }
    }
    if let Some(number) = plain_number(&clean) {
        return Some(number / scale);
    }
    let (before, rest) = clean.split_once('(')?;
    let (inside, after) = rest.split_once(')')?;
    plain_number(&format!("{before}{inside}{after}")).map(|number| -number / scale)
}

/// What `Number(text)` gives, without the infinities.
fn plain_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_spelled =
        text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if text.is_empty() {
        return Some(0.0);
    }
    if is_spelled {
        return text.parse().ok().filter(|number: &f64| number.is_finite());
    }
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    u64::from_str_radix(digits, 16).ok().map(|number| number as f64)
}

/// The days since the end of 1899 of a date in figures, or with the month as an English word.
fn date(text: &str) -> Option<f64> {
    if !text.chars().any(|letter| letter.is_ascii_digit()) || text.len() > 40 {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let mut month_word = None;
    let mut afternoon = None;
    for word in
        lower.split(|letter: char| !letter.is_ascii_alphabetic()).filter(|word| !word.is_empty())
    {
        match word {
            "am" | "a" => afternoon = Some(false),
            "pm" | "p" => afternoon = Some(true),
            word => {
                month_word = Some(
                    MONTHS.iter().position(|month| word == *month || word == &month[..3])? as u32
                        + 1,
                )
            }
        }
    }
    if lower.contains(|letter: char| !letter.is_ascii_alphanumeric() && !"-:,/\\ ".contains(letter))
    {
        return None;
    }
    let mut days = Vec::new();
    let mut clock = Vec::new();
    for word in lower.split([' ', ',']).filter(|word| !word.is_empty()) {
        if word.contains(':') {
            let word = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
            clock =
                word.split(':').map(|part| part.parse::<u32>().ok()).collect::<Option<Vec<_>>>()?;
        } else {
            let figures = word
                .split(['-', '/', '\\'])
                .filter(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
            days.extend(figures.map(|part| (part.len(), part.parse::<u32>().unwrap_or(u32::MAX))));
        }
    }
    let time = match clock.as_slice() {
        [] => 0.0,
        [hours, rest @ ..] if rest.len() <= 2 => {
            let hours = match afternoon {
                Some(true) if *hours < 12 => hours + 12,
                Some(false) if *hours == 12 => 0,
                _ => *hours,
            };
            let minutes = rest.first().copied().unwrap_or(0);
            let seconds = rest.get(1).copied().unwrap_or(0);
            if hours > 23 || minutes > 59 || seconds > 59 {
                return None;
            }
            f64::from(hours * 3600 + minutes * 60 + seconds) / 86_400.0
        }
        _ => return None,
    };
    let (year, month, day) = match (month_word, days.as_slice()) {
        (None, []) if !clock.is_empty() => return Some(time),
        (None, [(4, year), (_, month), (_, day)]) => (*year, *month, *day),
        (None, [(_, month), (_, day), (length, year)]) => (full_year(*length, *year), *month, *day),
        (None, [(_, month), (_, day)]) if clock.is_empty() => (2001, *month, *day),
        (Some(month), [(_, day), (length, year)]) => (full_year(*length, *year), month, *day),
        (Some(month), [(4, year)]) => (*year, month, 1),
        (Some(month), [(_, day)]) => (2001, month, *day),
        _ => return None,
    };
    let date = jiff::civil::Date::new(
        i16::try_from(year).ok()?,
        i8::try_from(month).ok()?,
        i8::try_from(day).ok()?,
    )
    .ok()?;
    let epoch = jiff::civil::date(1899, 12, 30);
    let days = epoch.until(date).ok()?.get_days();
    (days >= 0).then(|| f64::from(days) + time)
}

fn full_year(length: usize, year: u32) -> u32 {
    match length {
        1 | 2 if year < 50 => 2000 + year,
        1 | 2 => 1900 + year,
        _ => year,
    }
}

static MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_what_they_look_like() {
        for (text, expected) in [
            ("12", SheetCell::Number(12.0)),
            ("-1.5e3", SheetCell::Number(-1500.0)),
            ("1,234.5", SheetCell::Number(1234.5)),
            ("$5", SheetCell::Number(5.0)),
            ("50%", SheetCell::Number(0.5)),
            ("(3)", SheetCell::Number(-3.0)),
            ("TRUE", SheetCell::Bool(true)),
            ("true", SheetCell::Text("true".into())),
            ("2023-01-05", SheetCell::Date(44931.0)),
            ("1/5/2023", SheetCell::Date(44931.0)),
            ("Jan 5, 2023", SheetCell::Date(44931.0)),
            ("2023-01-05 12:00", SheetCell::Date(44931.5)),
            ("6:00 PM", SheetCell::Date(0.75)),
            ("2023-01-05T00:00:00Z", SheetCell::Text("2023-01-05T00:00:00Z".into())),
            ("2023-13-45", SheetCell::Text("2023-13-45".into())),
            ("+49 30 1234", SheetCell::Text("+49 30 1234".into())),
            ("May be", SheetCell::Text("May be".into())),
            ("a1", SheetCell::Text("a1".into())),
            ("Infinity", SheetCell::Text("Infinity".into())),
        ] {
            assert_eq!(cell(text, false), Some(expected), "{text}");
        }
        assert_eq!(cell("12", true), Some(SheetCell::Text("12".into())));
        assert_eq!(cell("", false), None);
    }
}
