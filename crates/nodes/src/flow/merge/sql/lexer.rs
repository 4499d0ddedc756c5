//! Cuts a query into tokens where SQLite's own tokenizer does.
//!
//! It guards nothing: the text only helps to translate spellings and to see where `{{ … }}` stand.
//! A fuzz target compares it with SQLite.

/// What a token is, as far as anybody here needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SqlTokenKind {
    Space,
    /// `-- …` up to the end of the line.
    LineComment,
    /// `/* … */`.
    BlockComment,
    /// In quotes of this kind: `'`, `"`, `` ` `` or `[`.
    Quoted(char),
    /// A keyword, a name or a number.
    Word,
    /// `?1`, `:name`, `@name`, `$name::(suffix)`, `#name`.
    Variable,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SqlToken<'q> {
    pub(super) kind: SqlTokenKind,
    pub(super) text: &'q str,
    /// The text ends before the token does.
    pub(super) is_open: bool,
}

/// The first token of a text that is not empty.
pub(super) fn first(text: &str) -> SqlToken<'_> {
    let bytes = text.as_bytes();
    let next = bytes.get(1).copied();
    let (kind, length) = match bytes.first().copied().unwrap_or(b' ') {
        b' ' | b'\t' | b'\n' | b'\x0c' | b'\r' => (SqlTokenKind::Space, run(bytes, is_space)),
        b'-' if next == Some(b'-') => return enclosed(SqlTokenKind::LineComment, text, 2),
        b'/' if next == Some(b'*') => return enclosed(SqlTokenKind::BlockComment, text, 2),
        quote @ (b'\'' | b'"' | b'`' | b'[') => {
            return enclosed(SqlTokenKind::Quoted(char::from(quote)), text, 1);
        }
        b'?' => (SqlTokenKind::Variable, 1 + run(&bytes[1..], |byte| byte.is_ascii_digit())),
        b'$' | b'@' | b'#' | b':' => variable(bytes),
        _ if text.starts_with('\u{feff}') => (SqlTokenKind::Space, 3),
        byte if is_name(byte) => (SqlTokenKind::Word, run(bytes, is_name)),
        // Cut at a whole character.
        _ => (SqlTokenKind::Other, text.chars().next().map_or(1, char::len_utf8)),
    };
    SqlToken { kind, text: &text[..length.min(text.len())], is_open: false }
}

/// How much of a text still belongs to a token that began before it, and whether it ends there.
pub(super) fn rest_of(kind: SqlTokenKind, text: &str) -> (usize, bool) {
    let end = match kind {
        SqlTokenKind::LineComment => text.find('\n').map(|at| at + 1),
        SqlTokenKind::BlockComment => text.find("*/").map(|at| at + 2),
        SqlTokenKind::Quoted('[') => text.find(']').map(|at| at + 1),
        SqlTokenKind::Quoted(quote) => closing(text, quote),
        SqlTokenKind::Space | SqlTokenKind::Word | SqlTokenKind::Variable | SqlTokenKind::Other => {
            Some(0)
        }
    };
    (end.unwrap_or(text.len()), end.is_some())
}

/// Whether nothing of the statement depends on it.
pub(super) fn is_blank(kind: SqlTokenKind) -> bool {
    matches!(kind, SqlTokenKind::Space | SqlTokenKind::LineComment | SqlTokenKind::BlockComment)
}

fn enclosed(kind: SqlTokenKind, text: &str, begin: usize) -> SqlToken<'_> {
    let (length, is_closed) = rest_of(kind, &text[begin..]);
    SqlToken { kind, text: &text[..begin + length], is_open: !is_closed }
}

/// The end of a quoted part; a doubled quote does not end it.
fn closing(text: &str, quote: char) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if char::from(bytes[at]) == quote {
            if bytes.get(at + 1) != Some(&bytes[at]) {
                return Some(at + 1);
            }
            at += 1;
        }
        at += 1;
    }
    None
}

/// `$a::b(…)` as well: what stands in the brackets belongs to the name.
fn variable(bytes: &[u8]) -> (SqlTokenKind, usize) {
    let mut at = 1;
    let mut n_letters = 0;
    while let Some(byte) = bytes.get(at).copied() {
        if is_name(byte) {
            n_letters += 1;
        } else if byte == b'(' && n_letters > 0 {
            let inside = run(&bytes[at + 1..], |byte| !is_space(byte) && byte != b')');
            let end = at + 1 + inside;
            let is_closed = bytes.get(end) == Some(&b')');
            return (
                if is_closed { SqlTokenKind::Variable } else { SqlTokenKind::Other },
                end + usize::from(is_closed),
            );
        } else if byte == b':' && bytes.get(at + 1) == Some(&b':') {
            at += 1;
        } else {
            break;
        }
        at += 1;
    }
    (if n_letters > 0 { SqlTokenKind::Variable } else { SqlTokenKind::Other }, at)
}

fn run(bytes: &[u8], fits: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !fits(*byte)).unwrap_or(bytes.len())
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\x0c' | b'\r' | b'\x0b')
}

/// SQLite takes every byte beyond ASCII for a letter.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(mut text: &str) -> Vec<(SqlTokenKind, &str)> {
        let mut found = Vec::new();
        while !text.is_empty() {
            let token = first(text);
            found.push((token.kind, token.text));
            text = &text[token.text.len()..];
        }
        found
    }

    #[test]
    fn comments_end_where_sqlite_ends_them() {
        assert_eq!(
            tokens("/*/ ' */;"),
            [(SqlTokenKind::BlockComment, "/*/ ' */"), (SqlTokenKind::Other, ";")]
        );
        assert_eq!(
            tokens("/**/a"),
            [(SqlTokenKind::BlockComment, "/**/"), (SqlTokenKind::Word, "a")]
        );
        assert_eq!(
            tokens("-- a\rb\nc"),
            [(SqlTokenKind::LineComment, "-- a\rb\n"), (SqlTokenKind::Word, "c")]
        );
        assert!(first("/* a").is_open);
    }

    #[test]
    fn variables_and_quotes_are_single_tokens() {
        for text in ["$a::(';)", "$a::b", "@x", "#1", "?12", ":value_1"] {
            assert_eq!(tokens(text), [(SqlTokenKind::Variable, text)]);
        }
        for text in ["'it''s'", "\"a\"\"b\"", "`a``b`", "[a\"b]"] {
            assert!(
                matches!(tokens(text).as_slice(), [(SqlTokenKind::Quoted(_), whole)] if *whole == text),
                "{text}"
            );
        }
        assert_eq!(tokens("ä$1"), [(SqlTokenKind::Word, "ä$1")]);
        assert!(first("'a''").is_open);
    }
}
