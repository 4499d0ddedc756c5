//! Refusals of Anthropic, as answers and in the middle of a stream.

use crate::models::failure::{ModelFailure, read_body};
use crate::models::opaque::text_of;
use model::Value;

/// An answer that is none.
pub fn refusal(
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
    unix_ms: i64,
) -> ModelFailure {
    let (status, words) = match read_body(body) {
        // Servers in between sometimes give the provider's own error under a status of theirs.
        Ok(value) => {
            let error = value.get("error").cloned().unwrap_or_default();
            let kind = status_of(&text_of(&error, "type")).filter(|_| status < 400);
            (kind.unwrap_or(status), text_of(&error, "message"))
        }
        Err(text) => (status, text),
    };
    ModelFailure::refused("anthropic", status, headers, &words, unix_ms)
}

/// An error event of a stream, which has no status of its own.
pub(super) fn event(data: &Value) -> ModelFailure {
    let error = data.get("error").cloned().unwrap_or_default();
    let status = status_of(&text_of(&error, "type")).unwrap_or(500);
    ModelFailure::refused("anthropic", status, &[], &text_of(&error, "message"), 0)
}

fn status_of(kind: &str) -> Option<u16> {
    Some(match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "api_error" => 500,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::failure::RetryHint;
    use model::{Code, json};

    fn refused(status: u16, body: &str) -> ModelFailure {
        refusal(status, &[("retry-after".to_owned(), "7".to_owned())], body.as_bytes(), 0)
    }

    #[test]
    fn a_refusal_has_the_providers_words_and_the_code_of_its_status() {
        let body = r#"{"type":"error","error":{"type":"rate_limit_error","message":"Too many tokens."},"request_id":"req_1"}"#;
        let refusal = refused(429, body);
        assert_eq!(refusal.error.message, "anthropic: Too many tokens.");
        assert_eq!((refusal.error.code, refusal.error.status), (Code::MODEL_RATE_LIMIT, Some(429)));
        assert_eq!(refusal.retry, RetryHint::After(std::time::Duration::from_secs(7)));
    }

    #[test]
    fn the_words_never_decide() {
        let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"rate limit 429 overloaded quota"}}"#;
        let refusal = refused(400, body);
        assert_eq!(
            (refusal.error.code, refusal.retry, refusal.error.may_pass),
            (Code::MODEL_REQUEST, RetryHint::Never, false)
        );
    }

    #[test]
    fn a_page_of_a_server_in_between_is_told_by_its_status() {
        assert_eq!(
            refused(502, "<html>Bad gateway</html>").error.message,
            "anthropic responded with status 502"
        );
        assert_eq!(refused(529, "").error.code, Code::MODEL_ERROR);
        assert_eq!(refused(503, "busy").error.message, "anthropic: busy");
    }

    #[test]
    fn an_error_in_a_stream_is_told_by_its_type() {
        let overloaded = event(
            &json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } }),
        );
        assert_eq!((overloaded.error.code, overloaded.retry), (Code::MODEL_ERROR, RetryHint::Soon));
        let key = event(&json!({ "type": "error", "error": { "type": "authentication_error" } }));
        assert_eq!((key.error.code, key.retry), (Code::INVALID_CREDENTIALS, RetryHint::Never));
        assert_eq!(event(&json!({})).error.code, Code::MODEL_ERROR);
    }
}
