//! One session with a server: the client library over one of our transports, with time limits and
//! errors in our words.

use super::handler::Handler;
use super::http::McpHttp;
use super::limits::{CONNECT_TIMEOUT, MAX_INSTRUCTIONS_CHARS, MAX_MESSAGE_BYTES};
use super::message::MessageGuard;
use super::process::{Process, StderrTail};
use super::text::{line, visible};
use super::{process, sse};
use crate::mcp::config::ProcessConfig;
use model::Str;
use node_api::mcp::{McpEndpoint, McpError, McpProgressSink, McpServerInfo, McpTransport};
use rmcp::RoleClient;
use rmcp::model::{
    CancelledNotificationParam, ClientRequest, ErrorCode, ErrorData, ProtocolVersion, RequestId,
    ServerResult,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, Peer, PeerRequestOptions,
    RunningService, ServiceError,
};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig,
};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Letters of an error of a server that are shown.
const MAX_ERROR_CHARS: usize = 500;

/// The revisions that we speak, best first. A server may be of the present era and offer older ones
/// only.
const REVISIONS: [ProtocolVersion; 4] = [
    ProtocolVersion::V_2026_07_28,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_03_26,
];
/// The one with which a handshake begins.
const LEGACY: ProtocolVersion = ProtocolVersion::V_2025_11_25;

pub(super) struct Session {
    service: RunningService<RoleClient, Handler>,
    guard: MessageGuard,
    /// The process behind it, killed with the session.
    process: Option<Mutex<Process>>,
    pub(super) stderr: Option<StderrTail>,
}

impl Session {
    pub(super) async fn remote(server: Str, endpoint: &McpEndpoint) -> Result<Self, McpError> {
        let guard = MessageGuard::new(server.clone());
        let http = McpHttp::new(endpoint, guard.clone());
        let starting = async {
            match endpoint.transport {
                McpTransport::Sse => {
                    let transport = sse::connect(http, &endpoint.url).await?;
                    let mode = ClientLifecycleMode::Initialize;
                    Handler::default().serve_with_lifecycle(transport, mode).await
                }
                McpTransport::Http | McpTransport::Stdio => {
                    let config = StreamableHttpClientTransportConfig::with_uri(&*endpoint.url)
                        .max_sse_event_size(MAX_MESSAGE_BYTES)
                        // A call that was sent is not sent again.
                        .reinit_on_expired_session(false);
                    let transport = StreamableHttpClientTransport::with_client(http, config);
                    Handler::default().serve_with_lifecycle(transport, any_revision()).await
                }
            }
            .map_err(|error| not_started(&guard, &error))
        };
        let service = in_time(&server, starting).await?;
        Ok(Self { service, guard, process: None, stderr: None })
    }

    pub(super) async fn process(server: Str, config: &ProcessConfig) -> Result<Self, McpError> {
        match Self::start(&server, config, any_revision()).await {
            // A program that is slow to start is taken for one of an older era, and says that it is
            // not. It is asked again, with all the time there is.
            Err(error) if is_modern(&error) => {
                let preferred_versions = REVISIONS.to_vec();
                let mode = ClientLifecycleMode::Discover { preferred_versions };
                Self::start(&server, config, mode).await
            }
            started => started,
        }
    }

    async fn start(
        server: &Str,
        config: &ProcessConfig,
        mode: ClientLifecycleMode,
    ) -> Result<Self, McpError> {
        let guard = MessageGuard::new(server.clone());
        let (mut process, transport, stderr) = process::start(config, guard.clone())?;
        let starting = async {
            let serving = Handler::default().serve_with_lifecycle(transport, mode);
            serving.await.map_err(|error| not_started(&guard, &error))
        };
        let started = in_time(server, starting).await;
        let ending = match &started {
            Ok(_) => None,
            Err(_) => ending_soon(|| process.ending()).await,
        };
        let service = started.map_err(|error| {
            let told = stderr.text();
            let last = told.lines().rev().find(|words| !words.trim().is_empty());
            match (ending, last) {
                // What a program that goes on says on the side is no reason.
                (None, _) => error,
                (Some(ending), last) => {
                    let parts =
                        [Some(ending), last.map(|words| line(words, MAX_ERROR_CHARS).into())];
                    let reason = parts.into_iter().flatten().collect::<Vec<String>>().join(": ");
                    McpError::Connect { server: server.clone(), reason: reason.into() }
                }
            }
        })?;
        Ok(Self { service, guard, process: Some(Mutex::new(process)), stderr: Some(stderr) })
    }

    pub(super) fn server(&self) -> &Str {
        self.guard.server()
    }

    pub(super) fn handler(&self) -> &Handler {
        self.service.service()
    }

    /// Whether it is of no more use, and why.
    pub(super) fn ending(&self) -> Option<String> {
        let ended = self.process.as_ref().and_then(|process| locked(process).ending());
        if ended.is_some() {
            return ended;
        }
        let closed = self.service.is_closed() || self.service.peer().is_transport_closed();
        closed.then(|| match self.guard.failure() {
            Some(error) => error.to_string(),
            None => "the connection was closed".to_owned(),
        })
    }

