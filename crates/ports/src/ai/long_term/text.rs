//! What a text loses before it is remembered: letters that nobody sees.

/// The text without control characters, marks of writing direction and letters of no width, and
/// without white space around it. Line breaks stay.
///
/// What it says is left as it is: whoever shows it to a model quotes it.
pub fn clean_text(text: &str) -> String {
    let unified = text.replace("\r\n", "\n");
    let seen: String = unified.chars().filter(|letter| !is_hidden(*letter)).collect();
    seen.trim().to_owned()
}

/// The text as it is compared with others: letters and digits in lower case, one space between
/// words.
pub fn normalized_text(text: &str) -> String {
    let mut normalized = String::with_capacity(text.len());
    for word in text.split(|letter: char| !letter.is_alphanumeric()) {
        if word.is_empty() {
            continue;
        }
        if !normalized.is_empty() {
            normalized.push(' ');
        }
        normalized.extend(word.chars().flat_map(char::to_lowercase));
    }
    normalized
}

/// The moment that a date, or a date and time, of ISO 8601 names, in milliseconds; without a zone it
/// is in UTC.
pub fn parse_moment(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(moment.as_millisecond());
    }
    let moment = text.parse::<jiff::civil::DateTime>().ok()?;
    Some(moment.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_millisecond())
}

fn is_hidden(letter: char) -> bool {
    if letter.is_control() {
        return !matches!(letter, '\n' | '\t');
    }
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_nobody_sees_are_left_out() {
        let hidden = "a\u{202e}b\u{200b}c\0d\u{1b}[31me\u{feff}\u{e0041}\u{2066}f\r\n\tg  ";
        assert_eq!(clean_text(hidden), "abcd[31mef\n\tg");
        assert_eq!(clean_text("  caf\u{e9} 東京 👍 "), "caf\u{e9} 東京 👍");
    }

    #[test]
    fn a_date_is_a_moment() {
        assert_eq!(parse_moment("1970-01-02"), Some(86_400_000));
        assert_eq!(parse_moment("1970-01-01T01:00:00+01:00"), Some(0));
        assert_eq!(parse_moment("yesterday"), None);
    }

    #[test]
    fn texts_that_differ_in_case_and_punctuation_only_are_compared_as_equal() {
        assert_eq!(normalized_text("Lives in  BERLIN."), normalized_text("lives in Berlin"));
        assert_ne!(normalized_text("Lives in Berlin"), normalized_text("Lives in Bern"));
    }
}
