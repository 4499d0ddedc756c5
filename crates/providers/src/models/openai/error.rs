//! What an error of OpenAI's format means: by its status and its code, never by its words.

use crate::models::failure::{self, ModelFailure, RetryHint};
use model::{Code, Str, Value};

/// Reads an answer with an error status.
pub(super) fn of_answer(
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
    unix_ms: i64,
) -> ModelFailure {
    let body = model::json::parse(&String::from_utf8_lossy(body)).unwrap_or_default();
    let said = ErrorBody::read(&body);
    let mut message = said
        .message
        .unwrap_or_else(|| format!("The model's provider responded with status {status}").into());
    if let Some((_, id)) =
        headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("x-request-id"))
    {
        message = format!("{message} (request {id})").into();
    }
    ModelFailure::of_status(status, code_of(status, &said.codes), &message, headers, unix_ms)
}

/// Fails with the error that an event is or carries, if it does.
pub(super) fn check(event: &Value) -> Result<(), ModelFailure> {
    let inner = event.get("response").and_then(inside);
    inner.or_else(|| inside(event)).map_or(Ok(()), Err)
}

/// Reads an error that comes inside an answer that began well, if this is one.
fn inside(event: &Value) -> Option<ModelFailure> {
    let is_error = event.get("error").is_some_and(|error| error.is_truthy())
        || matches!(event.get("object").and_then(Value::as_str), Some("error"))
        || matches!(event.get("type").and_then(Value::as_str), Some("error"));
    if !is_error {
        return None;
    }
    let said = ErrorBody::read(event);
    let status = said.status.unwrap_or(500);
    let message = said
        .message
        .unwrap_or_else(|| "The model's provider aborted the response with an error".into());
    let code = code_of(status, &said.codes);
    let mut failure = ModelFailure::of_status(status, code, &message, &[], 0);
    if said.status.is_none() {
        failure.error.status = None;
        // Without a status, only what is surely the request's own fault is not asked again.
        if code != Code::MODEL_ERROR
            && code != Code::MODEL_RATE_LIMIT
            && code != Code::MODEL_TIMEOUT
        {
            failure.retry = RetryHint::Never;
        }
    }
    Some(failure)
}

/// What there is to read in an error, wherever servers put it.
struct ErrorBody {
    message: Option<Str>,
    codes: Vec<Str>,
    /// Some servers put a status where OpenAI has a word.
    status: Option<u16>,
}

impl ErrorBody {
    fn read(body: &Value) -> Self {
        let error = match body.get("error") {
            Some(Value::Null | Value::Undefined) | None => body,
            Some(error) => error,
        };
        let message = match error {
            Value::String(text) => Some(text.clone()),
            _ => [error.get("message"), error.get("detail"), body.get("message")]
                .into_iter()
                .flatten()
                .find_map(text),
        };
        let inner = error.get("innererror");
        let places =
            [error.get("code"), error.get("type"), inner.and_then(|inner| inner.get("code"))];
        let codes: Vec<Str> = places.into_iter().flatten().map(Value::to_js_string).collect();
        let status = [error.get("code"), error.get("status"), body.get("status")]
            .into_iter()
            .flatten()
            .find_map(|value| {
                let number = value.as_usize().or_else(|| value.as_str()?.parse().ok())?;
                u16::try_from(number).ok().filter(|status| (400..600).contains(status))
            });
        Self { message: message.filter(|message| !message.trim().is_empty()), codes, status }
    }
}

fn text(value: &Value) -> Option<Str> {
    value.as_str().map(Str::from)
}

