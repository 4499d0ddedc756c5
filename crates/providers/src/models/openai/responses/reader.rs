//! Reads answers of the responses API: the events of a stream, or one that comes whole.

use super::super::calls::MOST_CALLS;
use super::super::messages::PROVIDER;
use super::super::{error, usage};
use crate::models::ask::Flow;
use crate::models::failure::Failure;
use crate::models::reading::{Reader, nothing};
use model::{Code, Str, Value};
use node_api::ai::{
    Arguments, ChatEvent, Message, ModelError, Opaque, Part, Role, Stop, ToolCall, Turn,
};
use std::collections::HashSet;

/// What has been said so far.
#[derive(Default)]
pub struct ResponsesReader {
    model: Str,
    /// Items that are finished, for servers that do not repeat them at the end.
    items: Vec<Value>,
    last: Option<Value>,
    told_text: bool,
    told_thoughts: bool,
    told_calls: usize,
}

impl ResponsesReader {
    /// The model that was asked stands for the one that answers until that says its name.
    pub fn new(model: &str) -> Self {
        Self { model: model.into(), ..Self::default() }
    }

    fn begins(&mut self, name: &str, events: &mut Vec<ChatEvent>) {
        events.push(ChatEvent::CallBegins { index: self.told_calls, name: name.into() });
        self.told_calls += 1;
    }
}

impl Reader for ResponsesReader {
    fn event(
        &mut self,
        _: &str,
        event: &Value,
        events: &mut Vec<ChatEvent>,
    ) -> Result<Flow, Failure> {
        error::check(event)?;
        let delta = event.get("delta").and_then(Value::as_str).filter(|delta| !delta.is_empty());
        match (event.get("type").and_then(Value::as_str).unwrap_or_default(), delta) {
            ("response.output_text.delta" | "response.refusal.delta", Some(delta)) => {
                self.told_text = true;
                events.push(ChatEvent::Text(delta.into()));
            }
            (
                "response.reasoning_summary_text.delta" | "response.reasoning_text.delta",
                Some(delta),
            ) => {
                self.told_thoughts = true;
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
                return Ok(Flow::Complete);
            }
            _ => {}
        }
        if self.told_calls > MOST_CALLS || self.items.len() > 4 * MOST_CALLS {
            let words = format!("The model called more than {MOST_CALLS} tools at once");
            return Err(Failure::lasting(ModelError::new(Code::MODEL_ERROR, words)));
        }
        Ok(Flow::More)
    }

    fn whole(&mut self, answer: &Value, _: &mut Vec<ChatEvent>) -> Result<(), Failure> {
        error::check(answer)?;
        self.last = Some(answer.clone());
        Ok(())
    }

    fn finish(&mut self, events: &mut Vec<ChatEvent>) -> Result<Turn, Failure> {
        let Some(last) = self.last.take() else {
            return Err(Failure::passing(ModelError::new(
                Code::MODEL_ERROR,
                "The answer of the model broke off before its end",
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
        let read = Read::of(items);
        let stop = stop(&last, &read);
        if read.parts.is_empty() && stop == Stop::Stop {
            return Err(nothing());
        }
        let (told_text, told_thoughts, told_calls) =
            (self.told_text, self.told_thoughts, self.told_calls);
        let mut n_calls = 0;
        for part in &read.parts {
            match part {
                Part::Text(text) if !told_text => events.push(ChatEvent::Text(text.clone())),
                Part::Thinking { text, .. } if !told_thoughts && !text.is_empty() => {
                    events.push(ChatEvent::Thinking(text.clone()))
                }
                Part::ToolCall(call) => {
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
        Ok(Turn {
            message: Message::new(Role::Assistant, read.parts),
            stop,
            usage,
            model: self.model.clone(),
        })
    }
}

/// The items of an answer as parts of a message.
#[derive(Default)]
struct Read {
    parts: Vec<Part>,
    has_calls: bool,
    refused: bool,
}

impl Read {
    fn of(items: &[Value]) -> Self {
        let mut read = Self::default();
        let mut ids = HashSet::new();
        for (number, item) in items.iter().enumerate() {
            match kind(item) {
                "message" => read.message(item),
                "reasoning" => {
                    let opaque = Opaque { provider: PROVIDER.into(), data: item.clone() };
                    read.parts.push(Part::Thinking { text: thoughts(item), opaque: Some(opaque) });
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
                    let arguments = Arguments::parse(&text("arguments"));
                    read.parts.push(Part::ToolCall(ToolCall {
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
                self.parts.push(Part::Text(text.into()));
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

fn stop(last: &Value, read: &Read) -> Stop {
    let status = last.get("status").and_then(Value::as_str).unwrap_or("completed");
    let reason = last.get("incomplete_details").and_then(|details| details.get("reason")?.as_str());
    match (status, reason) {
        _ if read.refused => Stop::Refusal,
        ("incomplete", Some("max_output_tokens")) => Stop::Length,
        ("incomplete", Some("content_filter")) => Stop::ContentFilter,
        ("incomplete", Some(other)) => Stop::Other(other.into()),
        ("completed", _) if read.has_calls => Stop::ToolCalls,
        ("completed", _) => Stop::Stop,
        (other, _) => Stop::Other(other.into()),
    }
}
