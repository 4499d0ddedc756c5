//! Sees every request go by: counts it, times it and gives it an id that the log names.

use crate::admission::ClientAddr;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use axum::response::Response;
use model::metrics::{Counter, Histogram};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tracing::Span;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What requests go to, as a label.
const ENDPOINTS: [(&str, &str); 6] = [
    ("webhook", "/webhook/"),
    ("waiting", "/webhook-waiting/"),
    ("form", "/form"),
    ("mcp", "/mcp"),
    ("api", "/api/"),
    ("other", "/"),
];

const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Requests since the process started, by what they went to.
#[derive(Default)]
pub(crate) struct HttpMetrics {
    endpoints: [EndpointMetrics; ENDPOINTS.len()],
    ids: RequestIds,
}

#[derive(Default)]
struct EndpointMetrics {
    responses: [Counter; CLASSES.len()],
    seconds: Histogram,
}

impl HttpMetrics {
    /// Writes them in Prometheus' text format; what never happened is left out.
    pub(crate) fn write(&self, out: &mut String) {
        out.push_str(
            "# HELP heddle_http_answers_total HTTP responses.\n# TYPE heddle_http_answers_total \
             counter\n",
        );
        for ((door, _), figures) in ENDPOINTS.iter().zip(&self.endpoints) {
            for (class, counter) in
                CLASSES.iter().zip(&figures.responses).filter(|(_, counter)| counter.get() > 0)
            {
                out.push_str(&format!(
                    "heddle_http_answers_total{{door=\"{door}\",class=\"{class}\"}} {}\n",
                    counter.get()
                ));
            }
        }
        out.push_str(
            "# HELP heddle_http_request_seconds Time from the request headers to the response \
             headers.\n# TYPE heddle_http_request_seconds histogram\n",
        );
        for ((door, _), figures) in
            ENDPOINTS.iter().zip(&self.endpoints).filter(|(_, figures)| figures.seconds.count() > 0)
        {
            figures.seconds.write(
                out,
                "heddle_http_request_seconds",
                &format!("door=\"{door}\""),
                6..=26,
                1e6,
            );
        }
    }
}

/// Where a request came from, and what it is called here.
#[derive(Clone)]
pub(crate) struct RequestOrigin {
    pub(crate) client: ClientAddr,
    pub(crate) request_id: HeaderValue,
}

/// A request that is being answered.
pub(crate) struct RequestTrace {
    started: Instant,
    endpoint: usize,
    id: HeaderValue,
    /// What is told of it, if anybody listens.
    logged: Option<(Method, String)>,
    span: Span,
}

impl HttpMetrics {
    pub(crate) fn begin(&self, request: &Request) -> RequestTrace {
        let path = request.uri().path();
        let door = ENDPOINTS
            .iter()
            .position(|(_, start)| path.starts_with(start))
            .unwrap_or(ENDPOINTS.len() - 1);
        let id = self.ids.id_for(request.headers());
        let told = tracing::enabled!(tracing::Level::DEBUG)
            .then(|| (request.method().clone(), path.to_owned()));
        let span = tracing::debug_span!("request", id = id.to_str().unwrap_or_default());
        RequestTrace { started: Instant::now(), endpoint: door, id, logged: told, span }
    }

    /// Everything that is answered passes here.
    pub(crate) fn finish(&self, sight: RequestTrace, response: &mut Response) {
        let took = sight.started.elapsed();
        let status = response.status().as_u16();
        let door = &self.endpoints[sight.endpoint];
        door.responses[usize::from(status / 100).clamp(1, CLASSES.len()) - 1].add_one();
        door.seconds.record_time(took);
        if let Some((method, path)) = sight.logged {
            let _inside = sight.span.enter();
            tracing::debug!(%method, path, status, microseconds = took.as_micros() as u64, "Request completed.");
        }
        response.headers_mut().entry(REQUEST_ID).or_insert(sight.id);
    }
}

impl RequestTrace {
    pub(crate) fn origin(&self, client: ClientAddr) -> RequestOrigin {
        RequestOrigin { client, request_id: self.id.clone() }
    }

    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }
}

/// Ids of requests: the caller's own where there is one that can be used, else one that no other
/// request here has.
struct RequestIds {
    start: String,
    next: AtomicU64,
}

impl Default for RequestIds {
    fn default() -> Self {
        Self { start: store::new_id()[..8].to_owned(), next: AtomicU64::new(1) }
    }
}

impl RequestIds {
    fn id_for(&self, headers: &HeaderMap) -> HeaderValue {
        let is_fine = |value: &&HeaderValue| {
            let bytes = value.as_bytes();
            (1..=64).contains(&bytes.len())
                && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
        };
        match headers.get(REQUEST_ID).filter(is_fine) {
            Some(given) => given.clone(),
            None => self.generate(),
        }
    }

    fn generate(&self) -> HeaderValue {
        let text = format!("{}-{}", self.start, self.next.fetch_add(1, Ordering::Relaxed));
        HeaderValue::from_maybe_shared(bytes::Bytes::from(text))
            .unwrap_or(HeaderValue::from_static("none"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_could_change_a_log_is_not_taken() {
        let ids = RequestIds::default();
        let of = |text: &str| {
            ids.id_for(&HeaderMap::from_iter([(REQUEST_ID, HeaderValue::from_str(text).unwrap())]))
        };
        assert_eq!(of("abc-1.2_3"), "abc-1.2_3");
        for bad in ["a b", "a\"b", "{x}", &"a".repeat(65)] {
            assert_ne!(of(bad), *bad, "{bad}");
        }
        assert_ne!(ids.id_for(&HeaderMap::new()), ids.id_for(&HeaderMap::new()));
    }

    #[test]
    fn every_path_has_a_door() {
        let door =
            |path: &str| ENDPOINTS.iter().find(|(_, start)| path.starts_with(start)).unwrap().0;
        assert_eq!(door("/webhook/x"), "webhook");
        assert_eq!(door("/webhook-waiting/1-a"), "waiting");
        assert_eq!(door("/form-waiting/1-a"), "form");
        assert_eq!(door("/api/v1/workflows"), "api");
        assert_eq!(door("/metrics"), "other");
    }
}
