//! The events of runs, as they are sent while they happen: server-sent events whose name is the
//! `type` and whose data is the `data` of an event.

use super::agent::ApprovalOutcome;
use super::outline::RunError;
use super::trace::AgentStage;
use super::{Json, Number};
use schemars::JsonSchema;
use serde::Serialize;

/// Defines the events once: the type, its names, and what is sent.
macro_rules! live_events {
    ($($(#[doc = $doc:literal])+ $event:ident($data:ty) = $name:literal,)+) => {
        /// What happens in runs.
        #[derive(Serialize, JsonSchema)]
        #[serde(tag = "type", content = "data")]
        pub(crate) enum LiveEvent<'a> {
            $($(#[doc = $doc])+ #[serde(rename = $name)] $event($data),)+
        }

        impl LiveEvent<'_> {
            /// The name and the data of the server-sent event.
            pub(crate) fn to_sse(&self) -> serde_json::Result<(&'static str, String)> {
                match self {
                    $(Self::$event(data) => Ok(($name, serde_json::to_string(data)?)),)+
                }
            }
        }
    };
}

live_events! {
    /// A run has begun.
    ExecutionStarted(OfRun<'a, ExecutionStarted<'a>>) = "executionStarted",
    /// A node has begun.
    NodeStarted(OfRun<'a, NodeStarted<'a>>) = "nodeStarted",
    /// A node has logged a line.
    NodeLog(OfRun<'a, NodeLog<'a>>) = "nodeLog",
    /// A node has recorded a step of its own.
    NodeStep(OfRun<'a, NodeStep<'a>>) = "nodeStep",
    /// A person is asked about a tool call, or has decided.
    Approval(OfRun<'a, ApprovalEvent<'a>>) = "approval",
    /// A sub-node was called.
    NodeServed(OfRun<'a, NodeServed<'a>>) = "nodeServed",
    /// A model has answered a node.
    ModelUsed(OfRun<'a, ModelUsed<'a>>) = "modelUsed",
    /// An agent has come to a stage of its work.
    AgentStage(OfRun<'a, AgentStageReached<'a>>) = "agentStage",
    /// A node is tried again.
    NodeRetried(OfRun<'a, NodeRetried<'a>>) = "nodeRetried",
    /// A node is done.
    NodeFinished(OfRun<'a, NodeFinished<'a>>) = "nodeFinished",
    /// A node had no output.
    NodeSilent(OfRun<'a, NodeSilent<'a>>) = "nodeSilent",
    /// A run is suspended.
    ExecutionWaiting(OfRun<'a, ExecutionWaiting<'a>>) = "executionWaiting",
    /// A suspended run continues.
    ExecutionResumed(OfRun<'a, ExecutionResumed>) = "executionResumed",
    /// A run is over, or suspended.
    ExecutionFinished(OfRun<'a, ExecutionFinished>) = "executionFinished",
    /// A piece of an agent's answer.
    Agent(OfRun<'a, AnswerChunk<'a>>) = "agent",
    /// The reader was too slow; so many events were left out.
    Missed(u64) = "missed",
}

// The data of an event, and the run that it is of.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct OfRun<'a, T> {
    pub(crate) execution_id: &'a str,
    #[serde(flatten)]
    pub(crate) event: T,
    /// Values were too large to be sent and are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_cut: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct ExecutionStarted<'a> {
    pub(crate) workflow_id: &'a str,
    pub(crate) workflow_name: &'a str,
    pub(crate) mode: &'a str,
    pub(crate) started_ms: i64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct NodeStarted<'a> {
    pub(crate) node: &'a str,
    pub(crate) run: usize,
    pub(crate) started_ms: i64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct NodeLog<'a> {
    pub(crate) node: &'a str,
    pub(crate) line: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct NodeStep<'a> {
    pub(crate) node: &'a str,
    pub(crate) step: &'a str,
    pub(crate) value: Json,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct AgentStageReached<'a> {
    pub(crate) node: &'a str,
    pub(crate) run: usize,
    pub(crate) item: usize,
    pub(crate) stage: AgentStage,
    pub(crate) at_ms: i64,
    pub(crate) detail: Json,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct ApprovalEvent<'a> {
    pub(crate) node: &'a str,
    pub(crate) call: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) arguments: Json,
    pub(crate) digest: &'a str,
    pub(crate) asked_ms: i64,
    pub(crate) until_ms: i64,
    pub(crate) decision: Option<ApprovalOutcome>,
    pub(crate) reason: Option<&'a str>,
    pub(crate) by: Option<&'a str>,
    pub(crate) decided_ms: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct NodeServed<'a> {
    pub(crate) node: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<&'static str>,
    /// The node that was served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) serves: Option<&'a str>,
    pub(crate) status: &'static str,
    pub(crate) duration_ms: Number,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<RunError>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct ModelUsed<'a> {
    pub(crate) node: &'a str,
    pub(crate) provider: &'a str,
    pub(crate) model: &'a str,
    pub(crate) input_tokens: u64,
    pub(crate) cached_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) dollars: Option<Number>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct NodeRetried<'a> {
    pub(crate) node: &'a str,
    pub(crate) attempt: u32,
    pub(crate) error: RunError,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct NodeFinished<'a> {
    pub(crate) node: &'a str,
    pub(crate) run: usize,
    pub(crate) status: &'static str,
    pub(crate) duration_ms: Number,
    /// How many items each main output has.
    pub(crate) items: Vec<usize>,
    /// The execution that the result was taken from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reused: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<RunError>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct NodeSilent<'a> {
    pub(crate) node: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct ExecutionWaiting<'a> {
    pub(crate) node: &'a str,
    /// It waits for a person's approval.
    pub(crate) asks: bool,
    /// The execution that it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waits_for: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) until_ms: Option<Number>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ExecutionResumed {}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct ExecutionFinished {
    pub(crate) status: &'static str,
    pub(crate) finished_ms: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<RunError>,
}

// A piece of an answer: n8n's kinds, and those of agents.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct AnswerChunk<'a> {
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content: Option<Json>,
    pub(crate) metadata: ChunkSource<'a>,
}

// Where a piece comes from.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct ChunkSource<'a> {
    pub(crate) node_id: &'a str,
    pub(crate) node_name: &'a str,
    pub(crate) item_index: usize,
    pub(crate) run_index: usize,
    pub(crate) timestamp: Number,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_not_is_left_out_unless_it_is_null() {
        let waiting =
            ExecutionWaiting { node: "Wait", asks: false, waits_for: None, until_ms: None };
        let event =
            LiveEvent::ExecutionWaiting(OfRun { execution_id: "7", event: waiting, is_cut: false });
        let (name, data) = event.to_sse().unwrap();
        assert_eq!(
            (name, data.as_str()),
            ("executionWaiting", r#"{"executionId":"7","node":"Wait","asks":false}"#)
        );
        let used = ModelUsed {
            node: "Agent",
            provider: "p",
            model: "m",
            input_tokens: 3,
            cached_tokens: 0,
            output_tokens: 1,
            dollars: None,
        };
        let event = LiveEvent::ModelUsed(OfRun { execution_id: "7", event: used, is_cut: true });
        let (_, data) = event.to_sse().unwrap();
        assert!(data.ends_with(r#""outputTokens":1,"dollars":null,"isCut":true}"#), "{data}");
    }
}
