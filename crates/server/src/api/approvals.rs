//! `/api/v1/approvals` and `/api/v1/executions/ID/approve`: calls that agents ask people about, and
//! what those decide.

use super::operation::{CURSOR, LIMIT, QueryParam};
use super::{
    ApiOperation, BodyFields, QueryParams, RequestJson, invalid, limit, number_from_cursor,
    split_page, workflow_names,
};
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
    Ok(typed(
        StatusCode::OK,
        &wire::Execution::from(&who.execution(&app, &id, AccessLevel::View).await?),
    ))
}
