//! Executions on the wire.

use super::{ExecutionId, Json, JsonObject, Page, Timestamp};
use model::{RunStatus, Value};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Execution<'a> {
    pub(crate) id: ExecutionId,
    /// It ended with success.
    pub(crate) finished: bool,
    pub(crate) mode: &'a str,
    pub(crate) retry_of: Option<ExecutionId>,
    pub(crate) retry_success_id: Option<ExecutionId>,
    pub(crate) status: &'static str,
    pub(crate) started_at: Timestamp,
    pub(crate) stopped_at: Option<Timestamp>,
    pub(crate) workflow_id: &'a str,
    /// In lists, if the workflow is still there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) workflow_name: Option<&'a str>,
    pub(crate) parent_execution_id: Option<ExecutionId>,
    pub(crate) waits_for_execution_id: Option<ExecutionId>,
    pub(crate) wait_till: Option<Timestamp>,
    pub(crate) custom_data: JsonObject,
    /// What the nodes did, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Json>,
    /// The workflow as it was executed, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) workflow_data: Option<Json>,
}

impl<'a> From<&'a store::executions::Execution> for Execution<'a> {
    fn from(execution: &'a store::executions::Execution) -> Self {
        let store::executions::Execution { id, started, state, .. } = execution;
        Self {
            id: ExecutionId(*id),
            finished: state.status == RunStatus::Success,
            mode: &started.mode,
            retry_of: started.retry_of.map(ExecutionId),
            retry_success_id: None,
            status: state.status.name(),
            started_at: Timestamp(started.started_ms),
            stopped_at: state.stopped_ms.map(Timestamp),
            workflow_id: &started.workflow_id,
            workflow_name: None,
            parent_execution_id: started.parent.map(|caller| ExecutionId(caller.execution)),
            waits_for_execution_id: state.waits_for.map(ExecutionId),
            wait_till: state.wait_till_ms.map(Timestamp),
            custom_data: JsonObject(Value::empty_object()),
            data: None,
            workflow_data: None,
        }
    }
}

pub(crate) type ExecutionList<'a> = Page<Execution<'a>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum StoppableStatus {
    Queued,
    Running,
    Waiting,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct StopInput {
    #[schemars(length(min = 1))]
    pub(crate) status: Vec<StoppableStatus>,
    #[schemars(length(min = 1))]
    pub(crate) workflow_id: Option<String>,
    #[schemars(extend("format" = "date-time"))]
    pub(crate) started_after: Option<String>,
    #[schemars(extend("format" = "date-time"))]
    pub(crate) started_before: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stopped {
    pub(crate) stopped: i64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ForkInput {
    #[schemars(length(min = 1))]
    pub(crate) from: String,
    #[schemars(length(min = 1))]
    pub(crate) model: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum ResumeInputDecision {
    Again,
    Done,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ResumeInput {
    pub(crate) decision: Option<ResumeInputDecision>,
    pub(crate) result: Option<String>,
    pub(crate) call: Option<String>,
    pub(crate) events: Option<i64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RetryInput {
    pub(crate) load_workflow: Option<bool>,
}
