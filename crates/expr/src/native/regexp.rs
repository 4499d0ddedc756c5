//! Regular expressions: JavaScript patterns whose meaning is the same in a linear engine.
//!
//! What is not (look-around, back references, captures inside repetitions …) is declined.

use model::Str;
use regex::{Regex, RegexBuilder};

#[derive(Debug)]
pub(super) struct RegExp {
    pub(super) source: Str,
    pub(super) global: bool,
    pub(super) regex: Regex,
    /// The pattern counts characters, which are not the same as UTF-16 units beyond the first plane.
    counts_units: bool,
    ignores_case: bool,
    /// May match nothing at all; engines go on from an empty match in different ways.
    pub(super) may_be_empty: bool,
    /// `^` or `$` of single lines; the engines disagree about `\r`.
    has_line_anchors: bool,
}

/// A compiled pattern may use this much memory.
const MAX_REGEX_BYTES: usize = 1 << 20;
const MAX_PATTERN: usize = 4096;
/// Code points whose case is folded at once; the sandbox does more in its own time.
const MAX_FOLDED: usize = 100_000;
const MAX_GROUPS_DEEP: usize = 24;

const SPACE: &str = r"\t\n\x0B\x0C\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}";

impl RegExp {
    pub(super) fn new(pattern: &str, flags: &str) -> Option<Self> {
        if pattern.len() > MAX_PATTERN || flags.chars().any(|flag| !"gimsu".contains(flag)) {
            return None;
        }
        let has = |flag: char| flags.contains(flag);
        if flags.chars().enumerate().any(|(at, flag)| flags.chars().skip(at + 1).any(|other| other == flag))
            || (has('i') && !pattern.is_ascii())
        {
            return None;
        }
        let mut translator = Translator {
            rest: pattern,
            out: String::new(),
            dot_all: has('s'),
            unicode: has('u'),
            counts_units: false,
            has_anchors: false,
            depth: 0,
        };
        let whole = translator.alternatives()?;
        if !translator.rest.is_empty() {
            return None;
        }
        if has('i') && compute::pattern_cost::folded(&format!("(?i){}", translator.out)) > MAX_FOLDED {
            return None;
        }
        let regex = RegexBuilder::new(&translator.out)
            .case_insensitive(has('i'))
            .multi_line(has('m'))
            .size_limit(MAX_REGEX_BYTES)
            .dfa_size_limit(MAX_REGEX_BYTES)
            .build()
            .ok()?;
        Some(Self {
            source: if pattern.is_empty() { "(?:)".into() } else { pattern.into() },
            global: has('g'),
            regex,
            counts_units: translator.counts_units && !has('u'),
            ignores_case: has('i'),
            may_be_empty: whole.can_be_empty,
            has_line_anchors: has('m') && translator.has_anchors,
        })
    }

    /// The engine, if it means the same as JavaScript's on this text.
    pub(super) fn for_text(&self, text: &str) -> Option<&Regex> {
        if text.is_ascii() {
            return (!(self.has_line_anchors && text.contains('\r'))).then_some(&self.regex);
        }
        let is_odd = text.chars().any(|character| match character {
            '\u{17f}' | '\u{212a}' => self.ignores_case,
            '\r' | '\u{2028}' | '\u{2029}' => self.has_line_anchors,
            character => self.counts_units && character.len_utf16() == 2,
        });
        (!is_odd).then_some(&self.regex)
    }
}

struct Translator<'a> {
    rest: &'a str,
    out: String,
    dot_all: bool,
    unicode: bool,
    counts_units: bool,
    has_anchors: bool,
    depth: usize,
}

/// What a part of a pattern is, as far as repeating it is concerned.
#[derive(Clone, Copy, Default)]
struct Part {
    can_be_empty: bool,
    has_capture: bool,
    is_capture: bool,
    /// Matches any one character, seen as one or two units.
    is_wide: bool,
    is_anchor: bool,
}

