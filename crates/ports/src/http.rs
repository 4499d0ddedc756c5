//! Outgoing HTTP: every node's requests go through one port, behind which the egress policy stands.

use crate::hosts::{HostAllowlist, SecretBinding};
use bytes::Bytes;
use compute::{IntakeExhausted, MemoryReservation};
use futures::Stream;
use model::{Code, Str};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

/// Sends requests. Implemented by the guarded client of `providers`; replaced by recorded answers
/// in tests.
#[async_trait::async_trait]
pub trait Http: Send + Sync {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError>;

    /// Sends a request and hands the answer over as soon as its head is there; the body follows
    /// piece by piece. The request's time limit is on the head, its limit on size on the body.
    /// Dropping the answer ends the connection.
    async fn open(&self, request: HttpRequest) -> Result<HttpStream, HttpError> {
        self.send(request).await.map(HttpStream::from)
    }
}

/// The largest answer, if a request does not say otherwise.
pub const MAX_RESPONSE_BYTES: usize = 128 << 20;

/// The same for an answer that may be a file: its bytes stay what they are, and go to disk when
/// there are many.
pub const MAX_FILE_BYTES: usize = 512 << 20;

/// The most that a node takes in from one answer while it works for a model as its tool. Hardly any
/// of it would fit into a conversation, and many calls may be under way at once.
pub const MAX_MODEL_BYTES: usize = 32 << 20;

/// The same way out for what is fetched for a model: no answer may be larger than
/// [`MAX_MODEL_BYTES`], whatever a node allows.
pub struct CappedHttp(pub Arc<dyn Http>);

impl CappedHttp {
    fn limited(mut request: HttpRequest) -> HttpRequest {
        request.max_response_bytes = request.max_response_bytes.min(MAX_MODEL_BYTES);
        request
    }
}

#[async_trait::async_trait]
impl Http for CappedHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        self.0.send(Self::limited(request)).await
    }

    async fn open(&self, request: HttpRequest) -> Result<HttpStream, HttpError> {
        self.0.open(Self::limited(request)).await
    }
}

/// A request. Redirects are followed by the client so that every hop is checked.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    pub method: Str,
    pub url: String,
    /// In order; a name may occur more than once.
    pub headers: Vec<(String, String)>,
    pub body: HttpBody,
    pub timeout_ms: u64,
    /// How long it may take to get a connection.
    pub connect_timeout_ms: u64,
    pub follow_redirects: bool,
    pub max_redirects: usize,
    /// Accept certificates that cannot be verified.
    pub allow_invalid_certificates: bool,
    pub certificates: Option<Arc<TlsCertificates>>,
    pub proxy: Option<String>,
    /// The answer may not be larger than this after decompression.
    pub max_response_bytes: usize,
    /// What it may be at most by its content type, for requests that take files and texts alike.
    pub max_bytes_of: Option<fn(&str) -> usize>,
    /// Headers that carry secrets besides `Authorization` and `Cookie`; a redirect to another
    /// origin loses them all.
    pub credential_headers: Vec<String>,
    /// Send credentials along even when a redirect leads to another origin, as far as they may go
    /// there.
    pub credentials_cross_origins: bool,
    /// The credential that the request is signed with: every hop is compared with its hosts.
    pub bound: Option<Arc<SecretBinding>>,
    /// The hosts that the request may go to at all, with or without secrets. Every hop is compared
    /// with them.
    pub hosts: HostAllowlist,
}

/// Certificates of the workflow's own, as PEM texts.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct TlsCertificates {
    /// Trusted in place of the usual authorities, if there are any.
    pub authorities: String,
    /// The client's certificate with those that vouch for it, and its key without a passphrase;
    /// empty for a client that shows none. A redirect to another origin loses it.
    pub identity: String,
}

impl fmt::Debug for TlsCertificates {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Certificates")
    }
}

#[derive(Clone, Debug, Default)]
pub enum HttpBody {
    #[default]
    None,
    Bytes(Bytes),
    Multipart(Vec<MultipartPart>),
}

/// One part of a multipart body.
#[derive(Clone, Debug)]
pub struct MultipartPart {
    pub name: String,
    pub data: Bytes,
    pub file_name: Option<String>,
    pub mime_type: Option<String>,
}

#[derive(Debug)]
pub struct HttpResponse {
    pub status: u16,
    pub status_text: Str,
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
    /// Where the answer came from after redirects.
    pub url: String,
    /// Room for the body. What it becomes is added; whoever waits for a further answer drops this
    /// one first.
    pub reservation: MemoryReservation,
}

