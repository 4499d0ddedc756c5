//! `POST /api/v1/workflows/expression`: what an expression gives, shown while it is asked.

use super::schema::kind_of;
use super::story::Story;
use crate::App;
use crate::access::{Need, Principal};
use crate::answer::json;
use crate::api::{Body, Operation, Text, invalid, workflows};
use crate::error::ApiError;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use model::{Code, Object, Str, Value, Workflow};
use node_api::NodeError;
use runtime::Expression;

pub(in crate::api) const OPERATIONS: &[Operation] =
    &[Operation::new("POST", "/workflows/expression", "workflow:read", "evaluateExpression", "What an expression gives", || {
        post(evaluate)
    })
    .takes("expressionInput")
    .gives(200, "expressionValue")];

/// Longer expressions are refused.
const MAX_EXPRESSION: usize = 1 << 20;
/// A larger value is shown by the beginning of its text.
const MAX_VALUE_BYTES: usize = 64 << 10;

async fn evaluate(State(app): State<App>, Extension(who): Extension<Principal>, Text(text): Text) -> Result<Response, ApiError> {
    let body = Body::read(&text, &["workflow", "workflowId", "node", "expression", "executionId", "item", "runIndex"])?;
    let document = workflows::drawn(body.get("workflow").ok_or_else(|| invalid("workflow", "is missing"))?)?;
    let (node, expression) = (body.text("node", 1, 1000)?, body.text("expression", 0, MAX_EXPRESSION)?);
    let count = |field: &str| match body.get(field) {
        None => Ok(0),
        Some(value) => value.as_usize().ok_or_else(|| invalid(field, "must be a whole number from 0")),
    };
    let (item, run) = (count("item")?, count("runIndex")?);
    let story = match body.optional_text("executionId", 1, 100)? {
        Some(id) => Some(Story::read(&app, &who, id).await?),
        None => None,
    };
    let named = body.optional_text("workflowId", 1, 100)?.map(Str::from);
    let id = named.or_else(|| story.as_ref().map(|story| story.execution.begun.workflow_id.clone()));
    let project = match id {
        Some(id) => Some(who.workflow(&app, &id, Need::See).await?.project_id),
        None => None,
    };
    let asked = Expression {
        workflow: Workflow::from_value(&document.into()).ok_or_else(|| invalid("workflow", "must be an object"))?,
        project,
        node: node.into(),
        expression: expression.into(),
        item,
        run,
        execution: story.map(|story| (story.execution.id.to_string().into(), story.outcome.run_data)),
    };
    match app.runtime.preview(asked).await {
        Ok(value) => Ok(json(StatusCode::OK, &shown(value))),
        Err(error) if matches!(error.code(), Code::REQUEST_INVALID | Code::OVERLOAD) => Err(error.into()),
        Err(error) => Ok(json(StatusCode::OK, &failed(&error))),
    }
}

fn shown(value: Value) -> Value {
    let kind = if value.is_undefined() { "undefined" } else { kind_of(&value) };
    let text = match &value {
        Value::Undefined => String::new(),
        Value::Object(_) | Value::Array(_) => model::json::to_pretty_string(&value, &Default::default()),
        other => other.to_js_string().to_string(),
    };
    let is_cut = text.len() > MAX_VALUE_BYTES;
    let end = (0..=MAX_VALUE_BYTES.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let mut fields = Object::from_iter([("type", Value::from(kind)), ("text", text[..end].into())]);
    if is_cut {
        fields.insert("truncated", true);
    } else {
        fields.insert("value", if value.is_undefined() { Value::Null } else { value });
    }
    fields.into()
}

fn failed(error: &NodeError) -> Value {
    let told = error.to_run_error("");
    let mut fields = Object::from_iter([("code", Value::from(told.code.name())), ("message", told.message.into())]);
    for (key, text) in [("description", told.description), ("hint", told.hint)] {
        if let Some(text) = text {
            fields.insert(key, text);
        }
    }
    Object::from_iter([("error", fields)]).into()
}
