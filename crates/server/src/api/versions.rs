//! The versions of a workflow.

use super::{ApiOperation, RequestQuery, not_found};
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
    .query::<wire::HistoryQuery>()
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
    RequestQuery(query): RequestQuery<wire::HistoryQuery>,
) -> Result<Response, ApiError> {
    let take = query.take.map_or(wire::DEFAULT_VERSIONS, wire::BoundedInt::as_usize);
    let skip = query.skip.map_or(0, wire::Count::as_usize);
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
