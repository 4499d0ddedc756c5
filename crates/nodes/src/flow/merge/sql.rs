//! The SQL mode of Merge: the inputs as tables of a database in memory that lives for one query.
//!
//! The query runs in a child process ([`crate::child_process`]) that has no file, little memory and little
//! time; in it SQLite's authorizer allows a short list of actions. Where no program for children is
//! known, as in tests, the same database is opened here.

mod authorizer;
mod column_types;
mod database;
mod dialect;
mod lexer;
mod literal;
mod probe;
mod query_process;
mod template;

pub use probe::probe_merge_sql;
pub use query_process::{SQL_COMMAND, serve_merge_sql};

use super::branch;
use crate::child_process::row_protocol::MAX_ROW_BYTES;
use database::{Database, column_key, over_limit};
use node_api::prelude::*;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use template::MergeQuery;

/// A query that takes longer is stopped.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// A longer query is refused: what SQLite takes to prepare one grows with the square of how deep
/// its tables are nested.
const MAX_QUERY_BYTES: i32 = 64 << 10;
/// SQLite's own limit.
const MAX_COLUMNS: usize = 2000;
/// What one value, and one row of a table, may hold.
const MAX_VALUE_BYTES: i32 = 64 << 20;
/// What all rows of a result may hold, written as JSON, and what each counts besides its values.
const MAX_RESULT_BYTES: usize = 256 << 20;
const ROW_BYTES: usize = 200;
/// Items of an input whose pairs a result names.
const PAIRS_PER_INPUT: usize = 1000;
/// A query calls SQLite's functions deep into one another; the limits on nesting are chosen for
/// this much stack.
const STACK: usize = 64 << 20;

/// Runs the parameter `query` over the inputs.
pub(super) async fn query(ctx: &Ctx<'_>, inputs: usize) -> Result<Outputs, NodeError> {
    let raw = ctx.raw_param("query").unwrap_or_default().to_js_string();
    let raw = raw.strip_prefix('=').unwrap_or(&raw);
    let query = MergeQuery::read(raw, |expression| {
        ctx.host().evaluate(expression, 0, &Object::new()).map_err(|error| error.on_item(0))
    })?;
    let tables = (0..inputs)
        .map(|number| InputTable::new(number + 1, branch(ctx, number)))
        .collect::<Result<Vec<_>, _>>()?;
    let pairs: Pairs = tables.iter().flat_map(InputTable::pairs).collect();
    let output =
        QueryOutput { items: ctx.builder(), pairs: pairs.clone(), bytes: 0, has_large_row: false };
    let mut output = match crate::child_process::program() {
        Some(program) => query_process::run(program, query, tables, output, TIME_LIMIT).await?,
        None => run_here(query, tables, output).await?,
    };
    let reports_success =
        ctx.version() <= 3.1 || ctx.text("options.emptyQueryResult", 0)? == "success";
    if output.items.is_empty() && reports_success {
        output.items.push(Item::new(json!({ "success": true })).with_pairs(pairs));
    }
    Ok(vec![output.items.finish()])
}

/// An input and the columns of its table.
struct InputTable {
    items: Items,
    columns: Vec<Str>,
}

impl InputTable {
    fn new(number: usize, items: Items) -> Result<Self, NodeError> {
        let mut columns: Vec<Str> = Vec::new();
        let mut seen: HashSet<Str> = HashSet::new();
        for item in items.iter() {
            for key in item.json.as_object().into_iter().flat_map(Object::keys) {
                if !seen.contains(key.as_str()) && seen.insert(column_key(key)) {
                    columns.push(key.clone());
                }
            }
        }
        if columns.len() > MAX_COLUMNS {
            let n_columns = columns.len();
            return Err(NodeError::input(format!(
                "Input {number} has {n_columns} different fields, which exceeds the limit of \
                     {MAX_COLUMNS}"
            )));
        }
        Ok(Self { items, columns })
    }

    fn pairs(&self) -> impl Iterator<Item = PairedItem> {
        let items = self.items.range(0, PAIRS_PER_INPUT);
        items.into_iter().flat_map(|item| item.paired.to_vec()).take(PAIRS_PER_INPUT)
    }
}

/// The items of the result. What they hold counts for the run's own limits, too.
struct QueryOutput {
    items: ItemsBuilder,
    pairs: Pairs,
    bytes: usize,
    has_large_row: bool,
}

impl QueryOutput {
    /// Takes a row of so many bytes.
    fn push(&mut self, row: Value, bytes: usize) -> ControlFlow<()> {
        if bytes > MAX_ROW_BYTES {
            self.has_large_row = true;
            return ControlFlow::Break(());
        }
        self.bytes = self.bytes.saturating_add(bytes + ROW_BYTES);
        self.items.push(Item::new(row).with_pairs(self.pairs.clone()));
        if self.items.is_failed() || self.bytes > MAX_RESULT_BYTES {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// The output, unless it was too much.
    fn checked(self) -> Result<Self, NodeError> {
        match () {
            () if self.has_large_row => Err(row_too_large()),
            () if self.bytes > MAX_RESULT_BYTES => Err(too_many_rows()),
            () => Ok(self),
        }
    }
}

fn row_too_large() -> NodeError {
    over_limit(&format!("A row of the result exceeds the limit of {} MB", MAX_ROW_BYTES >> 20))
        .hint("Select fewer or shorter columns.")
}

fn too_many_rows() -> NodeError {
    over_limit(&format!("The rows of the result exceed the limit of {} MB", MAX_RESULT_BYTES >> 20))
}

/// Tells the query that nobody waits for it any more.
#[derive(Default)]
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs the query in this process, on a thread of its own.
async fn run_here(
    query: MergeQuery,
    tables: Vec<InputTable>,
    mut output: QueryOutput,
) -> Result<QueryOutput, NodeError> {
    let stopped = CancelOnDrop::default();
    let flag = stopped.0.clone();
    let (send, receive) = tokio::sync::oneshot::channel();
    let work = move || {
        let deadline = Instant::now() + TIME_LIMIT;
        let mut database =
            Database::open(move || flag.load(Ordering::Relaxed) || Instant::now() >= deadline)?;
        for (number, table) in (1..).zip(&tables) {
            database.fill(number, &table.columns, table.items.iter().map(|item| Ok(item.json)))?;
        }
        drop(tables);
        database.run(&query, |row| {
            let bytes = row.estimated_bytes();
            output.push(row, bytes)
        })?;
        output.checked()
    };
    let started =
        std::thread::Builder::new().stack_size(STACK).spawn(move || drop(send.send(work())));
    started.map_err(|error| {
        NodeError::failed(format!("Could not start a thread for the query: {error}"))
    })?;
    receive.await.map_err(|_| NodeError::failed("Issue while executing query"))?
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;
