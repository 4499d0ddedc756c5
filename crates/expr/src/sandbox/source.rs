//! Light reading of JavaScript source: tokens, and what an expression mentions. Never a full
//! parser: QuickJS is that.

use crate::native::is_js_whitespace;
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or keyword.
    Word,
    Number,
    /// A quoted text, quotes included.
    Text,
    /// A piece of a template literal between its backquotes and `${ }` parts.
    Template,
    Regex,
    /// One character of punctuation; `?.` and `=>` are two tokens.
    Punctuation(u8),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourceToken {
    pub(super) kind: TokenKind,
    /// There is the end of a line between it and the token before.
    begins_line: bool,
    /// A `)` that ends the head of a statement: `if (…)`, `while (…)`.
    ends_head: bool,
    pub(super) range: Range<usize>,
}

impl SourceToken {
    pub(super) fn text<'a>(&self, source: &'a str) -> &'a str {
        source.get(self.range.clone()).unwrap_or_default()
    }

    pub(super) fn begins_line(&self) -> bool {
        self.begins_line
    }

    pub(super) fn is(&self, punctuation: u8) -> bool {
        self.kind == TokenKind::Punctuation(punctuation)
    }
}

/// What reading a source takes of the host's memory at most, for each of its bytes: tokens, their
/// brackets, and a copy that is rewritten.
pub(super) const READING_BYTES: usize = size_of::<SourceToken>() + 16;

/// Splits source into tokens; comments and blanks are left out. Source that is not JavaScript gives
/// some tokens all the same.
///
/// Blanks, ends of lines and comments are QuickJS's. Whether a slash divides follows from what
/// stands before it, except behind a brace and behind `of`, `await` and `yield`: there it is taken
/// for the start of a regular expression.
pub(super) fn tokens(source: &str) -> Vec<SourceToken> {
    let mut lexer = SourceLexer {
        source,
        bytes: source.as_bytes(),
        at: 0,
        tokens: Vec::new(),
        templates: Vec::new(),
        braces: 0,
        heads: Vec::new(),
        begins_line: true,
    };
    lexer.run();
    lexer.tokens
}

struct SourceLexer<'a> {
    source: &'a str,
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<SourceToken>,
    /// For every open `${`, the number of braces that were open before it.
    templates: Vec<usize>,
    braces: usize,
    /// For every open `(`, whether it begins the head of a statement.
    heads: Vec<bool>,
    begins_line: bool,
}

/// Words that an operand follows. The last three may also be names.
const BEFORE_OPERANDS: [&[u8]; 19] = [
    b"return",
    b"typeof",
    b"case",
    b"in",
    b"delete",
    b"void",
    b"throw",
    b"new",
    b"instanceof",
    b"else",
    b"do",
    b"break",
    b"continue",
    b"debugger",
    b"extends",
    b"default",
    b"of",
    b"await",
    b"yield",
];

