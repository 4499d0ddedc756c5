//! OpenDocument spreadsheets, both ways.

use super::table::SheetTable;
use super::{MAX_CELLS, Sheet, SheetCell, Spreadsheet, bomb, unreadable};
use ports::NodeError;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::fmt::Write as _;
use std::io::{Cursor, Read as _, Write as _};
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

const MIME_TYPE: &str = "application/vnd.oasis.opendocument.spreadsheet";
/// A filled cell or row repeated more often than this is no honest sheet.
const MAX_REPEATS: u32 = 16_384;

/// Whether an archive holds an OpenDocument file rather than an Excel one.
pub(super) fn is_ods(data: &[u8]) -> bool {
    ZipArchive::new(Cursor::new(data)).is_ok_and(|archive| {
        archive.index_for_name("content.xml").is_some()
            && archive.index_for_name("xl/workbook.xml").is_none()
    })
}

pub(super) fn read(data: &[u8]) -> Result<Spreadsheet, NodeError> {
    let mut archive = ZipArchive::new(Cursor::new(data)).map_err(|error| failed(&error))?;
    let mut xml = String::new();
    archive
        .by_name("content.xml")
        .map_err(|error| failed(&error))?
        .read_to_string(&mut xml)
        .map_err(|error| failed(&error))?;
    let mut reader = Reader::from_str(&xml);
    let mut book = Spreadsheet::default();
    let mut place = OdsReader::default();
    loop {
        match reader.read_event().map_err(|error| failed(&error))? {
            Event::Eof => return Ok(book),
            Event::Start(tag) => place.open(&tag, &mut book)?,
            Event::Empty(tag) => {
                place.open(&tag, &mut book)?;
                place.close(tag.name().as_ref(), &mut book)?;
            }
            Event::End(tag) => place.close(tag.name().as_ref(), &mut book)?,
            Event::Text(text) if place.in_text => place.text.push_str(&text),
            Event::GeneralRef(entity) if place.in_text => {
                let letter = entity.resolve_char_ref().ok().flatten().map(String::from);
                let known = letter.or_else(|| {
                    quick_xml::escape::resolve_predefined_entity(&entity).map(str::to_owned)
                });
                place.text.push_str(&known.unwrap_or_default());
            }
            _ => {}
        }
    }
}

fn failed(error: &dyn std::fmt::Display) -> NodeError {
    unreadable(format!("The spreadsheet cannot be read: {error}"))
}

/// Where in the document the reader is.
#[derive(Default)]
struct OdsReader {
    row: u32,
    column: u32,
    row_repeats: u32,
    cell_repeats: u32,
    cell: Option<SheetCell>,
    kind: String,
    paragraphs: usize,
    text: String,
    in_text: bool,
    /// Cells of the open row, to be repeated with it.
    filled: Vec<(u32, SheetCell)>,
}

