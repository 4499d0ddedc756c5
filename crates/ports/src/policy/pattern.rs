//! Names in rules, with `*` for any letters.

use model::Str;

/// The longest pattern.
const MAX_PATTERN_BYTES: usize = 256;

/// A name, or one with `*` in it. Case counts, as it does in names of tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Str);

/// Any of some names. Empty: every name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns(pub Vec<Pattern>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a pattern has between 1 and {MAX_PATTERN_BYTES} bytes; this one has {bytes}")]
pub struct InvalidPattern {
    pub bytes: usize,
}

impl Pattern {
    pub fn new(text: &str) -> Result<Self, InvalidPattern> {
        match text.len() {
            1..=MAX_PATTERN_BYTES => Ok(Self(text.into())),
            bytes => Err(InvalidPattern { bytes }),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Takes the time of both lengths multiplied, whatever is in them.
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name) = (self.0.as_bytes(), name.as_bytes());
        let (mut at, mut read) = (0, 0);
        // Where the last star is, and how much it has taken.
        let mut star: Option<(usize, usize)> = None;
        while read < name.len() {
            match pattern.get(at) {
                Some(b'*') => {
                    star = Some((at, read));
                    at += 1;
                }
                Some(byte) if *byte == name[read] => {
                    at += 1;
                    read += 1;
                }
                _ => {
                    let Some((star_at, taken)) = star else { return false };
                    star = Some((star_at, taken + 1));
                    at = star_at + 1;
                    read = taken + 1;
                }
            }
        }
        pattern[at..].iter().all(|byte| *byte == b'*')
    }
}

impl Patterns {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a name is one of these, or none is asked for.
    pub fn allow(&self, name: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|pattern| pattern.matches(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        Pattern::new(pattern).unwrap().matches(name)
    }

    #[test]
    fn a_star_stands_for_any_letters_and_all_else_for_itself() {
        for (pattern, name) in [
            ("a", "a"),
            ("*", ""),
            ("*", "anything"),
            ("slack_*", "slack_send"),
            ("*_send", "slack_send"),
            ("s*_*d", "slack_send"),
            ("a**b", "ab"),
            ("*a*b*a*", "xaybzac"),
            ("é*", "éa"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("a", "A"),
            ("a", "ab"),
            ("slack_*", "slack"),
            ("*_send", "slack_send2"),
            ("a?c", "abc"),
            ("a.c", "abc"),
            ("*ab", "abb"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
        assert!(Pattern::new("").is_err() && Pattern::new(&"x".repeat(257)).is_err());
        assert!(!matches(&"*a".repeat(127), &"a".repeat(100_000).replace('a', "b")));
    }
}
