//! `/api/v1/approvals` and `/api/v1/executions/ID/approve`: calls that agents ask people about, and
//! what those decide.

use super::executions::row;
use super::operation::{CURSOR, LIMIT, QueryParam};
use super::{
    ApiOperation, BodyFields, QueryParams, RequestJson, invalid, iso, limit, number_from_cursor,
    page, split_page, workflow_names,
};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::json;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use model::{Object, Str, Value};
use node_api::checkpoints::ApprovalVerdict;
use runtime::ApprovalDecision;
use store::approvals::{ApprovalFilter, NewApproval, OpenApproval};

/// What a person may say about a call, in bytes.
const MAX_REASON_BYTES: usize = 2000;

pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/approvals",
        "execution:list",
        "getApprovals",
        "List agent calls waiting for approval, newest first",
        || get(list),
    )
    .query(&[
        LIMIT,
        CURSOR,
        QueryParam("workflowId", "string"),
        QueryParam("executionId", "string"),
    ])
    .response(200, "approvalList"),
    ApiOperation::new(
        "POST",
        "/executions/{id}/approve",
        "execution:retry",
        "approveExecution",
        "Approve or reject an agent call",
        || post(decide),
    )
    .request_body("approvalInput")
    .response(200, "execution"),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    query: QueryParams,
) -> Result<Response, ApiError> {
    let limit = limit(&query)?;
    let number =
        |text: &String| text.parse().map_err(|_| invalid("executionId", "is not an execution ID"));
    let before = number_from_cursor(&query)?;
    let execution = query.get("executionId").map(number).transpose()?;
    let filter = ApprovalFilter {
        execution,
        workflow_id: query.get("workflowId").map(|id| id.as_str().into()),
        within: who.access.project_filter(),
        now_ms: app.runtime.engine.ports.clock.now_ms(),
        before,
        limit: limit + 1,
    };
    let mut found = app.store.approvals(filter).await?;
    let next = split_page(&mut found, limit, |last| last.id.to_string());
    let names = workflow_names(&app, found.iter().map(|approval| &approval.workflow_id)).await?;
    let rows =
        found.iter().map(|approval| to_value(approval, names.get(&approval.workflow_id))).collect();
    Ok(json(StatusCode::OK, &page(rows, next)))
}

fn to_value(approval: &OpenApproval, workflow_name: Option<&Str>) -> Value {
    let NewApproval { call, node, tool, arguments, digest, asked_ms, until_ms } = &approval.asked;
    Object::from_iter([
        ("executionId", Value::from(approval.execution.to_string())),
        ("workflowId", approval.workflow_id.clone().into()),
        ("workflowName", workflow_name.cloned().map_or(Value::Null, Value::from)),
        ("node", node.clone().into()),
        ("call", call.clone().into()),
        ("tool", tool.clone().into()),
        ("arguments", model::json::parse(arguments).unwrap_or(Value::Null)),
        ("digest", digest.clone().into()),
        ("askedAt", iso(*asked_ms)),
        ("untilAt", iso(*until_ms)),
    ])
    .into()
}

/// Whoever decides has seen the call, which its digest shows, and is on record with the decision.
async fn decide(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let execution = who.execution(&app, &id, AccessLevel::Edit).await?;
    let body = BodyFields::read(&body, &["call", "digest", "decision", "reason"])?;
    let call = body.text("call", 1, 1000)?;
    let digest = body.text("digest", 1, 200)?.into();
    let verdict = match body.text("decision", 1, 100)? {
        "approve" => ApprovalVerdict::Approved,
        "reject" => ApprovalVerdict::Rejected,
        _ => return Err(invalid("decision", "must be 'approve' or 'reject'")),
    };
    let reason = match body.get("reason") {
        None | Some(Value::Null) => None,
        Some(_) => body
            .optional_text("reason", 0, MAX_REASON_BYTES)?
            .map(str::trim)
            .filter(|reason| !reason.is_empty())
            .map(Str::from),
    };
    let ruling = ApprovalDecision { verdict, digest, reason, by: who.user.clone() };
    app.runtime.decide_approval(execution.id, call, ruling).await?;
    Ok(json(StatusCode::OK, &row(&who.execution(&app, &id, AccessLevel::View).await?)))
}
