//! Ollama's lines, one after the other, until they are a turn.

use super::answer::Reading;
use crate::models::failure::Failure;
use model::Value;
use node_api::ai::{ChatEvent, ModelInfo};

/// Reads the lines of one answer, each of which is an object.
pub struct Decoder {
    reading: Reading,
    is_over: bool,
}

impl Decoder {
    pub fn new(info: &ModelInfo) -> Self {
        Self { reading: Reading::new(info), is_over: false }
    }

    pub fn line(&mut self, line: &str) -> Result<Vec<ChatEvent>, Failure> {
        if self.is_over || line.trim().is_empty() {
            return Ok(Vec::new());
        }
        self.take(
            &model::json::parse(line)
                .map_err(|_| Failure::broken("ollama", "A line of the answer is no JSON"))?,
        )
    }

    pub(super) fn info(&self) -> &ModelInfo {
        self.reading.info()
    }

    pub(super) fn take(&mut self, line: &Value) -> Result<Vec<ChatEvent>, Failure> {
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
    pub fn end(&mut self) -> Result<Vec<ChatEvent>, Failure> {
        if self.is_over {
            Ok(Vec::new())
        } else {
            Err(Failure::broken("ollama", "The answer broke off"))
        }
    }
}
