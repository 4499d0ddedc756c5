//! `/api/v1/source-control/pull`: known to n8n's clients; no repository is connected here.

use super::{ApiOperation, RequestJson};
use crate::error::ApiError;
use crate::wire;
use axum::response::Response;
use axum::routing::post;
use model::Code;

pub(super) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "POST",
    "/source-control/pull",
    "sourceControl:pull",
    "pull",
    "Pull changes from the repository",
    || post(pull),
)
.request_body::<wire::JsonObject>()];

async fn pull(RequestJson(body): RequestJson) -> Result<Response, ApiError> {
    body.json()?;
    Err(ApiError::new(Code::SOURCE_CONTROL_NONE, "No repository is connected to this instance")
        .hint("Import workflows from files with `heddle import`."))
}
