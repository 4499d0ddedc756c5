//! Makes every loop of a program count its turns.

use super::source::{SourceToken, TokenKind, is_member, tokens};
use crate::ExprError;

/// The beginning of the names that the program must not have for anything of its own.
const OUR_NAMES: &str = "__heddle";

/// The program with a call of `__heddle_tick` in every turn of every loop.
///
/// `while (c)` and `do … while (c)` count when their condition holds, `for (;;)` when its test
/// does; `for … of` and `for … in` go over what counts for them. The program's lines stay where
/// they are.
///
/// A regular expression is put into parentheses, so that QuickJS reads one where it was read here.
/// Programs are refused in which a name could mean something else than it says: with escapes in
/// names, and with `with`.
pub(super) fn count_loops(source: &str) -> Result<String, ExprError> {
    let tokens = tokens(source);
    let closings = Closings::new(&tokens);
    let mut insertions: Vec<(usize, &str)> = Vec::new();
    for (position, token) in tokens.iter().enumerate() {
        if token.kind == TokenKind::Regex {
            insertions.push((token.range.start, "("));
            insertions.push((token.range.end, ")"));
        }
        if token.kind != TokenKind::Word || is_member(&tokens, position) {
            continue;
        }
        let text = token.text(source);
        if text.contains('\\') || text.starts_with(OUR_NAMES) {
            return Err(forbidden(format!("The name {text:?} cannot be used here")));
        }
        let mut open = position + 1;
        match text {
            "with" if tokens.get(open).is_some_and(|token| token.is(b'(')) => {
                return Err(forbidden("\"with\" statements are not supported".to_owned()));
            }
            "while" => {
                if let Some(opening) = tokens.get(open).filter(|token| token.is(b'('))
                    && let Some(closing) = closings.of(open).and_then(|closing| tokens.get(closing))
                {
                    insertions.push((opening.range.end, "("));
                    insertions.push((closing.range.start, ")&&__heddle_tick()"));
                }
            }
            "for" => {
                let awaits = tokens.get(open).is_some_and(|token| token.text(source) == "await");
                open += usize::from(awaits);
                if tokens.get(open).is_some_and(|token| token.is(b'(')) {
                    count_for(&tokens, &closings, open, source, &mut insertions);
                    if awaits {
                        count_awaits(&tokens, &closings, open, &mut insertions);
                    }
                }
            }
            _ => {}
        }
    }
    // What is inserted at the same place stays in order.
    insertions.sort_by_key(|(at, _)| *at);
    let mut counted = String::with_capacity(source.len() + insertions.len() * 20);
    let mut copied = 0;
    for (at, text) in insertions {
        counted.push_str(source.get(copied..at).unwrap_or_default());
        counted.push_str(text);
        copied = at;
    }
    counted.push_str(source.get(copied..).unwrap_or_default());
    Ok(counted)
}

fn forbidden(message: String) -> ExprError {
    ExprError::Forbidden { message: message.into() }
}

/// What gives promises is not gone over by `__heddle_each`, so the body of the loop counts.
fn count_awaits(
    tokens: &[SourceToken],
    closings: &Closings,
    open: usize,
    insertions: &mut Vec<(usize, &str)>,
) {
    let Some(closing) = closings.of(open) else { return };
    match (tokens.get(closing), tokens.get(closing + 1)) {
        (_, Some(body)) if body.is(b'{') => insertions.push((body.range.end, "__heddle_tick();")),
        (Some(closing), _) => insertions.push((closing.range.end, "if(__heddle_tick())")),
        (None, _) => {}
    }
}

/// `closings` has where each bracket closes, so that what is nested is passed over and not read
/// once for each loop around it.
fn count_for(
    tokens: &[SourceToken],
    closings: &Closings,
    open: usize,
    source: &str,
    insertions: &mut Vec<(usize, &str)>,
) {
    let Some(end) = closings.of(open) else { return };
    let mut over: Option<(usize, bool)> = None;
    let mut tested = false;
    let mut position = open + 1;
    while position < end
        && let Some(token) = tokens.get(position)
    {
        match token.kind {
            TokenKind::Punctuation(b'(' | b'[' | b'{') => {
                position = closings.of(position).unwrap_or(end)
            }
            TokenKind::Punctuation(b';') if !tested => {
                tested = true;
                if tokens.get(position + 1).is_some_and(|next| next.is(b';')) {
                    insertions.push((token.range.end, "__heddle_tick()"));
                } else if let Some(end) = next_semicolon(tokens, closings, position + 1) {
                    // The test becomes one operand, whatever operators it has.
                    insertions.push((token.range.end, "("));
                    insertions.push((end, ")&&__heddle_tick()"));
                }
            }
            TokenKind::Word if over.is_none() && position > open + 1 => match token.text(source) {
                "of" => over = Some((token.range.end, true)),
                "in" => over = Some((token.range.end, false)),
                _ => {}
            },
            _ => {}
        }
        position += 1;
    }
    if let (Some((at, of)), false, Some(closing)) = (over, tested, tokens.get(end)) {
        insertions.push((at, if of { " __heddle_each(" } else { " __heddle_keys(" }));
        insertions.push((closing.range.start, ")"));
    }
}

