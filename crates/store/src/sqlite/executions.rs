//! Executions and their journal in SQLite.

use super::approvals::remove_of;
use super::event_parts::{StoredParts, check_parts};
use super::parent_calls::{abandoned, called_from, is_needed, refuse_if_needed, remove_passing};
use super::reserved_ids::{self, ReservedIds};
use super::workflows::keep_static_data;
use super::writer::{PendingWrite, in_savepoint, stop_if_unsynced};
use super::{Sqlite, failed_runs, insights, listing, workflow_cache};
use crate::Error;
use crate::blobs::{self, Blobs, FetchedFile, FileHash, StoredFile};
use crate::executions::{
    CommitWith, Execution, ExecutionFilter, ExecutionState, ExecutionStore, JournalLength,
    JournalSegment, NewExecution, ParentCall, READ_FACTOR, RetentionLimits, SavePolicy,
    SegmentSource, UnfinishedCounts, UnfinishedExecution,
};
use crate::journal;
use crate::large_events::PartReader;
use crate::passthrough::PassthroughIndex;
use bytes::Bytes;
use model::{RunEvent, RunStatus, SpendingTotal};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::oneshot;

pub(super) const COLUMNS: &str = "id, workflow_id, version_id, mode, status, started_ms, stopped_ms, wait_till_ms, retry_of, parent, error, bytes, \
                       call_step, call_number, waits_for, discards, spent_tokens, spent_dollars, awaited";

/// The columns of [`UnfinishedExecution`].
const LEFT: &str = "id, status, wait_till_ms, waits_for";

#[async_trait::async_trait]
impl ExecutionStore for Sqlite {
    async fn n_unfinished(&self) -> Result<UnfinishedCounts, Error> {
        self.read(|connection| {
            let sql = "SELECT count(*) FROM executions INDEXED BY executions_unfinished WHERE stopped_ms IS NULL AND status = ?";
            let mut found = connection.prepare_cached(sql)?;
            let mut count = |status: RunStatus| found.query_row([status.name()], |row| row.get(0));
            Ok(UnfinishedCounts { waiting: count(RunStatus::Waiting)?, uncertain: count(RunStatus::Uncertain)? })
        })
        .await
    }

    async fn next_execution_id(&self) -> Result<i64, Error> {
        self.read(next_id).await
    }

    async fn flush(&self, run: Arc<dyn SegmentSource>) -> Result<(), Error> {
        self.write_files(&run).await?;
        let (tell, told) = oneshot::channel();
        self.send_segment(run, move |result| {
            let _ = tell.send(result);
        })?;
        told.await.unwrap_or(Err(Error::Stopped))
    }

    async fn execution(&self, id: i64) -> Result<Option<Execution>, Error> {
        self.read(move |connection| {
            let mut found = connection
                .prepare_cached(&format!("SELECT {COLUMNS} FROM executions WHERE id = ?"))?;
            Ok(found.query_row([id], execution).optional()?)
        })
        .await
    }

    async fn executions(&self, filter: ExecutionFilter) -> Result<Vec<Execution>, Error> {
        self.read(move |connection| listing::list(connection, filter)).await
    }

    async fn journal(&self, id: i64) -> Result<Vec<RunEvent>, Error> {
        let blobs = self.shared.blobs.clone();
        let parts = PartReader::new(StoredParts::new(self, id, Some(blobs.clone())));
        self.read(move |connection| {
            check_parts(connection, id)?;
            read_journal(connection, id, usize::MAX, Some(&blobs), &parts)
        })
        .await
    }

    async fn outline(&self, id: i64) -> Result<Vec<RunEvent>, Error> {
        let parts = PartReader::new(StoredParts::new(self, id, None));
        self.read(move |connection| read_journal(connection, id, usize::MAX, None, &parts)).await
    }

    async fn first_event(&self, id: i64) -> Result<Option<RunEvent>, Error> {
        let blobs = self.shared.blobs.clone();
        let parts = PartReader::new(StoredParts::new(self, id, Some(blobs.clone())));
        self.read(move |connection| {
            Ok(read_journal(connection, id, 1, Some(&blobs), &parts)?.into_iter().next())
        })
        .await
    }

