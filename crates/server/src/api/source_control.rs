//! `/api/v1/source-control/pull`: known to n8n's clients; no repository is connected here.

use super::{Operation, Text};
use crate::error::ApiError;
use axum::response::Response;
use axum::routing::post;
use model::Code;

pub(super) const OPERATIONS: &[Operation] = &[Operation::new(
    "POST",
    "/source-control/pull",
    "sourceControl:pull",
    "pull",
    "Bring in what a repository has",
    || post(pull),
)
.takes("schema")];

async fn pull(Text(body): Text) -> Result<Response, ApiError> {
    body.json()?;
    Err(ApiError::new(Code::SOURCE_CONTROL_NONE, "No repository is connected to this instance")
        .hint("Bring workflows in from files with `heddle import`."))
}
