//! What a run has to say, gathered for an answer in OpenAI's shape.

use super::Refusal;
use model::{Code, Object, RunStatus, Str, Value};
use node_api::trigger::{Answer, AnswerBody, Chunk, ChunkKind};
use runtime::Taken;
use runtime::chat::words_of;

/// What was heard of a run so far.
#[derive(Default)]
pub(super) struct Heard {
    input: f64,
    cached: f64,
    output: f64,
    reasoning: f64,
    is_cut_off: bool,
}

impl Heard {
    pub(super) fn hear(&mut self, chunk: &Chunk) {
        let Some(content) = &chunk.content else { return };
        let number = |key: &str| content.get(key).and_then(Value::as_f64).unwrap_or_default();
        match chunk.kind {
            ChunkKind::Usage => {
                self.input += number("inputTokens");
                self.cached += number("cachedTokens");
                self.output += number("outputTokens");
                self.reasoning += number("reasoningTokens");
            }
            ChunkKind::Done => self.is_cut_off |= content.get("finishReason").and_then(Value::as_str) == Some("max_iterations"),
            _ => {}
        }
    }

    pub(super) fn usage(&self) -> Value {
        let details = |key: &'static str, count: f64| Value::from(Object::from_iter([(key, count)]));
        let usage = [
            ("prompt_tokens", Value::from(self.input)),
            ("completion_tokens", self.output.into()),
            ("total_tokens", (self.input + self.output).into()),
            ("prompt_tokens_details", details("cached_tokens", self.cached)),
            ("completion_tokens_details", details("reasoning_tokens", self.reasoning)),
        ];
        Object::from_iter(usage).into()
    }

    pub(super) fn finish_reason(&self) -> &'static str {
        if self.is_cut_off { "length" } else { "stop" }
    }
}

/// Who answers: the same in all pieces of an answer.
#[derive(Clone)]
pub(super) struct Head {
    pub(super) execution: i64,
    pub(super) model: Str,
    pub(super) created: i64,
}

impl Head {
    pub(super) fn to_object(&self, kind: &str) -> Object {
        Object::from_iter([
            ("id", Value::from(format!("chatcmpl-{}", self.execution))),
            ("object", kind.into()),
            ("created", (self.created as f64).into()),
            ("model", self.model.clone().into()),
        ])
    }
}

/// The words that a run ended with: what its last node put out, or what a node has answered.
pub(super) async fn last_words(mut taken: Taken) -> Result<Str, Refusal> {
    let outcome = taken.outcome.await.ok_or_else(|| Refusal::of_run(Code::RUN_RECORD, "The run broke off"))?;
    if let Some(error) = &outcome.error {
        return Err(Refusal::of_run(failed_as(error.code), error.message.clone()));
    }
    if let Ok(Answer { body, .. }) = taken.answer.try_recv() {
        return Ok(match body {
            AnswerBody::Json(value) => words_of(&value),
            AnswerBody::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
            AnswerBody::Empty | AnswerBody::Page(_) => Str::new(),
        });
    }
    if outcome.status == RunStatus::Waiting {
        return Err(Refusal::of_run(Code::EXECUTION_STATUS, "The workflow waits for something, and has no answer yet"));
    }
    Ok(outcome.last_items().and_then(model::Items::first).map(|item| words_of(&item.json)).unwrap_or_default())
}

/// A refusal by a model's provider is nothing that the caller's own key could change.
fn failed_as(code: Code) -> Code {
    match code.status() {
        401 | 403 => Code::NODE_FAILED,
        _ => code,
    }
}
