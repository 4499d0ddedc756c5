//! The text search of data tables as a function of the database: one pass over the text, whatever
//! the pattern.

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use std::sync::Arc;

/// How the function is called in SQL: `table_matches(text, pattern, mode)`.
pub(super) const FUNCTION: &str = "table_matches";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatchMode {
    /// `%` stands for any letters; without one the text must contain the pattern.
    Like = 0,
    LikeAnyCase = 1,
    /// The text contains the pattern, which has no special letters, in any case.
    Contains = 2,
}

/// Every connection needs it before the first query of a data table.
pub(in crate::sqlite) fn register_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function(FUNCTION, 3, flags, |context| {
        let pattern: Arc<TextPattern> = context.get_or_create_aux(1, |_| read_pattern(context))?;
        Ok(match context.get_raw(0) {
            ValueRef::Text(bytes) => {
                std::str::from_utf8(bytes).is_ok_and(|text| pattern.fits(text))
            }
            _ => false,
        })
    })
}

fn read_pattern(context: &Context<'_>) -> rusqlite::Result<TextPattern> {
    let text: String = context.get(1)?;
    let mode = match context.get::<i64>(2)? {
        0 => MatchMode::Like,
        1 => MatchMode::LikeAnyCase,
        _ => MatchMode::Contains,
    };
    Ok(TextPattern::new(&text, mode))
}

struct TextPattern {
    folds: bool,
    /// What stands between the wildcards; the first and the last are bound to the ends.
    parts: Vec<String>,
}

impl TextPattern {
    fn new(pattern: &str, mode: MatchMode) -> Self {
        let folds = mode != MatchMode::Like;
        let pattern = if folds { pattern.to_lowercase() } else { pattern.to_owned() };
        let parts = match mode == MatchMode::Contains || !pattern.contains('%') {
            true => vec![String::new(), pattern, String::new()],
            false => pattern.split('%').map(str::to_owned).collect(),
        };
        Self { folds, parts }
    }

    fn fits(&self, text: &str) -> bool {
        let folded;
        let text = if self.folds {
            folded = text.to_lowercase();
            folded.as_str()
        } else {
            text
        };
        let [first, middle @ .., last] = self.parts.as_slice() else { return false };
        let Some(mut rest) = text.strip_prefix(first.as_str()) else { return false };
        // The earliest place of each part leaves the most room for the others, so nothing is ever
        // tried twice.
        for part in middle {
            let Some(at) = rest.find(part.as_str()) else { return false };
            rest = &rest[at + part.len()..];
        }
        rest.ends_with(last.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_n8n_has_them() {
        let fits =
            |pattern: &str, mode: MatchMode, text: &str| TextPattern::new(pattern, mode).fits(text);
        for (pattern, text, expected) in [
            ("an", "banana", true),
            ("ban%", "banana", true),
            ("%ana", "banana", true),
            ("b%a", "banana", true),
            ("b%n%n%a", "banana", true),
            ("an%", "banana", false),
            ("Ban", "banana", false),
            ("b_n", "banana", false),
            ("%", "", true),
            ("a%a", "a", false),
            ("[*?]", "x[*?]y", true),
        ] {
            assert_eq!(fits(pattern, MatchMode::Like, text), expected, "{pattern} {text}");
        }
        assert!(fits("STRASSE%", MatchMode::LikeAnyCase, "strasse 1"));
        assert!(fits("ÄPFEL", MatchMode::LikeAnyCase, "rote äpfel"));
        assert!(!fits("5%", MatchMode::Contains, "512"));
        assert!(fits("5%", MatchMode::Contains, "about 5% more"));
    }

    #[test]
    fn a_hostile_pattern_costs_one_pass() {
        let pattern = TextPattern::new(&"%a".repeat(10_000), MatchMode::Like);
        let text = format!("{}b", "a".repeat(1_000_000));
        assert!(!pattern.fits(&text));
    }
}
