//! `/api/v1/executions/ID/agent`: what an agent did in a step, iteration by iteration, from its
//! notes and from what served it.

use super::approvals::StepApprovals;
use super::iteration::Iteration;
use super::journal_view::{JournalView, SubNodeCall};
use crate::App;
use crate::access::Principal;
use crate::api::{ApiOperation, QueryResult, RequestQuery};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire::{self, AgentError, FinishReason};
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use model::{AgentStage, Code, Kind, Str, TaskData, Value};
use std::collections::BTreeMap;

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "GET",
    "/executions/{id}/agent",
    "execution:read",
    "getExecutionAgent",
    "Show the steps of an agent",
    || get(show),
)
.query::<wire::AgentQuery>()
.response::<wire::ExecutionAgent>(200)];

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryResult<wire::AgentQuery>,
) -> Result<Response, ApiError> {
    let story = JournalView::read(&app, &who, &id).await?;
    let RequestQuery(query) = query?;
    let (node, run) = (query.node.as_str(), query.run.map_or(0, wire::Count::as_usize));
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
    let answer = wire::ExecutionAgent {
        iterations: iterations.iter().map(Iteration::to_wire).collect(),
        memory: story.subnode_calls(node, run, Kind::AiMemory).map(memory).collect(),
        output: wire::Json(task.map_or(Value::Null, |task| output(task))),
        sources: sources(&story, node, run),
        approvals: approvals.all(),
        finish_reason: finish_reason(task.map(|task| &**task), &iterations, &approvals),
        errors: errors(&story, node, run, &iterations),
        started_ms: notes.map(|notes| notes.started_ms),
        reused: task.and_then(|task| task.reused_from()),
    };
    Ok(typed(StatusCode::OK, &answer))
}

/// What its answers are based on, item by item. An answer that was given again after a crash counts
/// once.
fn sources(story: &JournalView, node: &str, run: usize) -> Vec<wire::AnswerSource> {
    let mut by_item: BTreeMap<usize, &Value> = BTreeMap::new();
    for reached in story.stages(node, run).filter(|told| told.stage == AgentStage::Output) {
        by_item.insert(reached.item, &reached.detail);
    }
    let all = by_item.into_iter().flat_map(|(item, detail)| {
        let sources = detail.get("sources").and_then(Value::as_array).unwrap_or_default();
        sources.iter().map(move |source| wire::AnswerSource::new(item, source)).collect::<Vec<_>>()
    });
    all.collect()
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
    iterations: &[Iteration<'_>],
    approvals: &StepApprovals,
) -> FinishReason {
    let Some(task) = task else {
        let is_open = approvals.has_open();
        return if is_open { FinishReason::Approval } else { FinishReason::Running };
    };
    if task.error.is_some() {
        return FinishReason::Error;
    }
    // An answer that is not final may have gone to the error output.
    let outputs = task.data.get(&Kind::Main).into_iter().flatten().flatten();
    let Some(item) = outputs.filter_map(|items| items.first()).next().map(|item| item.json) else {
        return FinishReason::Completed;
    };
    if let Some(marked) = item.get("finishReason").and_then(Value::as_str).and_then(named) {
        return marked;
    }
    let completed = item.get("state").and_then(|state| state.get("completed")?.as_bool());
    match (completed, iterations.last()) {
        (Some(true), _) => FinishReason::Completed,
        (Some(false), _) => FinishReason::Stopped,
        // Whoever still wants to call tools had not finished.
        (None, Some(last)) if last.wants_tools() => FinishReason::MaxIterations,
        (None, _) => FinishReason::Completed,
    }
}

/// The reason with the name that an agent's item gives.
fn named(reason: &str) -> Option<FinishReason> {
    Some(match reason {
        "completed" => FinishReason::Completed,
        "max_iterations" => FinishReason::MaxIterations,
        "budget" => FinishReason::Budget,
        "confidence_threshold" => FinishReason::ConfidenceThreshold,
        "iteration_limit" => FinishReason::IterationLimit,
        "error" => FinishReason::Error,
        _ => return None,
    })
}

fn memory(served: &SubNodeCall) -> wire::MemoryCall<'_> {
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
    wire::MemoryCall {
        op,
        node: &served.node,
        started_ms: served.task.start_time_ms,
        duration_ms: wire::Number(served.task.execution_time_ms as f64),
        error: served.task.error.as_ref().map(|error| error.message.as_str()),
    }
}

/// What went wrong: answers that did not come, replies that break the strict agent's contract, and
/// the end of the step.
fn errors(
    story: &JournalView,
    node: &str,
    run: usize,
    iterations: &[Iteration<'_>],
) -> Vec<AgentError> {
    let failed = |error: &model::RunError, iteration: usize| AgentError {
        code: Some(error.code.name().to_owned()),
        message: error.message.to_string(),
        iteration,
    };
    let mut all = Vec::new();
    let mut answered = 0;
    for served in story.subnode_calls(node, run, Kind::AiLanguageModel) {
        match &served.task.error {
            Some(error) => all.push(failed(error, answered + 1)),
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
            let field = |key: &str| error.get(key).and_then(Value::as_str).map(str::to_owned);
            all.push(AgentError {
                code: field("type"),
                message: field("message").unwrap_or_default(),
                iteration: event.get("iteration").and_then(Value::as_usize).unwrap_or(0),
            });
        }
    }
    if let Some(error) = &task.error {
        all.push(failed(error, iterations.last().map_or(0, |last| last.index)));
    }
    all
}
