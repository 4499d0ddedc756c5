//! Makes every loop of a program count its turns.

use super::source::{Token, TokenKind, tokens};

/// The program with a call of `__heddle_tick` in every turn of every loop.
///
/// `while (c)` and `do … while (c)` count when their condition holds, `for (;;)` when its test does; `for … of` and `for … in` go
/// over what counts for them. The program's lines stay where they are.
pub(super) fn count_loops(source: &str) -> String {
    let tokens = tokens(source);
    let mut insertions: Vec<(usize, &str)> = Vec::new();
    for (position, token) in tokens.iter().enumerate() {
        let member = position > 0 && tokens.get(position - 1).is_some_and(|before| before.is(b'.'));
        if token.kind != TokenKind::Word || member {
            continue;
        }
        let mut open = position + 1;
        match token.text(source) {
            "while" => {
                if let Some(opening) = tokens.get(open).filter(|token| token.is(b'('))
                    && let Some(closing) = closing(&tokens, open)
                {
                    insertions.push((opening.range.end, "("));
                    insertions.push((closing, ")&&__heddle_tick()"));
                }
            }
            "for" => {
                if tokens.get(open).is_some_and(|token| token.text(source) == "await") {
                    open += 1;
                }
                if tokens.get(open).is_some_and(|token| token.is(b'(')) {
                    count_for(&tokens, open, source, &mut insertions);
                }
            }
            _ => {}
        }
    }
    insertions.sort_by_key(|(at, _)| *at);
    let mut counted = String::with_capacity(source.len() + insertions.len() * 20);
    let mut copied = 0;
    for (at, text) in insertions {
        counted.push_str(source.get(copied..at).unwrap_or_default());
        counted.push_str(text);
        copied = at;
    }
    counted.push_str(source.get(copied..).unwrap_or_default());
    counted
}

fn count_for(tokens: &[Token], open: usize, source: &str, insertions: &mut Vec<(usize, &str)>) {
    let mut depth = 0_usize;
    let mut over: Option<(usize, bool)> = None;
    let mut tested = false;
    for (position, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::Punctuation(b'(' | b'[' | b'{') => depth += 1,
            TokenKind::Punctuation(b')' | b']' | b'}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    if let (Some((at, of)), false) = (over, tested) {
                        insertions.push((at, if of { " __heddle_each(" } else { " __heddle_keys(" }));
                        insertions.push((token.range.start, ")"));
                    }
                    return;
                }
            }
            TokenKind::Punctuation(b';') if depth == 1 && !tested => {
                tested = true;
                if tokens.get(position + 1).is_some_and(|next| next.is(b';')) {
                    insertions.push((token.range.end, "__heddle_tick()"));
                } else if let Some(end) = next_semicolon(tokens, position + 1) {
                    // The test becomes one operand, whatever operators it has.
                    insertions.push((token.range.end, "("));
                    insertions.push((end, ")&&__heddle_tick()"));
                }
            }
            TokenKind::Word if depth == 1 && over.is_none() && position > open + 1 => match token.text(source) {
                "of" => over = Some((token.range.end, true)),
                "in" => over = Some((token.range.end, false)),
                _ => {}
            },
            _ => {}
        }
    }
}

/// Where the bracket that opens at a token closes.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for token in tokens.get(open..)? {
        match token.kind {
            TokenKind::Punctuation(b'(' | b'[' | b'{') => depth += 1,
            TokenKind::Punctuation(b')' | b']' | b'}') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(token.range.start);
                }
            }
            _ => {}
        }
    }
    None
}

/// Where the test of a `for` ends.
fn next_semicolon(tokens: &[Token], from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for token in tokens.get(from..)? {
        match token.kind {
            TokenKind::Punctuation(b'(' | b'[' | b'{') => depth += 1,
            TokenKind::Punctuation(b')' | b']' | b'}') => depth = depth.checked_sub(1)?,
            TokenKind::Punctuation(b';') if depth == 0 => return Some(token.range.start),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::count_loops;

    #[test]
    fn every_kind_of_loop_counts() {
        for (source, counted) in [
            ("while (a < b) c()", "while ((a < b)&&__heddle_tick()) c()"),
            ("do x(); while (y)", "do x(); while ((y)&&__heddle_tick())"),
            ("for (let i = 0; i < 9, j; i++) f(i)", "for (let i = 0;( i < 9, j)&&__heddle_tick(); i++) f(i)"),
            ("for (;;) f()", "for (;__heddle_tick();) f()"),
            ("for (const x of list.of) f(x)", "for (const x of __heddle_each( list.of)) f(x)"),
            ("for (k in o) f(k)", "for (k in __heddle_keys( o)) f(k)"),
            ("for await (const x of y) {}", "for await (const x of __heddle_each( y)) {}"),
            ("x.while(1); y.for(2); 'for (;;)'", "x.while(1); y.for(2); 'for (;;)'"),
        ] {
            assert_eq!(count_loops(source), counted);
        }
    }
}
