//! Approvals on the wire.

use super::{ExecutionId, Json, Nullable, Page, Timestamp};
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

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ApprovalInput {
    pub(crate) call: String,
    pub(crate) digest: String,
    pub(crate) decision: ApprovalInputDecision,
    #[serde(default)]
    #[schemars(length(max = 2000))]
    pub(crate) reason: Nullable<String>,
}
