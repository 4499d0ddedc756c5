//! Reads spreadsheets for Extract from File and Spreadsheet File: the settings, the formats, the
//! errors in n8n's words.

use super::parser_thread::{has_abandoned_threads, run_guarded};
use super::pdf::reader_process;
use super::settings::FileSettings;
use bytes::Bytes;
use formats::encoding::decode;
use formats::sheet::{self, CsvOptions, CsvReader, RowOptions};
use node_api::prelude::*;
use std::borrow::Cow;
use std::time::Duration;

pub(super) const READ_TIMEOUT: Duration = Duration::from_secs(120);
/// A larger file is not even looked at: its text and its rows would take several times as much
/// memory.
const MAX_BYTES: usize = 512 << 20;

/// What becomes of errors in CSV text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CsvErrors {
    Fail,
    /// The records before the error are kept and nobody is told, as the first versions do it.
    Ignore,
}

/// The settings of reading, as the form shows them. `format` is the parameter that the format is
/// chosen with.
pub(super) fn options(format: &str, first_version: bool) -> Param {
    let csv = |param: Param| {
        if first_version { param } else { param.show(&format!("/{format}"), &["csv"]) }
    };
    let mut params = vec![
        Param::flag("headerRow", "Header row", true)
            .help("Whether the first row contains the field names."),
        Param::flag("includeEmptyCells", "Include empty cells", false)
            .help("Whether to include empty cells as empty texts."),
        Param::flag("rawData", "RAW data", false)
            .help("Whether to keep texts that look like numbers or dates as texts."),
        Param::flag("readAsString", "Read as string", false)
            .help("Whether the file is read as text first; helps with special characters."),
        Param::text("range", "Range", "")
            .help("Cells to read, such as A1:C10, or the number of the first row, counted from 0."),
        Param::text("sheetName", "Sheet name", "Sheet")
            .help("Sheet to read. Defaults to the first one."),
    ];
    if !first_version {
        params.extend([
            csv(Param::text("delimiter", "Delimiter", ",")).help("Separator between fields."),
            csv(Param::choice(
                "encoding",
                "Encoding",
                &[
                    ("ascii", "ASCII"),
                    ("latin1", "Latin1"),
                    ("ucs-2", "UCS-2"),
                    ("ucs2", "UCS2"),
                    ("utf-8", "UTF-8"),
                    ("utf16le", "UTF16LE"),
                    ("utf8", "UTF8"),
                ],
            ))
            .preset("utf-8")
            .help("The encoding of the file."),
            csv(Param::flag("enableBOM", "Exclude byte order mark (BOM)", false))
                .help("Whether to remove a byte order mark at the start."),
            csv(Param::flag("relaxQuotes", "Preserve quotes", false)).help(
                "Whether to treat misplaced quotes as part of the value instead of an error.",
            ),
            csv(Param::number("maxRowCount", "Max number of rows to load", -1))
                .help("Maximum number of rows to read. -1 for all."),
            csv(Param::number("fromLine", "Starting line", 0))
                .help("First line of the file to read."),
            csv(Param::group(
                "skipRecordsWithErrors",
                "Skip records with errors",
                [FieldGroup::new(
                    "value",
                    "Value",
                    [
                        Param::flag("enabled", "Enabled", false)
                            .help("Whether to skip records that cannot be read."),
                        Param::number("maxSkippedRecords", "Max skipped records", -1).help(
                            "Maximum number of records to skip before failing. -1 for no limit.",
                        ),
                    ],
                )],
            ))
            .help("How to handle records that cannot be read."),
        ]);
    }
    Param::collection("options", "Options", params).help("More settings.")
}

/// Reads the file of an item into items, one for each row. What they hold counts for the limits of
/// the run.
pub(super) async fn read_rows(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
    format: &str,
    errors: CsvErrors,
) -> Result<Items, NodeError> {
    let settings = FileSettings::read(ctx, "options", index)?;
    let field = ctx.text("binaryPropertyName", index)?;
    let file = ctx.binary(item, index, &field)?;
    check_size(&file.data)?;
    let is_named_csv = file.mime_type == "text/csv"
        || file.mime_type == "text/plain" && file.file_extension.as_deref() == Some("csv");
    let format = if format == "autodetect" && is_named_csv { "csv" } else { format };
    let (what, kind) = if format == "csv" {
        ("CSV file", SheetKind::Csv(errors))
    } else {
        ("spreadsheet", SheetKind::Workbook)
    };
    let outcome = rows_with_timeout(what, kind, file.data.clone(), &settings, ctx.builder()).await;
    let extension = file.file_extension.as_deref().unwrap_or_default();
    outcome.map_err(|error| {
        // A file of another kind is the likeliest reason, unless the file was made to harm.
        if extension.is_empty() || extension == format || error.code() == Code::INPUT_BOMB {
            return error;
        }
        error
            .reword(format!("The file selected in 'Input Binary Field' is not in {format} format"))
            .describe(format!(
                "Try to change the operation or select a {format} file in 'Input Binary Field'"
            ))
    })
}

fn check_size(data: &Bytes) -> Result<(), NodeError> {
    if data.len() > MAX_BYTES {
        let message =
            format!("The file has {} bytes, which exceeds the limit of {MAX_BYTES}", data.len());
        return Err(
            NodeError::new(Code::INPUT_BOMB, message).hint("Split the file into smaller ones.")
        );
    }
    Ok(())
}

