//! The decision trace of an execution: as it happens, as JSON, and as spans of OpenTelemetry.

use super::{ApiOperation, QueryResult, RequestQuery};
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire::{self, Json, TraceQuery};
use crate::{App, trace_stream};
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use formats::sensitive::Redaction;
use runtime::trace::{TraceEvent, gen_ai};
use store::executions::Execution;

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/executions/{id}/trace",
        "execution:read",
        "getExecutionTrace",
        "Show what an execution's agents did and why",
        || get(show),
    )
    .query::<TraceQuery>()
    .response::<wire::ExecutionTrace<'_>>(200),
    ApiOperation::new(
        "GET",
        "/executions/{id}/trace/otlp",
        "execution:read",
        "exportExecutionTrace",
        "Export an execution's trace as OpenTelemetry spans (OTLP as JSON)",
        || get(export),
    )
    .query::<TraceQuery>()
    .response::<Json>(200),
    ApiOperation::new(
        "GET",
        "/executions/{id}/trace/events",
        "execution:read",
        "followExecutionTrace",
        "Stream an execution's trace (SSE)",
        || get(trace_stream::execution_trace_events),
    )
    .query::<wire::TraceStreamQuery>(),
    ApiOperation::new(
        "GET",
        "/trace/events",
        "execution:read",
        "followTraces",
        "Stream the traces of all executions (SSE)",
        || get(trace_stream::trace_events),
    )
    .query::<wire::TraceStreamQuery>(),
];

/// The name of the service in exported spans.
const SERVICE: &str = "heddle";

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryResult<TraceQuery>,
) -> Result<Response, ApiError> {
    let RequestQuery(query) = query?;
    let redaction = Redaction { personal_data: query.redact_personal_data.unwrap_or_default() };
    read(&app, &who, &id, move |execution, events| {
        let run_id = execution.id.to_string();
        let told = |event: &TraceEvent| wire::TraceEvent::new(&run_id, event, redaction);
        let trace = wire::ExecutionTrace {
            execution_id: &run_id,
            workflow_id: &execution.started.workflow_id,
            events: events.iter().map(told).collect(),
        };
        typed(StatusCode::OK, &trace)
    })
    .await
}

async fn export(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryResult<TraceQuery>,
) -> Result<Response, ApiError> {
    // Spans hold names, times and counts, none of which is anybody's personal data.
    query?;
    let secret = app.store.secret("trace_ids").await?;
    read(&app, &who, &id, move |execution, events| {
        let run_id = execution.id.to_string();
        typed(StatusCode::OK, &gen_ai::export(&secret, SERVICE, &run_id, events))
    })
    .await
}

/// Reads a trace and writes it in the same room of memory.
async fn read(
    app: &App,
    who: &Principal,
    id: &str,
    write: impl FnOnce(&Execution, &[TraceEvent]) -> Response + Send + 'static,
) -> Result<Response, ApiError> {
    let execution = who.flushed_execution(app, id, AccessLevel::View).await?;
    let (number, store) = (execution.id, app.store.clone());
    let weight = store.outline_bytes(number).await?;
    let reading = async move {
        let events = store.outline(number).await?;
        let made = compute::for_size(weight, || write(&execution, &TraceEvent::read_all(&events)));
        Ok::<_, ApiError>(made?)
    };
    let (response, _room) = app.read_budget().read(&who.user_id, weight, reading).await?;
    response
}
