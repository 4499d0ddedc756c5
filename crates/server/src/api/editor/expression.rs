//! `POST /api/v1/workflows/expression`: what an expression gives, shown while it is asked.

use super::journal_view::JournalView;
use super::schema::kind_of;
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::api::{ApiOperation, RequestJson, invalid};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire::{self, FieldType, Json};
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use model::json::{TextPrefix, to_pretty_prefix};
use model::{Code, Object, Str, Value, Workflow};
use node_api::NodeError;
use runtime::{PreviewExecution, PreviewRequest};
use store::executions::Execution;

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "POST",
    "/workflows/expression",
    "workflow:read",
    "evaluateExpression",
    "Evaluate an expression",
    || post(evaluate),
)
.request_body::<wire::ExpressionInput>()
.response::<wire::ExpressionValue>(200)];

/// A larger value is shown by the beginning of its text.
const MAX_VALUE_BYTES: usize = 64 << 10;

async fn evaluate(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let permit = app.previews().admit(&who.user_id, body.length).await?;
    let body: wire::ExpressionInput = body.read()?;
    let story = match &body.execution_id {
        Some(id) => Some(JournalView::read(&app, &who, id).await?),
        None => None,
    };
    let named = body.workflow_id.map(Str::from);
    let id =
        named.or_else(|| story.as_ref().map(|story| story.execution.started.workflow_id.clone()));
    let project = match &id {
        Some(id) => Some(who.workflow(&app, id, AccessLevel::View).await?.project_id),
        None => None,
    };
    // Whoever has the address that wakes a run may wake it.
    let wakes = match &story {
        Some(story) => can_resume(&app, &who, &story.execution).await,
        None => false,
    };
    let told = story.map(|story| {
        let previewed = PreviewExecution {
            id: story.execution.id.to_string().into(),
            records: story.outcome.run_data,
            wait: wakes.then_some(story.wait),
        };
        (previewed, story.reservation)
    });
    let (execution, room) = told.unzip();
    let asked = PreviewRequest {
        workflow: Workflow::from_value(&body.workflow.into_document().into())
            .ok_or_else(|| invalid("workflow", "must be an object"))?,
        project,
        node: body.node.into(),
        expression: body.expression.into(),
        item: body.item.map_or(0, wire::Count::as_usize),
        run: body.run_index.map_or(0, wire::Count::as_usize),
        execution,
    };
    let runtime = app.runtime.clone();
    let work = async move {
        // As long as the records are there, whether or not somebody waits.
        let _room = room;
        runtime.preview(asked).await.map(truncate_value)
    };
    match permit.run(work).await? {
        Ok(shown) => Ok(typed(StatusCode::OK, &shown)),
        Err(error) if matches!(error.code(), Code::REQUEST_INVALID | Code::OVERLOAD) => {
            Err(error.into())
        }
        Err(error) => Ok(typed(StatusCode::OK, &failed(&error))),
    }
}

async fn can_resume(app: &App, who: &Principal, execution: &Execution) -> bool {
    who.require("workflow:execute").is_ok()
        && who.workflow(app, &execution.started.workflow_id, AccessLevel::Edit).await.is_ok()
}

fn truncate_value(value: Value) -> wire::ExpressionValue {
    let kind = if value.is_undefined() { FieldType::Undefined } else { kind_of(&value) };
    let TextPrefix { text, is_cut } = match &value {
        Value::Undefined => TextPrefix { text: String::new(), is_cut: false },
        Value::Object(_) | Value::Array(_) => to_pretty_prefix(&value, MAX_VALUE_BYTES),
        other => {
            let text = other.to_js_string();
            TextPrefix {
                text: text[..text.floor_char_boundary(MAX_VALUE_BYTES)].to_owned(),
                is_cut: text.len() > MAX_VALUE_BYTES,
            }
        }
    };
    let value = if value.is_undefined() { Value::Null } else { value };
    wire::ExpressionValue {
        value: (!is_cut).then_some(Json(value)),
        text: Some(text),
        kind: Some(kind),
        truncated: is_cut,
        error: None,
    }
}

fn failed(error: &NodeError) -> wire::ExpressionValue {
    wire::ExpressionValue { error: Some(run_error(error)), ..wire::ExpressionValue::default() }
}

/// An error that is shown beside what it is about.
pub(super) fn run_error(error: &NodeError) -> wire::RunError {
    let told = error.to_run_error("");
    let mut fields = Object::from_iter([
        ("code", Value::from(told.code.name())),
        ("message", told.message.into()),
    ]);
    for (key, text) in [("description", told.description), ("hint", told.hint)] {
        if let Some(text) = text {
            fields.insert(key, text);
        }
    }
    wire::RunError(fields.into())
}
