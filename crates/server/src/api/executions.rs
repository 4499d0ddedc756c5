//! `/api/v1/executions`.

use super::{
    ApiOperation, QueryResult, RequestJson, RequestQuery, invalid, split_page, workflow_names,
};
use super::{execution_files, execution_stream};
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire::{self, Json, ResumeInputDecision, StoppableStatus};
use crate::{App, events};
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{delete, get, post};
use futures::StreamExt as _;
use model::{Code, RunStatus, Str, Value};
use runtime::{Decision, DecisionOutcome, Fork, RetryWith, history};
use store::executions::{Execution, ExecutionFilter, READ_FACTOR};

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/executions",
        "execution:list",
        "getExecutions",
        "List executions, newest first",
        || get(list),
    )
    .query::<wire::ExecutionListQuery>()
    .response::<wire::ExecutionList>(200),
    ApiOperation::new(
        "POST",
        "/executions/stop",
        "execution:stop",
        "stopManyExecutions",
        "Stop several executions",
        || post(stop_many),
    )
    .request_body::<wire::StopInput>()
    .response::<wire::Stopped>(200),
    ApiOperation::new(
        "GET",
        "/executions/{id}",
        "execution:read",
        "getExecution",
        "Show an execution",
        || get(show),
    )
    .query::<wire::ExecutionQuery>()
    .response::<wire::Execution>(200),
    ApiOperation::new(
        "DELETE",
        "/executions/{id}",
        "execution:delete",
        "deleteExecution",
        "Delete an execution",
        || delete(remove),
    )
    .response::<wire::Execution>(200),
    ApiOperation::new(
        "GET",
        "/executions/{id}/binary/{reference}",
        "execution:read",
        "getExecutionFile",
        "Download a file of an execution",
        || get(execution_files::show),
    ),
    ApiOperation::new(
        "GET",
        "/executions/{id}/events",
        "execution:read",
        "followExecution",
        "Stream an execution's events (SSE)",
        || get(events::execution_events),
    ),
    ApiOperation::new(
        "GET",
        "/events",
        "execution:read",
        "followExecutions",
        "Stream the events of all executions (SSE)",
        || get(events::all_events),
    )
    .query::<wire::EventQuery>(),
    ApiOperation::new(
        "POST",
        "/executions/{id}/retry",
        "execution:retry",
        "retryExecution",
        "Retry a failed execution",
        || post(retry),
    )
    .optional_body::<wire::RetryInput>()
    .response::<wire::Execution>(200),
    ApiOperation::new(
        "POST",
        "/executions/{id}/fork",
        "execution:retry",
        "forkExecution",
        "Fork an execution from a step",
        || post(fork),
    )
    .request_body::<wire::ForkInput>()
    .response::<wire::Execution>(200),
    ApiOperation::new(
        "POST",
        "/executions/{id}/resume",
        "execution:retry",
        "resumeExecution",
        "Resolve an uncertain step and resume",
        || post(resume),
    )
    .optional_body::<wire::ResumeInput>()
    .response::<wire::Execution>(200),
    ApiOperation::new(
        "POST",
        "/executions/{id}/stop",
        "execution:stop",
        "stopExecution",
        "Stop an execution",
        || post(stop),
    )
    .response::<wire::Execution>(200),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::ExecutionListQuery>,
) -> Result<Response, ApiError> {
    let (limit, before) = (query.limit.get(), query.cursor.0);
    let status = query.status.map(RunStatus::from);
    let filter = ExecutionFilter {
        workflow_id: query.workflow_id.map(Into::into),
        status,
        mode: query.mode.map(Into::into),
        started_after_ms: query.started_after.map(|time| time.0),
        started_before_ms: query.started_before.map(|time| time.0),
        within: project_filter(&who, query.project_id.as_deref()),
        before,
        limit: limit + 1,
    };
    if before.is_none() && status.is_none_or(|status| status == RunStatus::Running) {
        app.runtime.flush_long_running().await;
    }
    let mut found = app.store.executions(filter).await?;
    let with_data = query.include_data;
    let limit = if with_data { count_fitting(&found).min(limit) } else { limit };
    let next = split_page(&mut found, limit, |last| last.id.to_string());
    let bytes: i64 = if with_data {
        found.iter().filter(|one| !is_too_large(one)).map(|one| one.bytes.max(0)).sum()
    } else {
        0
    };
    let weight = (bytes as usize).saturating_mul(DATA_FACTOR);
    let reader = app.clone();
    let reading = async move {
        let data = match with_data {
            true => data_of(&reader, &found).await?,
            false => Vec::new(),
        };
        Ok::<_, ApiError>((found, data))
    };
    let (read, _room) = app.read_budget().read(&who.user_id, weight, reading).await?;
    let (found, data) = read?;
    let names =
        workflow_names(&app, found.iter().map(|execution| &execution.started.workflow_id)).await?;
    let mut rows: Vec<wire::Execution<'_>> = found.iter().map(Into::into).collect();
    for (row, data) in rows.iter_mut().zip(data) {
        data.into_iter().for_each(|data| data.add_to(row));
    }
    for row in &mut rows {
        row.workflow_name = names.get(row.workflow_id).map(Str::as_str);
    }
    Ok(typed(StatusCode::OK, &wire::Page { data: rows, next_cursor: next }))
}

