//! The one client that reaches the outside: every hop is checked, looked up once, and connected to
//! what was checked.

use super::policy::{CheckedDestination, EgressPolicy};
use super::resolve::{NameResolver, SystemResolver, checked_addresses};
use super::userinfo::take_basic_auth;
use super::{body, multipart, redirect, secret_binding};
use node_api::http::{
    Http, HttpBody, HttpError, HttpRequest, HttpResponse, HttpStream, TlsCertificates,
};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use std::error::Error as _;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use url::Url;

/// How many connection pools are kept, one for each place with its addresses.
const MAX_CACHED_CLIENTS: usize = 64;
/// A request without a time limit of its own gets this one.
const MAX_TIMEOUT_MS: u64 = 3_600_000;
const MAX_HEADERS: usize = 256;
pub(super) const MAX_HEADER_BYTES: usize = 128 << 10;

/// HTTP behind the egress policy.
pub struct GuardedHttp {
    policy: EgressPolicy,
    resolver: Arc<dyn NameResolver>,
    clients: Mutex<Vec<(ClientKey, reqwest::Client)>>,
}

/// What a pool of connections may be shared by: requests to the same place that was found at the
/// same checked addresses.
#[derive(Clone, PartialEq)]
struct ClientKey {
    host: String,
    port: u16,
    pinned: Vec<SocketAddr>,
    allow_invalid_certificates: bool,
    certificates: Option<Arc<TlsCertificates>>,
    proxy: Option<String>,
    connect_timeout_ms: u64,
}

impl GuardedHttp {
    pub fn new(policy: EgressPolicy) -> Self {
        Self::with_resolver(policy, Arc::new(SystemResolver))
    }

    pub fn with_resolver(policy: EgressPolicy, resolver: Arc<dyn NameResolver>) -> Self {
        Self { policy, resolver, clients: Mutex::default() }
    }

    /// Asks, and asks again wherever a redirect leads, until there is an answer whose body is worth
    /// reading.
    async fn open_following(
        &self,
        mut request: HttpRequest,
    ) -> Result<body::OpenResponse, HttpError> {
        request.check_method()?;
        // From here on a proxy is a whole address, and everybody reads the same one.
        request.proxy = request.proxy.map(|proxy| with_scheme(proxy.trim()));
        let mut hops = 0;
        loop {
            let destination = Arc::new(self.policy.check_url(&request.url)?);
            secret_binding::check(&request, &destination.url)?;
            let response = self.open_once(&request, &destination).await?;
            let answer = body::open(response, &request, destination.clone())?;
            if !request.follow_redirects {
                return Ok(answer);
            }
            let head =
                redirect::RedirectHead { status: answer.status, location: answer.location() };
            match redirect::follow(&request, &destination.url, head)? {
                None => return Ok(answer),
                Some(_) if hops >= request.max_redirects => {
                    return Err(HttpError::TooManyRedirects { limit: request.max_redirects });
                }
                Some(next) => {
                    // Read to its end if that is near, so that the connection can be used again.
                    answer.drain().await;
                    request = next;
                }
            }
            hops += 1;
        }
    }

    async fn open_once(
        &self,
        request: &HttpRequest,
        destination: &CheckedDestination,
    ) -> Result<reqwest::Response, HttpError> {
        let pinned = self.checked_addresses(destination).await?;
        let client = match &request.proxy {
            None => self.client(ClientKey::of(destination, pinned, request, None))?,
            Some(proxy) => {
                let proxy = self.policy.check_url(proxy)?;
                let pinned = self.checked_addresses(&proxy).await?;
                self.client(ClientKey::of(&proxy, pinned, request, Some(proxy.url.to_string())))?
            }
        };
        let mut url = destination.url.clone();
        let mut headers = self.headers(request, &url)?;
        // Credentials in the URL become a header, where a redirect can lose them and no message
        // shows them.
        if let Some(basic) = take_basic_auth(&mut url) {
            let basic =
                HeaderValue::try_from(basic).map_err(|error| unreachable(error.to_string()))?;
            headers.entry("authorization").or_insert(basic);
        }
        let method = reqwest::Method::from_bytes(request.method.as_bytes())
            .map_err(|_| unreachable(format!("'{}' is not a valid method", request.method)))?;
        let mut builder = client.request(method, url);
        match &request.body {
            HttpBody::None => {}
            HttpBody::Bytes(bytes) => builder = builder.body(bytes.clone()),
            HttpBody::Multipart(parts) => {
                let (body, content_type) = multipart::encode(parts);
                headers.insert(
                    "content-type",
                    HeaderValue::try_from(content_type)
                        .map_err(|error| unreachable(error.to_string()))?,
                );
                builder = builder.body(body);
            }
        }
        builder.headers(headers).send().await.map_err(|error| connection_error(&error, destination))
    }

