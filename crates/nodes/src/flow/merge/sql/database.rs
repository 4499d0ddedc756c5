//! The database in memory that lives for one query: its limits, its tables, and the rows of the
//! query.

use super::authorizer::Authorizer;
use super::column_types::{ColumnTypes, NO_COLUMN};
use super::template::{MergeQuery, parameter_name, refused};
use super::{MAX_COLUMNS, MAX_QUERY_BYTES, MAX_VALUE_BYTES, TIME_LIMIT};
use model::Code;
use node_api::prelude::*;
use rusqlite::config::DbConfig;
use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::limits::Limit;
use rusqlite::{Batch, Connection, ErrorCode, OpenFlags, Statement};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

/// Instructions of SQLite between two looks at whether the query is to stop. One instruction may
/// call a function that takes long.
const INSTRUCTIONS_PER_CHECK: i32 = 100;
/// Pages of 4 KB that the tables may have.
const MAX_PAGES: u32 = 128 << 10;

pub(super) struct Database {
    connection: Connection,
    authorizer: Authorizer,
    column_types: ColumnTypes,
}

impl Database {
    /// An empty database, in which nothing can be prepared but what the authorizer allows.
    /// `is_over` says whether a query is to stop.
    pub(super) fn open(is_over: impl FnMut() -> bool + Send + 'static) -> Result<Self, NodeError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        #[expect(
            clippy::disallowed_methods,
            reason = "a Merge query uses its own in-memory database"
        )]
        let connection = Connection::open_in_memory_with_flags(flags).map_err(table_problem)?;
        limit(&connection).map_err(table_problem)?;
        connection
            .progress_handler(INSTRUCTIONS_PER_CHECK, Some(is_over))
            .map_err(table_problem)?;
        // One transaction for everything: it is never committed, for the database ends with it.
        connection.execute_batch("BEGIN").map_err(table_problem)?;
        let authorizer = Authorizer::default();
        authorizer.watch(&connection).map_err(table_problem)?;
        Ok(Self { connection, authorizer, column_types: ColumnTypes::default() })
    }

    /// Creates the table of an input and fills it with the JSON of its items.
    pub(super) fn fill(
        &mut self,
        number: usize,
        columns: &[Str],
        items: impl Iterator<Item = Result<Value, NodeError>>,
    ) -> Result<(), NodeError> {
        let Database { connection, column_types: known, authorizer } = self;
        let fallback = [Str::from(NO_COLUMN)];
        let columns = if columns.is_empty() { &fallback[..] } else { columns };
        let places: HashMap<Str, usize> =
            columns.iter().enumerate().map(|(place, name)| (column_key(name), place)).collect();
        let names: Vec<String> =
            columns.iter().map(|name| format!("\"{}\"", name.replace("\"", "\"\""))).collect();
        let create = format!("CREATE TABLE input{number} ({})", names.join(", "));
        let marks = vec!["?"; columns.len()].join(", ");
        let insert = format!("INSERT INTO input{number} VALUES ({marks})");
        connection.execute_batch(&create).map_err(table_problem)?;
        authorizer.refresh(connection).map_err(table_problem)?;
        let mut statement = connection.prepare(&insert).map_err(table_problem)?;
        for item in items {
            let item = item?;
            let mut cells: Vec<&Value> = vec![&Value::Undefined; columns.len()];
            for (key, value) in item.as_object().into_iter().flat_map(Object::iter) {
                let place = places.get(key).or_else(|| places.get(&column_key(key)));
                if let Some(cell) = place.and_then(|place| cells.get_mut(*place)) {
                    *cell = value;
                }
                known.record(key, value);
            }
            for (at, cell) in (1..).zip(cells) {
                if let Some(nested) = bind(&mut statement, at, cell).map_err(table_problem)? {
                    known.record_nested(nested);
                }
            }
            statement.raw_execute().map_err(table_problem)?;
        }
        Ok(())
    }

    /// Runs the statements of a query one after the other and hands over the rows of all of them,
    /// until `each` has enough.
    pub(super) fn run(
        &mut self,
        query: &MergeQuery,
        mut each: impl FnMut(Value) -> ControlFlow<()>,
    ) -> Result<(), NodeError> {
        let Database { connection, authorizer, column_types: known } = &*self;
        // Only now: the statements that create the tables may be longer.
        connection
            .set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, MAX_QUERY_BYTES)
            .map_err(table_problem)?;
        let problem = |error: rusqlite::Error| query_problem(&error, authorizer, query);
        let mut statements = Batch::new(connection, &query.text);
        let mut n_statements = 0;
        while let Some(mut statement) = statements.next().map_err(problem)? {
            n_statements += 1;
            bind_values(&mut statement, query).map_err(|error| error.unwrap_or_else(problem))?;
            let names: Vec<Str> = statement.column_names().into_iter().map(Str::from).collect();
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next().map_err(problem)? {
                if each(known.read(&names, row)).is_break() {
                    return Ok(());
                }
            }
            drop(rows);
            drop(statement);
            // What the next statement may read is what there really is now.
            authorizer.refresh(connection).map_err(problem)?;
        }
        if n_statements == 0 { Err(refused("The query is empty")) } else { Ok(()) }
    }

    /// The files that the connection has open, which are none.
    pub(super) fn files(&self) -> rusqlite::Result<Vec<String>> {
        Authorizer::unwatch(&self.connection)?;
        let mut list =
            self.connection.prepare("SELECT file FROM pragma_database_list WHERE file <> ''")?;
        list.query_map([], |row| row.get(0))?.collect()
    }

    /// The names of all parameters of a query, as SQLite reads them; none where it does not take
    /// the query.
    pub(super) fn parameters(&self, text: &str) -> Option<HashSet<String>> {
        let mut names = HashSet::new();
        let mut statements = Batch::new(&self.connection, text);
        while let Some(statement) = statements.next().ok()? {
            names.extend(
                (1..=statement.parameter_count())
                    .filter_map(|at| statement.parameter_name(at).map(str::to_owned)),
            );
        }
        Some(names)
    }
}