/// The data of executions that can be listed with it.
async fn data_of(app: &App, found: &[Execution]) -> Result<Vec<Option<ExecutionData>>, ApiError> {
    let mut all = Vec::with_capacity(found.len());
    for execution in found {
        all.push(match is_too_large(execution) {
            true => None,
            false => match ExecutionData::read(app, execution).await {
                // Asked for on its own it says what is wrong; the others are not to go with it.
                Err(error) if error.code == Code::STORE_CORRUPT => None,
                other => Some(other?),
            },
        });
    }
    Ok(all)
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryResult<wire::ExecutionQuery>,
) -> Result<Response, ApiError> {
    let execution = who.execution(&app, &id, AccessLevel::View).await?;
    match query?.0.include_data {
        true if execution.bytes > execution_stream::STREAMED_BYTES => {
            execution_stream::stream_response(&app, &who, execution).await
        }
        true => {
            let weight = (execution.bytes.max(0) as usize).saturating_mul(DATA_FACTOR);
            let reader = app.clone();
            let reading = async move {
                let data = ExecutionData::read(&reader, &execution).await?;
                Ok::<_, ApiError>((execution, data))
            };
            let (read, _room) = app.read_budget().read(&who.user_id, weight, reading).await?;
            let (execution, data) = read?;
            let mut row = wire::Execution::from(&execution);
            data.add_to(&mut row);
            Ok(typed(StatusCode::OK, &row))
        }
        false => Ok(typed(StatusCode::OK, &wire::Execution::from(&execution))),
    }
}

async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let execution = who.execution(&app, &id, AccessLevel::Edit).await?;
    if app.runtime.runner.is_running(execution.id) {
        let hint = "Stop it first.";
        return Err(
            ApiError::new(Code::EXECUTION_STATUS, format!("Execution {id} is running")).hint(hint)
        );
    }
    app.runtime.delete_execution(execution.id).await?;
    Ok(typed(StatusCode::OK, &wire::Execution::from(&execution)))
}

/// Runs the workflow again on what the execution began with: as it was then, or as it is now if the
/// caller says so.
async fn retry(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let execution = who.execution(&app, &id, AccessLevel::Edit).await?;
    let wire::RetryInput { load_workflow } = body.read_or_default()?;
    if !matches!(
        execution.state.status,
        RunStatus::Error | RunStatus::Cancelled | RunStatus::Uncertain
    ) {
        let message = format!(
            "Execution {id} is {}; only failed executions can be retried",
            execution.state.status.name()
        );
        return Err(ApiError::new(Code::EXECUTION_STATUS, message));
    }
    let version = if load_workflow { RetryWith::NewestVersion } else { RetryWith::SameVersion };
    let taken = app.runtime.retry(execution.id, version).await?;
    Ok(typed(
        StatusCode::OK,
        &wire::Execution::from(
            &who.execution(&app, &taken.id.to_string(), AccessLevel::View).await?,
        ),
    ))
}

