//! What was spent on models, in SQLite.

use super::Sqlite;
use crate::Error;
use crate::spending::{SpendingFilter, SpendingRow, SpendingStore, day_of};
use model::{ModelUsage, SpendingTotal, Str};
use rusqlite::{Connection, Row, params};

/// Adds what a run has spent, within the transaction that keeps its events.
pub(super) fn add(
    connection: &Connection,
    workflow_id: &str,
    spent: &[ModelUsage],
) -> Result<(), Error> {
    for one in spent {
        let mut insert = connection.prepare_cached(
            "INSERT INTO spending (day, workflow_id, session, provider, model, calls, input, cached, output, dollars)
             VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8, ?9)
             ON CONFLICT (day, workflow_id, session, provider, model) DO UPDATE SET
               calls = calls + 1, input = input + excluded.input, cached = cached + excluded.cached,
               output = output + excluded.output, dollars = dollars + excluded.dollars",
        )?;
        let session = one.session.as_deref().unwrap_or_default();
        let (input, cached, output) = (one.input as i64, one.cached as i64, one.output as i64);
        let (day, dollars) = (day_of(one.at_ms), one.dollars.unwrap_or(0.0));
        insert.execute(params![
            day.as_str(),
            workflow_id,
            session,
            one.provider.as_str(),
            one.model.as_str(),
            input,
            cached,
            output,
            dollars
        ])?;
    }
    Ok(())
}

/// Adds it to the rows of the run and of those that called it, which may go on or be over.
pub(super) fn add_to_runs(
    connection: &Connection,
    id: i64,
    caller: Option<i64>,
    spent: &[ModelUsage],
) -> Result<(), Error> {
    if spent.is_empty() {
        return Ok(());
    }
    let mut sum = SpendingTotal::default();
    spent.iter().for_each(|one| sum.add(one));
    let sql = "WITH RECURSIVE callers (id) AS (
                 VALUES (?1), (?2) UNION SELECT executions.parent FROM executions JOIN callers ON executions.id = callers.id
               )
               UPDATE executions SET spent_tokens = spent_tokens + ?3, spent_dollars = spent_dollars + ?4
               WHERE id IN (SELECT id FROM callers WHERE id IS NOT NULL)";
    connection.prepare_cached(sql)?.execute(params![id, caller, sum.tokens as i64, sum.dollars])?;
    Ok(())
}

#[async_trait::async_trait]
impl SpendingStore for Sqlite {
    async fn spending(&self, filter: SpendingFilter) -> Result<Vec<SpendingRow>, Error> {
        self.read(move |connection| {
            let sql = "SELECT day, workflow_id, provider, model, sum(calls), sum(input), sum(cached), sum(output), sum(dollars) FROM spending
                       WHERE (?1 IS NULL OR day >= ?1) AND (?2 IS NULL OR day <= ?2) AND (?3 IS NULL OR workflow_id = ?3)
                         AND (?4 IS NULL OR workflow_id IN (SELECT w.id FROM workflows w WHERE w.project_id IN (SELECT value FROM json_each(?4))))
                       GROUP BY day, workflow_id, provider, model ORDER BY day DESC, workflow_id, provider, model";
            let mut found = connection.prepare_cached(sql)?;
            let within = filter.within.map(super::json_list);
            let rows = found.query_map(
                params![filter.from.as_deref(), filter.to.as_deref(), filter.workflow_id.as_deref(), within],
                spending_row,
            )?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn spent_on(&self, day: Str) -> Result<Vec<(Str, SpendingTotal)>, Error> {
        self.read(move |connection| {
            let sql = "SELECT workflow_id, sum(input + output), sum(dollars) FROM spending WHERE day = ?1 GROUP BY workflow_id";
            let mut found = connection.prepare_cached(sql)?;
            let rows = found.query_map([day.as_str()], |row| Ok((row.get::<_, String>(0)?.into(), sum(row, 1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    async fn merge_sessions(&self, before: Str) -> Result<(), Error> {
        self.fold_spending_before(before.into()).await
    }

    async fn spent_by_session(
        &self,
        day: Str,
        workflow_id: Str,
        session: Str,
    ) -> Result<SpendingTotal, Error> {
        self.read(move |connection| {
            let sql =
                "SELECT coalesce(sum(input + output), 0), coalesce(sum(dollars), 0.0) FROM spending
                       WHERE day = ?1 AND workflow_id = ?2 AND session = ?3";
            let mut found = connection.prepare_cached(sql)?;
            Ok(found.query_row([day.as_str(), workflow_id.as_str(), session.as_str()], |row| {
                sum(row, 0)
            })?)
        })
        .await
    }
}

fn spending_row(row: &Row<'_>) -> rusqlite::Result<SpendingRow> {
    let number = |at: usize| row.get::<_, i64>(at).map(|number| number as u64);
    Ok(SpendingRow {
        day: row.get::<_, String>(0)?.into(),
        workflow_id: row.get::<_, String>(1)?.into(),
        provider: row.get::<_, String>(2)?.into(),
        model: row.get::<_, String>(3)?.into(),
        calls: number(4)?,
        input: number(5)?,
        cached: number(6)?,
        output: number(7)?,
        dollars: row.get(8)?,
    })
}

fn sum(row: &Row<'_>, first: usize) -> rusqlite::Result<SpendingTotal> {
    Ok(SpendingTotal { tokens: row.get::<_, i64>(first)? as u64, dollars: row.get(first + 1)? })
}
