//! Reads answers of the responses API: the events of a stream, or one that comes whole.

use super::super::call_assembler::MAX_CALLS;
use super::super::messages::PROVIDER;
use super::super::{error, usage};
use crate::models::body_decoder::{EventReader, nothing};
use crate::models::failure::ModelFailure;
use crate::models::requester::DecodeProgress;
use model::{Code, Str, Value};
use node_api::ai::{
    ChatEvent, ChatRole, Message, MessagePart, ModelError, ModelReply, Opaque, StopReason,
    ToolArguments, ToolCall,
};
use std::collections::HashSet;

/// What has been said so far.
#[derive(Default)]
pub struct ResponsesReader {
    model: Str,
    /// Items that are finished, for servers that do not repeat them at the end.
    items: Vec<Value>,
    last: Option<Value>,
    emitted_text: bool,
    emitted_thoughts: bool,
    emitted_calls: usize,
}

impl ResponsesReader {
    /// The model that was asked stands for the one that answers until that says its name.
    pub fn new(model: &str) -> Self {
        Self { model: model.into(), ..Self::default() }
    }

    fn begins(&mut self, name: &str, events: &mut Vec<ChatEvent>) {
        events.push(ChatEvent::CallBegins { index: self.emitted_calls, name: name.into() });
        self.emitted_calls += 1;
    }
}

impl EventReader for ResponsesReader {
    fn event(
        &mut self,
        _: &str,
        event: &Value,
        events: &mut Vec<ChatEvent>,
    ) -> Result<DecodeProgress, ModelFailure> {
        error::check(event)?;
        let delta = event.get("delta").and_then(Value::as_str).filter(|delta| !delta.is_empty());
        match (event.get("type").and_then(Value::as_str).unwrap_or_default(), delta) {
            ("response.output_text.delta" | "response.refusal.delta", Some(delta)) => {
                self.emitted_text = true;
                events.push(ChatEvent::Text(delta.into()));
            }
            (
                "response.reasoning_summary_text.delta" | "response.reasoning_text.delta",
                Some(delta),
            ) => {
                self.emitted_thoughts = true;
                events.push(ChatEvent::Thinking(delta.into()));
            }
            ("response.output_item.added", _) => {
                let call = event.get("item").filter(|item| kind(item) == "function_call");
                if let Some(name) = call.and_then(|call| call.get("name")?.as_str()) {
                    self.begins(name, events);
                }
            }
            ("response.output_item.done", _) => self.items.extend(event.get("item").cloned()),
            (
                "response.completed"
                | "response.incomplete"
                | "response.failed"
                | "response.cancelled",
                _,
            ) => {
                self.last = event.get("response").cloned();
                return Ok(DecodeProgress::Complete);
            }
            _ => {}
        }
        if self.emitted_calls > MAX_CALLS || self.items.len() > 4 * MAX_CALLS {
            let words = format!("The model called more than {MAX_CALLS} tools at once");
            return Err(ModelFailure::permanent(ModelError::new(Code::MODEL_ERROR, words)));
        }
        Ok(DecodeProgress::More)
    }

    fn whole(&mut self, answer: &Value, _: &mut Vec<ChatEvent>) -> Result<(), ModelFailure> {
        error::check(answer)?;
        self.last = Some(answer.clone());
        Ok(())
    }