    pub(super) fn info(&self, key: Str, is_configured: bool) -> McpServerInfo {
        let peer = self.service.peer().peer_info();
        let Some(peer) = peer else {
            return McpServerInfo { key, is_configured, ..McpServerInfo::default() };
        };
        let own = peer.server_info.as_ref();
        McpServerInfo {
            key,
            name: own.map(|own| line(&own.name, 100)).unwrap_or_default(),
            version: own.map(|own| line(&own.version, 100)).unwrap_or_default(),
            protocol_version: line(peer.protocol_version.as_str(), 40),
            instructions: peer
                .instructions
                .as_deref()
                .map(|words| visible(words, MAX_INSTRUCTIONS_CHARS))
                .filter(|words| !words.is_empty()),
            is_configured,
        }
    }

    pub(super) fn capabilities(&self) -> rmcp::model::ServerCapabilities {
        self.service.peer().peer_info().map(|peer| peer.capabilities.clone()).unwrap_or_default()
    }

    /// Sends a request and waits for its result. Whoever drops this cancels the request.
    pub(super) async fn ask(
        &self,
        what: &str,
        request: ClientRequest,
        timeout: Duration,
        progress: Option<McpProgressSink>,
    ) -> Result<ServerResult, McpError> {
        let peer = self.service.peer();
        let asking = async {
            let options = PeerRequestOptions::no_options();
            let handle = peer.send_request_with_option(request, options).await?;
            let _listening =
                progress.map(|sink| self.handler().listen(handle.progress_token.clone(), sink));
            let mut unanswered = Unanswered { peer, id: Some(handle.id.clone()) };
            let answer = handle.await_response().await;
            unanswered.id = None;
            answer
        };
        match tokio::time::timeout(timeout, asking).await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => {
                if let (Some(process), ServiceError::TransportClosed) = (&self.process, &error) {
                    let _ = ending_soon(|| locked(process).ending()).await;
                }
                Err(self.failed(what, error))
            }
            Err(_) => Err(McpError::Timeout {
                server: self.server().clone(),
                what: what.into(),
                timeout_ms: timeout.as_millis() as u64,
            }),
        }
    }

    fn failed(&self, what: &str, error: ServiceError) -> McpError {
        let server = self.server().clone();
        match error {
            ServiceError::McpError(error) => McpError::Rejected {
                server,
                code: error.code.0,
                message: line(&error.message, MAX_ERROR_CHARS),
            },
            ServiceError::UnexpectedResponse => {
                let reason = format!("its answer to '{what}' is not of the expected kind").into();
                McpError::Protocol { server, reason }
            }
            other => {
                // Over HTTP, a request that failed leaves the session to others.
                let failure = match self.process {
                    Some(_) => self.guard.failure(),
                    None => self.guard.take_failure(),
                };
                failure.unwrap_or_else(|| {
                    let reason = self.ending().unwrap_or_else(|| other.to_string());
                    let reason = line(&reason, MAX_ERROR_CHARS);
                    McpError::Closed { server, what: what.into(), reason }
                })
            }
        }
    }
}

/// A request whose answer nobody waits for any more is cancelled.
struct Unanswered<'p> {
    peer: &'p Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Unanswered<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer = self.peer.clone();
        // Outside of a runtime there is no connection either.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let words = Some("the caller no longer waits".to_owned());
                let _ =
                    peer.notify_cancelled(CancelledNotificationParam::new(Some(id), words)).await;
            });
        }
    }
}

fn locked(process: &Mutex<Process>) -> MutexGuard<'_, Process> {
    process.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How a process ended whose pipes are closed: they are closed a moment before it has ended.
async fn ending_soon(mut ending: impl FnMut() -> Option<String>) -> Option<String> {
    const TRIES: u32 = 30;
    const PAUSE: Duration = Duration::from_millis(10);
    for _ in 0..TRIES {
        match ending() {
            None => tokio::time::sleep(PAUSE).await,
            found => return found,
        }
    }
    ending()
}

fn any_revision() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: REVISIONS.to_vec(),
        legacy_version: Some(LEGACY),
    }
}

async fn in_time<T>(
    server: &Str,
    starting: impl Future<Output = Result<T, McpError>>,
) -> Result<T, McpError> {
    tokio::time::timeout(CONNECT_TIMEOUT, starting).await.unwrap_or_else(|_| {
        Err(McpError::Timeout {
            server: server.clone(),
            what: "connect".into(),
            timeout_ms: CONNECT_TIMEOUT.as_millis() as u64,
        })
    })
}

fn not_started(guard: &MessageGuard, error: &ClientInitializeError) -> McpError {
    guard.take_failure().unwrap_or_else(|| {
        let reason = match error {
            ClientInitializeError::JsonRpcError(error) => return rejected(guard, error),
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
                return not_started(guard, fallback);
            }
            // The library shows the whole message, which is the server's.
            ClientInitializeError::ExpectedInitResponse(_)
            | ClientInitializeError::ExpectedInitResult(_) => {
                "it does not answer the handshake".into()
            }
            other => line(&other.to_string(), MAX_ERROR_CHARS),
        };
        McpError::Connect { server: guard.server().clone(), reason }
    })
}

/// The server speaks the protocol, and says no.
fn rejected(guard: &MessageGuard, error: &ErrorData) -> McpError {
    McpError::Rejected {
        server: guard.server().clone(),
        code: error.code.0,
        message: line(&error.message, MAX_ERROR_CHARS),
    }
}

/// Whether a server refuses the handshake because it is of the present era.
fn is_modern(error: &McpError) -> bool {
    let code = ErrorCode::UNSUPPORTED_PROTOCOL_VERSION.0;
    matches!(error, McpError::Rejected { code: given, .. } if *given == code)
}
