//! JavaScript's regular expressions on an engine whose time is bounded.
//!
//! Patterns run on a linear engine. Only look-around and references back to a group need one that tries and retries;
//! that one gives up after a fixed number of steps with an error of its own.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;

/// Steps that a pattern with look-around may take on one text.
const MAX_STEPS: usize = 1_000_000;
/// As many of them are done at once; for more, the threads that serve connections are left first.
const QUICK_STEPS: usize = 20_000;
/// Patterns remembered by a thread.
const MAX_CACHED: usize = 64;

/// A compiled pattern.
pub struct JsRegex {
    engine: Engine,
    source: String,
}

enum Engine {
    Linear(regex::Regex),
    Retrying { quick: fancy_regex::Regex, patient: fancy_regex::Regex },
}

/// Why a pattern gives no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RegexError {
    #[error("Invalid regular expression: /{pattern}/: {reason}")]
    Syntax { pattern: String, reason: String },
    #[error(
        "The regular expression /{pattern}/ took more than {MAX_STEPS} steps on this text, so it was stopped. Write it without nested repetition."
    )]
    TooManySteps { pattern: String },
}

impl JsRegex {
    /// A pattern as conditions take it: `text` or `/text/flags`.
    pub fn parse(pattern: &str, ignore_case: bool) -> Result<Self, RegexError> {
        let (source, flags) = split(pattern);
        let flags = if ignore_case { format!("{flags}i") } else { flags.to_owned() };
        Self::new(source, &flags)
    }

    /// The same, remembered for the next item.
    pub fn cached(pattern: &str, ignore_case: bool) -> Result<Rc<Self>, RegexError> {
        thread_local! {
            static CACHE: RefCell<HashMap<(String, bool), Rc<JsRegex>>> = RefCell::default();
        }
        let key = (pattern.to_owned(), ignore_case);
        if let Some(found) = CACHE.with_borrow(|cache| cache.get(&key).cloned()) {
            return Ok(found);
        }
        let made = Rc::new(Self::parse(pattern, ignore_case)?);
        CACHE.with_borrow_mut(|cache| {
            if cache.len() >= MAX_CACHED {
                cache.clear();
            }
            cache.insert(key, made.clone());
        });
        Ok(made)
    }

    pub fn new(source: &str, flags: &str) -> Result<Self, RegexError> {
        let syntax = |reason: String| RegexError::Syntax { pattern: source.to_owned(), reason };
        let translated = Translation::of(source);
        let mut prefix = String::new();
        for (flag, rust) in [('i', "i"), ('m', "m"), ('s', "s")] {
            if flags.contains(flag) {
                prefix.push_str(rust);
            }
        }
        let mut pattern = if prefix.is_empty() { String::new() } else { format!("(?{prefix})") };
        let anchored = if flags.contains('y') { format!(r"\A(?:{})", translated.pattern) } else { translated.pattern };
        pattern.push_str(&anchored);
        let engine = if translated.needs_retries {
            let build = |steps| fancy_regex::RegexBuilder::new(&pattern).backtrack_limit(steps).build();
            let built = build(QUICK_STEPS).and_then(|quick| Ok(Engine::Retrying { quick, patient: build(MAX_STEPS)? }));
            built.map_err(|error| syntax(error.to_string()))?
        } else {
            Engine::Linear(regex::Regex::new(&pattern).map_err(|error| syntax(last_line(&error.to_string())))?)
        };
        Ok(Self { engine, source: source.to_owned() })
    }

    pub fn is_match(&self, text: &str) -> Result<bool, RegexError> {
        match &self.engine {
            Engine::Linear(regex) => Ok(regex.is_match(text)),
            Engine::Retrying { quick, patient } => match quick.is_match(text) {
                Ok(is_match) => Ok(is_match),
                Err(_) => match compute::blocking(|| patient.is_match(text)) {
                    Ok(Ok(is_match)) => Ok(is_match),
                    _ => Err(RegexError::TooManySteps { pattern: self.source.clone() }),
                },
            },
        }
    }
}

/// The engine draws the place of the error over several lines; the last one says what it is.
fn last_line(text: &str) -> String {
    text.lines().last().unwrap_or(text).trim_start_matches("error: ").to_owned()
}

