//! `/api/v1/spending`: what models have cost, by day, workflow and model.

use super::{ApiOperation, QueryParams, invalid, operation::QueryParam};
use crate::App;
use crate::access::Principal;
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use model::Str;
use store::spending::SpendingFilter;

pub(super) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "GET",
    "/spending",
    "spending:list",
    "getSpending",
    "Show model costs",
    || get(list),
)
.query(&[
    QueryParam("from", "string"),
    QueryParam("to", "string"),
    QueryParam("workflowId", "string"),
])
.response::<wire::Spending>(200)];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    query: QueryParams,
) -> Result<Response, ApiError> {
    let filter = SpendingFilter {
        from: day(&query, "from")?,
        to: day(&query, "to")?,
        workflow_id: query.get("workflowId").map(|id| id.as_str().into()),
        within: who.access.project_filter(),
    };
    let rows = app.store.spending(filter).await?;
    let dollars = wire::Number(rows.iter().map(|row| row.dollars).sum());
    let data = rows.iter().map(Into::into).collect();
    Ok(typed(StatusCode::OK, &wire::Spending { data, dollars }))
}

fn day(query: &QueryParams, name: &'static str) -> Result<Option<Str>, ApiError> {
    let Some(text) = query.get(name) else { return Ok(None) };
    let is_day = text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok();
    if is_day {
        Ok(Some(text.as_str().into()))
    } else {
        Err(invalid(name, "is not a day such as 2026-01-31"))
    }
}
