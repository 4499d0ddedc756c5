//! An answer of Ollama as a turn. A stream has the same objects, with more of the words in each.

use super::error;
use crate::models::call_ids::CallIds;
use crate::models::failure::ModelFailure;
use crate::models::opaque::text_of;
use crate::models::token_counts::count;
use model::{Object, Str, Value};
use node_api::ai::{
    ChatEvent, ChatRole, Message, MessagePart, ModelInfo, ModelReply, StopReason, TokenUsage,
    ToolArguments, ToolCall,
};

/// The whole answer at once.
pub fn turn(reply: &Value, info: &ModelInfo) -> Result<ModelReply, ModelFailure> {
    let mut reading = OllamaReplyBuilder::new(info);
    reading.add(reply)?;
    reading.finish()
}

pub(super) struct OllamaReplyBuilder {
    info: ModelInfo,
    text: Str,
    thinking: Str,
    calls: Vec<ToolCall>,
    ids: Option<CallIds>,
    last: Option<Value>,
}

impl OllamaReplyBuilder {
    pub(super) fn info(&self) -> &ModelInfo {
        &self.info
    }

    pub(super) fn new(info: &ModelInfo) -> Self {
        Self {
            info: info.clone(),
            text: Str::new(),
            thinking: Str::new(),
            calls: Vec::new(),
            ids: None,
            last: None,
        }
    }

    /// Whether the object that ends the answer was there.
    pub(super) fn has_end(&self) -> bool {
        self.last.is_some()
    }

    pub(super) fn add(&mut self, reply: &Value) -> Result<Vec<ChatEvent>, ModelFailure> {
        if reply.get("error").is_some_and(|error| !error.is_nullish()) {
            return Err(error::line(reply));
        }
        let Some(message) = reply.get("message").filter(|message| message.is_object()) else {
            return match reply.get("done").and_then(Value::as_bool) {
                Some(true) => {
                    self.last = Some(reply.clone());
                    Ok(Vec::new())
                }
                _ => Err(ModelFailure::broken("ollama", "The response has no message")),
            };
        };
        let mut events = Vec::new();
        for (place, field, event) in [
            (&mut self.thinking, "thinking", ChatEvent::Thinking as fn(Str) -> ChatEvent),
            (&mut self.text, "content", ChatEvent::Text as fn(Str) -> ChatEvent),
        ] {
            let piece = text_of(message, field);
            if !piece.is_empty() {
                place.push_str(&piece);
                events.push(event(piece));
            }
        }
        let ids = self.ids.get_or_insert_with(|| CallIds::new(&text_of(reply, "created_at")));
        for call in message.get("tool_calls").and_then(Value::as_array).unwrap_or_default() {
            let call = read_call(call, ids);
            events.push(ChatEvent::CallBegins { index: self.calls.len(), name: call.name.clone() });
            self.calls.push(call);
        }
        if reply.get("done").and_then(Value::as_bool) == Some(true) {
            self.last = Some(reply.clone());
        }
        Ok(events)
    }

    pub(super) fn finish(&mut self) -> Result<ModelReply, ModelFailure> {
        let Some(last) = self.last.take() else {
            return Err(ModelFailure::broken("ollama", "The response was cut off"));
        };
        let mut parts = Vec::new();
        if !self.thinking.is_empty() {
            parts.push(MessagePart::Thinking {
                text: std::mem::take(&mut self.thinking),
                opaque: None,
            });
        }
        if !self.text.is_empty() {
            parts.push(MessagePart::Text(std::mem::take(&mut self.text)));
        }
        let stop = stop_of(&text_of(&last, "done_reason"), !self.calls.is_empty());
        parts.extend(std::mem::take(&mut self.calls).into_iter().map(MessagePart::ToolCall));
        let model = match text_of(&last, "model") {
            name if name.is_empty() => self.info.model.clone(),
            name => name,
        };
        Ok(ModelReply {
            message: Message::new(ChatRole::Assistant, parts),
            stop,
            usage: usage_of(&last),
            model,
        })
    }
}

fn read_call(call: &Value, ids: &mut CallIds) -> ToolCall {
    let function = call.get("function").cloned().unwrap_or_default();
    let arguments = match function.get("arguments") {
        Some(Value::Object(object)) => ToolArguments::Parsed((**object).clone()),
        // Some servers that speak the format write the arguments as text.
        Some(Value::String(text)) => ToolArguments::parse(text),
        None | Some(Value::Null) => ToolArguments::Parsed(Object::new()),
        Some(other) => ToolArguments::parse(&model::json::to_string(other)),
    };
    ToolCall {
        id: ids.take(&text_of(call, "id")),
        name: text_of(&function, "name"),
        arguments,
        opaque: None,
    }
}

fn stop_of(reason: &str, calls_tools: bool) -> StopReason {
    match reason {
        "stop" | "" if calls_tools => StopReason::ToolCalls,
        "stop" | "" => StopReason::Stop,
        "length" => StopReason::Length,
        other => StopReason::Other(other.into()),
    }
}

/// The input may be missing when the server had it in its cache.
fn usage_of(last: &Value) -> TokenUsage {
    let fields = [
        "prompt_eval_count",
        "eval_count",
        "prompt_eval_duration",
        "eval_duration",
        "load_duration",
        "total_duration",
    ];
    let raw: Object =
        fields.into_iter().filter_map(|field| Some((field, last.get(field)?.clone()))).collect();
    TokenUsage {
        input: count(last, "prompt_eval_count"),
        output: count(last, "eval_count"),
        raw: (!raw.is_empty()).then(|| raw.into()),
        ..TokenUsage::default()
    }
}