impl SourceLexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn starts_with(&self, text: &[u8]) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(text))
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.at = self.at.min(self.bytes.len());
        let begins_line = std::mem::take(&mut self.begins_line);
        self.tokens.push(SourceToken {
            kind,
            begins_line,
            ends_head: false,
            range: start..self.at,
        });
    }

    fn run(&mut self) {
        while self.at < self.bytes.len() {
            if self.skip_blank() {
                continue;
            }
            let start = self.at;
            match self.peek(0) {
                quote @ (b'"' | b'\'') => self.text(quote),
                b'`' => {
                    self.at += 1;
                    self.template(start);
                }
                b'}' if self.templates.last() == Some(&self.braces) => {
                    self.templates.pop();
                    self.at += 1;
                    self.template(start);
                }
                b'/' if !self.ends_operand(self.tokens.len()) => self.regex(start),
                byte if byte.is_ascii_digit()
                    || (byte == b'.' && self.peek(1).is_ascii_digit()) =>
                {
                    self.number();
                    self.push(TokenKind::Number, start);
                }
                byte if is_word(byte) || (byte == b'#' && is_word(self.peek(1))) => {
                    self.word(start)
                }
                byte => self.punctuation(byte),
            }
        }
    }

    /// Passes over a blank, the end of a line or a comment.
    fn skip_blank(&mut self) -> bool {
        match self.peek(0) {
            b'\n' | b'\r' => {
                self.begins_line = true;
                self.at += 1;
            }
            b' ' | b'\t' | 0x0b | 0x0c => self.at += 1,
            b'/' if self.peek(1) == b'/' => self.skip_line(),
            b'<' if self.starts_with(b"<!--") => self.skip_line(),
            b'-' if self.begins_line && self.starts_with(b"-->") => self.skip_line(),
            b'/' if self.peek(1) == b'*' => {
                let rest = self.source.get(self.at + 2..).unwrap_or_default();
                let length = rest.find("*/").unwrap_or(rest.len());
                self.begins_line |=
                    rest.get(..length).is_some_and(|comment| comment.contains(is_line_end));
                self.at += length + 4;
            }
            0x80.. => match self.character() {
                Some(blank) if is_js_whitespace(blank) => {
                    self.begins_line |= is_line_end(blank);
                    self.at += blank.len_utf8();
                }
                _ => return false,
            },
            _ => return false,
        }
        true
    }

    fn character(&self) -> Option<char> {
        self.source.get(self.at..).and_then(|rest| rest.chars().next())
    }

    fn skip_line(&mut self) {
        let rest = self.source.get(self.at..).unwrap_or_default();
        self.at += rest.find(is_line_end).unwrap_or(rest.len());
    }

    fn skip_while(&mut self, keep: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && keep(self.peek(0)) {
            self.at += 1;
        }
    }

    fn text(&mut self, quote: u8) {
        let start = self.at;
        self.at += 1;
        while self.at < self.bytes.len() && self.peek(0) != quote && self.peek(0) != b'\n' {
            self.at += match self.peek(0) {
                b'\\' if self.peek(1) == b'\r' && self.peek(2) == b'\n' => 3,
                b'\\' => 2,
                _ => 1,
            };
        }
        self.at += 1;
        self.push(TokenKind::Text, start);
    }

    fn word(&mut self, start: usize) {
        self.at += 1;
        while self.at < self.bytes.len() && is_word(self.peek(0)) {
            // Inside of a letter there is none to be read.
            if self.peek(0) >= 0x80 && self.character().is_some_and(is_js_whitespace) {
                break;
            }
            self.at += 1;
        }
        self.push(TokenKind::Word, start);
    }

    fn punctuation(&mut self, byte: u8) {
        let start = self.at;
        match byte {
            b'{' => self.braces += 1,
            b'}' => self.braces = self.braces.saturating_sub(1),
            b'(' => {
                let begins_head = self.begins_head();
                self.heads.push(begins_head);
            }
            _ => {}
        }
        self.at += 1;
        self.push(TokenKind::Punctuation(byte), start);
        if byte == b')'
            && let (Some(true), Some(token)) = (self.heads.pop(), self.tokens.last_mut())
        {
            token.ends_head = true;
        }
    }

    /// Reads a template from behind its backquote or `}` to the next `${` or the end.
    fn template(&mut self, start: usize) {
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    break;
                }
                b'$' if self.peek(1) == b'{' => {
                    self.at += 2;
                    self.templates.push(self.braces);
                    break;
                }
                _ => self.at += 1,
            }
        }
        self.push(TokenKind::Template, start);
    }

    fn number(&mut self) {
        let mut dotted = false;
        while self.at < self.bytes.len() {
            let byte = self.peek(0);
            let exponent_sign = (byte == b'+' || byte == b'-')
                && self.at > 0
                && matches!(self.bytes[self.at - 1], b'e' | b'E');
            // `1..toFixed()` and `1.5.round()`: a second dot is the member access.
            let dot = byte == b'.' && !dotted && !self.peek(1).is_ascii_alphabetic();
            dotted |= dot;
            if byte.is_ascii_alphanumeric() || byte == b'_' || exponent_sign || dot {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    fn regex(&mut self, start: usize) {
        self.at += 1;
        let mut in_class = false;
        while self.at < self.bytes.len() && self.peek(0) != b'\n' {
            match self.peek(0) {
                b'\\' => self.at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => break,
                _ => {}
            }
            self.at += 1;
        }
        self.at += 1;
        self.skip_while(|byte| byte.is_ascii_alphabetic());
        self.push(TokenKind::Regex, start);
    }

    /// A `(` behind `if`, `while`, `for` or `with`, also behind `for await`.
    fn begins_head(&self) -> bool {
        let count = self.tokens.len();
        match self.keyword(count) {
            Some(b"if" | b"while" | b"for" | b"with") => true,
            Some(b"await") => self.keyword(count - 1) == Some(b"for"),
            _ => false,
        }
    }

    /// The last of so many tokens, if it is a word that is not the name of a member.
    fn keyword(&self, count: usize) -> Option<&[u8]> {
        let at = count.checked_sub(1)?;
        let token = self.tokens.get(at).filter(|token| token.kind == TokenKind::Word)?;
        if is_member(&self.tokens, at) { None } else { self.bytes.get(token.range.clone()) }
    }

    /// Whether the last of so many tokens ends an operand, so that a slash behind it divides.
    fn ends_operand(&self, count: usize) -> bool {
        let Some(token) = count.checked_sub(1).and_then(|at| self.tokens.get(at)) else {
            return false;
        };
        match token.kind {
            TokenKind::Number | TokenKind::Text | TokenKind::Regex => true,
            TokenKind::Template => self.bytes.get(token.range.end.wrapping_sub(1)) != Some(&b'{'),
            TokenKind::Punctuation(b']') => true,
            TokenKind::Punctuation(b')') => !token.ends_head,
            TokenKind::Punctuation(sign @ (b'+' | b'-')) => self.ends_postfix(count, sign),
            TokenKind::Punctuation(_) => false,
            TokenKind::Word => {
                self.keyword(count).is_none_or(|word| !BEFORE_OPERANDS.contains(&word))
            }
        }
    }

    /// Whether the last of so many tokens ends a `++` or `--` that stands behind its operand, on
    /// the same line.
    fn ends_postfix(&self, count: usize, sign: u8) -> bool {
        let mut first = count - 1;
        while let (Some(before), Some(token)) =
            (first.checked_sub(1).and_then(|at| self.tokens.get(at)), self.tokens.get(first))
            && before.is(sign)
            && before.range.end == token.range.start
        {
            first -= 1;
        }
        let is_behind_sign = first
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at))
            .is_some_and(|token| token.is(b'+') || token.is(b'-'));
        let is_on_same_line = self.tokens.get(first).is_some_and(|token| !token.begins_line);
        count - first == 2 && is_on_same_line && !is_behind_sign && self.ends_operand(first)
    }
}