    async fn file(&self, id: i64, sum: FileHash) -> Result<Option<StoredFile>, Error> {
        let blobs = self.shared.blobs.clone();
        self.read(move |connection| {
            let sql =
                "SELECT size, mime_type, file_name FROM blobs WHERE execution_id = ?1 AND sum = ?2";
            let mut found = connection.prepare_cached(sql)?;
            let row = found
                .query_row(params![id, sum.0], |row| {
                    Ok((
                        row.get::<_, i64>(0)?,
                        row.get::<_, String>(1)?,
                        row.get::<_, Option<String>>(2)?,
                    ))
                })
                .optional()?;
            let Some((size, mime_type, file_name)) = row else { return Ok(None) };
            let file = blobs.open(id, sum)?;
            Ok(Some(StoredFile {
                file,
                size: size as u64,
                mime_type: mime_type.into(),
                file_name: file_name.map(Into::into),
            }))
        })
        .await
    }

    async fn journal_length(&self, id: i64) -> Result<JournalLength, Error> {
        self.read(move |connection| {
            let count = |table: &str| -> Result<i64, Error> {
                let sql = format!("SELECT coalesce(max(place) - ?1 + 1, 0) FROM {table} WHERE place BETWEEN ?1 AND ?2");
                Ok(connection.prepare_cached(&sql)?.query_row(segment_keys(id), |row| row.get(0))?)
            };
            Ok(JournalLength { segments: count("journal")?, parts: count("journal_parts")? })
        })
        .await
    }

    async fn outline_bytes(&self, id: i64) -> Result<usize, Error> {
        self.read(move |connection| {
            let sql = "SELECT coalesce(sum(length(events)), 0) FROM journal WHERE place BETWEEN ?1 AND ?2";
            let bytes: i64 = connection.prepare_cached(sql)?.query_row(segment_keys(id), |row| row.get(0))?;
            let bytes = bytes.saturating_add(super::event_parts::body_bytes(connection, id)?);
            Ok((bytes.max(0) as usize).saturating_mul(READ_FACTOR))
        })
        .await
    }

    async fn interrupted(&self) -> Result<Vec<UnfinishedExecution>, Error> {
        self.read(|connection| {
            let sql = format!(
                "SELECT {LEFT} FROM executions INDEXED BY executions_unfinished WHERE stopped_ms IS NULL AND status = 'running' ORDER BY id"
            );
            let mut found = connection.prepare_cached(&sql)?;
            rows(found.query_map([], left)?)
        })
        .await
    }

