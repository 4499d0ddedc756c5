//! `/api/v1/policy`: the operator's rules about the tools that agents call.

use super::{ApiOperation, RequestJson, RequestQuery, invalid};
use crate::App;
use crate::access::Principal;
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{delete, get, post, put};
use runtime::policy::{MAX_DRY_RUN_CALLS, PolicyError};

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/policy", "policy:read", "getPolicy", "Show the policy", || {
        get(show)
    })
    .response::<wire::Policy>(200),
    ApiOperation::new("PUT", "/policy", "policy:update", "setPolicy", "Replace the policy", || {
        put(replace)
    })
    .request_body::<wire::PolicyInput>()
    .response::<wire::Policy>(200),
    ApiOperation::new(
        "POST",
        "/policy/dry-run",
        "policy:read",
        "dryRunPolicy",
        "Try a policy on the last tool calls",
        || post(dry_run),
    )
    .request_body::<wire::PolicyDryRunInput>()
    .response::<wire::PolicyDryRun>(200),
    ApiOperation::new(
        "POST",
        "/policy/stops",
        "policy:update",
        "stopTools",
        "Stop tools, servers or agents",
        || post(stop),
    )
    .request_body::<wire::PolicyStopInput>()
    .response::<wire::PolicyStopped>(201),
    ApiOperation::new(
        "DELETE",
        "/policy/stops",
        "policy:update",
        "removeStop",
        "Remove a stop",
        || delete(remove_stop),
    )
    .query::<wire::PolicyStopQuery>()
    .empty_response(204),
];

impl From<PolicyError> for ApiError {
    fn from(error: PolicyError) -> Self {
        let told = Self::new(error.code(), error.to_string());
        match error {
            PolicyError::Changed => told.hint("Load the policy again and repeat your change."),
            _ => told,
        }
    }
}

async fn show(State(app): State<App>) -> Response {
    current(&app)
}

fn current(app: &App) -> Response {
    typed(StatusCode::OK, &wire::Policy::from(&*app.runtime.policy.current()))
}

async fn replace(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let input: wire::PolicyInput = body.read()?;
    let seen = i64::try_from(input.version.get()).unwrap_or(i64::MAX);
    app.runtime.policy.replace(&input.text, seen, &who.user_id).await?;
    Ok(current(&app))
}

async fn dry_run(
    State(app): State<App>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let input: wire::PolicyDryRunInput = body.read()?;
    let calls = input.calls.map_or(MAX_DRY_RUN_CALLS, |calls| calls.as_usize());
    let text = input.text.0.as_ref().map(|text| text.as_str());
    let result = app.runtime.policy.dry_run(text, calls).await?;
    Ok(typed(StatusCode::OK, &wire::PolicyDryRun::from(&result)))
}

async fn stop(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let input: wire::PolicyStopInput = body.read()?;
    let reason = input.reason.0.as_ref().map_or("", |reason| reason.as_str());
    let target = input.target().ok_or_else(|| {
        invalid("tool", "name one of tool, server, nodeType and workflowId (with agent or not)")
    })?;
    let name = app.runtime.policy.stop(&target, reason, &who.user_id).await?;
    Ok(typed(StatusCode::CREATED, &wire::PolicyStopped { name: &name }))
}

async fn remove_stop(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::PolicyStopQuery>,
) -> Result<Response, ApiError> {
    app.runtime.policy.remove_stop(&query.name, &who.user_id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
