//! `$if(condition, one, other)` evaluates only the one that it chooses, so its calls become `?:`.

use super::super::source::{SourceToken, TokenKind, is_member};
use super::Replacements;
use super::brackets::Brackets;
use crate::ExprError;

/// What tokens are replaced with, by their positions.
///
/// A call without a second argument is no JavaScript. Whatever else is done with `$if` is done with
/// nothing: it is no function.
pub(super) fn rewritten(
    tokens: &[SourceToken],
    brackets: &Brackets,
    source: &str,
) -> Result<Replacements, ExprError> {
    let mut replacements = Replacements::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_choice = token.kind == TokenKind::Word
            && token.text(source) == "$if"
            && !is_member(tokens, at)
            && !tokens.get(at + 1).is_some_and(|next| next.is(b':'));
        if !is_choice {
            continue;
        }
        if !tokens.get(at + 1).is_some_and(|next| next.is(b'(')) {
            replacements.insert(at, "undefined".into());
            continue;
        }
        let Some((mut starts, end)) = brackets.elements(tokens, at + 1) else { continue };
        if starts.len() > 1 && starts.last() == Some(&end) {
            starts.pop();
        }
        let begins = |start: usize, byte: u8| tokens.get(start).is_some_and(|token| token.is(byte));
        if starts.iter().any(|start| begins(*start, b'.') && begins(start + 1, b'.')) {
            replacements.insert(at, "undefined".into());
            continue;
        }
        let is_missing = |start: &usize| *start == end || begins(*start, b',');
        if starts.len() < 2 || starts.iter().any(is_missing) {
            return Err(ExprError::Syntax {
                detail: "$if() needs a condition, a value, and a value for the other case".into(),
            });
        }
        replacements.insert(at, "(".into());
        for (number, start) in starts.iter().enumerate().skip(1) {
            replacements.insert(
                start - 1,
                match number {
                    1 => ") ? (",
                    // What comes behind a third argument is not evaluated.
                    2 if starts.len() > 3 => ") : true ? (",
                    2 | 3 => ") : (",
                    _ => ",",
                }
                .into(),
            );
        }
        let trailing_comma = end - 1;
        if begins(trailing_comma, b',') {
            replacements.insert(trailing_comma, "".into());
        }
        let end_text = if starts.len() > 2 { "))" } else { ") : false)" };
        replacements.insert(end, end_text.into());
    }
    Ok(replacements)
}

#[cfg(test)]
mod tests {
    use super::super::super::source::tokens;
    use super::*;

    fn rewrite(source: &str) -> String {
        let tokens = tokens(source);
        let brackets = Brackets::new(&tokens, source);
        let replacements = rewritten(&tokens, &brackets, source).unwrap();
        tokens
            .iter()
            .enumerate()
            .map(|(at, token)| replacements.get(&at).map_or(token.text(source), |text| text))
            .collect()
    }

    #[test]
    fn calls_of_if_become_conditional_expressions() {
        assert_eq!(rewrite("$if(a,b,c)"), "((a) ? (b) : (c))");
        assert_eq!(rewrite("$if(a,b)"), "((a) ? (b) : false)");
        assert_eq!(rewrite("$if(a,b,c,)"), "((a) ? (b) : (c))");
        assert_eq!(rewrite("$if(a,b,c,d,e)"), "((a) ? (b) : true ? (c) : (d,e))");
        assert_eq!(rewrite("$if(f(x,y),[1,2],{a:1,b:2})"), "((f(x,y)) ? ([1,2]) : ({a:1,b:2}))");
        assert_eq!(rewrite("$if(a,$if(b,1,2),3)"), "((a) ? (((b) ? (1) : (2))) : (3))");
        assert_eq!(rewrite("$if(a,`x${[b,c]}y`,d)"), "((a) ? (`x${[b,c]}y`) : (d))");
    }

    #[test]
    fn other_uses_of_if_find_nothing() {
        assert_eq!(rewrite("$if(...a,b)"), "undefined(...a,b)");
        assert_eq!(rewrite("list.map($if)"), "list.map(undefined)");
        for source in ["x.$if(a,b)", "$if(a,b", "{$if:1}"] {
            assert_eq!(rewrite(source), source);
        }
    }

    #[test]
    fn calls_of_if_without_two_values_are_no_javascript() {
        for source in ["$if()", "$if(a)", "$if(a,)", "$if(a,,b)", "$if(,a)"] {
            let tokens = tokens(source);
            let found = rewritten(&tokens, &Brackets::new(&tokens, source), source);
            assert!(matches!(found, Err(ExprError::Syntax { .. })), "{source}");
        }
    }
}
