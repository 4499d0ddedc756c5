//! Cuts the JavaScript of an expression into tokens. `None` means: not for the native evaluator.

use model::Str;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum ExprToken {
    Name(Str),
    /// A name that JavaScript keeps for itself.
    Keyword(&'static str),
    Number(f64),
    Text(Str),
    /// The texts of a template literal and the tokens of what stands between them.
    Template(Vec<Str>, Vec<Vec<ExprToken>>),
    RegExp(Str, Str),
    Sign(&'static str),
}

/// Longest first, so that `===` is not read as `==` and `=`.
const SIGNS: [&str; 50] = [
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=",
    "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
    "<<", ">>", "**", "{", "}", "(", ")", "[", "]", ";", ",", "<", ">", "+", "-", "*", "/", "%",
    "&", "|",
];
const MORE_SIGNS: [&str; 7] = ["^", "!", "~", "?", ":", "=", "."];

const KEYWORDS: [&str; 38] = [
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "let",
    "new",
    "null",
    "return",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
];

/// Template literals inside template literals: deeper than this is left to the sandbox.
const MAX_TEMPLATE_DEPTH: usize = 8;

/// A source in pieces.
pub(super) struct ExprTokens {
    pub(super) list: Vec<ExprToken>,
    /// For each of them, whether it begins on a line of its own.
    pub(super) breaks: Vec<bool>,
}

pub(super) fn tokens(source: &str) -> Option<ExprTokens> {
    let mut lexer = ExprLexer { source, at: 0, breaks: Vec::new() };
    let (list, closed) = lexer.run(0)?;
    (!closed).then_some(ExprTokens { list, breaks: lexer.breaks })
}

struct ExprLexer<'a> {
    source: &'a str,
    at: usize,
    breaks: Vec<bool>,
}

impl ExprLexer<'_> {
    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Reads until the end, or inside a template literal until the brace that closes the part (then
    /// `true`).
    fn run(&mut self, template_depth: usize) -> Option<(Vec<ExprToken>, bool)> {
        let mut tokens: Vec<ExprToken> = Vec::new();
        let mut braces = 0usize;
        loop {
            let before = self.at;
            self.skip_blanks()?;
            if template_depth == 0 {
                let is_break = |blank: char| matches!(blank, '\n' | '\r' | '\u{2028}' | '\u{2029}');
                self.breaks.push(
                    self.source
                        .get(before..self.at)
                        .is_some_and(|blanks| blanks.contains(is_break)),
                );
            }
            let Some(first) = self.peek() else { return Some((tokens, false)) };
            let token = match first {
                '"' | '\'' => self.text(first)?,
                '`' => self.template(template_depth)?,
                '0'..='9' => self.number()?,
                '.' if self.rest()[1..].starts_with(|next: char| next.is_ascii_digit()) => {
                    self.number()?
                }
                '/' if regexp_may_follow(tokens.last()) => self.regexp()?,
                first if is_name_start(first) => self.name()?,
                _ => {
                    let sign = SIGNS
                        .into_iter()
                        .chain(MORE_SIGNS)
                        .find(|sign| self.rest().starts_with(sign))?;
                    // `a?.5:b` is a condition, not a chain.
                    let sign = if sign == "?."
                        && self.rest()[2..].starts_with(|next: char| next.is_ascii_digit())
                    {
                        "?"
                    } else {
                        sign
                    };
                    match sign {
                        "{" => braces += 1,
                        "}" if braces == 0 && template_depth > 0 => {
                            self.at += 1;
                            return Some((tokens, true));
                        }
                        "}" => braces = braces.checked_sub(1)?,
                        _ => {}
                    }
                    self.at += sign.len();
                    ExprToken::Sign(sign)
                }
            };
            tokens.push(token);
        }
    }

    fn skip_blanks(&mut self) -> Option<()> {
        loop {
            if self.rest().starts_with("//") {
                let end = self
                    .rest()
                    .find(['\n', '\r', '\u{2028}', '\u{2029}'])
                    .unwrap_or(self.rest().len());
                self.at += end;
            } else if self.rest().starts_with("/*") {
                self.at += self.rest().find("*/")? + 2;
            } else {
                match self.peek() {
                    Some(blank) if super::text::is_js_whitespace(blank) => {
                        self.at += blank.len_utf8()
                    }
                    _ => return Some(()),
                }
            }
        }
    }

    fn name(&mut self) -> Option<ExprToken> {
        let rest = self.rest();
        let end = rest.find(|next| !is_name_part(next)).unwrap_or(rest.len());
        let name = Str::from(&rest[..end]);
        self.at += end;
        // A line break after `return` ends the statement, which the parser cannot see any more.
        if name == "return"
            && self.rest().trim_start_matches([' ', '\t']).starts_with(['\n', '\r', '/'])
        {
            return None;
        }
        Some(match KEYWORDS.into_iter().find(|keyword| *keyword == name) {
            Some(keyword) => ExprToken::Keyword(keyword),
            None => ExprToken::Name(name),
        })
    }

    fn number(&mut self) -> Option<ExprToken> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        if bytes.len() > 1
            && bytes[0] == b'0'
            && (bytes[1].is_ascii_alphanumeric() || bytes[1] == b'_')
        {
            let radix = match bytes[1] {
                b'x' | b'X' => 16,
                b'b' | b'B' => 2,
                b'o' | b'O' => 8,
                _ => return None,
            };
            let end = rest[2..]
                .find(|next: char| !next.is_ascii_alphanumeric())
                .map_or(rest.len(), |end| end + 2);
            let number = u64::from_str_radix(rest.get(2..end)?, radix)
                .ok()
                .filter(|number| *number < 1 << 53)?;
            self.at += end;
            return Some(ExprToken::Number(number as f64));
        }
        let mut end = 0;
        let mut seen_dot = false;
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'0'..=b'9' => end += 1,
                b'.' if !seen_dot => {
                    seen_dot = true;
                    end += 1;
                }
                b'e' | b'E' => {
                    end += 1;
                    if matches!(bytes.get(end), Some(b'+' | b'-')) {
                        end += 1;
                    }
                    while bytes.get(end).is_some_and(u8::is_ascii_digit) {
                        end += 1;
                    }
                    break;
                }
                _ => break,
            }
        }
        // `1_000`, `10n` and `3px` are for others to judge.
        if rest[end..].starts_with(is_name_part) {
            return None;
        }
        let number = rest[..end].parse().ok()?;
        self.at += end;
        Some(ExprToken::Number(number))
    }

    fn text(&mut self, quote: char) -> Option<ExprToken> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next()? {
                '\\' => self.escape(&mut text)?,
                '\n' | '\r' => return None,
                end if end == quote => return Some(ExprToken::Text(text.into())),
                other => text.push(other),
            }
        }
    }

    fn template(&mut self, depth: usize) -> Option<ExprToken> {
        if depth >= MAX_TEMPLATE_DEPTH {
            return None;
        }
        self.next();
        let (mut texts, mut parts) = (Vec::new(), Vec::new());
        let mut text = String::new();
        loop {
            match self.next()? {
                '\\' => self.escape(&mut text)?,
                '`' => {
                    texts.push(text.into());
                    return Some(ExprToken::Template(texts, parts));
                }
                '$' if self.peek() == Some('{') => {
                    self.next();
                    texts.push(std::mem::take(&mut text).into());
                    let (tokens, closed) = self.run(depth + 1)?;
                    if !closed {
                        return None;
                    }
                    parts.push(tokens);
                }
                '\r' => {
                    if self.peek() == Some('\n') {
                        self.next();
                    }
                    text.push('\n');
                }
                other => text.push(other),
            }
        }
    }

    fn escape(&mut self, text: &mut String) -> Option<()> {
        let escaped = match self.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => '\0',
            '0'..='9' => return None,
            'x' => char::from_u32(self.hex(2)?)?,
            'u' if self.peek() == Some('{') => {
                let end = self.rest().find('}')?;
                let code = u32::from_str_radix(self.rest().get(1..end)?, 16).ok()?;
                self.at += end + 1;
                char::from_u32(code)?
            }
            'u' => {
                let first = self.hex(4)?;
                if (0xd800..0xdc00).contains(&first) {
                    // A pair of surrogates is one character; half a pair has no place in our texts.
                    self.rest().starts_with("\\u").then_some(())?;
                    self.at += 2;
                    let second = self.hex(4)?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                    char::from_u32(0x10000 + ((first - 0xd800) << 10) + second)?
                } else {
                    char::from_u32(first)?
                }
            }
            '\n' | '\u{2028}' | '\u{2029}' => return Some(()),
            '\r' => {
                if self.peek() == Some('\n') {
                    self.next();
                }
                return Some(());
            }
            other => other,
        };
        text.push(escaped);
        Some(())
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self
            .rest()
            .get(..digits)
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        let code = u32::from_str_radix(text, 16).ok()?;
        self.at += digits;
        Some(code)
    }

    fn regexp(&mut self) -> Option<ExprToken> {
        self.next();
        let start = self.at;
        let mut in_class = false;
        loop {
            match self.next()? {
                '\\' => {
                    self.next()?;
                }
                '\n' | '\r' => return None,
                '[' => in_class = true,
                ']' => in_class = false,
                '/' if !in_class => break,
                _ => {}
            }
        }
        let pattern = Str::from(self.source.get(start..self.at - 1)?);
        let rest = self.rest();
        let end = rest.find(|next| !is_name_part(next)).unwrap_or(rest.len());
        let flags = Str::from(&rest[..end]);
        self.at += end;
        Some(ExprToken::RegExp(pattern, flags))
    }
}

fn regexp_may_follow(previous: Option<&ExprToken>) -> bool {
    match previous {
        None => true,
        Some(ExprToken::Sign(sign)) => !matches!(*sign, ")" | "]" | "}" | "++" | "--"),
        Some(ExprToken::Keyword(keyword)) => {
            !matches!(*keyword, "true" | "false" | "null" | "this" | "super")
        }
        Some(_) => false,
    }
}

fn is_name_start(first: char) -> bool {
    first == '$' || first == '_' || first.is_alphabetic()
}

fn is_name_part(part: char) -> bool {
    part == '$' || part == '_' || part.is_alphanumeric()
}
