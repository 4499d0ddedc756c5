//! Executions.

use super::{
    Count, Cursor, ExecutionId, Id, Json, JsonObject, List, Nullable, Page, PageLimit, Text,
    Timestamp, UNLIMITED,
};
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
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<&'a str>,
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
            error: state.error.as_deref(),
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
    pub(crate) status: List<StoppableStatus, 1, UNLIMITED>,
    pub(crate) workflow_id: Option<Id>,
    pub(crate) started_after: Option<Timestamp>,
    pub(crate) started_before: Option<Timestamp>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stopped {
    pub(crate) stopped: i64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ForkInput {
    /// The name of a step.
    pub(crate) from: Text<1, UNLIMITED>,
    #[serde(default)]
    pub(crate) model: Nullable<Text<1, UNLIMITED>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum ResumeInputDecision {
    Again,
    Done,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ResumeInput {
    #[serde(default)]
    pub(crate) decision: Nullable<ResumeInputDecision>,
    #[serde(default)]
    pub(crate) result: Nullable<String>,
    #[serde(default)]
    pub(crate) call: Nullable<String>,
    #[serde(default)]
    pub(crate) events: Nullable<Count>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RetryInput {
    /// With the workflow as it is now instead of as it was then.
    #[serde(default)]
    pub(crate) load_workflow: bool,
}

/// A status by which executions are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum ListedStatus {
    Canceled,
    Error,
    Running,
    Success,
    Waiting,
    Uncertain,
}

impl From<ListedStatus> for RunStatus {
    fn from(status: ListedStatus) -> Self {
        match status {
            ListedStatus::Canceled => Self::Cancelled,
            ListedStatus::Error => Self::Error,
            ListedStatus::Running => Self::Running,
            ListedStatus::Success => Self::Success,
            ListedStatus::Waiting => Self::Waiting,
            ListedStatus::Uncertain => Self::Uncertain,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExecutionListQuery {
    #[serde(default)]
    pub(crate) limit: PageLimit,
    #[serde(default)]
    pub(crate) cursor: Cursor<i64>,
    #[serde(default)]
    pub(crate) include_data: bool,
    pub(crate) status: Option<ListedStatus>,
    pub(crate) workflow_id: Option<String>,
    pub(crate) project_id: Option<String>,
    pub(crate) started_after: Option<Timestamp>,
    pub(crate) started_before: Option<Timestamp>,
    pub(crate) mode: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExecutionQuery {
    #[serde(default)]
    pub(crate) include_data: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventQuery {
    /// Only those of one workflow.
    pub(crate) workflow_id: Option<String>,
}
