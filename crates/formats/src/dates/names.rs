//! English names of months and days, and how words are recognised among them.

pub(super) const MONTHS: [&str; 12] = [
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
/// Sunday first.
pub(super) const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The month (1 to 12) that a word names by its first three letters at least.
pub(super) fn month_of(word: &str) -> Option<i8> {
    position_of(word, &MONTHS).map(|at| at as i8 + 1)
}

pub(super) fn is_day_name(word: &str) -> bool {
    position_of(word, &DAYS).is_some()
}

fn position_of(word: &str, names: &[&str]) -> Option<usize> {
    let word = word.to_lowercase();
    (word.len() >= 3)
        .then(|| names.iter().position(|name| name.to_lowercase().starts_with(&word)))?
}

/// `1st`, `2nd`, `3rd`, `11th`.
pub(super) fn ordinal(number: i64) -> String {
    let suffix = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}
