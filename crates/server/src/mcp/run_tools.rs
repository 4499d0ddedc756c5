//! Runs of workflows: started, listed and shown.

use super::api_tools::{ToolContext, pick, pick_rows};
use super::arguments::read;
use super::results::structured;
use crate::api::ApiRequest;
use crate::error::ApiError;
use crate::wire::mcp as wire;
use model::{Code, Object, RunEvent, Str, Value};
use rmcp::model::CallToolResult;
use runtime::LiveEvent;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::Instant;

/// How long a run is waited for when nothing is said.
const DEFAULT_WAIT: Duration = Duration::from_secs(60);

/// Items of a node that are shown when nothing is said.
const DEFAULT_ITEMS: u64 = 10;

/// The fields of an execution that say how it stands.
const EXECUTION_FIELDS: [&str; 9] = [
    "id",
    "status",
    "mode",
    "workflowId",
    "workflowName",
    "startedAt",
    "stoppedAt",
    "waitTill",
    "retryOf",
];

pub(super) async fn run(
    context: ToolContext<'_>,
    arguments: Object,
) -> Result<CallToolResult, ApiError> {
    let wire::RunWorkflowTool { id, trigger, items, until, wait_seconds } = read(&arguments)?;
    let mut body = Object::new();
    if let Some(trigger) = trigger {
        body.insert("trigger", Str::from(trigger));
    }
    if let Some(until) = until {
        body.insert("until", Str::from(until));
    }
    if let Some(items) = items.filter(|items| !items.is_empty()) {
        let items = items.into_iter().map(|item| Object::from_iter([("json", item.0)]).into());
        body.insert("items", Value::array(items.collect()));
    }
    let live = context.app.runtime.recorder.subscribe();
    let request = ApiRequest::post("/workflows").segment(&id).segment("run").body(body);
    let begun = context.send(request).await?;
    let Some(execution) = begun.get("executionId").map(id_text).filter(|id| !id.is_empty()) else {
        // The trigger waits for a call from outside.
        return Ok(structured(&begun));
    };
    let limit = wait_seconds.map_or(DEFAULT_WAIT, |seconds| Duration::from_secs(seconds.get()));
    wait(context, live, &execution, limit).await?;
    let outline = outline(context, &execution).await?;
    let mut told = summary(&outline);
    let last = outline.get("lastNode").and_then(Value::as_str);
    let is_over = told.get("status").and_then(Value::as_str) == Some("success");
    if let Some(last) = last.filter(|_| is_over && context.who.require("execution:read").is_ok()) {
        let items = items_of(context, &execution, last, "output", DEFAULT_ITEMS).await?;
        told.insert("lastNode", last);
        told.insert("items", items);
    }
    Ok(structured(&told.into()))
}

/// Waits until a run is over, or waits itself, or the time is up. One that the client does not want
/// any more is stopped.
async fn wait(
    context: ToolContext<'_>,
    mut live: Receiver<LiveEvent>,
    execution: &Str,
    limit: Duration,
) -> Result<(), ApiError> {
    let end = Instant::now() + limit;
    let ending = async {
        loop {
            match tokio::time::timeout_at(end, live.recv()).await {
                Ok(Ok(event)) if event.run_id == *execution => match event.event {
                    RunEvent::RunFinished { .. } | RunEvent::RunPaused { .. } => return,
                    _ => {}
                },
                Ok(Ok(_)) => {}
                // Events were missed, so nobody knows.
                Ok(Err(RecvError::Lagged(_))) if is_over(context, execution).await => return,
                Ok(Err(RecvError::Lagged(_))) => {}
                Ok(Err(RecvError::Closed)) | Err(_) => return,
            }
        }
    };
    tokio::select! {
        () = ending => Ok(()),
        () = context.request.context.ct.cancelled() => {
            let request = ApiRequest::post("/executions").segment(execution).segment("stop");
            // It may be over, or the key may not stop it.
            drop(context.send(request).await);
            let message = format!("Execution {execution} was cancelled");
            Err(ApiError::new(Code::RUN_CANCELLED, message))
        }
    }
}

