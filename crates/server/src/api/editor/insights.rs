//! `/api/v1/insights`: how many runs there were, how long they took, and what models cost, over
//! some days.

use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::api::ApiOperation;
use crate::api::operation::QueryParam;
use crate::api::request::{QueryParams, number};
use crate::error::ApiError;
use crate::response::json;
use crate::wire;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use model::{Object, RunStatus, Str, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::RangeInclusive;
use store::insights::{RunCount, RunCountFilter};
use store::spending::{SpendingFilter, SpendingRow, day_of};

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "GET",
    "/insights",
    "execution:list",
    "getInsights",
    "Show runs, durations and costs over a number of days",
    || get(show),
)
.query(&[QueryParam("days", "integer"), QueryParam("workflowId", "string")])
.response::<wire::Insights>(200)];

/// Days that are looked back when nothing is said, and at most.
const DAYS: usize = 7;
const MAX_DAYS: usize = 90;
/// Workflows that are listed, the busiest first.
const MAX_WORKFLOWS: usize = 100;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    query: QueryParams,
) -> Result<Response, ApiError> {
    let days = number(&query, "days", 1, MAX_DAYS)?.unwrap_or(DAYS);
    let workflow_id = match query.get("workflowId") {
        Some(id) => Some(who.workflow(&app, id, AccessLevel::View).await?.id),
        None => None,
    };
    let last_day = app.runtime.engine.ports.clock.now_ms().div_euclid(DAY_MS);
    let first_day = last_day - (days as i64 - 1);
    let within = who.access.project_filter();
    let filter = RunCountFilter {
        first_day,
        last_day,
        workflow_id: workflow_id.clone(),
        within: within.clone(),
    };
    let runs = app.store.run_counts(filter).await?;
    let from = Some(day_of(first_day * DAY_MS));
    let spent = app.store.spending(SpendingFilter { from, to: None, workflow_id, within }).await?;
    let ids: HashSet<&Str> = runs
        .iter()
        .map(|run| &run.workflow_id)
        .chain(spent.iter().map(|row| &row.workflow_id))
        .collect();
    let names: HashMap<Str, Str> =
        app.store.workflow_names(ids.into_iter().cloned().collect()).await?.into_iter().collect();
    let (latency, workflows) = by_workflow(&runs, &spent, &names);
    let answer = Object::from_iter([
        ("runs", by_day(&runs, first_day..=last_day)),
        ("latency", latency),
        ("models", by_model(&spent)),
        ("workflows", workflows),
        ("totals", totals(&runs, &spent)),
    ]);
    Ok(json(StatusCode::OK, &answer.into()))
}

fn is_failed(count: &RunCount) -> bool {
    matches!(count.status, RunStatus::Error | RunStatus::Uncertain)
}

/// Every day has its row, also one without runs. Those that somebody stopped are neither well nor
/// failed.
fn by_day(runs: &[RunCount], days: RangeInclusive<i64>) -> Value {
    let mut counts: BTreeMap<i64, (usize, usize)> = days.map(|day| (day, (0, 0))).collect();
    for count in runs {
        let (ok, failed) = counts.entry(count.day).or_default();
        match count.status {
            RunStatus::Success => *ok += count.runs,
            _ if is_failed(count) => *failed += count.runs,
            _ => {}
        }
    }
    let rows = counts.into_iter().map(|(day, (ok, failed))| {
        Object::from_iter([
            ("day", Value::from(day_of(day * DAY_MS))),
            ("ok", ok.into()),
            ("failed", failed.into()),
        ])
        .into()
    });
    Value::array(rows.collect())
}

