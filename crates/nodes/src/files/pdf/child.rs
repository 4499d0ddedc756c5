//! Reads a PDF in a process of its own, which can be ended: a thread that spins cannot, and memory that it takes is ours.
//!
//! The process is this program again under a command that only it uses. The request is one line with the options and then
//! the file, the answer one JSON object.

use super::{PdfOptions, STACK, TIME, read};
use bytes::Bytes;
use model::{Code, Object, Value, json};
use node_api::NodeError;
use rustix::process::{Resource, Rlimit, setrlimit};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::Command;

/// The name of the command.
pub const PDF_COMMAND: &str = "read-pdf";
/// The text of a page has a limit of its own; this is for all of them.
const MAX_ANSWER: u64 = 512 << 20;
/// What the process may take, and what it may take for each byte of the file on top of that.
const MEMORY: u64 = 1 << 30;
const MEMORY_PER_BYTE: u64 = 8;

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Has PDF files read by this program from now on; it must answer to [`PDF_COMMAND`] with [`serve_pdf_reader`].
pub fn read_pdfs_with(program: PathBuf) {
    // The first one stays: a process has one program.
    let _ = PROGRAM.set(program);
}

pub(super) fn program() -> Option<&'static Path> {
    PROGRAM.get().map(PathBuf::as_path)
}

/// What the process does: reads a request, and answers it within limits on time and memory that the system keeps.
pub fn serve_pdf_reader(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut request = Vec::new();
    input.read_to_end(&mut request)?;
    set_limits(request.len() as u64)?;
    let split = request.iter().position(|byte| *byte == b'\n').unwrap_or(request.len());
    let options = options_of(&String::from_utf8_lossy(&request[..split]));
    let file = request.split_off(split.saturating_add(1).min(request.len()));
    let reader = std::thread::Builder::new().stack_size(STACK).spawn(move || read(&file, &options))?;
    let answer = match reader.join() {
        Ok(Ok(found)) => Object::from_iter([("found", Value::object(found))]),
        Ok(Err(error)) => Object::from_iter([("error", Value::object(error_fields(&error)))]),
        Err(_) => return Err(io::Error::other("the file is damaged")),
    };
    output.write_all(json::to_string(&Value::object(answer)).as_bytes())?;
    output.flush()
}

/// Has a file read by the program; whatever becomes of it, this comes back in time and nothing is left behind.
pub(super) async fn extract(program: &Path, data: &Bytes, options: &PdfOptions, time: Duration) -> Result<Object, NodeError> {
    let mut command = Command::new(program);
    command.arg(PDF_COMMAND).env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    // The program's allocator reserves a gigabyte of addresses if nothing is said, and what is reserved is not limited.
    command.env("MIMALLOC_ARENA_RESERVE", "32M");
    let failed = |error: io::Error| NodeError::failed(format!("The reader of PDF files could not be started: {error}"));
    let mut child = command.spawn().map_err(failed)?;
    let (to_child, from_child) = (child.stdin.take(), child.stdout.take());
    let exchange = async {
        if let Some(mut to_child) = to_child {
            // A reader that has ended tells why by its answer, not by what it left unread.
            let _ = to_child.write_all(format!("{}\n", options_line(options)).as_bytes()).await;
            let _ = to_child.write_all(data).await;
        }
        let mut answer = Vec::new();
        if let Some(from_child) = from_child {
            from_child.take(MAX_ANSWER).read_to_end(&mut answer).await.map_err(failed)?;
        }
        Ok::<_, NodeError>((answer, child.wait().await.map_err(failed)?))
    };
    let Ok(finished) = tokio::time::timeout(time, exchange).await else {
        return Err(NodeError::new(Code::INPUT_BOMB, format!("The PDF could not be read within {} seconds", time.as_secs())));
    };
    let (answer, status) = finished?;
    let answer = json::parse(&String::from_utf8_lossy(&answer)).unwrap_or_default();
    if let Some(error) = answer.get("error") {
        return Err(error_of(error));
    }
    match answer.get("found").and_then(Value::as_object) {
        Some(found) => Ok(in_order(found)),
        // A process without a code was ended by the system: it took too much of something.
        None if status.code().is_none() => {
            Err(NodeError::new(Code::INPUT_BOMB, "The PDF takes more time or memory to read than it may have"))
        }
        None => Err(NodeError::input("The PDF is damaged and cannot be read")),
    }
}

