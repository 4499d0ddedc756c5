//! Servers over HTTP: every revision, and what the guarded client keeps from happening.

use super::{File, numbers, servers};
use model::Code;
use node_api::hosts::{HostAllowlist, SecretBinding};
use node_api::http::Http;
use node_api::mcp::{
    McpConnection, McpContent, McpEndpoint, McpError, McpServers as _, McpTarget, McpTransport,
    NoMcpPins,
};
use providers::http::{EgressPolicy, GuardedHttp};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use std::borrow::Cow;
use std::sync::Arc;
use testkit::{FakeHttp, FakeResponse};

/// The library's own server, with one tool.
#[derive(Clone)]
pub(super) struct Adder(Vec<ProtocolVersion>);

impl ServerHandler for Adder {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Owned(self.0.clone())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = serde_json::json!({ "type": "object", "properties": { "a": {}, "b": {} } });
        let schema = schema.as_object().unwrap().clone();
        Ok(ListToolsResult::with_all_items(vec![Tool::new("add", "Adds", Arc::new(schema))]))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = call.arguments.unwrap_or_default();
        let number = |name: &str| given.get(name).and_then(serde_json::Value::as_f64);
        let sum = number("a").unwrap_or_default() + number("b").unwrap_or_default();
        Ok(CallToolResult::success(vec![ContentBlock::text(sum.to_string())]).into())
    }
}

/// Starts it and gives its address.
pub(super) async fn adder(versions: &[ProtocolVersion], has_sessions: bool, json: bool) -> String {
    let mut config = StreamableHttpServerConfig::default();
    (config.legacy_session_mode, config.json_response) = (has_sessions, json);
    let adder = Adder(versions.to_vec());
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(adder.clone()), sessions, config);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let router = axum::Router::new().route_service("/mcp", service);
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    url
}

pub(super) fn endpoint(url: &str, allowed: &str) -> McpEndpoint {
    let http: Arc<dyn Http> = Arc::new(GuardedHttp::new(EgressPolicy::parse(allowed).unwrap()));
    McpEndpoint {
        transport: McpTransport::Http,
        url: url.to_owned(),
        headers: Vec::new(),
        bound: None,
        http,
        timeout_ms: Some(5000),
    }
}

pub(super) async fn connect(endpoint: McpEndpoint) -> Result<Arc<dyn McpConnection>, McpError> {
    let servers = servers(&File::default(), Arc::new(NoMcpPins));
    servers.connect(McpTarget::Remote(Box::new(endpoint))).await
}

async fn refused(endpoint: McpEndpoint) -> McpError {
    connect(endpoint).await.map(|_| ()).unwrap_err()
}

#[tokio::test]
async fn every_revision_is_spoken_with_and_without_sessions() {
    let modern = ProtocolVersion::V_2026_07_28;
    let legacy = [
        ProtocolVersion::V_2025_11_25,
        ProtocolVersion::V_2025_06_18,
        ProtocolVersion::V_2025_03_26,
    ];
    let mut eras: Vec<(Vec<ProtocolVersion>, bool)> =
        vec![(vec![modern.clone(), ProtocolVersion::V_2025_11_25], true), (vec![modern], false)];
    eras.extend(
        legacy.iter().flat_map(|one| [(vec![one.clone()], true), (vec![one.clone()], false)]),
    );
    for (versions, has_sessions) in eras {
        for json in [false, true] {
            let url = adder(&versions, has_sessions, json).await;
            let connection = connect(endpoint(&url, "127.0.0.1")).await.unwrap();
            assert_eq!(connection.server().protocol_version, versions[0].as_str());
            assert_eq!(connection.server().key, url.as_str());
            assert_eq!(connection.tools().await.unwrap().len(), 1);
            let results =
                futures::future::join_all((0..8).map(|_| async {
                    connection.call_tool("add", &numbers(), None).await.unwrap()
                }));
            for result in results.await {
                assert_eq!(result.content, [McpContent::Text("5".into())], "{versions:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_server_at_a_private_address_is_blocked_by_the_egress_policy() {
    let url = adder(&[ProtocolVersion::V_2026_07_28], false, false).await;
    let error = refused(endpoint(&url, "")).await;
    assert_eq!(error.code(), Code::EGRESS_BLOCKED, "{error}");
}

#[tokio::test]
async fn a_redirect_to_another_server_is_not_followed() {
    let other = FakeHttp::fixed(FakeResponse::json(&serde_json::json!({})));
    for target in [other.url("/mcp"), "http://169.254.169.254/latest".to_owned()] {
        let server = FakeHttp::fixed(FakeResponse::redirect(307, &target));
        let mut endpoint = endpoint(&server.url("/mcp"), "127.0.0.1");
        endpoint.headers = vec![("Authorization".into(), "Bearer canary".into())];
        let error = refused(endpoint).await;
        assert!(matches!(error, McpError::Http { .. }), "{error}");
    }
    assert_eq!(other.n_requests(), 0);
}

#[tokio::test]
async fn a_credential_goes_only_to_its_hosts() {
    let server = FakeHttp::fixed(FakeResponse::json(&serde_json::json!({})));
    let mut endpoint = endpoint(&server.url("/mcp"), "127.0.0.1");
    endpoint.headers = vec![("X-Key".into(), "canary".into())];
    let hosts = HostAllowlist::parse_list("mcp.example.com");
    endpoint.bound =
        Some(Arc::new(SecretBinding { kind: "httpHeaderAuth".into(), hosts, in_body: false }));
    let error = refused(endpoint).await;
    assert_eq!(error.code(), Code::CREDENTIAL_HOST, "{error}");
    assert_eq!(server.n_requests(), 0);
}

#[tokio::test]
async fn answers_that_are_no_messages_are_told_apart() {
    for (answer, code) in [
        (FakeResponse::new(200, "text/html", "<html>"), Code::MCP_PROTOCOL),
        (
            FakeResponse::new(200, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":0,"),
            Code::MCP_PROTOCOL,
        ),
        (FakeResponse::new(401, "application/json", "{}"), Code::MCP_UNAUTHORIZED),
        (FakeResponse::new(403, "text/plain", "no"), Code::MCP_UNAUTHORIZED),
        (FakeResponse::new(500, "text/plain", "oh"), Code::MCP_CONNECTION),
        (FakeResponse::new(404, "text/plain", "nothing here"), Code::MCP_CONNECTION),
        (FakeResponse::new(200, "application/json", "x".repeat(9 << 20)), Code::MCP_LIMIT),
    ] {
        let server = FakeHttp::fixed(answer);
        let error = refused(endpoint(&server.url("/mcp?key=canary"), "127.0.0.1")).await;
        assert_eq!(error.code(), code, "{error}");
        assert!(!error.to_string().contains("canary"), "{error}");
    }
}

#[tokio::test]
async fn an_event_stream_that_names_another_server_is_refused() {
    let other = FakeHttp::fixed(FakeResponse::json(&serde_json::json!({})));
    let event = format!("event: endpoint\ndata: {}\n\n", other.url("/steal"));
    let server = FakeHttp::fixed(FakeResponse::new(200, "text/event-stream", event));
    let mut endpoint = endpoint(&server.url("/sse"), "127.0.0.1");
    endpoint.transport = McpTransport::Sse;
    let error = refused(endpoint).await;
    assert_eq!(error.code(), Code::MCP_PROTOCOL, "{error}");
    assert_eq!(other.n_requests(), 0);
}
