//! `/api/v1/insights`: how many runs there were, how long they took, and what models cost, over some days.

use crate::App;
use crate::access::{Need, Principal};
use crate::answer::json;
use crate::api::Operation;
use crate::api::operation::Param;
use crate::api::request::{Query, number};
use crate::error::ApiError;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use model::{Object, RunStatus, Str, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use store::Workflows as _;
use store::insights::{FinishedFilter, FinishedRun, Insights as _};
use store::spending::{SpendingAccount as _, SpendingFilter, SpendingRow, day_of};

pub(in crate::api) const OPERATIONS: &[Operation] =
    &[Operation::new("GET", "/insights", "execution:list", "getInsights", "Runs, their time and their cost over some days", || get(show))
        .query(&[Param("days", "integer"), Param("workflowId", "string")])
        .gives(200, "insights")];

/// Days that are looked back when nothing is said, and at most.
const DAYS: usize = 7;
const MAX_DAYS: usize = 90;
/// Runs that are counted; with more, the oldest are left out.
const MAX_RUNS: usize = 200_000;
/// Workflows that are listed, the busiest first.
const MAX_WORKFLOWS: usize = 100;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

async fn show(State(app): State<App>, Extension(who): Extension<Principal>, query: Query) -> Result<Response, ApiError> {
    let days = number(&query, "days", 1, MAX_DAYS)?.unwrap_or(DAYS);
    let workflow_id = match query.get("workflowId") {
        Some(id) => Some(who.workflow(&app, id, Need::See).await?.id),
        None => None,
    };
    let today = app.runtime.engine.ports.clock.now_ms().div_euclid(DAY_MS) * DAY_MS;
    let since_ms = today - (days as i64 - 1) * DAY_MS;
    let within = who.reach.within();
    let filter = FinishedFilter { since_ms, workflow_id: workflow_id.clone(), within: within.clone(), limit: MAX_RUNS };
    let runs = app.store.finished_runs(filter).await?;
    let spent = app.store.spending(SpendingFilter { from: Some(day_of(since_ms)), to: None, workflow_id, within }).await?;
    let ids: HashSet<&Str> = runs.iter().map(|run| &run.workflow_id).chain(spent.iter().map(|row| &row.workflow_id)).collect();
    let names: HashMap<Str, Str> = app.store.workflow_names(ids.into_iter().cloned().collect()).await?.into_iter().collect();
    let (latency, workflows) = by_workflow(&runs, &spent, &names);
    let answer = Object::from_iter([
        ("runs", by_day(&runs, since_ms, days)),
        ("latency", latency),
        ("models", by_model(&spent)),
        ("workflows", workflows),
        ("totals", totals(&runs, &spent)),
    ]);
    Ok(json(StatusCode::OK, &answer.into()))
}

fn is_failed(run: &FinishedRun) -> bool {
    matches!(run.status, RunStatus::Error | RunStatus::Uncertain)
}

fn took(run: &FinishedRun) -> i64 {
    (run.stopped_ms - run.started_ms).max(0)
}

/// Every day has its row, also one without runs. Those that somebody stopped are neither well nor failed.
fn by_day(runs: &[FinishedRun], since_ms: i64, days: usize) -> Value {
    let mut counts: BTreeMap<Str, (usize, usize)> = (0..days as i64).map(|day| (day_of(since_ms + day * DAY_MS), (0, 0))).collect();
    for run in runs {
        let (ok, failed) = counts.entry(day_of(run.started_ms)).or_default();
        *ok += usize::from(run.status == RunStatus::Success);
        *failed += usize::from(is_failed(run));
    }
    let rows = counts
        .into_iter()
        .map(|(day, (ok, failed))| Object::from_iter([("day", Value::from(day)), ("ok", ok.into()), ("failed", failed.into())]).into());
    Value::array(rows.collect())
}

fn by_workflow(runs: &[FinishedRun], spent: &[SpendingRow], names: &HashMap<Str, Str>) -> (Value, Value) {
    #[derive(Default)]
    struct Sum {
        times: Vec<i64>,
        failed: usize,
        dollars: f64,
    }
    let mut sums: HashMap<&Str, Sum> = HashMap::new();
    for run in runs {
        let sum = sums.entry(&run.workflow_id).or_default();
        sum.times.push(took(run));
        sum.failed += usize::from(is_failed(run));
    }
    for row in spent {
        sums.entry(&row.workflow_id).or_default().dollars += row.dollars;
    }
    let mut busiest: Vec<(&Str, Sum)> = sums.into_iter().collect();
    busiest.sort_by(|(a, one), (b, other)| other.times.len().cmp(&one.times.len()).then(a.cmp(b)));
    busiest.truncate(MAX_WORKFLOWS);
    let (mut latency, mut workflows) = (Vec::new(), Vec::new());
    for (id, mut sum) in busiest {
        let known = [("workflowId", Value::from(id.clone())), ("name", names.get(id).cloned().into()), ("runs", sum.times.len().into())];
        let mut row = Object::from_iter(known);
        let mut counted = row.clone();
        counted.insert("failed", sum.failed);
        counted.insert("dollars", sum.dollars);
        workflows.push(counted.into());
        if !sum.times.is_empty() {
            sum.times.sort_unstable();
            row.insert("p50", percentile(&sum.times, 50));
            row.insert("p95", percentile(&sum.times, 95));
            latency.push(row.into());
        }
    }
    (Value::array(latency), Value::array(workflows))
}

fn by_model(spent: &[SpendingRow]) -> Value {
    let mut sums: BTreeMap<&Str, (u64, u64, f64, u64)> = BTreeMap::new();
    for row in spent {
        let (input, output, dollars, calls) = sums.entry(&row.model).or_default();
        *input += row.input;
        *output += row.output;
        *dollars += row.dollars;
        *calls += row.calls;
    }
    let rows = sums.into_iter().map(|(model, (input, output, dollars, calls))| {
        let fields = [
            ("model", Value::from(model.clone())),
            ("tokensIn", (input as f64).into()),
            ("tokensOut", (output as f64).into()),
            ("dollars", dollars.into()),
            ("calls", (calls as f64).into()),
        ];
        Object::from_iter(fields).into()
    });
    Value::array(rows.collect())
}

fn totals(runs: &[FinishedRun], spent: &[SpendingRow]) -> Value {
    let mut times: Vec<i64> = runs.iter().map(took).collect();
    times.sort_unstable();
    let tokens: u64 = spent.iter().map(|row| row.input + row.output).sum();
    let dollars: f64 = spent.iter().map(|row| row.dollars).sum();
    let mut fields = Object::from_iter([
        ("runs", Value::from(runs.len())),
        ("failed", runs.iter().filter(|run| is_failed(run)).count().into()),
        ("p50Ms", percentile(&times, 50)),
        ("p95Ms", percentile(&times, 95)),
        ("tokens", (tokens as f64).into()),
        ("dollars", dollars.into()),
    ]);
    if runs.len() == MAX_RUNS {
        fields.insert("truncated", true);
    }
    fields.into()
}

/// The time within which so many of a hundred runs were over; `null` without runs.
fn percentile(sorted: &[i64], hundredth: usize) -> Value {
    let place = (sorted.len() * hundredth).div_ceil(100).saturating_sub(1);
    sorted.get(place).map_or(Value::Null, |time| (*time).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_runs_took() {
        let times: Vec<i64> = (1..=100).collect();
        assert_eq!((percentile(&times, 50), percentile(&times, 95)), (50.into(), 95.into()));
        assert_eq!((percentile(&[7], 50), percentile(&[7], 95)), (7.into(), 7.into()));
        assert!(percentile(&[], 50).is_null());
    }
}
