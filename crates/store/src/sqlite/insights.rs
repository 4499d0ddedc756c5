//! Finished runs for counting, in SQLite.

use super::Sqlite;
use super::executions::rows;
use crate::Error;
use crate::insights::{FinishedFilter, FinishedRun, Insights};
use model::RunStatus;
use rusqlite::{Row, params};

#[async_trait::async_trait]
impl Insights for Sqlite {
    async fn finished_runs(&self, filter: FinishedFilter) -> Result<Vec<FinishedRun>, Error> {
        self.read(move |connection| {
            // Ids grow with time, so that the newest are found without an index of their own.
            let sql = "SELECT workflow_id, status, started_ms, stopped_ms FROM executions
                       WHERE stopped_ms IS NOT NULL AND started_ms >= ?1 AND (?2 IS NULL OR workflow_id = ?2)
                         AND (?3 IS NULL OR workflow_id IN (SELECT w.id FROM workflows w WHERE w.project_id IN (SELECT value FROM json_each(?3))))
                       ORDER BY id DESC LIMIT ?4";
            let within = filter.within.map(super::json_list);
            let values = params![filter.since_ms, filter.workflow_id.as_deref(), within, filter.limit as i64];
            rows(connection.prepare_cached(sql)?.query_map(values, finished)?)
        })
        .await
    }
}

fn finished(row: &Row<'_>) -> rusqlite::Result<FinishedRun> {
    let status = RunStatus::from_name(row.get_ref(1)?.as_str()?).unwrap_or(RunStatus::Error);
    Ok(FinishedRun { workflow_id: row.get_ref(0)?.as_str()?.into(), status, started_ms: row.get(2)?, stopped_ms: row.get(3)? })
}
