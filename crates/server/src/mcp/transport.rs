//! From HTTP to the protocol and back: who may send what from where, and how large.

use super::handler::McpHandler;
use super::sessions::{SESSION_TIMEOUT, SessionOwners};
use crate::App;
use crate::access::{Principal, check_origin};
use crate::admission::BodyReservation;
use crate::body::{self, BodyFormat};
use crate::error::ApiError;
use crate::routes::ApiCaller;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use compute::{Allowance, LARGE_BYTES, Offload};
use model::{Code, Str, Value};
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use runtime::TriggerEndpoint;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The header that names a session.
const SESSION_HEADER: &str = "mcp-session-id";

/// Reading one large message may take this long.
const MESSAGE_CPU_TIME: Duration = Duration::from_secs(10);

/// Who calls, and what for.
#[derive(Clone)]
pub(super) enum McpCaller {
    /// The server of the instance.
    Instance(Principal),
    /// That of a workflow.
    Trigger { endpoint: Arc<TriggerEndpoint>, client: Option<IpAddr> },
}

/// How many bytes a message has.
#[derive(Clone, Copy)]
pub(super) struct MessageBytes(pub(super) usize);

/// Both kinds of servers, behind one service of the protocol.
#[derive(Clone)]
pub(crate) struct McpServer(Arc<McpState>);

struct McpState {
    service: StreamableHttpService<McpHandler, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    owners: SessionOwners,
}

impl McpCaller {
    /// Whose a session is that is opened now. People who call the same public server are told
    /// apart by where they are.
    fn owner(&self) -> Str {
        match self {
            McpCaller::Instance(who) => format!("user {}", who.user_id).into(),
            McpCaller::Trigger { endpoint, client } => {
                let TriggerEndpoint { workflow, node, test_run, .. } = &**endpoint;
                let client = client
                    .filter(|_| !endpoint.is_guarded())
                    .map(|address| address.to_string())
                    .unwrap_or_default();
                let is_test = test_run.is_some();
                format!("trigger {} {node} {is_test} {client}", workflow.id).into()
            }
        }
    }
}

impl McpServer {
    pub(crate) fn new(app: &App, api: ApiCaller, stop: &CancellationToken) -> Self {
        let handler = McpHandler::new(app.clone(), api);
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(SESSION_TIMEOUT);
        let sessions = Arc::new(sessions);
        // Names and origins are checked before.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_json_response(true)
            .with_max_request_body_bytes(app.body_limits.bytes)
            .with_cancellation_token(stop.child_token());
        let service =
            StreamableHttpService::new(move || Ok(handler.clone()), sessions.clone(), config);
        Self(Arc::new(McpState { service, sessions, owners: SessionOwners::default() }))
    }

    pub(super) async fn serve(&self, app: &App, caller: McpCaller, request: Request) -> Response {
        match self.answer(app, caller, request).await {
            Ok(response) => response,
            Err(error) => error.into_response(),
        }
    }

    async fn answer(
        &self,
        app: &App,
        caller: McpCaller,
        request: Request,
    ) -> Result<Response, ApiError> {
        check_origin(request.headers())?;
        let owner = caller.owner();
        let session = session_in(request.headers());
        if let Some(session) = &session
            && !self.0.owners.touch(session, &owner)
        {
            return Err(ApiError::new(Code::NOT_FOUND, "This session does not exist")
                .hint("Send `initialize` again to open a new session."));
        }
        let is_end = request.method() == Method::DELETE;
        let ReadMessage { request, length, opens_session, .. } =
            ReadMessage::read(app, caller, request).await?;
        if opens_session && session.is_none() && !self.0.owners.has_room() {
            return Err(ApiError::new(Code::OVERLOAD, "Too many MCP sessions are open")
                .hint("Try again in a moment."));
        }
        let service = &self.0.service;
        let response = if length < LARGE_BYTES {
            service.handle(request).await
        } else {
            let allowance = Allowance::new(MESSAGE_CPU_TIME, MESSAGE_CPU_TIME);
            Offload::long(Box::pin(service.handle(request)), allowance).await
        };
        match (session, session_in(response.headers())) {
            (Some(ended), _) if is_end => self.0.owners.remove(&ended),
            (None, Some(opened)) => {
                for ended in self.0.owners.add(opened, owner) {
                    // It may have ended by itself.
                    drop(self.0.sessions.close_session(&Arc::from(ended.as_str())).await);
                }
            }
            _ => {}
        }
        let mut response = response.map(Body::new);
        if is_end && response.status() == StatusCode::ACCEPTED {
            // Some clients take this for the only success.
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        Ok(response)
    }
}

fn session_in(headers: &HeaderMap) -> Option<Str> {
    headers.get(SESSION_HEADER).map(|value| String::from_utf8_lossy(value.as_bytes()).into())
}

/// A request with its message, read within the limits that bodies of the API have.
struct ReadMessage {
    request: Request,
    length: usize,
    opens_session: bool,
    /// It counts as long as it is being read.
    _received: Option<BodyReservation>,
}

impl ReadMessage {
    async fn read(app: &App, caller: McpCaller, request: Request) -> Result<Self, ApiError> {
        let limit = app.body_limits.bytes;
        let received = request.extensions().get::<BodyReservation>().cloned();
        let (mut parts, body) = request.into_parts();
        let bytes = axum::body::to_bytes(body, limit).await.map_err(|error| {
            body::body_error(&error).unwrap_or_else(|| {
                let message = format!("The body is larger than {limit} bytes");
                ApiError::new(Code::REQUEST_TOO_LARGE, message)
            })
        })?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| ApiError::new(Code::REQUEST_BODY, "The body is not UTF-8"))?;
        let mut opens_session = false;
        if parts.method == Method::POST {
            let _room = body::reserve_memory(text, BodyFormat::Json, limit).await?;
            let message = compute::for_size(text.len(), || body::json(text, limit))??;
            opens_session = message.get("method").and_then(Value::as_str) == Some("initialize");
        }
        let length = bytes.len();
        parts.extensions.insert(caller);
        parts.extensions.insert(MessageBytes(length));
        let request = Request::from_parts(parts, Body::from(bytes));
        Ok(Self { request, length, opens_session, _received: received })
    }
}
