//! Regular expressions with JavaScript's syntax and replacement texts, run within a bounded number
//! of steps.

pub mod backtracking;

use backtracking::{BacktrackingRegex, TOO_MANY_FOLDED};
use compute::pattern_cost::{MAX_FOLDED, MAX_PATTERN_BYTES, PatternCost};
use fancy_regex::{Captures, Regex, RegexBuilder};
use std::sync::Arc;
use std::time::Duration;

/// Steps that a pattern without look-around may take on one text: comparisons of a byte with a
/// place in the pattern.
const MAX_STEPS: u64 = 1 << 31;
/// The engine goes back for nothing that such a pattern holds; this is for what we do not know of.
const MAX_BACKTRACKS: usize = 10_000;
/// CPU time of all matches in one text together.
const MAX_TIME: Duration = Duration::from_secs(10);
/// A short pattern may stand for a large machine, which is refused.
const MAX_MACHINE_BYTES: usize = 1 << 20;

pub struct JsRegex {
    engine: ReplaceEngine,
    global: bool,
}

enum ReplaceEngine {
    Linear { regex: Arc<Regex>, cost: PatternCost },
    Backtracking(BacktrackingRegex),
}

impl JsRegex {
    /// Compiles a pattern with JavaScript's flags; the error is worded as JavaScript words it. Only
    /// for nodes that compute off the threads that serve connections.
    pub fn new(pattern: &str, flags: &str) -> Result<Self, String> {
        let invalid = |problem: &str| {
            format!(
                "Invalid regular expression: /{}/: {problem}",
                pattern.chars().take(200).collect::<String>()
            )
        };
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(invalid(&format!("the pattern is longer than {MAX_PATTERN_BYTES} bytes")));
        }
        let inline: String = flags.chars().filter(|flag| matches!(flag, 'i' | 'm' | 's')).collect();
        let translated = if inline.is_empty() {
            translate(pattern)
        } else {
            format!("(?{inline}){}", translate(pattern))
        };
        let engine = ReplaceEngine::build(translated).map_err(|problem| invalid(&problem))?;
        Ok(Self { engine, global: flags.contains('g') })
    }

    /// Reads `/pattern/flags`, or takes the whole text as a pattern.
    pub fn from_literal(text: &str, default_flags: &str) -> Result<Self, String> {
        match text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/')) {
            Some((pattern, flags)) if flags.chars().all(|flag| flag.is_ascii_lowercase()) => {
                Self::new(pattern, flags)
            }
            _ => Self::new(text, default_flags),
        }
    }

    /// `text.replace(regex, replacement)`. A pattern that needs too many steps matches nothing.
    pub fn replace(&self, text: &str, replacement: &str) -> String {
        let machine = if compute::tick().is_ok() { self.engine.for_text(text) } else { None };
        let Some(regex) = machine else { return text.to_owned() };
        let began = compute::cpu_used();
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        for found in regex.captures_iter(text) {
            let Ok(captures) = found else { break };
            let Some(whole) = captures.get(0) else { break };
            out.push_str(&text[end..whole.start()]);
            expand(&mut out, &captures, replacement, text);
            end = whole.end();
            // Each match may look at all the rest of the text.
            if !self.global
                || compute::tick().is_err()
                || compute::cpu_used().saturating_sub(began) > MAX_TIME
            {
                break;
            }
        }
        out.push_str(&text[end..]);
        out
    }
}

impl ReplaceEngine {
    fn build(pattern: String) -> Result<Self, String> {
        let cost = PatternCost::of(&pattern)
            .ok_or("it is not valid JavaScript regular expression syntax")?;
        if cost.retries > 0 {
            return Ok(Self::Backtracking(BacktrackingRegex::new(
                pattern,
                cost,
                &[MAX_MACHINE_BYTES],
            )?));
        }
        if cost.folded > MAX_FOLDED {
            return Err(TOO_MANY_FOLDED.to_owned());
        }
        if cost.steps_on(1) > MAX_STEPS {
            return Err("it has too many repetitions".to_owned());
        }
        let built = RegexBuilder::new(&pattern)
            .backtrack_limit(MAX_BACKTRACKS)
            .delegate_size_limit(MAX_MACHINE_BYTES)
            .build();
        Ok(Self::Linear { regex: Arc::new(built.map_err(|problem| problem.to_string())?), cost })
    }

    /// The machine for a text, unless it would take too long.
    fn for_text(&self, text: &str) -> Option<Arc<Regex>> {
        match self {
            Self::Linear { regex, cost } => {
                (cost.steps_on(text.len()) <= MAX_STEPS).then(|| regex.clone())
            }
            Self::Backtracking(retrying) => retrying.patient(text).ok(),
        }
    }
}

