//! Tools: what a model may have done.

use crate::NodeError;
use model::{Code, Object, Str, Value};

/// Something that a model may call. Implemented by tool nodes, by every ordinary node, by workflows and servers of tools; called by
/// `agent` after the arguments were checked against the definition.
#[async_trait::async_trait]
pub trait Tool: Send + Sync {
    fn definition(&self) -> &ToolDefinition;
    async fn call(&self, arguments: Object, context: &ToolCallContext) -> Result<ToolAnswer, ToolFailure>;
}

/// A tool as models see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// Letters, digits, `_` and `-`, at most 64 of them.
    pub name: Str,
    pub description: Str,
    /// JSON Schema of the arguments, always of an object.
    pub parameters: Value,
    pub effect: Effect,
}

/// What the note is called in which an agent keeps what was said in a turn that whoever asked has to go on with.
pub const HANDED_OVER: &str = "handed over";

/// What calling a tool may do outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It only looks or computes: a call that was cut off is made again.
    None,
    /// It may change something: a call that was cut off leaves the run uncertain.
    Changes,
    /// It may change something, and knows what it has begun: a call that was cut off is made again and finds it. So do calls of
    /// workflows and of other agents.
    Resumes,
}

/// Which call it is.
#[derive(Clone, Debug, Default)]
pub struct ToolCallContext {
    /// The id that the model gave the call.
    pub call_id: Str,
    /// The item of the agent's input that is worked on.
    pub item: usize,
    /// Names the call within the run of the agent's node, and is the same when a call that was cut off is made again.
    pub key: Str,
}

/// What a tool gives back to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolAnswer {
    pub content: Value,
}

/// A tool that fails has two listeners: words that the model may read, and the cause for the operator.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ToolFailure {
    pub message: Str,
    pub cause: Option<Str>,
    /// Nobody knows whether it happened. The model does not hear of it: the run stops for a person to decide.
    pub is_uncertain: bool,
}

impl ToolAnswer {
    pub fn new(content: impl Into<Value>) -> Self {
        Self { content: content.into() }
    }

    /// As the model reads it.
    pub fn to_text(&self) -> Str {
        match &self.content {
            Value::String(text) => text.clone(),
            other => model::json::to_string(other).into(),
        }
    }
}

impl ToolFailure {
    pub fn new(message: impl Into<Str>) -> Self {
        Self { message: message.into(), cause: None, is_uncertain: false }
    }

    /// A node's error in words for the model.
    pub fn of(error: &NodeError) -> Self {
        let message = error.message();
        let words = match error.description().filter(|description| *description != message) {
            Some(description) => format!("{message}: {description}").into(),
            None => message.clone(),
        };
        Self { is_uncertain: error.code() == Code::RUN_UNCERTAIN, ..Self::new(words).because(error.code().name()) }
    }

    pub fn because(mut self, cause: impl Into<Str>) -> Self {
        self.cause = Some(cause.into());
        self
    }
}
