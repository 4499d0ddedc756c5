//! `/api/v1/tools`: registered tools and the manifests of projects.

use super::{ApiOperation, RequestJson, RequestQuery};
use crate::App;
use crate::access::{AccessLevel, Principal, not_found};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post, put};
use engine::RunOptions;
use model::{Code, Object, Str};
use node_api::NodeError;
use node_api::tools::RegisteredTool;
use runtime::tools::{ProjectTools, ToolManifestError, call};
use std::sync::Arc;

#[rustfmt::skip]
pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/tools", "tool:list", "listTools", "List the registered tools of a project", || get(list))
        .query::<wire::ToolQuery>().response::<wire::RegisteredToolList<'_>>(200),
    ApiOperation::new("GET", "/tools/{name}", "tool:list", "getTool", "Show a registered tool", || get(show))
        .query::<wire::ToolQuery>().response::<wire::RegisteredTool<'_>>(200),
    ApiOperation::new("POST", "/tools/{name}/call", "tool:call", "callTool", "Call a registered tool", || post(try_tool))
        .request_body::<wire::ToolCallInput>().response::<wire::ToolCallResult>(200),
    ApiOperation::new("POST", "/tools/check", "tool:list", "checkToolManifest", "Check a tool manifest", || post(check))
        .request_body::<wire::ToolManifestCheckInput>().response::<wire::ToolManifestCheck>(200),
    ApiOperation::new("PUT", "/tools/manifests/{name}", "tool:register", "setToolManifest", "Register or replace a tool manifest", || put(register))
        .request_body::<wire::ToolManifestInput>().response::<wire::ToolManifest<'_>>(200),
    ApiOperation::new("DELETE", "/tools/manifests/{name}", "tool:register", "deleteToolManifest", "Remove a tool manifest", || delete(unregister))
        .query::<wire::ToolQuery>().empty_response(204),
];

impl From<ToolManifestError> for ApiError {
    fn from(error: ToolManifestError) -> Self {
        let told = Self::new(error.code(), error.to_string());
        match error {
            ToolManifestError::Changed => {
                told.hint("Load the manifest again and repeat your change.")
            }
            ToolManifestError::Taken { .. } => told.hint("Use another name or namespace."),
            _ => told,
        }
    }
}

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::ToolQuery>,
) -> Result<Response, ApiError> {
    let project = who.project(&app, &query.project_id, AccessLevel::View).await?;
    let tools = app.runtime.tools.tools_of_project(&project.id, None);
    let loaded = app.runtime.tools.current();
    let manifests = loaded.manifests.iter().filter(|manifest| match &manifest.project {
        // What is wrong with the operator's files is for whoever may see its tools.
        None => true,
        Some(own) => *own == project.id,
    });
    let answer = wire::RegisteredToolList {
        data: tools.iter().map(|tool| wire::RegisteredTool::from(&**tool)).collect(),
        manifests: manifests.map(Into::into).collect(),
    };
    Ok(typed(StatusCode::OK, &answer))
}

async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(name): Path<String>,
    RequestQuery(query): RequestQuery<wire::ToolQuery>,
) -> Result<Response, ApiError> {
    let project = who.project(&app, &query.project_id, AccessLevel::View).await?;
    let tools = app.runtime.tools.tools_of_project(&project.id, None);
    let tool = tools.iter().find(|tool| tool.name == name).ok_or_else(|| unknown(&name))?;
    Ok(typed(StatusCode::OK, &wire::RegisteredTool::from(&**tool)))
}

fn unknown(name: &str) -> ApiError {
    ApiError { code: Code::TOOL_NOT_FOUND, ..not_found("tool", name) }
}

/// Calls a tool with the rights of a workflow that the caller may change, or of none.
async fn try_tool(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(name): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let body: wire::ToolCallInput = body.read()?;
    let project = who.project(&app, body.project_id.as_str(), AccessLevel::Edit).await?;
    let acting_workflow = match &body.workflow_id.0 {
        None => Str::new(),
        Some(id) => {
            let workflow = who.workflow(&app, id.as_str(), AccessLevel::Edit).await?;
            if workflow.project_id != project.id {
                return Err(not_found("workflow", id.as_str()));
            }
            id.as_str().into()
        }
    };
    let tools = app.runtime.tools.tools_of_project(&project.id, Some(&acting_workflow));
    let may_call =
        |tool: &Arc<RegisteredTool>| tool.name == name && tool.allow.roles.allow(who.role.name());
    if !tools.iter().any(may_call) {
        return Err(unknown(&name));
    }
    let mut engine = app.runtime.engine.clone();
    let registry = app.runtime.tools.clone();
    engine.ports.tools = Arc::new(ProjectTools { registry, tools });
    let arguments: Object = body.arguments.into_object();
    let options = RunOptions { acting_workflow, ..RunOptions::default() };
    let answer = call(engine, app.tool_supplier, &name, arguments, options).await;
    Ok(typed(StatusCode::OK, &result(answer)))
}

fn result(answer: Result<model::Value, NodeError>) -> wire::ToolCallResult {
    match answer {
        Ok(output) => {
            wire::ToolCallResult { ok: true, output: Some(wire::Json(output)), error: None }
        }
        Err(error) => wire::ToolCallResult {
            ok: false,
            output: None,
            error: Some(wire::ToolCallError {
                code: error.code().name(),
                message: error.message().to_string(),
            }),
        },
    }
}

async fn check(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let body: wire::ToolManifestCheckInput = body.read()?;
    let project = who.project(&app, body.project_id.as_str(), AccessLevel::View).await?;
    let manifest = app.runtime.tools.check(&project.id, "check", &body.text);
    let answer = wire::ToolManifestCheck {
        tools: manifest.tools.iter().map(|tool| tool.name.to_string()).collect(),
        findings: manifest.findings.iter().map(Into::into).collect(),
    };
    Ok(typed(StatusCode::OK, &answer))
}

async fn register(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(name): Path<String>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let body: wire::ToolManifestInput = body.read()?;
    let project = who.project(&app, body.project_id.as_str(), AccessLevel::Edit).await?;
    let seen = i64::try_from(body.version.get()).unwrap_or(i64::MAX);
    let manifests = &app.runtime.tools;
    manifests.register(&project.id, &name, &body.text, seen, &who.user_id).await?;
    let loaded = manifests.current();
    let registered = loaded
        .manifests
        .iter()
        .find(|manifest| manifest.name == name && manifest.project.as_ref() == Some(&project.id));
    let registered = registered.ok_or_else(|| not_found("manifest", &name))?;
    Ok(typed(StatusCode::OK, &wire::ToolManifest::from(registered)))
}

async fn unregister(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(name): Path<String>,
    RequestQuery(query): RequestQuery<wire::ToolQuery>,
) -> Result<Response, ApiError> {
    let project = who.project(&app, &query.project_id, AccessLevel::Edit).await?;
    app.runtime.tools.unregister(&project.id, &name).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
