//! Regular expressions: JavaScript patterns whose meaning is the same in a linear engine.
//!
//! What is not (look-around, back references, captures inside repetitions …) is declined. A pattern
//! is compiled when it is first used, at a price that is known before, and so is each search:
//! neither can be stopped once it is begun.

mod regex_cache;
mod translator;

use super::{EvalResult, Interrupt, meter};
use compute::pattern_cost::PatternCost;
use model::Str;
use regex::{Regex, RegexBuilder};
use regex_cache::CompiledSlot;
use std::sync::Arc;
use translator::{Translated, translate};

#[derive(Debug)]
pub(super) struct RegExp {
    pub(super) source: Str,
    pub(super) global: bool,
    /// May match nothing at all; engines go on from an empty match in different ways.
    pub(super) may_be_empty: bool,
    ignores_case: bool,
    is_multi_line: bool,
    dot_all: bool,
    unicode: bool,
    counts_units: bool,
    /// `^` or `$` of single lines; the engines disagree about `\r`.
    has_line_anchors: bool,
    groups: u64,
    cost: PatternCost,
    compiled: Arc<CompiledSlot>,
}

/// A compiled pattern may use this much memory.
const MAX_REGEX_BYTES: usize = 1 << 20;
/// What is remembered of earlier searches, in each direction.
const MAX_CACHE_BYTES: usize = 128 << 10;
const MAX_PATTERN: usize = 4096;
/// More characters and classes than this are more than that memory holds.
const MAX_POSITIONS: u64 = 20_000;
/// Code points whose case is folded at once; the sandbox does more in its own time.
const MAX_FOLDED: usize = 100_000;

/// Steps that compiling takes: for a pattern, for each of its characters and classes, and for some
/// code points whose case is folded.
const STEPS_TO_COMPILE: u64 = 500;
const STEPS_PER_POSITION: u64 = 200;
const FOLDED_PER_STEP: u64 = 2;
/// Groups whose places are noted beside each step of a search.
const GROUPS_PER_STEP: u64 = 16;

impl RegExp {
    pub(super) fn new(pattern: &str, flags: &str) -> Option<Self> {
        if pattern.len() > MAX_PATTERN || flags.chars().any(|flag| !"gimsu".contains(flag)) {
            return None;
        }
        let has = |flag: char| flags.contains(flag);
        if flags
            .chars()
            .enumerate()
            .any(|(at, flag)| flags.chars().skip(at + 1).any(|other| other == flag))
            || (has('i') && !pattern.is_ascii())
        {
            return None;
        }
        let Translated { pattern: translated, groups, counts_units, can_be_empty, has_anchors } =
            translate(pattern, has('s'), has('u'))?;
        let cost = if has('i') {
            PatternCost::of(&format!("(?i){translated}"))
        } else {
            PatternCost::of(&translated)
        }?;
        if cost.folded > MAX_FOLDED || cost.positions() > MAX_POSITIONS {
            return None;
        }
        Some(Self {
            source: if pattern.is_empty() { "(?:)".into() } else { pattern.into() },
            global: has('g'),
            may_be_empty: can_be_empty,
            ignores_case: has('i'),
            is_multi_line: has('m'),
            dot_all: has('s'),
            unicode: has('u'),
            counts_units: counts_units && !has('u'),
            has_line_anchors: has('m') && has_anchors,
            groups,
            cost,
            compiled: Arc::default(),
        })
    }

