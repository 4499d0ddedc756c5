//! Servers of the Model Context Protocol: one of the instance at `/mcp`, and one for each workflow
//! with an MCP trigger at `/mcp/PATH`.
//!
//! Invariant: a management tool is an operation of the API with other words: it is called through
//! the same table, with the same checks. Invariant: a list names only what its caller may call.

mod api_tools;
mod arguments;
mod explain;
mod handler;
mod instance;
mod node_tools;
mod progress;
mod results;
mod run_tools;
mod sessions;
mod transport;
mod trigger;
mod trigger_input;
mod workflow_tools;

pub(crate) use transport::McpServer;

use crate::App;
use crate::access;
use crate::error::ApiError;
use crate::observe::RequestOrigin;
use crate::routes::HttpRoute;
use crate::webhook::call_without_body;
use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use model::Code;
use node_api::trigger::MCP_METHOD;
use runtime::{EndpointKind, RouteMatch, TriggerEndpoint};
use std::sync::Arc;
use transport::McpCaller;

/// Streamable HTTP: messages, the stream of a session, and its end.
const METHODS: &[&str] = &["GET", "POST", "DELETE"];

/// The server of the instance, for whoever shows a key.
pub(crate) const ROUTES: &[HttpRoute] = &[HttpRoute::new(METHODS, "/mcp", || any(instance))];

/// Those of workflows. Whom they answer is decided where their addresses are looked up.
pub(crate) const PUBLIC: &[HttpRoute] = &[
    HttpRoute::new(&["ANY"], "/mcp/{*path}", || any(live)),
    HttpRoute::new(&["ANY"], "/mcp-test/{*path}", || any(test)),
];

/// What n8n's clients of older versions add to the path of a server.
const SSE_SUFFIX: &str = "/sse";

/// `/mcp`: the workflows that are available as tools, and the management of workflows.
async fn instance(
    State(app): State<App>,
    Extension(mcp): Extension<McpServer>,
    request: Request,
) -> Response {
    match access::authenticate(&app, request.method(), request.headers()).await {
        Ok(who) => no_store(mcp.serve(&app, McpCaller::Instance(who), request).await),
        Err(error) => {
            let mut response = error.into_response();
            if response.status() == StatusCode::UNAUTHORIZED {
                let challenge = HeaderValue::from_static("Bearer realm=\"heddle\"");
                response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            }
            response
        }
    }
}

/// `/mcp/PATH`: the tools of an active workflow.
async fn live(
    State(app): State<App>,
    Extension(mcp): Extension<McpServer>,
    Path(path): Path<String>,
    request: Request,
) -> Response {
    let found = find(&path, |path| app.runtime.find(EndpointKind::Mcp, MCP_METHOD, path));
    let hint = "The workflow must be active for a production URL to run successfully.";
    answer(&app, &mcp, found.ok_or_else(|| not_found(&path, hint)), request).await
}

/// `/mcp-test/PATH`: those of a workflow that listens for one test call.
async fn test(
    State(app): State<App>,
    Extension(mcp): Extension<McpServer>,
    Path(path): Path<String>,
    request: Request,
) -> Response {
    let found = find(&path, |path| app.runtime.find_test(EndpointKind::Mcp, MCP_METHOD, path));
    let hint = "Click 'Listen for test event' in the editor, then call a tool within two minutes.";
    answer(&app, &mcp, found.ok_or_else(|| not_found(&path, hint)), request).await
}

/// What listens at a path, or at the path without the end that older clients add.
fn find(path: &str, at: impl Fn(&str) -> RouteMatch) -> Option<Arc<TriggerEndpoint>> {
    [Some(path), path.strip_suffix(SSE_SUFFIX)].into_iter().flatten().find_map(|path| {
        match at(path) {
            RouteMatch::Hook(endpoint, _) => Some(endpoint),
            RouteMatch::OtherMethods(_) | RouteMatch::Nothing => None,
        }
    })
}

async fn answer(
    app: &App,
    mcp: &McpServer,
    found: Result<Arc<TriggerEndpoint>, ApiError>,
    request: Request,
) -> Response {
    let endpoint = match found {
        Ok(endpoint) => endpoint,
        Err(error) => return error.into_response(),
    };
    if let Some(refusal) = app.runtime.refusal(&endpoint, &call_without_body(&request)) {
        return crate::response::from_workflow(refusal, "/mcp");
    }
    let origin = request.extensions().get::<RequestOrigin>();
    let client = origin.map(|origin| origin.client.address);
    no_store(mcp.serve(app, McpCaller::Trigger { endpoint, client }, request).await)
}

/// What one caller may see, no cache on the way keeps for another.
fn no_store(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

fn not_found(path: &str, hint: &str) -> ApiError {
    let path: String = path.chars().take(200).collect();
    ApiError::new(Code::WEBHOOK_NOT_FOUND, format!("There is no MCP server at \"{path}\""))
        .hint(hint)
}