fn code_of(status: u16, codes: &[Str]) -> Code {
    for code in codes {
        match code.as_str() {
            "insufficient_quota" | "billing_hard_limit_reached" | "billing_not_active" => {
                return Code::MODEL_QUOTA;
            }
            "context_length_exceeded" | "string_above_max_length" | "request_too_large" => {
                return Code::MODEL_CONTEXT;
            }
            "content_filter" | "content_policy_violation" | "ResponsibleAIPolicyViolation" => {
                return Code::MODEL_REFUSED;
            }
            "model_not_found" | "DeploymentNotFound" => return Code::MODEL_NOT_FOUND,
            "invalid_api_key" | "authentication_error" => return Code::INVALID_CREDENTIALS,
            "rate_limit_exceeded" => return Code::MODEL_RATE_LIMIT,
            _ => {}
        }
    }
    failure::code_of(status)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn answer(status: u16, body: &str) -> ModelFailure {
        of_answer(status, &[], body.as_bytes(), 0)
    }

    #[test]
    fn statuses_and_codes_decide() {
        for (status, code, expected) in [
            (401, "invalid_api_key", Code::INVALID_CREDENTIALS),
            (403, "", Code::INVALID_CREDENTIALS),
            (429, "rate_limit_exceeded", Code::MODEL_RATE_LIMIT),
            (429, "insufficient_quota", Code::MODEL_QUOTA),
            (402, "", Code::MODEL_QUOTA),
            (404, "model_not_found", Code::MODEL_NOT_FOUND),
            (400, "context_length_exceeded", Code::MODEL_CONTEXT),
            (413, "", Code::MODEL_CONTEXT),
            (400, "invalid_value", Code::MODEL_REQUEST),
            (422, "", Code::MODEL_REQUEST),
            (400, "content_filter", Code::MODEL_REFUSED),
            (408, "", Code::MODEL_TIMEOUT),
            (409, "", Code::MODEL_ERROR),
            (500, "server_error", Code::MODEL_ERROR),
            (503, "", Code::MODEL_ERROR),
            (529, "", Code::MODEL_ERROR),
        ] {
            let body = model::json!({ "error": { "message": "rate limit quota context 401 words mean nothing", "code": code } });
            let failure = answer(status, &model::json::to_string(&body));
            assert_eq!(failure.error.code, expected, "{status} {code}");
            assert_eq!(failure.error.status, Some(status));
        }
    }

    #[test]
    fn errors_are_found_wherever_servers_put_them() {
        for (body, message) in [
            (r#"{"error":{"message":"a"}}"#, "a"),
            (r#"{"error":"b"}"#, "b"),
            (r#"{"object":"error","message":"c","code":400}"#, "c"),
            (r#"{"detail":"d"}"#, "d"),
            ("<html>bad gateway</html>", "The model's provider responded with status 502"),
            ("", "The model's provider responded with status 502"),
            ("\u{0}\u{ff}", "The model's provider responded with status 502"),
        ] {
            assert_eq!(answer(502, body).error.message, message, "{body}");
        }
    }

    #[test]
    fn azures_filter_is_a_refusal_and_its_pause_is_read() {
        let body = r#"{"error":{"code":"content_filter","message":"m","innererror":{"code":"ResponsibleAIPolicyViolation"}}}"#;
        assert_eq!(answer(400, body).error.code, Code::MODEL_REFUSED);
        let headers = [
            ("retry-after-ms".to_owned(), "1500".to_owned()),
            ("x-request-id".to_owned(), "req_7".to_owned()),
        ];
        let failure = of_answer(429, &headers, b"{}", 0);
        assert_eq!(failure.retry, RetryHint::After(Duration::from_millis(1_500)));
        assert!(failure.error.message.ends_with("(request req_7)"));
    }

    #[test]
    fn errors_inside_an_answer_are_told_apart() {
        let inside = |text: &str| inside(&model::json::parse(text).unwrap());
        assert_eq!(inside(r#"{"choices":[],"error":null}"#), None);
        let overloaded = inside(r#"{"error":{"message":"m","code":502}}"#).unwrap();
        assert_eq!((overloaded.error.status, overloaded.retry), (Some(502), RetryHint::Soon));
        let limited = inside(r#"{"error":{"message":"m","code":"429"}}"#).unwrap();
        assert_eq!((limited.error.code, limited.rate_limited), (Code::MODEL_RATE_LIMIT, true));
        let quota = inside(r#"{"error":{"message":"m","type":"insufficient_quota"}}"#).unwrap();
        assert_eq!((quota.error.code, quota.retry), (Code::MODEL_QUOTA, RetryHint::Never));
        let long = inside(r#"{"error":{"message":"m","code":"context_length_exceeded"}}"#).unwrap();
        assert_eq!((long.error.code, long.retry), (Code::MODEL_CONTEXT, RetryHint::Never));
        assert_eq!(inside(r#"{"error":"plain"}"#).unwrap().retry, RetryHint::Soon);
    }
}
