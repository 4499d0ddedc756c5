//! Writes Excel's old binary workbook (BIFF8 inside a compound file): one sheet of texts, numbers
//! and truth values.

use super::SheetCell;
use super::table::SheetTable;
use model::Str;
use ports::NodeError;
use std::collections::HashMap;
use std::io::{Cursor, Write as _};

/// The body of a record may not be longer; what is left goes into records that continue it.
const MAX_BODY: usize = 8224;
const CONTINUE: u16 = 0x003c;
/// The format of all cells: the first behind the fifteen that every workbook has.
const CELL_FORMAT: u16 = 15;

pub(super) fn write(table: &SheetTable<'_>, sheet_name: &str) -> Result<Vec<u8>, NodeError> {
    if table.height() > 65_536 || table.width() > 256 {
        let message = format!(
            "The data has {} rows and {} columns, which exceeds the format's limit of 65536 rows and 256 columns",
            table.height(),
            table.width()
        );
        return Err(NodeError::input(message).hint("Write an XLSX or CSV file instead."));
    }
    let strings = StringTable::of(table)?;
    // The place of the sheet stands in the part before it, whose length does not depend on the
    // number.
    let before = globals(&strings, sheet_name, 0).len();
    let mut stream = globals(&strings, sheet_name, before as u32);
    stream.extend(sheet(table, &strings));
    let failed = |error: std::io::Error| {
        NodeError::failed(format!("Could not write the spreadsheet: {error}"))
    };
    let mut file =
        cfb::CompoundFile::create_with_version(cfb::Version::V3, Cursor::new(Vec::new()))
            .map_err(failed)?;
    file.create_stream("/Workbook").map_err(failed)?.write_all(&stream).map_err(failed)?;
    file.flush().map_err(failed)?;
    Ok(file.into_inner().into_inner())
}

/// Every different text once, in the order of its number.
#[derive(Default)]
struct StringTable {
    numbers: HashMap<Str, u32>,
    texts: Vec<Str>,
    uses: u32,
}

impl StringTable {
    fn of(table: &SheetTable<'_>) -> Result<Self, NodeError> {
        let mut strings = StringTable::default();
        for cell in table.rows().flatten().flatten() {
            if let SheetCell::Text(text) = cell {
                if text.encode_utf16().count() > 32_767 {
                    return Err(NodeError::input("Text length must not exceed 32767 characters"));
                }
                strings.uses += 1;
                if !strings.numbers.contains_key(&text) {
                    strings.numbers.insert(text.clone(), strings.texts.len() as u32);
                    strings.texts.push(text);
                }
            }
        }
        Ok(strings)
    }

    /// The table of texts. A text that does not fit goes on in the next record, which begins with
    /// its width mark again.
    fn write(&self, out: &mut Vec<u8>) {
        let mut body: Vec<u8> = Vec::with_capacity(MAX_BODY);
        body.extend(self.uses.to_le_bytes());
        body.extend((self.texts.len() as u32).to_le_bytes());
        let mut kind = 0x00fc;
        let mut flush = |body: &mut Vec<u8>| {
            record(out, kind, body);
            kind = CONTINUE;
            body.clear();
        };
        for text in &self.texts {
            let units: Vec<u16> = text.encode_utf16().collect();
            if body.len() + 5 > MAX_BODY {
                flush(&mut body);
            }
            body.extend((units.len() as u16).to_le_bytes());
            body.push(1);
            for unit in units {
                if body.len() + 2 > MAX_BODY {
                    flush(&mut body);
                    body.push(1);
                }
                body.extend(unit.to_le_bytes());
            }
        }
        flush(&mut body);
    }
}

fn globals(strings: &StringTable, sheet_name: &str, sheet_start: u32) -> Vec<u8> {
    let mut out = Vec::new();
    begin(&mut out, 0x0005);
    record(&mut out, 0x0042, &1200u16.to_le_bytes());
    record(&mut out, 0x003d, &words(&[0x0168, 0x010e, 0x5c40, 0x3abe, 0x0038, 0, 0, 1, 0x0258]));
    // Number 4 is left out by the format itself, so five fonts are what programs expect.
    for _ in 0..5 {
        let mut font = words(&[200, 0, 0x7fff, 400, 0]);
        font.extend([0, 2, 0, 0]);
        font.extend(short_text("Arial"));
        record(&mut out, 0x0031, &font);
    }
    for number in 0..=CELL_FORMAT {
        let is_style = number < CELL_FORMAT;
        let mut format = words(&[0, 0, if is_style { 0xfff5 } else { 0x0001 }]);
        format.extend([
            0x20,
            0,
            0,
            if is_style { 0xf4 } else { 0 },
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            0xc0,
            0x20,
        ]);
        record(&mut out, 0x00e0, &format);
    }
    record(&mut out, 0x0293, &[0x00, 0x80, 0x00, 0xff]);
    let mut place = sheet_start.to_le_bytes().to_vec();
    place.extend([0, 0]);
    place.extend(short_text(sheet_name));
    record(&mut out, 0x0085, &place);
    strings.write(&mut out);
    record(&mut out, 0x000a, &[]);
    out
}

fn sheet(table: &SheetTable<'_>, strings: &StringTable) -> Vec<u8> {
    let mut out = Vec::new();
    begin(&mut out, 0x0010);
    let mut size = 0u32.to_le_bytes().to_vec();
    size.extend((table.height() as u32).to_le_bytes());
    size.extend(words(&[0, table.width() as u16, 0]));
    record(&mut out, 0x0200, &size);
    for (row_number, row) in table.rows().enumerate() {
        for (column, cell) in row.iter().enumerate() {
            let mut body = words(&[row_number as u16, column as u16, CELL_FORMAT]);
            match cell {
                Some(SheetCell::Text(text)) => {
                    body.extend(
                        strings.numbers.get(text).copied().unwrap_or_default().to_le_bytes(),
                    );
                    record(&mut out, 0x00fd, &body);
                }
                Some(SheetCell::Number(number) | SheetCell::Date(number)) if number.is_finite() => {
                    body.extend(number.to_le_bytes());
                    record(&mut out, 0x0203, &body);
                }
                Some(SheetCell::Bool(flag)) => {
                    body.extend([u8::from(*flag), 0]);
                    record(&mut out, 0x0205, &body);
                }
                _ => {}
            }
        }
    }
    record(&mut out, 0x023e, &words(&[0x06b6, 0, 0, 0x40, 0, 0, 0, 0, 0]));
    record(&mut out, 0x000a, &[]);
    out
}

fn begin(out: &mut Vec<u8>, kind: u16) {
    let mut body = words(&[0x0600, kind, 0x0dbb, 0x07cc]);
    body.extend([0, 0, 0, 0, 6, 0, 0, 0]);
    record(out, 0x0809, &body);
}

fn record(out: &mut Vec<u8>, kind: u16, body: &[u8]) {
    out.extend(kind.to_le_bytes());
    out.extend((body.len() as u16).to_le_bytes());
    out.extend_from_slice(body);
}

fn words(words: &[u16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A text of at most 255 letters with its length in one byte.
fn short_text(text: &str) -> Vec<u8> {
    let units: Vec<u16> = text.encode_utf16().take(255).collect();
    let mut out = vec![units.len() as u8, 1];
    out.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    out
}
