//! Reads a PDF, a table or a document in a child process ([`crate::child_process`]). The request is one
//! line with the options and then the file, the answer is rows ([`crate::child_process::row_protocol`]): those of a
//! table, or one for all that was found.

use super::{PdfOptions, READ_TIMEOUT, STACK, read};
use crate::ai::knowledge::DocumentKind;
use crate::child_process::row_protocol::{
    MAX_ROW_BYTES, RowWriteError, RowWriter, StreamEnd, receive,
};
use crate::child_process::{ChildKind, acquire_permit, confine, spawn_child};
use crate::files::settings::FileSettings;
use crate::files::spreadsheet_read::{
    CsvErrors, READ_TIMEOUT as SHEET_TIME, SheetKind, rows as rows_of,
};
use bytes::Bytes;
use formats::ticker::tick;
use model::{Code, Item, Items, ItemsBuilder, Object, Str, Value, json};
use node_api::NodeError;
use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;

/// The name of the command.
pub const PDF_COMMAND: &str = "read-pdf";
/// What all rows of a table may hold, written as JSON.
const MAX_ANSWER_BYTES: usize = 512 << 20;
/// What the process may take, and what it may take for each byte of the file on top of that.
const MEMORY: u64 = 1 << 30;
const MEMORY_PER_BYTE: u64 = 8;

/// What the process does: reads a request, and answers it within limits on time and memory that the
/// system keeps.
pub fn serve_pdf_reader(mut input: impl Read, output: impl Write + Send) -> io::Result<()> {
    let mut request = Vec::new();
    input.read_to_end(&mut request)?;
    let split = request.iter().position(|byte| *byte == b'\n').unwrap_or(request.len());
    let line = String::from_utf8_lossy(&request[..split]).into_owned();
    let (sheet, document) = (sheet_of(&line), document_of(&line));
    let time = if sheet.is_some() { SHEET_TIME } else { READ_TIMEOUT };
    confine(MEMORY + (request.len() as u64).saturating_mul(MEMORY_PER_BYTE), time)?;
    let file = request.split_off(split.saturating_add(1).min(request.len()));
    let mut rows = RowWriter::new(output);
    std::thread::scope(|scope| {
        let read = || {
            let mut each = |row: Value| check_written(rows.row(&row));
            match (sheet, document) {
                (Some((kind, settings)), _) => rows_of(kind, &file, &settings, &mut each),
                (None, Some(kind)) => each(kind.read(&file)?.into()),
                (None, None) => each(read(&file, &options_of(&line))?.into()),
            }
        };
        let reader = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, read)?;
        reader.join().map_err(|_| io::Error::other("the file is damaged"))
    })
    .and_then(|outcome| rows.end(outcome))
}

fn check_written(written: Result<usize, RowWriteError>) -> Result<(), NodeError> {
    match written {
        Ok(_) => Ok(()),
        Err(RowWriteError::TooLarge) => Err(row_too_large()),
        Err(RowWriteError::Failed(error)) => {
            Err(NodeError::failed(format!("Could not transfer the result: {error}")))
        }
    }
}

fn row_too_large() -> NodeError {
    NodeError::new(
        Code::INPUT_BOMB,
        format!(
            "The text of the file, or of one of its rows, exceeds the limit of {} MB",
            MAX_ROW_BYTES >> 20
        ),
    )
    .hint("Split the file into smaller ones.")
}

/// Has a file read by the program; whatever becomes of it, this comes back in time and nothing is
/// left behind.
pub(super) async fn extract(
    program: &Path,
    data: &Bytes,
    options: &PdfOptions,
    time: Duration,
) -> Result<Object, NodeError> {
    let found = one(program, "PDF", data, &options_line(options), time).await?;
    found.as_object().map(in_order).ok_or_else(|| damaged("PDF"))
}

