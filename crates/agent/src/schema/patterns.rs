//! What regular expressions schemas may have, and how long it takes to read a schema because of
//! them.

use compute::pattern_cost::{self, MAX_FOLDED};
use model::{Str, Value};

/// Regular expressions in a schema, and in all schemas of an agent together, with the letters they
/// are written in.
const MAX_PATTERNS: usize = 100;
const MAX_ALL_PATTERNS: usize = 200;
const MAX_ALL_LETTERS: usize = 32 << 10;
/// How long one may be, what it may take in memory once it is compiled, and what the matcher may
/// keep in mind beside it.
const MAX_PATTERN_LETTERS: usize = 4 << 10;
pub(super) const MAX_PATTERN_BYTES: usize = 256 << 10;
pub(super) const MAX_MATCHER_BYTES: usize = 256 << 10;
/// A part of a schema takes as long to read as so much plain text.
const PART_BYTES: usize = 200;

/// The patterns of all schemas that are used side by side.
#[derive(Default)]
pub(crate) struct PatternBudget {
    count: usize,
    letters: usize,
    /// Code points whose case is folded to compile them.
    folded: usize,
}

impl PatternBudget {
    pub(super) fn take<'s>(
        &mut self,
        patterns: impl Iterator<Item = &'s str>,
    ) -> Result<(), String> {
        let before = self.count;
        for pattern in patterns {
            self.count += 1;
            self.letters += pattern.len();
            if pattern.len() > MAX_PATTERN_LETTERS {
                return Err(format!("it has a pattern longer than {MAX_PATTERN_LETTERS} bytes"));
            }
            self.folded = self.folded.saturating_add(pattern_cost::folded(pattern));
            if self.folded > MAX_FOLDED {
                return Err(
                    "the character classes of its patterns are too large to ignore case".to_owned()
                );
            }
            if self.count - before > MAX_PATTERNS {
                return Err(format!("it has more than {MAX_PATTERNS} patterns"));
            }
            if self.count > MAX_ALL_PATTERNS || self.letters > MAX_ALL_LETTERS {
                return Err(format!(
                    "together with the other tools it has more than {MAX_ALL_PATTERNS} \
                         patterns, or patterns of more than {MAX_ALL_LETTERS} bytes"
                ));
            }
        }
        Ok(())
    }
}

/// How long it takes to read a schema, in the bytes of plain data that take as long. Patterns are
/// never read on the side.
pub(crate) fn read_cost(schema: &Value) -> usize {
    match schema {
        Value::Object(fields) => {
            let field = |(key, field): (&Str, &Value)| {
                let is_pattern = matches!(key.as_str(), "pattern" | "patternProperties");
                read_cost(field) + key.len() + if is_pattern { compute::LARGE_BYTES } else { 0 }
            };
            PART_BYTES + fields.iter().map(field).sum::<usize>()
        }
        Value::Array(values) => values.iter().map(read_cost).sum(),
        Value::String(text) => text.len(),
        _ => size_of::<Value>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_06_the_case_of_few_characters_is_ignored() {
        let began = compute::cpu_used();
        let wide = format!("(?i){}", r"[ -\u{10FFFD}]".repeat(280));
        assert!(
            PatternBudget::default()
                .take([wide.as_str()].into_iter())
                .unwrap_err()
                .contains("too large to ignore case")
        );
        let mut patterns = PatternBudget::default();
        let any = r"(?i)[\s\S]";
        assert!(patterns.take([any, any].into_iter()).is_ok());
        assert!(
            patterns.take([any, any, any].into_iter()).is_err(),
            "those of all tools count together"
        );
        let honest = [r"(?i)^[a-z]+@[a-z.]+$", r"^\d{4}-\d{2}$", r"(?i)^\p{L}+$", r"^[^\s]+$"];
        assert!(PatternBudget::default().take(honest.into_iter()).is_ok());
        assert!(compute::cpu_used() - began < std::time::Duration::from_secs(5));
    }
}
