//! Ids of runs that were given away. None is given twice, also if the run is gone or was never
//! kept: links to it may be in the world.

use crate::Error;
use rusqlite::{Connection, OptionalExtension};
use std::sync::atomic::{AtomicI64, Ordering};

/// So many ids are noted as given away at once. After a crash the next id is up to so many higher
/// than the last.
const BLOCK: i64 = 100;

/// Up to which id all are noted as given away, as far as this process knows.
#[derive(Default)]
pub(super) struct ReservedIds(AtomicI64);

impl ReservedIds {
    /// Notes that an id was given away, in the transaction that its run begins in.
    pub(super) fn note(&self, connection: &Connection, id: i64) -> Result<(), Error> {
        if id > self.0.load(Ordering::Relaxed) {
            raise(connection, id + BLOCK)?;
            self.0.store(id + BLOCK, Ordering::Relaxed);
        }
        Ok(())
    }

    /// What was noted last may not be on disk.
    pub(super) fn forget(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// The last id that was noted.
pub(super) fn noted(connection: &Connection) -> Result<i64, Error> {
    let sql = "SELECT value FROM facts WHERE key = 'last_execution'";
    let noted: Option<String> =
        connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?;
    Ok(noted.and_then(|text| text.parse().ok()).unwrap_or(0))
}

pub(crate) fn raise(connection: &Connection, id: i64) -> Result<(), Error> {
    let sql = "INSERT INTO facts (key, value) VALUES ('last_execution', ?1)
               ON CONFLICT (key) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(?1 AS INTEGER))";
    connection.prepare_cached(sql)?.execute([id.to_string()])?;
    Ok(())
}

/// Notes exactly how far ids were given away, so that they do not jump after a clean stop.
pub(super) fn settle(connection: &Connection, last: i64) -> Result<(), Error> {
    let sql = "UPDATE facts SET value = ?1 WHERE key = 'last_execution'";
    connection.prepare_cached(sql)?.execute([last.to_string()])?;
    Ok(())
}