    async fn due(
        &self,
        now_ms: i64,
        after: Option<(i64, i64)>,
        limit: usize,
    ) -> Result<Vec<UnfinishedExecution>, Error> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {LEFT} FROM executions INDEXED BY executions_due
                 WHERE status = 'waiting' AND wait_till_ms <= ?1 AND (wait_till_ms, id) > (?2, ?3)
                 ORDER BY wait_till_ms, id LIMIT ?4"
            );
            let mut found = connection.prepare_cached(&sql)?;
            let (after_ms, after_id) = after.unwrap_or((i64::MIN, i64::MIN));
            rows(found.query_map(params![now_ms, after_ms, after_id, at_most(limit)], left)?)
        })
        .await
    }

    async fn next_due(&self) -> Result<Option<i64>, Error> {
        self.read(|connection| {
            let sql =
                "SELECT min(wait_till_ms) FROM executions INDEXED BY executions_due WHERE status = 'waiting' AND wait_till_ms IS NOT NULL";
            let mut found = connection.prepare_cached(sql)?;
            Ok(found.query_row([], |row| row.get(0))?)
        })
        .await
    }

    async fn called(&self, caller: ParentCall) -> Result<Option<Execution>, Error> {
        self.read(move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM executions WHERE parent = ?1 AND call_step = ?2 AND call_number = ?3");
            let mut found = connection.prepare_cached(&sql)?;
            Ok(found.query_row(params![caller.execution, caller.step, caller.number], execution).optional()?)
        })
        .await
    }

    async fn abandoned(&self, by: Option<i64>) -> Result<Vec<i64>, Error> {
        self.read(move |connection| abandoned(connection, by)).await
    }

    async fn unblocked(&self, after: i64, limit: usize) -> Result<Vec<UnfinishedExecution>, Error> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {LEFT} FROM executions INDEXED BY executions_that_wait_for
                 WHERE status = 'waiting' AND waits_for IS NOT NULL AND id > ?1 AND NOT EXISTS (
                   SELECT 1 FROM executions called WHERE called.id = executions.waits_for AND called.status IN ('running', 'waiting'))
                 ORDER BY id LIMIT ?2"
            );
            let mut found = connection.prepare_cached(&sql)?;
            rows(found.query_map([after, at_most(limit)], left)?)
        })
        .await
    }

    async fn decided(&self, after: i64, limit: usize) -> Result<Vec<UnfinishedExecution>, Error> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {LEFT} FROM executions
                 WHERE status = 'waiting' AND id > ?1 AND id IN (SELECT execution_id FROM approvals WHERE decided = 1)
                 ORDER BY id LIMIT ?2"
            );
            let mut found = connection.prepare_cached(&sql)?;
            rows(found.query_map([after, at_most(limit)], left)?)
        })
        .await
    }

    async fn document(&self, id: i64) -> Result<Option<model::Str>, Error> {
        self.read(move |connection| {
            let mut found =
                connection.prepare_cached("SELECT document FROM executions WHERE id = ?")?;
            let document: Option<Option<String>> =
                found.query_row([id], |row| row.get(0)).optional()?;
            Ok(document.flatten().map(Into::into))
        })
        .await
    }

    async fn is_delivered(&self, key: &str) -> Result<bool, Error> {
        let key = key.to_owned();
        self.read(move |connection| {
            let mut found = connection.prepare_cached("SELECT 1 FROM deliveries WHERE key = ?")?;
            Ok(found.exists([key])?)
        })
        .await
    }

    async fn set_status(&self, id: i64, status: RunStatus) -> Result<bool, Error> {
        self.write(move |connection| {
            let stopped = (status != RunStatus::Running && status != RunStatus::Uncertain).then(super::now_ms);
            let mut unfinished = connection.prepare_cached("SELECT 1 FROM executions WHERE id = ?1 AND stopped_ms IS NULL")?;
            if let Some(stopped) = stopped
                && unfinished.exists([id])?
            {
                insights::count_end(connection, id, status, stopped)?;
            }
            let mut change = connection.prepare_cached(
                "UPDATE executions SET status = ?2, stopped_ms = ?3, wait_till_ms = NULL, waits_for = NULL,
                                       error = CASE ?2 WHEN 'running' THEN NULL ELSE error END WHERE id = ?1",
            )?;
            let is_there = change.execute(params![id, status.name(), stopped])? > 0;
            if status.is_over() {
                remove_of(connection, id)?;
            }
            Ok(is_there)
        })
        .await
    }

    async fn forget_files(&self, id: i64) {
        self.remove_files(vec![id]).await;
        // What cannot be removed now is swept at the next start.
        let _ = self.write(move |connection| super::event_parts::remove_of(connection, id)).await;
    }

    async fn delete_execution(&self, id: i64) -> Result<bool, Error> {
        let removed = self
            .write(move |connection| {
                refuse_if_needed(connection, id)?;
                remove(connection, id)
            })
            .await?;
        if removed.had_files {
            self.remove_files(vec![id]).await;
        }
        Ok(removed.was_there)
    }

    async fn prune(&self, keep: RetentionLimits) -> Result<usize, Error> {
        self.remove_old(keep).await
    }

    async fn shrink(&self) -> Result<bool, Error> {
        self.release_pages().await
    }
}

pub(crate) fn next_id(connection: &Connection) -> Result<i64, Error> {
    let used: i64 =
        connection
            .query_row("SELECT coalesce(max(id), 0) FROM executions", [], |row| row.get(0))?;
    // Ids of deleted runs are not given away again.
    Ok(used.max(reserved_ids::noted(connection)?) + 1)
}

/// Deliveries are remembered for a week.
const DELIVERIES_MS: i64 = 7 * 24 * 60 * 60 * 1000;

