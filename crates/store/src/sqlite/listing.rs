//! Lists of executions, newest first. Whatever is asked for, few more rows are read than are shown.
//!
//! Invariant: a statement is put together from fixed fragments; what somebody asks for is bound.

use super::executions::{COLUMNS, execution, rows};
use crate::Error;
use crate::executions::{Execution, ExecutionFilter};
use model::RunStatus;
use rusqlite::{Connection, ToSql};
use std::collections::BTreeSet;

/// Conditions, and the values that they are asked with.
#[derive(Default)]
struct ListQuery<'f> {
    index: &'static str,
    conditions: Vec<&'static str>,
    values: Vec<&'f dyn ToSql>,
}

impl<'f> ListQuery<'f> {
    fn and<T: ToSql>(&mut self, condition: &'static str, value: &'f Option<T>) {
        if let Some(value) = value {
            self.conditions.push(condition);
            self.values.push(value);
        }
    }

    /// The statement; its last value is the number of rows.
    fn sql(&self, columns: &str) -> String {
        let conditions =
            if self.conditions.is_empty() { "1".to_owned() } else { self.conditions.join(" AND ") };
        format!(
            "SELECT {columns} FROM executions {} WHERE {conditions} ORDER BY id DESC LIMIT ?",
            self.index
        )
    }
}

/// What an [`ExecutionFilter`] asks for, as values of a statement.
struct ListParams {
    workflow: Option<String>,
    status: Option<&'static str>,
    mode: Option<String>,
    after_ms: Option<i64>,
    before_ms: Option<i64>,
    before: Option<i64>,
    /// Projects, as a list in JSON.
    within: Option<String>,
    limit: i64,
}

impl ListParams {
    fn of(filter: ExecutionFilter) -> Self {
        Self {
            workflow: filter.workflow_id.map(Into::into),
            status: filter.status.map(RunStatus::name),
            mode: filter.mode.map(Into::into),
            after_ms: filter.started_after_ms,
            before_ms: filter.started_before_ms,
            before: filter.before,
            within: filter.within.map(super::json_list),
            limit: i64::try_from(filter.limit).unwrap_or(i64::MAX),
        }
    }

    /// Everything but the workflow and the projects.
    fn wanted(&self, status: Option<RunStatus>, of_one_workflow: bool) -> ListQuery<'_> {
        let mut wanted = ListQuery::default();
        match (status, of_one_workflow) {
            // There are few of them as a rule, whosever they are.
            (Some(RunStatus::Running | RunStatus::Waiting | RunStatus::Uncertain), _) => {
                wanted.index = "INDEXED BY executions_unfinished";
                wanted.conditions.push("stopped_ms IS NULL");
            }
            (Some(RunStatus::Error | RunStatus::Cancelled), of_one_workflow) => {
                wanted.index = match of_one_workflow {
                    true => "INDEXED BY executions_of_workflow_not_well",
                    false => "INDEXED BY executions_not_well",
                };
                wanted.conditions.push("stopped_ms IS NOT NULL AND status <> 'success'");
            }
            (None | Some(RunStatus::Success), true) => {
                wanted.index = "INDEXED BY executions_of_workflow"
            }
            (None | Some(RunStatus::Success), false) => wanted.index = "NOT INDEXED",
        }
        wanted.and("status = ?", &self.status);
        wanted.and("mode = ?", &self.mode);
        wanted.and("started_ms > ?", &self.after_ms);
        wanted.and("started_ms < ?", &self.before_ms);
        wanted.and("id < ?", &self.before);
        wanted
    }
}

pub(super) fn list(
    connection: &Connection,
    filter: ExecutionFilter,
) -> Result<Vec<Execution>, Error> {
    let status = filter.status;
    let is_unfinished = status.is_some_and(|status| !status.is_over());
    let values = ListParams::of(filter);
    if values.within.is_some() && values.workflow.is_none() && !is_unfinished {
        return list_of_projects(connection, status, &values);
    }
    let mut wanted = values.wanted(status, values.workflow.is_some());
    wanted.and("workflow_id = ?", &values.workflow);
    wanted.and("workflow_id IN (SELECT w.id FROM workflows w WHERE w.project_id IN (SELECT value FROM json_each(?)))", &values.within);
    let mut found = connection.prepare_cached(&wanted.sql(COLUMNS))?;
    wanted.values.push(&values.limit);
    rows(found.query_map(&wanted.values[..], execution)?)
}