/// Takes what an execution did up to a step as done, and does the rest anew.
async fn fork(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let execution = who.execution(&app, &id, AccessLevel::Edit).await?;
    let wire::ForkInput { from, model } = body.read()?;
    let fork = Fork { from: from.into(), model: model.0.map(Into::into) };
    let taken = app.runtime.fork(execution.id, fork).await?;
    Ok(typed(
        StatusCode::OK,
        &wire::Execution::from(
            &who.execution(&app, &taken.id.to_string(), AccessLevel::View).await?,
        ),
    ))
}

/// Goes on with an execution that stopped as uncertain: whoever asks has looked, and says whether
/// the step happened.
async fn resume(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let execution = who.execution(&app, &id, AccessLevel::Edit).await?;
    app.runtime.resume_decided(execution.id, decision_of(body.read_or_default()?)?).await?;
    Ok(typed(
        StatusCode::OK,
        &wire::Execution::from(&who.execution(&app, &id, AccessLevel::View).await?),
    ))
}

/// Without a word the execution goes on only if none of its steps may have happened.
fn decision_of(body: wire::ResumeInput) -> Result<Decision, ApiError> {
    Ok(Decision {
        finding: finding_of(body.decision.0, body.result.0)?,
        call: body.call.0.filter(|call| !call.is_empty()).map(Into::into),
        seen: body.events.0.map(wire::Count::get),
    })
}

pub(super) fn finding_of(
    decision: Option<ResumeInputDecision>,
    result: Option<String>,
) -> Result<DecisionOutcome, ApiError> {
    match (decision, result) {
        (Some(ResumeInputDecision::Done), result) => {
            Ok(DecisionOutcome::Happened { result: result.unwrap_or_default().into() })
        }
        (None, None) => Ok(DecisionOutcome::Undecided),
        (Some(ResumeInputDecision::Again), None) => Ok(DecisionOutcome::Retry),
        (None | Some(ResumeInputDecision::Again), Some(_)) => {
            Err(invalid("result", "is only allowed with the decision 'done'"))
        }
    }
}

async fn stop(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let execution = who.execution(&app, &id, AccessLevel::Edit).await?;
    app.runtime.stop_execution(execution.id).await?;
    Ok(typed(
        StatusCode::OK,
        &wire::Execution::from(&who.execution(&app, &id, AccessLevel::View).await?),
    ))
}

/// Stops whatever stands like this: running here, or asleep. Callers come before the runs they
/// called, which are stopped with them.
async fn stop_many(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let body: wire::StopInput = body.read()?;
    let mut wanted = Vec::new();
    for status in body.status.0 {
        let status = match status {
            StoppableStatus::Queued | StoppableStatus::Running => RunStatus::Running,
            StoppableStatus::Waiting => RunStatus::Waiting,
        };
        if !wanted.contains(&status) {
            wanted.push(status);
        }
    }
    let started_after_ms = body.started_after.map(|time| time.0);
    let started_before_ms = body.started_before.map(|time| time.0);
    let workflow_id: Option<Str> = body.workflow_id.map(Into::into);
    let mut stopped = 0;
    let mut failure = None;
    app.runtime.flush_long_running().await;
    for status in wanted {
        let (workflow_id, within) = (workflow_id.clone(), who.access.project_filter());
        let status = Some(status);
        let limit = usize::MAX >> 1;
        let filter = ExecutionFilter {
            workflow_id,
            status,
            started_after_ms,
            started_before_ms,
            within,
            limit,
            ..ExecutionFilter::default()
        };
        let ids: Vec<i64> = app
            .store
            .executions(filter)
            .await?
            .into_iter()
            .rev()
            .map(|execution| execution.id)
            .collect();
        let mut stops = futures::stream::iter(ids)
            .map(|id| stop_one(&app, &who, id))
            .buffer_unordered(MAX_CONCURRENT_STOPS);
        while let Some(one) = stops.next().await {
            match one {
                Ok(is_stopped) => stopped += i64::from(is_stopped),
                // The others are stopped all the same.
                Err(error) => failure = failure.or(Some(error)),
            }
        }
    }
    if let Some(error) = failure {
        return Err(error);
    }
    Ok(typed(StatusCode::OK, &wire::Stopped { stopped }))
}

