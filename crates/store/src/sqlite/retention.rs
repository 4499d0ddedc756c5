//! Removes finished runs that are not to be kept, and gives their room back to the disk.
//!
//! Invariant: whoever writes waits for no more than one small step of it. What is to go is found
//! beside the writer, in slices, so that no old state of the database is held for long either.

use super::executions::{IS_OVER, remove_rows, segment_keys};
use super::parent_calls::is_needed;
use super::{Sqlite, checkpoints, insights, now_ms, reserved_ids};
use crate::Error;
use crate::executions::RetentionLimits;
use rusqlite::{Connection, OptionalExtension, params};
use std::time::Duration;

/// Rows that are looked at in one go.
const SLICE: usize = 1000;

/// Bytes of journals that are removed in one go.
const STEP_BYTES: i64 = 1 << 20;

/// Runs that have more than this are removed a few pieces of their journal at a time.
const LARGE: i64 = STEP_BYTES / 4;

/// Pages that are given back in one go.
const SHRINK_PAGES: i64 = 50;

/// Between two slices or steps the database and its log belong to others.
const PAUSE: Duration = Duration::from_millis(2);

/// How often, and after which time, we try again to move the log if somebody else is at it.
const TRIES: usize = 50;
const TRY_EVERY: Duration = Duration::from_millis(20);

/// Runs from the newest on, as far as they were looked at.
struct PruneScan {
    keep: RetentionLimits,
    /// The oldest one that was looked at.
    last: i64,
    /// How many of them are over, and how much they take.
    n_over: usize,
    bytes: i64,
    /// Those that go.
    found: Vec<i64>,
    is_done: bool,
}

impl PruneScan {
    fn scan(mut self, connection: &Connection) -> Result<Self, Error> {
        let sql = format!(
            "SELECT id, bytes, stopped_ms, parent FROM executions WHERE id < ?1 AND {IS_OVER} ORDER BY id DESC LIMIT ?2"
        );
        let mut found = connection.prepare_cached(&sql)?;
        let mut slice = found.query(params![self.last, SLICE as i64])?;
        let mut n_rows = 0;
        while let Some(row) = slice.next()? {
            n_rows += 1;
            self.last = row.get(0)?;
            self.n_over += 1;
            self.bytes = self.bytes.saturating_add(row.get(1)?);
            let is_old = row.get::<_, i64>(2)? < self.keep.newer_than_ms;
            let goes = is_old || self.n_over > self.keep.at_most || self.bytes > self.keep.bytes;
            // A caller that is not over may need the result again.
            if goes && !is_needed(connection, row.get(3)?)? {
                self.found.push(self.last);
            }
        }
        self.is_done = n_rows < SLICE;
        Ok(self)
    }
}

/// What came of one step.
struct PruneStep {
    n_removed: usize,
    with_files: Vec<i64>,
}

impl Sqlite {
    /// Removes what is not to be kept, the oldest first; gives back how many.
    pub(super) async fn remove_old(&self, keep: RetentionLimits) -> Result<usize, Error> {
        let mut survey = PruneScan {
            keep,
            last: i64::MAX,
            n_over: 0,
            bytes: 0,
            found: Vec::new(),
            is_done: false,
        };
        while !survey.is_done {
            survey = self.read(move |connection| survey.scan(connection)).await?;
            tokio::time::sleep(PAUSE).await;
        }
        let mut left = survey.found;
        let count = left.len();
        while !left.is_empty() {
            let next: Vec<i64> = left.iter().rev().take(keep.step.max(1)).copied().collect();
            let step = self.write(move |connection| remove_some(connection, &next)).await?;
            self.remove_files(step.with_files).await;
            left.truncate(left.len() - step.n_removed);
            tokio::time::sleep(PAUSE).await;
        }
        while self
            .write(move |connection| insights::forget_days(connection, now_ms(), keep.step.max(1)))
            .await?
        {}
        Ok(count)
    }

    /// Gives some free pages back; `false` once there are none, and the file is as short as it can
    /// be for now.
    pub(super) async fn release_pages(&self) -> Result<bool, Error> {
        let free = self.write(|connection| {
            let mut vacuum =
                connection.prepare_cached(&format!("PRAGMA incremental_vacuum({SHRINK_PAGES})"))?;
            let mut rows = vacuum.query([])?;
            while rows.next()?.is_some() {}
            Ok(connection.query_row("PRAGMA freelist_count", [], |row| row.get::<_, i64>(0))?)
        });
        if free.await? > 0 {
            tokio::time::sleep(PAUSE).await;
            return Ok(true);
        }
        // The file itself gets shorter when the database takes over what the log says about it.
        for _ in 0..TRIES {
            if self.read(checkpoints::checkpoint_passive).await? {
                break;
            }
            tokio::time::sleep(TRY_EVERY).await;
        }
        Ok(false)
    }
}

/// Removes as many of these runs as a step may.
fn remove_some(connection: &Connection, ids: &[i64]) -> Result<PruneStep, Error> {
    let mut step = PruneStep { n_removed: 0, with_files: Vec::new() };
    let mut room = STEP_BYTES;
    let mut size = connection.prepare_cached("SELECT bytes FROM executions WHERE id = ?1")?;
    for id in ids {
        let bytes = size.query_row([id], |row| row.get::<_, i64>(0)).optional()?.unwrap_or(0);
        if bytes > LARGE && !strip(connection, *id, &mut room)? {
            break;
        }
        if remove_rows(connection, *id)?.had_files {
            step.with_files.push(*id);
        }
        step.n_removed += 1;
        room -= bytes.min(LARGE);
        if room <= 0 {
            break;
        }
    }
    if let Some(newest) = ids.iter().take(step.n_removed).max() {
        reserved_ids::raise(connection, *newest)?;
    }
    Ok(step)
}

/// Removes pieces of a large journal as long as there is room for it; whether all are gone.
fn strip(connection: &Connection, id: i64, room: &mut i64) -> Result<bool, Error> {
    for (table, column) in [("journal_parts", "bytes"), ("journal", "events")] {
        let find = format!(
            "SELECT place, length({column}) FROM {table} WHERE place BETWEEN ?1 AND ?2 ORDER BY place LIMIT 1"
        );
        let mut find = connection.prepare_cached(&find)?;
        let mut remove =
            connection.prepare_cached(&format!("DELETE FROM {table} WHERE place = ?1"))?;
        while let Some((place, bytes)) = find
            .query_row(segment_keys(id), |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))
            .optional()?
        {
            if *room <= 0 {
                return Ok(false);
            }
            remove.execute([place])?;
            *room -= bytes;
        }
    }
    Ok(true)
}
