//! What the operator allows agents at most.

/// The limits above those of a workflow's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgentLimits {
    /// Model calls of one agent for one item.
    pub max_iterations: usize,
    /// How long one tool may take. Tools that can be resumed, such as workflows and other agents,
    /// have limits of their own.
    pub tool_timeout_ms: u64,
    /// What an agent's model sees of earlier turns, in tokens as they are estimated.
    pub history_tokens: usize,
    /// Model calls of one session within a minute; 0 for any number.
    pub session_calls: u32,
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self {
            max_iterations: 100,
            tool_timeout_ms: 300_000,
            history_tokens: 100_000,
            session_calls: 120,
        }
    }
}