impl Translator<'_> {
    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn take(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn alternatives(&mut self) -> Option<Part> {
        let mut whole = Part::default();
        let mut is_empty = true;
        loop {
            match self.rest.chars().next() {
                None | Some(')') => {
                    whole.can_be_empty |= is_empty;
                    return Some(whole);
                }
                Some('|') => {
                    self.next();
                    self.out.push('|');
                    whole.can_be_empty |= is_empty;
                    is_empty = true;
                }
                Some(_) => {
                    let part = self.repeated()?;
                    is_empty &= part.can_be_empty;
                    whole.has_capture |= part.has_capture;
                }
            }
        }
    }

    /// One part and the quantifier behind it.
    fn repeated(&mut self) -> Option<Part> {
        let mut part = self.part()?;
        let (least, many) = match self.rest.chars().next() {
            Some('*') => (0, true),
            Some('+') => (1, true),
            Some('?') => (0, false),
            Some('{') if braces(self.rest).is_some() => {
                let (text, least, most) = braces(self.rest)?;
                if part.is_wide {
                    self.counts_units = true;
                }
                self.rest = &self.rest[text.len()..];
                self.out.push_str(text);
                self.lazy();
                return self.finish(&mut part, least, most != Some(1));
            }
            _ => {
                self.counts_units |= part.is_wide;
                return Some(part);
            }
        };
        let sign = self.next()?;
        self.out.push(sign);
        self.lazy();
        self.counts_units |= part.is_wide && !many;
        self.finish(&mut part, least, many)
    }

    fn lazy(&mut self) {
        if self.take("?") {
            self.out.push('?');
        }
    }

    fn finish(&mut self, part: &mut Part, least: usize, many: bool) -> Option<Part> {
        // JavaScript forgets inner captures at each round and skips empty rounds; linear engines do neither.
        if part.is_anchor || (many && part.has_capture && !part.is_capture) || (part.has_capture && part.can_be_empty) {
            return None;
        }
        if matches!(self.rest.chars().next(), Some('*' | '+' | '?')) {
            return None;
        }
        part.can_be_empty |= least == 0;
        Some(*part)
    }

    fn part(&mut self) -> Option<Part> {
        let one = Part::default();
        match self.next()? {
            '.' => {
                self.out.push_str(if self.dot_all { r"(?s:.)" } else { r"[^\n\r\x{2028}\x{2029}]" });
                Some(Part { is_wide: true, ..one })
            }
            '^' => {
                self.out.push('^');
                self.has_anchors = true;
                Some(Part { is_anchor: true, can_be_empty: true, ..one })
            }
            '$' => {
                self.out.push('$');
                self.has_anchors = true;
                Some(Part { is_anchor: true, can_be_empty: true, ..one })
            }
            '(' => self.group(),
            '[' => self.class(),
            '\\' => self.escape(),
            '*' | '+' | '?' => None,
            '{' if self.unicode || braces(&format!("{{{}", self.rest)).is_some() => None,
            '}' | ']' if self.unicode => None,
            literal => {
                if literal.len_utf16() == 2 && !self.unicode {
                    return None;
                }
                push_literal(&mut self.out, literal);
                Some(one)
            }
        }
    }

    fn group(&mut self) -> Option<Part> {
        self.depth += 1;
        if self.depth > MAX_GROUPS_DEEP {
            return None;
        }
        let is_capture = if self.take("?:") {
            self.out.push_str("(?:");
            false
        } else if self.rest.starts_with("?<") && !self.rest.starts_with("?<=") && !self.rest.starts_with("?<!") {
            let end = self.rest.find('>')?;
            let name = &self.rest[2..end];
            if name.is_empty() || !name.chars().all(|part| part.is_ascii_alphanumeric() || part == '_') {
                return None;
            }
            self.out.push_str("(?<");
            self.out.push_str(name);
            self.out.push('>');
            self.rest = &self.rest[end + 1..];
            true
        } else if self.rest.starts_with('?') {
            return None;
        } else {
            self.out.push('(');
            true
        };
        let inner = self.alternatives()?;
        if !self.take(")") {
            return None;
        }
        self.out.push(')');
        self.depth -= 1;
        if is_capture && inner.has_capture && inner.can_be_empty {
            return None;
        }
        // A capture around captures is, for repeating, no better than a plain group around them.
        Some(Part {
            can_be_empty: inner.can_be_empty,
            has_capture: is_capture || inner.has_capture,
            is_capture: is_capture && !inner.has_capture,
            ..Part::default()
        })
    }

    fn escape(&mut self) -> Option<Part> {
        let one = Part::default();
        match self.next()? {
            'b' => {
                self.out.push_str(r"(?-u:\b)");
                return Some(Part { is_anchor: true, can_be_empty: true, ..one });
            }
            'd' => self.out.push_str("[0-9]"),
            'w' => self.out.push_str("[0-9A-Za-z_]"),
            's' => {
                self.out.push('[');
                self.out.push_str(SPACE);
                self.out.push(']');
            }
            'D' => return self.wide("[^0-9]"),
            'W' => return self.wide("[^0-9A-Za-z_]"),
            'S' => {
                let class = format!("[^{SPACE}]");
                return self.wide(&class);
            }
            escaped => {
                let literal = self.escaped_character(escaped)?;
                push_literal(&mut self.out, literal);
            }
        }
        Some(one)
    }

    fn wide(&mut self, class: &str) -> Option<Part> {
        self.out.push_str(class);
        Some(Part { is_wide: true, ..Part::default() })
    }

    fn escaped_character(&mut self, escaped: char) -> Option<char> {
        Some(match escaped {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'f' => '\u{c}',
            'v' => '\u{b}',
            'x' => self.hex(2)?,
            'u' => self.hex(4)?,
            '0' if !self.rest.starts_with(|next: char| next.is_ascii_digit()) => '\0',
            other if other.is_ascii_alphanumeric() || !other.is_ascii() => return None,
            other => other,
        })
    }

    fn hex(&mut self, digits: usize) -> Option<char> {
        let text = self.rest.get(..digits).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.rest = &self.rest[digits..];
        char::from_u32(u32::from_str_radix(text, 16).ok()?)
    }

    fn class(&mut self) -> Option<Part> {
        let negated = self.take("^");
        self.out.push_str(if negated { "[^" } else { "[" });
        let mut is_empty = true;
        loop {
            let next = self.next()?;
            let literal = match next {
                ']' if is_empty => return None,
                ']' => break,
                '\\' => match self.next()? {
                    'd' => {
                        self.out.push_str("0-9");
                        None
                    }
                    'w' => {
                        self.out.push_str("0-9A-Za-z_");
                        None
                    }
                    's' => {
                        self.out.push_str(SPACE);
                        None
                    }
                    'S' => {
                        self.out.push_str(&format!("[^{SPACE}]"));
                        None
                    }
                    'D' => {
                        self.out.push_str("[^0-9]");
                        None
                    }
                    'W' => {
                        self.out.push_str("[^0-9A-Za-z_]");
                        None
                    }
                    'b' => Some('\u{8}'),
                    escaped => Some(self.escaped_character(escaped)?),
                },
                literal if literal.len_utf16() == 2 && !self.unicode => return None,
                literal => Some(literal),
            };
            is_empty = false;
            let Some(literal) = literal else {
                // `[\w-.]` is read as three members here and in JavaScript, but only with an escape.
                if self.rest.starts_with('-') && !self.rest.starts_with("-]") {
                    self.next();
                    self.out.push_str(r"\-");
                }
                continue;
            };
            push_class_member(&mut self.out, literal);
            if self.rest.starts_with('-') && !self.rest.starts_with("-]") {
                self.next();
                let end = match self.next()? {
                    '\\' => {
                        let escaped = self.next()?;
                        if matches!(escaped, 'd' | 'w' | 's' | 'D' | 'W' | 'S') {
                            return None;
                        }
                        self.escaped_character(escaped)?
                    }
                    end if end.len_utf16() == 2 && !self.unicode => return None,
                    end => end,
                };
                self.out.push('-');
                push_class_member(&mut self.out, end);
            }
        }
        self.out.push(']');
        Some(Part { is_wide: negated, ..Part::default() })
    }
}

