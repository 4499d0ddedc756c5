//! What an agent did in a step of an execution.

use super::{Count, Json, Number, Text, UNLIMITED};
use model::{Str, Value};
use node_api::checkpoints::ApprovalVerdict;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What an agent did in a step.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExecutionAgent<'a> {
    pub(crate) iterations: Vec<AgentIteration<'a>>,
    pub(crate) memory: Vec<MemoryCall<'a>>,
    pub(crate) output: Json,
    pub(crate) sources: Vec<AnswerSource>,
    pub(crate) approvals: Vec<AgentApproval<'a>>,
    pub(crate) finish_reason: FinishReason,
    pub(crate) errors: Vec<AgentError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) started_ms: Option<i64>,
    /// The execution that the result was taken from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reused: Option<&'a str>,
}

/// What an answer is based on.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct AnswerSource(Json);

impl AnswerSource {
    pub(crate) fn new(item: usize, source: &Value) -> Self {
        let mut told = source.as_object().cloned().unwrap_or_default();
        told.insert("item", item);
        Self(Json(told.into()))
    }
}

impl JsonSchema for AnswerSource {
    fn schema_name() -> Cow<'static, str> {
        "AnswerSource".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        AnswerSourceFields::json_schema(generator)
    }
}

#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[expect(dead_code, reason = "describes the sources that agents record")]
struct AnswerSourceFields {
    r#type: SourceType,
    item: u64,
    /// The tool that brought it, unless the memory did before the first call.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iteration: Option<u64>,
    /// The answer repeats figures or words of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_quoted: Option<bool>,
    /// The MCP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    /// Of a document or an entry of memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[expect(dead_code, reason = "names the types of sources")]
enum SourceType {
    Document,
    Memory,
    Tool,
    Mcp,
}

/// One question to the model, and the tools that it called.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentIteration<'a> {
    pub(crate) index: usize,
    pub(crate) item: usize,
    pub(crate) model: &'a str,
    pub(crate) started_ms: Option<i64>,
    pub(crate) duration_ms: Option<Number>,
    pub(crate) message: Json,
    pub(crate) tool_calls: Vec<AgentToolCall<'a>>,
    pub(crate) tokens: AgentTokens,
    pub(crate) dollars: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) action: Option<AgentAction>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentToolCall<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) arguments: Json,
    /// A call that was refused has no result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) is_error: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) duration_ms: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) approval: Option<AgentApproval<'a>>,
}

/// What a person was asked about a call, and what they decided.
#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentApproval<'a> {
    pub(crate) call: &'a str,
    pub(crate) digest: &'a str,
    pub(crate) asked_ms: i64,
    pub(crate) until_ms: i64,
    pub(crate) decision: Option<ApprovalOutcome>,
    pub(crate) reason: Option<&'a str>,
    pub(crate) by: Option<&'a str>,
    pub(crate) decided_ms: Option<i64>,
    pub(crate) waited_ms: Option<i64>,
    /// In the list of all approvals of a step; elsewhere the call itself says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) arguments: Option<Json>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum ApprovalOutcome {
    Approved,
    Rejected,
    Expired,
}

impl From<ApprovalVerdict> for ApprovalOutcome {
    fn from(verdict: ApprovalVerdict) -> Self {
        match verdict {
            ApprovalVerdict::Approved => Self::Approved,
            ApprovalVerdict::Rejected => Self::Rejected,
        }
    }
}

#[derive(Clone, Copy, Default, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct AgentTokens {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cached: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reasoning: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum AgentAction {
    Tool,
    Final,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct MemoryCall<'a> {
    #[schemars(with = "String")]
    pub(crate) op: Str,
    pub(crate) node: &'a str,
    pub(crate) started_ms: i64,
    pub(crate) duration_ms: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(crate) enum FinishReason {
    Completed,
    MaxIterations,
    Budget,
    ConfidenceThreshold,
    IterationLimit,
    /// Before its answer, for a reason that is not on record.
    Stopped,
    Error,
    Running,
    Approval,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct AgentError {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    pub(crate) message: String,
    pub(crate) iteration: usize,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentQuery {
    pub(crate) node: Text<1, UNLIMITED>,
    pub(crate) run: Option<Count>,
}
