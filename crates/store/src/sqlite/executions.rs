//! Executions and their journal in SQLite.

use super::Sqlite;
use super::workflows::keep_static_data;
use super::writer::in_savepoint;
use crate::executions::{Begun, Execution, ExecutionFilter, Executions, Keep, Pending, Piece, State};
use crate::{Error, journal};
use model::{RunEvent, RunStatus};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::sync::Arc;
use tokio::sync::oneshot;

const COLUMNS: &str = "id, workflow_id, version_id, mode, status, started_ms, stopped_ms, wait_till_ms, retry_of, parent, error, bytes";

/// How many runs are neither over nor at work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    pub waiting: i64,
    pub uncertain: i64,
}

impl Sqlite {
    pub async fn n_unfinished(&self) -> Result<Unfinished, Error> {
        self.read(|connection| {
            // The condition is the index's own, so that only the few in it are counted.
            let sql = "SELECT count(*) FILTER (WHERE status = 'waiting'), count(*) FILTER (WHERE status = 'uncertain') FROM executions
                       WHERE status IN ('new', 'running', 'waiting', 'uncertain')";
            let mut found = connection.prepare_cached(sql)?;
            Ok(found.query_row([], |row| Ok(Unfinished { waiting: row.get(0)?, uncertain: row.get(1)? }))?)
        })
        .await
    }
}

#[async_trait::async_trait]
impl Executions for Sqlite {
    async fn next_execution_id(&self) -> Result<i64, Error> {
        self.read(|connection| {
            let used: i64 = connection.query_row("SELECT coalesce(max(id), 0) FROM executions", [], |row| row.get(0))?;
            // Ids of deleted runs are not given away again.
            let noted: Option<String> =
                connection.query_row("SELECT value FROM facts WHERE key = 'last_execution'", [], |row| row.get(0)).optional()?;
            Ok(used.max(noted.and_then(|text| text.parse().ok()).unwrap_or(0)) + 1)
        })
        .await
    }

    async fn flush(&self, run: Arc<dyn Pending>) -> Result<(), Error> {
        let (tell, told) = oneshot::channel();
        self.send_piece(run, move |result| {
            let _ = tell.send(result);
        })?;
        told.await.unwrap_or(Err(Error::Stopped))
    }

    fn flush_soon(&self, run: Arc<dyn Pending>) {
        let sent = self.send_piece(run, |result| {
            if let Err(error) = result {
                tracing::warn!(%error, "A piece of a run could not be written; it is kept and tried again.");
            }
        });
        if let Err(error) = sent {
            tracing::error!(%error, "A run could not be written.");
        }
    }

    async fn execution(&self, id: i64) -> Result<Option<Execution>, Error> {
        self.read(move |connection| {
            let mut found = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM executions WHERE id = ?"))?;
            Ok(found.query_row([id], execution).optional()?)
        })
        .await
    }

