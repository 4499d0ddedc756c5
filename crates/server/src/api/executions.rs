//! `/api/v1/executions`.

use super::operation::{CURSOR, LIMIT, QueryParam};
use super::{
    ApiOperation, BodyFields, JsonBody, QueryParams, RequestJson, flag, invalid, limit,
    number_from_cursor, split_page, workflow_names,
};
use super::{execution_files, execution_stream};
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire::{self, Json};
use crate::{App, events};
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{delete, get, post};
use futures::StreamExt as _;
use model::{Code, RunStatus, Str, Value};
use runtime::{Decision, DecisionOutcome, Fork, RetryWith, history};
use store::executions::{Execution, ExecutionFilter, READ_FACTOR};

const INCLUDE_DATA: QueryParam = QueryParam("includeData", "boolean");

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/executions",
        "execution:list",
        "getExecutions",
        "List executions, newest first",
        || get(list),
    )
    .query(&[
        LIMIT,
        CURSOR,
        INCLUDE_DATA,
        QueryParam("status", "string"),
        QueryParam("workflowId", "string"),
        QueryParam("projectId", "string"),
        QueryParam("startedAfter", "string"),
        QueryParam("startedBefore", "string"),
        QueryParam("mode", "string"),
    ])
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
    .query(&[INCLUDE_DATA])
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
    .query(&[QueryParam("workflowId", "string")]),
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
    query: QueryParams,
) -> Result<Response, ApiError> {
    let limit = limit(&query)?;
    let status = query
        .get("status")
        .map(|text| RunStatus::from_name(text).ok_or_else(|| invalid("status", "is unknown")))
        .transpose()?;
    let before = number_from_cursor(&query)?;
    let workflow_id = query.get("workflowId").map(|id| id.as_str().into());
    let within = project_filter(&who, query.get("projectId").map(String::as_str));
    let moment =
        |field: &str| query.get(field).map(|text| parse_timestamp(field, text)).transpose();
    let filter = ExecutionFilter {
        workflow_id,
        status,
        mode: query.get("mode").map(|mode| mode.as_str().into()),
        started_after_ms: moment("startedAfter")?,
        started_before_ms: moment("startedBefore")?,
        within,
        before,
        limit: limit + 1,
    };
    if before.is_none() && status.is_none_or(|status| status == RunStatus::Running) {
        app.runtime.flush_long_running().await;
    }
    let mut found = app.store.executions(filter).await?;
    let with_data = flag(&query, "includeData")?.unwrap_or(false);
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
    query: QueryParams,
) -> Result<Response, ApiError> {
    let execution = who.execution(&app, &id, AccessLevel::View).await?;
    match flag(&query, "includeData")?.unwrap_or(false) {
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
    let loads_newest =
        match BodyFields::read_or_empty(&body, &["loadWorkflow"])?.get("loadWorkflow") {
            None => false,
            Some(value) => {
                value.as_bool().ok_or_else(|| invalid("loadWorkflow", "must be true or false"))?
            }
        };
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
    let version = if loads_newest { RetryWith::NewestVersion } else { RetryWith::SameVersion };
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
    let fields = BodyFields::read(&body, &["from", "model"])?;
    let text = |name: &'static str| match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(invalid(name, "must be a string")),
    };
    let from = text("from")?.ok_or_else(|| invalid("from", "must name a step"))?;
    let taken = app.runtime.fork(execution.id, Fork { from, model: text("model")? }).await?;
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
    app.runtime.resume_decided(execution.id, decision_of(&body)?).await?;
    Ok(typed(
        StatusCode::OK,
        &wire::Execution::from(&who.execution(&app, &id, AccessLevel::View).await?),
    ))
}

/// Without a word the execution goes on only if none of its steps may have happened.
fn decision_of(body: &JsonBody) -> Result<Decision, ApiError> {
    if body.is_blank {
        return Ok(Decision::undecided());
    }
    let fields = BodyFields::read(body, &["decision", "result", "call", "events"])?;
    let text = |name: &'static str| match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(invalid(name, "must be a string")),
    };
    let (decision, result) = (text("decision")?, text("result")?);
    let finding = match decision.as_deref() {
        Some("done") => DecisionOutcome::Happened { result: result.unwrap_or_default() },
        None if result.is_none() => DecisionOutcome::Undecided,
        Some("again") if result.is_none() => DecisionOutcome::Retry,
        None | Some("again") => {
            return Err(invalid("result", "is only allowed with the decision 'done'"));
        }
        Some(_) => return Err(invalid("decision", "must be 'done' or 'again'")),
    };
    let seen = match fields.get("events") {
        None | Some(Value::Null) => None,
        Some(number) => {
            Some(number.as_usize().ok_or_else(|| invalid("events", "must be a whole number"))?
                as u64)
        }
    };
    Ok(Decision { finding, call: text("call")?.filter(|call| !call.is_empty()), seen })
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
    let body = BodyFields::read(&body, &["status", "workflowId", "startedAfter", "startedBefore"])?;
    let list = body.get("status").and_then(Value::as_array).filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| invalid("status", "must be a list with at least one status"))?;
    let mut wanted = Vec::new();
    for status in list {
        match status.as_str() {
            Some("running" | "queued") => wanted.push(RunStatus::Running),
            Some("waiting") => wanted.push(RunStatus::Waiting),
            _ => return Err(invalid("status", "must be queued, running or waiting")),
        }
    }
    wanted.dedup();
    let moment = |field: &str| {
        body.optional_text(field, 1, 50)?.map(|text| parse_timestamp(field, text)).transpose()
    };
    let (started_after_ms, started_before_ms) = (moment("startedAfter")?, moment("startedBefore")?);
    let workflow_id: Option<Str> = body.optional_text("workflowId", 1, 100)?.map(Into::into);
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

/// A moment as ISO 8601 writes it, in milliseconds.
fn parse_timestamp(field: &str, text: &str) -> Result<i64, ApiError> {
    let moment = text
        .parse::<jiff::Timestamp>()
        .map_err(|_| invalid(field, "is not a time such as 2026-01-31T12:00:00Z"))?;
    Ok(moment.as_millisecond())
}

/// The projects that a list may come from: one that was named, or all that somebody reaches.
fn project_filter(who: &Principal, named: Option<&str>) -> Option<Vec<Str>> {
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
