//! Held decisions in SQLite.

use super::Sqlite;
use super::executions::rows;
use crate::Error;
use crate::decisions::{HeldDecision, HeldDecisionFilter, HeldDecisionStore};
use rusqlite::{Connection, Row, params};

/// Nothing is decided about this run any more.
pub(super) fn remove_of(connection: &Connection, execution: i64) -> Result<(), Error> {
    connection
        .prepare_cached("DELETE FROM held_decisions WHERE execution_id = ?")?
        .execute([execution])?;
    Ok(())
}

/// What somebody has decided and may no longer decide does not take effect: whoever gets fewer rights
/// loses all decisions that are still held, and the runs stay uncertain.
pub(super) fn remove_by(connection: &Connection, user_id: &str) -> Result<(), Error> {
    connection
        .prepare_cached("DELETE FROM held_decisions WHERE decided_by = ?")?
        .execute([user_id])?;
    Ok(())
}

#[async_trait::async_trait]
impl HeldDecisionStore for Sqlite {
    async fn hold_decisions(&self, decisions: Vec<HeldDecision>) -> Result<usize, Error> {
        self.write(move |connection| {
            let sql = "INSERT OR REPLACE INTO held_decisions (execution_id, batch, result, seen, decided_by, due_ms)
                       SELECT id, ?2, ?3, ?4, ?5, ?6 FROM executions WHERE id = ?1 AND status = 'uncertain'";
            let mut insert = connection.prepare_cached(sql)?;
            let mut kept = 0;
            for held in &decisions {
                let HeldDecision { execution, batch, result, seen, decided_by, due_ms } = held;
                let seen = i64::try_from(*seen).unwrap_or(i64::MAX);
                kept += insert.execute(params![
                    execution,
                    batch.as_str(),
                    result.as_deref(),
                    seen,
                    decided_by.as_str(),
                    due_ms
                ])?;
            }
            Ok(kept)
        })
        .await
    }

    async fn held_decisions(&self, filter: HeldDecisionFilter) -> Result<Vec<HeldDecision>, Error> {
        self.read(move |connection| {
            let HeldDecisionFilter { batch, execution, due_ms, after, limit } = filter;
            let (after_ms, after_id) = after.unwrap_or((i64::MIN, i64::MIN));
            let sql = "SELECT execution_id, batch, result, seen, decided_by, due_ms FROM held_decisions
                       WHERE (?1 IS NULL OR batch = ?1) AND (?2 IS NULL OR execution_id = ?2) AND (?3 IS NULL OR due_ms <= ?3)
                         AND (due_ms, execution_id) > (?4, ?5)
                       ORDER BY due_ms, execution_id LIMIT ?6";
            let mut found = connection.prepare_cached(sql)?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            rows(found.query_map(params![batch.as_deref(), execution, due_ms, after_ms, after_id, limit], held)?)
        })
        .await
    }

    async fn next_held_decision(&self) -> Result<Option<i64>, Error> {
        self.read(|connection| {
            let mut found = connection.prepare_cached("SELECT min(due_ms) FROM held_decisions")?;
            Ok(found.query_row([], |row| row.get(0))?)
        })
        .await
    }

    async fn forget_held_decisions(&self, executions: Vec<i64>) -> Result<(), Error> {
        self.write(move |connection| {
            executions.iter().try_for_each(|execution| remove_of(connection, *execution))
        })
        .await
    }
}

fn held(row: &Row<'_>) -> rusqlite::Result<HeldDecision> {
    let text = |index: usize| row.get::<_, String>(index).map(Into::into);
    Ok(HeldDecision {
        execution: row.get(0)?,
        batch: text(1)?,
        result: row.get::<_, Option<String>>(2)?.map(Into::into),
        seen: row.get::<_, i64>(3)?.max(0) as u64,
        decided_by: text(4)?,
        due_ms: row.get(5)?,
    })
}
