//! `/api/v1/instance`: what this instance is, for whoever is signed in.

use crate::App;
use crate::api::{ApiOperation, iso};
use crate::response::json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use model::{Object, Value};

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "GET",
    "/instance",
    "",
    "getInstance",
    "Show instance information",
    || get(show),
)
.without_scope()
.response(200, "instance")];

async fn show(State(app): State<App>) -> Response {
    let limits = Object::from_iter([
        ("bodyBytes", Value::from(app.body_limits.bytes)),
        ("connections", app.admission_limits.connections.into()),
    ]);
    let counts = Object::from_iter([
        ("activeWorkflows", app.runtime.n_active()),
        ("runsInProgress", app.runtime.runner.in_progress()),
    ]);
    let answer = Object::from_iter([
        ("version", Value::from(env!("CARGO_PKG_VERSION"))),
        ("url", app.base_url.clone().into()),
        ("webhookUrl", app.webhook_url.clone().map_or(Value::Null, Value::from)),
        ("startedAt", iso(app.started_ms())),
        ("limits", limits.into()),
        ("counts", counts.into()),
    ]);
    json(StatusCode::OK, &answer.into())
}
