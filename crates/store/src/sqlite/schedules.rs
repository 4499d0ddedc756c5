//! Schedules in SQLite.

use super::Sqlite;
use super::executions::rows;
use crate::Error;
use crate::schedules::{MovedSchedule, PlannedSchedule, Schedule, ScheduleStore};
use model::Str;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

#[async_trait::async_trait]
impl ScheduleStore for Sqlite {
    async fn schedules(&self, of: Option<Vec<Str>>) -> Result<Vec<Schedule>, Error> {
        self.read(move |connection| {
            let columns = "SELECT workflow_id, node, next_ms, last_ms, rule FROM schedules";
            let Some(of) = of else {
                return rows(connection.prepare_cached(columns)?.query_map([], schedule)?);
            };
            let mut found =
                connection.prepare_cached(&format!("{columns} WHERE workflow_id = ?1"))?;
            let mut all = Vec::new();
            for workflow in of {
                all.extend(rows(found.query_map([workflow.as_str()], schedule)?)?);
            }
            Ok(all)
        })
        .await
    }

    async fn change_schedules(
        &self,
        set: Vec<PlannedSchedule>,
        removed: Vec<(Str, Str)>,
    ) -> Result<bool, Error> {
        if set.is_empty() && removed.is_empty() {
            return Ok(true);
        }
        self.write(move |connection| {
            for PlannedSchedule { found, planned } in &set {
                if row_of(connection, &planned.workflow_id, &planned.node)? != *found {
                    return Ok(false);
                }
            }
            for PlannedSchedule { planned, .. } in &set {
                put(connection, planned)?;
            }
            let mut remove = connection
                .prepare_cached("DELETE FROM schedules WHERE workflow_id = ?1 AND node = ?2")?;
            for (workflow, node) in &removed {
                remove.execute([workflow.as_str(), node.as_str()])?;
            }
            Ok(true)
        })
        .await
    }

    async fn move_schedule(&self, moved: MovedSchedule) -> Result<bool, Error> {
        self.write(move |connection| move_on(connection, &moved)).await
    }

    async fn claim_schedules(
        &self,
        now_ms: i64,
        owner: &str,
        lease_ms: i64,
    ) -> Result<Vec<Schedule>, Error> {
        let owner = owner.to_owned();
        self.write(move |connection| {
            // Only one process runs the workflows of this file, so that whoever else has a claim is
            // gone.
            let mut claim = connection.prepare_cached(
                "UPDATE schedules SET lease_owner = ?2, lease_until_ms = ?1 + ?3
                 WHERE next_ms <= ?1 AND (lease_until_ms IS NULL OR lease_until_ms < ?1 OR lease_owner <> ?2)
                 RETURNING workflow_id, node, next_ms, last_ms, rule",
            )?;
            rows(claim.query_map(params![now_ms, owner, lease_ms], schedule)?)
        })
        .await
    }

    async fn next_schedule(&self) -> Result<Option<i64>, Error> {
        self.read(|connection| {
            // By an index, or each look would read them all.
            let sql = "SELECT max(next_ms, coalesce(lease_until_ms, 0)) FROM schedules WHERE next_ms IS NOT NULL
                       ORDER BY max(next_ms, coalesce(lease_until_ms, 0)) LIMIT 1";
            Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0)).optional()?)
        })
        .await
    }
}

fn row_of(connection: &Connection, workflow: &str, node: &str) -> Result<Option<Schedule>, Error> {
    let sql = "SELECT workflow_id, node, next_ms, last_ms, rule FROM schedules WHERE workflow_id = ?1 AND node = ?2";
    Ok(connection.prepare_cached(sql)?.query_row([workflow, node], schedule).optional()?)
}

/// Sets when a trigger is due next, and lets go of it. One that does not listen has no row.
fn put(connection: &Connection, schedule: &Schedule) -> Result<(), Error> {
    let Schedule { workflow_id, node, next_ms, last_ms, rule } = schedule;
    let sql = "INSERT INTO schedules (workflow_id, node, next_ms, last_ms, rule)
               SELECT ?1, ?2, ?3, ?4, ?5 FROM workflows WHERE id = ?1 AND active = 1
               ON CONFLICT (workflow_id, node) DO UPDATE SET next_ms = excluded.next_ms, last_ms = excluded.last_ms, rule = excluded.rule,
                                                             lease_owner = NULL, lease_until_ms = NULL";
    connection.prepare_cached(sql)?.execute(params![
        workflow_id.as_str(),
        node.as_str(),
        next_ms,
        last_ms,
        rule.as_str()
    ])?;
    Ok(())
}

/// Moves a trigger on, unless its row is gone or was planned anew since.
pub(super) fn move_on(connection: &Connection, moved: &MovedSchedule) -> Result<bool, Error> {
    let MovedSchedule { due_ms, after: Schedule { workflow_id, node, next_ms, last_ms, rule } } =
        moved;
    let sql =
        "UPDATE schedules SET next_ms = ?4, last_ms = ?5, lease_owner = NULL, lease_until_ms = NULL
               WHERE workflow_id = ?1 AND node = ?2 AND next_ms IS ?3 AND rule = ?6";
    let values =
        params![workflow_id.as_str(), node.as_str(), due_ms, next_ms, last_ms, rule.as_str()];
    Ok(connection.prepare_cached(sql)?.execute(values)? > 0)
}

/// Removes the rows of a workflow that does not listen any more.
pub(super) fn remove_of(connection: &Connection, workflow: &str) -> Result<(), Error> {
    connection
        .prepare_cached("DELETE FROM schedules WHERE workflow_id = ?1")?
        .execute([workflow])?;
    Ok(())
}

fn schedule(row: &Row<'_>) -> rusqlite::Result<Schedule> {
    Ok(Schedule {
        workflow_id: row.get_ref(0)?.as_str()?.into(),
        node: row.get_ref(1)?.as_str()?.into(),
        next_ms: row.get(2)?,
        last_ms: row.get(3)?,
        rule: row.get_ref(4)?.as_str()?.into(),
    })
}
