//! The envelope of the strict agent: its input, its state, and everything that happened.

use crate::record::ToolUse;
use model::{Object, Str, Value};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Envelope {
    pub input: Value,
    pub iteration: usize,
    pub last_action: Option<&'static str>,
    pub last_tool: Option<Str>,
    pub completed: bool,
    pub last_prompt: Option<Str>,
    pub last_response: Option<Value>,
    pub available: Vec<Str>,
    pub history: Vec<Value>,
    pub memory: Option<Object>,
    /// The calls of the history as sources name them. They are not part of what is put out.
    pub tool_uses: Vec<ToolUse>,
    /// Code that a tool ran has reached outside.
    pub reached_out: bool,
    pub trace_id: Str,
    pub started_at: Str,
    pub events: Vec<EnvelopeEvent>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct EnvelopeEvent {
    pub iteration: usize,
    pub action: Str,
    pub tool: Option<Str>,
    pub duration_ms: Option<u64>,
    pub confidence: Option<f64>,
    /// What was wrong, where something was.
    pub error: Option<Value>,
}

impl Envelope {
    /// As the contract spells it; fields without a value are left out.
    pub fn to_value(&self) -> Value {
        let mut state = Object::from_iter([("iteration", Value::from(self.iteration))]);
        if let Some(action) = self.last_action {
            state.insert("lastAction", action);
        }
        if let Some(tool) = &self.last_tool {
            state.insert("lastTool", tool.clone());
        }
        state.insert("completed", self.completed);
        let mut model = Object::new();
        if let Some(prompt) = &self.last_prompt {
            model.insert("lastPrompt", prompt.clone());
        }
        if let Some(response) = &self.last_response {
            model.insert("lastResponse", response.clone());
        }
        let texts = |texts: &[Str]| Value::array(texts.iter().cloned().map(Value::from).collect());
        let tools = Object::from_iter([
            ("available", texts(&self.available)),
            ("history", Value::array(self.history.clone())),
        ]);
        let observability = Object::from_iter([
            ("traceId", Value::from(self.trace_id.clone())),
            ("startedAt", self.started_at.clone().into()),
            ("events", Value::array(self.events.iter().map(EnvelopeEvent::to_value).collect())),
        ]);
        let mut envelope =
            Object::from_iter([("input", self.input.clone()), ("state", state.into())]);
        if !model.is_empty() {
            envelope.insert("model", model);
        }
        envelope.insert("tools", tools);
        if let Some(memory) = &self.memory {
            envelope.insert("memory", memory.clone());
        }
        envelope.insert("observability", observability);
        envelope.into()
    }
}

impl EnvelopeEvent {
    fn to_value(&self) -> Value {
        let mut event = Object::from_iter([
            ("iteration", Value::from(self.iteration)),
            ("action", self.action.clone().into()),
        ]);
        if let Some(tool) = &self.tool {
            event.insert("tool", tool.clone());
        }
        if let Some(duration) = self.duration_ms {
            event.insert("durationMs", duration as f64);
        }
        if let Some(confidence) = self.confidence {
            event.insert("confidence", confidence);
        }
        if let Some(error) = &self.error {
            event.insert("error", error.clone());
        }
        event.into()
    }
}
