//! Streamable HTTP over the guarded client: the egress policy, pinned addresses and the hosts of
//! credentials hold for every request to an MCP server.

use super::limits::{MAX_CALL_TIMEOUT, MAX_MESSAGE_BYTES, MAX_STREAM_BYTES};
use super::message::{MessageGuard, parse};
use super::text::line;
use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use http::{HeaderName, HeaderValue};
use node_api::hosts::{HostAllowlist, SecretBinding};
use node_api::http::{Http, HttpBody, HttpBodyStream, HttpError, HttpRequest, HttpStream};
use node_api::mcp::{McpEndpoint, McpError};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    HttpStatusError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";
/// How long the head of a response may take that no call waits for.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Letters of an error's body that are shown.
const MAX_SHOWN_CHARS: usize = 200;

/// The way to one server.
#[derive(Clone)]
pub(super) struct McpHttp {
    inner: Arc<HttpAccess>,
}

struct HttpAccess {
    http: Arc<dyn Http>,
    headers: Vec<(String, String)>,
    bound: Option<Arc<SecretBinding>>,
    hosts: HostAllowlist,
    guard: MessageGuard,
}

type Failure = StreamableHttpError<HttpError>;

impl McpHttp {
    pub(super) fn new(endpoint: &McpEndpoint, guard: MessageGuard) -> Self {
        let access = HttpAccess {
            http: endpoint.http.clone(),
            headers: endpoint.headers.clone(),
            bound: endpoint.bound.clone(),
            // Redirects stay at the server: its credential and our calls are for nobody else.
            hosts: HostAllowlist::of_request(&endpoint.url, None).unwrap_or(HostAllowlist::Any),
            guard,
        };
        Self { inner: Arc::new(access) }
    }

    pub(super) fn request(&self, method: &str, url: &str, timeout: Duration) -> HttpRequest {
        let mut request = HttpRequest::new(method, url);
        request.timeout_ms = timeout.as_millis() as u64;
        request.connect_timeout_ms = request.timeout_ms.min(request.connect_timeout_ms);
        request.max_response_bytes = MAX_STREAM_BYTES;
        request.bound.clone_from(&self.inner.bound);
        request.hosts = self.inner.hosts.clone();
        for (name, value) in &self.inner.headers {
            request.set_header(name, value.clone());
            request.credential_headers.push(name.clone());
        }
        request
    }

    pub(super) async fn open(&self, request: HttpRequest) -> Result<HttpStream, HttpError> {
        self.inner.http.open(request).await
    }

    pub(super) fn guard(&self) -> &MessageGuard {
        &self.inner.guard
    }

    /// Sends a message, with the headers of the protocol.
    async fn post(
        &self,
        url: &str,
        message: &ClientJsonRpcMessage,
        session: Option<&str>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<HttpStream, Failure> {
        // Calls have a time of their own; whoever gives up drops this future.
        let mut request = self.request("POST", url, MAX_CALL_TIMEOUT);
        request.set_header("Accept", format!("{JSON}, {EVENTS}"));
        request.set_header("Content-Type", JSON);
        request.connect_timeout_ms = HEAD_TIMEOUT.as_millis() as u64;
        self.protocol_headers(&mut request, session, headers);
        request.body = HttpBody::Bytes(Bytes::from(serde_json::to_vec(message)?));
        self.guard().sent();
        self.open(request).await.map_err(|error| {
            self.guard().fail(McpError::Http { error: error.clone() });
            StreamableHttpError::Client(error)
        })
    }

    fn protocol_headers(
        &self,
        request: &mut HttpRequest,
        session: Option<&str>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) {
        for (name, value) in headers {
            // What the operator or a credential says comes first.
            if let Ok(value) = value.to_str()
                && request.header(name.as_str()).is_none()
            {
                request.set_header(name.as_str(), value);
            }
        }
        if let Some(session) = session {
            request.set_header(SESSION, session);
        }
    }

    /// The events of a stream, each of them checked before anybody reads it.
    fn events(&self, body: HttpBodyStream) -> BoxStream<'static, Result<Sse, SseError>> {
        let guard = self.guard().clone();
        SseStream::from_bytes_stream(body)
            .map(move |event| {
                let event = event?;
                match guard.admit(event.data.as_deref().unwrap_or_default().as_bytes()) {
                    Ok(()) => Ok(event),
                    Err(gone) => Err(SseError::Body(Box::new(gone))),
                }
            })
            .boxed()
    }

    fn refused(&self, status: u16, body: &[u8]) -> Failure {
        let server = self.guard().server().clone();
        if matches!(status, 401 | 403) {
            self.guard().fail(McpError::Unauthorized { server });
        } else {
            let told = line(&String::from_utf8_lossy(body), MAX_SHOWN_CHARS);
            let reason = match told.is_empty() {
                true => format!("HTTP {status}").into(),
                false => format!("HTTP {status}: {told}").into(),
            };
            self.guard().fail(McpError::Connect { server, reason });
        }
        StreamableHttpError::HttpStatus(HttpStatusError::new(status, None))
    }