/// Column names are the same in upper and lower case.
pub(super) fn column_key(name: &Str) -> Str {
    name.to_lowercase()
}

/// What SQLite itself limits. Where the memory of all this together ends, the child process sees
/// to.
fn limit(connection: &Connection) -> rusqlite::Result<()> {
    for (config, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, false),
    ] {
        connection.set_db_config(config, is_on)?;
    }
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES),
        (Limit::SQLITE_LIMIT_COLUMN, MAX_COLUMNS as i32),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, MAX_COLUMNS as i32),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 500),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 200),
        (Limit::SQLITE_LIMIT_VDBE_OP, 1_000_000),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, 100),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 10),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update_and_check(None, "max_page_count", MAX_PAGES, |_| Ok(()))
}

/// Binds a value; gives back the text that stands for an object or a list.
fn bind(statement: &mut Statement<'_>, at: usize, value: &Value) -> rusqlite::Result<Option<Str>> {
    match value {
        Value::Undefined | Value::Null => statement.raw_bind_parameter(at, None::<i64>)?,
        Value::Bool(flag) => statement.raw_bind_parameter(at, i64::from(*flag))?,
        Value::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
            statement.raw_bind_parameter(at, *number as i64)?
        }
        Value::Number(number) => statement.raw_bind_parameter(at, *number)?,
        Value::String(text) => statement.raw_bind_parameter(at, text.as_str())?,
        Value::Date(_) => statement.raw_bind_parameter(at, value.to_js_string().as_str())?,
        Value::Array(_) | Value::Object(_) => {
            let text = Str::from(model::json::to_string(value));
            statement.raw_bind_parameter(at, text.as_str())?;
            return Ok(Some(text));
        }
    }
    Ok(None)
}

/// Binds the values that a statement names; an error is SQLite's or already in words.
fn bind_values(statement: &mut Statement<'_>, query: &MergeQuery) -> Result<(), QueryError> {
    for at in 1..=statement.parameter_count() {
        let name = statement.parameter_name(at).unwrap_or("?").to_owned();
        let value =
            query.values.iter().enumerate().find(|(place, _)| parameter_name(place + 1) == name);
        let Some((_, value)) = value else {
            let description =
                format!("The query parameter {name} has no value. Write values as {{{{ … }}}}.");
            return Err(QueryError::Worded(refused(&description)));
        };
        bind(statement, at, value).map_err(QueryError::Sqlite)?;
    }
    Ok(())
}

enum QueryError {
    Sqlite(rusqlite::Error),
    Worded(NodeError),
}

impl QueryError {
    fn unwrap_or_else(self, told: impl Fn(rusqlite::Error) -> NodeError) -> NodeError {
        match self {
            QueryError::Sqlite(error) => told(error),
            QueryError::Worded(error) => error,
        }
    }
}

fn table_problem(problem: rusqlite::Error) -> NodeError {
    if let Some(error) = limit_error(&problem) {
        return error;
    }
    NodeError::failed("Issue while creating table from")
        .describe(sqlite_message(&problem))
        .on_item(0)
}

fn query_problem(
    problem: &rusqlite::Error,
    authorizer: &Authorizer,
    query: &MergeQuery,
) -> NodeError {
    if let Some(error) = limit_error(problem) {
        return error;
    }
    if let Some(denied) = authorizer.denied() {
        return refused(&format!("A query cannot use {denied}: it can only access the tables of its inputs and those it \
             creates"))
            .hint("Use SELECT, INSERT, UPDATE, DELETE, CREATE and DROP with the tables input1, input2 and so on.");
    }
    let reason = sqlite_message(problem);
    if (1..=query.values.len())
        .any(|number| reason.contains(&format!("\"{}\"", parameter_name(number))))
    {
        return refused(&format!(
            "An expression is used where SQL is expected ({reason}). Expressions are always \
                 values: they cannot be tables, columns or other parts of the SQL."
        ))
        .hint(
            "Write tables, columns and keywords in the query itself, and use {{ … }} for values \
             only.",
        );
    }
    NodeError::failed("Issue while executing query").describe(reason).on_item(0)
}

fn limit_error(problem: &rusqlite::Error) -> Option<NodeError> {
    let reason = match problem.sqlite_error_code()? {
        ErrorCode::OperationInterrupted => {
            format!("The query timed out after {} seconds", TIME_LIMIT.as_secs())
        }
        ErrorCode::OutOfMemory | ErrorCode::DiskFull => "The query exceeds its memory limit".into(),
        ErrorCode::TooBig => {
            format!(
                "A value exceeds the limit of {} MB, or the query is too long",
                MAX_VALUE_BYTES >> 20
            )
        }
        _ => return None,
    };
    Some(over_limit(&reason))
}

/// The error of a query that is stopped because of what it takes.
pub(super) fn over_limit(reason: &str) -> NodeError {
    NodeError::new(Code::QUERY_LIMIT, "Issue while executing query").describe(reason).on_item(0)
}

fn sqlite_message(problem: &rusqlite::Error) -> String {
    match problem {
        rusqlite::Error::SqliteFailure(_, Some(words))
        | rusqlite::Error::SqlInputError { msg: words, .. } => words.clone(),
        other => other.to_string(),
    }
}
