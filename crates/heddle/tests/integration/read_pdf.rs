//! The hidden command that reads PDF files, as the nodes use it: whatever comes in, it answers or
//! ends.

use crate::support::pdf::pdf;
use crate::support::processor_time;

use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::process::{Command, Output, Stdio};

fn read(options: &str, file: &[u8]) -> Output {
    read_timed(options, file).0
}

/// What the command answers, and the processor time it took, in hundredths of a second.
fn read_timed(options: &str, file: &[u8]) -> (Output, u64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    let mut child = command
        .arg("read-pdf")
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to_child = child.stdin.take().unwrap();
    to_child.write_all(&[options.as_bytes(), b"\n", file].concat()).unwrap();
    drop(to_child);
    let mut stdout = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut stdout).unwrap();
    // Until it is waited for, the system keeps what it has used.
    let used = processor_time(child.id());
    let output = child.wait_with_output().unwrap();
    (Output { stdout, ..output }, used)
}

fn answer(file: &[u8]) -> PdfOutput {
    PdfOutput::of(&read(r#"{ "joinPages": true }"#, file))
}

/// The rows of an answer, and the error that it ended with. One that was cut off has neither.
#[derive(Debug, Default)]
struct PdfOutput {
    rows: Vec<Value>,
    error: Value,
}

impl PdfOutput {
    fn of(output: &Output) -> Self {
        let mut answer = Self::default();
        let text = String::from_utf8_lossy(&output.stdout);
        for line in text.lines() {
            match line.split_at_checked(1) {
                Some(("r", row)) => answer.rows.push(serde_json::from_str(row).unwrap_or_default()),
                Some(("e", error)) => {
                    answer.error = serde_json::from_str(error).unwrap_or_default()
                }
                _ => assert_eq!(line, "."),
            }
        }
        if text.ends_with('\n') { answer } else { Self::default() }
    }
}

#[test]
fn a_good_file_gives_its_text() {
    let found = answer(&pdf("BT /F1 12 Tf 50 700 Td (Hello) Tj ET")).rows.remove(0);
    assert_eq!((&found["text"], &found["numpages"]), (&Value::from("Hello"), &Value::from(1)));
}

#[test]
fn malformed_files_end_in_an_error() {
    let good = pdf("BT /F1 12 Tf 50 700 Td (Hello) Tj ET");
    for file in [&b""[..], b"%PDF-1.7", b"not a PDF at all", &good[..good.len() / 2], &[0xff; 5000]]
    {
        let found = answer(file);
        assert_eq!(found.error["message"], "Invalid PDF structure.", "{found:?}");
    }
}

#[test]
fn absurd_files_end_without_a_text() {
    let deep = format!("%PDF-1.5\n1 0 obj\n{}\nendobj\n", "[".repeat(3_000_000));
    // So many that a list of them cannot grow any more within the limit on memory.
    let graphics = pdf(&"q ".repeat(1_100_000));
    let gigantic = pdf("BT /F1 12 Tf 50 700 Td (x) Tj ET").repeat(2000);
    for file in [deep.as_bytes(), &graphics, &gigantic] {
        let (output, used) = read_timed("{}", file);
        assert!(used < 6_500, "the time limit did not hold: {used} hundredths of a second");
        let found = PdfOutput::of(&output);
        assert!(
            !output.status.success() || found.error.is_object() || found.rows.len() == 1,
            "{found:?}"
        );
    }
}

#[test]
fn the_command_is_not_for_people() {
    let help = Command::new(env!("CARGO_BIN_EXE_heddle")).arg("--help").output().unwrap();
    assert!(!String::from_utf8_lossy(&help.stdout).contains("read-pdf"));
}

#[test]
fn issue_14_00_tables_are_read_by_the_same_command() {
    let output =
        read(r#"{ "sheet": "csv", "settings": { "delimiter": ";" } }"#, b"name;n\nAda;1\n");
    assert_eq!(PdfOutput::of(&output).rows, [serde_json::json!({ "name": "Ada", "n": "1" })]);
    let output = read(
        r#"{ "sheet": "book", "settings": {} }"#,
        &[b"PK\x03\x04", &[0xff; 5000][..]].concat(),
    );
    let found = PdfOutput::of(&output);
    assert!(found.error.is_object(), "{found:?}");
}