    /// The addresses of a destination, every one of them checked. One closed address among several
    /// closes the name.
    async fn checked_addresses(
        &self,
        destination: &CheckedDestination,
    ) -> Result<Vec<SocketAddr>, HttpError> {
        if let Some(address) = destination.ip() {
            return self.policy.check_address(destination, address).map(|()| Vec::new());
        }
        checked_addresses(&self.policy, self.resolver.as_ref(), destination).await
    }

    fn client(&self, key: ClientKey) -> Result<reqwest::Client, HttpError> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = clients.iter().position(|(known, _)| *known == key) {
            clients[..=at].rotate_right(1);
            return Ok(clients[0].1.clone());
        }
        let client = key.build().map_err(|error| unreachable(deepest_words(&error)))?;
        clients.insert(0, (key, client.clone()));
        clients.truncate(MAX_CACHED_CLIENTS);
        Ok(client)
    }

    fn headers(&self, request: &HttpRequest, url: &Url) -> Result<HeaderMap, HttpError> {
        let mut headers = HeaderMap::new();
        for (name, value) in &request.headers {
            let is_multipart = matches!(request.body, HttpBody::Multipart(_));
            match name.to_ascii_lowercase().as_str() {
                // How the body is framed is decided here; a header that says otherwise would let
                // one request smuggle another.
                "content-length" | "transfer-encoding" | "connection" | "keep-alive"
                | "upgrade" | "te" | "trailer" | "expect" => continue,
                "content-type" if is_multipart => continue,
                // Only what can be unpacked here may come back.
                "accept-encoding" if !value.split(',').all(is_known_coding) => continue,
                "host" if url.host_str().is_some_and(|host| value.eq_ignore_ascii_case(host)) => {
                    continue;
                }
                "host" => self.policy.check_host_header(value).map_err(without_value)?,
                _ => {}
            }
            let invalid =
                || unreachable(format!("Invalid character in header content [\"{name}\"]"));
            let header = HeaderName::try_from(name.as_str())
                .map_err(|_| unreachable("Header name must be a valid HTTP token".into()))?;
            headers
                .append(header, HeaderValue::from_bytes(value.as_bytes()).map_err(|_| invalid())?);
        }
        headers.entry("accept").or_insert(HeaderValue::from_static("*/*"));
        headers.entry("accept-encoding").or_insert(HeaderValue::from_static("gzip, deflate, br"));
        Ok(headers)
    }
}

#[async_trait::async_trait]
impl Http for GuardedHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let timeout_ms = time_limit(&request);
        // The limit is on everything together: lookups, redirects and the last byte of a slow body.
        let whole = async { self.open_following(request).await?.collect().await };
        let answer = tokio::time::timeout(Duration::from_millis(timeout_ms), whole).await;
        answer.unwrap_or(Err(HttpError::Timeout { timeout_ms }))
    }

    async fn open(&self, request: HttpRequest) -> Result<HttpStream, HttpError> {
        let timeout_ms = time_limit(&request);
        let answer =
            tokio::time::timeout(Duration::from_millis(timeout_ms), self.open_following(request))
                .await;
        answer.unwrap_or(Err(HttpError::Timeout { timeout_ms })).map(body::OpenResponse::stream)
    }
}

fn time_limit(request: &HttpRequest) -> u64 {
    if request.timeout_ms == 0 { MAX_TIMEOUT_MS } else { request.timeout_ms.min(MAX_TIMEOUT_MS) }
}

impl ClientKey {
    fn of(
        place: &CheckedDestination,
        pinned: Vec<SocketAddr>,
        request: &HttpRequest,
        proxy: Option<String>,
    ) -> Self {
        let allow_invalid_certificates = request.allow_invalid_certificates;
        let host = place.url.host_str().unwrap_or_default().to_owned();
        let connect_timeout_ms = request.connect_timeout_ms;
        let certificates = request.certificates.clone();
        Self {
            host,
            port: place.port,
            pinned,
            allow_invalid_certificates,
            certificates,
            proxy,
            connect_timeout_ms,
        }
    }

