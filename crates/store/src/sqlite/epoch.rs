//! Which server a folder belongs to: each one that starts counts on. The lock on `serving.lock`
//! keeps a second one away; this is for when somebody has removed that file, or where locks do not
//! hold.
//!
//! Invariant: a server writes nothing once another one has started. Every group of writes asks
//! whether anybody else has written.

use crate::Error;
use rusqlite::{Connection, OptionalExtension};

/// Makes this process the server of the folder. On a full disk it is the one that was there before.
pub(super) fn begin(connection: &Connection) -> Result<Option<i64>, Error> {
    let sql = "INSERT INTO facts (key, value) VALUES ('epoch', '1') ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1";
    match connection.execute(sql, []).map_err(Error::from) {
        Err(error) if !error.may_pass() => return Err(error),
        _ => {}
    }
    current(connection)
}

pub(super) fn current(connection: &Connection) -> Result<Option<i64>, Error> {
    let sql = "SELECT CAST(value AS INTEGER) FROM facts WHERE key = 'epoch'";
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?)
}
