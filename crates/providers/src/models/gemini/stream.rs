//! Gemini's events, one after the other, until they are a turn.

use super::response::{GeminiReplyBuilder, ReplyDelta};
use crate::models::failure::ModelFailure;
use model::Value;
use node_api::ai::{ChatEvent, ModelInfo};

/// Reads the events of one answer. Nothing marks the last of them, so the turn comes when the bytes
/// end.
pub struct GeminiDecoder {
    reading: GeminiReplyBuilder,
    is_over: bool,
}

impl GeminiDecoder {
    pub fn new(info: &ModelInfo) -> Self {
        Self { reading: GeminiReplyBuilder::new(info), is_over: false }
    }

    /// One event; its name says nothing here.
    pub fn event(&mut self, _name: &str, data: &str) -> Result<Vec<ChatEvent>, ModelFailure> {
        if self.is_over || data.trim().is_empty() {
            return Ok(Vec::new());
        }
        self.take(
            &model::json::parse(data).map_err(|_| {
                ModelFailure::broken("gemini", "An event of the response is not JSON")
            })?,
        )
    }

    pub(super) fn info(&self) -> &ModelInfo {
        self.reading.info()
    }

    pub(super) fn take(&mut self, data: &Value) -> Result<Vec<ChatEvent>, ModelFailure> {
        if self.is_over {
            return Ok(Vec::new());
        }
        let first = self.reading.n_calls;
        let mut index = first;
        let pieces = self.reading.add(data)?;
        let events = pieces.into_iter().map(|piece| match piece {
            ReplyDelta::Text(words) => ChatEvent::Text(words),
            ReplyDelta::Thinking(words) => ChatEvent::Thinking(words),
            ReplyDelta::Call(name) => {
                index += 1;
                ChatEvent::CallBegins { index: index - 1, name }
            }
        });
        Ok(events.collect())
    }

    /// The bytes are at their end.
    pub fn end(&mut self) -> Result<Vec<ChatEvent>, ModelFailure> {
        if self.is_over {
            return Ok(Vec::new());
        }
        self.is_over = true;
        Ok(vec![ChatEvent::Done(Box::new(self.reading.finish()?))])
    }
}
