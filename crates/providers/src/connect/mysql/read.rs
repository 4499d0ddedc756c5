//! One statement that may only read, on a connection of its own.
//!
//! A read-only transaction keeps tables as they are, but not files, statistics and settings, and a
//! statement with columns may be one that writes them: `ANALYZE SELECT … INTO OUTFILE` has some. So
//! the server's own grammar decides what a statement is. It must take it alone, as one with
//! columns, and as a subquery, where nothing but a query expression can stand. A text that closes
//! our bracket and opens another is no statement when it is alone, and what both take has no INTO,
//! no ANALYZE and no SET in front of it.

use super::super::MAX_ANSWER_BYTES;
use super::super::dial::{Dialer, within_ms};
use super::{MysqlFailure, bind, close, collect, connect, connect_error};
use model::Value;
use mysql_async::prelude::Queryable as _;
use mysql_async::{Conn, Params, Statement};
use node_api::connect::{ConnectError, ReadLimits, SqlResult, SqlServer};
use std::net::SocketAddr;
use std::time::Duration;

/// The server's word that there is no such connection.
const NO_SUCH_THREAD: u16 = 1094;
/// Its word for what its grammar does not know.
const SYNTAX: u16 = 1064;
/// What stopping a statement may take, the connection for it included.
const KILL_TIMEOUT: Duration = Duration::from_secs(10);

/// One query, in a session and a transaction that are read-only. Neither is used again: the
/// connection is closed, and the server told to stop if it may still be working.
pub(in super::super) async fn read(
    dialler: &Dialer,
    server: &SqlServer,
    statement: &str,
    values: &[Value],
    limits: ReadLimits,
) -> Result<SqlResult, ConnectError> {
    let addresses = dialler.addresses(&server.server).await?;
    let (mut connection, address) = connect(server, &addresses, limits.bytes).await?;
    let mut running = RunningStatement { server, address, id: connection.id(), is_over: false };
    let reading = read_on(&mut connection, server, statement, values, limits);
    let result =
        within_ms(&server.server, limits.time_ms + server.server.timeout_ms, reading).await;
    running.is_over = match &result {
        Ok(found) => found.rows.len() <= limits.rows,
        Err(error) => matches!(
            error,
            ConnectError::Refused { .. } | ConnectError::SignIn { .. } | ConnectError::NoRows
        ),
    };
    close(connection).await;
    result
}

/// A statement that the server may be working on. A server that computes does not notice that
/// nobody listens any more, so whoever stops reading early, a cancelled run included, has it
/// killed.
struct RunningStatement<'s> {
    server: &'s SqlServer,
    address: SocketAddr,
    id: u32,
    is_over: bool,
}

impl Drop for RunningStatement<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(kill(self.server.clone(), self.address, self.id));
        }
    }
}

/// Ends a connection from outside, which needs no right beyond being its user.
async fn kill(server: SqlServer, address: SocketAddr, id: u32) {
    let killing = async {
        let (mut connection, _) = connect(&server, &[address], MAX_ANSWER_BYTES).await?;
        let killed = match connection.query_drop(format!("KILL {id}")).await {
            // It has ended meanwhile.
            Err(mysql_async::Error::Server(refused)) if refused.code == NO_SUCH_THREAD => Ok(()),
            killed => killed.map_err(|error| connect_error(&server.server, error)),
        };
        close(connection).await;
        killed
    };
    match tokio::time::timeout(KILL_TIMEOUT, killing).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => {
            tracing::warn!(place = %server.server.authority(), %error, "Could not cancel a statement on its server.")
        }
        Err(_) => {
            tracing::warn!(place = %server.server.authority(), "Cancelling a statement on its server timed out.")
        }
    }
}

async fn read_on(
    connection: &mut Conn,
    server: &SqlServer,
    statement: &str,
    values: &[Value],
    limits: ReadLimits,
) -> Result<SqlResult, ConnectError> {
    let failed = |error| match connect_error(&server.server, error) {
        ConnectError::TooLarge { .. } => ConnectError::TooLarge { limit: limits.bytes },
        error => error,
    };
    // MariaDB's name for it and its seconds, else MySQL's and its milliseconds. Where neither is
    // known, only our own clock counts.
    let seconds = limits.time_ms as f64 / 1000.0;
    if connection.query_drop(format!("SET SESSION max_statement_time = {seconds}")).await.is_err() {
        let _ = connection
            .query_drop(format!("SET SESSION max_execution_time = {}", limits.time_ms))
            .await;
    }
    // The session as well as the transaction: whatever ended this one would begin the next in the
    // same way.
    connection.query_drop("SET SESSION TRANSACTION READ ONLY").await.map_err(failed)?;
    connection.query_drop("START TRANSACTION READ ONLY").await.map_err(failed)?;
    let prepared =
        prepare(connection, statement).await.map_err(failed)?.ok_or(ConnectError::NoRows)?;
    let bound = if values.is_empty() {
        Params::Empty
    } else {
        Params::Positional(values.iter().map(bind).collect())
    };
    let mut result = connection.exec_iter(&prepared, bound).await.map_err(failed)?;
    match collect(&mut result, server.values, limits.bytes, limits.rows.saturating_add(1)).await {
        Ok(results) => Ok(results.into_iter().next().unwrap_or_default()),
        Err(MysqlFailure::TooLarge(error)) => Err(error),
        Err(MysqlFailure::Server(error)) => Err(failed(error)),
    }
}

