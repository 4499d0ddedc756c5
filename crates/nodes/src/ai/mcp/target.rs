//! Which server a node means.

use super::headers;
use node_api::mcp::{McpConnection, McpEndpoint, McpTarget, McpTransport};
use node_api::prelude::*;
use std::sync::Arc;

/// Who says where the server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AddressSource {
    /// The operator's file, or the author of the workflow.
    Fixed,
    /// An expression, which may take it from anywhere.
    Computed,
}

impl AddressSource {
    /// Who says what is in a parameter.
    pub(super) fn of(ctx: &Ctx<'_>, param: &str) -> Self {
        match ctx.host().has_expression(param) {
            true => AddressSource::Computed,
            false => AddressSource::Fixed,
        }
    }
}

/// A server that a node is connected to.
pub(super) struct Connected {
    pub(super) connection: Arc<dyn McpConnection>,
    pub(super) address: AddressSource,
    pub(super) has_credential: bool,
}

pub(super) const TRANSPORTS: &[(&str, &str)] =
    &[("httpStreamable", "HTTP streamable"), ("sse", "Server-sent events (deprecated)")];
pub(super) const AUTHENTICATION: &[(&str, &str)] = &[
    ("none", "None"),
    ("bearerAuth", "Bearer"),
    ("headerAuth", "Header"),
    ("multipleHeadersAuth", "Multiple headers"),
    ("mcpOAuth2Api", "OAuth2"),
];
const TIMEOUT_MS: i32 = 60_000;

pub(super) fn server_param() -> Param {
    Param::text("server", "Server", "").help(
        "Name of a server in the operator's `mcp.json`. Leave empty to connect to the endpoint.",
    )
}

pub(super) fn timeout_param() -> Param {
    Param::number("timeout", "Timeout", TIMEOUT_MS)
        .at_least(1.0)
        .help("How long one call may take, in milliseconds.")
}

pub(super) fn endpoint_param() -> Param {
    Param::text("endpointUrl", "Endpoint", "")
        .help("URL of the MCP server, such as `https://mcp.example.com/mcp`.")
}

pub(super) fn transport_param() -> Param {
    Param::choice("serverTransport", "Server transport", TRANSPORTS)
        .help("How the server is reached.")
}

pub(super) fn authentication_param() -> Param {
    Param::choice("authentication", "Authentication", AUTHENTICATION)
        .help("How to authenticate with the MCP server.")
}

/// The credentials of n8n's nodes.
pub(super) fn with_credentials(spec: Spec) -> Spec {
    ["httpBearerAuth", "httpHeaderAuth", "httpMultipleHeadersAuth", "mcpOAuth2Api"]
        .into_iter()
        .fold(spec, |spec, kind| spec.credential(kind, false))
}

/// Connects to the server of n8n's nodes.
pub(super) async fn connect(ctx: &Ctx<'_>, item: usize) -> Result<Connected, NodeError> {
    let named = ctx.text("server", item)?;
    if !named.trim().is_empty() {
        return connect_named(ctx, named.trim(), AddressSource::of(ctx, "server"), item).await;
    }
    // Version 1 of the tool had another name for it.
    let is_tool = ctx.node().type_name.ends_with("mcpClientTool");
    let param = if is_tool && ctx.version() < 1.1 { "sseEndpoint" } else { "endpointUrl" };
    let url = ctx.text(param, item)?;
    if url.trim().is_empty() {
        return Err(NodeError::parameter(param, "No MCP server is chosen")
            .hint("Enter the URL of the server, or the name of a configured one.")
            .on_item(item));
    }
    let is_sse = param == "sseEndpoint" || &*ctx.text("serverTransport", item)? == "sse";
    let credential = headers::chosen(ctx, item)?;
    let timeout = ctx.param("options.timeout", item)?.as_f64();
    let bound = credential.as_ref().map(|(_, credential)| credential.binding());
    let endpoint = McpEndpoint {
        transport: if is_sse { McpTransport::Sse } else { McpTransport::Http },
        url: with_scheme(url.trim()),
        headers: credential.as_ref().map(|(headers, _)| headers.clone()).unwrap_or_default(),
        bound,
        http: shared_http(ctx)?,
        timeout_ms: timeout.filter(|given| *given >= 1.0).map(|given| given as u64),
    };
    let address = AddressSource::of(ctx, param);
    let connection = ctx.host().mcp().connect(McpTarget::Remote(Box::new(endpoint))).await;
    let connection = connection.map_err(|error| NodeError::from(error).on_item(item))?;
    Ok(Connected { connection, address, has_credential: credential.is_some() })
}

pub(super) async fn connect_named(
    ctx: &Ctx<'_>,
    name: &str,
    address: AddressSource,
    item: usize,
) -> Result<Connected, NodeError> {
    let connection = ctx.host().mcp().connect(McpTarget::Named(name.into())).await;
    let connection = connection.map_err(|error| NodeError::from(error).on_item(item))?;
    Ok(Connected { connection, address, has_credential: true })
}

pub(super) fn shared_http(ctx: &Ctx<'_>) -> Result<Arc<dyn node_api::http::Http>, NodeError> {
    ctx.host()
        .shared_http()
        .ok_or_else(|| NodeError::failed("HTTP access to MCP servers is not available"))
}

/// Addresses in workflows often come without `https://`.
pub(super) fn with_scheme(url: &str) -> String {
    if url.contains("://") { url.to_owned() } else { format!("https://{url}") }
}