async fn is_over(context: ToolContext<'_>, execution: &str) -> bool {
    let shown = context.send(ApiRequest::get("/executions").segment(execution)).await;
    shown.is_ok_and(|shown| shown.get("status").and_then(Value::as_str) != Some("running"))
}

pub(super) async fn list(
    context: ToolContext<'_>,
    arguments: Object,
) -> Result<CallToolResult, ApiError> {
    let wire::ListExecutionsTool { workflow_id, status, limit, cursor } = read(&arguments)?;
    let request = ApiRequest::get("/executions")
        .query("workflowId", workflow_id.as_deref())
        .query("status", status)
        .query("limit", limit.map(|limit| limit.get().to_string()))
        .query("cursor", cursor);
    let page = context.send(request).await?;
    let keys: Vec<&'static str> = EXECUTION_FIELDS.into_iter().chain(["error"]).collect();
    Ok(structured(&pick_rows(&page, &keys)))
}

pub(super) async fn get(
    context: ToolContext<'_>,
    arguments: Object,
) -> Result<CallToolResult, ApiError> {
    let wire::GetExecutionTool { id, node, input, limit } = read(&arguments)?;
    let outline = outline(context, &id).await?;
    let mut told = summary(&outline);
    told.insert("steps", steps(&outline));
    if let Some(node) = node {
        let direction = if input { "input" } else { "output" };
        let limit = limit.map_or(DEFAULT_ITEMS, |limit| limit.get());
        let items = items_of(context, &id, &Str::from(node), direction, limit).await?;
        told.insert("items", items);
    }
    Ok(structured(&told.into()))
}

pub(super) async fn outline(context: ToolContext<'_>, id: &str) -> Result<Value, ApiError> {
    context.send(ApiRequest::get("/executions").segment(id).segment("outline")).await
}

/// The items of a node, newest run first.
pub(super) async fn items_of(
    context: ToolContext<'_>,
    id: &str,
    node: &str,
    direction: &'static str,
    limit: u64,
) -> Result<Value, ApiError> {
    let request = ApiRequest::get("/executions")
        .segment(id)
        .segment("items")
        .query("node", Some(node))
        .query("direction", Some(direction))
        .query("limit", Some(limit.to_string()));
    context.send(request).await
}

/// How an execution stands, and why it failed.
pub(super) fn summary(outline: &Value) -> Object {
    let execution = outline.get("execution").unwrap_or(outline);
    let mut told = pick(execution, &EXECUTION_FIELDS);
    if let Some(error) = outline.get("error").filter(|error| error.is_object()) {
        told.insert("error", error_fields(error));
    }
    told
}

/// What an error says, without the details that only a developer of the node reads.
pub(super) fn error_fields(error: &Value) -> Object {
    let mut told = pick(error, &["code", "message", "description", "hint", "httpCode"]);
    let node = error.get("node").map(|node| node.get("name").unwrap_or(node).clone());
    if let Some(node) = node.filter(|node| node.as_str().is_some()) {
        told.insert("node", node);
    }
    told
}

/// The steps of a run in the order in which they began.
fn steps(outline: &Value) -> Value {
    let mut steps: Vec<(f64, Value)> = Vec::new();
    let nodes = outline.get("nodes").and_then(Value::as_object);
    for (node, runs) in nodes.into_iter().flat_map(Object::iter) {
        for run in runs.as_array().unwrap_or_default() {
            let mut step = Object::from_iter([("node", Value::from(node.clone()))]);
            step.extend(pick(run, &["runIndex", "status", "executionTime", "outputs"]));
            if let Some(error) = run.get("error").filter(|error| error.is_object()) {
                step.insert("error", error_fields(error));
            }
            let place = run.get("executionIndex").and_then(Value::as_f64).unwrap_or(f64::MAX);
            steps.push((place, step.into()));
        }
    }
    steps.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    Value::array(steps.into_iter().map(|(_, step)| step).collect())
}

/// The ID of an execution as text, which the API gives as a number or as one.
fn id_text(id: &Value) -> Str {
    match id {
        Value::Null | Value::Undefined => Str::new(),
        id => id.to_js_string(),
    }
}
