//! What is known of runs that a process left unfinished, in SQLite.

use super::Sqlite;
use super::executions::{check_format, segment_keys};
use crate::interruptions::{Interruption, InterruptionStore, Trail};
use crate::{Error, journal};
use rusqlite::{OptionalExtension, params};
use std::collections::HashSet;

#[async_trait::async_trait]
impl InterruptionStore for Sqlite {
    async fn interruption(&self, id: i64) -> Result<Option<Interruption>, Error> {
        self.read(move |connection| {
            let mut found = connection.prepare_cached(
                "SELECT deaths, pieces, was_stopped FROM interruptions WHERE execution_id = ?",
            )?;
            let read = |row: &rusqlite::Row<'_>| {
                Ok(Interruption {
                    deaths: row.get(0)?,
                    pieces: row.get(1)?,
                    was_stopped: row.get(2)?,
                })
            };
            Ok(found.query_row([id], read).optional()?)
        })
        .await
    }

    async fn resumed_before(&self) -> Result<HashSet<i64>, Error> {
        self.read(|connection| {
            let mut found = connection
                .prepare_cached("SELECT execution_id FROM interruptions WHERE was_stopped = 0")?;
            Ok(found.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn record_interruption(&self, id: i64, interruption: Interruption) -> Result<(), Error> {
        self.write(move |connection| {
            let sql = "INSERT INTO interruptions (execution_id, deaths, pieces, was_stopped) VALUES (?1, ?2, ?3, ?4)
                       ON CONFLICT DO UPDATE SET deaths = ?2, pieces = ?3, was_stopped = ?4";
            let Interruption { deaths, pieces, was_stopped } = interruption;
            connection.prepare_cached(sql)?.execute(params![id, deaths, pieces, was_stopped])?;
            Ok(())
        })
        .await
    }

    async fn forget_interruptions(&self) -> Result<(), Error> {
        self.write(|connection| {
            let over = "DELETE FROM interruptions WHERE execution_id NOT IN (SELECT id FROM executions WHERE stopped_ms IS NULL)";
            connection.prepare_cached(over)?.execute([])?;
            Ok(())
        })
        .await
    }

    async fn record_clean_stop(&self, unfinished: Vec<i64>, last_id: i64) -> Result<(), Error> {
        let reserved_ids = self.shared.reserved_ids.clone();
        self.write(move |connection| {
            reserved_ids.forget();
            super::reserved_ids::settle(connection, last_id)?;
            // What a person is to decide about stays noted until they have.
            let over = "DELETE FROM interruptions WHERE execution_id NOT IN (SELECT id FROM executions WHERE stopped_ms IS NULL AND status = 'uncertain')";
            connection.prepare_cached(over)?.execute([])?;
            connection.prepare_cached("DELETE FROM attempts")?.execute([])?;
            let sql = "INSERT INTO interruptions (execution_id, deaths, pieces, was_stopped) VALUES (?1, 0, 0, 1)
                       ON CONFLICT DO UPDATE SET deaths = 0, pieces = 0, was_stopped = 1";
            let mut insert = connection.prepare_cached(sql)?;
            for id in unfinished {
                insert.execute([id])?;
            }
            Ok(())
        })
        .await
    }

    async fn begin_attempt(&self, workflow: &str, what: &str) -> Result<u32, Error> {
        let (workflow, what) = (workflow.to_owned(), what.to_owned());
        self.write(move |connection| {
            let sql = "INSERT INTO attempts (workflow_id, what, begun) VALUES (?1, ?2, 1)
                       ON CONFLICT DO UPDATE SET begun = begun + 1 RETURNING begun - 1";
            Ok(connection
                .prepare_cached(sql)?
                .query_row(params![workflow, what], |row| row.get(0))?)
        })
        .await
    }

    async fn end_attempt(&self, workflow: &str, what: &str) -> Result<(), Error> {
        let (workflow, what) = (workflow.to_owned(), what.to_owned());
        self.write(move |connection| {
            connection
                .prepare_cached("DELETE FROM attempts WHERE workflow_id = ?1 AND what = ?2")?
                .execute(params![workflow, what])?;
            Ok(())
        })
        .await
    }

    async fn journal_trail(&self, id: i64, from_piece: i64) -> Result<Trail, Error> {
        self.read(move |connection| {
            let mut found = connection
                .prepare_cached("SELECT place - ?1, sum, events, format FROM journal WHERE place BETWEEN ?1 AND ?2 ORDER BY place")?;
            let mut pieces = found.query(segment_keys(id))?;
            let mut trail = Trail::default();
            while let Some(row) = pieces.next()? {
                let (seq, sum, piece): (i64, i64, &[u8]) = (row.get(0)?, row.get(1)?, row.get_ref(2)?.as_blob().unwrap_or_default());
                check_format(id, row.get(3)?)?;
                let damaged = || Error::Corrupt { what: format!("piece {seq} of the journal of execution {id}").into() };
                if sum != i64::from(crc32fast::hash(piece)) {
                    return Err(damaged());
                }
                journal::scan_segment(piece, seq >= from_piece, &mut trail).map_err(|_| damaged())?;
                trail.pieces = seq + 1;
            }
            Ok(trail)
        })
        .await
    }
}
