//! Writes items as a spreadsheet file.

use super::rows::text;
use super::table::SheetTable;
use super::{SheetCell, biff, ods};
use crate::ticker::tick;
use model::{Code, Items, Str};
use ports::NodeError;
use rust_xlsxwriter::Workbook;
use std::fmt::Write as _;

/// The text of a file while it is put together.
const MAX_FILE: usize = 512 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SheetFormat {
    Csv,
    Html,
    Ods,
    Rtf,
    Xls,
    Xlsx,
}

impl SheetFormat {
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "csv" => SheetFormat::Csv,
            "html" => SheetFormat::Html,
            "ods" => SheetFormat::Ods,
            "rtf" => SheetFormat::Rtf,
            "xls" => SheetFormat::Xls,
            "xlsx" => SheetFormat::Xlsx,
            _ => return None,
        })
    }
}

#[derive(Clone, Debug)]
pub struct WriteOptions {
    pub with_header: bool,
    pub compress: bool,
    pub sheet_name: Str,
    pub delimiter: Str,
}

pub fn write(
    items: &Items,
    format: SheetFormat,
    options: &WriteOptions,
) -> Result<Vec<u8>, NodeError> {
    check_sheet_name(&options.sheet_name)?;
    let table = SheetTable::new(items, options.with_header)?;
    tick()?;
    Ok(match format {
        SheetFormat::Csv => csv(&table, &options.delimiter)?.into_bytes(),
        SheetFormat::Html => html(&table)?.into_bytes(),
        SheetFormat::Rtf => rtf(&table)?.into_bytes(),
        SheetFormat::Ods => ods::write(&table, &options.sheet_name, options.compress)?,
        SheetFormat::Xls => biff::write(&table, &options.sheet_name)?,
        SheetFormat::Xlsx => xlsx(&table, &options.sheet_name)?,
    })
}

/// Escapes and marks can make a file many times as long as what is in it.
pub(super) fn check_length(out: &str) -> Result<(), NodeError> {
    if out.len() <= MAX_FILE {
        return Ok(());
    }
    let message = format!("The file would exceed the limit of {} MB", MAX_FILE >> 20);
    Err(NodeError::new(Code::INPUT_BOMB, message).hint("Write fewer items, or another format."))
}

fn check_sheet_name(name: &str) -> Result<(), NodeError> {
    let refuse = |message: &str| Err(NodeError::parameter("options.sheetName", message));
    match name {
        "" => refuse("Sheet name cannot be blank"),
        _ if name.encode_utf16().count() > 31 => refuse("Sheet name cannot exceed 31 chars"),
        _ if name.starts_with('\'') || name.ends_with('\'') => {
            refuse("Sheet name cannot start or end with apostrophe (')")
        }
        _ if name.eq_ignore_ascii_case("history") => refuse("Sheet name cannot be 'History'"),
        _ if name.contains(['\\', '/', '?', '*', '[', ']', ':']) => {
            refuse("Sheet name cannot contain : \\ / ? * [ ]")
        }
        _ => Ok(()),
    }
}

/// With a byte order mark, by which spreadsheet programs know that the text is UTF-8.
fn csv(table: &SheetTable<'_>, delimiter: &str) -> Result<String, NodeError> {
    let delimiter = if delimiter.is_empty() { "," } else { delimiter };
    let first = delimiter.chars().next().unwrap_or(',');
    let mut out = String::from("\u{feff}");
    for (number, row) in table.rows().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        for (position, cell) in row.iter().enumerate() {
            if position > 0 {
                out.push_str(delimiter);
            }
            let Some(cell) = cell else { continue };
            let shown = text(cell);
            // A file that begins with ID is taken for another format by some programs.
            let is_id = number == 0 && position == 0 && shown == "ID";
            if is_id || shown.contains([first, '\n', '"']) {
                let _ = write!(out, "\"{}\"", shown.replace('"', "\"\""));
            } else {
                out.push_str(&shown);
            }
        }
        check_length(&out)?;
    }
    Ok(out)
}