/// The statement if it is one that only reads. What is run has been taken by the server in exactly
/// this wording, or begins with a word of ours that makes it harmless whatever follows.
async fn prepare(
    connection: &mut Conn,
    statement: &str,
) -> Result<Option<Statement>, mysql_async::Error> {
    // A semicolon at the end is no part of a subquery.
    let statement = statement.trim_end_matches([' ', '\t', '\r', '\n', ';']);
    match StatementKind::of(statement) {
        StatementKind::Query => query(connection, statement).await,
        StatementKind::List(what) => with_columns(connection, &format!("SHOW {what}\n")).await,
        StatementKind::Plan { options, explained } => match query(connection, explained).await {
            Ok(Some(_)) => {
                with_columns(connection, &format!("EXPLAIN {options}\n{explained}\n")).await
            }
            // What is no statement may be a table, whose columns the same words show.
            Err(error) if options.is_empty() && is_no_sql(&error) => {
                with_columns(connection, &format!("SHOW COLUMNS FROM {explained}\n")).await
            }
            refused => refused,
        },
    }
}

/// A query expression: alone it has columns, and it can be a subquery.
async fn query(connection: &mut Conn, text: &str) -> Result<Option<Statement>, mysql_async::Error> {
    // Each ends in a line of its own, so that a comment reaches equally far in both.
    let Some(alone) = with_columns(connection, &format!("{text}\n")).await? else {
        return Ok(None);
    };
    match with_columns(connection, &format!("SELECT EXISTS (\n{text}\n)")).await {
        Ok(inside) => Ok(inside.map(|_| alone)),
        Err(error) if is_no_sql(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_no_sql(error: &mysql_async::Error) -> bool {
    matches!(error, mysql_async::Error::Server(refused) if refused.code == SYNTAX)
}

/// One statement that returns rows. Preparing runs nothing.
async fn with_columns(
    connection: &mut Conn,
    statement: &str,
) -> Result<Option<Statement>, mysql_async::Error> {
    let prepared = connection.prep(statement).await?;
    Ok((prepared.num_columns() > 0).then_some(prepared))
}

/// What a text seems to be, which only decides what is made of it.
enum StatementKind<'t> {
    Query,
    /// What stands behind SHOW.
    List(&'t str),
    Plan {
        options: &'static str,
        explained: &'t str,
    },
}

impl<'t> StatementKind<'t> {
    fn of(text: &'t str) -> Self {
        if let Some(what) = after(text, &["show"]) {
            return Self::List(what);
        }
        let Some(rest) =
            ["explain", "describe", "desc"].into_iter().find_map(|word| after(text, &[word]))
        else {
            return Self::Query;
        };
        let options = [
            ("EXTENDED", &["extended"][..]),
            ("PARTITIONS", &["partitions"]),
            ("FORMAT=JSON", &["format", "=", "json"]),
        ];
        let chosen = options
            .into_iter()
            .find_map(|(options, words)| after(rest, words).map(|explained| (options, explained)));
        let (options, explained) = chosen.unwrap_or(("", rest));
        Self::Plan { options, explained }
    }
}

/// What follows words in a text, which end where no letter goes on.
fn after<'t>(text: &'t str, words: &[&str]) -> Option<&'t str> {
    words.iter().try_fold(text, |text, word| {
        let text = text.trim_ascii_start();
        let (begin, rest) = text.split_at_checked(word.len())?;
        let goes_on = word.ends_with(char::is_alphabetic)
            && rest.starts_with(|next: char| next == '_' || next == '$' || next.is_alphanumeric());
        (begin.eq_ignore_ascii_case(word) && !goes_on).then_some(rest)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_front_are_found_whatever_their_case_and_spaces() {
        assert_eq!(after("  Show\tTABLES", &["show"]), Some("\tTABLES"));
        assert_eq!(after("format =JSON(select 1)", &["format", "=", "json"]), Some("(select 1)"));
        assert_eq!(after("showing", &["show"]), None);
        assert_eq!(after("sho", &["show"]), None);
        assert_eq!(after("äöüß", &["show"]), None);
        assert!(matches!(
            StatementKind::of("desc ledger"),
            StatementKind::Plan { options: "", explained: " ledger" }
        ));
        assert!(matches!(
            StatementKind::of("EXPLAIN FORMAT = JSON SELECT 1"),
            StatementKind::Plan { options: "FORMAT=JSON", explained: " SELECT 1" }
        ));
        assert!(matches!(StatementKind::of("select 'show'"), StatementKind::Query));
    }
}
