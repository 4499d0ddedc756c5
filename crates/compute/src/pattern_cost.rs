//! What a regular expression costs to compile and to run, estimated from its syntax before either
//! is done.
//!
//! Engines bound the memory of what they compile, but not the time: with `i` every code point of a
//! class is looked up by itself, and the steps of a match grow with the pattern and the text
//! together.

use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    self, AssertionKind, Ast, ClassSet, ClassSetItem, Flag, GroupKind, RepetitionKind,
    RepetitionRange,
};
use regex_syntax::hir::translate::Translator;
use regex_syntax::hir::{Class, HirKind};
use std::fmt::Write;

/// Longer patterns are refused.
pub const MAX_PATTERN_BYTES: usize = 4 << 10;
/// Code points whose case may be folded for one pattern: about a tenth of a second. `[\s\S]` with
/// `i` is 1,112,064 of them.
pub const MAX_FOLDED: usize = 5_000_000;
/// All code points.
const ALL: usize = 0x11_0000;
/// Folding a class adds at most as many.
const MAX_ADDED: usize = 3_000;
/// Groups of this name stand for look-around and for references back, which the parser does not
/// know.
const LOOK_AROUND: &str = "heddle_look_around_";
const REFERENCE: &str = "heddle_reference_";

/// What a pattern costs.
#[derive(Clone, Copy, Debug, Default)]
pub struct PatternCost {
    /// Code points whose case is folded when it is compiled; none without `i`.
    pub folded: usize,
    /// Look-arounds, references back, possessive repetitions and half word boundaries, for which an
    /// engine has to try and retry.
    pub retries: usize,
    /// Parts that such an engine may compile by themselves.
    pub pieces: usize,
    /// Characters and classes, each as often as it may be repeated by a count.
    positions: u64,
    /// Characters that a match has at most, with every endless repetition taken once.
    reach: u64,
    /// A part may match as much text as there is.
    is_unbounded: bool,
    /// Fits one character, whatever stands around it.
    is_single: bool,
    /// Behind each of many matches the search for a better one may go on to the end of the text.
    looks_again: bool,
    /// A part that retries is repeated without a bound, and may look at all the text each time.
    has_far_loop: bool,
    folds_case: bool,
    ignores_space: bool,
}

impl PatternCost {
    /// The cost of a pattern in the syntax of Rust's engines, look-around and references back
    /// included. None for any other.
    pub fn of(pattern: &str) -> Option<Self> {
        let read = |pattern: &str| Parser::new().parse(pattern).ok().map(|ast| cost(&ast));
        let cost = match read(pattern) {
            Some(cost) => cost,
            // Spaces and comments may stand anywhere in patterns with `x`, also where the markers
            // are put.
            None => read(&marked(pattern)).filter(|cost| !cost.ignores_space)?,
        };
        Some(Self { folded: if cost.folds_case { cost.folded } else { 0 }, ..cost })
    }

    /// Steps that a linear engine takes at most on a text of so many bytes.
    pub fn steps_on(&self, bytes: usize) -> u64 {
        self.positions.max(1).saturating_mul(bytes as u64)
    }

    /// Steps that it takes at most to go on behind a match, with so many bytes left, beyond those
    /// of one way through the whole text.
    pub fn steps_behind_match(&self, bytes_left: usize) -> u64 {
        const BYTES_PER_CHARACTER: u64 = 4;
        let bytes = bytes_left as u64;
        let seen = if self.looks_again {
            bytes
        } else {
            bytes.min(self.reach.saturating_mul(BYTES_PER_CHARACTER))
        };
        self.positions.max(1).saturating_mul(seen.max(1))
    }

    /// Characters and classes, each as often as it may be repeated by a count: what is compiled
    /// grows with them.
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// How often an engine may retry on a text of so many bytes until it has taken `steps`.
    pub fn retries_within(&self, steps: u64, bytes: usize) -> u64 {
        let bytes = bytes.max(1) as u64;
        let positions = self.positions.max(1);
        let reach = if self.is_unbounded { bytes } else { bytes.min(positions) };
        let loops = if self.has_far_loop { bytes } else { 1 };
        steps / positions.saturating_mul(reach).saturating_mul(loops)
    }

    fn and(self, other: Self) -> Self {
        Self {
            folded: self.folded.saturating_add(other.folded),
            retries: self.retries + other.retries,
            pieces: self.pieces + other.pieces,
            positions: self.positions.saturating_add(other.positions),
            reach: self.reach.saturating_add(other.reach),
            is_single: false,
            looks_again: self.looks_again || other.looks_again,
            is_unbounded: self.is_unbounded || other.is_unbounded,
            has_far_loop: self.has_far_loop || other.has_far_loop,
            folds_case: self.folds_case || other.folds_case,
            ignores_space: self.ignores_space || other.ignores_space,
        }
    }

