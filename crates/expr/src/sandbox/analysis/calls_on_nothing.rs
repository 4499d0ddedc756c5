//! `value.isEmpty()` and `value.isNotEmpty()` also answer for `null` and `undefined`, which have no
//! methods. Their calls become calls of a function with the value in front of its name.

use super::super::source::{SourceToken, TokenKind, is_member};
use super::brackets::Brackets;
use super::{Insertions, Replacements};

/// Functions of the guest that take the value: see `extend.js`.
const FUNCTIONS: &[(&str, &str)] =
    &[("isEmpty", "__x_isEmptyOrNothing("), ("isNotEmpty", "__x_isNotEmptyAndSomething(")];

/// Leaves out the points and names; gives what is to be put in front of which tokens.
pub(super) fn rewrite(
    tokens: &[SourceToken],
    brackets: &Brackets,
    source: &str,
    replacements: &mut Replacements,
) -> Insertions {
    let mut insertions = Insertions::new();
    for (at, token) in tokens.iter().enumerate() {
        let function = FUNCTIONS.iter().find(|(name, _)| {
            token.kind == TokenKind::Word && token.text(source) == *name && is_member(tokens, at)
        });
        let Some((_, function)) = function else { continue };
        let is_call = tokens.get(at + 1).is_some_and(|next| next.is(b'('));
        let is_bare = tokens.get(at + 2).is_some_and(|next| next.is(b')'));
        let Some(point) = at.checked_sub(1).filter(|_| is_call) else { continue };
        let Some(start) = operand(tokens, brackets, point, source) else { continue };
        insertions.entry(start).or_default().push_str(function);
        for dropped in [point, at] {
            replacements.insert(dropped, "".into());
        }
        replacements.insert(at + 1, if is_bare { "" } else { "," }.into());
    }
    insertions
}

/// Where the value in front of a point begins. None if it is more than names, members and brackets
/// in a row, or if `?.` may have left it out.
fn operand(
    tokens: &[SourceToken],
    brackets: &Brackets,
    point: usize,
    source: &str,
) -> Option<usize> {
    let mut start = point.checked_sub(1)?;
    loop {
        let token = tokens.get(start)?;
        match token.kind {
            TokenKind::Punctuation(b')' | b']') => {
                start = brackets.partner(start).filter(|open| *open < start)?;
                let before = start.checked_sub(1).and_then(|before| tokens.get(before));
                let goes_on = before.is_some_and(|before| match before.kind {
                    TokenKind::Punctuation(byte) => matches!(byte, b')' | b']'),
                    TokenKind::Word => !is_operator(before.text(source)),
                    _ => false,
                });
                if goes_on {
                    start -= 1;
                    continue;
                }
                if before.is_some_and(|before| before.is(b'.')) {
                    return None;
                }
            }
            TokenKind::Word if is_operator(token.text(source)) => return None,
            TokenKind::Word | TokenKind::Text | TokenKind::Number => {}
            _ => return None,
        }
        let is_point = |back: usize| {
            start
                .checked_sub(back)
                .and_then(|at| tokens.get(at))
                .is_some_and(|token| token.is(b'.'))
        };
        if !is_point(1) || (is_point(2) && is_point(3)) {
            let before = start.checked_sub(1).and_then(|before| tokens.get(before));
            // `new Date().isEmpty()`: the value begins in front of the name.
            let is_new = before.is_some_and(|before| before.text(source) == "new");
            return (!is_new).then_some(start);
        }
        let before = start.checked_sub(2)?;
        if tokens.get(before)?.is(b'?') {
            return None;
        }
        start = before;
    }
}

fn is_operator(word: &str) -> bool {
    matches!(
        word,
        "return"
            | "typeof"
            | "case"
            | "in"
            | "of"
            | "delete"
            | "void"
            | "throw"
            | "new"
            | "instanceof"
            | "else"
            | "do"
            | "await"
            | "yield"
            | "if"
            | "while"
            | "for"
            | "this"
            | "window"
            | "class"
            | "function"
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::source::tokens;
    use super::*;

    fn rewritten(source: &str) -> String {
        let tokens = tokens(source);
        let mut replacements = Replacements::new();
        let brackets = Brackets::new(&tokens, source);
        let insertions = rewrite(&tokens, &brackets, source, &mut replacements);
        let text = |(at, token): (usize, &SourceToken)| {
            let own = replacements.get(&at).map_or(token.text(source), |text| text);
            format!("{}{own}", insertions.get(&at).map_or("", String::as_str))
        };
        tokens.iter().enumerate().map(text).collect()
    }

    #[test]
    fn the_value_is_put_in_front_of_the_name() {
        for (source, wanted) in [
            ("a.isEmpty()", "__x_isEmptyOrNothing(a)"),
            ("!a.b[0].c(1).isNotEmpty()&&b", "!__x_isNotEmptyAndSomething(a.b[0].c(1))&&b"),
            ("[...a.isEmpty()]", "[...__x_isEmptyOrNothing(a)]"),
            ("(a+b).isEmpty()?1:2", "__x_isEmptyOrNothing((a+b))?1:2"),
            ("f(a.isEmpty(),b.isEmpty())", "f(__x_isEmptyOrNothing(a),__x_isEmptyOrNothing(b))"),
        ] {
            assert_eq!(rewritten(source), wanted);
        }
        assert_eq!(rewritten("a.isEmpty(1)"), "__x_isEmptyOrNothing(a,1)");
        for source in ["a?.b.isEmpty()", "a?.isEmpty()", "{}.isEmpty()"] {
            assert_eq!(rewritten(source), source);
        }
    }
}
