//! Bedrock's events, one after the other, until they are a turn.

use super::error;
use super::frames::{Frame, FrameSplitter};
use super::response::{build, turn};
use crate::models::body_decoder::nothing;
use crate::models::failure::ModelFailure;
use crate::models::object_ext::ObjectExt;
use crate::models::opaque::text_of;
use crate::models::requester::{DecodeProgress, ReplyDecoder};
use model::{Str, Value, json};
use node_api::ai::{ChatEvent, MessagePart, ModelInfo, ModelReply};

/// An answer has no more blocks than this.
const MAX_BLOCKS: usize = 10_000;

/// Reads one answer: a stream of frames, or JSON where it came whole.
pub(super) struct BedrockDecoder {
    info: ModelInfo,
    form: BodyForm,
    frames: FrameSplitter,
    blocks: Vec<PartialBlock>,
    n_calls: usize,
    stop_reason: Option<Str>,
    usage: Option<Value>,
}

enum BodyForm {
    Unknown,
    Frames,
    Json(Vec<u8>),
}

/// A block whose pieces still come.
struct PartialBlock {
    index: usize,
    start: Option<Value>,
    text: String,
    input: String,
    thinking: String,
    signature: String,
    redacted: Option<Value>,
}

impl BedrockDecoder {
    pub(super) fn new(info: &ModelInfo, longest_frame: usize) -> Self {
        Self {
            info: info.clone(),
            form: BodyForm::Unknown,
            frames: FrameSplitter::new(longest_frame),
            blocks: Vec::new(),
            n_calls: 0,
            stop_reason: None,
            usage: None,
        }
    }

    fn take(&mut self, frame: &Frame, events: &mut Vec<ChatEvent>) -> Result<(), ModelFailure> {
        let data = model::json::parse(&String::from_utf8_lossy(&frame.payload));
        match frame.header(":message-type") {
            Some("exception") => {
                let name = frame.header(":exception-type").unwrap_or_default();
                return Err(error::exception(name, &data.unwrap_or_default()));
            }
            Some("error") => {
                let words = frame.header(":error-message").unwrap_or_default();
                return Err(error::exception("", &json!({}).with("message", words)));
            }
            _ => {}
        }
        let data = data
            .map_err(|_| ModelFailure::broken("bedrock", "An event of the response is not JSON"))?;
        match frame.header(":event-type").unwrap_or_default() {
            "contentBlockStart" => self.start_block(&data, events)?,
            "contentBlockDelta" => self.grow_block(&data, events)?,
            "messageStop" => {
                let reason = data.get("stopReason").and_then(Value::as_str).unwrap_or("end_turn");
                self.stop_reason = Some(reason.into());
            }
            "metadata" => self.usage = data.get("usage").cloned(),
            _ => {}
        }
        Ok(())
    }

    fn block(&mut self, data: &Value) -> Result<&mut PartialBlock, ModelFailure> {
        let index = data.get("contentBlockIndex").and_then(Value::as_usize).unwrap_or_default();
        let position = self.blocks.iter().position(|block| block.index == index);
        if position.is_none() {
            if self.blocks.len() >= MAX_BLOCKS {
                return Err(ModelFailure::broken("bedrock", "The response has too many parts"));
            }
            self.blocks.push(PartialBlock {
                index,
                start: None,
                text: String::new(),
                input: String::new(),
                thinking: String::new(),
                signature: String::new(),
                redacted: None,
            });
        }
        let position = position.unwrap_or(self.blocks.len() - 1);
        Ok(&mut self.blocks[position])
    }

    fn start_block(
        &mut self,
        data: &Value,
        events: &mut Vec<ChatEvent>,
    ) -> Result<(), ModelFailure> {
        let start = data.get("start").cloned().unwrap_or_default();
        let tool = start.get("toolUse").map(|tool| text_of(tool, "name"));
        let block = self.block(data)?;
        let is_new = block.start.is_none();
        block.start = Some(start);
        if let Some(name) = tool.filter(|_| is_new) {
            events.push(ChatEvent::CallBegins { index: self.n_calls, name });
            self.n_calls += 1;
        }
        Ok(())
    }

