//! What an agent did, for its caller and for the trace.

use model::{Str, Value};
use ports::ai::{Message, TokenUsage};

/// How a loop ended and what it did on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentOutcome {
    pub answer: Str,
    /// What the parser made of it, where a form was asked for.
    pub value: Option<Value>,
    pub end_reason: EndReason,
    pub record: Record,
}

/// Why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    Completed,
    /// The answer is what there was when the limit was reached.
    MaxIterations,
    /// It is what there was when the money or the tokens were used up.
    Budget,
    /// The author's condition has ended it: the model was sure enough, without an answer.
    ConfidenceThreshold,
    /// The author's condition has ended it after a number of iterations.
    IterationLimit,
    /// The model broke the contract of a strict loop.
    Error,
    /// Whoever asked has to make a call first.
    Handoff,
}

impl EndReason {
    pub fn name(self) -> &'static str {
        match self {
            EndReason::Completed => "completed",
            EndReason::MaxIterations => "max_iterations",
            EndReason::Budget => "budget",
            EndReason::ConfidenceThreshold => "confidence_threshold",
            EndReason::IterationLimit => "iteration_limit",
            EndReason::Error => "error",
            EndReason::Handoff => "tool_calls",
        }
    }

    /// Whether it ended before the model had a final answer.
    pub fn is_partial(self) -> bool {
        match self {
            EndReason::Completed | EndReason::Handoff => false,
            EndReason::MaxIterations
            | EndReason::Budget
            | EndReason::ConfidenceThreshold
            | EndReason::IterationLimit
            | EndReason::Error => true,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    pub iterations: usize,
    pub tool_uses: Vec<ToolUse>,
    pub usage: TokenUsage,
    /// US dollars, where the price is known.
    pub cost: Option<f64>,
    pub duration_ms: u64,
    /// What the memory brought, where the answer is to name it.
    pub recalled: Vec<Value>,
    /// What the answer is based on, these among it.
    pub sources: Vec<Value>,
    /// What was said in this turn, from the user's message to the answer.
    pub messages: Vec<Message>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolUse {
    /// The id that the model gave the call.
    pub call_id: Str,
    pub name: Str,
    pub arguments: Value,
    pub content: Str,
    pub is_error: bool,
    pub started_ms: i64,
    pub duration_ms: u64,
    /// The iteration that called it.
    pub iteration: usize,
    /// What its answer is taken from.
    pub sources: Vec<Value>,
    /// Whether a tool whose effect only shows has reached outside.
    pub reached_out: bool,
}
