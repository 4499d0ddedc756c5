//! The answer of a child: rows of JSON, one line each, and a line that says how it ended.
//!
//! Rows are taken one by one, by whoever counts them against the limits of the run, so that what a
//! child sends is never here as a whole. A row that is too large is refused where it is written;
//! the reader does not rely on that.

use super::{error_fields, error_from_fields};
use compute::{MemoryReservation, Overloaded};
use model::{Code, Value, json, memory_estimate};
use node_api::NodeError;
use node_api::untrusted::reserve;
use std::io::{self, Write};
use std::ops::ControlFlow;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};

/// What one row may hold, written as JSON: until it is taken it counts for no run.
pub(crate) const MAX_ROW_BYTES: usize = 32 << 20;
/// Bytes that are read or sent at once.
pub(crate) const BUFFER_BYTES: usize = 64 << 10;

/// How a line begins.
const ROW: u8 = b'r';
const ERROR: u8 = b'e';
const END: u8 = b'.';

/// Writes the answer, in the child.
pub(crate) struct RowWriter<W: Write>(io::BufWriter<W>);

impl<W: Write> RowWriter<W> {
    pub(crate) fn new(output: W) -> Self {
        Self(io::BufWriter::with_capacity(BUFFER_BYTES, output))
    }

    /// Writes a row, and says how many bytes it has.
    pub(crate) fn row(&mut self, row: &Value) -> Result<usize, RowWriteError> {
        let text = bounded_json(row).ok_or(RowWriteError::TooLarge)?;
        self.line(ROW, &text).map_err(RowWriteError::Failed)?;
        Ok(text.len())
    }

    /// Says how it ended.
    pub(crate) fn end(mut self, outcome: Result<(), NodeError>) -> io::Result<()> {
        match outcome {
            Ok(()) => self.line(END, "")?,
            Err(error) => {
                self.line(ERROR, &json::to_string(&Value::object(error_fields(&error))))?
            }
        }
        self.0.flush()
    }

    fn line(&mut self, kind: u8, text: &str) -> io::Result<()> {
        self.0.write_all(&[kind])?;
        self.0.write_all(text.as_bytes())?;
        self.0.write_all(b"\n")
    }
}

/// Why a row was not written.
#[derive(Debug)]
pub(crate) enum RowWriteError {
    /// It has more than [`MAX_ROW_BYTES`].
    TooLarge,
    Failed(io::Error),
}

/// How an answer ended.
#[derive(Debug)]
pub(crate) enum StreamEnd {
    Complete,
    Failed(NodeError),
    /// Whoever takes the rows has enough.
    ReceiverDone,
    /// A row has more than [`MAX_ROW_BYTES`].
    RowTooLarge,
    /// The child has stopped without a word.
    Truncated,
}

/// Takes the rows of an answer, each with the bytes it was written in.
pub(crate) async fn receive(
    from_child: impl AsyncRead + Unpin,
    mut take: impl FnMut(Value, usize) -> ControlFlow<()>,
) -> io::Result<StreamEnd> {
    let mut from_child = BufReader::with_capacity(BUFFER_BYTES, from_child);
    let mut line = Vec::new();
    loop {
        read_line(&mut from_child, &mut line).await?;
        if line.len() > MAX_LINE {
            return Ok(StreamEnd::RowTooLarge);
        }
        let Some((kind, rest)) = line.strip_suffix(b"\n").and_then(<[u8]>::split_first) else {
            return Ok(StreamEnd::Truncated);
        };
        let Ok(rest) = std::str::from_utf8(rest) else { return Ok(StreamEnd::Truncated) };
        match *kind {
            END => return Ok(StreamEnd::Complete),
            ERROR => {
                return Ok(StreamEnd::Failed(error_from_fields(
                    &json::parse(rest).unwrap_or_default(),
                )));
            }
            ROW => {
                let mut held = MemoryReservation::default();
                let row = match parse_row(rest, &mut held).await {
                    Ok(row) => row,
                    Err(ending) => return Ok(ending),
                };
                if take(row, rest.len()).is_break() {
                    return Ok(StreamEnd::ReceiverDone);
                }
            }
            _ => return Ok(StreamEnd::Truncated),
        }
    }
}

/// The value of a row. One that is large takes its room among all that comes from outside, until
/// the run has it.
async fn parse_row(text: &str, held: &mut MemoryReservation) -> Result<Value, StreamEnd> {
    let busy =
        |busy: Overloaded| StreamEnd::Failed(NodeError::new(Code::OVERLOAD, busy.to_string()));
    if text.len() >= compute::LARGE_BYTES {
        let estimate =
            compute::for_size(text.len(), || memory_estimate::estimate_json(text)).map_err(busy)?;
        let made = reserve(estimate.saturating_add(text.len()), held).await;
        made.map_err(|error| {
            error
                .to_node_error("A row", Code::INPUT_BOMB)
                .map_or(StreamEnd::Truncated, StreamEnd::Failed)
        })?;
    }
    compute::for_size(text.len(), || json::parse(text))
        .map_err(busy)?
        .map_err(|_| StreamEnd::Truncated)
}

/// A row with what stands around it.
const MAX_LINE: usize = MAX_ROW_BYTES + 2;