impl Sqlite {
    /// Writes the files that a run's next piece will name, so that the writer does not have to.
    async fn write_files(&self, run: &Arc<dyn SegmentSource>) -> Result<(), Error> {
        let Some((execution, files)) = run.files() else { return Ok(()) };
        let blobs = self.shared.blobs.clone();
        self.off_thread(move || blobs.write(execution, &files)).await.inspect_err(stop_if_unsynced)
    }

    pub(super) async fn remove_files(&self, executions: Vec<i64>) {
        if executions.is_empty() {
            return;
        }
        let blobs = self.shared.blobs.clone();
        // What is left is swept at the next start.
        let _ = self
            .off_thread(move || {
                blobs.remove(&executions);
                Ok(())
            })
            .await;
    }

    fn send_segment(
        &self,
        run: Arc<dyn SegmentSource>,
        tell: impl FnOnce(Result<(), Error>) + Send + 'static,
    ) -> Result<(), Error> {
        let (blobs, reserved_ids) = (self.shared.blobs.clone(), self.shared.reserved_ids.clone());
        self.shared.writer.send(Box::new(move |connection| {
            let failed = failed_runs::of(run.execution());
            let piece = if failed.is_none() { run.take() } else { None };
            let written = match (&piece, failed, connection) {
                (_, Some(error), _) | (_, None, Err(error)) => Err(error),
                (None, None, Ok(_)) => Ok(Vec::new()),
                (Some(piece), None, Ok(connection)) => {
                    write_whole(connection, &blobs, &reserved_ids, piece)
                }
            };
            if let (Err(error), Some(piece)) = (&written, &piece) {
                failed_runs::note(piece.execution, error);
            }
            // Of a run that is gone nothing was written.
            let spoils = written.as_ref().is_err_and(|error| !matches!(error, Error::Gone { .. }))
                && piece.as_ref().is_some_and(is_alone);
            let (failed, bytes) =
                (written.as_ref().err().cloned(), piece.as_ref().map_or(0, JournalSegment::len));
            let told = Box::new(move |committed: Result<(), Error>| {
                let result = written.and_then(|gone| committed.map(|()| gone));
                if let Ok(gone) = &result {
                    blobs.remove(gone);
                }
                match (&result, piece) {
                    (Ok(_), Some(piece)) => run.on_committed(&piece),
                    (Err(_), Some(piece)) => {
                        reserved_ids.forget();
                        run.give_back(piece);
                    }
                    (_, None) => {}
                }
                tell(result.map(|_| ()));
            });
            PendingWrite { told, failed, spoils, bytes }
        }))
    }
}

/// Writes a piece with what belongs to it: its files, and what the look that found the run
/// remembers. All of it is kept, or nothing. Gives back whose files are to be removed.
fn write_whole(
    connection: &Connection,
    blobs: &Blobs,
    reserved_ids: &ReservedIds,
    piece: &JournalSegment,
) -> Result<Vec<i64>, Error> {
    check_is_there(connection, piece)?;
    if piece.started.is_some() {
        reserved_ids.note(connection, piece.execution)?;
    }
    if !piece.discard {
        // As a rule they are there already, and this only looks.
        blobs.write(piece.execution, &piece.files)?;
    }
    let write = |connection: &Connection| {
        let gone = write_segment(connection, piece)?;
        insights::note_end(connection, piece)?;
        Ok(gone)
    };
    if is_alone(piece) {
        return write(connection);
    }
    in_savepoint(connection, |connection| {
        let found = piece.started.as_ref().and_then(|begun| begun.static_data.as_ref());
        for data in [found, piece.static_data.as_ref()].into_iter().flatten() {
            keep_static_data(connection, &piece.workflow_id, data)?;
        }
        write(connection)
    })
}

/// A run whose row, or whose workflow, somebody has removed is over: what it has to tell would be
/// found by another run of its number. A workflow that was removed and made again does not have the
/// version that the run is of, which nobody could go on with.
fn check_is_there(connection: &Connection, piece: &JournalSegment) -> Result<(), Error> {
    let is_there = match &piece.started {
        Some(begun) => workflow_cache::is_there(connection, &begun.workflow_id, &begun.version_id)?,
        // The first parts of a large beginning come before the row, and before any event.
        None if piece.seq == 0 && piece.events.is_empty() => true,
        None => connection
            .prepare_cached("SELECT 1 FROM executions WHERE id = ?")?
            .exists([piece.execution])?,
    };
    if is_there { Ok(()) } else { Err(Error::Gone { execution: piece.execution }) }
}