/// Splits `/text/flags`; anything else is all pattern.
fn split(pattern: &str) -> (&str, &str) {
    let Some(rest) = pattern.strip_prefix('/') else { return (pattern, "") };
    // The first slash after which only flags follow ends the pattern.
    for (at, _) in rest.match_indices('/') {
        let flags = &rest[at + 1..];
        if flags.chars().all(|flag| "gimusy".contains(flag)) && !rest[..at].contains('\n') {
            return (&rest[..at], flags);
        }
    }
    (pattern, "")
}

/// A JavaScript pattern in the spelling of the Rust engines.
struct Translation {
    pattern: String,
    needs_retries: bool,
}

impl Translation {
    fn of(source: &str) -> Self {
        let mut out = Self { pattern: String::with_capacity(source.len() + 16), needs_retries: false };
        let letters: Vec<char> = source.chars().collect();
        let groups = letters.windows(2).filter(|pair| pair[0] == '(' && pair[1] != '?').count();
        let mut at = 0;
        while at < letters.len() {
            at += match letters[at] {
                '\\' => out.escape(&letters[at..], groups, false),
                '[' => out.class(&letters[at..], groups),
                '(' if letters[at..].starts_with(&['(', '?']) => out.group(&letters[at..]),
                '{' if !is_repetition(&letters[at..]) => out.literal("\\{"),
                '}' if !closes_repetition(&letters[..at]) => out.literal("\\}"),
                ']' => out.literal("\\]"),
                // JavaScript's dot stops at all line ends; the ones that occur are \n and \r.
                letter => {
                    out.pattern.push(letter);
                    1
                }
            };
        }
        out
    }

    fn literal(&mut self, text: &str) -> usize {
        self.pattern.push_str(text);
        1
    }

    fn group(&mut self, letters: &[char]) -> usize {
        for opening in ["(?=", "(?!", "(?<=", "(?<!"] {
            if letters.iter().copied().take(opening.len()).eq(opening.chars()) {
                self.needs_retries = true;
                self.pattern.push_str(opening);
                return opening.len();
            }
        }
        self.pattern.push_str("(?");
        2
    }

    /// A class; returns how many letters it took.
    fn class(&mut self, letters: &[char], groups: usize) -> usize {
        match letters {
            ['[', '^', ']', ..] => {
                self.pattern.push_str(r"(?s:.)");
                return 3;
            }
            ['[', ']', ..] => {
                self.pattern.push_str(r"[^\s\S]");
                return 2;
            }
            _ => {}
        }
        self.pattern.push('[');
        let mut at = 1;
        if letters.get(at) == Some(&'^') {
            self.pattern.push('^');
            at += 1;
        }
        while let Some(&letter) = letters.get(at) {
            match letter {
                ']' => {
                    self.pattern.push(']');
                    return at + 1;
                }
                '\\' => {
                    at += self.escape(&letters[at..], groups, true);
                    continue;
                }
                // These mean something inside Rust's classes only.
                '[' | '&' | '~' => {
                    self.pattern.push('\\');
                    self.pattern.push(letter);
                }
                '-' if letters.get(at + 1) == Some(&'-') => self.pattern.push_str("\\-"),
                _ => self.pattern.push(letter),
            }
            at += 1;
        }
        at
    }

    /// An escape; returns how many letters it took.
    fn escape(&mut self, letters: &[char], groups: usize, in_class: bool) -> usize {
        let Some(&letter) = letters.get(1) else { return self.literal("\\") };
        let set = |inside: &str| if in_class { inside.to_owned() } else { format!("[{inside}]") };
        let code = |from: usize, count: usize| {
            let digits: String = letters.get(from..from + count)?.iter().collect();
            digits.chars().all(|digit| digit.is_ascii_hexdigit()).then_some(digits)
        };
        match letter {
            'd' => self.pattern.push_str(&set("0-9")),
            'D' => self.pattern.push_str("[^0-9]"),
            'w' => self.pattern.push_str(&set("A-Za-z0-9_")),
            'W' => self.pattern.push_str("[^A-Za-z0-9_]"),
            's' | 'S' | 'n' | 'r' | 't' | 'f' | 'v' => {
                self.pattern.push('\\');
                self.pattern.push(letter);
            }
            'b' if in_class => self.pattern.push_str(r"\x08"),
            'b' | 'B' => {
                self.pattern.push('\\');
                self.pattern.push(letter);
            }
            '0' => self.pattern.push_str(r"\x00"),
            '1'..='9' if !in_class => {
                let digits: String = letters[1..].iter().take_while(|digit| digit.is_ascii_digit()).collect();
                if digits.parse().is_ok_and(|group: usize| group <= groups) {
                    self.needs_retries = true;
                    let _ = write!(self.pattern, "\\{digits}");
                    return 1 + digits.len();
                }
                self.pattern.push(letter);
            }
            'k' if letters.get(2) == Some(&'<') => {
                self.needs_retries = true;
                self.pattern.push_str("\\k");
            }
            'x' => match code(2, 2) {
                Some(digits) => {
                    let _ = write!(self.pattern, "\\x{digits}");
                    return 4;
                }
                None => self.pattern.push('x'),
            },
            'u' => match (code(2, 4), letters.get(2)) {
                (Some(digits), _) => {
                    let _ = write!(self.pattern, "\\u{{{digits}}}");
                    return 6;
                }
                (None, Some('{')) => self.pattern.push_str("\\u"),
                _ => self.pattern.push('u'),
            },
            'c' if letters.get(2).is_some_and(char::is_ascii_alphabetic) => {
                let control = letters[2] as u32 % 32;
                let _ = write!(self.pattern, "\\x{control:02x}");
                return 3;
            }
            'p' | 'P' if letters.get(2) == Some(&'{') => {
                self.pattern.push('\\');
                self.pattern.push(letter);
            }
            _ if letter.is_ascii_punctuation() && letter != '<' && letter != '>' && letter != '_' => {
                self.pattern.push('\\');
                self.pattern.push(letter);
            }
            _ => self.pattern.push(letter),
        }
        2
    }
}

