//! `/api/v1/mcp`: the MCP servers that workflows use, and the definitions of their tools.

use super::{ApiOperation, RequestJson, RequestQuery, invalid};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use model::Code;
use node_api::mcp::{McpEndpoint, McpError, McpScope, McpTarget, McpToolDecision, McpTransport};
use store::users::UserRole;

#[rustfmt::skip]
pub(super) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new("GET", "/mcp/servers", "mcp:list", "listMcpServers", "List MCP servers with their health", || get(list))
        .response::<wire::McpServerList<'_>>(200),
    ApiOperation::new("DELETE", "/mcp/servers", "mcp:approve", "forgetMcpServer", "Forget the recorded tools of an MCP server", || {
        delete(forget)
    }).query::<wire::McpServerQuery>().empty_response(204),
    ApiOperation::new("POST", "/mcp/servers/test", "mcp:test", "testMcpServer", "Connect to an MCP server and list its tools", || post(test))
        .request_body::<wire::McpConnectionInput>().response::<wire::McpConnectionTest<'_>>(200),
    ApiOperation::new("GET", "/mcp/tools", "mcp:list", "listMcpTools", "List the recorded tools of an MCP server", || get(tools))
        .query::<wire::McpServerQuery>().response::<wire::McpToolList<'_>>(200),
    ApiOperation::new("POST", "/mcp/tools/decision", "mcp:approve", "decideMcpTool", "Approve or reject the definition of an MCP tool", || {
        post(decide)
    }).request_body::<wire::McpToolDecision>().response::<wire::McpTool<'_>>(200),
];

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
) -> Result<Response, ApiError> {
    let for_admin = who.role >= UserRole::Admin;
    let configured = app.runtime.engine.ports.mcp.configured().await;
    let mut seen = app.store.mcp_servers().await?;
    seen.retain(|server| who.access.can_view(&server.project_id));
    let mut data: Vec<wire::McpServer<'_>> = Vec::new();
    for status in &configured {
        if !seen.iter().any(|server| server.server == status.name) {
            data.push(wire::McpServer::configured(status, for_admin));
        }
    }
    for server in &seen {
        let status = configured.iter().find(|status| status.name == server.server);
        let mut row = match status {
            Some(status) => wire::McpServer::configured(status, for_admin),
            None => wire::McpServer::seen(&server.server),
        };
        row.project_id = Some(&server.project_id);
        (row.tool_count, row.open_count) = (server.n_tools, server.n_open);
        data.push(row);
    }
    Ok(typed(StatusCode::OK, &wire::McpServerList { data }))
}

async fn tools(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::McpServerQuery>,
) -> Result<Response, ApiError> {
    let project = who.project(&app, &query.project_id, AccessLevel::View).await?;
    let found = app.store.mcp_tools(&project.id, &query.server).await?;
    let data = found.iter().map(Into::into).collect();
    Ok(typed(StatusCode::OK, &wire::McpToolList { data }))
}

async fn decide(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let body: wire::McpToolDecision = body.read()?;
    let project = who.project(&app, body.project_id.as_str(), AccessLevel::Edit).await?;
    let decision = McpToolDecision {
        project_id: project.id,
        server: body.server.into_string().into(),
        tool: body.tool.into_string().into(),
        digest: body.digest.into_string().into(),
        approves: body.decision == wire::McpVerdict::Approve,
        decided_by: who.user.clone(),
    };
    let decided = app.store.decide_mcp_tool(decision).await?.ok_or_else(|| {
        let message = "The server no longer lists this definition of the tool";
        ApiError::new(Code::MCP_TOOL_CHANGED, message)
            .hint("Load the tools again and compare the new definition.")
    })?;
    Ok(typed(StatusCode::OK, &wire::McpTool::from(&decided)))
}

/// Forgetting what is not known changes nothing.
async fn forget(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<wire::McpServerQuery>,
) -> Result<Response, ApiError> {
    let project = who.project(&app, &query.project_id, AccessLevel::Edit).await?;
    app.store.forget_mcp_server(&project.id, &query.server).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Connects as a workflow of the project would, within the egress policy. What the server lists is
/// recorded like on first use.
async fn test(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let body: wire::McpConnectionInput = body.read()?;
    let project = who.project(&app, body.project_id.as_str(), AccessLevel::Edit).await?;
    let ports = &app.runtime.engine.ports;
    let target = match (body.server, body.url) {
        (Some(name), None) => McpTarget::Named(name.into_string().into()),
        (None, Some(url)) => McpTarget::Remote(Box::new(McpEndpoint {
            transport: match body.transport {
                Some(wire::McpRemoteTransport::Sse) => McpTransport::Sse,
                _ => McpTransport::Http,
            },
            url: url.into_string(),
            headers: Vec::new(),
            bound: None,
            http: ports.http.clone(),
            timeout_ms: None,
        })),
        _ => return Err(invalid("server", "is needed, or else 'url'")),
    };
    let scope = McpScope::Project(project.id);
    let servers = ports.mcp.scoped_to(scope).unwrap_or_else(|| ports.mcp.clone());
    let connection = match servers.connect(target).await {
        Ok(connection) => connection,
        Err(error) => return Ok(typed(StatusCode::OK, &failed(&error))),
    };
    let tools = match connection.tools().await {
        Ok(tools) => tools,
        Err(error) => return Ok(typed(StatusCode::OK, &failed(&error))),
    };
    let info = connection.server();
    let tools = tools.iter().map(|tool| wire::McpTestedTool {
        name: &tool.name,
        description: &tool.description,
        state: tool.pin.name(),
    });
    let told = wire::McpConnectionTest {
        ok: true,
        error: None,
        name: &info.name,
        version: &info.version,
        protocol_version: &info.protocol_version,
        tools: tools.collect(),
    };
    Ok(typed(StatusCode::OK, &told))
}

fn failed(error: &McpError) -> wire::McpConnectionTest<'static> {
    wire::McpConnectionTest {
        ok: false,
        error: Some(wire::McpTestError {
            code: error.code().name(),
            message: error.to_string(),
            hint: error.hint(),
        }),
        name: "",
        version: "",
        protocol_version: "",
        tools: Vec::new(),
    }
}
