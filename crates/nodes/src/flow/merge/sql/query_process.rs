//! The query in a child process. The request is a line with the query and the columns of the
//! tables, then a line of JSON for each item, with an empty line after each table. The answer is
//! rows ([`crate::child_process::row_protocol`]).

use super::database::{Database, over_limit};
use super::template::MergeQuery;
use super::{
    InputTable, MAX_RESULT_BYTES, QueryOutput, ROW_BYTES, STACK, TIME_LIMIT, row_too_large,
    too_many_rows,
};
use crate::child_process::row_protocol::{
    BUFFER_BYTES, MAX_ROW_BYTES, RowWriteError, RowWriter, StreamEnd, bounded_json, receive,
};
use crate::child_process::{ChildKind, ChildPermit, acquire_permit, confine, spawn_child};
use model::{Object, Str, Value, json};
use node_api::NodeError;
use std::io::{self, BufRead, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt as _;
use tokio::process::ChildStdin;
use tokio::sync::oneshot;

/// The name of the command.
pub const SQL_COMMAND: &str = "merge-sql";
/// What the process may take: the tables, what the query needs to sort and to join, and the row at
/// hand.
const MEMORY: u64 = 768 << 20;
/// What the program may take to start, to read its tables and to end, on top of the time for the
/// query.
const GRACE: Duration = Duration::from_secs(10);

/// Has the query run by the program. It is killed when nobody waits for it any more.
pub(super) async fn run(
    program: &'static Path,
    query: MergeQuery,
    tables: Vec<InputTable>,
    output: QueryOutput,
    time: Duration,
) -> Result<QueryOutput, NodeError> {
    let turn = acquire_permit(ChildKind::Queries).await;
    let (_still_waiting, gone) = oneshot::channel::<()>();
    let runtime = tokio::runtime::Handle::current();
    // Items are written and rows are read on a thread that serves no connections: there may be many
    // of them.
    let work = tokio::task::spawn_blocking(move || {
        runtime.block_on(async {
            let exchange = tokio::time::timeout(time + GRACE, exchange(program, &query, tables, output, &turn));
            tokio::select! {
                done = exchange => done.unwrap_or_else(|_| Err(over_limit(&format!("The query timed out after {} seconds", time.as_secs())))),
                _ = gone => Err(NodeError::failed("The query was cancelled")),
            }
        })
    });
    work.await.map_err(|_| NodeError::failed("Issue while executing query"))?
}

async fn exchange(
    program: &Path,
    query: &MergeQuery,
    tables: Vec<InputTable>,
    mut output: QueryOutput,
    turn: &ChildPermit,
) -> Result<QueryOutput, NodeError> {
    let failed =
        |error: io::Error| NodeError::failed(format!("Could not start the query process: {error}"));
    let mut child = spawn_child(program, SQL_COMMAND, turn).map_err(failed)?;
    let (to_child, from_child) = (child.stdin.take(), child.stdout.take());
    if let Some(to_child) = to_child {
        send(to_child, query, tables).await?;
    }
    let ending = match from_child {
        Some(from_child) => {
            receive(from_child, |row, bytes| output.push(row, bytes)).await.map_err(failed)?
        }
        None => StreamEnd::Truncated,
    };
    match ending {
        StreamEnd::Complete | StreamEnd::ReceiverDone => output.checked(),
        StreamEnd::RowTooLarge => Err(row_too_large()),
        StreamEnd::Failed(error) => Err(error.on_item(0)),
        // The system ends a process that takes too much, before it can say so.
        StreamEnd::Truncated => Err(over_limit("The query exceeds its time or memory limit")),
    }
}

/// Sends the request. A process that has ended tells why by its answer, not by what it left unread.
async fn send(
    mut to_child: ChildStdin,
    query: &MergeQuery,
    tables: Vec<InputTable>,
) -> Result<(), NodeError> {
    let mut batch = line_of("The query with its values", &header(query, &tables))?;
    for (number, table) in (1..).zip(tables) {
        for item in table.items.iter() {
            batch.push_str(&line_of(&format!("An item of input {number}"), &item.json)?);
            if batch.len() >= BUFFER_BYTES {
                if to_child.write_all(batch.as_bytes()).await.is_err() {
                    return Ok(());
                }
                batch.clear();
                batch.shrink_to(BUFFER_BYTES);
            }
        }
        batch.push('\n');
    }
    let _ = to_child.write_all(batch.as_bytes()).await;
    let _ = to_child.flush().await;
    Ok(())
}

fn line_of(what: &str, value: &Value) -> Result<String, NodeError> {
    let too_large =
        || over_limit(&format!("{what} exceeds the limit of {} MB", MAX_ROW_BYTES >> 20));
    let mut line = bounded_json(value).ok_or_else(too_large)?;
    line.push('\n');
    Ok(line)
}

fn header(query: &MergeQuery, tables: &[InputTable]) -> Value {
    let columns = tables
        .iter()
        .map(|table| Value::array(table.columns.iter().map(|name| name.clone().into()).collect()));
    let fields = Object::from_iter([
        ("text", Value::from(query.text.as_str())),
        ("values", Value::array(query.values.clone())),
        ("tables", Value::array(columns.collect())),
    ]);
    Value::object(fields)
}

/// What the process does: reads a request and answers it, within limits that the system keeps.
pub fn serve_merge_sql(input: impl Read + Send, output: impl Write + Send) -> io::Result<()> {
    confine(MEMORY, TIME_LIMIT)?;
    std::thread::scope(|scope| {
        let answer = move || answer(io::BufReader::with_capacity(BUFFER_BYTES, input), output);
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, answer)?;
        worker.join().unwrap_or_else(|_| Err(io::Error::other("the query could not be run")))
    })
}