fn html(table: &SheetTable<'_>) -> Result<String, NodeError> {
    let mut out = String::from(
        "<html><head><meta charset=\"utf-8\"/><title>SheetJS Table Export</title></head><body><table>",
    );
    for (row_number, row) in table.rows().enumerate() {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let place = format!("sjs-{}{}", column_name(column), row_number + 1);
            let _ = match cell {
                None => write!(out, "<td id=\"{place}\"></td>"),
                Some(SheetCell::Null) => write!(out, "<td data-t=\"z\" id=\"{place}\"></td>"),
                Some(cell) => {
                    let (kind, value) = match cell {
                        SheetCell::Number(number) | SheetCell::Date(number) => {
                            ("n", model::number_to_string(*number))
                        }
                        SheetCell::Bool(flag) => ("b", flag.to_string()),
                        SheetCell::Text(value) => ("s", value.to_string()),
                        SheetCell::Error | SheetCell::NullError | SheetCell::Null => {
                            ("e", String::new())
                        }
                    };
                    let shown = escape_html(&text(cell));
                    let keeps_space = if shown.starts_with(char::is_whitespace)
                        || shown.ends_with(char::is_whitespace)
                    {
                        " xml:space=\"preserve\""
                    } else {
                        ""
                    };
                    write!(
                        out,
                        "<td data-t=\"{kind}\" data-v=\"{}\" id=\"{place}\"{keeps_space}>{shown}</td>",
                        escape_html(&value)
                    )
                }
            };
        }
        out.push_str("</tr>");
        check_length(&out)?;
    }
    out.push_str("</table></body></html>");
    Ok(out)
}

fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' => out.push_str("<br/>"),
            letter if (letter as u32) < 0x20 => {
                let _ = write!(out, "&#x{:04x};", letter as u32);
            }
            letter => out.push(letter),
        }
    }
    out
}

fn column_name(mut column: usize) -> String {
    let mut name = Vec::new();
    loop {
        name.push((b'A' + (column % 26) as u8) as char);
        if column < 26 {
            break;
        }
        column = column / 26 - 1;
    }
    name.iter().rev().collect()
}

fn rtf(table: &SheetTable<'_>) -> Result<String, NodeError> {
    let mut out = String::from("{\\rtf1\\ansi");
    for row in table.rows() {
        out.push_str("\\trowd\\trautofit1");
        for column in 1..=row.len() {
            let _ = write!(out, "\\cellx{column}");
        }
        out.push_str("\\pard\\intbl");
        for cell in &row {
            out.push(' ');
            for letter in cell.as_ref().map(text).unwrap_or_default().chars() {
                match letter {
                    '\r' => {}
                    '\n' => out.push_str("\\par "),
                    '\\' | '{' | '}' => {
                        out.push('\\');
                        out.push(letter);
                    }
                    letter if letter.is_ascii() => out.push(letter),
                    letter => {
                        for unit in letter.encode_utf16(&mut [0; 2]) {
                            let _ = write!(out, "\\u{}?", *unit as i16);
                        }
                    }
                }
            }
            out.push_str("\\cell");
        }
        out.push_str("\\pard\\intbl\\row");
        check_length(&out)?;
    }
    out.push('}');
    Ok(out)
}

fn xlsx(table: &SheetTable<'_>, sheet_name: &str) -> Result<Vec<u8>, NodeError> {
    let failed = |error: rust_xlsxwriter::XlsxError| {
        NodeError::failed(format!("Could not write the spreadsheet: {error}"))
    };
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet();
    sheet.set_name(sheet_name).map_err(failed)?;
    for (row_number, row) in table.rows().enumerate() {
        let row_number = u32::try_from(row_number)
            .map_err(|_| NodeError::failed("The spreadsheet has too many rows"))?;
        for (column, cell) in row.iter().enumerate() {
            let column = u16::try_from(column)
                .map_err(|_| NodeError::failed("The spreadsheet has too many columns"))?;
            match cell {
                Some(SheetCell::Text(text)) if text.encode_utf16().count() > 32_767 => {
                    return Err(NodeError::input("Text length must not exceed 32767 characters"));
                }
                Some(SheetCell::Text(text)) => {
                    sheet.write_string(row_number, column, text.as_str()).map(|_| ())
                }
                Some(SheetCell::Number(number) | SheetCell::Date(number)) if number.is_finite() => {
                    sheet.write_number(row_number, column, *number).map(|_| ())
                }
                Some(SheetCell::Bool(flag)) => {
                    sheet.write_boolean(row_number, column, *flag).map(|_| ())
                }
                _ => Ok(()),
            }
            .map_err(failed)?;
        }
    }
    workbook.save_to_buffer().map_err(failed)
}
