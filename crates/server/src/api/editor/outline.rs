//! `/api/v1/executions/ID/outline` and `/document`: what a run did without the items it did it
//! with, and what it ran.

use super::journal_view::JournalView;
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::api::{ApiOperation, executions};
use crate::error::ApiError;
use crate::response::{json, typed};
use crate::wire;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use model::{Code, ModelUsage, Object, Str, TaskData};
use std::collections::BTreeMap;

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/executions/{id}/outline",
        "execution:read",
        "getExecutionOutline",
        "Show an execution without its items",
        || get(outline),
    )
    .response::<wire::ExecutionOutline>(200),
    ApiOperation::new(
        "GET",
        "/executions/{id}/document",
        "execution:read",
        "getExecutionDocument",
        "Show the workflow as it was executed",
        || get(document),
    )
    .response::<wire::ExecutionDocument>(200),
];

async fn outline(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let story = JournalView::read(&app, &who, &id).await?;
    Ok(typed(StatusCode::OK, &outline_of(&story)))
}

fn outline_of(story: &JournalView) -> wire::ExecutionOutline<'_> {
    let mut execution = wire::Execution::from(&story.execution);
    execution.workflow_name = Some(&story.outcome.workflow_name);
    let error = story.outcome.error.as_ref().map(wire::RunError::from);
    let told = || {
        let message = story.execution.state.error.clone()?;
        Some(wire::RunError(Object::from_iter([("message", message)]).into()))
    };
    wire::ExecutionOutline {
        execution,
        error: error.or_else(told),
        start_node: story.start_node.as_deref(),
        last_node: story.outcome.last_node.as_deref(),
        nodes: node_runs(story),
        events: story.n_events,
        models: models(&story.spent),
    }
}

fn node_runs(story: &JournalView) -> wire::NodeRuns<'_> {
    let mut nodes: Vec<(&str, Vec<wire::NodeRun<'_>>)> = Vec::new();
    for (node, runs) in &story.outcome.run_data {
        let runs = runs.iter().enumerate().map(|(index, task)| record(story, node, index, task));
        nodes.push((node, runs.collect()));
    }
    if let Some((node, started_ms)) = &story.in_flight {
        let known = nodes.iter().position(|(known, _)| *known == node.as_str());
        let at = known.unwrap_or_else(|| {
            nodes.push((node, Vec::new()));
            nodes.len() - 1
        });
        let runs = &mut nodes[at].1;
        runs.push(wire::NodeRun {
            run_index: runs.len(),
            execution_index: None,
            start_time: *started_ms,
            execution_time: None,
            status: wire::NodeRunStatus::Running,
            source: None,
            outputs: None,
            error: None,
            hints: Vec::new(),
            reused: None,
            served: None,
            steps: None,
        });
    }
    wire::NodeRuns(nodes)
}

/// One run of a node, or one thing that it did for another.
fn record<'a>(
    story: &JournalView,
    node: &str,
    index: usize,
    task: &'a TaskData,
) -> wire::NodeRun<'a> {
    let outputs = task.data.iter().flat_map(|(kind, outputs)| {
        outputs.iter().enumerate().map(move |(index, items)| (*kind, index, items))
    });
    let outputs = outputs.filter_map(|(kind, index, items)| {
        let items = items.as_ref()?.len();
        Some(wire::RunOutput { kind: kind.name(), index, items })
    });
    let served = task.serves().zip(task.source.first().and_then(Option::as_ref));
    let n_steps = story.checkpoints_of(node, index).len();
    wire::NodeRun {
        run_index: index,
        execution_index: Some(task.execution_index),
        start_time: task.start_time_ms,
        execution_time: Some(wire::Number(task.execution_time_ms as f64)),
        status: task.status.into(),
        source: Some(task.source.iter().map(|source| source.as_ref().map(Into::into)).collect()),
        outputs: Some(outputs.collect()),
        error: task.error.as_ref().map(Into::into),
        hints: task.hints.iter().map(Str::as_str).collect(),
        reused: task.reused_from(),
        steps: Some(n_steps).filter(|n_steps| served.is_none() && *n_steps > 0),
        served: served.map(|(kind, above)| wire::ServedNode {
            kind: kind.name(),
            node: &above.node,
            run: above.run,
        }),
    }
}

/// What each model node was asked and what that cost.
fn models(spent: &[(Str, ModelUsage)]) -> Vec<wire::ModelUse<'_>> {
    let mut sums: BTreeMap<(&str, &str, &str), wire::ModelUse<'_>> = BTreeMap::new();
    for (node, spent) in spent {
        let sum = sums.entry((node, &spent.provider, &spent.model)).or_insert(wire::ModelUse {
            node,
            provider: &spent.provider,
            model: &spent.model,
            calls: 0,
            input_tokens: 0,
            cached_tokens: 0,
            output_tokens: 0,
            dollars: wire::Number(0.0),
        });
        sum.calls += 1;
        sum.input_tokens += spent.input;
        sum.cached_tokens += spent.cached;
        sum.output_tokens += spent.output;
        sum.dollars.0 += spent.dollars.unwrap_or(0.0);
    }
    sums.into_values().collect()
}

async fn document(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let execution = who.execution(&app, &id, AccessLevel::View).await?;
    match executions::document_of(&app, &execution).await? {
        Some(document) => Ok(json(StatusCode::OK, &document)),
        None => Err(ApiError::new(
            Code::WORKFLOW_NOT_FOUND,
            format!("The workflow that execution {} ran is no longer stored", execution.id),
        )),
    }
}
