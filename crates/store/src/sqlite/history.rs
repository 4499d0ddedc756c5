//! Keeps what is written down about the past from growing for ever: versions of workflows, and what
//! sessions have spent.

use super::Sqlite;
use super::executions::rows;
use crate::Error;
use rusqlite::{Connection, params, params_from_iter};
use std::collections::HashSet;

/// Rows that are changed in one go; writers wait for no more than this.
const STEP: usize = 200;

/// Versions that nobody needs: not among the newest, without a name, of no run that is kept, and
/// not the ones that are edited or listen.
fn needless_versions(connection: &Connection, keep: usize) -> Result<Vec<String>, Error> {
    let mut found = connection.prepare_cached(
        "SELECT workflow_id FROM workflow_versions GROUP BY workflow_id HAVING count(*) > ?1",
    )?;
    let workflows: Vec<String> = rows(found.query_map([keep as i64], |row| row.get(0))?)?;
    let sql = "SELECT id FROM workflow_versions WHERE workflow_id = ?1 AND name IS NULL ORDER BY created_ms DESC, rowid DESC LIMIT -1 OFFSET ?2";
    let mut of_workflow = connection.prepare_cached(sql)?;
    let mut of_runs = connection
        .prepare_cached("SELECT DISTINCT version_id FROM executions WHERE workflow_id = ?1")?;
    let mut needless = Vec::new();
    for workflow in workflows {
        let old: Vec<String> =
            rows(of_workflow.query_map(params![workflow, keep as i64], |row| row.get(0))?)?;
        let used: HashSet<String> =
            rows(of_runs.query_map([&workflow], |row| row.get(0))?)?.into_iter().collect();
        needless.extend(old.into_iter().filter(|version| !used.contains(version)));
    }
    Ok(needless)
}

/// Removes them, except for those that somebody has begun to use meanwhile.
fn remove_versions(connection: &Connection, versions: &[String]) -> Result<usize, Error> {
    let sql = "DELETE FROM workflow_versions WHERE id = ?1 AND name IS NULL
               AND NOT EXISTS (SELECT 1 FROM workflows WHERE workflows.id = workflow_id AND (version_id = ?1 OR active_version_id = ?1))";
    let mut remove = connection.prepare_cached(sql)?;
    let mut count = 0;
    for version in versions {
        count += remove.execute([version])?;
    }
    Ok(count)
}

/// Puts what some sessions have spent on days that are over under no session; whether there are
/// more.
fn fold_sessions(connection: &Connection, before: &str) -> Result<bool, Error> {
    let sql = "SELECT day, workflow_id, session, provider, model FROM spending WHERE day < ?1 AND session <> '' LIMIT ?2";
    let mut found = connection.prepare_cached(sql)?;
    let keys: Vec<[String; 5]> = rows(found.query_map(params![before, STEP as i64], |row| {
        Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?])
    })?)?;
    let its = "day = ?1 AND workflow_id = ?2 AND session = ?3 AND provider = ?4 AND model = ?5";
    let mut add = connection.prepare_cached(&format!(
        "INSERT INTO spending (day, workflow_id, session, provider, model, calls, input, cached, output, dollars)
         SELECT day, workflow_id, '', provider, model, calls, input, cached, output, dollars FROM spending WHERE {its}
         ON CONFLICT (day, workflow_id, session, provider, model) DO UPDATE SET
           calls = calls + excluded.calls, input = input + excluded.input, cached = cached + excluded.cached,
           output = output + excluded.output, dollars = dollars + excluded.dollars"
    ))?;
    let mut remove = connection.prepare_cached(&format!("DELETE FROM spending WHERE {its}"))?;
    for key in &keys {
        add.execute(params_from_iter(key))?;
        remove.execute(params_from_iter(key))?;
    }
    Ok(keys.len() == STEP)
}

impl Sqlite {
    pub(super) async fn remove_needless_versions(&self, keep: usize) -> Result<usize, Error> {
        let needless = self.read(move |connection| needless_versions(connection, keep)).await?;
        let mut count = 0;
        for step in needless.chunks(STEP) {
            let step = step.to_vec();
            count += self.write(move |connection| remove_versions(connection, &step)).await?;
        }
        Ok(count)
    }

    pub(super) async fn fold_spending_before(&self, day: String) -> Result<(), Error> {
        loop {
            let before = day.clone();
            if !self.write(move |connection| fold_sessions(connection, &before)).await? {
                return Ok(());
            }
        }
    }
}
