//! Refusals of Ollama: a status and a sentence, or only the sentence once the answer has begun.

use crate::models::failure::{ModelFailure, read_body};
use crate::models::opaque::text_of;
use model::{Str, Value};

/// An answer that is none.
pub fn refusal(
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
    unix_ms: i64,
) -> ModelFailure {
    let words = read_body(body).map_or_else(|text| text, |value| words_of(&value));
    let mut refusal = ModelFailure::refused("ollama", status, headers, &words, unix_ms);
    if status == 404 {
        refusal.error = refusal.error.hint("Pull the model on the Ollama server first.");
    }
    refusal
}

/// An error after the answer began.
pub(super) fn line(reply: &Value) -> ModelFailure {
    let status =
        reply.get("status").or_else(|| reply.get("error")?.get("code")).and_then(Value::as_usize);
    let status = status
        .and_then(|status| u16::try_from(status).ok())
        .filter(|status| (400..600).contains(status));
    let mut refusal =
        ModelFailure::refused("ollama", status.unwrap_or(500), &[], &words_of(reply), 0);
    refusal.error.status = status;
    refusal
}

fn words_of(value: &Value) -> Str {
    match value.get("error") {
        Some(Value::String(words)) => words.clone(),
        Some(error) => text_of(error, "message"),
        None => Str::new(),
    }
}
