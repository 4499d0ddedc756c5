//! The instance.

use super::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct InstanceLimits {
    pub(crate) body_bytes: usize,
    pub(crate) connections: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct InstanceCounts {
    pub(crate) active_workflows: usize,
    pub(crate) runs_in_progress: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Instance<'a> {
    pub(crate) version: &'a str,
    pub(crate) url: &'a str,
    pub(crate) webhook_url: Option<&'a str>,
    pub(crate) started_at: Timestamp,
    pub(crate) limits: InstanceLimits,
    pub(crate) counts: InstanceCounts,
    /// Private hosts that workflows may call (`HEDDLE_EGRESS_ALLOW`); only for administrators.
    pub(crate) egress_allow: Option<&'a [String]>,
}
