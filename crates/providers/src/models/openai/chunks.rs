//! Reads answers of chat completions: the chunks of a stream, or one that comes whole.

use super::call_assembler::{CallAssembler, MAX_CALLS};
use super::messages::PROVIDER;
use super::{error, usage};
use crate::models::body_decoder::{EventReader, nothing};
use crate::models::failure::ModelFailure;
use crate::models::requester::DecodeProgress;
use model::{Code, Object, Str, Value};
use node_api::ai::{
    ChatEvent, ChatRole, Message, MessagePart, ModelError, ModelReply, Opaque, TokenUsage,
};

/// What has been said so far.
#[derive(Default)]
pub struct ChatReader {
    model: Str,
    text: String,
    refusal: String,
    thinking: String,
    calls: CallAssembler,
    reasoning_details: Vec<Value>,
    finish: Option<Str>,
    usage: Option<TokenUsage>,
    done: bool,
}

impl ChatReader {
    /// The model that was asked stands for the one that answers until that says its name.
    pub fn new(model: &str) -> Self {
        Self { model: model.into(), ..Self::default() }
    }

    fn choice(&mut self, choice: &Value, events: &mut Vec<ChatEvent>) -> Result<(), ModelFailure> {
        // Only one answer was asked for; some servers do not count it.
        if choice.get("index").and_then(Value::as_usize).is_some_and(|index| index != 0) {
            return Ok(());
        }
        if let Some(message) = [choice.get("delta"), choice.get("message")]
            .into_iter()
            .flatten()
            .find(|message| message.is_object())
        {
            self.message(message, events)?;
        }
        if let Some(finish) =
            choice.get("finish_reason").and_then(Value::as_str).filter(|finish| !finish.is_empty())
        {
            self.finish = Some(finish.into());
        }
        Ok(())
    }

    fn message(
        &mut self,
        message: &Value,
        events: &mut Vec<ChatEvent>,
    ) -> Result<(), ModelFailure> {
        let thought = ["reasoning_content", "reasoning"]
            .iter()
            .find_map(|name| message.get(name)?.as_str().filter(|text| !text.is_empty()));
        if let Some(thought) = thought {
            self.think(thought, events);
        }
        if let Some(details) = message.get("reasoning_details").and_then(Value::as_array) {
            self.reasoning_details.extend_from_slice(details);
        }
        match message.get("content") {
            Some(Value::String(text)) => self.say(text, events),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| self.part(part, events)),
            _ => {}
        }
        if let Some(refusal) =
            message.get("refusal").and_then(Value::as_str).filter(|text| !text.is_empty())
        {
            self.refusal.push_str(refusal);
            events.push(ChatEvent::Text(refusal.into()));
        }
        for call in message.get("tool_calls").and_then(Value::as_array).unwrap_or_default() {
            self.calls.take(call, events);
        }
        if let Some(call) = message.get("function_call").filter(|call| call.is_object()) {
            self.calls.take(call, events);
        }
        if self.calls.len() > MAX_CALLS {
            let words = format!("The model called more than {MAX_CALLS} tools at once");
            return Err(ModelFailure::permanent(ModelError::new(Code::MODEL_ERROR, words)));
        }
        Ok(())
    }

    fn part(&mut self, part: &Value, events: &mut Vec<ChatEvent>) {
        match part.get("type").and_then(Value::as_str) {
            Some("thinking") => {
                let pieces = part.get("thinking");
                let list = pieces
                    .and_then(Value::as_array)
                    .unwrap_or_default()
                    .iter()
                    .filter_map(|piece| piece.get("text")?.as_str());
                for text in pieces.and_then(Value::as_str).into_iter().chain(list) {
                    self.think(text, events);
                }
            }
            _ => self.say(part.get("text").and_then(Value::as_str).unwrap_or_default(), events),
        }
    }

    fn say(&mut self, text: &str, events: &mut Vec<ChatEvent>) {
        if !text.is_empty() {
            self.text.push_str(text);
            events.push(ChatEvent::Text(text.into()));
        }
    }

    fn think(&mut self, text: &str, events: &mut Vec<ChatEvent>) {
        self.thinking.push_str(text);
        events.push(ChatEvent::Thinking(text.into()));
    }

    fn said_nothing(&self) -> bool {
        self.text.is_empty()
            && self.refusal.is_empty()
            && self.thinking.is_empty()
            && self.calls.is_empty()
    }
}

impl EventReader for ChatReader {
    fn event(
        &mut self,
        _: &str,
        event: &Value,
        events: &mut Vec<ChatEvent>,
    ) -> Result<DecodeProgress, ModelFailure> {
        error::check(event)?;
        if let Some(model) =
            event.get("model").and_then(Value::as_str).filter(|model| !model.is_empty())
        {
            self.model = model.into();
        }
        let aside = event.get("x_groq").and_then(|aside| aside.get("usage"));
        if let Some(raw) = event.get("usage").or(aside).filter(|raw| raw.is_object()) {
            self.usage = Some(usage::usage(raw));
        }
        for choice in event.get("choices").and_then(Value::as_array).unwrap_or_default() {
            self.choice(choice, events)?;
        }
        Ok(DecodeProgress::More)
    }

    fn whole(&mut self, answer: &Value, events: &mut Vec<ChatEvent>) -> Result<(), ModelFailure> {
        error::check(answer)?;
        if answer.get("choices").and_then(Value::as_array).is_none_or(<[Value]>::is_empty) {
            return Err(nothing());
        }
        self.event("", answer, events)?;
        self.done();
        Ok(())
    }

    fn done(&mut self) {
        self.done = true;
    }

    fn finish(&mut self, events: &mut Vec<ChatEvent>) -> Result<ModelReply, ModelFailure> {
        if self.finish.is_none() && !self.done {
            return Err(ModelFailure::transient(ModelError::new(
                Code::MODEL_ERROR,
                "The model's response was cut off before its end",
            )));
        }
        if self.finish.is_none() && self.said_nothing() {
            return Err(nothing());
        }
        self.calls.announce_all(events);
        let refused = !self.refusal.is_empty();
        let mut parts = Vec::new();
        if !self.thinking.is_empty() {
            parts.push(MessagePart::Thinking {
                text: std::mem::take(&mut self.thinking).into(),
                opaque: None,
            });
        }
        let text = std::mem::take(&mut self.text) + &std::mem::take(&mut self.refusal);
        if !text.is_empty() {
            parts.push(MessagePart::Text(text.into()));
        }
        parts.extend(self.calls.finish().into_iter().map(MessagePart::ToolCall));
        let has_calls = parts.iter().any(|part| matches!(part, MessagePart::ToolCall(_)));
        let mut message = Message::new(ChatRole::Assistant, parts);
        let details = std::mem::take(&mut self.reasoning_details);
        if !details.is_empty() {
            let data: Object = [("reasoning_details", Value::from(details))].into_iter().collect();
            message.opaque = Some(Opaque { provider: PROVIDER.into(), data: data.into() });
        }
        let stop = usage::stop(self.finish.as_deref(), has_calls, refused);
        let usage = self.usage.take().unwrap_or_default();
        Ok(ModelReply { message, stop, usage, model: self.model.clone() })
    }
}

#[cfg(test)]
mod tests;
