//! AlaSQL's spellings that SQLite has other words for.

use super::lexer::SqlTokenKind;
use super::template::{QueryToken, significant};

/// A token as SQLite spells it.
pub(super) fn translate_token<'q>(
    kind: SqlTokenKind,
    text: &'q str,
    pieces: &[QueryToken<'q>],
    index: usize,
) -> &'q str {
    if kind != SqlTokenKind::Word {
        return text;
    }
    let next = || pieces[index + 1..].iter().find_map(significant).unwrap_or_default();
    let is_called = || next() == "(";
    match text.to_ascii_lowercase().as_str() {
        "outer" if next().eq_ignore_ascii_case("join") && !has_side(&pieces[..index]) => {
            "FULL OUTER"
        }
        "len" if is_called() => "length",
        "nvl" | "isnull" if is_called() => "ifnull",
        "ucase" if is_called() => "upper",
        "lcase" if is_called() => "lower",
        _ => text,
    }
}

/// Whether the join says on which side rows without a partner stay.
fn has_side(before: &[QueryToken<'_>]) -> bool {
    let word = before.iter().rev().find_map(significant).unwrap_or_default();
    ["left", "right", "full"].iter().any(|side| word.eq_ignore_ascii_case(side))
}