    /// The whole body of a response that is one message.
    async fn whole(&self, mut body: HttpBodyStream) -> Result<Vec<u8>, Failure> {
        let mut whole = Vec::new();
        while let Some(piece) = body.next().await {
            let piece = piece.map_err(|error| {
                self.guard().fail(McpError::Http { error: error.clone() });
                StreamableHttpError::Client(error)
            })?;
            if whole.len() + piece.len() > MAX_MESSAGE_BYTES {
                self.guard().over("bytes of one message", MAX_MESSAGE_BYTES);
                return Err(StreamableHttpError::UnexpectedEndOfStream);
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole)
    }
}

/// Whether nothing but an acknowledgement answers this message.
fn is_one_way(message: &ClientJsonRpcMessage) -> bool {
    !matches!(message, ClientJsonRpcMessage::Request(_))
}

/// A server of an older revision refuses to be discovered in one of many ways. All of them become an
/// error of the protocol, on which the library tries `initialize`.
fn undiscoverable(
    message: &ClientJsonRpcMessage,
    session: Option<&str>,
    status: u16,
    body: &[u8],
) -> Option<ServerJsonRpcMessage> {
    let ClientJsonRpcMessage::Request(request) = message else { return None };
    let is_discovery = matches!(request.request, ClientRequest::DiscoverRequest(_));
    if !is_discovery || session.is_some() || !(400..500).contains(&status) {
        return None;
    }
    if matches!(status, 401 | 403 | 429) {
        return None;
    }
    let error = match parse(body) {
        Ok(JsonRpcMessage::Error(error)) => error.error,
        _ => ErrorData::invalid_request(format!("HTTP {status}"), None),
    };
    Some(ServerJsonRpcMessage::error(error, Some(request.id.clone())))
}

fn is_type(response: &HttpStream, kind: &str) -> bool {
    let given = response.header("content-type").unwrap_or_default();
    given.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(kind)
}

impl StreamableHttpClient for McpHttp {
    type Error = HttpError;

    async fn post_message(
        &self,
        url: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let response = self.post(&url, &message, session.as_deref(), headers).await?;
        let status = response.status;
        if matches!(status, 202 | 204) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == 404 && session.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        let (is_json, is_stream) = (is_type(&response, JSON), is_type(&response, EVENTS));
        let given_session = response.header(SESSION).map(str::to_owned);
        let is_success = response.is_success();
        if is_success && is_stream && !is_one_way(&message) {
            let events = self.events(response.body);
            return Ok(StreamableHttpPostResponse::Sse(events, given_session));
        }
        let body = self.whole(response.body).await?;
        if let Some(answer) = undiscoverable(&message, session.as_deref(), status, &body) {
            return Ok(StreamableHttpPostResponse::Json(answer, None));
        }
        if is_success && is_one_way(&message) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if is_json && !matches!(status, 401 | 403) {
            if self.guard().admit(&body).is_err() {
                return Err(StreamableHttpError::UnexpectedEndOfStream);
            }
            match parse(&body) {
                Ok(answer) if is_success || matches!(answer, JsonRpcMessage::Error(_)) => {
                    return Ok(StreamableHttpPostResponse::Json(answer, given_session));
                }
                _ if is_success => {
                    self.guard().broken("its response is not a JSON-RPC message");
                    return Err(StreamableHttpError::UnexpectedServerResponse("no message".into()));
                }
                _ => {}
            }
        }
        if is_success {
            self.guard().broken("its response is neither JSON nor an event stream");
            return Err(StreamableHttpError::UnexpectedContentType(None));
        }
        Err(self.refused(status, &body))
    }

    async fn delete_session(
        &self,
        url: Arc<str>,
        session: Arc<str>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        let mut request = self.request("DELETE", &url, HEAD_TIMEOUT);
        self.protocol_headers(&mut request, Some(&session), headers);
        // A server need not know the method.
        self.open(request).await.map(|_| ()).map_err(StreamableHttpError::Client)
    }

    async fn get_stream(
        &self,
        url: Arc<str>,
        session: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let mut request = self.request("GET", &url, HEAD_TIMEOUT);
        request.set_header("Accept", EVENTS);
        self.protocol_headers(&mut request, session.as_deref(), headers);
        if let Some(id) = last_event_id {
            request.set_header("Last-Event-ID", id);
        }
        let response = self.open(request).await.map_err(StreamableHttpError::Client)?;
        if response.is_success() && is_type(&response, EVENTS) {
            return Ok(self.events(response.body));
        }
        match response.status {
            404 if session.is_some() => Err(StreamableHttpError::SessionExpired),
            _ => Err(StreamableHttpError::ServerDoesNotSupportSse),
        }
    }
}