/// Whether a piece is no more than rows of its run. One that fails spoils its group, which saves
/// all others the price of a savepoint.
fn is_alone(piece: &JournalSegment) -> bool {
    let keeps_data = piece.static_data.is_some()
        || piece.started.as_ref().is_some_and(|begun| begun.static_data.is_some());
    !keeps_data
        && piece.commit_with.is_none()
        && piece.parent.is_none()
        && piece.files.is_empty()
        && !piece.discard
}

/// Notes the files of a piece; gives back how much is new to the run.
fn note_files(connection: &Connection, piece: &JournalSegment) -> Result<i64, Error> {
    let mut bytes = 0;
    for file in &piece.files {
        let size = file.size as i64;
        let sql = "INSERT INTO blobs (execution_id, sum, size, mime_type, file_name) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING";
        let values = params![
            piece.execution,
            file.sum.0,
            size,
            file.mime_type.as_str(),
            file.file_name.as_deref()
        ];
        if connection.prepare_cached(sql)?.execute(values)? > 0 {
            bytes += size;
        }
    }
    Ok(bytes)
}

/// The events of a run, at most so many of each piece. Without a folder of files they have ids
/// instead of bytes.
pub(super) fn read_journal(
    connection: &Connection,
    id: i64,
    most: usize,
    blobs: Option<&Blobs>,
    parts: &Arc<PartReader>,
) -> Result<Vec<RunEvent>, Error> {
    let mut found =
        connection.prepare_cached("SELECT place - ?1, sum, events, format FROM journal WHERE place BETWEEN ?1 AND ?2 ORDER BY place")?;
    let mut pieces = found.query(segment_keys(id))?;
    let (mut events, mut told) = (Vec::<RunEvent>::new(), PassthroughIndex::default());
    // However many steps pass a file on, it is read and held once.
    let held: RefCell<HashMap<FileHash, Bytes>> = RefCell::default();
    let fetch = |sum: FileHash, size: usize| {
        let Some(blobs) = blobs else {
            return Ok(FetchedFile::Fields(blobs::fields(id, sum, size)));
        };
        if let Some(data) = held.borrow().get(&sum) {
            return Ok(FetchedFile::Data(data.clone()));
        }
        let data = blobs.read(id, sum, size).map_err(std::io::Error::other)?;
        held.borrow_mut().insert(sum, data.clone());
        Ok(FetchedFile::Data(data))
    };
    while let Some(row) = pieces.next()? {
        if events.len() >= most {
            break;
        }
        let (seq, sum, piece): (i64, i64, &[u8]) =
            (row.get(0)?, row.get(1)?, row.get_ref(2)?.as_blob().unwrap_or_default());
        check_format(id, row.get(3)?)?;
        let damaged = || Error::Corrupt {
            what: format!("piece {seq} of the journal of execution {id}").into(),
        };
        if sum != i64::from(crc32fast::hash(piece)) {
            return Err(damaged());
        }
        let read = journal::read_events(piece, most - events.len(), &fetch, parts, &mut told);
        // What could not be read now is not damaged for that.
        events
            .extend(read.map_err(|error| error.downcast::<Error>().unwrap_or_else(|_| damaged()))?);
    }
    Ok(events)
}

fn write_commit_with(
    connection: &Connection,
    execution: i64,
    along: &CommitWith,
) -> Result<(), Error> {
    match along {
        CommitWith::Delivery(key) => {
            let now = super::now_ms();
            connection
                .prepare_cached("DELETE FROM deliveries WHERE seen_ms < ?")?
                .execute([now - DELIVERIES_MS])?;
            let sql =
                "INSERT INTO deliveries (key, seen_ms) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            connection.prepare_cached(sql)?.execute(params![key.as_str(), now])?;
            Ok(())
        }
        CommitWith::Schedule(moved) if super::schedules::move_on(connection, moved)? => Ok(()),
        CommitWith::Schedule(_) => Err(Error::Gone { execution }),
    }
}

