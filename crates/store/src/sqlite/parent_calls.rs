//! Runs that other runs have called: they stay as long as their caller may ask for their result
//! again.

use super::executions::{IS_OVER, remove, rows};
use crate::Error;
use crate::executions::ParentCall;
use rusqlite::{Connection, OptionalExtension, Row};

const IS_UNFINISHED: &str = "stopped_ms IS NULL";

pub(super) fn called_from(row: &Row<'_>) -> rusqlite::Result<Option<ParentCall>> {
    let Some(execution) = row.get(9)? else { return Ok(None) };
    Ok(Some(ParentCall { execution, step: row.get(12)?, number: row.get(13)? }))
}

/// Whether the run that called this one is not over.
pub(super) fn is_needed(connection: &Connection, parent: Option<i64>) -> Result<bool, Error> {
    let Some(parent) = parent else { return Ok(false) };
    let sql = format!("SELECT 1 FROM executions WHERE id = ?1 AND {IS_UNFINISHED}");
    Ok(connection.prepare_cached(&sql)?.exists([parent])?)
}

/// Removes the runs that a run has called and nobody wants to keep; gives back those with files.
pub(super) fn remove_passing(connection: &Connection, parent: i64) -> Result<Vec<i64>, Error> {
    let sql = format!("SELECT id FROM executions WHERE parent = ?1 AND passing = 1 AND {IS_OVER}");
    let mut found = connection.prepare_cached(&sql)?;
    let ids: Vec<i64> = rows(found.query_map([parent], |row| row.get(0))?)?;
    let mut with_files = Vec::new();
    for id in ids {
        if remove(connection, id)?.had_files {
            with_files.push(id);
        }
    }
    Ok(with_files)
}

/// Removing a run that its caller needs would make the caller call again.
pub(super) fn refuse_if_needed(connection: &Connection, id: i64) -> Result<(), Error> {
    let sql = format!(
        "SELECT parent FROM executions WHERE id = ?1 AND parent IN (SELECT id FROM executions WHERE {IS_UNFINISHED})"
    );
    let by: Option<i64> =
        connection.prepare_cached(&sql)?.query_row([id], |row| row.get(0)).optional()?;
    by.map_or(Ok(()), |by| Err(Error::Needed { id, by }))
}

/// Runs whose end was waited for by somebody who is over or gone: by one run, or by any.
pub(super) fn abandoned(connection: &Connection, by: Option<i64>) -> Result<Vec<i64>, Error> {
    let whose = if by.is_some() { "parent = ?1" } else { "parent IS NOT ?1" };
    let sql = format!(
        "SELECT id FROM executions INDEXED BY executions_awaited WHERE awaited = 1 AND {IS_UNFINISHED} AND {whose}
           AND NOT EXISTS (SELECT 1 FROM executions caller WHERE caller.id = executions.parent AND caller.{IS_UNFINISHED})
         ORDER BY id"
    );
    rows(connection.prepare_cached(&sql)?.query_map([by], |row| row.get(0))?)
}
