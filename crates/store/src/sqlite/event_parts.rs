//! Parts of large events in SQLite.

use super::Sqlite;
use super::executions::{MAX_SEGMENTS, segment_key, segment_keys};
use crate::Error;
use crate::blobs::{self, Blobs, FetchedFile, FileHash};
use crate::journal::bodies_in_parts;
use crate::large_events::{JournalPart, PartSource};
use rusqlite::{Connection, OptionalExtension, params};
use std::io;

pub(super) fn write(connection: &Connection, id: i64, parts: &[JournalPart]) -> Result<(), Error> {
    for part in parts {
        // What may be there is of a run that was turned away, or that a crash cut off before it had
        // a row.
        let mut insert = connection.prepare_cached(
            "INSERT OR REPLACE INTO journal_parts (place, sum, bytes) VALUES (?1, ?2, ?3)",
        )?;
        insert.execute(params![
            segment_key(id, part.number)?,
            i64::from(crc32fast::hash(&part.bytes)),
            &part.bytes[..]
        ])?;
    }
    Ok(())
}

/// Removes the parts of a run that has no row.
pub(super) fn remove_of(connection: &Connection, id: i64) -> Result<(), Error> {
    let sql = "DELETE FROM journal_parts WHERE place BETWEEN ?1 AND ?2 AND NOT EXISTS (SELECT 1 FROM executions WHERE id = ?3)";
    let [first, last] = segment_keys(id);
    connection.prepare_cached(sql)?.execute([first, last, id])?;
    Ok(())
}

/// How many runs may have been on their way when a process ended, and more.
const NEWEST: i64 = 20_000;

/// Removes what a crash has left of runs whose beginning was not written to its end: they were
/// among the newest. Without room to do so it waits for the next start.
pub(super) fn sweep(connection: &Connection) -> Result<(), Error> {
    let newest: i64 =
        connection
            .query_row("SELECT coalesce(max(id), 0) FROM executions", [], |row| row.get(0))?;
    let from = newest.saturating_sub(NEWEST).max(0) * MAX_SEGMENTS;
    let stray = "place >= ?1 AND NOT EXISTS (SELECT 1 FROM executions WHERE id = place / ?2)";
    // A folder that needs nothing is not written to.
    let find = format!("SELECT 1 FROM journal_parts WHERE {stray} LIMIT 1");
    if !connection.prepare(&find)?.exists([from, MAX_SEGMENTS])? {
        return Ok(());
    }
    match connection
        .execute(&format!("DELETE FROM journal_parts WHERE {stray}"), [from, MAX_SEGMENTS])
        .map_err(Error::from)
    {
        Err(error) if !error.may_pass() => Err(error),
        _ => Ok(()),
    }
}

/// Makes sure that every part of a run is whole, one at a time in memory.
pub(super) fn check_parts(connection: &Connection, id: i64) -> Result<(), Error> {
    let mut found =
        connection.prepare_cached("SELECT place - ?1, sum, bytes FROM journal_parts WHERE place BETWEEN ?1 AND ?2 ORDER BY place")?;
    let mut rows = found.query(segment_keys(id))?;
    while let Some(row) = rows.next()? {
        let (number, sum, bytes): (i64, i64, &[u8]) =
            (row.get(0)?, row.get(1)?, row.get_ref(2)?.as_blob().unwrap_or_default());
        if sum != i64::from(crc32fast::hash(bytes)) {
            return Err(damaged(id, number));
        }
    }
    Ok(())
}

/// How much of the parts of a run is read with its events: what is left of large ones besides their
/// lists.
pub(super) fn body_bytes(connection: &Connection, id: i64) -> Result<i64, Error> {
    let has_any = "SELECT 1 FROM journal_parts WHERE place BETWEEN ?1 AND ?2 LIMIT 1";
    if !connection.prepare_cached(has_any)?.exists(segment_keys(id))? {
        return Ok(0);
    }
    let mut found =
        connection.prepare_cached("SELECT events FROM journal WHERE place BETWEEN ?1 AND ?2")?;
    let mut length = connection.prepare_cached(
        "SELECT coalesce(sum(length(bytes)), 0) FROM journal_parts WHERE place BETWEEN ?1 AND ?2",
    )?;
    let mut pieces = found.query(segment_keys(id))?;
    let mut bytes = 0i64;
    while let Some(row) = pieces.next()? {
        // Whoever reads a damaged piece is told; until then there is less to read.
        for span in
            bodies_in_parts(row.get_ref(0)?.as_blob().unwrap_or_default()).unwrap_or_default()
        {
            let count = i64::try_from(span.count).unwrap_or(MAX_SEGMENTS).clamp(1, MAX_SEGMENTS);
            let (first, last) =
                (span.first, span.first.saturating_add(count - 1).min(MAX_SEGMENTS - 1));
            if first > last {
                continue;
            }
            let places = [segment_key(id, first)?, segment_key(id, last)?];
            bytes = bytes.saturating_add(length.query_row(places, |row| row.get(0))?);
        }
    }
    Ok(bytes)
}

