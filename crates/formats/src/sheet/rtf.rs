//! The tables of a rich text file, read as one sheet.

use super::{Sheet, SheetCell, Spreadsheet, infer_type, unreadable};
use ports::NodeError;

pub(super) fn read(text: &str) -> Result<Spreadsheet, NodeError> {
    let mut sheet = Sheet::default();
    let mut rest = text;
    let mut row = 0u32;
    while let Some(start) = rest.find("\\trowd") {
        let after = &rest[start..];
        let Some(end) = row_end(after) else { break };
        read_row(&after[..end], row, &mut sheet)?;
        row += 1;
        rest = &after[end..];
    }
    if row == 0 {
        return Err(unreadable("RTF missing table"));
    }
    Ok(Spreadsheet::one(sheet))
}

/// The place of the control word `\row`, which is not the start of a longer one.
fn row_end(text: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find("\\row").map(|offset| at + offset) {
        at = found + 4;
        if !text.as_bytes().get(at).is_some_and(u8::is_ascii_alphanumeric) {
            return Some(at);
        }
    }
    None
}

fn read_row(text: &str, row: u32, sheet: &mut Sheet) -> Result<(), NodeError> {
    let mut column = 0u32;
    let mut content = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('\\') {
        let data = &rest[..start];
        content
            .push_str(data.strip_prefix(' ').unwrap_or(data).trim_matches(['{', '}', '\r', '\n']));
        let word: String = rest[start + 1..]
            .chars()
            .take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '-')
            .collect();
        rest = &rest[start + 1 + word.len()..];
        match word.as_str() {
            // A backslash before a sign stands for the sign, and `\'e9` for a letter of the code
            // page.
            "" => {
                let mut letters = rest.chars();
                let sign = letters.next();
                rest = letters.as_str();
                match sign {
                    Some('\'') => {
                        let digits: String = rest.chars().take(2).collect();
                        rest = rest.get(digits.len()..).unwrap_or_default();
                        if let Ok(byte) = u8::from_str_radix(&digits, 16) {
                            content.push_str(
                                &encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[byte]).0,
                            );
                        }
                    }
                    Some(sign @ ('\\' | '{' | '}')) => content.push(sign),
                    _ => {}
                }
            }
            "par" | "line" => content.push('\n'),
            "cell" => {
                if !content.is_empty() {
                    sheet.set(row, column, value(&content))?;
                }
                content.clear();
                column += 1;
            }
            word => {
                if let Some(code) =
                    word.strip_prefix('u').and_then(|digits| digits.parse::<i32>().ok())
                {
                    content.extend(char::from_u32((code & 0xffff) as u32));
                    // The letter after it is for readers that do not know the word.
                    rest = rest.strip_prefix('?').unwrap_or(rest);
                }
            }
        }
    }
    Ok(())
}

fn value(content: &str) -> SheetCell {
    match content {
        "TRUE" => SheetCell::Bool(true),
        "FALSE" => SheetCell::Bool(false),
        _ => infer_type::number(content)
            .map_or_else(|| SheetCell::Text(content.into()), SheetCell::Number),
    }
}
