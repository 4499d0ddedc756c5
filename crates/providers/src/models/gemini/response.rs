//! An answer of Gemini as a turn.

use super::error;
use crate::models::call_ids::CallIds;
use crate::models::failure::ModelFailure;
use crate::models::object_ext::ObjectExt;
use crate::models::opaque::{bind, text_of};
use crate::models::token_counts::count;
use model::{Object, Str, Value, json};
use node_api::ai::{
    ChatRole, Message, MessagePart, ModelInfo, ModelReply, StopReason, TokenUsage, ToolArguments,
    ToolCall,
};

/// The whole answer at once.
pub fn turn(reply: &Value, info: &ModelInfo) -> Result<ModelReply, ModelFailure> {
    let mut reading = GeminiReplyBuilder::new(info);
    reading.add(reply)?;
    reading.finish()
}

/// An answer as it is put together: a stream has the same objects as a whole answer, with more of
/// the parts in each.
pub(super) struct GeminiReplyBuilder {
    info: ModelInfo,
    parts: Vec<MessagePart>,
    ids: Option<CallIds>,
    model: Str,
    finish_reason: Option<Str>,
    was_blocked: bool,
    continuation: Option<Value>,
    usage: Option<Value>,
    pub(super) n_calls: usize,
}

/// What came with one object of a stream.
pub(super) enum ReplyDelta {
    Text(Str),
    Thinking(Str),
    Call(Str),
}

impl GeminiReplyBuilder {
    pub(super) fn info(&self) -> &ModelInfo {
        &self.info
    }

    pub(super) fn new(info: &ModelInfo) -> Self {
        Self {
            info: info.clone(),
            parts: Vec::new(),
            ids: None,
            model: Str::new(),
            finish_reason: None,
            was_blocked: false,
            continuation: None,
            usage: None,
            n_calls: 0,
        }
    }

    pub(super) fn add(&mut self, reply: &Value) -> Result<Vec<ReplyDelta>, ModelFailure> {
        if reply.get("error").is_some_and(Value::is_object) {
            return Err(error::event(reply));
        }
        if !reply.is_object() {
            return Err(ModelFailure::broken("gemini", "The response is not an object"));
        }
        self.ids.get_or_insert_with(|| CallIds::new(&text_of(reply, "responseId")));
        match text_of(reply, "modelVersion") {
            name if name.is_empty() => {}
            name => self.model = name,
        }
        if let Some(usage) = reply.get("usageMetadata").filter(|usage| usage.is_object()) {
            self.usage = Some(usage.clone());
        }
        self.was_blocked |= reply
            .get("promptFeedback")
            .and_then(|feedback| feedback.get("blockReason"))
            .is_some_and(Value::is_string);
        // Only one candidate is ever asked for.
        let Some(candidate) = reply.get("candidates").and_then(|candidates| candidates.at(0))
        else {
            return Ok(Vec::new());
        };
        self.finish_reason = candidate
            .get("finishReason")
            .and_then(Value::as_str)
            .map(Str::from)
            .or(self.finish_reason.take());
        self.continuation =
            candidate.get("continuationToken").cloned().or(self.continuation.take());
        let parts = candidate
            .get("content")
            .and_then(|content| content.get("parts"))
            .and_then(Value::as_array);
        Ok(parts.unwrap_or_default().iter().filter_map(|part| self.add_part(part)).collect())
    }

    /// Whether the answer said why it ends.
    pub(super) fn has_end(&self) -> bool {
        self.finish_reason.is_some() || self.was_blocked
    }

    pub(super) fn finish(&mut self) -> Result<ModelReply, ModelFailure> {
        if !self.has_end() {
            return Err(ModelFailure::broken("gemini", "The response was cut off"));
        }
        let mut message = Message::new(ChatRole::Assistant, std::mem::take(&mut self.parts));
        let token = self
            .continuation
            .take()
            .map(|token| bind(&self.info, json!({}).with("continuationToken", token)));
        message.opaque = token;
        let stop = match self.finish_reason.take() {
            Some(reason) => stop_of(&reason, self.n_calls > 0),
            None => StopReason::ContentFilter,
        };
        let model =
            if self.model.is_empty() { self.info.model.clone() } else { self.model.clone() };
        Ok(ModelReply { message, stop, usage: usage_of(self.usage.take()), model })
    }

