//! Whether a request of a browser comes from one of our own pages.

use crate::error::ApiError;
use axum::http::{HeaderMap, header};
use model::Code;

/// Refuses requests that another site's page has sent. Programs send no origin and pass.
pub(crate) fn check(headers: &HeaderMap) -> Result<(), ApiError> {
    let text =
        |name: header::HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let Some(origin) = text(header::ORIGIN) else { return Ok(()) };
    let host = text(header::HOST).unwrap_or_default();
    let authority = origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"));
    match authority {
        Some(authority) if !host.is_empty() && authority.eq_ignore_ascii_case(host) => Ok(()),
        _ => Err(ApiError::new(Code::ACCESS_FORBIDDEN, "The request comes from another site")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn passes(origin: Option<&'static str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("heddle.example:5678"));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
        }
        check(&headers).is_ok()
    }

    #[test]
    fn only_our_own_pages_and_programs_pass() {
        assert!(
            passes(None)
                && passes(Some("http://heddle.example:5678"))
                && passes(Some("https://HEDDLE.example:5678"))
        );
        for foreign in [
            "null",
            "",
            "http://evil.example",
            "http://heddle.example",
            "http://heddle.example:5678.evil.example",
            "file://",
        ] {
            assert!(!passes(Some(foreign)), "{foreign}");
        }
    }
}
