//! `/api/v1/executions`.

use super::{Query, flag, from_cursor, invalid, iso, limit, page, to_cursor};
use crate::App;
use crate::access::Principal;
use crate::answer::json;
use crate::error::ApiError;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use model::{Code, Object, RunStatus, Str, Value};
use runtime::{Start, history};
use store::executions::{Execution, ExecutionFilter};
use store::{Executions as _, Workflows as _};

pub(super) async fn list(State(app): State<App>, Extension(who): Extension<Principal>, query: Query) -> Result<Response, ApiError> {
    who.require("execution:list")?;
    let limit = limit(&query)?;
    let status = query.get("status").map(|text| RunStatus::from_name(text).ok_or_else(|| invalid("status", "is not known"))).transpose()?;
    let before =
        from_cursor(&query)?.map(|text| text.parse().map_err(|_| invalid("cursor", "is none that this list gave out"))).transpose()?;
    let filter = ExecutionFilter { workflow_id: query.get("workflowId").map(|id| id.as_str().into()), status, before, limit: limit + 1 };
    let mut found = app.store.executions(filter).await?;
    let has_more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| has_more).map(|last| to_cursor(&last.id.to_string()));
    let with_data = flag(&query, "includeData")?.unwrap_or(false);
    let mut rows = Vec::with_capacity(found.len());
    for execution in &found {
        rows.push(if with_data { with_data_of(&app, execution).await? } else { row(execution) });
    }
    Ok(json(StatusCode::OK, &page(rows, next)))
}

pub(super) async fn get(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: Query,
) -> Result<Response, ApiError> {
    who.require("execution:read")?;
    let execution = find(&app, &id).await?;
    let value = match flag(&query, "includeData")?.unwrap_or(false) {
        true => with_data_of(&app, &execution).await?,
        false => row(&execution),
    };
    Ok(json(StatusCode::OK, &value))
}

pub(super) async fn delete(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.require("execution:delete")?;
    let execution = find(&app, &id).await?;
    if app.runtime.runner.is_running(execution.id) {
        let hint = "Stop it first.";
        return Err(ApiError::new(Code::EXECUTION_STATUS, format!("Execution {id} is running")).hint(hint));
    }
    app.store.delete_execution(execution.id).await?;
    Ok(json(StatusCode::OK, &row(&execution)))
}

/// Runs the workflow again on what the execution began with.
pub(super) async fn retry(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.require("execution:retry")?;
    let execution = find(&app, &id).await?;
    if !matches!(execution.state.status, RunStatus::Error | RunStatus::Cancelled | RunStatus::Uncertain) {
        let message = format!("Execution {id} is {}, and only failed ones are run again", execution.state.status.name());
        return Err(ApiError::new(Code::EXECUTION_STATUS, message));
    }
    let workflow = app.runtime.load(&execution.begun.workflow_id).await?;
    let events = app.store.journal(execution.id).await?;
    let began = events.into_iter().find_map(|event| match event {
        model::RunEvent::RunStarted { start_node, items, .. } => Some((start_node, items)),
        _ => None,
    });
    let (node, items) = began.unwrap_or((None, None));
    let start =
        Start { workflow, cause: node_api::StartedBy::Hand, node, items, mode: "retry", retry_of: Some(execution.id), destination: None };
    let taken = app.runtime.runner.start(start)?;
    app.runtime.runner.accepted(&taken).await?;
    Ok(json(StatusCode::OK, &row(&find(&app, &taken.id.to_string()).await?)))
}

pub(super) async fn stop(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.require("execution:stop")?;
    let execution = find(&app, &id).await?;
    let is_stopped = app.runtime.runner.cancel(execution.id);
    if !is_stopped {
        if execution.state.status != RunStatus::Waiting {
            let message = format!("Execution {id} is {}", execution.state.status.name());
            return Err(ApiError::new(Code::EXECUTION_STATUS, message));
        }
        app.store.set_status(execution.id, RunStatus::Cancelled).await?;
    }
    Ok(json(StatusCode::OK, &row(&find(&app, &id).await?)))
}

async fn find(app: &App, id: &str) -> Result<Execution, ApiError> {
    let missing = || ApiError::new(Code::EXECUTION_NOT_FOUND, format!("There is no execution with the id '{id}'"));
    let number: i64 = id.parse().map_err(|_| missing())?;
    app.store.execution(number).await?.ok_or_else(missing)
}

fn row(execution: &Execution) -> Value {
    let Execution { id, begun, state, .. } = execution;
    Object::from_iter([
        ("id", Value::from(Str::from(id.to_string()))),
        ("finished", (state.status == RunStatus::Success).into()),
        ("mode", begun.mode.clone().into()),
        ("retryOf", begun.retry_of.map(|id| Str::from(id.to_string())).into()),
        ("retrySuccessId", Value::Null),
        ("status", state.status.name().into()),
        ("startedAt", iso(begun.started_ms)),
        ("stoppedAt", state.stopped_ms.map_or(Value::Null, iso)),
        ("workflowId", begun.workflow_id.clone().into()),
        ("waitTill", state.wait_till_ms.map_or(Value::Null, iso)),
        ("customData", Value::empty_object()),
    ])
    .into()
}

/// The row with everything the run did, and the workflow as it was.
async fn with_data_of(app: &App, execution: &Execution) -> Result<Value, ApiError> {
    let events = app.store.journal(execution.id).await?;
    let told = history::outcome(execution, events).to_value();
    let mut value = row(execution);
    let fields = value.make_object();
    fields.insert("data", told.get("data").cloned().unwrap_or_default());
    let document = app.store.version(&execution.begun.version_id).await?;
    let document = document.and_then(|text| model::json::parse(&text).ok()).unwrap_or(Value::Null);
    fields.insert("workflowData", document);
    Ok(value)
}