/// The newest of each workflow that is in one of the projects, as far as they are among the newest
/// of all of them.
fn list_of_projects(
    connection: &Connection,
    status: Option<RunStatus>,
    values: &ListParams,
) -> Result<Vec<Execution>, Error> {
    let sql = "SELECT id FROM workflows WHERE project_id IN (SELECT value FROM json_each(?1))";
    let workflows: Vec<String> =
        rows(connection.prepare_cached(sql)?.query_map([&values.within], |row| row.get(0))?)?;
    let (limit, mut newest, mut oldest) =
        (usize::try_from(values.limit).unwrap_or(usize::MAX), BTreeSet::new(), Some(i64::MIN));
    let mut sql = None;
    for workflow in workflows.into_iter().map(Some) {
        let mut wanted = values.wanted(status, true);
        wanted.and("workflow_id = ?", &workflow);
        wanted.and("id > ?", &oldest);
        let sql = sql.get_or_insert_with(|| wanted.sql("id"));
        let mut found = connection.prepare_cached(sql)?;
        wanted.values.push(&values.limit);
        let ids: Vec<i64> = rows(found.query_map(&wanted.values[..], |row| row.get(0))?)?;
        newest.extend(ids);
        while newest.len() > limit {
            newest.pop_first();
        }
        if newest.len() == limit {
            oldest = newest.first().copied().or(oldest);
        }
    }
    let mut found =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM executions WHERE id = ?"))?;
    newest.into_iter().rev().map(|id| Ok(found.query_row([id], execution)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(connection: &Connection, filter: ExecutionFilter) -> String {
        let status = filter.status;
        let values = ListParams::of(filter);
        let workflow = values.workflow.clone().or(values.within.is_some().then(String::new));
        let mut wanted = values.wanted(status, workflow.is_some());
        wanted.and("workflow_id = ?", &workflow);
        let sql = format!("EXPLAIN QUERY PLAN {}", wanted.sql(COLUMNS));
        wanted.values.push(&values.limit);
        let mut found = connection.prepare(&sql).unwrap();
        let steps = found.query_map(&wanted.values[..], |row| row.get::<_, String>(3)).unwrap();
        steps.map(Result::unwrap).collect::<Vec<_>>().join("; ")
    }

    /// Whatever else is asked for: those of a workflow, those that failed and those that are not
    /// over are found by an index, in the order in which they are shown.
    #[test]
    fn issue_15_every_combination_of_filters_has_its_plan() {
        #[expect(clippy::disallowed_methods, reason = "a database of its own")]
        let mut connection = Connection::open_in_memory().unwrap();
        super::super::migrate::migrate(
            &mut connection,
            super::super::migrate::MigratePolicy::Migrate,
        )
        .unwrap();
        let statuses = [
            None,
            Some(RunStatus::Success),
            Some(RunStatus::Error),
            Some(RunStatus::Cancelled),
            Some(RunStatus::Running),
            Some(RunStatus::Waiting),
            Some(RunStatus::Uncertain),
        ];
        for status in statuses {
            for others in 0..64_u32 {
                let has = |bit: u32| others & (1 << bit) != 0;
                let filter = ExecutionFilter {
                    workflow_id: has(0).then(|| "w".into()),
                    status,
                    mode: has(1).then(|| "manual".into()),
                    started_after_ms: has(2).then_some(1),
                    started_before_ms: has(3).then_some(2),
                    within: has(4).then(|| vec!["p".into()]),
                    before: has(5).then_some(3),
                    limit: 10,
                };
                let of_one = has(0) || has(4);
                let found = plan(&connection, filter.clone());
                let expected = match (status, of_one) {
                    (None | Some(RunStatus::Success), true) => {
                        "USING INDEX executions_of_workflow (workflow_id=?"
                    }
                    (None | Some(RunStatus::Success), false) if has(5) => {
                        "USING INTEGER PRIMARY KEY (rowid<?)"
                    }
                    (None | Some(RunStatus::Success), false) => "SCAN executions",
                    (Some(RunStatus::Error | RunStatus::Cancelled), true) => {
                        "USING INDEX executions_of_workflow_not_well (workflow_id=? AND status=?"
                    }
                    (Some(RunStatus::Error | RunStatus::Cancelled), false) => {
                        "USING INDEX executions_not_well (status=?"
                    }
                    (Some(RunStatus::Running | RunStatus::Waiting | RunStatus::Uncertain), _) => {
                        "USING INDEX executions_unfinished (status=?"
                    }
                };
                assert!(found.contains(expected), "{filter:?}: {found}");
                assert!(!found.contains("TEMP B-TREE"), "{filter:?}: {found}");
            }
        }
    }
}