/// Reads a spreadsheet of whatever format.
pub(super) async fn read_book(
    ctx: &Ctx<'_>,
    data: Bytes,
    settings: &FileSettings,
) -> Result<Items, NodeError> {
    check_size(&data)?;
    rows_with_timeout("spreadsheet", SheetKind::Workbook, data, settings, ctx.builder()).await
}

/// What kind of table a file holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SheetKind {
    Workbook,
    Csv(CsvErrors),
}

/// Files up to this size are read on a thread, which is quick to start but cannot be stopped.
pub(crate) const MAX_THREAD_BYTES: usize = 256 << 10;

/// Reads a file within its time: in a process that can be ended, where there is a program for it. A
/// small file is read on a thread as long as none was left behind there.
async fn rows_with_timeout(
    what: &'static str,
    kind: SheetKind,
    data: Bytes,
    settings: &FileSettings,
    mut items: ItemsBuilder,
) -> Result<Items, NodeError> {
    match crate::child_process::program() {
        Some(program) if data.len() > MAX_THREAD_BYTES || has_abandoned_threads() => {
            reader_process::rows(program, what, &data, (kind, settings), items, READ_TIMEOUT).await
        }
        _ => {
            let settings = settings.clone();
            let read = move || {
                rows(kind, &data, &settings, &mut |row| {
                    items.push(Item::new(row));
                    // A small file can have very many rows. The run fails by what it holds, so the
                    // words do not matter.
                    if items.is_failed() {
                        Err(NodeError::failed("The rows exceed the run's memory limit"))
                    } else {
                        Ok(())
                    }
                })?;
                Ok(items.finish())
            };
            run_guarded(what, READ_TIMEOUT, read).await
        }
    }
}

/// Takes a row.
type RowVisitor<'e> = &'e mut dyn FnMut(Value) -> Result<(), NodeError>;

/// Hands over the rows of a file one by one, however long it takes.
pub(super) fn rows(
    kind: SheetKind,
    data: &[u8],
    settings: &FileSettings,
    each: RowVisitor<'_>,
) -> Result<(), NodeError> {
    match kind {
        SheetKind::Workbook => workbook_rows(data, settings, each),
        SheetKind::Csv(errors) => csv_rows(data, settings, errors, each),
    }
}

fn workbook_rows(
    data: &[u8],
    settings: &FileSettings,
    each: RowVisitor<'_>,
) -> Result<(), NodeError> {
    let wanted = settings.text("sheetName");
    let row_options = RowOptions {
        header: settings.flag_or_true("headerRow"),
        with_empty: settings.flag("includeEmptyCells"),
        range: settings.text("range"),
    };
    let book = sheet::read(data, settings.flag("rawData"))?;
    let first = book
        .sheets
        .first()
        .ok_or_else(|| NodeError::input("Spreadsheet does not have any sheets!"))?;
    let (_, sheet) = match &wanted {
        None => first,
        Some(wanted) => book.sheets.iter().find(|(name, _)| name == wanted).ok_or_else(|| {
            NodeError::input(format!("Spreadsheet does not contain sheet called \"{wanted}\"!"))
        })?,
    };
    sheet::rows(sheet, &row_options, |row| each(if row_options.header { row } else { in_row(row) }))
}

fn csv_rows(
    data: &[u8],
    settings: &FileSettings,
    errors: CsvErrors,
    each: RowVisitor<'_>,
) -> Result<(), NodeError> {
    let most = settings.number("maxRowCount").filter(|most| *most > -1.0);
    if most == Some(0.0) {
        return Err(NodeError::parameter(
            "options.maxRowCount",
            "Invalid Option: to must be a positive integer greater than 0, got 0",
        ));
    }
    let options = CsvOptions {
        delimiter: settings.text("delimiter").unwrap_or_else(|| ",".into()),
        header: settings.flag_or_true("headerRow"),
        with_empty: settings.flag("includeEmptyCells"),
        relax_quotes: settings.flag("relaxQuotes"),
        skip_errors: settings.flag("skipRecordsWithErrors.value.enabled"),
        from_line: settings.number("fromLine").map_or(1, |line| line.max(1.0) as usize),
        max_records: most.map(|most| most as usize),
    };
    let most_skipped =
        settings.number("skipRecordsWithErrors.value.maxSkippedRecords").unwrap_or(-1.0);
    let encoding = settings.text("encoding").unwrap_or_else(|| "utf8".into());
    let strip_bom = settings.flag("enableBOM");
    let header = options.header;
    // Most files are UTF-8 already and need no second copy.
    let is_utf8 = matches!(encoding.as_str(), "utf8" | "utf-8");
    let text = match std::str::from_utf8(data) {
        Ok(text) if is_utf8 => Cow::Borrowed(if strip_bom {
            text.strip_prefix('\u{feff}').unwrap_or(text)
        } else {
            text
        }),
        _ => Cow::Owned(decode(data, &encoding, strip_bom)?),
    };
    let mut reader = CsvReader::new(&text, options);
    loop {
        match reader.next_record() {
            Ok(Some(record)) => each(if header { record } else { in_row(record) })?,
            Ok(None) => break,
            Err(_) if errors == CsvErrors::Ignore => break,
            Err(error) => return Err(error),
        }
    }
    if most_skipped > 0.0 && reader.skipped as f64 > most_skipped {
        return Err(NodeError::input("Max number of skipped records exceeded"));
    }
    Ok(())
}

/// Without a header a row is a list in a field of its own.
fn in_row(row: Value) -> Value {
    Value::object(Object::from_iter([("row", row)]))
}
