//! Listening for a test call of a workflow's webhook or form.

use super::{Body, Operation, Text, iso};
use crate::App;
use crate::access::{Need, Principal};
use crate::answer::json;
use crate::error::ApiError;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, post};
use model::{Code, Object, Str, Value};
use runtime::{Door, TestAddress};

const PATH: &str = "/workflows/{id}/test-webhook";

pub(super) const OPERATIONS: &[Operation] = &[
    Operation::new(
        "POST",
        PATH,
        "workflow:execute",
        "listenForTestWebhook",
        "Listen for one call of a test address, for two minutes",
        || post(listen),
    )
    .takes("testWebhookInput")
    .gives(200, "testWebhook"),
    Operation::new(
        "DELETE",
        PATH,
        "workflow:execute",
        "stopTestWebhook",
        "Stop listening for a test call",
        || delete(stop),
    )
    .gives_nothing(204),
];

async fn listen(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    Text(text): Text,
) -> Result<Response, ApiError> {
    who.workflow(&app, &id, Need::Change).await?;
    let body = Body::read_or_empty(&text, &["node", "destinationNode"])?;
    let node = body.optional_text("node", 1, 1000)?;
    let destination = body.optional_text("destinationNode", 1, 1000)?.map(Str::from);
    let listening = app.runtime.listen_for_test(&id, node, destination).await?;
    let addresses = listening.addresses.iter().map(|address| shown(&app, address));
    let answer = Object::from_iter([
        ("waitingForWebhook", Value::from(true)),
        ("expiresAt", iso(listening.until_ms)),
        ("addresses", Value::array(addresses.collect())),
    ]);
    Ok(json(StatusCode::OK, &answer.into()))
}

async fn stop(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    who.workflow(&app, &id, Need::Change).await?;
    match app.runtime.end_test(&id) {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => {
            Err(ApiError::new(Code::NOT_FOUND, "This workflow does not listen for a test call"))
        }
    }
}

pub(super) fn shown(app: &App, address: &TestAddress) -> Value {
    let (kind, folder) = match address.door {
        Door::Webhook => ("webhook", "webhook-test"),
        Door::Form => ("form", "form-test"),
    };
    Object::from_iter([
        ("node", Value::from(address.node.clone())),
        ("kind", kind.into()),
        ("method", address.method.clone().into()),
        ("url", format!("{}/{folder}/{}", app.webhook_base(), address.path).into()),
    ])
    .into()
}