/// Where the test of a `for` ends.
fn next_semicolon(tokens: &[SourceToken], closings: &Closings, from: usize) -> Option<usize> {
    let mut position = from;
    loop {
        let token = tokens.get(position)?;
        match token.kind {
            TokenKind::Punctuation(b'(' | b'[' | b'{') => position = closings.of(position)?,
            TokenKind::Punctuation(b')' | b']' | b'}') => return None,
            TokenKind::Punctuation(b';') => return Some(token.range.start),
            _ => {}
        }
        position += 1;
    }
}

/// For every token that opens a bracket, the token that closes it.
struct Closings(Vec<Option<usize>>);

impl Closings {
    fn new(tokens: &[SourceToken]) -> Self {
        let mut closings = vec![None; tokens.len()];
        let mut open = Vec::new();
        for (position, token) in tokens.iter().enumerate() {
            match token.kind {
                TokenKind::Punctuation(b'(' | b'[' | b'{') => open.push(position),
                TokenKind::Punctuation(b')' | b']' | b'}') => {
                    if let Some(opening) =
                        open.pop().and_then(|opening: usize| closings.get_mut(opening))
                    {
                        *opening = Some(position);
                    }
                }
                _ => {}
            }
        }
        Self(closings)
    }

    fn of(&self, open: usize) -> Option<usize> {
        self.0.get(open).copied().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::count_loops;

    #[test]
    fn every_kind_of_loop_counts() {
        for (source, counted) in [
            ("while (a < b) c()", "while ((a < b)&&__heddle_tick()) c()"),
            ("do x(); while (y)", "do x(); while ((y)&&__heddle_tick())"),
            (
                "for (let i = 0; i < 9, j; i++) f(i)",
                "for (let i = 0;( i < 9, j)&&__heddle_tick(); i++) f(i)",
            ),
            ("for (;;) f()", "for (;__heddle_tick();) f()"),
            ("for (const x of list.of) f(x)", "for (const x of __heddle_each( list.of)) f(x)"),
            ("for (k in o) f(k)", "for (k in __heddle_keys( o)) f(k)"),
            (
                "for await (const x of y) {}",
                "for await (const x of __heddle_each( y)) {__heddle_tick();}",
            ),
            (
                "for await (const x of y) f(x)",
                "for await (const x of __heddle_each( y))if(__heddle_tick()) f(x)",
            ),
            ("x.split(/,/).with(1)", "x.split((/,/)).with(1)"),
            (
                "for (;;) { for (const x of f(y)) g(x) }",
                "for (;__heddle_tick();) { for (const x of __heddle_each( f(y))) g(x) }",
            ),
            ("for (for (for (", "for (for (for ("),
            ("x.while(1); y.for(2); 'for (;;)'", "x.while(1); y.for(2); 'for (;;)'"),
        ] {
            assert_eq!(count_loops(source).as_deref(), Ok(counted));
        }
    }

    #[test]
    fn issue_14_00_names_mean_what_they_say() {
        for source in [
            "with (x) f()",
            "const __heddle_tick = () => true",
            "let \\u005f_heddle_tick",
            "f\\u006fr",
            "({ __heddle_each: 1 })",
        ] {
            assert!(count_loops(source).is_err(), "{source}");
        }
        assert!(count_loops("list.with(0, 1); 'with (x) \\u005f __heddle'").is_ok());
    }

    #[test]
    fn issue_14_00_loops_inside_of_each_other_are_read_once() {
        let began = compute::cpu_used();
        for part in ["for(", "while(", "for(;", "for(;{"] {
            for closing in ["", ")"] {
                let _ =
                    count_loops(&format!("{}{}", part.repeat(100_000), closing.repeat(100_000)));
            }
        }
        assert!(compute::cpu_used() - began < std::time::Duration::from_secs(5));
    }
}