/// Spells a JavaScript pattern for our engine: there, digits and words are ASCII, and `[^]` fits
/// anything.
fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern;
    let mut in_class = false;
    while let Some(letter) = rest.chars().next() {
        let mut length = letter.len_utf8();
        match letter {
            '\\' => {
                let escaped = rest[1..].chars().next();
                length += escaped.map_or(0, char::len_utf8);
                match (escaped, in_class) {
                    (Some('d'), true) => out.push_str("0-9"),
                    (Some('d'), false) => out.push_str("[0-9]"),
                    (Some('w'), true) => out.push_str("A-Za-z0-9_"),
                    (Some('w'), false) => out.push_str("[A-Za-z0-9_]"),
                    (Some('D'), false) => out.push_str("[^0-9]"),
                    (Some('W'), false) => out.push_str("[^A-Za-z0-9_]"),
                    // An escaped letter without a meaning of its own stands for itself.
                    (Some(plain), _)
                        if plain.is_ascii_alphabetic()
                            && !"bBdDwWsSnrtvfucxkpP".contains(plain) =>
                    {
                        out.push(plain)
                    }
                    (Some('u'), _)
                        if rest[length..].starts_with(|digit: char| digit.is_ascii_hexdigit()) =>
                    {
                        let digits: String = rest[length..]
                            .chars()
                            .take(4)
                            .filter(char::is_ascii_hexdigit)
                            .collect();
                        out.push_str(&format!("\\x{{{digits}}}"));
                        length += digits.len();
                    }
                    _ => out.push_str(&rest[..length]),
                }
            }
            '[' if in_class => out.push_str("\\["),
            '[' if rest.starts_with("[^]") => {
                out.push_str("(?s:.)");
                length = 3;
            }
            '[' => {
                in_class = true;
                out.push('[');
            }
            '&' | '~' if in_class => {
                out.push('\\');
                out.push(letter);
            }
            ']' => {
                in_class = false;
                out.push(']');
            }
            other => out.push(other),
        }
        rest = &rest[length..];
    }
    out
}

/// Puts a replacement with its `$1`, `$&`, `$<name>` and `$$` filled in.
fn expand(out: &mut String, captures: &Captures<'_, str>, replacement: &str, text: &str) {
    let group = |index: usize| captures.get(index).map_or("", |found| found.as_str());
    let whole = captures.get(0).map_or(0..0, |found| found.start()..found.end());
    let mut rest = replacement;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let digits = after.bytes().take(2).take_while(u8::is_ascii_digit).count();
        let number = (1..=digits).rev().find_map(|count| {
            after[..count]
                .parse::<usize>()
                .ok()
                .filter(|n| *n > 0 && *n < captures.len())
                .map(|n| (n, count))
        });
        let used = match after.chars().next() {
            Some('$') => {
                out.push('$');
                1
            }
            Some('&') => {
                out.push_str(group(0));
                1
            }
            Some('`') => {
                out.push_str(&text[..whole.start]);
                1
            }
            Some('\'') => {
                out.push_str(&text[whole.end..]);
                1
            }
            Some('<') if after.contains('>') => {
                let end = after.find('>').unwrap_or(1);
                out.push_str(captures.name(&after[1..end]).map_or("", |found| found.as_str()));
                end + 1
            }
            _ => match number {
                Some((number, count)) => {
                    out.push_str(group(number));
                    count
                }
                None => {
                    out.push('$');
                    0
                }
            },
        };
        rest = &after[used..];
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::JsRegex;

    fn replace(pattern: &str, flags: &str, text: &str, replacement: &str) -> String {
        JsRegex::new(pattern, flags).unwrap().replace(text, replacement)
    }

    #[test]
    fn replacements_follow_javascript() {
        assert_eq!(replace("b", "", "abab", "x"), "axab");
        assert_eq!(replace("b", "g", "abab", "[$&$$]"), "a[b$]a[b$]");
        assert_eq!(replace("(?<y>\\d{4})-(\\d\\d)", "", "2024-05", "$2/$<y>/$3"), "05/2024/$3");
        assert_eq!(replace("[^]", "g", "a\nb", "."), "...");
        assert_eq!(replace("[\\w.-]+@", "", "a.b-c@x", "<$'>"), "<x>x");
        assert_eq!(replace("\\/|\\-|\\u00e4", "g", "a/b-ä", "_"), "a_b__");
    }

    #[test]
    fn literals_carry_their_flags() {
        assert_eq!(JsRegex::from_literal("/A/gi", "").unwrap().replace("aAb", "x"), "xxb");
        assert_eq!(JsRegex::from_literal("a/b", "g").unwrap().replace("a/b", "x"), "x");
    }

    #[test]
    fn a_pattern_that_would_run_forever_gives_up() {
        let text = "a".repeat(200);
        assert_eq!(replace("(?=(a+)+$)(a|aa)+b", "", &text, "x"), text);
    }

    #[test]
    fn issue_14_06_patterns_and_texts_are_bounded_together() {
        let began = compute::cpu_used();
        for (pattern, flags) in [
            (r"[ -\x{10FFFD}]".repeat(280), "i"),
            (format!("(?=a){}", r"[ -\x{10FFFD}]".repeat(280)), "i"),
            (r"(?=\p{L}{9}aa)".repeat(270), ""),
            ("a".repeat(5_000), ""),
            ("(?:(?=.*x)){4000000000}".to_owned(), ""),
        ] {
            assert!(JsRegex::new(&pattern, flags).is_err(), "{pattern}");
        }
        let text = "a".repeat(4 << 20);
        for pattern in [r"(?=.*\d)[a-z]", r"[ab]*a[ab]{5000}[cd]"] {
            assert_eq!(replace(pattern, "g", &text, "x"), text, "{pattern}");
        }
        assert!(compute::cpu_used() - began < std::time::Duration::from_secs(20));
    }

    #[test]
    fn issue_14_06_honest_patterns_replace_as_before() {
        assert_eq!(replace(r"\B(?=(\d{3})+(?!\d))", "g", "1234567", ","), "1,234,567");
        assert_eq!(replace(r"(?<=_)[a-z]", "gi", "my_Key_name", "X"), "my_Xey_Xame");
        assert_eq!(replace(r"(\w)\1", "g", "book keeper", "<$1>"), "b<o>k k<e>per");
    }
}