    fn add_part(&mut self, part: &Value) -> Option<ReplyDelta> {
        let signature = part.get("thoughtSignature").filter(|signature| signature.is_string());
        if let Some(call) = part.get("functionCall").filter(|call| call.is_object()) {
            return Some(self.add_call(call, signature));
        }
        let Some(words) = part.get("text").and_then(Value::as_str).map(Str::from) else {
            // Code that the provider ran, and whatever else it comes up with, goes back to it as it
            // is.
            self.parts.push(MessagePart::Thinking {
                text: Str::new(),
                opaque: Some(bind(&self.info, part.clone())),
            });
            return None;
        };
        let is_thought = part.get("thought").and_then(Value::as_bool) == Some(true);
        match (is_thought, self.parts.last_mut()) {
            (true, Some(MessagePart::Thinking { text, opaque: None })) => text.push_str(&words),
            (true, _) if words.is_empty() => {}
            (true, _) => {
                self.parts.push(MessagePart::Thinking { text: words.clone(), opaque: None })
            }
            (false, Some(MessagePart::Text(text))) => text.push_str(&words),
            (false, _) if words.is_empty() => {}
            (false, _) => self.parts.push(MessagePart::Text(words.clone())),
        }
        if let Some(signature) = signature {
            // A signature of text goes back in an empty part behind it, the way that streams bring
            // it.
            let empty = json!({ "text": "" }).with("thoughtSignature", signature.clone());
            self.parts.push(MessagePart::Thinking {
                text: Str::new(),
                opaque: Some(bind(&self.info, empty)),
            });
        }
        match is_thought {
            _ if words.is_empty() => None,
            true => Some(ReplyDelta::Thinking(words)),
            false => Some(ReplyDelta::Text(words)),
        }
    }

    fn add_call(&mut self, call: &Value, signature: Option<&Value>) -> ReplyDelta {
        let given = text_of(call, "id");
        let mut own = Object::new();
        if !given.is_empty() {
            own.insert("id", given.clone());
        }
        own.extend(signature.map(|signature| ("thoughtSignature", signature.clone())));
        let opaque = (!own.is_empty()).then(|| bind(&self.info, own.into()));
        let id = self.ids.get_or_insert_with(|| CallIds::new("")).take(&given);
        let name = text_of(call, "name");
        let arguments = match call.get("args") {
            Some(Value::Object(object)) => ToolArguments::Parsed((**object).clone()),
            None | Some(Value::Null) => ToolArguments::Parsed(Object::new()),
            Some(other) => ToolArguments::parse(&model::json::to_string(other)),
        };
        self.parts.push(MessagePart::ToolCall(ToolCall {
            id,
            name: name.clone(),
            arguments,
            opaque,
        }));
        self.n_calls += 1;
        ReplyDelta::Call(name)
    }
}

fn stop_of(reason: &str, calls_tools: bool) -> StopReason {
    match reason {
        "STOP" if calls_tools => StopReason::ToolCalls,
        "STOP" => StopReason::Stop,
        "MAX_TOKENS" => StopReason::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => {
            StopReason::ContentFilter
        }
        "CONTINUATION" => StopReason::Pause,
        other if other.starts_with("IMAGE_") => StopReason::ContentFilter,
        other => StopReason::Other(other.into()),
    }
}

/// What was thought is not in the provider's count of the output, and is in ours.
fn usage_of(usage: Option<Value>) -> TokenUsage {
    let Some(usage) = usage else { return TokenUsage::default() };
    let reasoning = count(&usage, "thoughtsTokenCount");
    TokenUsage {
        input: count(&usage, "promptTokenCount")
            .saturating_add(count(&usage, "toolUsePromptTokenCount")),
        cached_read: count(&usage, "cachedContentTokenCount"),
        cache_write: 0,
        output: count(&usage, "candidatesTokenCount").saturating_add(reasoning),
        reasoning,
        raw: Some(usage),
    }
}
