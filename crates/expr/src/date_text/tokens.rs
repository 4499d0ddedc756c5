//! What a date is read from: numbers, signs, and the words that dates know.

use crate::native::is_js_whitespace;

/// More tokens than any date has.
const MAX_TOKENS: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    /// Its value, and how many digits it has.
    Number(i64, usize),
    Sign(u8),
    Month(i64),
    /// How many hours come to those of a clock with twelve.
    Half(i64),
    /// Hours from UTC.
    Zone(i64),
    /// The letter between a date and a time.
    T,
    Word,
    Blank,
    /// Something in brackets, which says nothing.
    Aside,
    Other,
    End,
}

pub(super) fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if found.len() >= MAX_TOKENS {
            return None;
        }
        let is_letter = |letter: char| letter >= 'A' && !is_js_whitespace(letter);
        let length =
            |keep: &dyn Fn(char) -> bool| rest.find(|letter| !keep(letter)).unwrap_or(rest.len());
        let (token, taken) = match first {
            '0'..='9' => {
                let taken = length(&|letter| letter.is_ascii_digit());
                // More than nine digits say nothing new.
                let digits = rest[..taken].trim_start_matches('0');
                let value = digits.get(..9).unwrap_or(digits).parse().unwrap_or(0);
                (Token::Number(value, taken), taken)
            }
            ':' | '-' | '+' | '.' | ')' => (Token::Sign(first as u8), 1),
            _ if is_letter(first) => {
                let taken = length(&is_letter);
                (word(&rest[..taken]), taken)
            }
            _ if is_js_whitespace(first) => (Token::Blank, length(&is_js_whitespace)),
            '(' => (Token::Aside, aside(rest)),
            _ => (Token::Other, first.len_utf8()),
        };
        found.push(token);
        rest = &rest[taken..];
    }
    Some(found)
}

/// How long the brackets at the beginning are, with those inside of them.
fn aside(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

fn word(text: &str) -> Token {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let is_start = |month: &str| {
        text.as_bytes().get(..3).is_some_and(|start| start.eq_ignore_ascii_case(month.as_bytes()))
    };
    if let Some(month) = MONTHS.iter().position(|month| is_start(month)) {
        return Token::Month(month as i64 + 1);
    }
    // Only names of months may go on behind three letters.
    let short = if text.len() <= 3 { text.to_ascii_lowercase() } else { String::new() };
    match short.as_str() {
        "am" => Token::Half(0),
        "pm" => Token::Half(12),
        "ut" | "utc" | "z" | "gmt" => Token::Zone(0),
        "est" | "cdt" => Token::Zone(-5),
        "edt" => Token::Zone(-4),
        "cst" | "mdt" => Token::Zone(-6),
        "mst" | "pdt" => Token::Zone(-7),
        "pst" => Token::Zone(-8),
        "t" => Token::T,
        _ => Token::Word,
    }
}
