//! The query in a child process. The request is a line with the query and the columns of the tables, then a line of JSON for each
//! item, with an empty line after each table. The answer is a line for each row and one more that says how it ended.

use super::database::{Database, over_limit};
use super::template::Query;
use super::{MAX_RESULT_BYTES, Output, ROW_BYTES, STACK, TIME_LIMIT, Table, too_many_rows};
use crate::child::{ChildKind, Turn, confine, error_fields, error_of, start, turn};
use model::{Object, Str, Value, json};
use node_api::NodeError;
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::oneshot;

/// The name of the command.
pub const SQL_COMMAND: &str = "merge-sql";
/// What the process may take: the tables, what the query needs to sort and to join, and the row at hand.
const MEMORY: u64 = 768 << 20;
/// What the program may take to start, to read its tables and to end, on top of the time for the query.
const GRACE: Duration = Duration::from_secs(10);
/// Bytes that are sent at once.
const BATCH: usize = 64 << 10;

/// How a line of the answer begins.
const ROW: u8 = b'r';
const ERROR: u8 = b'e';
const END: u8 = b'.';

/// Has the query run by the program. It is killed when nobody waits for it any more.
pub(super) async fn run(
    program: &'static Path,
    query: Query,
    tables: Vec<Table>,
    output: Output,
    time: Duration,
) -> Result<Output, NodeError> {
    let turn = turn(ChildKind::Queries).await;
    let (_still_waiting, gone) = oneshot::channel::<()>();
    let runtime = tokio::runtime::Handle::current();
    // Items are written and rows are read on a thread that serves no connections: there may be many of them.
    let work = tokio::task::spawn_blocking(move || {
        runtime.block_on(async {
            let exchange = tokio::time::timeout(time + GRACE, exchange(program, &query, tables, output, &turn));
            tokio::select! {
                done = exchange => done.unwrap_or_else(|_| Err(over_limit(&format!("The query took longer than {} seconds", time.as_secs())))),
                _ = gone => Err(NodeError::failed("Nobody waits for the query")),
            }
        })
    });
    work.await.map_err(|_| NodeError::failed("Issue while executing query"))?
}

async fn exchange(program: &Path, query: &Query, tables: Vec<Table>, mut output: Output, turn: &Turn) -> Result<Output, NodeError> {
    let failed = |error: io::Error| NodeError::failed(format!("The process for the query could not be started: {error}"));
    let mut child = start(program, SQL_COMMAND, turn).map_err(failed)?;
    let (to_child, from_child) = (child.stdin.take(), child.stdout.take());
    if let Some(to_child) = to_child {
        // A process that has ended tells why by its answer, not by what it left unread.
        let _ = send(to_child, query, tables).await;
    }
    let ending = match from_child {
        Some(from_child) => receive(from_child, &mut output).await.map_err(failed)?,
        None => Ending::Cut,
    };
    match ending {
        Ending::Whole | Ending::Enough => output.checked(),
        Ending::Failed(error) => Err(error),
        // The system ends a process that takes too much, before it can say so.
        Ending::Cut => Err(over_limit("The query needs more time or memory than it may have")),
    }
}

async fn send(mut to_child: ChildStdin, query: &Query, tables: Vec<Table>) -> io::Result<()> {
    let mut batch = format!("{}\n", header(query, &tables)).into_bytes();
    for table in tables {
        for item in table.items.iter() {
            json::to_writer(&mut batch, &item.json)?;
            batch.push(b'\n');
            if batch.len() >= BATCH {
                to_child.write_all(&batch).await?;
                batch.clear();
            }
        }
        batch.push(b'\n');
    }
    to_child.write_all(&batch).await?;
    to_child.flush().await
}

/// How the answer ended.
enum Ending {
    Whole,
    Failed(NodeError),
    /// We have stopped reading.
    Enough,
    /// The process has.
    Cut,
}

async fn receive(from_child: ChildStdout, output: &mut Output) -> io::Result<Ending> {
    // Whatever the process sends, one line of it does not fill our memory.
    let mut from_child = BufReader::with_capacity(BATCH, from_child.take(2 * MAX_RESULT_BYTES as u64));
    let mut line = Vec::new();
    loop {
        line.clear();
        from_child.read_until(b'\n', &mut line).await?;
        let Some((kind, rest)) = line.split_first().filter(|_| line.ends_with(b"\n")) else { return Ok(Ending::Cut) };
        let Ok(rest) = std::str::from_utf8(rest) else { return Ok(Ending::Cut) };
        match *kind {
            END => return Ok(Ending::Whole),
            ERROR => return Ok(Ending::Failed(error_of(&json::parse(rest).unwrap_or_default()).on_item(0))),
            ROW => {
                let Ok(row) = json::parse(rest) else { return Ok(Ending::Cut) };
                if output.push(row, rest.len()).is_break() {
                    return Ok(Ending::Enough);
                }
            }
            _ => return Ok(Ending::Cut),
        }
    }
}