fn write_segment(connection: &Connection, piece: &JournalSegment) -> Result<Vec<i64>, Error> {
    let id = piece.execution;
    if let Some(along) = &piece.commit_with {
        write_commit_with(connection, id, along)?;
    }
    super::spending::add(connection, &piece.workflow_id, &piece.spent)?;
    // Whoever called it may have to ask for its result again.
    let is_passing = piece.discard && is_needed(connection, piece.parent)?;
    // A run that has called others was written before they were.
    let mut gone = match piece.started.is_none()
        && piece.state.as_ref().is_some_and(|state| state.status.is_over())
    {
        true => remove_passing(connection, id)?,
        false => Vec::new(),
    };
    super::spending::add_to_runs(connection, id, piece.parent, &piece.spent)?;
    if piece.discard && !is_passing {
        if piece.started.is_none() {
            remove(connection, id)?;
        }
        gone.extend(Some(id).filter(|_| piece.has_files));
        return Ok(gone);
    }
    let length = piece.bytes_before + piece.len() as i64 + note_files(connection, piece)?;
    let running = ExecutionState::of(RunStatus::Running);
    match (&piece.started, &piece.state) {
        (Some(begun), state) => {
            let state = state.as_ref().unwrap_or(&running);
            let mut insert = connection.prepare_cached(
                "INSERT INTO executions (id, workflow_id, version_id, mode, status, started_ms, stopped_ms, wait_till_ms, retry_of, parent,
                                         error, bytes, call_step, call_number, waits_for, passing, document, discards, awaited)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)",
            )?;
            let (workflow, version, mode) =
                (begun.workflow_id.as_str(), begun.version_id.as_str(), begun.mode.as_str());
            insert.execute(params![
                id,
                workflow,
                version,
                mode,
                state.status.name(),
                begun.started_ms,
                state.stopped_ms,
                state.wait_till_ms,
                begun.retry_of,
                begun.parent.map(|caller| caller.execution),
                state.error.as_deref(),
                length,
                begun.parent.map(|caller| caller.step),
                begun.parent.map(|caller| caller.number),
                state.waits_for,
                is_passing,
                begun.document.as_deref(),
                begun.saving.to_bits(),
                begun.is_awaited
            ])?;
        }
        (None, Some(state)) => {
            let mut update = connection.prepare_cached(
                "UPDATE executions SET status = ?2, stopped_ms = ?3, wait_till_ms = ?4, error = ?5, bytes = bytes + ?6, waits_for = ?7,
                                       passing = ?8 WHERE id = ?1",
            )?;
            let (status, error) = (state.status.name(), state.error.as_deref());
            update.execute(params![
                id,
                status,
                state.stopped_ms,
                state.wait_till_ms,
                error,
                length,
                state.waits_for,
                is_passing
            ])?;
        }
        (None, None) => {
            connection
                .prepare_cached("UPDATE executions SET bytes = bytes + ?2 WHERE id = ?1")?
                .execute(params![id, length])?;
        }
    }
    super::approvals::apply(connection, id, &piece.approvals)?;
    super::event_parts::write(connection, id, &piece.parts)?;
    if !piece.events.is_empty() {
        let mut insert = connection.prepare_cached(
            "INSERT INTO journal (place, sum, events, format) VALUES (?1, ?2, ?3, ?4)",
        )?;
        insert.execute(params![
            segment_key(id, piece.seq)?,
            i64::from(crc32fast::hash(&piece.events)),
            piece.events,
            journal::SEGMENT_FORMAT
        ])?;
    }
    Ok(gone)
}

/// A journal that this version cannot read is not taken for a damaged one.
pub(super) fn check_format(id: i64, found: i64) -> Result<(), Error> {
    if found > journal::SEGMENT_FORMAT {
        Err(Error::NewerJournal { execution: id, found, known: journal::SEGMENT_FORMAT })
    } else {
        Ok(())
    }
}

/// How many pieces a run may have.
pub(super) const MAX_SEGMENTS: i64 = 1 << 24;

