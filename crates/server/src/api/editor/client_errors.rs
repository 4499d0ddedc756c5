//! `POST /api/v1/client-errors`: what went wrong in somebody's browser, as one line of the server's
//! log.

use crate::access::Principal;
use crate::admission::RateLimiter;
use crate::api::{ApiOperation, RequestJson, invalid};
use crate::error::ApiError;
use crate::observe::RequestOrigin;
use crate::wire;
use axum::Extension;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::post;
use model::Code;
use std::sync::Arc;
use std::time::Duration;

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "POST",
    "/client-errors",
    "",
    "reportClientError",
    "Report an error in the editor to the server's log",
    || post(report).layer(Extension(Arc::new(ReportLimits::default()))),
)
.without_scope()
.request_body::<wire::ClientErrorInput>()
.empty_response(204)];

/// The largest report.
const REPORT_BYTES: usize = 16 << 10;

/// How many characters of each text are logged; the rest is cut off.
const MESSAGE_CHARS: usize = 500;
const STACK_CHARS: usize = 4_000;
const PAGE_CHARS: usize = 300;
const BROWSER_CHARS: usize = 300;
const NAME_CHARS: usize = 100;

/// One person's reports: one in this time, and as many at once as fit into the burst.
const PERSON_INTERVAL: Duration = Duration::from_secs(6);
const PERSON_BURST: Duration = Duration::from_secs(60);
/// One address' reports, which may be several people's.
const ADDRESS_INTERVAL: Duration = Duration::from_secs(1);
const ADDRESS_BURST: Duration = Duration::from_secs(60);

/// Reports are lines of the log, so nobody may send many.
struct ReportLimits {
    people: RateLimiter,
    addresses: RateLimiter,
}

impl Default for ReportLimits {
    fn default() -> Self {
        Self {
            people: RateLimiter::with_interval(PERSON_INTERVAL, PERSON_BURST),
            addresses: RateLimiter::with_interval(ADDRESS_INTERVAL, ADDRESS_BURST),
        }
    }
}

impl ReportLimits {
    fn take(&self, person: &str, origin: &RequestOrigin) -> Result<(), ApiError> {
        let wait =
            self.people.take_for(person).and_then(|()| self.addresses.take(origin.client.address));
        wait.map_err(|seconds| {
            ApiError::new(Code::RATE_LIMIT, "Too many errors reported").retry_after(seconds)
        })
    }
}

async fn report(
    Extension(who): Extension<Principal>,
    Extension(limits): Extension<Arc<ReportLimits>>,
    Extension(origin): Extension<RequestOrigin>,
    headers: HeaderMap,
    request: Request,
) -> Result<StatusCode, ApiError> {
    limits.take(&who.user_id, &origin)?;
    let RequestJson(body) = RequestJson::with_limit(request, REPORT_BYTES).await?;
    let sent: wire::ClientErrorInput = body.read()?;
    let field = |text: Option<String>, chars| sanitize(&text.unwrap_or_default(), chars);
    let message = sanitize(&sent.message, MESSAGE_CHARS);
    if message.is_empty() {
        return Err(invalid("message", "must not be empty"));
    }
    let (stack, part) = (field(sent.stack, STACK_CHARS), field(sent.part, NAME_CHARS));
    let (address, build) = (field(sent.page, PAGE_CHARS), field(sent.build, NAME_CHARS));
    let browser =
        headers.get(header::USER_AGENT).map(|agent| String::from_utf8_lossy(agent.as_bytes()));
    // Written as Rust writes texts: quoted, and with every control character and line break
    // escaped, so that no report can look like a line or a field of its own.
    tracing::warn!(
        user_id = %who.user_id,
        error = ?message,
        ?part,
        page = ?page(&address),
        ?build,
        browser = ?sanitize(&browser.unwrap_or_default(), BROWSER_CHARS),
        ?stack,
        "Client error."
    );
    Ok(StatusCode::NO_CONTENT)
}

/// The path of a page, and nothing behind it.
fn page(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default()
}

/// A text as it is logged: cut, and its addresses without what may hold secrets.
fn sanitize(text: &str, chars: usize) -> String {
    let cut: String = text.chars().take(chars).collect();
    cut.split_inclusive(char::is_whitespace).map(redact).collect()
}

/// A word that is an address loses its query, its fragment, and the name and password before its
/// host.
fn redact(word: &str) -> String {
    let end = word.trim_end().len();
    let (word, space) = word.split_at(end);
    let has_query = |mark: usize| word[..mark].contains('/') || word[mark..].contains('=');
    let kept =
        word.find(['?', '#']).filter(|mark| has_query(*mark)).map_or(word, |mark| &word[..mark]);
    let cut = if kept.len() < word.len() { "?…" } else { "" };
    let without_login = kept.split_once("://").and_then(|(scheme, rest)| {
        let host = rest.find('/').unwrap_or(rest.len());
        let at = rest[..host].rfind('@')?;
        Some(format!("{scheme}://{}", &rest[at + 1..]))
    });
    format!("{}{cut}{space}", without_login.as_deref().unwrap_or(kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_00_addresses_in_a_report_lose_their_secrets() {
        for (given, kept) in [
            (
                "Failed to fetch https://host/api/v1/x?token=abc&y=1 again",
                "Failed to fetch https://host/api/v1/x?… again",
            ),
            ("at f (https://host/a.js?key=abc)b:1:2)\n  at g", "at f (https://host/a.js?…\n  at g"),
            ("https://ada:secret@host/path", "https://host/path"),
            ("https://ada:sec@ret@host", "https://host"),
            ("/setup?token=abc", "/setup?…"),
            ("/page#access_token=abc", "/page?…"),
            ("?token=abc", "?…"),
            ("Unexpected token '?' in a ? b : c", "Unexpected token '?' in a ? b : c"),
            (
                "Cannot read private member #name of a?.b",
                "Cannot read private member #name of a?.b",
            ),
            ("", ""),
        ] {
            assert_eq!(sanitize(given, 1_000), kept);
        }
        assert_eq!(page("/workflow/new?token=abc#x"), "/workflow/new");
        assert_eq!(sanitize(&"ü?=".repeat(10), 4), "ü?…");
    }
}