fn header(query: &Query, tables: &[Table]) -> String {
    let columns = tables.iter().map(|table| Value::array(table.columns.iter().map(|name| name.clone().into()).collect()));
    let fields = Object::from_iter([
        ("text", Value::from(query.text.as_str())),
        ("values", Value::array(query.values.clone())),
        ("tables", Value::array(columns.collect())),
    ]);
    json::to_string(&Value::object(fields))
}

/// What the process does: reads a request and answers it, within limits that the system keeps.
pub fn serve_merge_sql(input: impl Read + Send, output: impl Write + Send) -> io::Result<()> {
    confine(MEMORY, TIME_LIMIT)?;
    std::thread::scope(|scope| {
        let answer = move || answer(io::BufReader::with_capacity(BATCH, input), BufWriter::with_capacity(BATCH, output));
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, answer)?;
        worker.join().unwrap_or_else(|_| Err(io::Error::other("the query cannot be run")))
    })
}

fn answer(mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    match run_request(&mut input, &mut output) {
        Ok(()) => output.write_all(&[END, b'\n'])?,
        Err(error) => {
            let fields = json::to_string(&Value::object(error_fields(&error)));
            output.write_all(&[&[ERROR], fields.as_bytes(), b"\n"].concat())?;
        }
    }
    output.flush()
}

fn run_request(input: &mut impl BufRead, output: &mut impl Write) -> Result<(), NodeError> {
    let deadline = Instant::now() + TIME_LIMIT;
    let header = next_line(input)?.and_then(|line| json::parse(&line).ok()).ok_or_else(damaged)?;
    let list = |key: &str| header.get(key).and_then(Value::as_array).unwrap_or_default();
    let text = header.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    let query = Query { text, values: list("values").to_vec() };
    let mut database = Database::open(move || Instant::now() >= deadline)?;
    for (number, columns) in (1..).zip(list("tables")) {
        let columns: Vec<Str> = columns.as_array().unwrap_or_default().iter().map(Value::to_js_string).collect();
        let items = std::iter::from_fn(|| match next_line(input) {
            Ok(None) => Some(Err(damaged())),
            Ok(Some(line)) if line.is_empty() => None,
            Ok(Some(line)) => Some(json::parse(&line).map_err(|_| damaged())),
            Err(error) => Some(Err(error)),
        });
        database.fill(number, &columns, items)?;
    }
    let mut n_bytes = 0;
    let mut line = Vec::new();
    let mut written = Ok(());
    database.run(&query, |row| {
        line.clear();
        line.push(ROW);
        written = json::to_writer(&mut line, &row).and_then(|()| {
            line.push(b'\n');
            output.write_all(&line)
        });
        n_bytes += line.len() + ROW_BYTES;
        if written.is_err() || n_bytes > MAX_RESULT_BYTES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    written.map_err(|error| NodeError::failed(format!("The rows cannot be handed over: {error}")))?;
    if n_bytes > MAX_RESULT_BYTES { Err(too_many_rows()) } else { Ok(()) }
}

/// A line without its end; none where the input ends before one.
fn next_line(input: &mut impl BufRead) -> Result<Option<String>, NodeError> {
    let mut line = String::new();
    input.read_line(&mut line).map_err(|_| damaged())?;
    let ended = line.pop();
    Ok(ended.filter(|end| *end == '\n').map(|_| line))
}

fn damaged() -> NodeError {
    NodeError::failed("The request for a query is damaged")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(request: &str) -> String {
        let mut output = Vec::new();
        answer(request.as_bytes(), &mut output).unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn a_request_is_answered_row_by_row() {
        let request = r#"{"text":"SELECT b, a FROM input1 JOIN input2 USING (id) WHERE a > :value_1","values":[1],"tables":[["id","a"],["ID","b"]]}
{"id":1,"a":1}
{"id":2,"a":[2]}

{"ID":2,"b":true}

"#;
        assert_eq!(answered(request), "r{\"b\":true,\"a\":[2]}\n.\n");
    }

    #[test]
    fn a_request_that_is_cut_off_runs_nothing() {
        let whole = "{\"text\":\"SELECT 1 AS a\",\"values\":[],\"tables\":[[\"a\"]]}\n{\"a\":1}\n\n";
        assert_eq!(answered(whole), "r{\"a\":1}\n.\n");
        for length in 0..whole.len() {
            let answer = answered(&whole[..length]);
            assert!(answer.starts_with('e') && answer.contains("damaged"), "{length}: {answer}");
        }
    }
}
