//! Ollama's lines, one after the other, until they are a turn.

use super::answer::Reading;
use crate::models::refusal::Refusal;
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

    pub fn line(&mut self, line: &str) -> Result<Vec<ChatEvent>, Refusal> {
        if self.is_over || line.trim().is_empty() {
            return Ok(Vec::new());
        }
        let line = model::json::parse(line).map_err(|_| Refusal::broken("ollama", "A line of the answer is no JSON"))?;
        let mut events = self.reading.add(&line)?;
        if self.reading.has_end() {
            self.is_over = true;
            events.push(ChatEvent::Done(Box::new(self.reading.finish()?)));
        }
        Ok(events)
    }

    /// The bytes are at their end.
    pub fn end(&mut self) -> Result<Vec<ChatEvent>, Refusal> {
        if self.is_over { Ok(Vec::new()) } else { Err(Refusal::broken("ollama", "The answer broke off")) }
    }
}