impl OdsReader {
    fn open(&mut self, tag: &BytesStart<'_>, book: &mut Spreadsheet) -> Result<(), NodeError> {
        let attribute = |wanted: &str| {
            let found =
                tag.attributes().flatten().find(|attribute| attribute.key.as_ref() == wanted)?;
            Some(quick_xml::escape::unescape(&found.value).ok()?.into_owned())
        };
        let repeats = |wanted: &str| {
            attribute(wanted).and_then(|count| count.parse().ok()).unwrap_or(1u32).max(1)
        };
        match tag.name().as_ref() {
            "table:table" => {
                let name = attribute("table:name")
                    .unwrap_or_else(|| format!("Sheet{}", book.sheets.len() + 1));
                book.sheets.push((name.into(), Sheet::default()));
                (self.row, self.column) = (0, 0);
            }
            "table:table-row" => {
                self.row_repeats = repeats("table:number-rows-repeated");
                self.column = 0;
                self.filled.clear();
            }
            "table:table-cell" | "table:covered-table-cell" => {
                self.cell_repeats = repeats("table:number-columns-repeated");
                self.kind = attribute("office:value-type").unwrap_or_default();
                let number = || attribute("office:value").and_then(|value| value.parse().ok());
                self.cell = match self.kind.as_str() {
                    "float" | "currency" | "percentage" => number().map(SheetCell::Number),
                    "boolean" => Some(SheetCell::Bool(
                        attribute("office:boolean-value").as_deref() == Some("true"),
                    )),
                    "date" => attribute("office:date-value")
                        .and_then(|date| days(&date))
                        .map(SheetCell::Date),
                    "time" => attribute("office:time-value")
                        .and_then(|time| part_of_day(&time))
                        .map(SheetCell::Date),
                    "string" => {
                        attribute("office:string-value").map(|text| SheetCell::Text(text.into()))
                    }
                    _ => None,
                };
                (self.paragraphs, self.in_text) = (0, false);
                self.text.clear();
            }
            "text:p" | "text:h" => {
                if self.paragraphs > 0 {
                    self.text.push('\n');
                }
                self.paragraphs += 1;
                self.in_text = true;
            }
            "text:s" => {
                let count = repeats("text:c").min(MAX_REPEATS) as usize;
                self.text.extend(std::iter::repeat_n(' ', count));
            }
            "text:tab" => self.text.push('\t'),
            "text:line-break" => self.text.push('\n'),
            // A note at a cell is not its value.
            "office:annotation" => self.paragraphs = 0,
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, book: &mut Spreadsheet) -> Result<(), NodeError> {
        match name {
            "text:p" | "text:h" => self.in_text = false,
            "office:annotation" => {
                self.text.clear();
                self.paragraphs = 0;
            }
            "table:table-cell" | "table:covered-table-cell" => {
                let text = std::mem::take(&mut self.text);
                let cell = match self.cell.take() {
                    None if !text.is_empty() => Some(SheetCell::Text(text.into())),
                    cell => cell,
                };
                if let Some(cell) = cell {
                    if self.cell_repeats > MAX_REPEATS {
                        return Err(bomb(format!(
                            "A cell of the spreadsheet is repeated {} times",
                            self.cell_repeats
                        )));
                    }
                    self.filled.extend(
                        (0..self.cell_repeats)
                            .map(|step| (self.column.saturating_add(step), cell.clone())),
                    );
                }
                self.column = self.column.saturating_add(self.cell_repeats);
            }
            "table:table-row" => {
                let Some((_, sheet)) = book.sheets.last_mut() else { return Ok(()) };
                if !self.filled.is_empty() {
                    if u64::from(self.row_repeats) * self.filled.len() as u64 > MAX_CELLS as u64 {
                        return Err(bomb(format!(
                            "A row of the spreadsheet is repeated {} times",
                            self.row_repeats
                        )));
                    }
                    for step in 0..self.row_repeats {
                        for (column, cell) in &self.filled {
                            sheet.set(self.row.saturating_add(step), *column, cell.clone())?;
                        }
                    }
                }
                self.row = self.row.saturating_add(self.row_repeats);
            }
            _ => {}
        }
        Ok(())
    }
}

/// `2023-01-05` or `2023-01-05T12:00:00` in days since the end of 1899.
fn days(text: &str) -> Option<f64> {
    let text = text.trim_end_matches('Z');
    let moment: jiff::civil::DateTime = if text.contains('T') {
        text.parse().ok()?
    } else {
        text.parse::<jiff::civil::Date>().ok()?.to_datetime(jiff::civil::Time::midnight())
    };
    let days = jiff::civil::date(1899, 12, 30).until(moment.date()).ok()?.get_days();
    let seconds = i32::from(moment.hour()) * 3600
        + i32::from(moment.minute()) * 60
        + i32::from(moment.second());
    Some(f64::from(days) + f64::from(seconds) / 86_400.0)
}

/// `PT12H30M00S` as part of a day.
fn part_of_day(text: &str) -> Option<f64> {
    let span: jiff::SignedDuration = text.parse().ok()?;
    Some(span.as_secs_f64() / 86_400.0)
}

pub(super) fn write(
    table: &SheetTable<'_>,
    sheet_name: &str,
    compress: bool,
) -> Result<Vec<u8>, NodeError> {
    let failed = |error: zip::result::ZipError| {
        NodeError::failed(format!("Could not write the spreadsheet: {error}"))
    };
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let packed =
        if compress { stored.compression_method(CompressionMethod::Deflated) } else { stored };
    for (name, content, options) in [
        ("mimetype", MIME_TYPE.to_owned(), stored),
        ("META-INF/manifest.xml", MANIFEST.to_owned(), packed),
        ("styles.xml", STYLES.to_owned(), packed),
        ("content.xml", content(table, sheet_name)?, packed),
    ] {
        archive.start_file(name, options).map_err(failed)?;
        archive.write_all(content.as_bytes()).map_err(|error| {
            NodeError::failed(format!("Could not write the spreadsheet: {error}"))
        })?;
    }
    Ok(archive.finish().map_err(failed)?.into_inner())
}

fn content(table: &SheetTable<'_>, sheet_name: &str) -> Result<String, NodeError> {
    let mut out = String::from(CONTENT_START);
    let name = quick_xml::escape::escape(sheet_name);
    // Writing into a string cannot fail.
    let _ = write!(out, "<table:table table:name=\"{name}\">");
    for row in table.rows() {
        out.push_str("<table:table-row>");
        for cell in &row {
            let _ = match cell {
                None | Some(SheetCell::Error | SheetCell::NullError | SheetCell::Null) => {
                    write!(out, "<table:table-cell/>")
                }
                Some(SheetCell::Number(number) | SheetCell::Date(number)) => {
                    let shown = super::number::general(*number);
                    let number = model::number_to_string(*number);
                    write!(
                        out,
                        "<table:table-cell office:value-type=\"float\" office:value=\"{number}\"><text:p>{shown}</text:p></table:table-cell>"
                    )
                }
                Some(SheetCell::Bool(flag)) => {
                    let shown = if *flag { "TRUE" } else { "FALSE" };
                    write!(
                        out,
                        "<table:table-cell office:value-type=\"boolean\" office:boolean-value=\"{flag}\"><text:p>{shown}</text:p></table:table-cell>"
                    )
                }
                Some(SheetCell::Text(text)) => {
                    out.push_str("<table:table-cell office:value-type=\"string\">");
                    for line in text.split('\n') {
                        out.push_str("<text:p>");
                        write_text(&mut out, line);
                        out.push_str("</text:p>");
                    }
                    write!(out, "</table:table-cell>")
                }
            };
        }
        out.push_str("</table:table-row>");
        super::write::check_length(&out)?;
    }
    out.push_str("</table:table></office:spreadsheet></office:body></office:document-content>");
    Ok(out)
}

/// Blanks in a row and tabs need tags of their own, or readers drop them.
fn write_text(out: &mut String, line: &str) {
    let mut after_blank = true;
    for letter in line.chars() {
        match letter {
            ' ' if after_blank => out.push_str("<text:s/>"),
            ' ' => out.push(' '),
            '\t' => out.push_str("<text:tab/>"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // XML cannot say the other control characters at all.
            letter if (letter as u32) < 0x20 || matches!(letter, '\u{fffe}' | '\u{ffff}') => {}
            letter => out.push(letter),
        }
        after_blank = letter == ' ';
    }
}

const MANIFEST: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2"><manifest:file-entry manifest:full-path="/" manifest:version="1.2" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/><manifest:file-entry manifest:full-path="styles.xml" manifest:media-type="text/xml"/></manifest:manifest>"#;
const STYLES: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" office:version="1.2"/>"#;
const CONTENT_START: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"><office:body><office:spreadsheet>"#;
