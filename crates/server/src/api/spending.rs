//! `/api/v1/spending`: what models have cost, by day, workflow and model.

use super::{ApiOperation, QueryParams, invalid, operation::QueryParam};
use crate::App;
use crate::access::Principal;
use crate::error::ApiError;
use crate::response::json;
use crate::wire;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use model::{Object, Str, Value};
use store::spending::{SpendingFilter, SpendingRow};

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
    let dollars: f64 = rows.iter().map(|row| row.dollars).sum();
    let answer = Object::from_iter([
        ("data", Value::array(rows.iter().map(to_value).collect())),
        ("dollars", dollars.into()),
    ]);
    Ok(json(StatusCode::OK, &answer.into()))
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

fn to_value(row: &SpendingRow) -> Value {
    Object::from_iter([
        ("day", Value::from(row.day.clone())),
        ("workflowId", row.workflow_id.clone().into()),
        ("provider", row.provider.clone().into()),
        ("model", row.model.clone().into()),
        ("calls", (row.calls as f64).into()),
        ("inputTokens", (row.input as f64).into()),
        ("cachedTokens", (row.cached as f64).into()),
        ("outputTokens", (row.output as f64).into()),
        ("dollars", row.dollars.into()),
    ])
    .into()
}
