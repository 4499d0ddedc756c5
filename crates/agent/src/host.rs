//! What a loop reaches beyond its model, memory and tools.

use crate::record::EndReason;
use model::{AgentStage, Code, Object, Str, Value};
use ports::NodeError;
use ports::ai::{ModelError, TokenUsage, ToolCall};
use ports::checkpoints::ApprovalRequest;

/// The world of one run of an agent. Implemented by nodes over their host, and by tests.
#[async_trait::async_trait]
pub trait AgentHost: Send + Sync {
    fn now_ms(&self) -> i64;
    async fn sleep(&self, milliseconds: u64);
    fn is_cancelled(&self) -> bool;
    /// What was kept under a key before the loop was cut off.
    fn recorded_step(&self, key: &str) -> Option<Value>;
    /// What a key of this loop is called among all that its node notes.
    fn full_key(&self, key: &str) -> Str {
        key.into()
    }
    /// Keeps a step; returns once it would survive a crash.
    async fn record_step(&self, key: &str, value: Value) -> Result<(), NodeError>;
    /// Says that the agent has come to a stage of its work of which nothing else is on record.
    async fn record_stage(&self, _stage: AgentStage, _detail: Object) {}
    /// Says that a person is asked about something and has time until then, whatever else the loop
    /// waits for.
    fn mark_waiting_for_person(&self, _until_ms: i64) {}
    /// Tells whoever watches. Never a reason to stop.
    async fn emit(&self, event: AgentEvent);
}

/// What happens in a loop, for whoever watches.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentEvent {
    Started,
    Iteration {
        number: usize,
    },
    Token(Str),
    ModelRetry {
        attempt: u32,
        wait_ms: u64,
        cause: Str,
    },
    ToolStarted {
        call_id: Str,
        name: Str,
        arguments: Value,
    },
    ToolEnded {
        call_id: Str,
        name: Str,
        content: Str,
        is_error: bool,
        duration_ms: u64,
    },
    /// A person is asked before a tool is called.
    Approval {
        call_id: Str,
        /// The full key of the call, by which a person names it.
        call: Str,
        asked: Box<ApprovalRequest>,
    },
    Cost {
        usage: TokenUsage,
        dollars: Option<f64>,
    },
    /// Calls that whoever asked makes, and what was said with them.
    Handoff {
        text: Str,
        calls: Vec<ToolCall>,
    },
    Warning(Str),
    Done {
        ended: EndReason,
        iterations: usize,
        duration_ms: u64,
        sources: Vec<Value>,
    },
    /// It has no answer. Whoever asked learns why from what is returned.
    Failed,
}

/// Why an agent has no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AgentError {
    #[error("{0}")]
    Model(ModelError),
    /// It came to a limit before it had an answer.
    #[error("{error}")]
    Limit {
        error: ModelError,
        end_reason: EndReason,
        /// The last words of the model until then.
        partial: Str,
    },
    /// A tool that may change something was called, and nobody knows whether it did.
    #[error("The call of '{tool}' was interrupted; it may have taken effect")]
    Uncertain {
        tool: Str,
        /// The full key of the call, by which a person names it.
        call: Str,
    },
    /// The same of something that a tool has begun itself; its own words name it.
    #[error("{message}")]
    ToolUncertain { message: Str },
    /// Calls of its last turn wait for a person, who has time until then. The loop goes on from its
    /// notes once they have decided.
    #[error("A tool call needs approval")]
    Approval { until_ms: i64 },
    #[error("The agent timed out after {limit_ms} ms")]
    Timeout {
        limit_ms: u64,
        /// The last words of the model until then.
        partial: Str,
    },
    #[error("The run was cancelled")]
    Cancelled,
    #[error("The operator has stopped this agent{}", because(reason))]
    Stopped { reason: Str },
    #[error("Two tools have the name '{name}'")]
    SameName { name: Str },
    #[error("The schema of the tool '{tool}' cannot be used: {problem}")]
    Schema { tool: Str, problem: Str },
    /// The schemas of its tools take a while to read, and too much is computed already.
    #[error("The tools could not be prepared: {0}")]
    Busy(compute::Overloaded),
    #[error("{0}")]
    RecordFailed(NodeError),
    /// The answer does not have the form that was asked for.
    #[error("{0}")]
    Format(NodeError),
}

impl AgentError {
    /// What there was of an answer when a limit ended the agent.
    pub fn partial(&self) -> Option<&Str> {
        match self {
            AgentError::Limit { partial, .. } | AgentError::Timeout { partial, .. } => {
                Some(partial)
            }
            _ => None,
        }
    }

    pub fn into_node_error(self) -> NodeError {
        let message = Str::from(self.to_string());
        match self {
            AgentError::Model(error) => of_model(error),
            AgentError::Limit { error, end_reason, .. } => of_model(error)
                .with_result("finishReason", end_reason.name())
                .with_result("partial", true),
            AgentError::Uncertain { call, .. } => {
                NodeError::new(Code::RUN_UNCERTAIN, format!("{message} (call '{call}')"))
                    .hint(UNCERTAIN_HINT)
                    .with("call", call)
            }
            AgentError::ToolUncertain { .. } => {
                NodeError::new(Code::RUN_UNCERTAIN, message).hint(UNCERTAIN_HINT)
            }
            AgentError::Approval { .. } => {
                NodeError::failed(message).hint("This run cannot wait for approval.")
            }
            AgentError::Timeout { .. } => NodeError::new(Code::RUN_TIMEOUT, message)
                .hint("Raise the timeout in the agent's options.")
                .with_result("finishReason", TIMEOUT)
                .with_result("partial", true),
            AgentError::Cancelled => NodeError::new(Code::RUN_CANCELLED, message),
            AgentError::Stopped { .. } => NodeError::new(Code::AGENT_STOPPED, message)
                .hint("Remove the stop from the policy to let the agent run again."),
            AgentError::Schema { .. } => NodeError::failed(message).hint(
                "Fix the tool's schema. Arguments are checked against it before the tool runs.",
            ),
            AgentError::Busy(_) => NodeError::new(Code::SANDBOX_BUSY, message),
            AgentError::SameName { .. } => {
                NodeError::failed(message).hint("Rename one of the tool nodes.")
            }
            AgentError::RecordFailed(error) | AgentError::Format(error) => error,
        }
    }
}

/// Why an agent ended whose time was over.
const TIMEOUT: &str = "timeout";

/// What a person is to do about a call that may have happened.
const UNCERTAIN_HINT: &str =
    "Check whether it took effect, then resume the execution with the result, or stop it.";

fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(": {reason}") }
}

fn of_model(error: ModelError) -> NodeError {
    let coded = NodeError::new(error.code, error.message);
    let coded = error.hint.into_iter().fold(coded, NodeError::hint);
    error
        .status
        .into_iter()
        .fold(coded, |coded, status| coded.with("httpCode", Str::from(status.to_string())))
}