/// Whether letters start with `{2}`, `{2,}` or `{2,3}`.
fn is_repetition(letters: &[char]) -> bool {
    let inside: String = letters[1..].iter().take_while(|letter| **letter != '}').collect();
    let closed = letters.get(inside.chars().count() + 1) == Some(&'}');
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    closed
        && match inside.split_once(',') {
            Some((least, most)) => !least.is_empty() && digits(least) && digits(most),
            None => !inside.is_empty() && digits(&inside),
        }
}

fn closes_repetition(before: &[char]) -> bool {
    let Some(open) = before.iter().rposition(|letter| *letter == '{') else { return false };
    let is_open = before[open..].iter().skip(1).all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, ',' | '=' | '_'));
    let escaped = open > 0 && before[open - 1] == '\\';
    let named = open > 1 && matches!(before[open - 1], 'u' | 'p' | 'P') && before[open - 2] == '\\';
    let mut whole = before[open..].to_vec();
    whole.push('}');
    is_open && !escaped && (named || is_repetition(&whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, text: &str) -> bool {
        JsRegex::parse(pattern, false).unwrap().is_match(text).unwrap()
    }

    #[test]
    fn patterns_are_read_with_or_without_slashes() {
        assert!(matches("^fo{2}$", "foo"));
        assert!(matches("/^FO+$/i", "foo"));
        assert!(matches(r"/a\/b/", "a/b"));
        assert!(!matches("/a/b", "a"));
        assert!(matches("/y/y", "yes") && !matches("/y/y", "oy"));
    }

    #[test]
    fn javascript_spellings_mean_what_they_mean_there() {
        assert!(!matches(r"^\d$", "٣"), "only ASCII digits");
        assert!(matches(r"[[&]", "["));
        assert!(matches(r"a{,2}", "a{,2}"));
        assert!(matches(r"\u0041\x42", "AB"));
        assert!(matches(r"[^]", "\n"));
        assert!(matches(r"\@\_\é", "@_é"));
        assert!(matches(r"{{name}}", "{{name}}"));
        assert!(matches(r"[\w.-]+@[\w-]+\.\w{2,}", "me@example.org"));
    }

    #[test]
    fn look_around_and_references_work_within_a_limit() {
        assert!(matches(r"^(?=.*\d)(?!.*x).+$", "ab1"));
        assert!(matches(r"^(a+)-\1$", "aa-aa"));
        let slow = JsRegex::parse(r"^(?=(a+)+$)b", false).unwrap();
        let endless = JsRegex::parse(r"(x+x+)+(?=y)z", false).unwrap();
        let answer = endless.is_match(&"x".repeat(60));
        assert!(matches!(answer, Err(RegexError::TooManySteps { .. }) | Ok(false)), "{answer:?}");
        assert!(slow.is_match("aaaa").is_ok());
    }

    #[test]
    fn a_broken_pattern_is_named() {
        let error = JsRegex::parse("(a", false).err().unwrap();
        assert!(error.to_string().starts_with("Invalid regular expression: /(a/: "), "{error}");
    }
}