    fn with_flags(mut self, flags: &ast::Flags) -> Self {
        self.folds_case |= flags.flag_state(Flag::CaseInsensitive) == Some(true);
        self.ignores_space |= flags.flag_state(Flag::IgnoreWhitespace) == Some(true);
        self
    }
}

/// Code points whose case is folded when a pattern is compiled. What cannot be read counts as if
/// each of its classes held all of them.
pub fn folded(pattern: &str) -> usize {
    PatternCost::of(pattern).map_or_else(
        || {
            let classes: usize = ["[", "\\p", "\\P", "&&", "--", "~~"]
                .iter()
                .map(|part| pattern.matches(part).count())
                .sum();
            if pattern.contains("(?") && pattern.contains('i') { classes * ALL } else { 0 }
        },
        |cost| cost.folded,
    )
}

// The parser bounds how deep a pattern is nested, and with it these functions.
fn cost(ast: &Ast) -> PatternCost {
    let position = PatternCost { positions: 1, reach: 1, ..PatternCost::default() };
    let character = PatternCost { is_single: true, ..position };
    match ast {
        Ast::Empty(_) => PatternCost::default(),
        Ast::Flags(set) => PatternCost::default().with_flags(&set.flags),
        Ast::Assertion(assertion) => {
            let is_half = matches!(
                assertion.kind,
                AssertionKind::WordBoundaryStartHalf | AssertionKind::WordBoundaryEndHalf
            );
            PatternCost { pieces: 1, retries: usize::from(is_half), ..position }
        }
        Ast::Literal(_) | Ast::Dot(_) | Ast::ClassPerl(_) => character,
        Ast::ClassUnicode(class) => PatternCost { folded: named(class), ..character },
        Ast::ClassBracketed(class) => PatternCost { folded: bracketed(class).folded, ..character },
        Ast::Repetition(repetition) => repeated(repetition),
        Ast::Group(group) => {
            let mut inner = cost(&group.ast);
            inner.pieces += 1;
            match &group.kind {
                GroupKind::NonCapturing(flags) => inner = inner.with_flags(flags),
                GroupKind::CaptureName { name, .. } if name.name.starts_with(LOOK_AROUND) => {
                    inner.retries += 1
                }
                GroupKind::CaptureName { name, .. } if name.name.starts_with(REFERENCE) => {
                    inner.retries += 1;
                    inner.positions = inner.positions.saturating_add(1);
                    inner.is_unbounded = true;
                }
                GroupKind::CaptureName { .. } | GroupKind::CaptureIndex(_) => {}
            }
            inner
        }
        Ast::Alternation(parts) => {
            let branches = PatternCost { pieces: parts.asts.len(), ..PatternCost::default() };
            let either = parts.asts.iter().map(cost).fold(branches, |either, branch| {
                let reach = either.reach.max(branch.reach);
                PatternCost { reach, ..either.and(branch) }
            });
            PatternCost { looks_again: either.looks_again || either.is_unbounded, ..either }
        }
        Ast::Concat(parts) => {
            parts.asts.iter().map(cost).fold(PatternCost::default(), PatternCost::and)
        }
    }
}

fn repeated(repetition: &ast::Repetition) -> PatternCost {
    let mut inner = cost(&repetition.ast);
    let (times, is_endless) = match &repetition.op.kind {
        RepetitionKind::ZeroOrOne => (1, false),
        RepetitionKind::ZeroOrMore | RepetitionKind::OneOrMore => (1, true),
        RepetitionKind::Range(RepetitionRange::Exactly(times)) => (*times, false),
        RepetitionKind::Range(RepetitionRange::AtLeast(times)) => (*times, true),
        RepetitionKind::Range(RepetitionRange::Bounded(least, most)) => (*least.max(most), false),
    };
    // `a++` is possessive for an engine that retries.
    inner.retries += usize::from(matches!(*repetition.ast, Ast::Repetition(_)));
    inner.positions = inner.positions.max(1).saturating_mul(u64::from(times.max(1)));
    inner.reach =
        inner.reach.saturating_mul(u64::from(times.max(1))).saturating_add(u64::from(is_endless));
    // As long as only characters are repeated without end, and one part follows the other, whatever
    // is still being tried behind a match could end in each later match, too. So there is none
    // before the place where it was given up, and no text is looked at often.
    inner.looks_again |= inner.is_unbounded || (is_endless && !inner.is_single);
    inner.is_single = false;
    inner.has_far_loop |= is_endless && inner.retries > 0 && inner.is_unbounded;
    inner.is_unbounded |= is_endless;
    inner
}

/// The code points that a class holds at most, and those that were folded for it.
#[derive(Default)]
struct Members {
    held: usize,
    folded: usize,
}

