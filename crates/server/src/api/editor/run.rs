//! `POST /api/v1/workflows/ID/run`: runs a workflow as it is drawn, whole or in part.

use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::api::{ApiOperation, RequestJson, test_webhook};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use model::Item;
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

async fn run(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let stored = who.workflow(&app, &id, AccessLevel::Edit).await?;
    let body: wire::RunInput = body.read_or_default()?;
    let reuse = match &body.reuse {
        Some(execution) => Some(who.execution(&app, execution, AccessLevel::View).await?.id),
        None => None,
    };
    let wanted = ManualRun {
        document: body.workflow.map(|workflow| workflow.into_document().into()),
        trigger: body.trigger.map(Into::into),
        items: body
            .items
            .map(|items| items.0.iter().map(|item| Item::from_value(&item.0)).collect()),
        from: body.start.map(Into::into),
        until: body.until.map(Into::into),
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

fn waiting_for<'a>(app: &App, waiting: &'a TestAddresses) -> Option<wire::WaitingFor<'a>> {
    let first = waiting.addresses.first()?;
    Some(wire::WaitingFor {
        address: test_webhook::wire_address(app, first),
        path: &first.path,
        expires_at: wire::Timestamp(waiting.until_ms),
    })
}