/// Whether a token names a member: it stands behind a point that is not one of three.
pub(super) fn is_member(tokens: &[SourceToken], at: usize) -> bool {
    let is_point = |back: usize| {
        at.checked_sub(back).and_then(|at| tokens.get(at)).is_some_and(|token| token.is(b'.'))
    };
    is_point(1) && !(is_point(2) && is_point(3))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte == b'\\' || byte >= 0x80
}

fn is_line_end(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(source: &str) -> Vec<&str> {
        tokens(source).iter().map(|token| token.text(source)).collect()
    }

    #[test]
    fn source_is_split_into_tokens() {
        assert_eq!(split("a.b /* c */ + 'd\\'e' // f"), ["a", ".", "b", "+", "'d\\'e'"]);
        assert_eq!(split("x / y / z"), ["x", "/", "y", "/", "z"]);
        assert_eq!(
            split("s.match(/[/]\\/a/gi).length"),
            ["s", ".", "match", "(", "/[/]\\/a/gi", ")", ".", "length"]
        );
        assert_eq!(
            split("`a ${ b.map(x => `${x}`) } c`"),
            ["`a ${", "b", ".", "map", "(", "x", "=", ">", "`${", "x", "}`", ")", "} c`"]
        );
        assert_eq!(
            split("1.5.round() + 1e-7 + 2..toFixed()"),
            ["1.5", ".", "round", "(", ")", "+", "1e-7", "+", "2.", ".", "toFixed", "(", ")"]
        );
        assert_eq!(split("({a: {b: 1}})"), ["(", "{", "a", ":", "{", "b", ":", "1", "}", "}", ")"]);
    }

    #[test]
    fn issue_14_00_blanks_comments_and_line_ends_are_those_of_quickjs() {
        for end in ["\n", "\r", "\r\n", "\u{2028}", "\u{2029}"] {
            assert_eq!(split(&format!("// c{end}for(;;)")), ["for", "(", ";", ";", ")"], "{end:?}");
            assert_eq!(
                split(&format!("a<!-- `{end}for{end}--> `{end}(")),
                ["a", "for", "("],
                "{end:?}"
            );
            assert_eq!(split(&format!("/*{end}*/--> `{end}b")), ["b"], "{end:?}");
        }
        for blank in ["\u{b}", "\u{c}", "\u{a0}", "\u{feff}", "\u{3000}", "\u{2003}"] {
            assert_eq!(
                split(&format!("for{blank}(é{blank}é)")),
                ["for", "(", "é", "é", ")"],
                "{blank:?}"
            );
        }
        assert_eq!(split("'a\\\r\nb' c"), ["'a\\\r\nb'", "c"]);
        assert_eq!(split("a --> b"), ["a", "-", "-", ">", "b"]);
    }

    #[test]
    fn issue_14_00_a_slash_divides_behind_an_operand() {
        for source in [
            "x++ /1",
            "x-- /1",
            "a[0] /1",
            "f(x) /1",
            "`t` /1",
            "x.of /1",
            "x.typeof /1",
            "this.#if(1) /1",
            "x?.return /1",
            "(a)++ /1",
        ] {
            assert!(split(&format!("{source}; for(;;){{}} 1/1")).contains(&"for"), "{source}");
        }
        for source in [
            "if (a) ",
            "while (a) ",
            "for await (a of b) ",
            "a + ",
            "a +++",
            "x\n++",
            "return ",
            "break\n",
            "}",
            "await ",
            "=>",
            ": ",
        ] {
            assert!(split(&format!("{source}/1; \"/")).contains(&"/1; \"/"), "{source}");
        }
    }

    #[test]
    fn broken_source_does_not_stop_it() {
        for source in [
            "'", "`${", "/", "/*", "}", "\\", "a = '\\", "é", "`\\", "#", "#é", "+", "++", "a++",
            "\u{2028}", "/*/", ")", "'\\\r",
        ] {
            let _ = split(source);
        }
    }
}
