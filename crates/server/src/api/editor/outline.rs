//! `/api/v1/executions/ID/outline` and `/document`: what a run did without the items it did it
//! with, and what it ran.

use super::journal_view::JournalView;
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::api::{ApiOperation, executions};
use crate::error::ApiError;
use crate::response::json;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use model::{Code, Items, Kind, ModelUsage, Object, Source, Str, TaskData, Value};
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
    .response(200, "executionOutline"),
    ApiOperation::new(
        "GET",
        "/executions/{id}/document",
        "execution:read",
        "getExecutionDocument",
        "Show the workflow as it was executed",
        || get(document),
    )
    .response(200, "executionDocument"),
];

async fn outline(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let story = JournalView::read(&app, &who, &id).await?;
    let mut answer = executions::row(&story.execution);
    let fields = answer.make_object();
    let error = story.outcome.error.as_ref().map(model::RunError::to_value);
    let told = || {
        story
            .execution
            .state
            .error
            .clone()
            .map(|message| Object::from_iter([("message", message)]).into())
    };
    if let Some(error) = error.or_else(told) {
        fields.insert("error", error);
    }
    fields.insert("workflowName", story.outcome.workflow_name.clone());
    fields.insert("startNode", story.start_node.clone());
    fields.insert("lastNode", story.outcome.last_node.clone());
    let mut nodes: Object = story
        .outcome
        .run_data
        .iter()
        .map(|(node, runs)| (node.clone(), runs_of(&story, node, runs)))
        .collect();
    if let Some((node, started_ms)) = &story.in_flight {
        let runs = nodes.entry(node).make_array();
        let running = [
            ("runIndex", Value::from(runs.len())),
            ("startTime", (*started_ms).into()),
            ("status", "running".into()),
        ];
        runs.push(Object::from_iter(running).into());
    }
    fields.insert("nodes", nodes);
    fields.insert("events", story.n_events);
    fields.insert("models", models(&story.spent));
    Ok(json(StatusCode::OK, &answer))
}

fn runs_of(story: &JournalView, node: &Str, runs: &[std::sync::Arc<TaskData>]) -> Value {
    Value::array(
        runs.iter().enumerate().map(|(index, task)| record(story, node, index, task)).collect(),
    )
}

/// One run of a node, or one thing that it did for another.
fn record(story: &JournalView, node: &Str, index: usize, task: &TaskData) -> Value {
    let sources =
        task.source.iter().map(|source| source.as_ref().map_or(Value::Null, Source::to_value));
    let outputs = task.data.iter().flat_map(|(kind, outputs)| {
        outputs.iter().enumerate().map(move |(index, items)| (*kind, index, items))
    });
    let outputs = outputs
        .filter_map(|(kind, index, items)| items.as_ref().map(|items| output(kind, index, items)));
    let mut fields = Object::from_iter([
        ("runIndex", Value::from(index)),
        ("executionIndex", task.execution_index.into()),
        ("startTime", task.start_time_ms.into()),
        ("executionTime", (task.execution_time_ms as f64).into()),
        ("status", task.status.name().into()),
        ("source", Value::array(sources.collect())),
        ("outputs", Value::array(outputs.collect())),
    ]);
    if let Some(error) = &task.error {
        fields.insert("error", error.to_value());
    }
    if !task.hints.is_empty() {
        fields.insert(
            "hints",
            Value::array(task.hints.iter().map(|hint| hint.clone().into()).collect()),
        );
    }
    if let Some(run) = task.reused_from() {
        fields.insert("reused", run);
    }
    match (task.serves(), task.source.first().and_then(Option::as_ref)) {
        (Some(kind), Some(above)) => {
            let served = [
                ("kind", Value::from(kind.name())),
                ("node", above.node.clone().into()),
                ("run", above.run.into()),
            ];
            fields.insert("served", Object::from_iter(served));
        }
        _ => {
            let n_steps = story.checkpoints_of(node, index).len();
            if n_steps > 0 {
                fields.insert("steps", n_steps);
            }
        }
    }
    fields.into()
}

fn output(kind: Kind, index: usize, items: &Items) -> Value {
    Object::from_iter([
        ("kind", Value::from(kind.name())),
        ("index", index.into()),
        ("items", items.len().into()),
    ])
    .into()
}

/// What each model node was asked and what that cost.
fn models(spent: &[(Str, ModelUsage)]) -> Value {
    #[derive(Default)]
    struct ModelTotals {
        calls: usize,
        input: u64,
        cached: u64,
        output: u64,
        dollars: f64,
    }
    let mut sums: BTreeMap<(Str, Str, Str), ModelTotals> = BTreeMap::new();
    for (node, spent) in spent {
        let sum =
            sums.entry((node.clone(), spent.provider.clone(), spent.model.clone())).or_default();
        sum.calls += 1;
        sum.input += spent.input;
        sum.cached += spent.cached;
        sum.output += spent.output;
        sum.dollars += spent.dollars.unwrap_or(0.0);
    }
    let rows = sums.into_iter().map(|((node, provider, model), sum)| {
        let fields = [
            ("node", Value::from(node)),
            ("provider", provider.into()),
            ("model", model.into()),
            ("calls", sum.calls.into()),
            ("inputTokens", (sum.input as f64).into()),
            ("cachedTokens", (sum.cached as f64).into()),
            ("outputTokens", (sum.output as f64).into()),
            ("dollars", sum.dollars.into()),
        ];
        Object::from_iter(fields).into()
    });
    Value::array(rows.collect())
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
