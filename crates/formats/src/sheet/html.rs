//! Tables in an HTML page: each is a sheet. Scanned in one pass; nothing is loaded, run or
//! expanded.

use super::{Sheet, Spreadsheet, infer_type, unreadable};
use model::Str;
use ports::NodeError;
use std::collections::HashSet;

/// Spans beyond this are no honest table.
const MAX_SPAN: u32 = 10_000;

pub(super) fn read(page: &str, raw: bool) -> Result<Spreadsheet, NodeError> {
    let lower = page.to_ascii_lowercase();
    let mut book = Spreadsheet::default();
    let mut at = 0;
    while let Some(start) = find_tag(&lower, at, "table") {
        let end = lower[start..].find("</table").map_or(page.len(), |offset| start + offset);
        let name = Str::from(format!("Sheet{}", book.sheets.len() + 1));
        book.sheets.push((name, table(&page[start..end], &lower[start..end], raw)?));
        at = end.max(start + 1);
    }
    if book.sheets.is_empty() {
        return Err(unreadable("Invalid HTML: could not find <table>"));
    }
    Ok(book)
}

fn table(text: &str, lower: &str, raw: bool) -> Result<Sheet, NodeError> {
    let mut sheet = Sheet::default();
    let mut taken: HashSet<(u32, u32)> = HashSet::new();
    let (mut row, mut column) = (0u32, 0u32);
    let mut has_row = false;
    let mut at = 0;
    while let Some(open) = lower[at..].find('<').map(|offset| at + offset) {
        let is_row = is_tag(lower, open, "tr");
        let is_cell = is_tag(lower, open, "td") || is_tag(lower, open, "th");
        let Some(close) = tag_end(lower, open) else { break };
        at = close;
        if is_row {
            row += u32::from(has_row);
            (has_row, column) = (true, 0);
        } else if is_cell {
            has_row = true;
            let end = cell_end(lower, close);
            let attributes = &text[open..close];
            let spans = |name: &str| {
                attribute(attributes, name)
                    .and_then(|span| span.trim().parse().ok())
                    .unwrap_or(1u32)
                    .clamp(1, MAX_SPAN)
            };
            while taken.remove(&(row, column)) {
                column += 1;
            }
            let (wide, high) = (spans("colspan"), spans("rowspan"));
            let content = plain_text(&text[close..end]);
            let is_text =
                attribute(attributes, "data-t").or_else(|| attribute(attributes, "t")).as_deref()
                    == Some("s");
            if let Some(cell) = infer_type::cell(&content, raw || is_text) {
                sheet.set(row, column, cell)?;
            }
            if high > 1 && taken.len() < 1_000_000 {
                taken.extend(
                    (1..high)
                        .flat_map(|down| (0..wide).map(move |right| (row + down, column + right)))
                        .take(100_000),
                );
            }
            column = column.saturating_add(wide);
            at = end;
        }
    }
    Ok(sheet)
}

fn find_tag(lower: &str, from: usize, name: &str) -> Option<usize> {
    let mut at = from;
    while let Some(open) = lower.get(at..)?.find('<').map(|offset| at + offset) {
        if is_tag(lower, open, name) {
            return Some(open);
        }
        at = open + 1;
    }
    None
}

fn is_tag(lower: &str, open: usize, name: &str) -> bool {
    let rest = lower.as_bytes().get(open + 1..).unwrap_or_default();
    rest.starts_with(name.as_bytes())
        && rest.get(name.len()).is_none_or(|next| !next.is_ascii_alphanumeric())
}

/// The place behind the `>` of a tag; quoted values may contain one.
fn tag_end(text: &str, open: usize) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

/// The end of a cell's content: its closing tag, or whatever cell, row or table follows without
/// one.
fn cell_end(lower: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(open) = lower[at..].find('<').map(|offset| at + offset) {
        let ends = ["/td", "/th", "/tr", "/table", "td", "th", "tr"];
        if ends.iter().any(|name| is_tag(lower, open, name)) {
            return open;
        }
        at = open + 1;
    }
    lower.len()
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let lower = tag.to_ascii_lowercase();
    let mut at = 0;
    while let Some(found) = lower[at..].find(name).map(|offset| at + offset) {
        at = found + name.len();
        let is_start = lower[..found].ends_with([' ', '\t', '\n', '\r', '"', '\'']);
        let rest = tag[at..].trim_start();
        if is_start && let Some(value) = rest.strip_prefix('=') {
            let value = value.trim_start();
            return Some(match value.chars().next()? {
                quote @ ('"' | '\'') => value[1..].split(quote).next()?.to_owned(),
                _ => value.split([' ', '>', '\t', '\n']).next()?.to_owned(),
            });
        }
    }
    None
}

/// The text of a cell without its tags: line breaks stay, other white space becomes one blank.
fn plain_text(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while !rest.is_empty() {
        let (text, tag, after) = match rest.find('<') {
            Some(open) => match tag_end(rest, open) {
                Some(close) => (&rest[..open], &rest[open..close], &rest[close..]),
                None => (&rest[..open], "", ""),
            },
            None => (rest, "", ""),
        };
        for letter in text.chars() {
            match letter {
                ' ' | '\t' | '\n' | '\r' => {
                    if !out.ends_with([' ', '\n']) {
                        out.push(' ');
                    }
                }
                letter => out.push(letter),
            }
        }
        let name = tag.trim_start_matches('<').trim_start().to_ascii_lowercase();
        if name.starts_with("br") && name[2..].trim_start_matches([' ', '/', '>']).is_empty() {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
        }
        rest = after;
    }
    unescape(out.trim_matches(' '))
}

/// Entities of HTML that tables use. Others stay as they are.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        let letter = end.and_then(|end| match &rest[1..end] {
            "amp" => Some('&'),
            "lt" => Some('<'),
            "gt" => Some('>'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            "nbsp" => Some(' '),
            "middot" => Some('·'),
            entity => {
                let number = entity.strip_prefix('#')?;
                let code = match number.strip_prefix(['x', 'X']) {
                    Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code)
            }
        });
        match (letter, end) {
            (Some(letter), Some(end)) => {
                out.push(letter);
                rest = &rest[end + 1..];
            }
            _ => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}
