//! JavaScript's regular expressions on an engine whose time is bounded.
//!
//! Patterns run on a linear engine. Only look-around and references back to a group need one that
//! tries and retries; that one gives up after a fixed number of steps with an error of its own.

use compute::pattern_cost::{MAX_FOLDED, MAX_PATTERN_BYTES, PatternCost};
use formats::js_regex::backtracking::{BacktrackingRegex, TOO_MANY_FOLDED, TooManySteps};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Steps that a linear pattern may take on one text: comparisons of a byte with a place in the
/// pattern.
const MAX_STEPS: u64 = 1 << 31;
/// As many of them are done at once; for more, the threads that serve connections are left first.
const QUICK_STEPS: u64 = 20_000_000;
/// Plain patterns up to this length are compiled at once, if this many characters at most have
/// their case folded.
const QUICK_PATTERN_BYTES: usize = 256;
const QUICK_FOLDED: usize = 10_000;
/// A short pattern may stand for a large machine, such as `(\w{99}){99}`. One that fits into this
/// is made and run in a moment.
const SMALL_MACHINE_BYTES: usize = 64 << 10;
/// Others may be as large as this, and are kept off the threads that serve connections.
const LARGE_MACHINE_BYTES: usize = 1 << 20;
/// What all remembered patterns may take together.
const MAX_CACHED_BYTES: usize = 16 << 20;

/// A compiled pattern.
pub struct ConditionRegex {
    engine: MatchEngine,
    source: String,
}

enum MatchEngine {
    /// With the size that its machine has at most.
    Linear {
        regex: regex::Regex,
        cost: PatternCost,
        machine_bytes: usize,
    },
    Backtracking(BacktrackingRegex),
}

/// Why a pattern gives no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RegexError {
    #[error("Invalid regular expression: /{pattern}/: {reason}")]
    Syntax { pattern: String, reason: String },
    #[error(
        "The regular expression /{pattern}/ exceeded the step limit on this text. Avoid nested \
             repetition, or try a shorter text."
    )]
    TooManySteps { pattern: String },
    #[error("The regular expression takes too long, and {0}")]
    Busy(#[from] compute::Overloaded),
}

impl ConditionRegex {
    /// A pattern as conditions take it: `text` or `/text/flags`.
    pub fn parse(pattern: &str) -> Result<Self, RegexError> {
        let (source, flags) = split(pattern);
        Self::new(source, flags)
    }

    /// The same, remembered for the next item.
    pub fn cached(pattern: &str) -> Result<Arc<Self>, RegexError> {
        static CACHE: LazyLock<Mutex<ConditionRegexCache>> = LazyLock::new(Mutex::default);
        let cache = || CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = cache().patterns.get(pattern) {
            return Ok(found.clone());
        }
        let made = Arc::new(Self::parse(pattern)?);
        cache().insert(pattern.to_owned(), made.clone());
        Ok(made)
    }

    /// What it takes in memory, at most.
    fn bytes(&self) -> usize {
        let machine_bytes = match &self.engine {
            MatchEngine::Linear { machine_bytes, .. } => *machine_bytes,
            MatchEngine::Backtracking(retrying) => retrying.bytes(),
        };
        machine_bytes + 2 * self.source.len()
    }