    /// Prepares for a search from the start of a text, which is paid for. Declines if the engine
    /// does not mean the same as JavaScript's.
    pub(super) fn search(&self, text: &str) -> EvalResult<Search<'_>> {
        meter::search(self.cost.steps_on(text.len()).saturating_mul(self.work_per_step()))?;
        if !self.means_the_same(text) {
            return Err(Interrupt::Declined);
        }
        Ok(Search { regex: self.regex()?, of: self })
    }

    fn work_per_step(&self) -> u64 {
        1 + self.groups / GROUPS_PER_STEP
    }

    fn means_the_same(&self, text: &str) -> bool {
        if text.is_ascii() {
            return !(self.has_line_anchors && text.contains('\r'));
        }
        !text.chars().any(|character| match character {
            '\u{17f}' | '\u{212a}' => self.ignores_case,
            '\r' | '\u{2028}' | '\u{2029}' => self.has_line_anchors,
            character => self.counts_units && character.len_utf16() == 2,
        })
    }

    fn regex(&self) -> EvalResult<Arc<Regex>> {
        if let Some(regex) = self.compiled.get() {
            return Ok(regex);
        }
        let (positions, folded) = (self.cost.positions(), self.cost.folded as u64);
        meter::spend_at_once(
            STEPS_TO_COMPILE + STEPS_PER_POSITION * positions + folded / FOLDED_PER_STEP,
        )?;
        let translated =
            translate(&self.source, self.dot_all, self.unicode).ok_or(Interrupt::Declined)?;
        let built = RegexBuilder::new(&translated.pattern)
            .case_insensitive(self.ignores_case)
            .multi_line(self.is_multi_line)
            .size_limit(MAX_REGEX_BYTES)
            .dfa_size_limit(MAX_CACHE_BYTES)
            .build();
        let regex = Arc::new(built.map_err(|_| Interrupt::Declined)?);
        regex_cache::cache(&self.compiled, &regex, regex_cache::estimated_bytes(positions));
        Ok(regex)
    }
}

/// A pattern that is ready to be looked for in a text.
pub(super) struct Search<'a> {
    pub(super) regex: Arc<Regex>,
    of: &'a RegExp,
}

impl Search<'_> {
    pub(super) fn has_groups(&self) -> bool {
        self.of.groups > 0
    }

    /// Pays for going on behind a match, with so many bytes left.
    pub(super) fn go_on(&self, bytes_left: usize) -> EvalResult<()> {
        meter::search(
            self.of.cost.steps_behind_match(bytes_left).saturating_mul(self.of.work_per_step()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_patterns_are_translated() {
        let is_match = |pattern: &str, flags: &str, text: &str| {
            RegExp::new(pattern, flags)
                .unwrap()
                .search(text)
                .is_ok_and(|search| search.regex.is_match(text))
        };
        assert!(is_match(r"^\d+$", "", "123"));
        assert!(!is_match(r"^\d+$", "", "١٢٣"));
        assert!(is_match(r"[^\w.-]", "g", "a b"));
        assert!(is_match(r"a.c", "", "abc"));
        assert!(!is_match(r"a.c", "", "a\nc"));
        assert!(is_match(r"<[^>]+>", "", "<b>"));
        assert!(is_match(r"HELLO", "i", "hello"));
        assert!(is_match(r"[[&&]", "", "&"));
        assert!(is_match(r"a{,2}", "", "a{,2}"));
    }

    #[test]
    fn issue_14_06_classes_that_take_long_to_fold_are_declined() {
        assert!(RegExp::new(&r"[ -\uFFFD]".repeat(400), "i").is_none());
        assert!(RegExp::new(r"^[a-z0-9._%+-]+@[^\s@]+\.[a-z]{2,}$", "i").is_some());
    }

    #[test]
    fn what_engines_disagree_about_is_declined() {
        for pattern in [
            "(?=a)b",
            r"(a)\1",
            "(?:(a)|b)*",
            "(a*)*",
            "(?<!a)b",
            r"\p{L}",
            r"\cA",
            "[]",
            "a**",
            "(a",
            "(?<n>a)\\k<n>",
        ] {
            assert!(RegExp::new(pattern, "").is_none(), "{pattern}");
        }
        assert!(RegExp::new("a", "y").is_none());
        assert!(RegExp::new("a.b", "").unwrap().search("a😀b").is_err());
        assert!(RegExp::new("a.*b", "").unwrap().search("a😀b").is_ok());
    }
}
