//! Decisions about many uncertain executions at once.

use super::{
    BoundedInt, ExecutionId, Id, List, Nullable, ResumeInputDecision, Text, Timestamp, UNLIMITED,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Executions that one request can name.
const MAX_NAMED: usize = runtime::MAX_DECIDED_RUNS;
const MAX_HOLD_SECONDS: u64 = runtime::MAX_DECISION_HOLD.as_secs();

/// Which uncertain executions, and what becomes of the steps that they stopped at. Without any
/// filter it is about all of them.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ResumeManyInput {
    pub(crate) decision: ResumeInputDecision,
    #[serde(default)]
    pub(crate) result: Nullable<String>,
    /// Only these of them.
    pub(crate) ids: Option<List<ExecutionId, 1, MAX_NAMED>>,
    pub(crate) workflow_id: Option<Id>,
    /// Only those that stopped at this node.
    pub(crate) node: Option<Text<1, UNLIMITED>>,
    pub(crate) started_after: Option<Timestamp>,
    pub(crate) started_before: Option<Timestamp>,
    /// How long the decision can be taken back; 30 seconds if it is not given.
    pub(crate) hold_seconds: Option<BoundedInt<0, MAX_HOLD_SECONDS>>,
}

/// Executions that were decided about together.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DecidedBatch {
    /// By which the decision is taken back.
    pub(crate) batch: String,
    pub(crate) executions: usize,
    /// When the executions resume.
    pub(crate) applies_at: Timestamp,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TakenBack {
    pub(crate) executions: usize,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UncertainStepQuery {
    pub(crate) workflow_id: Option<String>,
    pub(crate) project_id: Option<String>,
}

/// Uncertain executions of a workflow that stopped at the same node.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UncertainStep<'a> {
    pub(crate) workflow_id: &'a str,
    /// If the workflow is still there.
    pub(crate) workflow_name: Option<&'a str>,
    pub(crate) node: Option<&'a str>,
    pub(crate) executions: usize,
    /// How many of them are decided and have not resumed yet.
    pub(crate) decided: usize,
    pub(crate) first_started_at: Timestamp,
    pub(crate) last_started_at: Timestamp,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UncertainSteps<'a> {
    pub(crate) data: Vec<UncertainStep<'a>>,
    /// Decisions that can be taken back.
    pub(crate) batches: Vec<DecidedBatch>,
}
