//! Light reading of JavaScript source: tokens, and what an expression mentions. Never a full parser: QuickJS is that.

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
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) range: Range<usize>,
}

impl Token {
    pub(super) fn text<'a>(&self, source: &'a str) -> &'a str {
        source.get(self.range.clone()).unwrap_or_default()
    }

    pub(super) fn is(&self, punctuation: u8) -> bool {
        self.kind == TokenKind::Punctuation(punctuation)
    }
}

/// Splits source into tokens; comments and blanks are left out. Source that is not JavaScript gives some tokens all the same.
pub(super) fn tokens(source: &str) -> Vec<Token> {
    let mut lexer = Lexer { bytes: source.as_bytes(), at: 0, tokens: Vec::new(), templates: Vec::new(), braces: 0 };
    lexer.run();
    lexer.tokens
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
    /// For every open `${`, the number of braces that were open before it.
    templates: Vec<usize>,
    braces: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.at = self.at.min(self.bytes.len());
        self.tokens.push(Token { kind, range: start..self.at });
    }

    fn run(&mut self) {
        while self.at < self.bytes.len() {
            let start = self.at;
            match self.peek(0) {
                byte if byte.is_ascii_whitespace() => self.at += 1,
                // Blanks and line ends beyond ASCII are taken for letters here, which at worst declares an odd name.
                b'/' if self.peek(1) == b'/' => self.skip_while(|byte| byte != b'\n'),
                b'/' if self.peek(1) == b'*' => {
                    self.at += 2;
                    while self.at < self.bytes.len() && !(self.peek(0) == b'*' && self.peek(1) == b'/') {
                        self.at += 1;
                    }
                    self.at += 2;
                }
                quote @ (b'"' | b'\'') => {
                    self.at += 1;
                    while self.at < self.bytes.len() && self.peek(0) != quote && self.peek(0) != b'\n' {
                        self.at += if self.peek(0) == b'\\' { 2 } else { 1 };
                    }
                    self.at += 1;
                    self.push(TokenKind::Text, start);
                }
                b'`' => {
                    self.at += 1;
                    self.template(start);
                }
                b'}' if self.templates.last() == Some(&self.braces) => {
                    self.templates.pop();
                    self.at += 1;
                    self.template(start);
                }
                b'/' if self.regex_may_start() => self.regex(start),
                byte if byte.is_ascii_digit() || (byte == b'.' && self.peek(1).is_ascii_digit()) => {
                    self.number();
                    self.push(TokenKind::Number, start);
                }
                byte if is_word(byte) => {
                    self.skip_while(is_word);
                    self.push(TokenKind::Word, start);
                }
                byte => {
                    match byte {
                        b'{' => self.braces += 1,
                        b'}' => self.braces = self.braces.saturating_sub(1),
                        _ => {}
                    }
                    self.at += 1;
                    self.push(TokenKind::Punctuation(byte), start);
                }
            }
        }
    }

    fn skip_while(&mut self, keep: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && keep(self.peek(0)) {
            self.at += 1;
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
            let exponent_sign = (byte == b'+' || byte == b'-') && self.at > 0 && matches!(self.bytes[self.at - 1], b'e' | b'E');
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

    /// A slash divides after a value and opens a regular expression elsewhere.
    fn regex_may_start(&self) -> bool {
        let Some(last) = self.tokens.last() else { return true };
        match last.kind {
            TokenKind::Number | TokenKind::Text | TokenKind::Regex => false,
            TokenKind::Template => self.bytes.get(last.range.end.wrapping_sub(1)) == Some(&b'{'),
            TokenKind::Punctuation(byte) => !matches!(byte, b')' | b']' | b'}'),
            TokenKind::Word => matches!(
                self.bytes.get(last.range.clone()).unwrap_or_default(),
                b"return" | b"typeof" | b"case" | b"in" | b"of" | b"delete" | b"void" | b"throw" | b"new" | b"instanceof" | b"else" | b"do"
            ),
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte == b'\\' || byte >= 0x80
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
        assert_eq!(split("s.match(/[/]\\/a/gi).length"), ["s", ".", "match", "(", "/[/]\\/a/gi", ")", ".", "length"]);
        assert_eq!(split("`a ${ b.map(x => `${x}`) } c`"), ["`a ${", "b", ".", "map", "(", "x", "=", ">", "`${", "x", "}`", ")", "} c`"]);
        assert_eq!(
            split("1.5.round() + 1e-7 + 2..toFixed()"),
            ["1.5", ".", "round", "(", ")", "+", "1e-7", "+", "2.", ".", "toFixed", "(", ")"]
        );
        assert_eq!(split("({a: {b: 1}})"), ["(", "{", "a", ":", "{", "b", ":", "1", "}", "}", ")"]);
    }

    #[test]
    fn broken_source_does_not_stop_it() {
        for source in ["'", "`${", "/", "/*", "}", "\\", "a = '\\", "é", "`\\"] {
            let _ = split(source);
        }
    }
}