fn by_workflow(
    runs: &[RunCount],
    spent: &[SpendingRow],
    names: &HashMap<Str, Str>,
) -> (Value, Value) {
    #[derive(Default)]
    struct WorkflowTotals {
        times: RunDurations,
        failed: usize,
        dollars: f64,
    }
    let mut sums: HashMap<&Str, WorkflowTotals> = HashMap::new();
    for count in runs {
        let sum = sums.entry(&count.workflow_id).or_default();
        sum.times.add(count);
        sum.failed += if is_failed(count) { count.runs } else { 0 };
    }
    for row in spent {
        sums.entry(&row.workflow_id).or_default().dollars += row.dollars;
    }
    let mut busiest: Vec<(&Str, WorkflowTotals)> = sums.into_iter().collect();
    busiest.sort_by(|(a, one), (b, other)| other.times.runs.cmp(&one.times.runs).then(a.cmp(b)));
    busiest.truncate(MAX_WORKFLOWS);
    let (mut latency, mut workflows) = (Vec::new(), Vec::new());
    for (id, sum) in busiest {
        let known = [
            ("workflowId", Value::from(id.clone())),
            ("name", names.get(id).cloned().into()),
            ("runs", sum.times.runs.into()),
        ];
        let mut row = Object::from_iter(known);
        let mut counted = row.clone();
        counted.insert("failed", sum.failed);
        counted.insert("dollars", sum.dollars);
        workflows.push(counted.into());
        if sum.times.runs > 0 {
            row.insert("p50", sum.times.percentile(50));
            row.insert("p95", sum.times.percentile(95));
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

fn totals(runs: &[RunCount], spent: &[SpendingRow]) -> Value {
    let mut times = RunDurations::default();
    runs.iter().for_each(|count| times.add(count));
    let tokens: u64 = spent.iter().map(|row| row.input + row.output).sum();
    let dollars: f64 = spent.iter().map(|row| row.dollars).sum();
    let fields = Object::from_iter([
        ("runs", Value::from(times.runs)),
        (
            "failed",
            runs.iter()
                .filter(|count| is_failed(count))
                .map(|count| count.runs)
                .sum::<usize>()
                .into(),
        ),
        ("p50Ms", times.percentile(50)),
        ("p95Ms", times.percentile(95)),
        ("tokens", (tokens as f64).into()),
        ("dollars", dollars.into()),
    ]);
    fields.into()
}

/// How many runs took how long.
#[derive(Default)]
struct RunDurations {
    runs: usize,
    by_ms: BTreeMap<i64, usize>,
}

impl RunDurations {
    fn add(&mut self, count: &RunCount) {
        self.runs += count.runs;
        *self.by_ms.entry(count.took_ms).or_default() += count.runs;
    }

    /// The time within which so many of a hundred runs were over; `null` without runs.
    fn percentile(&self, hundredth: usize) -> Value {
        let place = (self.runs * hundredth).div_ceil(100).max(1);
        let mut passed = 0;
        let found = self.by_ms.iter().find(|(_, runs)| {
            passed += **runs;
            passed >= place
        });
        found.map_or(Value::Null, |(ms, _)| (*ms).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(all: impl Iterator<Item = (i64, usize)>) -> RunDurations {
        let mut times = RunDurations::default();
        all.for_each(|(took_ms, runs)| {
            times.add(&RunCount {
                day: 0,
                workflow_id: "w".into(),
                status: RunStatus::Success,
                took_ms,
                runs,
            });
        });
        times
    }

    #[test]
    fn percentiles_are_times_that_runs_took() {
        let hundred = times((1..=100).map(|ms| (ms, 1)));
        assert_eq!((hundred.percentile(50), hundred.percentile(95)), (50.into(), 95.into()));
        let one = times([(7, 1)].into_iter());
        assert_eq!((one.percentile(50), one.percentile(95)), (7.into(), 7.into()));
        let many = times([(9, 10), (2, 90)].into_iter());
        assert_eq!(
            (many.percentile(50), many.percentile(90), many.percentile(91)),
            (2.into(), 2.into(), 9.into())
        );
        assert!(times([].into_iter()).percentile(50).is_null());
    }
}
