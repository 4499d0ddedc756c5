//! The one way models are asked: a request through the guarded client, its answer read in pieces,
//! each wait within a named limit.

use super::lines::LineTooLong;
use super::timing::{TimingSource, within};
use crate::aws::AwsSigner;
use bytes::Bytes;
use compute::MemoryReservation;
use futures::StreamExt as _;
use model::Value;
use node_api::hosts::SecretBinding;
use node_api::http::{Http, HttpBody, HttpBodyStream, HttpError, HttpRequest};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Models rarely move, and a request that is led in circles is better told early.
const MAX_REDIRECTS: usize = 5;

/// How long each part of an answer may take and how large it may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireLimits {
    /// Until there is a connection.
    pub connect_ms: u64,
    /// From the request to the first piece of the answer. Models that do not stream think all the
    /// while.
    pub first_byte_ms: u64,
    /// Between two pieces.
    pub idle_ms: u64,
    /// Everything together, with pauses and further attempts.
    pub whole_ms: u64,
    pub answer_bytes: usize,
    pub line_bytes: usize,
}

impl Default for WireLimits {
    fn default() -> Self {
        Self {
            connect_ms: 10_000,
            first_byte_ms: 300_000,
            idle_ms: 120_000,
            whole_ms: 900_000,
            answer_bytes: 64 << 20,
            line_bytes: 10 << 20,
        }
    }
}

/// A request to a model's provider.
#[derive(Clone)]
pub struct WireRequest {
    pub method: &'static str,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<Bytes>,
    pub allow_invalid_certificates: bool,
    pub proxy: Option<String>,
    /// The hosts that the key may be sent to.
    pub bound: Option<Arc<SecretBinding>>,
    /// Signs every attempt, where the provider wants no key but a signature.
    pub signer: Option<Arc<AwsSigner>>,
}

/// Headers carry keys and bodies carry conversations, so neither is shown.
impl fmt::Debug for WireRequest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Call({})", self.method)
    }
}

/// Why nothing, or nothing more, comes.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WireError {
    #[error("{0}")]
    Http(HttpError),
    #[error("The model did not respond in time: the limit '{limit}' is {} s", *.ms as f64 / 1000.0)]
    Limit { limit: &'static str, ms: u64 },
    #[error("The model's response cannot be read: {0}")]
    Line(LineTooLong),
}

/// Asks. Cheap to clone; all clones share connections.
#[derive(Clone)]
pub struct Wire {
    http: Arc<dyn Http>,
    pub(super) pace: Arc<dyn TimingSource>,
    pub limits: WireLimits,
}

/// An answer whose body is still coming.
pub struct WireResponse {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    body: HttpBodyStream,
    first: Option<Result<Bytes, HttpError>>,
    deadline: Duration,
    wire: Wire,
    /// Room for what was read as a whole.
    reservation: MemoryReservation,
}

impl WireRequest {
    pub fn get(url: String) -> Self {
        Self {
            method: "GET",
            url,
            headers: Vec::new(),
            body: None,
            allow_invalid_certificates: false,
            proxy: None,
            bound: None,
            signer: None,
        }
    }

    pub fn post(url: String, body: &Value) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Self {
            method: "POST",
            headers,
            body: Some(model::json::to_string(body).into()),
            ..Self::get(url)
        }
    }

    fn to_request(&self, limits: &WireLimits) -> HttpRequest {
        let mut request = HttpRequest::new(self.method, self.url.clone());
        request.headers.clone_from(&self.headers);
        // Packed answers come as a whole or not at all; these shall come piece by piece.
        request.set_header("accept-encoding", "identity");
        request.body = self.body.clone().map_or(HttpBody::None, HttpBody::Bytes);
        request.timeout_ms = limits.whole_ms;
        request.connect_timeout_ms = limits.connect_ms;
        request.max_redirects = MAX_REDIRECTS;
        request.max_response_bytes = limits.answer_bytes;
        // Any header of a user's own may be a key.
        request.credential_headers = self
            .headers
            .iter()
            .map(|(name, _)| name.clone())
            .filter(|name| !is_plain(name))
            .collect();
        request.allow_invalid_certificates = self.allow_invalid_certificates;
        request.proxy.clone_from(&self.proxy);
        request.bound.clone_from(&self.bound);
        request
    }
}

fn is_plain(name: &str) -> bool {
    ["content-type", "accept", "user-agent"].iter().any(|plain| name.eq_ignore_ascii_case(plain))
}

impl Wire {
    pub fn new(http: Arc<dyn Http>, pace: Arc<dyn TimingSource>, limits: WireLimits) -> Self {
        Self { http, pace, limits }
    }

    /// When everything that begins now must be over.
    pub fn deadline(&self) -> Duration {
        self.pace.now() + Duration::from_millis(self.limits.whole_ms)
    }

    /// Asks, and waits for the first piece of the answer.
    pub async fn ask(
        &self,
        call: &WireRequest,
        deadline: Duration,
    ) -> Result<WireResponse, WireError> {
        let asking = async {
            let mut request = call.to_request(&self.limits);
            if let Some(signer) = &call.signer {
                signer.sign(&mut request, self.pace.unix_ms())?;
            }
            let mut answer = self.http.open(request).await?;
            let first = answer.body.next().await;
            Ok((answer, first))
        };
        let (answer, first) = self
            .within("first byte", self.limits.first_byte_ms, deadline, asking)
            .await?
            .map_err(WireError::Http)?;
        Ok(WireResponse {
            status: answer.status,
            headers: answer.headers,
            body: answer.body,
            first,
            deadline,
            wire: self.clone(),
            reservation: MemoryReservation::default(),
        })
    }

    /// What a future gives, unless a limit is reached before.
    pub(super) async fn within<T>(
        &self,
        limit: &'static str,
        ms: u64,
        deadline: Duration,
        future: impl Future<Output = T>,
    ) -> Result<T, WireError> {
        let left = deadline.saturating_sub(self.pace.now());
        let (limit, ms, wait) = match Duration::from_millis(ms) {
            wait if wait <= left => (limit, ms, wait),
            _ => ("whole", self.limits.whole_ms, left),
        };
        within(&*self.pace, wait, future).await.ok_or(WireError::Limit { limit, ms })
    }
}

impl WireResponse {
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// The next piece, or nothing at the end.
    pub async fn next_chunk(&mut self) -> Result<Option<Bytes>, WireError> {
        let next = match self.first.take() {
            Some(first) => Some(first),
            None => {
                self.wire
                    .within("idle", self.wire.limits.idle_ms, self.deadline, self.body.next())
                    .await?
            }
        };
        next.transpose().map_err(WireError::Http)
    }

    /// All that is left.
    pub async fn read_all(&mut self) -> Result<Vec<u8>, WireError> {
        let mut whole = Vec::new();
        while let Some(piece) = self.next_chunk().await? {
            self.reservation
                .grow_to(whole.len() + piece.len())
                .await
                .map_err(|full| WireError::Http(full.into()))?;
            whole.extend_from_slice(&piece);
        }
        Ok(whole)
    }
}
