//! `POST /api/v1/workflows/expression`: what an expression gives, shown while it is asked.

use super::journal_view::JournalView;
use super::schema::kind_of;
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::api::{ApiOperation, BodyFields, RequestJson, invalid, workflows};
use crate::error::ApiError;
use crate::response::json;
use crate::wire;
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

/// Longer expressions are refused.
const MAX_EXPRESSION: usize = 64 << 10;
/// A larger value is shown by the beginning of its text.
const MAX_VALUE_BYTES: usize = 64 << 10;

async fn evaluate(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(text): RequestJson,
) -> Result<Response, ApiError> {
    let permit = app.previews().admit(&who.user_id, text.length).await?;
    let body = BodyFields::read(
        &text,
        &["workflow", "workflowId", "node", "expression", "executionId", "item", "runIndex"],
    )?;
    let document = workflows::draft_document(
        body.get("workflow").ok_or_else(|| invalid("workflow", "is missing"))?,
    )?;
    let (node, expression) =
        (body.text("node", 1, 1000)?, body.text("expression", 0, MAX_EXPRESSION)?);
    let count = |field: &str| match body.get(field) {
        None => Ok(0),
        Some(value) => {
            value.as_usize().ok_or_else(|| invalid(field, "must be a whole number of at least 0"))
        }
    };
    let (item, run) = (count("item")?, count("runIndex")?);
    let story = match body.optional_text("executionId", 1, 100)? {
        Some(id) => Some(JournalView::read(&app, &who, id).await?),
        None => None,
    };
    let named = body.optional_text("workflowId", 1, 100)?.map(Str::from);
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
        workflow: Workflow::from_value(&document.into())
            .ok_or_else(|| invalid("workflow", "must be an object"))?,
        project,
        node: node.into(),
        expression: expression.into(),
        item,
        run,
        execution,
    };
    let runtime = app.runtime.clone();
    let work = async move {
        // As long as the records are there, whether or not somebody waits.
        let _room = room;
        runtime.preview(asked).await.map(truncate_value)
    };
    match permit.run(work).await? {
        Ok(shown) => Ok(json(StatusCode::OK, &shown)),
        Err(error) if matches!(error.code(), Code::REQUEST_INVALID | Code::OVERLOAD) => {
            Err(error.into())
        }
        Err(error) => Ok(json(StatusCode::OK, &error_json(&error))),
    }
}

async fn can_resume(app: &App, who: &Principal, execution: &Execution) -> bool {
    who.require("workflow:execute").is_ok()
        && who.workflow(app, &execution.started.workflow_id, AccessLevel::Edit).await.is_ok()
}

fn truncate_value(value: Value) -> Value {
    let kind = if value.is_undefined() { "undefined" } else { kind_of(&value) };
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
    let mut fields = Object::from_iter([("type", Value::from(kind)), ("text", text.into())]);
    if is_cut {
        fields.insert("truncated", true);
    } else {
        fields.insert("value", if value.is_undefined() { Value::Null } else { value });
    }
    fields.into()
}

fn error_json(error: &NodeError) -> Value {
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
    Object::from_iter([("error", fields)]).into()
}