/// Where a piece of a run stands in the journal.
pub(super) fn segment_key(id: i64, seq: i64) -> Result<i64, Error> {
    if seq < MAX_SEGMENTS {
        Ok(id * MAX_SEGMENTS + seq)
    } else {
        Err(Error::Database { cause: format!("execution {id} has too many pieces").into() })
    }
}

pub(super) fn remove_journal(connection: &Connection, id: i64) -> Result<(), Error> {
    connection
        .prepare_cached("DELETE FROM journal WHERE place BETWEEN ?1 AND ?2")?
        .execute(segment_keys(id))?;
    connection
        .prepare_cached("DELETE FROM journal_parts WHERE place BETWEEN ?1 AND ?2")?
        .execute(segment_keys(id))?;
    Ok(())
}

/// The first and the last place that the pieces of a run may have.
pub(super) fn segment_keys(id: i64) -> [i64; 2] {
    [id * MAX_SEGMENTS, id * MAX_SEGMENTS + MAX_SEGMENTS - 1]
}

/// What there was of a run that was removed.
#[derive(Clone, Copy)]
pub(super) struct RemovedRun {
    was_there: bool,
    /// They are to be removed once the rows are gone for good.
    pub(super) had_files: bool,
}

/// Runs that are over; the others always stay.
pub(super) const IS_OVER: &str = "stopped_ms IS NOT NULL";

pub(super) fn remove(connection: &Connection, id: i64) -> Result<RemovedRun, Error> {
    reserved_ids::raise(connection, id)?;
    remove_rows(connection, id)
}

/// Removes a run whose id is noted as given away.
pub(super) fn remove_rows(connection: &Connection, id: i64) -> Result<RemovedRun, Error> {
    insights::count_before_removal(connection, id)?;
    let n_files =
        connection.prepare_cached("DELETE FROM blobs WHERE execution_id = ?")?.execute([id])?;
    remove_journal(connection, id)?;
    remove_of(connection, id)?;
    super::decisions::remove_of(connection, id)?;
    let removed =
        connection.prepare_cached("DELETE FROM executions WHERE id = ?")?.execute([id])?;
    Ok(RemovedRun { was_there: removed > 0, had_files: n_files > 0 })
}

pub(super) fn execution(row: &Row<'_>) -> rusqlite::Result<Execution> {
    let text =
        |index: usize| row.get_ref(index)?.as_str().map(Into::into).map_err(rusqlite::Error::from);
    let optional =
        |index: usize| row.get::<_, Option<String>>(index).map(|text| text.map(Into::into));
    let status: String = row.get(4)?;
    Ok(Execution {
        id: row.get(0)?,
        started: NewExecution {
            workflow_id: text(1)?,
            version_id: text(2)?,
            mode: text(3)?,
            started_ms: row.get(5)?,
            retry_of: row.get(8)?,
            parent: called_from(row)?,
            is_awaited: row.get(18)?,
            document: None,
            static_data: None,
            saving: SavePolicy::from_bits(row.get(15)?),
        },
        spent: SpendingTotal {
            tokens: row.get::<_, i64>(16)?.max(0) as u64,
            dollars: row.get(17)?,
        },
        state: ExecutionState {
            status: RunStatus::from_name(&status).unwrap_or(RunStatus::Error),
            stopped_ms: row.get(6)?,
            wait_till_ms: row.get(7)?,
            waits_for: row.get(14)?,
            error: optional(10)?,
        },
        bytes: row.get(11)?,
    })
}

fn left(row: &Row<'_>) -> rusqlite::Result<UnfinishedExecution> {
    let status = RunStatus::from_name(row.get_ref(1)?.as_str()?).unwrap_or(RunStatus::Error);
    Ok(UnfinishedExecution {
        id: row.get(0)?,
        state: ExecutionState {
            wait_till_ms: row.get(2)?,
            waits_for: row.get(3)?,
            ..ExecutionState::of(status)
        },
    })
}

fn at_most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

pub(super) fn rows<T>(found: impl Iterator<Item = rusqlite::Result<T>>) -> Result<Vec<T>, Error> {
    found.collect::<rusqlite::Result<Vec<T>>>().map_err(Error::from)
}