    pub fn new(source: &str, flags: &str) -> Result<Self, RegexError> {
        let syntax = |reason: String| RegexError::Syntax {
            pattern: source.chars().take(200).collect(),
            reason,
        };
        if source.len() > MAX_PATTERN_BYTES {
            return Err(syntax(format!("the pattern is longer than {MAX_PATTERN_BYTES} bytes")));
        }
        let translated = Translation::of(source);
        let mut prefix = String::new();
        for (flag, rust) in [('i', "i"), ('m', "m"), ('s', "s")] {
            if flags.contains(flag) {
                prefix.push_str(rust);
            }
        }
        let mut pattern = if prefix.is_empty() { String::new() } else { format!("(?{prefix})") };
        let anchored = if flags.contains('y') {
            format!(r"\A(?:{})", translated.pattern)
        } else {
            translated.pattern
        };
        pattern.push_str(&anchored);
        if translated.needs_backtracking {
            let cost = || {
                PatternCost::of(&pattern)
                    .ok_or("it is not valid JavaScript regular expression syntax")
            };
            let build = || {
                BacktrackingRegex::new(
                    pattern.clone(),
                    cost()?,
                    &[SMALL_MACHINE_BYTES, LARGE_MACHINE_BYTES],
                )
            };
            let engine = MatchEngine::Backtracking(compute::blocking(build)?.map_err(syntax)?);
            return Ok(Self { engine, source: source.to_owned() });
        }
        let at_once = if is_plain(source) {
            MatchEngine::linear(&pattern, QUICK_FOLDED, SMALL_MACHINE_BYTES).ok()
        } else {
            None
        };
        let patiently = || {
            let small = MatchEngine::linear(&pattern, MAX_FOLDED, SMALL_MACHINE_BYTES);
            small.or_else(|_| MatchEngine::linear(&pattern, MAX_FOLDED, LARGE_MACHINE_BYTES))
        };
        let engine = match at_once {
            Some(engine) => engine,
            None => compute::blocking(patiently)?.map_err(syntax)?,
        };
        Ok(Self { engine, source: source.to_owned() })
    }

    pub fn is_match(&self, text: &str) -> Result<bool, RegexError> {
        let too_many = || RegexError::TooManySteps { pattern: self.source.clone() };
        match &self.engine {
            MatchEngine::Linear { regex, cost, machine_bytes } => {
                let steps = cost.steps_on(text.len());
                let is_quick = steps <= QUICK_STEPS
                    && *machine_bytes <= SMALL_MACHINE_BYTES
                    && text.len() < compute::LARGE_BYTES;
                match steps {
                    _ if is_quick => Ok(regex.is_match(text)),
                    ..=MAX_STEPS => Ok(compute::blocking(|| regex.is_match(text))?),
                    _ => Err(too_many()),
                }
            }
            MatchEngine::Backtracking(retrying) => {
                retrying.is_match(text)?.map_err(|TooManySteps| too_many())
            }
        }
    }
}

impl MatchEngine {
    /// Makes a machine of at most so many bytes, for which so many characters at most have their
    /// case folded.
    fn linear(pattern: &str, max_folded: usize, machine_bytes: usize) -> Result<Self, String> {
        // What has no cost is no pattern, which the engine says in its own words.
        let cost = PatternCost::of(pattern).unwrap_or_default();
        if cost.folded > max_folded {
            return Err(TOO_MANY_FOLDED.to_owned());
        }
        let built = regex::RegexBuilder::new(pattern).size_limit(machine_bytes).build();
        let regex = built.map_err(|error| last_line(&error.to_string()))?;
        Ok(Self::Linear { regex, cost, machine_bytes })
    }
}

/// Whether a pattern is compiled in a moment: it is short and stands for no large machine.
fn is_plain(source: &str) -> bool {
    source.len() <= QUICK_PATTERN_BYTES
        && source.is_ascii()
        && !["{", "\\p", "\\P"].into_iter().any(|part| source.contains(part))
}

/// Patterns by what was written, and whether their case counts.
#[derive(Default)]
struct ConditionRegexCache {
    patterns: HashMap<String, Arc<ConditionRegex>>,
    bytes: usize,
}

