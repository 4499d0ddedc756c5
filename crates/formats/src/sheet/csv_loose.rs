//! Comma-separated text read as a spreadsheet program would: the separator is guessed, and texts
//! that look like numbers are numbers.

use super::{Sheet, Spreadsheet, infer_type};
use ports::NodeError;

pub(super) fn read(text: &str, raw: bool) -> Result<Spreadsheet, NodeError> {
    let (text, separator) =
        match text.strip_prefix("sep=").and_then(|rest| Some((rest.chars().next()?, rest))) {
            Some((separator, rest)) => {
                (rest[separator.len_utf8()..].trim_start_matches(['\r', '\n']), separator)
            }
            None => (text, guess_separator(text)),
        };
    let mut sheet = Sheet::default();
    let (mut row, mut column) = (0u32, 0u32);
    let mut field = String::new();
    let mut letters = text.chars().peekable();
    let mut is_quoted = false;
    let mut finish = |field: &mut String, row: u32, column: u32| -> Result<(), NodeError> {
        if let Some(cell) = infer_type::cell(field, raw) {
            sheet.set(row, column, cell)?;
        }
        field.clear();
        Ok(())
    };
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => {
                letters.next();
                field.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if field.is_empty() => is_quoted = true,
            _ if is_quoted => field.push(letter),
            _ if letter == separator => {
                finish(&mut field, row, column)?;
                column += 1;
            }
            '\r' | '\n' => {
                if letter == '\r' && letters.peek() == Some(&'\n') {
                    letters.next();
                }
                finish(&mut field, row, column)?;
                (row, column) = (row + 1, 0);
            }
            letter => field.push(letter),
        }
    }
    finish(&mut field, row, column)?;
    Ok(Spreadsheet::one(sheet))
}

/// The separator that occurs most often outside of quotes near the start; a comma wins a draw.
fn guess_separator(text: &str) -> char {
    let mut counts = [(',', 0), ('\t', 0), (';', 0), ('|', 0)];
    let mut is_quoted = false;
    for letter in text.chars().take(1024) {
        if letter == '"' {
            is_quoted = !is_quoted;
        } else if !is_quoted
            && let Some((_, count)) = counts.iter_mut().find(|(separator, _)| *separator == letter)
        {
            *count += 1;
        }
    }
    let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
    counts.iter().find(|(_, count)| *count == most).map_or(',', |(separator, _)| *separator)
}
