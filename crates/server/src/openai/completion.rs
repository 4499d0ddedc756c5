//! What a run has to say, gathered for an answer in OpenAI's shape.

use super::OpenAiError;
use model::{Code, Object, RunStatus, Str, Value};
use node_api::trigger::{ChunkKind, ResponseBody, StreamChunk, WebhookResponse};
use runtime::AcceptedRun;
use runtime::chat::reply_text;

/// The reasons of agents that ended before their final answer.
const BEFORE_THE_ANSWER: [&str; 4] =
    ["max_iterations", "budget", "confidence_threshold", "iteration_limit"];

/// What was heard of a run so far.
#[derive(Default)]
pub(super) struct ReplyCollector {
    input: f64,
    cached: f64,
    output: f64,
    reasoning: f64,
    is_cut_off: bool,
    /// The words of each node that spoke, and whether it is an agent, whose answer is what it puts
    /// out.
    texts: Vec<(Str, String, Speaker)>,
    /// What the caller is to call: the words that came with it, and the calls.
    client_calls: Option<(Str, Vec<Value>)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Agent,
    Other,
}

impl ReplyCollector {
    pub(super) fn add_chunk(&mut self, chunk: &StreamChunk) {
        let Some(content) = &chunk.content else { return };
        let number = |key: &str| content.get(key).and_then(Value::as_f64).unwrap_or_default();
        match chunk.kind {
            ChunkKind::Usage => {
                self.input += number("inputTokens");
                self.cached += number("cachedTokens");
                self.output += number("outputTokens");
                self.reasoning += number("reasoningTokens");
            }
            ChunkKind::Done => {
                let reason = content.get("finishReason").and_then(Value::as_str);
                self.is_cut_off |= reason.is_some_and(|reason| BEFORE_THE_ANSWER.contains(&reason));
                for (node, _, speaker) in &mut self.texts {
                    if *node == chunk.node_name {
                        *speaker = Speaker::Agent;
                    }
                }
            }
            ChunkKind::Item => self.add_text(&chunk.node_name, &text_of(content)),
            ChunkKind::ToolCalls => {
                let text = content.get("text").and_then(Value::as_str).unwrap_or_default();
                let calls = content.get("calls").and_then(Value::as_array).unwrap_or_default();
                self.client_calls = Some((text.into(), calls.to_vec()));
            }
            _ => {}
        }
    }

    fn add_text(&mut self, node: &Str, words: &str) {
        match self.texts.iter_mut().find(|(speaker, ..)| speaker == node) {
            Some((_, said, _)) => said.push_str(words),
            None => self.texts.push((node.clone(), words.to_owned(), Speaker::Other)),
        }
    }

    /// What the caller is to call, and what was said with it.
    pub(super) fn client_calls(&self) -> Option<&(Str, Vec<Value>)> {
        self.client_calls.as_ref()
    }

    /// The words of a node that speaks for itself, or of all if it is none in particular.
    fn text_from(&self, node: Option<&Str>) -> Option<Str> {
        let spoke = self.texts.iter().filter(|(speaker, _, kind)| {
            node.is_none_or(|node| speaker == node && *kind == Speaker::Other)
        });
        let words: Vec<&str> = spoke.map(|(_, words, _)| words.as_str()).collect();
        (!words.is_empty()).then(|| words.join("\n\n").into())
    }

    pub(super) fn usage(&self) -> Value {
        let details =
            |key: &'static str, count: f64| Value::from(Object::from_iter([(key, count)]));
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
        match self.client_calls {
            Some(_) => "tool_calls",
            None if self.is_cut_off => "length",
            None => "stop",
        }
    }
}

/// Who answers: the same in all pieces of an answer.
#[derive(Clone)]
pub(super) struct CompletionHead {
    pub(super) execution: i64,
    /// Leads back to the execution.
    pub(super) ticket: Str,
    pub(super) model: Str,
    pub(super) created: i64,
}

impl CompletionHead {
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
pub(super) async fn final_text(
    mut taken: AcceptedRun,
    heard: &ReplyCollector,
) -> Result<Str, OpenAiError> {
    let outcome = taken
        .outcome
        .await
        .ok_or_else(|| OpenAiError::run_failed(Code::RUN_RECORD, "The run was interrupted"))?;
    if let Some(error) = &outcome.error {
        return Err(OpenAiError::run_failed(map_code(error.code), error.message.clone()));
    }
    if let Ok(WebhookResponse { body, .. }) = taken.answer.try_recv() {
        return Ok(match body {
            ResponseBody::Json(value) => reply_text(&value),
            ResponseBody::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
            ResponseBody::Empty | ResponseBody::Page(_) => Str::new(),
        });
    }
    if outcome.status == RunStatus::Waiting {
        // It has asked something, and goes on with the next message.
        if let Some(words) = heard.text_from(None) {
            return Ok(words);
        }
        return Err(OpenAiError::run_failed(
            Code::EXECUTION_STATUS,
            "The workflow is waiting and has no response yet",
        ));
    }
    if let Some(words) = outcome.last_node.as_ref().and_then(|node| heard.text_from(Some(node))) {
        return Ok(words);
    }
    Ok(outcome
        .last_items()
        .and_then(model::Items::first)
        .map(|item| reply_text(&item.json))
        .unwrap_or_default())
}

/// A piece that is no text is the item of a last node.
pub(super) fn text_of(content: &Value) -> Str {
    if let Value::String(text) = content { text.clone() } else { reply_text(content) }
}

/// A refusal by a model's provider is nothing that the caller's own key could change.
fn map_code(code: Code) -> Code {
    match code.status() {
        401 | 403 => Code::NODE_FAILED,
        _ => code,
    }
}
