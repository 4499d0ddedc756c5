//! Refusals of Bedrock, as answers and in the middle of a stream.

use crate::models::failure::{ModelFailure, read_body};
use crate::models::opaque::text_of;
use model::{Str, Value};

/// An answer that is none.
pub(super) fn refusal(
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
    unix_ms: i64,
) -> ModelFailure {
    let words = read_body(body).map_or_else(|text| text, |value| message_of(&value));
    ModelFailure::refused("bedrock", status, headers, &words, unix_ms)
}

/// An exception in a stream, which has a name in place of a status.
pub(super) fn exception(name: &str, payload: &Value) -> ModelFailure {
    ModelFailure::refused("bedrock", status_of(name), &[], &message_of(payload), 0)
}

fn message_of(value: &Value) -> Str {
    ["message", "Message"]
        .into_iter()
        .map(|field| text_of(value, field))
        .find(|words| !words.is_empty())
        .unwrap_or_default()
}

fn status_of(name: &str) -> u16 {
    match name {
        "validationException" => 400,
        "accessDeniedException" => 403,
        "resourceNotFoundException" => 404,
        "modelTimeoutException" => 408,
        "throttlingException" | "serviceQuotaExceededException" => 429,
        "serviceUnavailableException" => 503,
        _ => 500,
    }
}