async fn read_line(
    from_child: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> io::Result<()> {
    line.clear();
    // The room that one large row needed is not kept for all the small ones behind it.
    line.shrink_to(BUFFER_BYTES);
    from_child.take(MAX_LINE as u64 + 1).read_until(b'\n', line).await.map(drop)
}

/// A value as JSON, unless that has more than [`MAX_ROW_BYTES`].
pub(crate) fn bounded_json(value: &Value) -> Option<String> {
    // Most values are so small that this is clear at once: no byte of them takes more than eight.
    let is_small = value.fits_within(&mut (MAX_ROW_BYTES / 8));
    (is_small || fits(value, &mut { MAX_ROW_BYTES })).then(|| json::to_string(value))
}

/// Whether a value takes no more bytes than are left, which is measured without writing it.
fn fits(value: &Value, left: &mut usize) -> bool {
    /// The longest number, or date in quotes.
    const NUMBER: usize = 32;
    match value {
        Value::Undefined | Value::Null | Value::Bool(_) => take(left, 5),
        Value::Number(_) | Value::Date(_) => take(left, NUMBER),
        Value::String(text) => take(left, quoted_length(text)),
        Value::Array(values) => {
            take(left, 2) && values.iter().all(|value| take(left, 1) && fits(value, left))
        }
        Value::Object(fields) => {
            take(left, 2)
                && fields
                    .iter()
                    .all(|(key, value)| take(left, quoted_length(key) + 2) && fits(value, left))
        }
    }
}

fn take(left: &mut usize, bytes: usize) -> bool {
    left.checked_sub(bytes).map(|rest| *left = rest).is_some()
}

/// The bytes of a text in quotes.
fn quoted_length(text: &str) -> usize {
    let extra = text.bytes().map(|byte| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x8 | 0xc => 1,
        0..0x20 => 5,
        _ => 0,
    });
    text.len() + 2 + extra.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn taken(answer: &[u8]) -> (Vec<(Value, usize)>, StreamEnd) {
        let mut rows = Vec::new();
        let ending = receive(answer, |row, bytes| {
            rows.push((row, bytes));
            if rows.len() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        let ending = ending.await.unwrap();
        (rows, ending)
    }

    fn sent(rows: &[Value], outcome: Result<(), NodeError>) -> Vec<u8> {
        let mut answer = Vec::new();
        let mut writer = RowWriter::new(&mut answer);
        for row in rows {
            writer.row(row).unwrap();
        }
        writer.end(outcome).unwrap();
        answer
    }

    #[tokio::test]
    async fn rows_and_how_they_ended_survive_the_way() {
        let row = json!({ "a": "\n\u{1}ä", "b": [1, null] });
        let (rows, ending) = taken(&sent(&[row.clone(), json!({})], Ok(()))).await;
        assert!(matches!(ending, StreamEnd::Complete), "{ending:?}");
        assert_eq!(rows, [(row, 31), (json!({}), 2)]);
        let (rows, ending) = taken(&sent(&[json!(1)], Err(NodeError::input("Damaged")))).await;
        assert!(
            matches!(&ending, StreamEnd::Failed(error) if error.message() == "Damaged"),
            "{ending:?}"
        );
        assert_eq!(rows.len(), 1);
        assert!(matches!(
            taken(&sent(&[json!(1), json!(2), json!(3), json!(4)], Ok(()))).await.1,
            StreamEnd::ReceiverDone
        ));
        for cut in [&b""[..], b"r{}", b"r{\n", b"x\n", b"r\xff\n", b"\n"] {
            assert!(matches!(taken(cut).await.1, StreamEnd::Truncated), "{cut:?}");
        }
    }

    #[tokio::test]
    async fn issue_14_09_a_row_of_a_child_holds_only_so_much() {
        // A sixth of the limit, of which each byte takes six.
        let large = json!({ "a": "\u{1}".repeat(MAX_ROW_BYTES / 6) });
        assert!(matches!(RowWriter::new(Vec::new()).row(&large), Err(RowWriteError::TooLarge)));
        let (rows, ending) = taken(&vec![b'r'; MAX_ROW_BYTES + 100]).await;
        assert!(rows.is_empty() && matches!(ending, StreamEnd::RowTooLarge), "{ending:?}");
        // Whether it fits is found without writing it: written out, this has 2^60 numbers.
        let doubled =
            (0..60).fold(Value::from(1), |inner, _| Value::array(vec![inner.clone(), inner]));
        assert!(bounded_json(&doubled).is_none());
        assert_eq!(
            bounded_json(&json!({ "a": [true, "ü"] })).as_deref(),
            Some(r#"{"a":[true,"ü"]}"#)
        );
    }

    #[test]
    fn what_is_measured_is_no_less_than_what_is_written() {
        for value in [
            json!(-1.2345678901234567e-300),
            json!("\u{0}\"\\\n\u{7f}ä"),
            json!({ "\t": [false, null, {}] }),
            json!(1e15),
            json!([[]]),
        ] {
            let mut left = 1000;
            assert!(fits(&value, &mut left));
            assert!(1000 - left >= json::to_string(&value).len(), "{value:?}");
        }
    }
}