    async fn executions(&self, filter: ExecutionFilter) -> Result<Vec<Execution>, Error> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM executions
                 WHERE (?1 IS NULL OR workflow_id = ?1) AND (?2 IS NULL OR status = ?2) AND (?3 IS NULL OR id < ?3)
                   AND (?5 IS NULL OR workflow_id IN (SELECT w.id FROM workflows w WHERE w.project_id IN (SELECT value FROM json_each(?5))))
                 ORDER BY id DESC LIMIT ?4"
            );
            let status = filter.status.map(RunStatus::name);
            let workflow = filter.workflow_id.as_deref();
            let within = filter.within.map(super::json_list);
            let mut found = connection.prepare_cached(&sql)?;
            rows(found.query_map(params![workflow, status, filter.before, filter.limit as i64, within], execution)?)
        })
        .await
    }

    async fn journal(&self, id: i64) -> Result<Vec<RunEvent>, Error> {
        self.read(move |connection| {
            let mut found = connection.prepare_cached("SELECT seq, sum, events FROM journal WHERE execution_id = ? ORDER BY seq")?;
            let mut pieces = found.query([id])?;
            let mut events = Vec::new();
            while let Some(row) = pieces.next()? {
                let (seq, sum, piece): (i64, i64, Vec<u8>) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let damaged = || Error::Corrupt { what: format!("piece {seq} of the journal of execution {id}").into() };
                if sum != i64::from(crc32fast::hash(&piece)) {
                    return Err(damaged());
                }
                events.extend(journal::read_events(&piece).map_err(|_| damaged())?);
            }
            Ok(events)
        })
        .await
    }

    async fn pieces(&self, id: i64) -> Result<i64, Error> {
        self.read(move |connection| {
            let mut found = connection.prepare_cached("SELECT coalesce(max(seq) + 1, 0) FROM journal WHERE execution_id = ?")?;
            Ok(found.query_row([id], |row| row.get(0))?)
        })
        .await
    }

    async fn interrupted(&self) -> Result<Vec<Execution>, Error> {
        self.read(|connection| {
            let sql = format!("SELECT {COLUMNS} FROM executions WHERE status = 'running' AND parent IS NULL ORDER BY id");
            let mut found = connection.prepare_cached(&sql)?;
            rows(found.query_map([], execution)?)
        })
        .await
    }

    async fn due(&self, now_ms: i64, limit: usize) -> Result<Vec<Execution>, Error> {
        self.read(move |connection| {
            let sql =
                format!("SELECT {COLUMNS} FROM executions WHERE status = 'waiting' AND wait_till_ms <= ?1 ORDER BY wait_till_ms LIMIT ?2");
            let mut found = connection.prepare_cached(&sql)?;
            rows(found.query_map(params![now_ms, limit as i64], execution)?)
        })
        .await
    }

    async fn next_due(&self) -> Result<Option<i64>, Error> {
        self.read(|connection| {
            let mut found = connection.prepare_cached("SELECT min(wait_till_ms) FROM executions WHERE status = 'waiting'")?;
            Ok(found.query_row([], |row| row.get(0))?)
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

    async fn note_delivery(&self, key: &str) -> Result<(), Error> {
        let key = key.to_owned();
        self.write(move |connection| {
            let now = super::now_ms();
            connection.prepare_cached("DELETE FROM deliveries WHERE seen_ms < ?")?.execute([now - DELIVERIES_MS])?;
            let sql = "INSERT INTO deliveries (key, seen_ms) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
            connection.prepare_cached(sql)?.execute(params![key, now])?;
            Ok(())
        })
        .await
    }

    async fn set_status(&self, id: i64, status: RunStatus) -> Result<bool, Error> {
        self.write(move |connection| {
            let stopped = (status != RunStatus::Running && status != RunStatus::Uncertain).then(super::now_ms);
            let mut change = connection.prepare_cached(
                "UPDATE executions SET status = ?2, stopped_ms = coalesce(?3, stopped_ms), wait_till_ms = NULL WHERE id = ?1",
            )?;
            Ok(change.execute(params![id, status.name(), stopped])? > 0)
        })
        .await
    }

    async fn delete_execution(&self, id: i64) -> Result<bool, Error> {
        self.write(move |connection| remove(connection, id)).await
    }

    async fn prune(&self, keep: Keep) -> Result<usize, Error> {
        self.write(move |connection| {
            let over = "status NOT IN ('running', 'waiting', 'uncertain')";
            let sql = format!(
                "SELECT id FROM (
                   SELECT id, stopped_ms, row_number() OVER newest AS place, sum(bytes) OVER newest AS bytes
                   FROM executions WHERE {over} WINDOW newest AS (ORDER BY id DESC)
                 ) WHERE stopped_ms < ?1 OR place > ?2 OR bytes > ?3 ORDER BY id LIMIT ?4"
            );
            let mut found = connection.prepare_cached(&sql)?;
            let ids: Vec<i64> =
                rows(found.query_map(params![keep.newer_than_ms, keep.at_most as i64, keep.bytes, keep.step as i64], |row| row.get(0))?)?;
            for id in &ids {
                remove(connection, *id)?;
            }
            Ok(ids.len())
        })
        .await
    }

    async fn shrink(&self) -> Result<bool, Error> {
        self.write(|connection| {
            let mut vacuum = connection.prepare(&format!("PRAGMA incremental_vacuum({SHRINK_PAGES})"))?;
            let mut rows = vacuum.query([])?;
            while rows.next()?.is_some() {}
            let free: i64 = connection.query_row("PRAGMA freelist_count", [], |row| row.get(0))?;
            Ok(free > 0)
        })
        .await
    }
}

/// Deliveries are remembered for a week.
const DELIVERIES_MS: i64 = 7 * 24 * 60 * 60 * 1000;

/// Pages that are given back in one go; writers wait for no more than this.
const SHRINK_PAGES: i64 = 2000;

impl Sqlite {
    fn send_piece(&self, run: Arc<dyn Pending>, tell: impl FnOnce(Result<(), Error>) + Send + 'static) -> Result<(), Error> {
        self.shared.writer.send(Box::new(move |connection| {
            let piece = run.take();
            let written = match (&piece, connection) {
                (None, Ok(_)) => Ok(()),
                (Some(piece), Ok(connection)) => write_with_static_data(connection, piece),
                (_, Err(error)) => Err(error),
            };
            Box::new(move |committed: Result<(), Error>| {
                let result = committed.and(written);
                if let (Err(_), Some(piece)) = (&result, piece) {
                    run.give_back(piece);
                }
                tell(result);
            })
        }))
    }
}

/// A run that a look has found comes with what the look remembers: both are kept, or neither.
fn write_with_static_data(connection: &Connection, piece: &Piece) -> Result<(), Error> {
    let Some((begun, data)) = piece.begun.as_ref().and_then(|begun| Some((begun, begun.static_data.as_ref()?))) else {
        return write_piece(connection, piece);
    };
    in_savepoint(connection, |connection| {
        keep_static_data(connection, &begun.workflow_id, data)?;
        write_piece(connection, piece)
    })
}

fn write_piece(connection: &Connection, piece: &Piece) -> Result<(), Error> {
    let id = piece.execution;
    if piece.discard {
        if piece.begun.is_none() {
            remove(connection, id)?;
        }
        return Ok(());
    }
    let length = piece.events.len() as i64;
    let running = State { status: RunStatus::Running, stopped_ms: None, wait_till_ms: None, error: None };
    match (&piece.begun, &piece.state) {
        (Some(begun), state) => {
            let state = state.as_ref().unwrap_or(&running);
            let mut insert = connection.prepare_cached(
                "INSERT INTO executions (id, workflow_id, version_id, mode, status, started_ms, stopped_ms, wait_till_ms, retry_of, parent, error, bytes)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?;
            let (workflow, version, mode) = (begun.workflow_id.as_str(), begun.version_id.as_str(), begun.mode.as_str());
            let (parent, error) = (begun.parent.as_deref(), state.error.as_deref());
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
                parent,
                error,
                length
            ])?;
        }
        (None, Some(state)) => {
            let mut update = connection.prepare_cached(
                "UPDATE executions SET status = ?2, stopped_ms = ?3, wait_till_ms = ?4, error = ?5, bytes = bytes + ?6 WHERE id = ?1",
            )?;
            let error = state.error.as_deref();
            update.execute(params![id, state.status.name(), state.stopped_ms, state.wait_till_ms, error, length])?;
        }
        (None, None) => {
            connection.prepare_cached("UPDATE executions SET bytes = bytes + ?2 WHERE id = ?1")?.execute(params![id, length])?;
        }
    }
    if !piece.events.is_empty() {
        let mut insert = connection.prepare_cached("INSERT INTO journal (execution_id, seq, sum, events) VALUES (?1, ?2, ?3, ?4)")?;
        insert.execute(params![id, piece.seq, i64::from(crc32fast::hash(&piece.events)), piece.events])?;
    }
    Ok(())
}

