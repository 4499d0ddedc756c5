//! `POST /api/v1/workflows/ID/run`: runs a workflow as it is drawn, whole or in part.

use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::api::{ApiOperation, BodyFields, RequestJson, invalid, test_webhook, workflows};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use model::{Item, Items, Str, Value};
use runtime::{ManualRun, ManualStart, TestAddresses};

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "POST",
    "/workflows/{id}/run",
    "workflow:execute",
    "runWorkflow",
    "Run an unsaved workflow manually, fully or partially",
    || post(run),
)
.optional_body::<wire::RunInput>()
.response::<wire::RunBegun>(200)];

/// The longest name of a node that is looked up.
const MAX_NAME: usize = 1000;

async fn run(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(text): RequestJson,
) -> Result<Response, ApiError> {
    let stored = who.workflow(&app, &id, AccessLevel::Edit).await?;
    let body = BodyFields::read_or_empty(
        &text,
        &["workflow", "trigger", "until", "start", "items", "reuse"],
    )?;
    let name = |field: &'static str| {
        Ok::<_, ApiError>(body.optional_text(field, 1, MAX_NAME)?.map(Str::from))
    };
    let reuse = match body.optional_text("reuse", 1, 100)? {
        Some(execution) => Some(who.execution(&app, execution, AccessLevel::View).await?.id),
        None => None,
    };
    let wanted = ManualRun {
        document: body.get("workflow").map(workflows::draft_document).transpose()?.map(Into::into),
        trigger: name("trigger")?,
        items: body.get("items").map(items).transpose()?,
        from: name("start")?,
        until: name("until")?,
        reuse,
    };
    let begun = app.runtime.run_manually(&stored, wanted).await?;
    let answer = match &begun {
        ManualStart::Run(taken) => {
            wire::RunBegun { execution_id: Some(wire::ExecutionId(taken.id)), waiting_for: None }
        }
        ManualStart::Waits(waiting) => {
            wire::RunBegun { execution_id: None, waiting_for: waiting_for(&app, waiting) }
        }
    };
    Ok(typed(StatusCode::OK, &answer))
}

/// What the trigger gives, in n8n's form of items.
fn items(value: &Value) -> Result<Items, ApiError> {
    let list = value
        .as_array()
        .filter(|list| !list.is_empty())
        .ok_or_else(|| invalid("items", "must be a list with at least one item"))?;
    match list.iter().all(Value::is_object) {
        true => Ok(list.iter().map(Item::from_value).collect()),
        false => Err(invalid("items", "contains a value that is not an object")),
    }
}

fn waiting_for<'a>(app: &App, waiting: &'a TestAddresses) -> Option<wire::WaitingFor<'a>> {
    let first = waiting.addresses.first()?;
    Some(wire::WaitingFor {
        address: test_webhook::wire_address(app, first),
        path: &first.path,
        expires_at: wire::Timestamp(waiting.until_ms),
    })
}
