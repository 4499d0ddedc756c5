//! Decisions about many uncertain executions at once: what there is to decide, deciding it, and
//! taking it back until it takes effect.

use super::executions::{finding_of, project_filter};
use super::{ApiOperation, RequestJson, RequestQuery, workflow_names};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire::{self, Timestamp};
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{delete, get, post};
use model::Str;
use runtime::{DECISION_HOLD, UncertainFilter, UncertainRun};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;
use store::decisions::{HeldDecision, HeldDecisionFilter};

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/executions/uncertain",
        "execution:list",
        "getUncertainSteps",
        "List uncertain executions by workflow and node",
        || get(list),
    )
    .query::<wire::UncertainStepQuery>()
    .response::<wire::UncertainSteps>(200),
    ApiOperation::new(
        "POST",
        "/executions/resume",
        "execution:retry",
        "resumeManyExecutions",
        "Decide about several uncertain executions",
        || post(decide),
    )
    .request_body::<wire::ResumeManyInput>()
    .response::<wire::DecidedBatch>(200),
    ApiOperation::new(
        "DELETE",
        "/executions/resume/{batch}",
        "execution:retry",
        "undoResumeManyExecutions",
        "Take back a decision that has not taken effect",
        || delete(take_back),
    )
    .response::<wire::TakenBack>(200),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::UncertainStepQuery>,
) -> Result<Response, ApiError> {
    let runs = app
        .runtime
        .uncertain_runs(UncertainFilter {
            workflow_id: query.workflow_id.map(Into::into),
            within: project_filter(&who, query.project_id.as_deref()),
            ..UncertainFilter::default()
        })
        .await?;
    let filter =
        HeldDecisionFilter { limit: runtime::MAX_DECIDED_RUNS, ..HeldDecisionFilter::default() };
    let held = app.store.held_decisions(filter).await?;
    let held: HashMap<i64, HeldDecision> =
        held.into_iter().map(|held| (held.execution, held)).collect();
    let names =
        workflow_names(&app, runs.iter().map(|run| &run.execution.started.workflow_id)).await?;
    let mut steps: BTreeMap<(&str, Option<&str>), wire::UncertainStep<'_>> = BTreeMap::new();
    let mut batches: BTreeMap<&str, wire::DecidedBatch> = BTreeMap::new();
    for run in &runs {
        let workflow_id = &run.execution.started.workflow_id;
        let started = Timestamp(run.execution.started.started_ms);
        let step = steps.entry((workflow_id.as_str(), run.node.as_deref())).or_insert_with(|| {
            wire::UncertainStep {
                workflow_id: workflow_id.as_str(),
                workflow_name: names.get(workflow_id.as_str()).map(Str::as_str),
                node: run.node.as_deref(),
                executions: 0,
                decided: 0,
                first_started_at: started,
                last_started_at: started,
            }
        });
        step.executions += 1;
        step.first_started_at.0 = step.first_started_at.0.min(started.0);
        step.last_started_at.0 = step.last_started_at.0.max(started.0);
        if let Some(held) = held.get(&run.execution.id) {
            step.decided += 1;
            let batch = batches.entry(held.batch.as_str()).or_insert_with(|| wire::DecidedBatch {
                batch: held.batch.to_string(),
                executions: 0,
                applies_at: Timestamp(held.due_ms),
            });
            batch.executions += 1;
        }
    }
    let (data, batches) = (steps.into_values().collect(), batches.into_values().collect());
    Ok(typed(StatusCode::OK, &wire::UncertainSteps { data, batches }))
}

async fn decide(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let body: wire::ResumeManyInput = body.read()?;
    let finding = finding_of(Some(body.decision), body.result.0)?;
    let hold = body.hold_seconds.map_or(DECISION_HOLD, |hold| Duration::from_secs(hold.get()));
    let found = app
        .runtime
        .uncertain_runs(UncertainFilter {
            ids: body.ids.map(|ids| ids.0.into_iter().map(|id| id.0).collect()),
            workflow_id: body.workflow_id.map(Into::into),
            node: body.node.map(Into::into),
            started_after_ms: body.started_after.map(|time| time.0),
            started_before_ms: body.started_before.map(|time| time.0),
            within: who.access.project_filter(),
        })
        .await?;
    // Whoever may only see an execution decides nothing about it.
    let mut runs: Vec<UncertainRun> = Vec::with_capacity(found.len());
    for run in found {
        if may_decide(&app, &who, run.execution.id).await {
            runs.push(run);
        }
    }
    let batch = app.runtime.hold_decision(&runs, &finding, &who.user_id, hold).await?;
    let reply = wire::DecidedBatch {
        batch: batch.id.into(),
        executions: batch.n_runs,
        applies_at: Timestamp(batch.due_ms),
    };
    Ok(typed(StatusCode::OK, &reply))
}

/// Whoever may decide about a run may also take a decision about it back, whoever made it.
async fn take_back(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(batch): Path<String>,
) -> Result<Response, ApiError> {
    let mut held = Vec::new();
    for one in app.runtime.held_batch(&batch).await? {
        if may_decide(&app, &who, one.execution).await {
            held.push(one);
        }
    }
    let executions = app.runtime.take_back(&held).await?;
    Ok(typed(StatusCode::OK, &wire::TakenBack { executions }))
}

async fn may_decide(app: &App, who: &Principal, id: i64) -> bool {
    who.execution(app, &id.to_string(), AccessLevel::Edit).await.is_ok()
}