/// The parts of one run, and its files: their bytes, or without a folder what there is to know of
/// them.
pub(super) struct StoredParts {
    store: Sqlite,
    execution: i64,
    blobs: Option<Blobs>,
}

impl StoredParts {
    pub(super) fn new(store: &Sqlite, execution: i64, blobs: Option<Blobs>) -> Self {
        Self { store: store.clone(), execution, blobs }
    }
}

impl PartSource for StoredParts {
    fn read(&self, first: i64, count: usize) -> io::Result<Vec<u8>> {
        let id = self.execution;
        let read = self.store.read_now(|connection| {
            let mut found = connection
                .prepare_cached("SELECT sum, bytes FROM journal_parts WHERE place = ?1")?;
            let mut all = Vec::new();
            for number in (first..).take(count) {
                let part = found.query_row([segment_key(id, number)?], |row| {
                    let (sum, bytes) = (row.get::<_, i64>(0)?, row.get_ref(1)?.as_blob()?);
                    let is_whole = sum == i64::from(crc32fast::hash(bytes));
                    if is_whole {
                        all.extend_from_slice(bytes);
                    }
                    Ok(is_whole)
                });
                if part.optional()? != Some(true) {
                    return Err(damaged(id, number));
                }
            }
            Ok(all)
        });
        read.map_err(io::Error::other)
    }

    fn file(&self, sum: FileHash, size: usize) -> io::Result<FetchedFile> {
        let Some(blobs) = &self.blobs else {
            return Ok(FetchedFile::Fields(blobs::fields(self.execution, sum, size)));
        };
        let data = blobs.read(self.execution, sum, size).map_err(io::Error::other)?;
        Ok(FetchedFile::Data(data))
    }
}

fn damaged(id: i64, number: i64) -> Error {
    Error::Corrupt { what: format!("part {number} of the journal of execution {id}").into() }
}

#[cfg(test)]
mod tests {
    use super::super::executions::read_journal;
    use super::*;
    use crate::journal::SegmentWriter;
    use crate::large_events::{LARGE_EVENT, PartReader};
    use model::{RunEvent, Value};

    /// There is no connection left to read with.
    struct NoConnection;

    impl PartSource for NoConnection {
        fn read(&self, _first: i64, _count: usize) -> io::Result<Vec<u8>> {
            Err(io::Error::other(Error::Unwritable { cause: "too many open files".into() }))
        }

        fn file(&self, _sum: FileHash, _size: usize) -> io::Result<FetchedFile> {
            Err(io::Error::other(Error::Busy))
        }
    }

    #[test]
    fn issue_15_11_what_cannot_be_read_now_is_not_taken_for_damaged() {
        #[expect(clippy::disallowed_methods, reason = "a database of its own")]
        let mut connection = Connection::open_in_memory().unwrap();
        super::super::migrate::migrate(
            &mut connection,
            super::super::migrate::MigratePolicy::Migrate,
        )
        .unwrap();
        let mut writer = SegmentWriter::default();
        let value = Value::from("x".repeat(2 * LARGE_EVENT));
        writer.add(&RunEvent::StepRecorded { node: "A".into(), key: "large".into(), value });
        while writer.is_behind() {
            writer.advance();
        }
        let (parts, events) = writer.take();
        assert!(!parts.is_empty() && !events.is_empty());
        let sum = i64::from(crc32fast::hash(&events));
        let insert = "INSERT INTO journal (place, sum, events, format) VALUES (?1, ?2, ?3, 1)";
        connection.execute(insert, params![segment_key(1, 0).unwrap(), sum, events]).unwrap();
        let read = read_journal(&connection, 1, usize::MAX, None, &PartReader::new(NoConnection));
        assert!(matches!(read, Err(Error::Unwritable { .. })), "{read:?}");
    }
}
