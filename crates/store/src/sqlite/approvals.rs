//! Open approvals in SQLite.

use super::Sqlite;
use super::executions::rows;
use crate::Error;
use crate::approvals::{ApprovalChange, ApprovalFilter, ApprovalStore, NewApproval, OpenApproval};
use rusqlite::{Connection, Row, params};

/// Takes down what the events of a run say, within the transaction that keeps them.
pub(super) fn apply(
    connection: &Connection,
    execution: i64,
    changes: &[ApprovalChange],
) -> Result<(), Error> {
    for change in changes {
        match change {
            ApprovalChange::Asked(NewApproval {
                call,
                node,
                tool,
                arguments,
                digest,
                asked_ms,
                until_ms,
            }) => {
                // One that is asked anew is open again.
                let sql = "INSERT OR REPLACE INTO approvals (execution_id, call, node, tool, arguments, digest, asked_ms, until_ms)
                           VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
                let (call, node, tool) = (call.as_str(), node.as_str(), tool.as_str());
                let values = params![
                    execution,
                    call,
                    node,
                    tool,
                    arguments.as_str(),
                    digest.as_str(),
                    asked_ms,
                    until_ms
                ];
                connection.prepare_cached(sql)?.execute(values)?;
            }
            ApprovalChange::Decided(call) => {
                let sql = "UPDATE approvals SET decided = 1 WHERE execution_id = ?1 AND call = ?2";
                connection.prepare_cached(sql)?.execute(params![execution, call.as_str()])?;
            }
            ApprovalChange::Made(call) => {
                let sql = "DELETE FROM approvals WHERE execution_id = ?1 AND call = ?2";
                connection.prepare_cached(sql)?.execute(params![execution, call.as_str()])?;
            }
            ApprovalChange::TakenUp => {
                connection
                    .prepare_cached("DELETE FROM approvals WHERE execution_id = ? AND decided = 1")?
                    .execute([execution])?;
            }
            ApprovalChange::Over => remove_of(connection, execution)?,
        }
    }
    Ok(())
}

/// Nothing of this run can be decided any more.
pub(super) fn remove_of(connection: &Connection, execution: i64) -> Result<(), Error> {
    connection
        .prepare_cached("DELETE FROM approvals WHERE execution_id = ?")?
        .execute([execution])?;
    Ok(())
}

#[async_trait::async_trait]
impl ApprovalStore for Sqlite {
    async fn approvals(&self, filter: ApprovalFilter) -> Result<Vec<OpenApproval>, Error> {
        self.read(move |connection| {
            let sql = "SELECT a.id, a.execution_id, e.workflow_id, a.call, a.node, a.tool, a.arguments, a.digest, a.asked_ms, a.until_ms
                       FROM approvals a JOIN executions e ON e.id = a.execution_id
                       WHERE a.decided = 0 AND a.until_ms > ?1 AND e.status IN ('waiting', 'running')
                         AND (?2 IS NULL OR a.execution_id = ?2) AND (?3 IS NULL OR e.workflow_id = ?3) AND (?4 IS NULL OR a.id < ?4)
                         AND (?5 IS NULL OR e.workflow_id IN (SELECT w.id FROM workflows w WHERE w.project_id IN (SELECT value FROM json_each(?5))))
                       ORDER BY a.id DESC LIMIT ?6";
            let mut found = connection.prepare_cached(sql)?;
            let within = filter.within.map(super::json_list);
            let values =
                params![filter.now_ms, filter.execution, filter.workflow_id.as_deref(), filter.before, within, filter.limit as i64];
            rows(found.query_map(values, open_approval)?)
        })
        .await
    }
}

fn open_approval(row: &Row<'_>) -> rusqlite::Result<OpenApproval> {
    let text = |index: usize| row.get::<_, String>(index).map(Into::into);
    Ok(OpenApproval {
        id: row.get(0)?,
        execution: row.get(1)?,
        workflow_id: text(2)?,
        asked: NewApproval {
            call: text(3)?,
            node: text(4)?,
            tool: text(5)?,
            arguments: text(6)?,
            digest: text(7)?,
            asked_ms: row.get(8)?,
            until_ms: row.get(9)?,
        },
    })
}