impl Members {
    fn and(self, other: Self) -> Self {
        Self {
            held: (self.held + other.held).min(ALL),
            folded: self.folded.saturating_add(other.folded),
        }
    }
}

/// A class is folded as a whole, and negated afterwards.
fn bracketed(class: &ast::ClassBracketed) -> Members {
    let Members { held, folded } = set(&class.kind);
    Members {
        held: if class.negated { ALL } else { (held + MAX_ADDED).min(ALL) },
        folded: folded.saturating_add(held),
    }
}

fn set(set_of: &ClassSet) -> Members {
    match set_of {
        ClassSet::Item(item) => members(item),
        ClassSet::BinaryOp(operation) => {
            let both = set(&operation.lhs).and(set(&operation.rhs));
            Members {
                held: (both.held + 2 * MAX_ADDED).min(ALL),
                folded: both.folded.saturating_add(2 * both.held),
            }
        }
    }
}

fn members(item: &ClassSetItem) -> Members {
    let plain = |held: usize| Members { held, folded: 0 };
    match item {
        ClassSetItem::Empty(_) => plain(0),
        ClassSetItem::Literal(_) => plain(1),
        ClassSetItem::Range(range) => {
            plain((u32::from(range.end.c).saturating_sub(u32::from(range.start.c)) + 1) as usize)
        }
        ClassSetItem::Ascii(class) => plain(if class.negated { ALL } else { 128 }),
        ClassSetItem::Unicode(class) => {
            let folded = named(class);
            Members {
                held: if class.is_negated() { ALL } else { (folded + MAX_ADDED).min(ALL) },
                folded,
            }
        }
        ClassSetItem::Perl(class) if class.negated => plain(ALL),
        ClassSetItem::Perl(class) => plain(match class.kind {
            ast::ClassPerlKind::Digit => 1_000,
            ast::ClassPerlKind::Space => 100,
            ast::ClassPerlKind::Word => 200_000,
        }),
        ClassSetItem::Bracketed(class) => bracketed(class),
        ClassSetItem::Union(union) => {
            union.items.iter().map(members).fold(Members::default(), Members::and)
        }
    }
}

/// The code points of a class such as `\p{L}`; for `\P{L}` they are the same, because it is negated
/// last.
fn named(class: &ast::ClassUnicode) -> usize {
    let alone = Ast::ClassUnicode(Box::new(class.clone()));
    let Ok(hir) = Translator::new().translate("", &alone) else { return ALL };
    let held: usize = match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().map(|range| range.len()).sum()
        }
        HirKind::Literal(_) => 1,
        _ => 0,
    };
    if class.is_negated() { ALL.saturating_sub(held) } else { held }
}

/// A pattern with groups of a known name where it looks around or refers back, and with braces
/// escaped that repeat nothing.
fn marked(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 64);
    let mut count = 0;
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        let mut length = letter.len_utf8();
        let opening =
            ["(?=", "(?!", "(?<=", "(?<!"].into_iter().find(|opening| rest.starts_with(opening));
        if let Some(opening) = opening {
            count += 1;
            length = opening.len();
            let _ = write!(out, "(?P<{LOOK_AROUND}{count}>");
        } else if let Some(reference) = reference(rest) {
            count += 1;
            length = reference;
            let _ = write!(out, "(?P<{REFERENCE}{count}>)");
        } else if letter == '\\' {
            length += rest[1..].chars().next().map_or(0, char::len_utf8);
            let takes_braces =
                ["\\p{", "\\P{", "\\u{", "\\x{"].into_iter().any(|escape| rest.starts_with(escape));
            length += usize::from(takes_braces);
            out.push_str(&rest[..length]);
        } else if letter == '{' && !repeats(rest) {
            out.push_str("\\{");
        } else {
            out.push(letter);
        }
        rest = &rest[length..];
    }
    out
}

/// The length of `\1` or `\k<name>` at the start of a text.
fn reference(text: &str) -> Option<usize> {
    let escaped = text.strip_prefix('\\')?;
    if escaped.starts_with(|digit: char| matches!(digit, '1'..='9')) {
        return Some(1 + escaped.bytes().take_while(u8::is_ascii_digit).count());
    }
    let name = escaped.strip_prefix("k<")?;
    Some("\\k<".len() + name.find('>')? + 1)
}

