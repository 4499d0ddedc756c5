//! Error messages of code in the words that authors know from Node, with the place in their source.

use super::source::{SourceToken, TokenKind, tokens};
use crate::ExprError;
use model::Str;

/// What is called is shown up to this length, and with so many calls behind each other.
const MAX_CALLEE_BYTES: usize = 1000;
const MAX_CALLS: usize = 50;

/// A place in the author's source, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourcePosition {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// Where in the author's source an error arose.
pub(super) fn place(error: &ExprError) -> Option<SourcePosition> {
    let ExprError::Thrown { stack: Some(stack), .. } = error else { return None };
    stack.lines().find_map(|frame| {
        let (_, place) = frame.split_once("(code:")?;
        let mut numbers = place.trim_end_matches(')').split(':').map(str::parse::<usize>);
        // The function around the author's source takes the first line.
        let (line, column) = (numbers.next()?.ok()?.checked_sub(1)?, numbers.next()?.ok()?);
        (line > 0).then_some(SourcePosition { line, column })
    })
}

/// Completes the message: what was called, in which line, for which item.
pub(super) fn complete(
    error: ExprError,
    source: &str,
    place: Option<SourcePosition>,
    item: Option<usize>,
) -> ExprError {
    let ExprError::Thrown { name, message, stack } = error else { return error };
    let direct = stack
        .as_deref()
        .and_then(|stack| stack.lines().next())
        .is_some_and(|frame| frame.contains("(code:"));
    let callee = place
        .filter(|_| message == "not a function" && direct)
        .and_then(|place| callee(source, place));
    let message = callee.map_or(message, |callee| Str::from(format!("{callee} is not a function")));
    let shown = match (place, item) {
        (Some(place), Some(item)) => format!(" [line {}, for item {item}]", place.line),
        (Some(place), None) => format!(" [line {}]", place.line),
        (None, Some(item)) => format!(" [item {item}]"),
        (None, None) => String::new(),
    };
    ExprError::Thrown { name, message: format!("{message}{shown}").into(), stack }
}

/// The text of what is called at a place: `x.foo`, `items.map(...).first`.
fn callee(source: &str, place: SourcePosition) -> Option<String> {
    let line_start = source.split_inclusive('\n').take(place.line - 1).map(str::len).sum::<usize>();
    let line = source.get(line_start..)?;
    // Columns count characters.
    let at = line_start + line.char_indices().nth(place.column.checked_sub(1)?)?.0;
    let tokens = tokens(source);
    let mut position = tokens.iter().position(|token| token.range.contains(&at))?;
    let mut text =
        tokens.get(position).filter(|token| token.kind == TokenKind::Word)?.text(source).to_owned();
    while let Some(before) = position
        .checked_sub(1)
        .filter(|before| tokens.get(*before).is_some_and(|token| token.is(b'.')))
    {
        let optional =
            before.checked_sub(1).filter(|at| tokens.get(*at).is_some_and(|token| token.is(b'?')));
        let dot = if optional.is_some() { "?." } else { "." };
        let (start, part) =
            operand(&tokens, optional.unwrap_or(before).checked_sub(1)?, source, MAX_CALLS)?;
        text = format!("{part}{dot}{text}");
        if text.len() > MAX_CALLEE_BYTES {
            return None;
        }
        position = start;
    }
    Some(text)
}

/// The value that ends at a token, and where it begins, as far as not too many calls stand behind
/// each other.
fn operand(
    tokens: &[SourceToken],
    end: usize,
    source: &str,
    calls: usize,
) -> Option<(usize, String)> {
    let token = tokens.get(end)?;
    match token.kind {
        TokenKind::Punctuation(close @ (b')' | b']')) => {
            let open = opening(tokens, end)?;
            let inner = if close == b')' {
                "(...)".to_owned()
            } else {
                source.get(tokens.get(open)?.range.start..token.range.end)?.to_owned()
            };
            match open
                .checked_sub(1)
                .map(|before| (before, tokens.get(before).map(|token| token.kind)))
            {
                Some((before, Some(TokenKind::Word | TokenKind::Punctuation(b')' | b']')))) => {
                    let (start, part) = operand(tokens, before, source, calls.checked_sub(1)?)?;
                    Some((start, format!("{part}{inner}")))
                }
                _ => Some((open, inner.replace("(...)", "(intermediate value)"))),
            }
        }
        TokenKind::Punctuation(_) => None,
        _ => Some((end, token.text(source).to_owned())),
    }
}

fn opening(tokens: &[SourceToken], close: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for position in (0..=close).rev() {
        match tokens.get(position)?.kind {
            TokenKind::Punctuation(b')' | b']' | b'}') => depth += 1,
            TokenKind::Punctuation(b'(' | b'[' | b'{') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(position);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_called_is_named() {
        for (source, line, column, text) in [
            ("const x = {};\nx.foo();", 2, 3, "x.foo"),
            ("let q = 5; q();", 1, 12, "q"),
            ("return items.map(a => a).foo();", 1, 26, "items.map(...).foo"),
            ("a[0].b?.c()", 1, 9, "a[0].b?.c"),
            ("'abc'.toFixed(2)", 1, 7, "'abc'.toFixed"),
        ] {
            assert_eq!(
                callee(source, SourcePosition { line, column }).as_deref(),
                Some(text),
                "{source}"
            );
        }
        assert_eq!(callee("x", SourcePosition { line: 9, column: 9 }), None);
    }

    #[test]
    fn issue_14_02_long_chains_of_calls_are_not_spelled_out() {
        let calls = format!("f{}.foo()", "()".repeat(200_000));
        assert_eq!(callee(&calls, SourcePosition { line: 1, column: 400_003 }), None);
        let members = format!("f{}.foo()", ".a".repeat(200_000));
        assert_eq!(callee(&members, SourcePosition { line: 1, column: 400_003 }), None);
    }
}