    fn finish(&mut self, events: &mut Vec<ChatEvent>) -> Result<ModelReply, ModelFailure> {
        let Some(last) = self.last.take() else {
            return Err(ModelFailure::transient(ModelError::new(
                Code::MODEL_ERROR,
                "The model's response was cut off before its end",
            )));
        };
        if let Some(model) = last.get("model").and_then(Value::as_str) {
            self.model = model.into();
        }
        let gathered = std::mem::take(&mut self.items);
        let items = last
            .get("output")
            .and_then(Value::as_array)
            .filter(|items| !items.is_empty())
            .unwrap_or(&gathered);
        let read = ParsedItems::of(items);
        let stop = stop(&last, &read);
        if read.parts.is_empty() && stop == StopReason::Stop {
            return Err(nothing());
        }
        let (told_text, told_thoughts, told_calls) =
            (self.emitted_text, self.emitted_thoughts, self.emitted_calls);
        let mut n_calls = 0;
        for part in &read.parts {
            match part {
                MessagePart::Text(text) if !told_text => events.push(ChatEvent::Text(text.clone())),
                MessagePart::Thinking { text, .. } if !told_thoughts && !text.is_empty() => {
                    events.push(ChatEvent::Thinking(text.clone()))
                }
                MessagePart::ToolCall(call) => {
                    if n_calls >= told_calls {
                        self.begins(&call.name, events);
                    }
                    n_calls += 1;
                }
                _ => {}
            }
        }
        let usage =
            last.get("usage").filter(|raw| raw.is_object()).map(usage::usage).unwrap_or_default();
        Ok(ModelReply {
            message: Message::new(ChatRole::Assistant, read.parts),
            stop,
            usage,
            model: self.model.clone(),
        })
    }
}

/// The items of an answer as parts of a message.
#[derive(Default)]
struct ParsedItems {
    parts: Vec<MessagePart>,
    has_calls: bool,
    refused: bool,
}

impl ParsedItems {
    fn of(items: &[Value]) -> Self {
        let mut read = Self::default();
        let mut ids = HashSet::new();
        for (number, item) in items.iter().enumerate() {
            match kind(item) {
                "message" => read.message(item),
                "reasoning" => {
                    let opaque = Opaque { provider: PROVIDER.into(), data: item.clone() };
                    read.parts
                        .push(MessagePart::Thinking { text: thoughts(item), opaque: Some(opaque) });
                }
                "function_call" => {
                    let text = |name: &str| {
                        item.get(name).and_then(Value::as_str).map(Str::from).unwrap_or_default()
                    };
                    let mut id = text("call_id");
                    if id.is_empty() || !ids.insert(id.clone()) {
                        id = format!("call_of_item_{number}").into();
                        ids.insert(id.clone());
                    }
                    read.has_calls = true;
                    let arguments = ToolArguments::parse(&text("arguments"));
                    read.parts.push(MessagePart::ToolCall(ToolCall {
                        id,
                        name: text("name"),
                        arguments,
                        opaque: None,
                    }));
                }
                // Tools of the provider's own have done their work already.
                _ => {}
            }
        }
        read
    }

    fn message(&mut self, item: &Value) {
        for part in item.get("content").and_then(Value::as_array).unwrap_or_default() {
            self.refused |= kind(part) == "refusal";
            let text = part
                .get("text")
                .or_else(|| part.get("refusal"))
                .and_then(Value::as_str)
                .unwrap_or_default();
            if !text.is_empty() {
                self.parts.push(MessagePart::Text(text.into()));
            }
        }
    }
}

fn kind(item: &Value) -> &str {
    item.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn thoughts(item: &Value) -> Str {
    let pieces =
        ["summary", "content"].iter().filter_map(|place| item.get(place)?.as_array()).flatten();
    let texts: Vec<&str> = pieces.filter_map(|piece| piece.get("text")?.as_str()).collect();
    texts.join("\n\n").into()
}

fn stop(last: &Value, read: &ParsedItems) -> StopReason {
    let status = last.get("status").and_then(Value::as_str).unwrap_or("completed");
    let reason = last.get("incomplete_details").and_then(|details| details.get("reason")?.as_str());
    match (status, reason) {
        _ if read.refused => StopReason::Refusal,
        ("incomplete", Some("max_output_tokens")) => StopReason::Length,
        ("incomplete", Some("content_filter")) => StopReason::ContentFilter,
        ("incomplete", Some(other)) => StopReason::Other(other.into()),
        ("completed", _) if read.has_calls => StopReason::ToolCalls,
        ("completed", _) => StopReason::Stop,
        (other, _) => StopReason::Other(other.into()),
    }
}