fn answer(mut input: impl BufRead, output: impl Write) -> io::Result<()> {
    let mut rows = RowWriter::new(output);
    let outcome = run_request(&mut input, &mut rows);
    rows.end(outcome)
}

fn run_request(
    input: &mut impl BufRead,
    rows: &mut RowWriter<impl Write>,
) -> Result<(), NodeError> {
    let deadline = Instant::now() + TIME_LIMIT;
    let header = next_line(input)?.and_then(|line| json::parse(&line).ok()).ok_or_else(damaged)?;
    let list = |key: &str| header.get(key).and_then(Value::as_array).unwrap_or_default();
    let text = header.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    let query = MergeQuery { text, values: list("values").to_vec() };
    let mut database = Database::open(move || Instant::now() >= deadline)?;
    for (number, columns) in (1..).zip(list("tables")) {
        let columns: Vec<Str> =
            columns.as_array().unwrap_or_default().iter().map(Value::to_js_string).collect();
        let items = std::iter::from_fn(|| match next_line(input) {
            Ok(None) => Some(Err(damaged())),
            Ok(Some(line)) if line.is_empty() => None,
            Ok(Some(line)) => Some(json::parse(&line).map_err(|_| damaged())),
            Err(error) => Some(Err(error)),
        });
        database.fill(number, &columns, items)?;
    }
    let mut n_bytes = 0;
    let mut refused = None;
    database.run(&query, |row| {
        match rows.row(&row) {
            Ok(bytes) => n_bytes += bytes + ROW_BYTES,
            Err(error) => refused = Some(error),
        }
        if refused.is_some() || n_bytes > MAX_RESULT_BYTES {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    match refused {
        Some(RowWriteError::TooLarge) => Err(row_too_large()),
        Some(RowWriteError::Failed(error)) => {
            Err(NodeError::failed(format!("Could not transfer the rows: {error}")))
        }
        None if n_bytes > MAX_RESULT_BYTES => Err(too_many_rows()),
        None => Ok(()),
    }
}

/// A line without its end; none where the input ends before one.
fn next_line(input: &mut impl BufRead) -> Result<Option<String>, NodeError> {
    let mut line = String::new();
    input.read_line(&mut line).map_err(|_| damaged())?;
    let ended = line.pop();
    Ok(ended.filter(|end| *end == '\n').map(|_| line))
}

fn damaged() -> NodeError {
    NodeError::failed("The query request is corrupted")
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
    fn issue_14_01_a_row_that_is_too_large_is_told_and_not_sent() {
        // Each of these letters takes six bytes on its way.
        for (length, is_sent) in [(5_000_000, true), (6_000_000, false)] {
            let query = format!("SELECT 1 AS a UNION ALL SELECT printf('%.*c', {length}, char(1))");
            let answer =
                answered(&format!("{{\"text\":\"{query}\",\"values\":[],\"tables\":[]}}\n"));
            let end = answer.lines().last().unwrap();
            assert_eq!(
                (answer.len() > 1000, end == "."),
                (is_sent, is_sent),
                "{length}: {}",
                &answer[..answer.len().min(300)]
            );
            assert!(
                is_sent
                    || (end.contains("QUERY_LIMIT")
                        && end.contains("A row of the result exceeds the limit of 32 MB")),
                "{end}"
            );
        }
    }

    #[tokio::test]
    async fn issue_14_01_an_item_that_is_too_large_for_a_row_is_not_sent() {
        let large = json!({ "a": "\u{1}".repeat(6_000_000) });
        let error = line_of("An item of input 1", &large).unwrap_err();
        assert_eq!(error.code(), model::Code::QUERY_LIMIT);
        assert_eq!(error.description().unwrap(), "An item of input 1 exceeds the limit of 32 MB");
    }

    #[test]
    fn a_request_that_is_cut_off_runs_nothing() {
        let whole =
            "{\"text\":\"SELECT 1 AS a\",\"values\":[],\"tables\":[[\"a\"]]}\n{\"a\":1}\n\n";
        assert_eq!(answered(whole), "r{\"a\":1}\n.\n");
        for length in 0..whole.len() {
            let answer = answered(&whole[..length]);
            assert!(answer.starts_with('e') && answer.contains("corrupted"), "{length}: {answer}");
        }
    }
}