/// `{2}`, `{2,}` or `{2,5}` at the start of a text.
fn braces(text: &str) -> Option<(&str, usize, Option<usize>)> {
    let end = text.find('}')?;
    let inner = text.get(1..end)?;
    let (least, most) = match inner.split_once(',') {
        Some((least, "")) => (least.parse().ok()?, None),
        Some((least, most)) => (least.parse().ok()?, Some(most.parse().ok()?)),
        None => {
            let count = inner.parse().ok()?;
            (count, Some(count))
        }
    };
    inner.bytes().all(|byte| byte.is_ascii_digit() || byte == b',').then_some((&text[..=end], least, most))
}

fn push_literal(out: &mut String, literal: char) {
    if literal.is_ascii_alphanumeric() || !literal.is_ascii() || literal == '_' {
        out.push(literal);
    } else {
        out.push_str(&format!("\\x{{{:x}}}", literal as u32));
    }
}

fn push_class_member(out: &mut String, literal: char) {
    push_literal(out, literal);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_patterns_are_translated() {
        let is_match = |pattern: &str, flags: &str, text: &str| RegExp::new(pattern, flags).unwrap().regex.is_match(text);
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
        for pattern in ["(?=a)b", r"(a)\1", "(?:(a)|b)*", "(a*)*", "(?<!a)b", r"\p{L}", r"\cA", "[]", "a**", "(a", "(?<n>a)\\k<n>"] {
            assert!(RegExp::new(pattern, "").is_none(), "{pattern}");
        }
        assert!(RegExp::new("a", "y").is_none());
        assert!(RegExp::new("a.b", "").unwrap().for_text("a😀b").is_none());
        assert!(RegExp::new("a.*b", "").unwrap().for_text("a😀b").is_some());
    }
}