    fn build(&self) -> reqwest::Result<reqwest::Client> {
        #[expect(clippy::disallowed_methods, reason = "the only client for outgoing requests")]
        let mut builder = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            // Only what was looked up and checked is connected to; any other name ends here.
            .dns_resolver(EmptyResolver)
            .resolve_to_addrs(&self.host, &self.pinned)
            .tls_danger_accept_invalid_certs(self.allow_invalid_certificates)
            .http1_max_headers(MAX_HEADERS)
            .http2_max_header_list_size(MAX_HEADER_BYTES as u32)
            .pool_idle_timeout(Duration::from_secs(60))
            .connect_timeout(Duration::from_millis(self.connect_timeout_ms));
        if let Some(proxy) = &self.proxy {
            builder = builder.proxy(reqwest::Proxy::all(proxy)?);
        }
        if let Some(certificates) = &self.certificates {
            if !certificates.authorities.is_empty() {
                builder = builder.tls_certs_only(reqwest::Certificate::from_pem_bundle(
                    certificates.authorities.as_bytes(),
                )?);
            }
            if !certificates.identity.is_empty() {
                builder = builder
                    .identity(reqwest::Identity::from_pem(certificates.identity.as_bytes())?);
            }
        }
        builder.build()
    }
}

/// A resolver that knows nothing.
struct EmptyResolver;

impl reqwest::dns::Resolve for EmptyResolver {
    fn resolve(&self, name: reqwest::dns::Name) -> reqwest::dns::Resolving {
        let error = io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("{} was not checked", name.as_str()),
        );
        Box::pin(std::future::ready(Err(error.into())))
    }
}

/// The value of a header may be a secret, so that no message shows it.
fn without_value(error: HttpError) -> HttpError {
    match error {
        HttpError::Blocked { .. } => HttpError::Blocked {
            host: "the server in the Host header".into(),
            reason: "it is not a public server, and HEDDLE_EGRESS_ALLOW does not list it".into(),
        },
        _ => HttpError::Url { url: "the Host header".into(), reason: "it names no server".into() },
    }
}

fn is_known_coding(entry: &str) -> bool {
    let name = entry.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(name.as_str(), "gzip" | "x-gzip" | "deflate" | "br" | "identity")
}

fn with_scheme(proxy: &str) -> String {
    if proxy.contains("://") { proxy.to_owned() } else { format!("http://{proxy}") }
}

/// What lies at the bottom of an error tells what was wrong.
fn deepest_words(error: &reqwest::Error) -> String {
    let mut deepest: &dyn std::error::Error = error;
    while let Some(inner) = deepest.source() {
        deepest = inner;
    }
    deepest.to_string()
}

fn unreachable(reason: String) -> HttpError {
    HttpError::Unreachable { reason, errno: None }
}

/// The failure in Node.js's words, which workflows know. The URL is left out: it may carry secrets.
pub(super) fn connection_error(
    error: &reqwest::Error,
    destination: &CheckedDestination,
) -> HttpError {
    let place = format!("{}:{}", destination.host, destination.port);
    let mut cause = error.source();
    let mut deepest = None;
    while let Some(inner) = cause {
        if let Some(io_error) = inner.downcast_ref::<io::Error>() {
            let errno = match io_error.kind() {
                io::ErrorKind::ConnectionRefused => Some("ECONNREFUSED"),
                io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof => Some("ECONNRESET"),
                io::ErrorKind::ConnectionAborted => Some("ECONNABORTED"),
                io::ErrorKind::TimedOut => Some("ETIMEDOUT"),
                io::ErrorKind::HostUnreachable => Some("EHOSTUNREACH"),
                io::ErrorKind::NetworkUnreachable => Some("ENETUNREACH"),
                io::ErrorKind::BrokenPipe => Some("EPIPE"),
                _ => None,
            };
            if let Some(name) = errno {
                let verb = if error.is_connect() { "connect" } else { "read" };
                return HttpError::Unreachable { reason: format!("{verb} {name} {place}"), errno };
            }
        }
        deepest = Some(inner);
        cause = inner.source();
    }
    let words = deepest.map_or_else(|| "the request failed".to_owned(), ToString::to_string);
    let errno = match () {
        () if words.contains("certificate") => Some("CERT_INVALID"),
        () if words.contains("connection closed") || words.contains("end of file") => {
            Some("ECONNRESET")
        }
        () => None,
    };
    HttpError::Unreachable { reason: format!("{words} ({place})"), errno }
}