    fn grow_block(
        &mut self,
        data: &Value,
        events: &mut Vec<ChatEvent>,
    ) -> Result<(), ModelFailure> {
        let Some(delta) = data.get("delta") else { return Ok(()) };
        let block = self.block(data)?;
        if let Some(words) = delta.get("text").and_then(Value::as_str) {
            block.text.push_str(words);
            if !words.is_empty() {
                events.push(ChatEvent::Text(words.into()));
            }
        }
        if let Some(tool) = delta.get("toolUse") {
            block.input.push_str(&text_of(tool, "input"));
        }
        if let Some(thoughts) = delta.get("reasoningContent") {
            let words = text_of(thoughts, "text");
            block.thinking.push_str(&words);
            block.signature.push_str(&text_of(thoughts, "signature"));
            block.redacted =
                thoughts.get("redactedContent").cloned().or_else(|| block.redacted.take());
            if !words.is_empty() {
                events.push(ChatEvent::Thinking(words));
            }
        }
        Ok(())
    }

    fn whole_turn(&mut self) -> ModelReply {
        let mut blocks = std::mem::take(&mut self.blocks);
        blocks.sort_by_key(|block| block.index);
        let blocks = blocks.into_iter().map(PartialBlock::whole).collect();
        build(blocks, self.stop_reason.as_deref(), self.usage.as_ref(), &self.info)
    }
}

impl PartialBlock {
    /// The block as it would stand in an answer that came at once.
    fn whole(self) -> (Value, Option<String>) {
        if let Some(start) = self.start.filter(|start| start.get("toolUse").is_some()) {
            return (start, Some(self.input));
        }
        let value = if let Some(redacted) = self.redacted {
            let content = json!({}).with("redactedContent", redacted);
            json!({}).with("reasoningContent", content)
        } else if !self.thinking.is_empty() || !self.signature.is_empty() {
            let mut thought = json!({}).with("text", self.thinking);
            if !self.signature.is_empty() {
                thought = thought.with("signature", self.signature);
            }
            json!({}).with("reasoningContent", json!({}).with("reasoningText", thought))
        } else {
            json!({}).with("text", self.text)
        };
        (value, None)
    }
}

impl ReplyDecoder for BedrockDecoder {
    fn feed(
        &mut self,
        bytes: &[u8],
        events: &mut Vec<ChatEvent>,
    ) -> Result<DecodeProgress, ModelFailure> {
        if matches!(self.form, BodyForm::Unknown) {
            // The length of a frame begins with a zero, whatever a proxy says of the type.
            self.form = match bytes.first() {
                None => return Ok(DecodeProgress::More),
                Some(0) => BodyForm::Frames,
                Some(_) => BodyForm::Json(Vec::new()),
            };
        }
        if let BodyForm::Json(text) = &mut self.form {
            text.extend_from_slice(bytes);
            return Ok(DecodeProgress::More);
        }
        for frame in self.frames.feed(bytes)? {
            self.take(&frame, events)?;
        }
        let is_over = self.stop_reason.is_some() && self.usage.is_some();
        Ok(if is_over { DecodeProgress::Complete } else { DecodeProgress::More })
    }

    fn finish(&mut self, events: &mut Vec<ChatEvent>) -> Result<ModelReply, ModelFailure> {
        match std::mem::replace(&mut self.form, BodyForm::Unknown) {
            BodyForm::Unknown => Err(nothing()),
            // An answer that said why it ends is whole, also without its counts.
            BodyForm::Frames if self.stop_reason.is_some() => Ok(self.whole_turn()),
            BodyForm::Frames => Err(ModelFailure::broken("bedrock", "The response was cut off")),
            BodyForm::Json(text) => {
                let answer =
                    model::json::parse(&String::from_utf8_lossy(&text)).map_err(|error| {
                        ModelFailure::unreadable(format!(
                            "The model's response is not JSON: {error}"
                        ))
                    })?;
                let reply = turn(&answer, &self.info)?;
                for part in &reply.message.parts {
                    match part {
                        MessagePart::Text(words) => events.push(ChatEvent::Text(words.clone())),
                        MessagePart::ToolCall(call) => {
                            let name = call.name.clone();
                            events.push(ChatEvent::CallBegins { index: self.n_calls, name });
                            self.n_calls += 1;
                        }
                        _ => {}
                    }
                }
                Ok(reply)
            }
        }
    }
}
