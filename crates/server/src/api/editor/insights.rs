//! `/api/v1/insights`: how many runs there were, how long they took, and what models cost, over
//! some days.

use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::api::{ApiOperation, RequestQuery};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use model::{RunStatus, Str};
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
.query::<wire::InsightsQuery>()
.response::<wire::Insights>(200)];

/// Workflows that are listed, the busiest first.
const MAX_WORKFLOWS: usize = 100;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::InsightsQuery>,
) -> Result<Response, ApiError> {
    let days = query.days.map_or(wire::DEFAULT_DAYS, wire::BoundedInt::as_usize);
    let workflow_id = match query.workflow_id {
        Some(id) => Some(who.workflow(&app, &id, AccessLevel::View).await?.id),
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
    let insights = wire::Insights {
        runs: by_day(&runs, first_day..=last_day),
        latency,
        models: by_model(&spent),
        workflows,
        totals: totals(&runs, &spent),
    };
    Ok(typed(StatusCode::OK, &insights))
}

fn is_failed(count: &RunCount) -> bool {
    matches!(count.status, RunStatus::Error | RunStatus::Uncertain)
}

/// Every day has its row, also one without runs. Those that somebody stopped are neither well nor
/// failed.
fn by_day(runs: &[RunCount], days: RangeInclusive<i64>) -> Vec<wire::DayRuns> {
    let mut counts: BTreeMap<i64, (usize, usize)> = days.map(|day| (day, (0, 0))).collect();
    for count in runs {
        let (ok, failed) = counts.entry(count.day).or_default();
        match count.status {
            RunStatus::Success => *ok += count.runs,
            _ if is_failed(count) => *failed += count.runs,
            _ => {}
        }
    }
    let rows = counts.into_iter().map(|(day, (ok, failed))| wire::DayRuns {
        day: day_of(day * DAY_MS),
        ok,
        failed,
    });
    rows.collect()
}

fn by_workflow<'a>(
    runs: &'a [RunCount],
    spent: &'a [SpendingRow],
    names: &'a HashMap<Str, Str>,
) -> (Vec<wire::WorkflowLatency<'a>>, Vec<wire::WorkflowRuns<'a>>) {
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
        let (workflow_id, name) = (id.as_str(), names.get(id).map(Str::as_str));
        let (runs, dollars) = (sum.times.runs, wire::Number(sum.dollars));
        let failed = sum.failed;
        workflows.push(wire::WorkflowRuns { workflow_id, name, runs, failed, dollars });
        if let Some((p50, p95)) = sum.times.percentile(50).zip(sum.times.percentile(95)) {
            latency.push(wire::WorkflowLatency { workflow_id, name, runs, p50, p95 });
        }
    }
    (latency, workflows)
}

fn by_model(spent: &[SpendingRow]) -> Vec<wire::ModelSpending<'_>> {
    let mut sums: BTreeMap<&Str, (u64, u64, f64, u64)> = BTreeMap::new();
    for row in spent {
        let (input, output, dollars, calls) = sums.entry(&row.model).or_default();
        *input += row.input;
        *output += row.output;
        *dollars += row.dollars;
        *calls += row.calls;
    }
    let rows = sums.into_iter().map(|(model, (input, output, dollars, calls))| {
        let dollars = wire::Number(dollars);
        wire::ModelSpending { model, tokens_in: input, tokens_out: output, dollars, calls }
    });
    rows.collect()
}

fn totals(runs: &[RunCount], spent: &[SpendingRow]) -> wire::InsightTotals {
    let mut times = RunDurations::default();
    runs.iter().for_each(|count| times.add(count));
    wire::InsightTotals {
        runs: times.runs,
        failed: runs.iter().filter(|count| is_failed(count)).map(|count| count.runs).sum(),
        p50_ms: times.percentile(50),
        p95_ms: times.percentile(95),
        tokens: spent.iter().map(|row| row.input + row.output).sum(),
        dollars: wire::Number(spent.iter().map(|row| row.dollars).sum()),
    }
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

    /// The time within which so many of a hundred runs were over; nothing without runs.
    fn percentile(&self, hundredth: usize) -> Option<i64> {
        let place = (self.runs * hundredth).div_ceil(100).max(1);
        let mut passed = 0;
        let found = self.by_ms.iter().find(|(_, runs)| {
            passed += **runs;
            passed >= place
        });
        found.map(|(ms, _)| *ms)
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
        assert_eq!((hundred.percentile(50), hundred.percentile(95)), (Some(50), Some(95)));
        let one = times([(7, 1)].into_iter());
        assert_eq!((one.percentile(50), one.percentile(95)), (Some(7), Some(7)));
        let many = times([(9, 10), (2, 90)].into_iter());
        assert_eq!(
            (many.percentile(50), many.percentile(90), many.percentile(91)),
            (Some(2), Some(2), Some(9))
        );
        assert!(times([].into_iter()).percentile(50).is_none());
    }
}
