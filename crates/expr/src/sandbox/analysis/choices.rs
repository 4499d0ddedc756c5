//! `$if(condition, one, other)` evaluates only the one that it chooses, so its calls become `?:`.

use super::super::source::{SourceToken, TokenKind, is_member};
use std::collections::BTreeMap;

/// What tokens are replaced with, by their positions.
pub(super) fn rewritten(tokens: &[SourceToken], source: &str) -> BTreeMap<usize, &'static str> {
    let mut replacements = BTreeMap::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_call = token.kind == TokenKind::Word
            && token.text(source) == "$if"
            && !is_member(tokens, at)
            && tokens.get(at + 1).is_some_and(|next| next.is(b'('));
        let Some((commas, end)) = is_call.then(|| arguments(tokens, at + 1)).flatten() else {
            continue;
        };
        let (first, second) = match commas.as_slice() {
            [first] => (*first, None),
            [first, second] => (*first, Some(*second)),
            _ => continue,
        };
        replacements.insert(at, "(");
        replacements.insert(first, ") ? (");
        match second {
            Some(second) => replacements.insert(second, ") : ("),
            None => None,
        };
        replacements.insert(end, if second.is_some() { "))" } else { ") : false)" });
    }
    replacements
}

/// The commas between the arguments of the call whose bracket opens here, and where it closes. None if an argument is
/// missing or spread.
fn arguments(tokens: &[SourceToken], open: usize) -> Option<(Vec<usize>, usize)> {
    let mut depth = 0_usize;
    let mut commas = Vec::new();
    for (at, token) in tokens.iter().enumerate().skip(open) {
        let begins_argument = depth == 1 && (at == open + 1 || commas.last() == Some(&(at - 1)));
        if begins_argument && (token.is(b',') || token.is(b')') || token.is(b'.')) {
            return None;
        }
        match token.kind {
            TokenKind::Punctuation(b'(' | b'[' | b'{') => depth += 1,
            TokenKind::Punctuation(b')' | b']' | b'}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return token.is(b')').then_some((commas, at));
                }
            }
            TokenKind::Punctuation(b',') if depth == 1 => commas.push(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::super::source::tokens;
    use super::*;

    fn rewrite(source: &str) -> String {
        let tokens = tokens(source);
        let replacements = rewritten(&tokens, source);
        tokens
            .iter()
            .enumerate()
            .map(|(at, token)| replacements.get(&at).copied().unwrap_or_else(|| token.text(source)))
            .collect()
    }

    #[test]
    fn calls_of_if_become_conditional_expressions() {
        assert_eq!(rewrite("$if(a,b,c)"), "((a) ? (b) : (c))");
        assert_eq!(rewrite("$if(a,b)"), "((a) ? (b) : false)");
        assert_eq!(rewrite("$if(f(x,y),[1,2],{a:1,b:2})"), "((f(x,y)) ? ([1,2]) : ({a:1,b:2}))");
        assert_eq!(rewrite("$if(a,$if(b,1,2),3)"), "((a) ? (((b) ? (1) : (2))) : (3))");
        assert_eq!(rewrite("$if(a,`x${[b,c]}y`,d)"), "((a) ? (`x${[b,c]}y`) : (d))");
    }

    #[test]
    fn other_calls_stay_as_they_are() {
        for source in [
            "$if(a)",
            "$if()",
            "$if(a,b,c,d)",
            "$if(...a,b)",
            "$if(a,,b)",
            "x.$if(a,b)",
            "$if(a,b",
            "$if(a,b,)",
            "$if",
        ] {
            assert_eq!(rewrite(source), source);
        }
    }
}