/// One that does not end takes a while, and holds no others up.
const MAX_CONCURRENT_STOPS: usize = 16;

/// Stops one of many; whether it was.
async fn stop_one(app: &App, who: &Principal, id: i64) -> Result<bool, ApiError> {
    if who.execution(app, &id.to_string(), AccessLevel::Edit).await.is_err() {
        return Ok(false);
    }
    match app.runtime.stop_execution(id).await {
        Ok(()) => Ok(true),
        // It came to its end meanwhile, unless it was stopped with the one that it was called by.
        Err(runtime::Error::WrongStatus { .. } | runtime::Error::NoExecution { .. }) => {
            let now = app.store.execution(id).await?.map(|execution| execution.state.status);
            Ok(now == Some(RunStatus::Cancelled))
        }
        Err(error) => Err(error.into()),
    }
}

/// A page of executions with their data ends early rather than being larger. One that is larger by
/// itself is listed without.
const MAX_DATA_PAGE: i64 = 16 << 20;

/// Data takes about this many times as much memory as its bytes on disk: as values, and as the text
/// of the answer.
const DATA_FACTOR: usize = READ_FACTOR + 8;

/// How many of these executions fit on a page with their data; one at the least.
fn count_fitting(found: &[Execution]) -> usize {
    let mut bytes = 0;
    let fits = found.iter().take_while(|execution| {
        bytes += if is_too_large(execution) { 0 } else { execution.bytes };
        bytes <= MAX_DATA_PAGE
    });
    fits.count().max(1)
}

fn is_too_large(execution: &Execution) -> bool {
    execution.bytes > MAX_DATA_PAGE
}

/// The projects that a list may come from: one that was named, or all that somebody reaches.
pub(super) fn project_filter(who: &Principal, named: Option<&str>) -> Option<Vec<Str>> {
    match named {
        None => who.access.project_filter(),
        Some(id) => {
            Some(Some(Str::from(id)).filter(|id| who.access.can_view(id)).into_iter().collect())
        }
    }
}

/// What an execution did, and the workflow as it was.
struct ExecutionData {
    data: Json,
    workflow: Json,
}

impl ExecutionData {
    async fn read(app: &App, execution: &Execution) -> Result<Self, ApiError> {
        let events = app.store.outline(execution.id).await?;
        let told = history::outcome(execution, events).to_value();
        let data = Json(told.get("data").cloned().unwrap_or_default());
        let workflow = Json(document_of(app, execution).await?.unwrap_or(Value::Null));
        Ok(Self { data, workflow })
    }

    fn add_to(self, row: &mut wire::Execution<'_>) {
        row.data = Some(self.data);
        row.workflow_data = Some(self.workflow);
    }
}

/// The workflow as an execution ran it, unless it is not kept any more.
pub(super) async fn document_of(
    app: &App,
    execution: &Execution,
) -> Result<Option<Value>, ApiError> {
    let document = match execution.started.version_id.is_empty() {
        true => app.store.document(execution.id).await?,
        false => app.store.version(&execution.started.version_id).await?,
    };
    Ok(document.and_then(|text| model::json::parse(&text).ok()))
}
