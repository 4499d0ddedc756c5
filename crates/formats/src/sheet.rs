//! Spreadsheets of every format as one kind of sheet, and the items they become.

mod biff;
mod csv_loose;
mod csv_strict;
mod html;
mod infer_type;
mod number;
mod ods;
mod rows;
mod rtf;
mod table;
mod write;
mod xls;
mod xlsx;

pub use csv_strict::{CsvOptions, CsvReader};
pub use rows::{RowOptions, rows};
pub use write::{SheetFormat, WriteOptions, write};

use model::{Code, Str};
use ports::NodeError;
use std::collections::BTreeMap;

/// More filled cells than this are no honest spreadsheet.
const MAX_CELLS: usize = 20_000_000;
/// What a spreadsheet that is a ZIP archive may unpack to.
const MAX_UNPACKED: u64 = 1 << 30;

/// The value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum SheetCell {
    Text(Str),
    Number(f64),
    /// A date as the number of days that spreadsheets count.
    Date(f64),
    Bool(bool),
    /// `#DIV/0!` and the like.
    Error,
    /// `#NULL!`, the one error that is read as a value.
    NullError,
    /// The cell of a field that is null, where other fields of the row are not there at all.
    Null,
}

/// One sheet: only the cells that hold something, by row and column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    rows: BTreeMap<u32, BTreeMap<u32, SheetCell>>,
    count: usize,
}

/// The sheets of a file, in order.
#[derive(Debug, Default)]
pub struct Spreadsheet {
    pub sheets: Vec<(Str, Sheet)>,
}

/// The part of a sheet that is looked at: rows and columns from and to, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CellRange {
    from: (u32, u32),
    to: (u32, u32),
}

impl Sheet {
    fn set(&mut self, row: u32, column: u32, cell: SheetCell) -> Result<(), NodeError> {
        self.count += 1;
        if self.count > MAX_CELLS {
            return Err(bomb(format!("The spreadsheet exceeds the limit of {MAX_CELLS} cells")));
        }
        self.rows.entry(row).or_default().insert(column, cell);
        Ok(())
    }

    fn get(&self, row: u32, column: u32) -> Option<&SheetCell> {
        self.rows.get(&row)?.get(&column)
    }

    /// The smallest area that holds every cell.
    fn area(&self) -> Option<CellRange> {
        let (first, last) = (*self.rows.keys().next()?, *self.rows.keys().next_back()?);
        let columns = || {
            self.rows
                .values()
                .filter_map(|row| Some((*row.keys().next()?, *row.keys().next_back()?)))
        };
        let left = columns().map(|(left, _)| left).min()?;
        let right = columns().map(|(_, right)| right).max()?;
        Some(CellRange { from: (first, left), to: (last, right) })
    }
}

/// Reads a file whose format its content tells, whatever it is called. `raw` leaves texts as texts
/// where the format has no types.
pub fn read(data: &[u8], raw: bool) -> Result<Spreadsheet, NodeError> {
    let refused = |kind: &str| Err(unreadable(format!("{kind} is not a spreadsheet")));
    match data {
        [] => Ok(Spreadsheet::one(Sheet::default())),
        [0xd0, 0xcf, 0x11, 0xe0, ..] => xls::read(data),
        [b'P', b'K', 3, 4, ..] => {
            check_archive(data)?;
            if ods::is_ods(data) { ods::read(data) } else { xlsx::read(data) }
        }
        [0x89, b'P', b'N', b'G', ..] => refused("PNG Image File"),
        [b'%', b'P', b'D', b'F', ..] => refused("PDF File"),
        [0xff, 0xd8, 0xff, ..] => refused("JPEG Image File"),
        [b'{', b'\\', b'r', b't', b'f', ..] => rtf::read(&text_of(data)),
        _ => {
            let text = text_of(data);
            if text.trim_start().starts_with('<') {
                html::read(&text, raw)
            } else {
                csv_loose::read(&text, raw)
            }
        }
    }
}

impl Spreadsheet {
    fn one(sheet: Sheet) -> Self {
        Self { sheets: vec![("Sheet1".into(), sheet)] }
    }
}

/// UTF-8 if it is, else the code page that most old files have.
fn text_of(data: &[u8]) -> String {
    let encoding = match data {
        [0xff, 0xfe, ..] => "utf16le",
        [0xfe, 0xff, ..] => "utf16be",
        _ if std::str::from_utf8(data).is_ok() => "utf8",
        _ => "windows1252",
    };
    crate::encoding::decode(data, encoding, true).unwrap_or_default()
}

/// Refuses an archive that would unpack to more than the limit, whatever its directory claims.
fn check_archive(data: &[u8]) -> Result<(), NodeError> {
    // Deflate cannot do better than about 1 to 1032, so a small file cannot be a bomb.
    if (data.len() as u64).saturating_mul(1032) <= MAX_UNPACKED {
        return Ok(());
    }
    crate::unpack::measure(data, MAX_UNPACKED)
}

fn bomb(message: String) -> NodeError {
    NodeError::new(Code::INPUT_BOMB, message).hint("Split the file into smaller ones.")
}

fn unreadable(message: impl Into<Str>) -> NodeError {
    NodeError::input(message)
}

#[cfg(test)]
mod tests;
