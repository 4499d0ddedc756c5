//! Tools: what a model may have done.

use crate::NodeError;
use crate::policy::{SideEffect, ToolSource};
use model::{Code, Object, Str, Value};

pub use model::Exposure;

/// Something that a model may call. Implemented by tool nodes, by every ordinary node, by workflows
/// and servers of tools; called by `agent` after the arguments were checked against the definition.
#[async_trait::async_trait]
pub trait Tool: Send + Sync {
    fn definition(&self) -> &ToolDefinition;
    /// Who says where a call with these arguments sends them. A tool that cannot tell calls apart
    /// answers for all of them.
    fn sends(&self, _arguments: &Object, _context: &ToolCallContext) -> EgressTarget {
        self.definition().flow.sends
    }
    /// What calling it does, where somebody has declared that. Otherwise the definition tells.
    fn side_effect(&self) -> Option<SideEffect> {
        None
    }
    /// Where it comes from, as the operator's rules name it.
    fn source(&self) -> &ToolSource {
        &NO_SOURCE
    }
    async fn call(
        &self,
        arguments: Object,
        context: &ToolCallContext,
    ) -> Result<ToolOutput, ToolFailure>;
}

static NO_SOURCE: ToolSource = ToolSource::NONE;

/// A tool as models see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// Letters, digits, `_` and `-`, at most 64 of them.
    pub name: Str,
    pub description: Str,
    /// JSON Schema of the arguments, always of an object.
    pub parameters: Value,
    pub effect: ToolEffect,
    pub flow: DataFlow,
}

/// Where what a tool gives comes from, and where what it is given goes. The guard of an agent
/// decides by it whether a call may be made after others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataFlow {
    /// Its answers may hold text of strangers: web pages, mail, files, documents.
    pub untrusted: bool,
    /// It gets at data that is not for strangers.
    pub private: bool,
    pub sends: EgressTarget,
}

/// Who says where a tool sends what the model gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum EgressTarget {
    /// It sends nothing out.
    #[default]
    Nowhere,
    /// The author of the workflow, or the owner of a credential: a host, an address, a database.
    Declared,
    /// The model.
    ModelChosen,
}

impl DataFlow {
    /// Its answers are text of strangers.
    pub const UNTRUSTED: Self =
        Self { untrusted: true, private: false, sends: EgressTarget::Nowhere };
    /// It reads data of the owner's, which strangers may have written into.
    pub const STORED: Self = Self { untrusted: true, private: true, sends: EgressTarget::Nowhere };

    pub const fn sending(self, sends: EgressTarget) -> Self {
        Self { sends, ..self }
    }
}

/// What the note is called in which an agent keeps what was said in a turn that whoever asked has
/// to go on with.
pub const HANDOFF_KEY: &str = "handed over";

/// What calling a tool may do outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolEffect {
    /// It only looks or computes: a call that was cut off is made again.
    None,
    /// It may change something: a call that was cut off leaves the run uncertain.
    Changes,
    /// It may change something, and knows what it has begun: a call that was cut off is made again
    /// and finds it. So do calls of workflows and of other agents.
    Resumes,
    /// It shows only when it is called: a call that may not reach outside
    /// ([`ToolCallContext::allow_egress`]) and tries to is given up without having done anything,
    /// and is then made as one that changes something. So is JavaScript.
    Dynamic,
}

/// Which call it is.
#[derive(Clone, Debug, Default)]
pub struct ToolCallContext {
    /// The id that the model gave the call.
    pub call_id: Str,
    /// The item of the agent's input that is worked on.
    pub item: usize,
    /// Names the call within the run of the agent's node, and is the same when a call that was cut
    /// off is made again.
    pub key: Str,
    /// Whether a tool whose effect only shows ([`ToolEffect::Dynamic`]) may reach outside.
    pub allow_egress: bool,
    /// What the agent that calls has come across.
    pub exposure: Exposure,
    /// Whether the caller has asked the operator's policy, and a person where it says so. A call
    /// that needs a person's approval is refused otherwise.
    pub is_authorized: bool,
}

/// What a tool gives back to the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutput {
    pub content: Value,
    /// What it is taken from, such as documents, for the sources of the answer.
    pub sources: Vec<Value>,
}

/// A tool that fails has two listeners: words that the model may read, and the cause for the
/// operator.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ToolFailure {
    pub message: Str,
    pub cause: Option<Str>,
    /// Nobody knows whether it happened. The model does not hear of it: the run stops for a person
    /// to decide.
    pub is_uncertain: bool,
    /// It tried to reach outside without being allowed to, and has done nothing.
    pub needs_egress: bool,
}

impl ToolOutput {
    pub fn new(content: impl Into<Value>) -> Self {
        Self { content: content.into(), sources: Vec::new() }
    }

    /// The same, taken from these sources.
    pub fn with_sources(self, sources: Vec<Value>) -> Self {
        Self { sources, ..self }
    }

    /// As the model reads it.
    pub fn to_text(&self) -> Str {
        match &self.content {
            Value::String(text) => text.clone(),
            other => model::json::to_string(other).into(),
        }
    }
}

impl From<Value> for ToolOutput {
    fn from(content: Value) -> Self {
        Self::new(content)
    }
}

impl ToolFailure {
    pub fn new(message: impl Into<Str>) -> Self {
        Self { message: message.into(), cause: None, is_uncertain: false, needs_egress: false }
    }

    /// A node's error in words for the model.
    pub fn of(error: &NodeError) -> Self {
        let message = error.message();
        let words = match error.description().filter(|description| *description != message) {
            Some(description) => format!("{message}: {description}").into(),
            None => message.clone(),
        };
        let code = error.code();
        let (is_uncertain, wants_out) = (code == Code::RUN_UNCERTAIN, code == Code::AGENT_OUTWARD);
        Self { is_uncertain, needs_egress: wants_out, ..Self::new(words).with_cause(code.name()) }
    }

    pub fn with_cause(mut self, cause: impl Into<Str>) -> Self {
        self.cause = Some(cause.into());
        self
    }
}
