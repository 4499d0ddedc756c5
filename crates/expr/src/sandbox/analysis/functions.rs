//! Functions written with `function` are bound to n8n's `this`, as their names and `call()` show.

use super::super::source::{SourceToken, TokenKind, is_member};
use super::Insertions;
use super::brackets::Brackets;

/// Puts the binding around each function that is a value. Declared ones stay as they are.
pub(super) fn bind(
    tokens: &[SourceToken],
    brackets: &Brackets,
    source: &str,
    insertions: &mut Insertions,
) {
    for (at, token) in tokens.iter().enumerate() {
        let is_function = token.kind == TokenKind::Word
            && token.text(source) == "function"
            && !is_member(tokens, at);
        if !is_function {
            continue;
        }
        let before = |at: usize| at.checked_sub(1).and_then(|before| tokens.get(before));
        let is_async = before(at).is_some_and(|before| before.text(source) == "async");
        let start = if is_async { at - 1 } else { at };
        if !before(start).is_some_and(|before| expects_value(before, source)) {
            continue;
        }
        let is_name = |token: &SourceToken| token.kind == TokenKind::Word || token.is(b'*');
        let skipped = tokens.iter().skip(at + 1).take(2).take_while(|token| is_name(token)).count();
        let end = brackets
            .partner(at + 1 + skipped)
            .and_then(|parameters| brackets.partner(parameters + 1));
        if let Some(end) = end.filter(|end| *end > at) {
            insertions.entry(start).or_default().push('(');
            // What else begins behind the function comes after its end.
            insertions.entry(end + 1).or_default().insert_str(0, ").bind(__x_this)");
        }
    }
}

/// Whether a value follows this token, and no statement.
fn expects_value(token: &SourceToken, source: &str) -> bool {
    match token.kind {
        TokenKind::Punctuation(byte) => !matches!(byte, b'{' | b'}' | b';' | b')' | b']' | b':'),
        TokenKind::Word => matches!(token.text(source), "return" | "typeof" | "in" | "of"),
        TokenKind::Template => token.text(source).ends_with("${"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::source::tokens;
    use super::*;

    #[test]
    fn functions_that_are_values_are_bound() {
        for (source, wanted) in [
            ("(function f(a){b})()", "((function f(a){b}).bind(__x_this))()"),
            ("[1].map(async function(){})", "[1].map((async function(){}).bind(__x_this))"),
            ("x=function*(){}", "x=(function*(){}).bind(__x_this)"),
            ("()=>{function f(){}}", "()=>{function f(){}}"),
            ("a.function(b)", "a.function(b)"),
        ] {
            let tokens = tokens(source);
            let mut insertions = Insertions::new();
            bind(&tokens, &Brackets::new(&tokens, source), source, &mut insertions);
            let mut found = String::new();
            let mut copied = 0;
            for (at, token) in tokens.iter().enumerate() {
                found.push_str(&source[copied..token.range.start]);
                found.push_str(insertions.get(&at).map_or("", String::as_str));
                copied = token.range.start;
            }
            found.push_str(&source[copied..]);
            found.push_str(insertions.get(&tokens.len()).map_or("", String::as_str));
            assert_eq!(found, wanted);
        }
    }
}