fn set_limits(file_bytes: u64) -> io::Result<()> {
    let limit = |resource, most| setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    limit(Resource::As, addresses_in_use() + MEMORY + file_bytes.saturating_mul(MEMORY_PER_BYTE))?;
    limit(Resource::Cpu, TIME.as_secs() + 1)?;
    limit(Resource::Fsize, 0)?;
    limit(Resource::Core, 0)?;
    Ok(())
}

/// What the program has reserved for itself before it reads anything.
fn addresses_in_use() -> u64 {
    let figures = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = figures.split(' ').next().and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages.saturating_mul(rustix::param::page_size() as u64)
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

fn error_fields(error: &NodeError) -> Object {
    let told = error.to_run_error("");
    let mut fields = Object::from_iter([("code", Value::from(told.code.name())), ("message", told.message.into())]);
    for (key, text) in [("description", told.description), ("hint", told.hint)] {
        if let Some(text) = text {
            fields.insert(key, text);
        }
    }
    fields
}

fn error_of(fields: &Value) -> NodeError {
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    let message = text("message").unwrap_or_default();
    let mut error = match text("code") {
        Some(code) if code == Code::INPUT_BOMB.name() => NodeError::new(Code::INPUT_BOMB, message),
        _ => NodeError::input(message),
    };
    if let Some(description) = text("description") {
        error = error.describe(description);
    }
    if let Some(hint) = text("hint") {
        error = error.hint(hint);
    }
    error
}

/// The fields as the reader made them; JSON leaves out what is undefined.
fn in_order(found: &Object) -> Object {
    let fields = ["numpages", "numrender", "info", "metadata", "text", "version"];
    fields.into_iter().map(|field| (field, found.get(field).cloned().unwrap_or_default())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(error: &NodeError) -> (Code, String, Option<String>) {
        (error.code(), error.message().to_string(), error.to_run_error("").hint.map(|hint| hint.to_string()))
    }

    #[test]
    fn options_and_errors_survive_the_way() {
        let options = PdfOptions { password: Some("ä\n\"".into()), max_pages: Some(0), join_pages: true };
        assert_eq!(options_of(&options_line(&options)), options);
        assert_eq!(options_of(&options_line(&PdfOptions::default())), PdfOptions::default());
        for error in [NodeError::input("Incorrect Password").hint("Set it."), NodeError::new(Code::INPUT_BOMB, "too deep")] {
            assert_eq!(told(&error_of(&Value::object(error_fields(&error)))), told(&error));
        }
    }

    async fn by_script(script: &str, time: Duration) -> NodeError {
        use std::os::unix::fs::PermissionsExt as _;
        let file = std::env::temp_dir().join(format!("heddle-reader-{}", uuid::Uuid::new_v4()));
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o700)).unwrap();
        let error = extract(&file, &Bytes::from(vec![0; 1 << 20]), &PdfOptions::default(), time).await.unwrap_err();
        std::fs::remove_file(file).unwrap();
        error
    }

    #[tokio::test]
    async fn a_reader_that_spins_is_ended() {
        let started = std::time::Instant::now();
        let error = by_script("while :; do :; done", Duration::from_millis(200)).await;
        assert_eq!(error.code(), Code::INPUT_BOMB);
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[tokio::test]
    async fn a_reader_that_dies_is_told_from_one_that_gives_up() {
        let time = Duration::from_secs(60);
        assert_eq!(by_script("kill -9 $$", time).await.code(), Code::INPUT_BOMB);
        assert_eq!(by_script("exit 2", time).await.code(), Code::NODE_INPUT);
        assert_eq!(by_script("echo '{'", time).await.message(), "The PDF is damaged and cannot be read");
    }
}
