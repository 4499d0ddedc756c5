//! Spells a JavaScript pattern for a linear engine. What has no such form is `None`.

const MAX_GROUPS_DEEP: usize = 24;

const SPACE: &str = r"\t\n\x0B\x0C\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}";

/// A pattern in the engine's own syntax, and what is known about it.
pub(super) struct Translated {
    pub(super) pattern: String,
    pub(super) groups: u64,
    /// It counts characters, which are not the same as UTF-16 units beyond the first plane.
    pub(super) counts_units: bool,
    pub(super) can_be_empty: bool,
    pub(super) has_anchors: bool,
}

pub(super) fn translate(pattern: &str, dot_all: bool, unicode: bool) -> Option<Translated> {
    let mut translator = Translator {
        rest: pattern,
        out: String::new(),
        dot_all,
        unicode,
        groups: 0,
        counts_units: false,
        has_anchors: false,
        depth: 0,
    };
    let whole = translator.alternatives()?;
    translator.rest.is_empty().then_some(Translated {
        pattern: translator.out,
        groups: translator.groups,
        counts_units: translator.counts_units,
        can_be_empty: whole.can_be_empty,
        has_anchors: translator.has_anchors,
    })
}

struct Translator<'a> {
    rest: &'a str,
    out: String,
    dot_all: bool,
    unicode: bool,
    /// That capture.
    groups: u64,
    counts_units: bool,
    has_anchors: bool,
    depth: usize,
}

/// What a part of a pattern is, as far as repeating it is concerned.
#[derive(Clone, Copy, Default)]
struct PatternPart {
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

    fn alternatives(&mut self) -> Option<PatternPart> {
        let mut whole = PatternPart::default();
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
    fn repeated(&mut self) -> Option<PatternPart> {
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

    fn finish(&mut self, part: &mut PatternPart, least: usize, many: bool) -> Option<PatternPart> {
        // JavaScript forgets inner captures at each round and skips empty rounds; linear engines do
        // neither.
        if part.is_anchor
            || (many && part.has_capture && !part.is_capture)
            || (part.has_capture && part.can_be_empty)
        {
            return None;
        }
        if matches!(self.rest.chars().next(), Some('*' | '+' | '?')) {
            return None;
        }
        part.can_be_empty |= least == 0;
        Some(*part)
    }

    fn part(&mut self) -> Option<PatternPart> {
        let one = PatternPart::default();
        match self.next()? {
            '.' => {
                self.out.push_str(if self.dot_all {
                    r"(?s:.)"
                } else {
                    r"[^\n\r\x{2028}\x{2029}]"
                });
                Some(PatternPart { is_wide: true, ..one })
            }
            '^' => {
                self.out.push('^');
                self.has_anchors = true;
                Some(PatternPart { is_anchor: true, can_be_empty: true, ..one })
            }
            '$' => {
                self.out.push('$');
                self.has_anchors = true;
                Some(PatternPart { is_anchor: true, can_be_empty: true, ..one })
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

    fn group(&mut self) -> Option<PatternPart> {
        self.depth += 1;
        if self.depth > MAX_GROUPS_DEEP {
            return None;
        }
        let is_capture = if self.take("?:") {
            self.out.push_str("(?:");
            false
        } else if self.rest.starts_with("?<")
            && !self.rest.starts_with("?<=")
            && !self.rest.starts_with("?<!")
        {
            let end = self.rest.find('>')?;
            let name = &self.rest[2..end];
            if name.is_empty()
                || !name.chars().all(|part| part.is_ascii_alphanumeric() || part == '_')
            {
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
        self.groups += u64::from(is_capture);
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
        Some(PatternPart {
            can_be_empty: inner.can_be_empty,
            has_capture: is_capture || inner.has_capture,
            is_capture: is_capture && !inner.has_capture,
            ..PatternPart::default()
        })
    }

    fn escape(&mut self) -> Option<PatternPart> {
        let one = PatternPart::default();
        match self.next()? {
            'b' => {
                self.out.push_str(r"(?-u:\b)");
                return Some(PatternPart { is_anchor: true, can_be_empty: true, ..one });
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

    fn wide(&mut self, class: &str) -> Option<PatternPart> {
        self.out.push_str(class);
        Some(PatternPart { is_wide: true, ..PatternPart::default() })
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
        let text = self
            .rest
            .get(..digits)
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.rest = &self.rest[digits..];
        char::from_u32(u32::from_str_radix(text, 16).ok()?)
    }

    fn class(&mut self) -> Option<PatternPart> {
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
                // `[\w-.]` is read as three members here and in JavaScript, but only with an
                // escape.
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
        Some(PatternPart { is_wide: negated, ..PatternPart::default() })
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
    inner.bytes().all(|byte| byte.is_ascii_digit() || byte == b',').then_some((
        &text[..=end],
        least,
        most,
    ))
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
