//! Agent on the wire.

use super::{Json, Number};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum AgentApprovalDecision {
    Approved,
    Rejected,
    Expired,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentApproval<'a> {
    pub(crate) call: &'a str,
    pub(crate) digest: &'a str,
    pub(crate) asked_ms: Number,
    pub(crate) until_ms: Number,
    pub(crate) decision: Option<AgentApprovalDecision>,
    pub(crate) reason: Option<&'a str>,
    pub(crate) by: Option<&'a str>,
    pub(crate) decided_ms: Option<Number>,
    pub(crate) waited_ms: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) arguments: Option<Json>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentToolCall<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) arguments: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) is_error: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) duration_ms: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) approval: Option<AgentApproval<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct AgentIterationTokens {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cached: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum AgentIterationAction {
    Tool,
    Final,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentIteration<'a> {
    pub(crate) index: i64,
    pub(crate) item: i64,
    pub(crate) model: &'a str,
    pub(crate) started_ms: Option<Number>,
    pub(crate) duration_ms: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<Json>,
    pub(crate) tool_calls: Vec<AgentToolCall<'a>>,
    pub(crate) tokens: AgentIterationTokens,
    pub(crate) dollars: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) action: Option<AgentIterationAction>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct ExecutionAgentMemory<'a> {
    pub(crate) op: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) node: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) started_ms: Option<Number>,
    pub(crate) duration_ms: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) enum ExecutionAgentFinishReason {
    #[serde(rename = "completed")]
    Completed,
    #[serde(rename = "max_iterations")]
    MaxIterations,
    #[serde(rename = "stopped")]
    Stopped,
    #[serde(rename = "error")]
    Error,
    #[serde(rename = "running")]
    Running,
    #[serde(rename = "approval")]
    Approval,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct ExecutionAgentError<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<&'a str>,
    pub(crate) message: &'a str,
    pub(crate) iteration: i64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExecutionAgent<'a> {
    pub(crate) iterations: Vec<AgentIteration<'a>>,
    pub(crate) memory: Vec<ExecutionAgentMemory<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<Json>,
    pub(crate) finish_reason: ExecutionAgentFinishReason,
    pub(crate) approvals: Vec<AgentApproval<'a>>,
    pub(crate) errors: Vec<ExecutionAgentError<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) started_ms: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reused: Option<&'a str>,
}
