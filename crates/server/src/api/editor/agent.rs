//! `/api/v1/executions/ID/agent`: what an agent did in a step, iteration by iteration, from its
//! notes and from what served it.

use super::approvals::StepApprovals;
use super::iteration::Iteration;
use super::journal_view::{JournalView, SubNodeCall};
use crate::App;
use crate::access::Principal;
use crate::api::operation::QueryParam;
use crate::api::request::{QueryParams, number};
use crate::api::{ApiOperation, invalid};
use crate::error::ApiError;
use crate::response::json;
use crate::wire;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use model::{Code, Kind, Object, Str, TaskData, Value};

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "GET",
    "/executions/{id}/agent",
    "execution:read",
    "getExecutionAgent",
    "Show the steps of an agent",
    || get(show),
)
.query(&[QueryParam("node", "string"), QueryParam("run", "integer")])
.response::<wire::ExecutionAgent>(200)];

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryParams,
) -> Result<Response, ApiError> {
    let story = JournalView::read(&app, &who, &id).await?;
    let node = query
        .get("node")
        .filter(|name| !name.is_empty())
        .ok_or_else(|| invalid("node", "must name a node"))?;
    let run = number(&query, "run", 0, usize::MAX)?.unwrap_or(0);
    let task = story.step(node, run);
    let notes = story.step_checkpoints(node, run);
    if task.is_none() && notes.is_none() {
        let node: String = node.chars().take(100).collect();
        return Err(ApiError::new(
            Code::NOT_FOUND,
            format!("Execution {} has no run {run} of '{node}'", story.execution.id),
        ));
    }
    let approvals = StepApprovals::read(&story, node, run);
    let iterations = Iteration::read(&story, node, run, &approvals);
    let mut answer = Object::from_iter([
        ("iterations", Value::array(iterations.iter().map(Iteration::to_value).collect())),
        (
            "memory",
            Value::array(story.subnode_calls(node, run, Kind::AiMemory).map(memory).collect()),
        ),
        ("output", task.map_or(Value::Null, |task| output(task))),
        ("approvals", approvals.to_value()),
        ("finishReason", finish_reason(task.map(|task| &**task), &iterations, &approvals).into()),
        ("errors", Value::array(errors(&story, node, run, &iterations))),
    ]);
    if let Some(notes) = notes {
        answer.insert("startedMs", notes.started_ms);
    }
    if let Some(origin) = task.and_then(|task| task.reused_from()) {
        answer.insert("reused", origin);
    }
    Ok(json(StatusCode::OK, &answer.into()))
}

/// What the agent put out for each of its items.
fn output(task: &TaskData) -> Value {
    let items =
        task.data.get(&Kind::Main).into_iter().flatten().flatten().flat_map(|items| items.iter());
    let mut all: Vec<Value> = items.map(|item| item.json).collect();
    if all.len() == 1 { all.remove(0) } else { Value::array(all) }
}

/// Why it ended: what the strict agent says itself, or what follows from its last words.
fn finish_reason(
    task: Option<&TaskData>,
    iterations: &[Iteration],
    approvals: &StepApprovals,
) -> &'static str {
    let Some(task) = task else { return if approvals.has_open() { "approval" } else { "running" } };
    if task.error.is_some() {
        return "error";
    }
    let completed = task
        .output(0)
        .and_then(|items| items.first())
        .and_then(|item| item.json.get("state")?.get("completed")?.as_bool());
    match (completed, iterations.last()) {
        (Some(true), _) => "completed",
        (Some(false), _) => "stopped",
        // Whoever still wants to call tools had not finished.
        (None, Some(last)) if last.wants_tools() => "max_iterations",
        (None, _) => "completed",
    }
}

fn memory(served: &SubNodeCall) -> Value {
    let input = served.task.input_override.as_ref().and_then(|inputs| inputs.first()?.first());
    let action = input
        .as_ref()
        .and_then(|item| item.json.get("action")?.as_str().map(Str::from))
        .unwrap_or_default();
    let op = match action.as_str() {
        "loadMemoryVariables" => "load".into(),
        "saveContext" => "save".into(),
        _ => action,
    };
    let mut fields = Object::from_iter([
        ("op", Value::from(op)),
        ("node", served.node.clone().into()),
        ("startedMs", served.task.start_time_ms.into()),
        ("durationMs", (served.task.execution_time_ms as f64).into()),
    ]);
    if let Some(error) = &served.task.error {
        fields.insert("error", error.message.clone());
    }
    fields.into()
}

/// What went wrong: answers that did not come, replies that break the strict agent's contract, and
/// the end of the step.
fn errors(story: &JournalView, node: &str, run: usize, iterations: &[Iteration]) -> Vec<Value> {
    let told = |code: Value, message: Value, iteration: usize| -> Value {
        Object::from_iter([("code", code), ("message", message), ("iteration", iteration.into())])
            .into()
    };
    let mut all = Vec::new();
    let mut answered = 0;
    for served in story.subnode_calls(node, run, Kind::AiLanguageModel) {
        match &served.task.error {
            Some(error) => {
                all.push(told(error.code.name().into(), error.message.clone().into(), answered + 1))
            }
            None => answered += 1,
        }
    }
    let Some(task) = story.step(node, run) else { return all };
    for item in task.output(0).into_iter().flat_map(|items| items.iter()) {
        let events = item
            .json
            .get("observability")
            .and_then(|told| told.get("events")?.as_array().map(<[Value]>::to_vec));
        for event in events.unwrap_or_default() {
            let Some(error) = event.get("error") else { continue };
            let field = |key: &str| error.get(key).cloned().unwrap_or_default();
            all.push(told(
                field("type"),
                field("message"),
                event.get("iteration").and_then(Value::as_usize).unwrap_or(0),
            ));
        }
    }
    if let Some(error) = &task.error {
        all.push(told(
            error.code.name().into(),
            error.message.clone().into(),
            iterations.last().map_or(0, |last| last.index),
        ));
    }
    all
}
