//! Schedules in SQLite.

use super::Sqlite;
use super::executions::rows;
use crate::Error;
use crate::schedules::{Schedule, Schedules};
use model::Str;
use rusqlite::{Connection, OptionalExtension, Row, params};

#[async_trait::async_trait]
impl Schedules for Sqlite {
    async fn schedule(&self, workflow_id: &str, node: &str) -> Result<Option<Schedule>, Error> {
        let (workflow_id, node) = (workflow_id.to_owned(), node.to_owned());
        self.read(move |connection| {
            let mut found = connection
                .prepare_cached("SELECT workflow_id, node, next_ms, last_ms FROM schedules WHERE workflow_id = ?1 AND node = ?2")?;
            Ok(found.query_row([workflow_id, node], schedule).optional()?)
        })
        .await
    }

    async fn set_schedule(&self, schedule: Schedule) -> Result<(), Error> {
        self.write(move |connection| put(connection, &schedule)).await
    }

    async fn claim_schedules(&self, now_ms: i64, owner: &str, lease_ms: i64) -> Result<Vec<Schedule>, Error> {
        let owner = owner.to_owned();
        self.write(move |connection| {
            // Only one process runs the workflows of this file, so that whoever else has a claim is gone.
            let mut claim = connection.prepare_cached(
                "UPDATE schedules SET lease_owner = ?2, lease_until_ms = ?1 + ?3
                 WHERE next_ms <= ?1 AND (lease_until_ms IS NULL OR lease_until_ms < ?1 OR lease_owner <> ?2)
                 RETURNING workflow_id, node, next_ms, last_ms",
            )?;
            rows(claim.query_map(params![now_ms, owner, lease_ms], schedule)?)
        })
        .await
    }

    async fn next_schedule(&self) -> Result<Option<i64>, Error> {
        self.read(|connection| {
            let sql = "SELECT min(max(next_ms, coalesce(lease_until_ms, 0))) FROM schedules WHERE next_ms IS NOT NULL";
            Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
        })
        .await
    }

    async fn keep_schedules(&self, workflow_id: &str, nodes: &[Str]) -> Result<(), Error> {
        let (workflow_id, nodes) = (workflow_id.to_owned(), nodes.to_vec());
        self.write(move |connection| {
            let mut found = connection.prepare_cached("SELECT node FROM schedules WHERE workflow_id = ?")?;
            let known: Vec<String> = rows(found.query_map([&workflow_id], |row| row.get(0))?)?;
            for node in known.iter().filter(|node| !nodes.iter().any(|kept| kept == node.as_str())) {
                connection.execute("DELETE FROM schedules WHERE workflow_id = ?1 AND node = ?2", [&workflow_id, node])?;
            }
            Ok(())
        })
        .await
    }
}

/// Sets when a trigger is due next, and lets go of it.
pub(super) fn put(connection: &Connection, schedule: &Schedule) -> Result<(), Error> {
    let Schedule { workflow_id, node, next_ms, last_ms } = schedule;
    let sql = "INSERT INTO schedules (workflow_id, node, next_ms, last_ms) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT (workflow_id, node) DO UPDATE
               SET next_ms = excluded.next_ms, last_ms = excluded.last_ms, lease_owner = NULL, lease_until_ms = NULL";
    connection.prepare_cached(sql)?.execute(params![workflow_id.as_str(), node.as_str(), next_ms, last_ms])?;
    Ok(())
}

fn schedule(row: &Row<'_>) -> rusqlite::Result<Schedule> {
    Ok(Schedule {
        workflow_id: row.get_ref(0)?.as_str()?.into(),
        node: row.get_ref(1)?.as_str()?.into(),
        next_ms: row.get(2)?,
        last_ms: row.get(3)?,
    })
}