fn remove(connection: &Connection, id: i64) -> Result<bool, Error> {
    connection.prepare_cached("DELETE FROM journal WHERE execution_id = ?")?.execute([id])?;
    let removed = connection.prepare_cached("DELETE FROM executions WHERE id = ?")?.execute([id])?;
    connection
        .prepare_cached(
            "INSERT INTO facts (key, value) VALUES ('last_execution', ?1)
             ON CONFLICT (key) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(?1 AS INTEGER))",
        )?
        .execute([id.to_string()])?;
    Ok(removed > 0)
}

fn execution(row: &Row<'_>) -> rusqlite::Result<Execution> {
    let text = |index: usize| row.get_ref(index)?.as_str().map(Into::into).map_err(rusqlite::Error::from);
    let optional = |index: usize| row.get::<_, Option<String>>(index).map(|text| text.map(Into::into));
    let status: String = row.get(4)?;
    Ok(Execution {
        id: row.get(0)?,
        begun: Begun {
            workflow_id: text(1)?,
            version_id: text(2)?,
            mode: text(3)?,
            started_ms: row.get(5)?,
            retry_of: row.get(8)?,
            parent: optional(9)?,
            static_data: None,
        },
        state: State {
            status: RunStatus::from_name(&status).unwrap_or(RunStatus::Error),
            stopped_ms: row.get(6)?,
            wait_till_ms: row.get(7)?,
            error: optional(10)?,
        },
        bytes: row.get(11)?,
    })
}

pub(super) fn rows<T>(found: impl Iterator<Item = rusqlite::Result<T>>) -> Result<Vec<T>, Error> {
    found.collect::<rusqlite::Result<Vec<T>>>().map_err(Error::from)
}
