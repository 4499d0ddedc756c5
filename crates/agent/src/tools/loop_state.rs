//! What is said in one turn of an agent, and what of it the model sees.

use crate::record::{EndReason, Record, ToolUse};
use crate::structured_output;
use model::{Str, Value};
use ports::ai::{ChatRole, Exposure, Message, MessagePart, ToolCall, ToolResult};
use std::sync::{Arc, Mutex, PoisonError};

/// A rule of thumb; tokenizers differ from model to model.
const CHARS_PER_TOKEN: usize = 4;

/// The newest messages that fit, beginning with words of the user, so that no result stands without
/// its call.
pub(super) fn newest(history: Vec<Message>, max_tokens: Option<usize>) -> Vec<Message> {
    let Some(max_tokens) = max_tokens else { return history };
    let mut letters = 0;
    let mut first = history.len();
    for (at, message) in history.iter().enumerate().rev() {
        letters += model::json::to_string(&message.to_value()).len();
        if letters / CHARS_PER_TOKEN > max_tokens {
            break;
        }
        if message.role == ChatRole::User {
            first = at;
        }
    }
    history.into_iter().skip(first).collect()
}

/// What a loop ends with.
pub(super) struct FinalReply {
    pub(super) answer: Str,
    pub(super) value: Option<Value>,
    pub(super) ended: EndReason,
}

/// What the model said last, for whoever ends its loop.
#[derive(Clone, Default)]
pub(super) struct LastWords(Arc<Mutex<Str>>);

impl LastWords {
    pub(super) fn get(&self) -> Str {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, words: Str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = words;
    }
}

/// What is being said.
pub(super) struct AgentLoopState {
    /// As the model sees it.
    pub(super) messages: Vec<Message>,
    /// What belongs to this turn.
    pub(super) turn_messages: Vec<Message>,
    pub(super) record: Record,
    /// Calls that a person has rejected in this run.
    pub(super) rejections: Vec<RejectedCall>,
    /// What came with what was said before.
    pub(super) prior_exposure: Exposure,
    last_words: LastWords,
}

/// A call that a person has rejected.
#[derive(Clone)]
pub(super) struct RejectedCall {
    pub(super) digest: Str,
    pub(super) reason: Option<Str>,
}

/// What came of a call.
pub(super) struct CompletedCall {
    pub(super) used: ToolUse,
    /// Whether it was let through.
    pub(super) was_admitted: bool,
    pub(super) rejection: Option<RejectedCall>,
}

impl AgentLoopState {
    pub(super) fn new(
        system_prompt: &Str,
        history: Vec<Message>,
        user: Message,
        last_words: LastWords,
    ) -> Self {
        let system =
            Some(Message::system(system_prompt.clone())).filter(|_| !system_prompt.is_empty());
        let messages = system.into_iter().chain(history).chain([user.clone()]).collect();
        Self {
            messages,
            turn_messages: vec![user],
            record: Record::default(),
            rejections: Vec::new(),
            prior_exposure: Exposure::default(),
            last_words,
        }
    }

    pub(super) fn push(&mut self, message: Message) {
        if message.role == ChatRole::Assistant {
            let words = message.text();
            if !words.is_empty() {
                self.last_words.set(words);
            }
        }
        self.messages.push(message.clone());
        self.turn_messages.push(message);
    }

    /// Takes down what the calls gave; the model sees it.
    pub(super) fn take_results(&mut self, calls: &[ToolCall], results: Vec<CompletedCall>) {
        let told =
            calls.iter().zip(&results).map(|(call, CompletedCall { used, .. })| ToolResult {
                id: call.id.clone(),
                name: call.name.clone(),
                content: used.content.clone(),
                is_error: used.is_error,
            });
        self.push(Message::results(told.collect::<Vec<_>>()));
        for made in results {
            self.record.tool_uses.push(made.used);
            self.rejections.extend(made.rejection);
        }
    }

    /// Tells the model what is wrong with its final answer; whatever else it called in the same
    /// turn is not done.
    pub(super) fn reject_answer(&mut self, message: Message, calls: &[ToolCall], complaint: &str) {
        self.push(message);
        if calls.is_empty() {
            return self.push(Message::user(complaint));
        }
        let told = calls.iter().map(|call| ToolResult {
            id: call.id.clone(),
            name: call.name.clone(),
            content: if call.name == structured_output::OUTPUT_TOOL {
                complaint.into()
            } else {
                "Not called: a final answer came with it.".into()
            },
            is_error: true,
        });
        self.push(Message::results(told.collect::<Vec<_>>()));
    }

    pub(super) fn last_text(&self) -> Str {
        self.last_words.get()
    }
}

/// The message with an id for each call that no other one has. A call that is there twice, word for
/// word, is meant once.
pub(super) fn with_unique_ids(mut message: Message) -> Message {
    let mut seen: Vec<ToolCall> = Vec::new();
    message.parts.retain_mut(|part| {
        let MessagePart::ToolCall(call) = part else { return true };
        if seen.iter().any(|known| {
            known.id == call.id && known.name == call.name && known.arguments == call.arguments
        }) {
            return false;
        }
        let given = call.id.clone();
        let mut number = 1;
        while seen.iter().any(|known| known.id == call.id) {
            number += 1;
            call.id = format!("{given}-{number}").into();
        }
        seen.push(call.clone());
        true
    });
    message
}
