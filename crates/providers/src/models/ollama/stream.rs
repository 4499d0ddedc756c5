//! Ollama's lines, one after the other, until they are a turn.

use super::response::OllamaReplyBuilder;
use crate::models::failure::ModelFailure;
use model::Value;
use node_api::ai::{ChatEvent, ModelInfo};

/// Reads the lines of one answer, each of which is an object.
pub struct OllamaDecoder {
    reading: OllamaReplyBuilder,
    is_over: bool,
}

impl OllamaDecoder {
    pub fn new(info: &ModelInfo) -> Self {
        Self { reading: OllamaReplyBuilder::new(info), is_over: false }
    }

    pub fn line(&mut self, line: &str) -> Result<Vec<ChatEvent>, ModelFailure> {
        if self.is_over || line.trim().is_empty() {
            return Ok(Vec::new());
        }
        self.take(
            &model::json::parse(line).map_err(|_| {
                ModelFailure::broken("ollama", "A line of the response is not JSON")
            })?,
        )
    }

    pub(super) fn info(&self) -> &ModelInfo {
        self.reading.info()
    }

    pub(super) fn take(&mut self, line: &Value) -> Result<Vec<ChatEvent>, ModelFailure> {
        if self.is_over {
            return Ok(Vec::new());
        }
        let mut events = self.reading.add(line)?;
        if self.reading.has_end() {
            self.is_over = true;
            events.push(ChatEvent::Done(Box::new(self.reading.finish()?)));
        }
        Ok(events)
    }

    /// The bytes are at their end.
    pub fn end(&mut self) -> Result<Vec<ChatEvent>, ModelFailure> {
        if self.is_over {
            Ok(Vec::new())
        } else {
            Err(ModelFailure::broken("ollama", "The response was cut off"))
        }
    }
}
