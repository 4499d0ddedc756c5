//! Approvals: tool calls that wait for a person, and their decisions.

use super::{Cursor, ExecutionId, Json, Nullable, Page, PageLimit, Text, Timestamp};
use node_api::checkpoints::ApprovalVerdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A tool call that waits for a person's decision.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Approval<'a> {
    pub(crate) execution_id: ExecutionId,
    pub(crate) workflow_id: &'a str,
    pub(crate) workflow_name: Option<&'a str>,
    pub(crate) node: &'a str,
    pub(crate) call: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) arguments: Json,
    pub(crate) digest: &'a str,
    pub(crate) asked_at: Timestamp,
    pub(crate) until_at: Timestamp,
}

pub(crate) type ApprovalList<'a> = Page<Approval<'a>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum ApprovalInputDecision {
    Approve,
    Reject,
}

impl From<ApprovalInputDecision> for ApprovalVerdict {
    fn from(decision: ApprovalInputDecision) -> Self {
        match decision {
            ApprovalInputDecision::Approve => Self::Approved,
            ApprovalInputDecision::Reject => Self::Rejected,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ApprovalInput {
    pub(crate) call: Text<1, 1000>,
    pub(crate) digest: Text<1, 200>,
    pub(crate) decision: ApprovalInputDecision,
    #[serde(default)]
    pub(crate) reason: Nullable<Text<0, 2000>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApprovalQuery {
    #[serde(default)]
    pub(crate) limit: PageLimit,
    #[serde(default)]
    pub(crate) cursor: Cursor<i64>,
    pub(crate) workflow_id: Option<String>,
    pub(crate) execution_id: Option<ExecutionId>,
}
