//! The headers that a workflow may set on its response: those that concern this one response.
//! Headers that browsers apply to the whole origin, that proxies act on, or that frame the message
//! are not among them.

use super::cookie::{self, Cookie};
use super::media_type::{MediaType, is_token};
use model::Str;
use std::borrow::Cow;

/// Standard headers that concern only the response that carries them, in lower case.
const STANDARD: &[&str] = &[
    "accept-patch",
    "accept-post",
    "accept-ranges",
    "age",
    "allow",
    "cache-control",
    "content-digest",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-location",
    "content-md5",
    "content-range",
    "content-security-policy",
    "content-security-policy-report-only",
    "content-type",
    "correlation-id",
    "cross-origin-resource-policy",
    "deprecation",
    "digest",
    "etag",
    "expires",
    "idempotency-key",
    "last-modified",
    "link",
    "location",
    "operation-location",
    "permissions-policy",
    "pragma",
    "preference-applied",
    "referrer-policy",
    "repr-digest",
    "request-id",
    "retry-after",
    "server",
    "server-timing",
    "set-cookie",
    "signature",
    "signature-input",
    "sunset",
    "timing-allow-origin",
    "traceparent",
    "tracestate",
    "vary",
    "warning",
    "www-authenticate",
];

/// Families of names, each for callers that are programs: headers of one's own, CORS, CloudEvents
/// and its handshake, MCP, rate limits.
const FAMILIES: [&str; 6] = ["x-", "access-control-", "ce-", "webhook-", "mcp-", "ratelimit-"];

/// Headers of the first family that reverse proxies, platforms, file servers or developer tools act
/// on.
const RESERVED_HEADERS: &[&str] = &[
    "x-accel-",
    "x-akamai-",
    "x-appengine-",
    "x-envoy-",
    "x-fastly-",
    "x-kong-",
    "x-lighttpd-",
    "x-litespeed-",
    "x-middleware-",
    "x-mod-pagespeed",
    "x-netlify-",
    "x-nextjs-",
    "x-page-speed",
    "x-reproxy-",
    "x-send-file",
    "x-sendfile",
    "x-sourcemap",
    "x-traefik-",
    "x-varnish",
    "x-vercel-",
];

/// Headers that a workflow may set on one response besides its type, and how long their names and
/// values may be together. Proxies refuse responses that have more.
const MAX_RESPONSE_HEADERS: usize = 100;
const MAX_RESPONSE_HEADER_BYTES: usize = 16 << 10;

/// Cookies that one response may set. Browsers keep some 180 per site and throw away old ones, such
/// as the one that keeps somebody signed in. A response that leads elsewhere may set fewer: a
/// browser follows twenty of them without anybody seeing it.
const MAX_COOKIES: usize = 5;
const MAX_COOKIES_ON_THE_WAY: usize = 3;

/// Headers that are left out and told one by one.
const MAX_REPORTED: usize = 10;

/// A header of a response as it may be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResponseHeader<'a> {
    ContentType(MediaType),
    /// Several may be sent.
    SetCookie(Cookie),
    Other(&'a str),
}

/// Why a header is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderRejection {
    #[error("workflows cannot set it. Start the name of a custom header with 'X-'")]
    Name,
    #[error(
        "the value is not a single media type. The response is sent as application/octet-stream"
    )]
    ContentType,
    #[error(
        "the cookie needs a name of letters, digits, '-', '_' and '.' that does not start with '__' or 'heddle'"
    )]
    CookieName,
    #[error("the value of the cookie has characters other than printable ASCII")]
    CookieValue,
    #[error("the cookie cannot have a Domain")]
    CookieDomain,
    #[error("a response may have at most {} headers with {} KB in total", MAX_RESPONSE_HEADERS, MAX_RESPONSE_HEADER_BYTES >> 10)]
    TooMany,
    #[error(
        "a response may set at most {} cookies, and {} if it has a Location. Put several values \
             into one cookie",
        MAX_COOKIES,
        MAX_COOKIES_ON_THE_WAY
    )]
    TooManyCookies,
}

