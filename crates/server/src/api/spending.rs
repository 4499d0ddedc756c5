//! `/api/v1/spending`: what models have cost, by day, workflow and model.

use super::{ApiOperation, RequestQuery};
use crate::App;
use crate::access::Principal;
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use store::spending::SpendingFilter;

pub(super) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "GET",
    "/spending",
    "spending:list",
    "getSpending",
    "Show model costs",
    || get(list),
)
.query::<wire::SpendingQuery>()
.response::<wire::Spending>(200)];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::SpendingQuery>,
) -> Result<Response, ApiError> {
    let filter = SpendingFilter {
        from: query.from.map(|day| day.0),
        to: query.to.map(|day| day.0),
        workflow_id: query.workflow_id.map(Into::into),
        within: who.access.project_filter(),
    };
    let rows = app.store.spending(filter).await?;
    let dollars = wire::Number(rows.iter().map(|row| row.dollars).sum());
    let data = rows.iter().map(Into::into).collect();
    Ok(typed(StatusCode::OK, &wire::Spending { data, dollars }))
}
