//! `POST /api/v1/workflows/tools`: the tools that are connected to an agent, as its model is
//! offered them.

use super::expression::run_error;
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::api::{ApiOperation, RequestJson, invalid};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire::{self, Json};
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use engine::ConnectedTools;
use model::{Str, Workflow};

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "POST",
    "/workflows/tools",
    "workflow:read",
    "listConnectedTools",
    "List the tools connected to an agent",
    || post(list),
)
.request_body::<wire::ConnectedToolsInput>()
.response::<wire::ConnectedToolList>(200)];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let permit = app.previews().admit(&who.user_id, body.length).await?;
    let body: wire::ConnectedToolsInput = body.read()?;
    let project = match body.workflow_id.map(Str::from) {
        Some(id) => Some(who.workflow(&app, &id, AccessLevel::View).await?.project_id),
        None => None,
    };
    let workflow = Workflow::from_value(&body.workflow.into_document().into())
        .ok_or_else(|| invalid("workflow", "must be an object"))?;
    let runtime = app.runtime.clone();
    let node = Str::from(body.node);
    let asked = async move { runtime.connected_tools(workflow, project.as_ref(), &node).await };
    let found = permit.run(asked).await??;
    let data = found.into_iter().map(to_wire).collect();
    Ok(typed(StatusCode::OK, &wire::ConnectedToolList { data }))
}

fn to_wire(connected: ConnectedTools) -> wire::ConnectedToolNode {
    let (tools, error) = match connected.tools {
        Ok(tools) => (tools, None),
        Err(error) => (Vec::new(), Some(run_error(&error))),
    };
    let tools = tools.into_iter().map(|tool| wire::ConnectedTool {
        name: tool.name.into(),
        description: tool.description.into(),
        parameters: Json(tool.parameters),
    });
    wire::ConnectedToolNode { node: connected.node.into(), tools: tools.collect(), error }
}