/// Decides about a header that a workflow wants to send.
pub fn response_header<'a>(
    name: &str,
    value: &'a str,
) -> Result<ResponseHeader<'a>, HeaderRejection> {
    let name: Cow<'_, str> = match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => name.to_ascii_lowercase().into(),
        false => name.into(),
    };
    let is_of_a_family = FAMILIES.iter().any(|family| name.starts_with(family));
    let is_ones_own = !RESERVED_HEADERS.iter().any(|start| name.starts_with(start));
    if !(STANDARD.binary_search(&&*name).is_ok()
        || is_of_a_family && is_ones_own && is_token(&name))
    {
        return Err(HeaderRejection::Name);
    }
    match &*name {
        "content-type" => MediaType::parse(value)
            .map(ResponseHeader::ContentType)
            .ok_or(HeaderRejection::ContentType),
        "set-cookie" => cookie::rewrite_cookie(value).map(ResponseHeader::SetCookie),
        _ => Ok(ResponseHeader::Other(value)),
    }
}

/// Decides about all headers that a workflow wants to send with one response, in their order.
pub fn response_headers(
    headers: &[(Str, Str)],
) -> impl Iterator<Item = (&Str, Result<ResponseHeader<'_>, HeaderRejection>)> {
    let (mut n_headers, mut n_cookies, mut bytes) = (0, 0, 0_usize);
    let leads_on = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("location"));
    let max_cookies = if leads_on { MAX_COOKIES_ON_THE_WAY } else { MAX_COOKIES };
    headers.iter().map(move |(name, value)| {
        let decided = response_header(name, value);
        let length = match &decided {
            // There is one type, whatever else there is.
            Ok(ResponseHeader::ContentType(_)) | Err(_) => return (name, decided),
            Ok(ResponseHeader::SetCookie(_)) if n_cookies >= max_cookies => {
                return (name, Err(HeaderRejection::TooManyCookies));
            }
            Ok(ResponseHeader::SetCookie(cookie)) => {
                n_cookies += 1;
                cookie.len()
            }
            Ok(ResponseHeader::Other(value)) => value.len(),
        };
        n_headers += 1;
        bytes = bytes.saturating_add(name.len() + length);
        let fits = n_headers <= MAX_RESPONSE_HEADERS && bytes <= MAX_RESPONSE_HEADER_BYTES;
        (name, if fits { decided } else { Err(HeaderRejection::TooMany) })
    })
}

