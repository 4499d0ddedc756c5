//! Refusals of Gemini, which say how long to wait in their body.

use crate::models::failure::{ModelFailure, RetryHint, read_body};
use crate::models::opaque::text_of;
use model::{Code, Value};
use std::time::Duration;

/// An answer that is none.
pub fn refusal(
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
    unix_ms: i64,
) -> ModelFailure {
    match read_body(body) {
        Ok(value) => {
            of_error(status, headers, value.get("error").unwrap_or(&Value::Undefined), unix_ms)
        }
        Err(words) => ModelFailure::refused("gemini", status, headers, &words, unix_ms),
    }
}

/// An error in the middle of a stream, which has its status in itself.
pub(super) fn event(data: &Value) -> ModelFailure {
    let error = data.get("error").cloned().unwrap_or_default();
    let status = error
        .get("code")
        .and_then(Value::as_usize)
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| *code >= 400);
    of_error(
        status.or_else(|| status_of(&text_of(&error, "status"))).unwrap_or(500),
        &[],
        &error,
        0,
    )
}

fn of_error(
    status: u16,
    headers: &[(String, String)],
    error: &Value,
    unix_ms: i64,
) -> ModelFailure {
    let refusal =
        ModelFailure::refused("gemini", status, headers, &text_of(error, "message"), unix_ms);
    let details = error.get("details").and_then(Value::as_array).unwrap_or_default();
    // A wrong key is an invalid argument there, and only the reason tells it from others.
    if details.iter().any(|detail| text_of(detail, "reason") == "API_KEY_INVALID") {
        return refusal.with_code(Code::INVALID_CREDENTIALS).with_retry(RetryHint::Never);
    }
    match details.iter().find_map(pause) {
        Some(pause) if refusal.retry != RetryHint::Never => {
            refusal.with_retry(RetryHint::After(pause))
        }
        _ => refusal,
    }
}

/// The `retryDelay` of a `google.rpc.RetryInfo`: seconds with an `s` behind them.
fn pause(detail: &Value) -> Option<Duration> {
    if !text_of(detail, "@type").ends_with("google.rpc.RetryInfo") {
        return None;
    }
    let seconds: f64 = text_of(detail, "retryDelay").strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn status_of(name: &str) -> Option<u16> {
    Some(match name {
        "INVALID_ARGUMENT" | "FAILED_PRECONDITION" | "OUT_OF_RANGE" => 400,
        "UNAUTHENTICATED" => 401,
        "PERMISSION_DENIED" => 403,
        "NOT_FOUND" => 404,
        "ABORTED" => 409,
        "RESOURCE_EXHAUSTED" => 429,
        "INTERNAL" => 500,
        "UNAVAILABLE" => 503,
        "DEADLINE_EXCEEDED" => 504,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn refused(status: u16, body: &Value) -> ModelFailure {
        refusal(status, &[], model::json::to_string(body).as_bytes(), 0)
    }

    #[test]
    fn the_pause_stands_in_the_body() {
        let info = |delay: &str| {
            json!({ "error": { "code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Quota.", "details": [
                { "@type": "type.googleapis.com/google.rpc.Help" },
                { "@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay }
            ] } })
        };
        let refusal = refused(429, &info("37s"));
        assert_eq!(
            (refusal.error.code, refusal.retry),
            (Code::MODEL_RATE_LIMIT, RetryHint::After(Duration::from_secs(37)))
        );
        assert_eq!(refusal.error.message, "gemini: Quota.");
        assert_eq!(refused(429, &info("0.5s")).retry, RetryHint::After(Duration::from_millis(500)));
        assert_eq!(refused(429, &info("a while")).retry, RetryHint::Soon);
        assert_eq!(refused(429, &info("-1s")).retry, RetryHint::Soon);
        assert_eq!(refused(400, &info("37s")).retry, RetryHint::Never);
    }

    #[test]
    fn a_wrong_key_is_told_by_its_reason_and_not_by_words() {
        let reason = json!({ "error": { "code": 400, "status": "INVALID_ARGUMENT", "details": [{ "reason": "API_KEY_INVALID" }] } });
        assert_eq!(refused(400, &reason).error.code, Code::INVALID_CREDENTIALS);
        let words = json!({ "error": { "code": 400, "status": "INVALID_ARGUMENT", "message": "API key not valid" } });
        assert_eq!(refused(400, &words).error.code, Code::MODEL_REQUEST);
    }

    #[test]
    fn an_error_in_a_stream_has_its_own_status() {
        let code = |error: Value| {
            event(&[("error", error)].into_iter().collect::<model::Object>().into()).error.code
        };
        assert_eq!(code(json!({ "code": 503, "status": "UNAVAILABLE" })), Code::MODEL_ERROR);
        assert_eq!(code(json!({ "status": "RESOURCE_EXHAUSTED" })), Code::MODEL_RATE_LIMIT);
        assert_eq!(code(json!({ "code": 0 })), Code::MODEL_ERROR);
        assert_eq!(
            refusal(500, &[], b"[{\"error\":{\"message\":\"x\"}}]", 0).error.message,
            "gemini: x"
        );
    }
}