/// Whether a text starts with `{2}`, `{2,}`, `{2,3}`, or what an engine might take for one of them.
fn repeats(text: &str) -> bool {
    let inside =
        text.get(1..).and_then(|rest| rest.split_once('}')).map_or("", |(inside, _)| inside);
    !inside.is_empty()
        && inside
            .chars()
            .all(|letter| letter.is_ascii_digit() || letter == ',' || letter.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_06_folding_is_counted_before_it_is_done() {
        let began = crate::cpu_used();
        let wide = r"[ -\u{10FFFD}]";
        for pattern in [
            format!("(?i){}", wide.repeat(280)),
            format!("a(?i:{})", wide.repeat(280)),
            format!("(?=x)(?i){}", wide.repeat(280)),
            format!(r"(?i)\cA{}", wide.repeat(280)),
            format!("(?i){}", r"[\W]".repeat(1_000)),
            format!("(?i){}", r"[\p{Any}]".repeat(400)),
            format!("(?i){}a{}", "[a".repeat(100), "]".repeat(100)).replacen("]", r"\S]", 1),
        ] {
            assert!(
                pattern.len() <= MAX_PATTERN_BYTES && folded(&pattern) > MAX_FOLDED,
                "{pattern}: {}",
                folded(&pattern)
            );
        }
        assert!(crate::cpu_used() - began < std::time::Duration::from_secs(5));
    }

    #[test]
    fn issue_14_06_honest_patterns_cost_little() {
        for pattern in [
            r"(?i)^[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,}$",
            r"(?i)^https?://[^\s/$.?#].[^\s]*$",
            r"(?i)^\p{L}+([ '-]\p{L}+)*$",
            r"(?i)<b>[\s\S]*</b>[\s\S]*<i>[\s\S]*</i>",
            r"\d{4}-\d{2}",
            r"(?i)^(?=.*[A-Z])(?=.*\d)[^ ]{8,}$",
        ] {
            let cost = PatternCost::of(pattern).unwrap();
            assert!(
                cost.folded <= MAX_FOLDED && cost.steps_on(64 << 10) < 1 << 27,
                "{pattern}: {cost:?}"
            );
        }
        assert_eq!(
            PatternCost::of(&r"[ -\u{10FFFD}]".repeat(280)).unwrap().folded,
            0,
            "without i nothing is folded"
        );
    }

    #[test]
    fn issue_14_06_retries_cost_what_they_may_read() {
        let cost = |pattern: &str| PatternCost::of(pattern).unwrap();
        let allowed = |pattern: &str, bytes| cost(pattern).retries_within(1 << 33, bytes);
        assert_eq!(cost(r"^(?=.*\d)(?<!x)(a+)-\1\k<n>$").retries, 4);
        assert!(allowed(r"(?=.*\d)[a-z]", 16 << 20) < 500);
        assert!(allowed(r"^(?=.*[A-Z])(?=.*\d).{8,}$", 64 << 10) > 1_000);
        assert_eq!(
            allowed(r"^(?:(?=.*\d)[a-z])*$", 1 << 20),
            0,
            "each letter looks at all the text"
        );
        assert!(
            allowed(r"<a>(?:(?!</a>).)*</a>", 64 << 10) > 1_000,
            "each letter looks at four more"
        );
        assert_eq!(allowed(r"(?:(?=.*x)){4000000000}", 1_000), 0);
        assert_ne!(
            PatternCost::of(r"(?:(?=.*\d)[a-z]){,}").map(|cost| cost.has_far_loop),
            Some(false)
        );
        assert!(
            PatternCost::of("(?1)(a)(?=b)").is_none() && PatternCost::of("(?>a)(?=b)").is_none()
        );
    }

    #[test]
    fn issue_14_06_matches_cost_again_what_may_be_looked_at_again() {
        let behind =
            |pattern: &str| PatternCost::of(pattern).unwrap().steps_behind_match(1_000_000);
        for pattern in [
            r"[a-z]+",
            r"<[^>]*>",
            r"\s+$",
            r"([a-z]+)@([a-z]+)\.com",
            r"a|bc|def",
            r"(ab){3}c?",
            r"x.*?y",
            r"[a-z]{2,}(-|_)",
        ] {
            assert!(behind(pattern) < 1_000, "{pattern}: {}", behind(pattern));
        }
        for pattern in
            [r".*[^A-Z]|[A-Z]", r"(.*x)?a", r"(ab)+c", r"(a*b){2}", r"^\s+|\s+$", r"(?:a|bc)*d"]
        {
            assert!(behind(pattern) >= 1_000_000, "{pattern}: {}", behind(pattern));
        }
        assert_eq!(behind("a[ab]{8000}c|a"), 8003 * 8002 * 4);
    }

    #[test]
    fn issue_14_06_counts_multiply_only_what_they_repeat() {
        assert_eq!(PatternCost::of(r"[ab]*a[ab]{20000}[cd]").unwrap().steps_on(10), 200_030);
        assert_eq!(PatternCost::of(r"((ab){10}c){10}").unwrap().steps_on(1), 210);
        assert_eq!(PatternCost::of(r"{{name}}(?=a)").unwrap().retries, 1);
    }
}
