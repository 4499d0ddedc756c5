//! `/api/v1/approvals` and `/api/v1/executions/ID/approve`: calls that agents ask people about, and
//! what those decide.

use super::{ApiOperation, RequestJson, RequestQuery, split_page, workflow_names};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use model::{Str, Value};
use runtime::ApprovalDecision;
use store::approvals::{ApprovalFilter, NewApproval, OpenApproval};

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/approvals",
        "execution:list",
        "getApprovals",
        "List agent calls waiting for approval, newest first",
        || get(list),
    )
    .query::<wire::ApprovalQuery>()
    .response::<wire::ApprovalList>(200),
    ApiOperation::new(
        "POST",
        "/executions/{id}/approve",
        "execution:retry",
        "approveExecution",
        "Approve or reject an agent call",
        || post(decide),
    )
    .request_body::<wire::ApprovalInput>()
    .response::<wire::Execution>(200),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::ApprovalQuery>,
) -> Result<Response, ApiError> {
    let limit = query.limit.get();
    let filter = ApprovalFilter {
        execution: query.execution_id.map(|id| id.0),
        workflow_id: query.workflow_id.map(Into::into),
        within: who.access.project_filter(),
        now_ms: app.runtime.engine.ports.clock.now_ms(),
        before: query.cursor.0,
        limit: limit + 1,
    };
    let mut found = app.store.approvals(filter).await?;
    let next = split_page(&mut found, limit, |last| last.id.to_string());
    let names = workflow_names(&app, found.iter().map(|approval| &approval.workflow_id)).await?;
    let rows = found
        .iter()
        .map(|approval| to_wire(approval, names.get(&approval.workflow_id).map(Str::as_str)));
    Ok(typed(StatusCode::OK, &wire::Page { data: rows.collect(), next_cursor: next }))
}

fn to_wire<'a>(approval: &'a OpenApproval, workflow_name: Option<&'a str>) -> wire::Approval<'a> {
    let NewApproval { call, node, tool, arguments, digest, asked_ms, until_ms } = &approval.asked;
    wire::Approval {
        execution_id: wire::ExecutionId(approval.execution),
        workflow_id: &approval.workflow_id,
        workflow_name,
        node,
        call,
        tool,
        arguments: wire::Json(model::json::parse(arguments).unwrap_or(Value::Null)),
        digest,
        asked_at: wire::Timestamp(*asked_ms),
        until_at: wire::Timestamp(*until_ms),
    }
}

async fn decide(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let execution = who.execution(&app, &id, AccessLevel::Edit).await?;
    let wire::ApprovalInput { call, digest, decision, reason } = body.read()?;
    let reason = reason.0.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    let ruling = ApprovalDecision {
        verdict: decision.into(),
        digest: digest.into(),
        reason: reason.map(Str::from),
        by: who.user.clone(),
    };
    app.runtime.decide_approval(execution.id, &call, ruling).await?;
    Ok(typed(
        StatusCode::OK,
        &wire::Execution::from(&who.execution(&app, &id, AccessLevel::View).await?),
    ))
}