/// What to tell the author of a workflow about the headers that are not sent.
pub fn rejected_headers(headers: &[(Str, Str)]) -> impl Iterator<Item = String> {
    let refused =
        || response_headers(headers).filter_map(|(name, decided)| Some((name, decided.err()?)));
    let told = refused()
        .take(MAX_REPORTED)
        .map(|(name, why)| format!("The header '{name}' was not sent: {why}."));
    let others = refused().count().saturating_sub(MAX_REPORTED);
    told.chain((others > 0).then(|| format!("{others} more headers were not sent either.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_in_lower_case() {
        assert!(
            STANDARD.is_sorted() && STANDARD.iter().all(|name| *name == name.to_ascii_lowercase())
        );
    }

    #[test]
    fn issue_14_00_headers_that_reach_beyond_the_response_are_refused() {
        for name in [
            "NEL",
            "Report-To",
            "Reporting-Endpoints",
            "Strict-Transport-Security",
            "Alt-Svc",
            "Accept-CH",
            "Critical-CH",
            "Clear-Site-Data",
            "Service-Worker-Allowed",
            "Origin-Agent-Cluster",
            "Cross-Origin-Opener-Policy",
            "Public-Key-Pins",
            "Expect-CT",
            "Refresh",
            "SourceMap",
            "Speculation-Rules",
            "Use-As-Dictionary",
            "No-Vary-Search",
            "Set-Login",
            "Set-Cookie2",
            "Content-Length",
            "Transfer-Encoding",
            "Connection",
            "Upgrade",
            "X-Accel-Redirect",
            "X-Envoy-Immediate-Health-Check-Fail",
            "x-appengine-blobkey",
            "X-Middleware-Rewrite",
            "Surrogate-Control",
            "CDN-Cache-Control",
            "x-accel-buffering",
            "X-Sendfile",
            "X-LiteSpeed-Location",
            "X-SourceMap",
            "My-Header",
            "x-a b",
            "x-a\r\nb",
            "",
        ] {
            assert_eq!(response_header(name, "x"), Err(HeaderRejection::Name), "{name:?}");
        }
    }

    #[test]
    fn headers_of_one_response_are_sent() {
        for name in [
            "X-Mine",
            "x-frame-options",
            "Cache-Control",
            "Access-Control-Allow-Origin",
            "WebHook-Allowed-Origin",
            "Location",
        ] {
            assert_eq!(response_header(name, "x"), Ok(ResponseHeader::Other("x")), "{name}");
        }
    }

    #[test]
    fn issue_14_00_a_response_has_only_so_many_headers() {
        let many: Vec<(Str, Str)> =
            (0..30_000).map(|number| (format!("x-{number}").into(), "1".into())).collect();
        let sent = |headers: &[(Str, Str)]| {
            response_headers(headers).filter(|(_, decided)| decided.is_ok()).count()
        };
        assert_eq!(sent(&many), MAX_RESPONSE_HEADERS);
        let told: Vec<String> = rejected_headers(&many).collect();
        assert_eq!(told.len(), MAX_REPORTED + 1);
        assert!(
            told[0].contains("'x-100'")
                && told[0].contains("at most 100 headers")
                && told[0].contains("16 KB"),
            "{told:?}"
        );
        assert_eq!(told[MAX_REPORTED], "29890 more headers were not sent either.");
        let mut long: Vec<(Str, Str)> =
            (0..20).map(|number| (format!("x-{number}").into(), "a".repeat(1000).into())).collect();
        assert_eq!(sent(&long), 16);
        long.push(("content-type".into(), "text/plain".into()));
        assert_eq!(sent(&long), 17, "the type is always sent");
    }

    #[test]
    fn issue_14_13_responses_do_not_push_the_session_out_of_the_browser() {
        /// How many cookies browsers keep for a site at least, and how many redirects they follow.
        const KEPT: usize = 150;
        const FOLLOWED: usize = 20;
        let cookies: Vec<(Str, Str)> =
            (0..30).map(|number| ("set-cookie".into(), format!("c{number}=1").into())).collect();
        let sent = |headers: &[(Str, Str)]| {
            response_headers(headers).filter(|(_, decided)| decided.is_ok()).count()
        };
        assert_eq!(sent(&cookies), MAX_COOKIES);
        for (name, place) in [("location", 0), ("Location", 30)] {
            let mut leading = cookies.clone();
            leading.insert(place, (name.into(), "/webhook/next".into()));
            assert_eq!(sent(&leading), 1 + MAX_COOKIES_ON_THE_WAY);
        }
        const { assert!(MAX_COOKIES_ON_THE_WAY * FOLLOWED < KEPT / 2) };
        let told: Vec<String> = rejected_headers(&cookies).collect();
        assert!(told[0].contains("at most 5 cookies"), "{told:?}");
    }

    #[test]
    fn refusals_are_told_by_name() {
        let headers = [
            ("nel".into(), "{}".into()),
            ("x-a".into(), "1".into()),
            ("content-type".into(), "a/b,c/d".into()),
        ];
        let told: Vec<String> = rejected_headers(&headers).collect();
        assert_eq!(told.len(), 2);
        assert!(
            told[0].starts_with("The header 'nel' was not sent: workflows cannot set it."),
            "{told:?}"
        );
    }
}