impl ConditionRegexCache {
    fn insert(&mut self, key: String, pattern: Arc<ConditionRegex>) {
        if self.bytes + pattern.bytes() > MAX_CACHED_BYTES {
            *self = Self::default();
        }
        let bytes = pattern.bytes();
        if self.patterns.insert(key, pattern).is_none() {
            self.bytes += bytes;
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
    needs_backtracking: bool,
}

impl Translation {
    fn of(source: &str) -> Self {
        let mut out =
            Self { pattern: String::with_capacity(source.len() + 16), needs_backtracking: false };
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
                self.needs_backtracking = true;
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

    /// An escape with something in braces, such as `\p{L}` and `\u{1F600}`; returns how many
    /// letters it took.
    fn braced(&mut self, letters: &[char]) -> usize {
        let end = letters.iter().position(|letter| *letter == '}').map_or(2, |end| end + 1);
        self.pattern.extend(&letters[..end]);
        end
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
                let digits: String =
                    letters[1..].iter().take_while(|digit| digit.is_ascii_digit()).collect();
                if digits.parse().is_ok_and(|group: usize| group <= groups) {
                    self.needs_backtracking = true;
                    let _ = write!(self.pattern, "\\{digits}");
                    return 1 + digits.len();
                }
                self.pattern.push(letter);
            }
            'k' if letters.get(2) == Some(&'<') => {
                self.needs_backtracking = true;
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
                (None, Some('{')) => return self.braced(letters),
                _ => self.pattern.push('u'),
            },
            'c' if letters.get(2).is_some_and(char::is_ascii_alphabetic) => {
                let control = letters[2] as u32 % 32;
                let _ = write!(self.pattern, "\\x{control:02x}");
                return 3;
            }
            'p' | 'P' if letters.get(2) == Some(&'{') => return self.braced(letters),
            _ if letter.is_ascii_punctuation()
                && letter != '<'
                && letter != '>'
                && letter != '_' =>
            {
                self.pattern.push('\\');
                self.pattern.push(letter);
            }
            _ => self.pattern.push(letter),
        }
        2
    }
}

/// What stands between braces is no longer than this, or it is no repetition and no name.
const LONGEST_REPETITION: usize = 64;

/// Whether letters start with `{2}`, `{2,}` or `{2,3}`.
fn is_repetition(letters: &[char]) -> bool {
    let inside: String =
        letters[1..].iter().take(LONGEST_REPETITION).take_while(|letter| **letter != '}').collect();
    let closed = letters.get(inside.chars().count() + 1) == Some(&'}');
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    closed
        && match inside.split_once(',') {
            Some((least, most)) => !least.is_empty() && digits(least) && digits(most),
            None => !inside.is_empty() && digits(&inside),
        }
}

fn closes_repetition(before: &[char]) -> bool {
    let before = &before[before.len().saturating_sub(LONGEST_REPETITION)..];
    let Some(open) = before.iter().rposition(|letter| *letter == '{') else { return false };
    let is_open = before[open..]
        .iter()
        .skip(1)
        .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, ',' | '=' | '_'));
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
        ConditionRegex::parse(pattern).unwrap().is_match(text).unwrap()
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
        let slow = ConditionRegex::parse(r"^(?=(a+)+$)b").unwrap();
        let endless = ConditionRegex::parse(r"(x+x+)+(?=y)z").unwrap();
        let answer = endless.is_match(&"x".repeat(60));
        assert!(matches!(answer, Err(RegexError::TooManySteps { .. }) | Ok(false)), "{answer:?}");
        assert!(slow.is_match("aaaa").is_ok());
    }

    #[test]
    fn issue_14_10_patterns_from_data_are_bounded_in_size_and_time() {
        let began = compute::cpu_used();
        for pattern in [
            r"((\w{99}){99}){99}".to_owned(),
            r"(?=((\w{99}){99}){99})".to_owned(),
            "(a|".repeat(100_000),
            "}".repeat(60_000),
            "{".repeat(60_000),
            "a{2".repeat(20_000),
        ] {
            let _ = ConditionRegex::cached(&pattern).map(|regex| regex.is_match("aaaa"));
        }
        assert!(
            ConditionRegex::parse(r"((\w{99}){99}){99}").is_err()
                && ConditionRegex::parse(&"a".repeat(100_000)).is_err()
        );
        assert!(compute::cpu_used() - began < std::time::Duration::from_secs(20));
        let mut cache = ConditionRegexCache::default();
        for number in 0..2_000 {
            let pattern = format!("[a-z]{{{}}}{number}", number % 50);
            cache.insert(pattern.clone(), Arc::new(ConditionRegex::parse(&pattern).unwrap()));
            assert!(cache.bytes <= MAX_CACHED_BYTES);
        }
        assert!(!cache.patterns.is_empty());
        // A large one is still there to be used.
        assert!(matches(r"^[a-zé]{10,20}$", &"é".repeat(15)));
    }

    #[test]
    fn issue_14_06_patterns_are_priced_before_they_are_compiled() {
        let began = compute::cpu_used();
        let wide = r"[ -\u{10FFFD}]";
        for pattern in [
            format!("/{}/i", wide.repeat(280)),
            format!("/(?=a){}/i", wide.repeat(280)),
            format!("(?i){}", r"[\S]".repeat(1_000)),
            r"(?=\p{L}{9}aa)".repeat(270),
            "a".repeat(MAX_PATTERN_BYTES + 1),
            "(?1)(?=a)(b)".to_owned(),
        ] {
            assert!(
                matches!(ConditionRegex::parse(&pattern), Err(RegexError::Syntax { .. })),
                "{pattern}"
            );
        }
        assert!(compute::cpu_used() - began < std::time::Duration::from_secs(10));
    }

    #[test]
    fn issue_14_06_a_match_that_would_take_too_long_is_refused() {
        let began = compute::cpu_used();
        let text = "a".repeat(16 << 20);
        for pattern in [
            r"(?=.*\d)[a-z]",
            r"^(?:(?=.*\d)[a-z])*$",
            r"(?:(?=.*x)){4000000000}",
            r"[ab]*a[ab]{5000}[cd]",
        ] {
            let answer = ConditionRegex::parse(pattern).and_then(|regex| regex.is_match(&text));
            assert!(
                matches!(answer, Err(RegexError::TooManySteps { .. } | RegexError::Syntax { .. })),
                "{pattern}: {answer:?}"
            );
        }
        // The text is in reach of the patient try, which gives up or comes to an end.
        let answer = ConditionRegex::parse(r"(?=.*\d)[a-z]").unwrap().is_match(&text[..60_000]);
        assert!(matches!(answer, Err(RegexError::TooManySteps { .. }) | Ok(false)), "{answer:?}");
        assert!(compute::cpu_used() - began < std::time::Duration::from_secs(60));
    }

    #[test]
    fn issue_14_06_honest_patterns_match_as_before() {
        assert!(matches(r"/^[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}$/i", "Ada@Example.org"));
        assert!(matches(r"^https?:\/\/[^\s/$.?#].[^\s]*$", "https://example.org/a?b=c"));
        assert!(matches(r"^\d{4}-\d{2}$", "2024-05"));
        assert!(matches(r"/^\p{L}+$/iu", "Ünïcode"));
        assert!(matches(r"/<B>[\s\S]*<\/b>[\s\S]*$/i", "<b>\n</b>"));
        assert!(matches(r"<b>(?:(?!<\/b>).)*<\/b>", "x <b>bold</b>"));
        assert!(matches(r"\d{4}", &format!("{}2024", "a".repeat(1 << 20))));
        let password = r"^(?=.*[A-Z])(?=.*\d).{8,}$";
        let long = "a".repeat(64 << 10);
        assert!(matches(password, "Secret123") && matches(password, &format!("{}A1", &long[2..])));
        assert!(!matches(password, "secret") && !matches(password, &long));
    }

    #[test]
    fn a_broken_pattern_is_named() {
        let error = ConditionRegex::parse("(a").err().unwrap();
        assert!(error.to_string().starts_with("Invalid regular expression: /(a/: "), "{error}");
    }
}
