//! Listening for a test call of a workflow's webhook or form.

use super::{ApiOperation, RequestJson};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, post};
use model::Code;
use runtime::{EndpointKind, TestAddress};

const PATH: &str = "/workflows/{id}/test-webhook";

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "POST",
        PATH,
        "workflow:execute",
        "listenForTestWebhook",
        "Listen for one test webhook call, for two minutes",
        || post(listen),
    )
    .optional_body::<wire::TestWebhookInput>()
    .response::<wire::TestWebhook>(200),
    ApiOperation::new(
        "DELETE",
        PATH,
        "workflow:execute",
        "stopTestWebhook",
        "Stop listening for a test webhook call",
        || delete(stop),
    )
    .empty_response(204),
];

async fn listen(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    who.workflow(&app, &id, AccessLevel::Edit).await?;
    let wire::TestWebhookInput { node, destination_node } = body.read_or_default()?;
    let destination = destination_node.map(Into::into);
    let listening = app.runtime.listen_for_test(&id, node.as_deref(), destination).await?;
    let addresses = listening.addresses.iter().map(|address| wire_address(&app, address));
    let answer = wire::TestWebhook {
        waiting_for_webhook: true,
        expires_at: wire::Timestamp(listening.until_ms),
        addresses: addresses.collect(),
    };
    Ok(typed(StatusCode::OK, &answer))
}

async fn stop(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.workflow(&app, &id, AccessLevel::Edit).await?;
    match app.runtime.end_test(&id) {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => {
            Err(ApiError::new(Code::NOT_FOUND, "This workflow is not listening for a test call"))
        }
    }
}

pub(super) fn wire_address<'a>(
    app: &App,
    address: &'a TestAddress,
) -> wire::TestWebhookAddress<'a> {
    let (kind, folder) = match address.kind {
        EndpointKind::Webhook => (wire::ListenerKind::Webhook, "webhook-test"),
        EndpointKind::Form => (wire::ListenerKind::Form, "form-test"),
        EndpointKind::Mcp => (wire::ListenerKind::Mcp, "mcp-test"),
    };
    wire::TestWebhookAddress {
        node: &address.node,
        kind,
        method: &address.method,
        url: format!("{}/{folder}/{}", app.webhook_base(), address.path),
    }
}
