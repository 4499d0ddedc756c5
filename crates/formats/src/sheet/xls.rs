//! Excel's old binary workbooks.

use super::{MAX_CELLS, Sheet, SheetCell, Spreadsheet, bomb, unreadable};
use calamine::{CellErrorType, Data, Reader as _, Xls};
use ports::NodeError;
use std::io::{Cursor, Read as _};

/// Records that place a cell: number, text, truth value, formula, blank and the packed forms.
const CELL_RECORDS: &[u16] =
    &[0x0203, 0x0204, 0x0205, 0x0006, 0x0201, 0x027e, 0x00fd, 0x00bd, 0x00be, 0x00d6];
const BEGIN: u16 = 0x0809;

pub(super) fn read(data: &[u8]) -> Result<Spreadsheet, NodeError> {
    check_area(data)?;
    let mut workbook: Xls<_> = Xls::new(Cursor::new(data))
        .map_err(|error| unreadable(format!("The spreadsheet cannot be read: {error}")))?;
    let mut book = Spreadsheet::default();
    for (name, range) in workbook.worksheets() {
        let mut sheet = Sheet::default();
        let (top, left) = range.start().unwrap_or_default();
        for (row, column, value) in range.used_cells() {
            if let Some(cell) = cell(value) {
                sheet.set(top + row as u32, left + column as u32, cell)?;
            }
        }
        book.sheets.push((name.as_str().into(), sheet));
    }
    Ok(book)
}

fn cell(value: &Data) -> Option<SheetCell> {
    Some(match value {
        Data::Int(number) => SheetCell::Number(*number as f64),
        Data::Float(number) => SheetCell::Number(*number),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => {
            SheetCell::Text(text.as_str().into())
        }
        Data::Bool(flag) => SheetCell::Bool(*flag),
        Data::DateTime(date) => SheetCell::Date(date.as_f64()),
        Data::Error(CellErrorType::Null) => SheetCell::NullError,
        Data::Error(_) => SheetCell::Error,
        Data::Empty => return None,
    })
}

/// The reader lays each sheet out in full, so two far-off cells in each of many sheets would ask
/// for all memory.
fn check_area(data: &[u8]) -> Result<(), NodeError> {
    let failed =
        |error: std::io::Error| unreadable(format!("The spreadsheet cannot be read: {error}"));
    let mut file = cfb::CompoundFile::open(Cursor::new(data)).map_err(failed)?;
    if file.is_stream("/EncryptedPackage") {
        return Err(unreadable("File is password-protected"));
    }
    let name =
        ["/Workbook", "/Book", "/WORKBOOK", "/BOOK"].into_iter().find(|name| file.is_stream(name));
    let Some(name) = name else { return Err(unreadable("The file does not contain a workbook")) };
    let mut stream = Vec::new();
    file.open_stream(name)
        .map_err(failed)?
        .take(data.len() as u64 + 1)
        .read_to_end(&mut stream)
        .map_err(failed)?;
    let mut total = 0u64;
    let (mut rows, mut columns) = (None::<(u64, u64)>, None::<(u64, u64)>);
    let mut rest = stream.as_slice();
    let grow = |span: Option<(u64, u64)>, at: u64| {
        Some(span.map_or((at, at), |(from, to)| (from.min(at), to.max(at))))
    };
    let area = |rows: Option<(u64, u64)>, columns: Option<(u64, u64)>| match (rows, columns) {
        (Some((top, bottom)), Some((left, right))) => (bottom - top + 1) * (right - left + 1),
        _ => 0,
    };
    while let [kind_low, kind_high, length_low, length_high, after @ ..] = rest {
        let kind = u16::from_le_bytes([*kind_low, *kind_high]);
        let length = usize::from(u16::from_le_bytes([*length_low, *length_high]));
        let body = after.get(..length.min(after.len())).unwrap_or_default();
        if kind == BEGIN {
            total += area(rows, columns);
            (rows, columns) = (None, None);
        } else if CELL_RECORDS.contains(&kind) && body.len() >= 4 {
            rows = grow(rows, u64::from(u16::from_le_bytes([body[0], body[1]])));
            columns = grow(columns, u64::from(u16::from_le_bytes([body[2], body[3]])));
            // The packed forms end with their last column.
            if matches!(kind, 0x00bd | 0x00be) && body.len() >= 6 {
                columns = grow(
                    columns,
                    u64::from(u16::from_le_bytes([body[body.len() - 2], body[body.len() - 1]])),
                );
            }
        }
        rest = after.get(length..).unwrap_or_default();
    }
    total += area(rows, columns);
    if total > MAX_CELLS as u64 {
        return Err(bomb(format!(
            "The spreadsheet has {total} cells, which exceeds the limit of {MAX_CELLS}"
        )));
    }
    Ok(())
}