/// An answer whose body is still coming.
pub struct HttpStream {
    pub status: u16,
    pub status_text: Str,
    pub headers: Vec<(String, String)>,
    pub url: String,
    pub body: HttpBodyStream,
}

pub type HttpBodyStream = Pin<Box<dyn Stream<Item = Result<Bytes, HttpError>> + Send>>;

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum HttpError {
    #[error("Invalid URL: {url}: {reason}")]
    Url { url: String, reason: String },
    #[error("The request to {host} is blocked: {reason}")]
    Blocked { host: String, reason: String },
    #[error("The connection failed: {reason}")]
    Unreachable { reason: String, errno: Option<&'static str> },
    #[error("The request timed out after {timeout_ms} ms")]
    Timeout { timeout_ms: u64 },
    #[error("The response exceeds the limit of {limit} bytes")]
    TooLarge { limit: usize },
    #[error("Not enough memory for the response: {}", IntakeExhausted { limit: *.limit })]
    NoCapacity { limit: usize },
    #[error("More than {limit} redirects")]
    TooManyRedirects { limit: usize },
    #[error(
        "Domain not allowed: the credential of type '{kind}' may not be sent to {host}: {reason}"
    )]
    Bound { kind: Str, host: String, reason: String },
    #[error("the host {host} is not allowed; allowed hosts: {allowed}")]
    HostNotAllowed { host: String, allowed: String },
    #[error(
        "The method {method} is not allowed: it would make the server echo the request or \
             connect elsewhere"
    )]
    Method { method: Str },
}

/// Methods that make a server send the request back as it came, secrets and all, or a proxy connect
/// to somewhere else.
const REFUSED_METHODS: [&str; 3] = ["TRACE", "TRACK", "CONNECT"];

impl HttpRequest {
    /// Refuses methods that no request of a workflow has. Called by the client for every request.
    pub fn check_method(&self) -> Result<(), HttpError> {
        let method = self.method.trim();
        if !REFUSED_METHODS.iter().any(|refused| method.eq_ignore_ascii_case(refused)) {
            return Ok(());
        }
        Err(HttpError::Method { method: method.to_ascii_uppercase().into() })
    }

    pub fn new(method: &str, url: impl Into<String>) -> Self {
        Self {
            method: method.into(),
            url: url.into(),
            headers: Vec::new(),
            body: HttpBody::None,
            timeout_ms: 300_000,
            connect_timeout_ms: 60_000,
            follow_redirects: true,
            max_redirects: 21,
            allow_invalid_certificates: false,
            certificates: None,
            proxy: None,
            max_response_bytes: MAX_RESPONSE_BYTES,
            max_bytes_of: None,
            credential_headers: Vec::new(),
            credentials_cross_origins: false,
            bound: None,
            hosts: HostAllowlist::Any,
        }
    }

    /// The largest answer of a content type.
    pub fn max_bytes(&self, content_type: &str) -> usize {
        self.max_response_bytes.min(self.max_bytes_of.map_or(usize::MAX, |most| most(content_type)))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// Sets a header, in place of any of that name.
    pub fn set_header(&mut self, name: &str, value: impl Into<String>) {
        self.headers.retain(|(key, _)| !key.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.into()));
    }
}

impl HttpResponse {
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl HttpStream {
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl From<HttpResponse> for HttpStream {
    fn from(response: HttpResponse) -> Self {
        let HttpResponse { status, status_text, headers, body, url, reservation: _ } = response;
        let body = Box::pin(futures::stream::once(std::future::ready(Ok(body))));
        Self { status, status_text, headers, url, body }
    }
}

fn find<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

impl From<IntakeExhausted> for HttpError {
    fn from(full: IntakeExhausted) -> Self {
        HttpError::NoCapacity { limit: full.limit }
    }
}

impl HttpError {
    pub fn code(&self) -> Code {
        match self {
            HttpError::Url { .. } => Code::EGRESS_URL,
            HttpError::Blocked { .. } => Code::EGRESS_BLOCKED,
            HttpError::Unreachable { .. } | HttpError::TooManyRedirects { .. } => {
                Code::UPSTREAM_UNREACHABLE
            }
            HttpError::Timeout { .. } => Code::UPSTREAM_TIMEOUT,
            HttpError::TooLarge { .. } => Code::UPSTREAM_TOO_LARGE,
            HttpError::NoCapacity { .. } => Code::OVERLOAD,
            HttpError::Bound { .. } => Code::CREDENTIAL_HOST,
            HttpError::HostNotAllowed { .. } => Code::EGRESS_URL,
            HttpError::Method { .. } => Code::NODE_PARAMETER,
        }
    }
}