/// The same for a table, whose rows go into the builder as they come.
pub(in crate::files) async fn rows(
    program: &Path,
    what: &'static str,
    data: &Bytes,
    (kind, settings): (SheetKind, &FileSettings),
    mut items: ItemsBuilder,
    time: Duration,
) -> Result<Items, NodeError> {
    const ROWS_PER_TICK: usize = 1024;
    let (mut bytes, mut ended) = (0_usize, Ok(()));
    let take = |row: Value, row_bytes: usize| {
        bytes = bytes.saturating_add(row_bytes);
        items.push(Item::new(row));
        if items.len().is_multiple_of(ROWS_PER_TICK) {
            ended = tick();
        }
        // Whoever started the run looks whether its data has a place.
        let goes_on = bytes <= MAX_ANSWER_BYTES && ended.is_ok() && !items.is_failed();
        if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    exchange(program, what, data, &sheet_line(kind, settings), take, time).await?;
    ended?;
    if bytes > MAX_ANSWER_BYTES {
        let message =
            format!("The rows of the {what} exceed the limit of {} MB", MAX_ANSWER_BYTES >> 20);
        return Err(
            NodeError::new(Code::INPUT_BOMB, message).hint("Split the file into smaller ones.")
        );
    }
    Ok(items.finish())
}

/// The same for a document, whose text comes back.
pub(crate) async fn text(
    program: &Path,
    kind: DocumentKind,
    data: &Bytes,
    time: Duration,
) -> Result<Str, NodeError> {
    let found = one(program, kind.name(), data, &document_line(kind), time).await?;
    found.as_str().map(Str::from).ok_or_else(|| damaged(kind.name()))
}

/// What was found, if it is one value.
async fn one(
    program: &Path,
    what: &'static str,
    data: &Bytes,
    line: &str,
    time: Duration,
) -> Result<Value, NodeError> {
    let mut found = None;
    let take = |value: Value, _| {
        found = Some(value);
        ControlFlow::Continue(())
    };
    exchange(program, what, data, line, take, time).await?;
    found.ok_or_else(|| damaged(what))
}

async fn exchange(
    program: &Path,
    what: &'static str,
    data: &Bytes,
    line: &str,
    take: impl FnMut(Value, usize) -> ControlFlow<()>,
    time: Duration,
) -> Result<(), NodeError> {
    let failed = |error: io::Error| {
        NodeError::failed(format!("Could not start the file reader process: {error}"))
    };
    // The time counts from when it is our turn.
    let turn = acquire_permit(ChildKind::Files).await;
    let mut child = spawn_child(program, PDF_COMMAND, &turn).map_err(failed)?;
    let (to_child, from_child) = (child.stdin.take(), child.stdout.take());
    let exchange = async {
        if let Some(mut to_child) = to_child {
            // A reader that has ended tells why by its answer, not by what it left unread.
            let _ = to_child.write_all(format!("{line}\n").as_bytes()).await;
            let _ = to_child.write_all(data).await;
        }
        let ending = match from_child {
            Some(from_child) => receive(from_child, take).await.map_err(failed)?,
            None => StreamEnd::Truncated,
        };
        match ending {
            StreamEnd::Complete | StreamEnd::ReceiverDone => Ok(()),
            StreamEnd::RowTooLarge => Err(row_too_large()),
            StreamEnd::Failed(error) => Err(error),
            // A process without a code was ended by the system: it took too much of something.
            StreamEnd::Truncated if child.wait().await.map_err(failed)?.code().is_none() => {
                Err(NodeError::new(
                    Code::INPUT_BOMB,
                    format!("Reading the {what} exceeds the time or memory limit"),
                ))
            }
            StreamEnd::Truncated => Err(damaged(what)),
        }
    };
    tokio::time::timeout(time, exchange).await.unwrap_or_else(|_| {
        Err(NodeError::new(
            Code::INPUT_BOMB,
            format!("The {what} could not be read within {} seconds", time.as_secs()),
        ))
    })
}

fn damaged(what: &str) -> NodeError {
    NodeError::input(format!("The {what} is damaged and cannot be read"))
}

/// A request for the rows of a table.
fn sheet_line(kind: SheetKind, settings: &FileSettings) -> String {
    let kind = match kind {
        SheetKind::Workbook => "book",
        SheetKind::Csv(CsvErrors::Fail) => "csv",
        SheetKind::Csv(CsvErrors::Ignore) => "lenientCsv",
    };
    json::to_string(
        &Object::from_iter([("sheet", Value::from(kind)), ("settings", settings.value().clone())])
            .into(),
    )
}

fn sheet_of(line: &str) -> Option<(SheetKind, FileSettings)> {
    let line = json::parse(line).ok()?;
    let kind = match line.get("sheet").and_then(Value::as_str)? {
        "csv" => SheetKind::Csv(CsvErrors::Fail),
        "lenientCsv" => SheetKind::Csv(CsvErrors::Ignore),
        _ => SheetKind::Workbook,
    };
    Some((kind, FileSettings::of(line.get("settings").unwrap_or(&Value::Undefined))))
}

/// A request for the text of a document.
fn document_line(kind: DocumentKind) -> String {
    json::to_string(&Object::from_iter([("document", kind.name())]).into())
}

fn document_of(line: &str) -> Option<DocumentKind> {
    let line = json::parse(line).ok()?;
    DocumentKind::named(line.get("document")?.as_str()?)
}

fn options_line(options: &PdfOptions) -> String {
    let mut line = Object::new();
    line.insert("password", options.password.clone().map_or(Value::Null, Value::from));
    line.insert("maxPages", options.max_pages.map_or(Value::Null, Value::from));
    line.insert("joinPages", options.join_pages);
    json::to_string(&Value::object(line))
}

fn options_of(line: &str) -> PdfOptions {
    let line = json::parse(line).unwrap_or_default();
    PdfOptions {
        password: line.get("password").and_then(Value::as_str).map(Into::into),
        max_pages: line.get("maxPages").and_then(Value::as_f64).map(|pages| pages as usize),
        join_pages: line.get("joinPages").is_some_and(Value::is_truthy),
    }
}

/// The fields as the reader made them; JSON leaves out what is undefined.
fn in_order(found: &Object) -> Object {
    let fields = ["numpages", "numrender", "info", "metadata", "text", "version"];
    fields.into_iter().map(|field| (field, found.get(field).cloned().unwrap_or_default())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Spill, SpillError, Spilled};
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn options_survive_the_way() {
        let options =
            PdfOptions { password: Some("ä\n\"".into()), max_pages: Some(0), join_pages: true };
        assert_eq!(options_of(&options_line(&options)), options);
        assert_eq!(options_of(&options_line(&PdfOptions::default())), PdfOptions::default());
    }

    #[test]
    fn a_request_for_rows_survives_the_way() {
        let settings = FileSettings::of(&json!({ "delimiter": ";", "range": "A1:\n" }));
        for kind in [
            SheetKind::Workbook,
            SheetKind::Csv(CsvErrors::Fail),
            SheetKind::Csv(CsvErrors::Ignore),
        ] {
            let (back, settings) = sheet_of(&sheet_line(kind, &settings)).unwrap();
            assert!(back == kind && settings.text("delimiter").as_deref() == Some(";"));
        }
        assert!(sheet_of(&options_line(&PdfOptions::default())).is_none());
        for kind in [DocumentKind::Word, DocumentKind::Page] {
            assert_eq!(document_of(&document_line(kind)), Some(kind));
        }
        assert!(document_of(&options_line(&PdfOptions::default())).is_none());
    }

    #[tokio::test]
    async fn issue_14_08_documents_that_are_slow_to_read_do_not_close_the_reader_for_others() {
        let (slow, quick) = (
            FakeProgram::new("while :; do :; done"),
            FakeProgram::new(r#"cat > /dev/null; echo 'r"text"'; echo ."#),
        );
        let data = Bytes::from(vec![0; 1 << 20]);
        for kind in [DocumentKind::Word, DocumentKind::Page] {
            for _ in 0..5 {
                let error =
                    text(&slow.0, kind, &data, Duration::from_millis(100)).await.unwrap_err();
                assert_eq!(error.code(), Code::INPUT_BOMB);
            }
            assert_eq!(text(&quick.0, kind, &data, Duration::from_secs(60)).await.unwrap(), "text");
        }
    }

    /// A program that stands for the reader; gone with this.
    struct FakeProgram(PathBuf);

    impl FakeProgram {
        fn new(script: &str) -> Self {
            let file = std::env::temp_dir().join(format!("heddle-reader-{}", uuid::Uuid::new_v4()));
            // Written by another process: a child that some other test starts meanwhile would have
            // the file open for a moment, and a program that is open for writing cannot be started.
            let write = r#"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 700 "$0""#;
            let written = std::process::Command::new("sh")
                .args(["-c", write])
                .arg(&file)
                .arg(script)
                .status();
            assert!(written.unwrap().success());
            Self(file)
        }
    }

    impl Drop for FakeProgram {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    async fn by_script(script: &str, time: Duration) -> NodeError {
        let script = FakeProgram::new(script);
        extract(&script.0, &Bytes::from(vec![0; 1 << 20]), &PdfOptions::default(), time)
            .await
            .unwrap_err()
    }

    #[tokio::test]
    async fn issue_14_00_tables_that_are_slow_to_read_do_not_close_the_reader_for_others() {
        let (slow, quick) = (
            FakeProgram::new("while :; do :; done"),
            FakeProgram::new(r#"cat > /dev/null; echo 'r{"a":1}'; echo ."#),
        );
        let (data, settings) = (Bytes::from(vec![0; 1 << 20]), FileSettings::of(&Value::Undefined));
        let read = async |script: &FakeProgram, time: Duration| {
            rows(
                &script.0,
                "CSV file",
                &data,
                (SheetKind::Workbook, &settings),
                ItemsBuilder::default(),
                time,
            )
            .await
        };
        for _ in 0..6 {
            let error = read(&slow, Duration::from_millis(100)).await.unwrap_err();
            assert_eq!(error.code(), Code::INPUT_BOMB);
        }
        let found = read(&quick, Duration::from_secs(60)).await.unwrap();
        assert_eq!(found.to_vec(), [Item::new(json!({ "a": 1 }))]);
    }

    /// Keeps nothing, and fails once it was given so much.
    #[derive(Default)]
    struct BudgetSpill {
        bytes: AtomicUsize,
        largest: AtomicUsize,
    }

    const BUDGET: usize = 20 << 20;

    impl Spill for BudgetSpill {
        fn keep(&self, items: Vec<Item>, bytes: usize) -> Arc<dyn Spilled> {
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
            self.largest.fetch_max(items.len(), Ordering::Relaxed);
            Arc::new(DiscardedChunk(items.len()))
        }

        fn failure(&self) -> Option<SpillError> {
            (self.bytes.load(Ordering::Relaxed) > BUDGET)
                .then_some(SpillError::Budget { limit: BUDGET })
        }
    }

    struct DiscardedChunk(usize);

    impl Spilled for DiscardedChunk {
        fn len(&self) -> usize {
            self.0
        }

        fn load(&self) -> Arc<Vec<Item>> {
            Arc::default()
        }

        fn held(&self) -> Option<Arc<Vec<Item>>> {
            None
        }
    }

    #[tokio::test]
    async fn issue_14_09_rows_of_a_reader_are_counted_as_they_come_and_end_with_the_budget_of_the_run()
     {
        let endless = FakeProgram::new(r#"cat > /dev/null; yes 'r{"1":"1"}'"#);
        let (data, settings) = (Bytes::from_static(b"1"), FileSettings::of(&Value::Undefined));
        let budget = Arc::new(BudgetSpill::default());
        let items = ItemsBuilder::new(Some(budget.clone()));
        let time = Duration::from_secs(60);
        let kept =
            rows(&endless.0, "CSV file", &data, (SheetKind::Workbook, &settings), items, time)
                .await
                .unwrap();
        let (bytes, largest) =
            (budget.bytes.load(Ordering::Relaxed), budget.largest.load(Ordering::Relaxed));
        assert!(bytes > BUDGET && bytes < BUDGET + (8 << 20), "{bytes}");
        assert!(largest < kept.len() / 4, "{largest} of {} rows at once", kept.len());
    }

    #[tokio::test]
    async fn issue_14_09_an_answer_without_an_end_is_not_taken() {
        let line = r#"cat > /dev/null; printf 'r"'; yes x | tr -d '\n'"#;
        assert_eq!(by_script(line, Duration::from_secs(60)).await.code(), Code::INPUT_BOMB);
    }

    #[tokio::test]
    async fn a_reader_that_spins_is_ended() {
        let started = std::time::Instant::now();
        let error = by_script("while :; do :; done", Duration::from_millis(200)).await;
        assert_eq!(error.code(), Code::INPUT_BOMB);
        assert!(started.elapsed() < Duration::from_secs(60));
    }

    #[tokio::test]
    async fn a_reader_that_dies_is_told_from_one_that_gives_up() {
        let time = Duration::from_secs(60);
        assert_eq!(by_script("kill -9 $$", time).await.code(), Code::INPUT_BOMB);
        assert_eq!(by_script("exit 2", time).await.code(), Code::NODE_INPUT);
        assert_eq!(
            by_script("echo 'r{'", time).await.message(),
            "The PDF is damaged and cannot be read"
        );
    }
}
