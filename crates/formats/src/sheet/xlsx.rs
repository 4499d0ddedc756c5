//! Excel's XML workbooks, read cell by cell, so that a far-off cell costs nothing.

use super::{Sheet, SheetCell, Spreadsheet, unreadable};
use calamine::{CellErrorType, DataRef, Reader as _, Xlsx};
use ports::NodeError;
use std::io::Cursor;

pub(super) fn read(data: &[u8]) -> Result<Spreadsheet, NodeError> {
    let failed =
        |error: calamine::XlsxError| unreadable(format!("The spreadsheet cannot be read: {error}"));
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(data)).map_err(failed)?;
    let mut book = Spreadsheet::default();
    for name in workbook.sheet_names() {
        let mut sheet = Sheet::default();
        match workbook.worksheet_cells_reader(&name) {
            Ok(mut cells) => {
                while let Some(cell) = cells.next_cell().map_err(failed)? {
                    let (row, column) = cell.get_position();
                    if let Some(value) = value(cell.get_value()) {
                        sheet.set(row, column, value)?;
                    }
                }
            }
            // A sheet that is a chart has no cells.
            Err(
                calamine::XlsxError::NotAWorksheet(_) | calamine::XlsxError::WorksheetNotFound(_),
            ) => {}
            Err(error) => return Err(failed(error)),
        }
        book.sheets.push((name.as_str().into(), sheet));
    }
    Ok(book)
}

fn value(data: &DataRef<'_>) -> Option<SheetCell> {
    Some(match data {
        DataRef::Int(number) => SheetCell::Number(*number as f64),
        DataRef::Float(number) => SheetCell::Number(*number),
        DataRef::String(text) => SheetCell::Text(text.as_str().into()),
        DataRef::SharedString(text) => SheetCell::Text((*text).into()),
        DataRef::Bool(flag) => SheetCell::Bool(*flag),
        DataRef::DateTime(date) => SheetCell::Date(date.as_f64()),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            SheetCell::Text(text.as_str().into())
        }
        DataRef::Error(CellErrorType::Null) => SheetCell::NullError,
        DataRef::Error(_) => SheetCell::Error,
        DataRef::Empty => return None,
    })
}
