//! The versions of a workflow.

use super::operation::QueryParam;
use super::{ApiOperation, QueryParams, invalid, not_found};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use model::{Code, Value};
use store::workflows::WorkflowVersion;

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/workflows/{id}/history",
        "workflow:read",
        "getWorkflowHistory",
        "List the versions of a workflow",
        || get(history),
    )
    .query(&[QueryParam("take", "integer"), QueryParam("skip", "integer")])
    .response::<wire::Versions>(200),
    ApiOperation::new(
        "GET",
        "/workflows/{id}/versions/{versionId}",
        "workflow:read",
        "getWorkflowVersion",
        "Show a version of a workflow",
        || get(show),
    )
    .response::<wire::Version>(200),
    ApiOperation::new(
        "GET",
        "/workflows/{id}/{versionId}",
        "workflow:read",
        "getDeprecatedWorkflowVersion",
        "Show a version of a workflow (legacy address)",
        || get(show),
    )
    .response::<wire::Version>(200),
];

async fn history(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryParams,
) -> Result<Response, ApiError> {
    let number = |name: &str, default: usize, most: usize| match query.get(name) {
        None => Ok(default),
        Some(text) => text
            .parse()
            .ok()
            .filter(|number| *number <= most)
            .ok_or_else(|| invalid(name, &format!("must be between 0 and {most}"))),
    };
    let (take, skip) = (number("take", 10, 250)?, number("skip", 0, usize::MAX >> 1)?);
    let found = versions(&app, &who, &id).await?;
    let rows =
        found.iter().skip(skip).take(take).map(|version| wire::VersionRow::new(&id, version));
    Ok(typed(StatusCode::OK, &wire::Versions(rows.collect())))
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path((id, version_id)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let missing = || not_found("version", &version_id);
    // The id of a version of another workflow leads nowhere.
    let version = versions(&app, &who, &id)
        .await?
        .into_iter()
        .find(|version| version.id == version_id)
        .ok_or_else(missing)?;
    let text = app.store.version(&version_id).await?.ok_or_else(missing)?;
    let damaged =
        |_| ApiError::new(Code::STORE_CORRUPT, format!("The version '{version_id}' is damaged"));
    let document = model::json::parse(&text).map_err(damaged)?;
    let part = |key: &str| document.get(key).cloned().unwrap_or(Value::Null);
    let version = wire::Version {
        row: wire::VersionRow::new(&id, &version),
        nodes: wire::JsonNodes(part("nodes")),
        connections: wire::JsonObject(part("connections")),
    };
    Ok(typed(StatusCode::OK, &version))
}

async fn versions(app: &App, who: &Principal, id: &str) -> Result<Vec<WorkflowVersion>, ApiError> {
    Ok(app.store.versions(&who.workflow(app, id, AccessLevel::View).await?.id).await?)
}
