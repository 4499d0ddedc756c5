//! Numbers about runs and what models cost.

use super::{BoundedInt, Number};
use model::Str;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, JsonSchema)]
pub(crate) struct Insights<'a> {
    pub(crate) runs: Vec<DayRuns>,
    pub(crate) latency: Vec<WorkflowLatency<'a>>,
    pub(crate) models: Vec<ModelSpending<'a>>,
    pub(crate) workflows: Vec<WorkflowRuns<'a>>,
    pub(crate) totals: InsightTotals,
}

/// The runs of a day; those that somebody stopped are in neither number.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct DayRuns {
    #[schemars(with = "String")]
    pub(crate) day: Str,
    pub(crate) ok: usize,
    pub(crate) failed: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct WorkflowLatency<'a> {
    pub(crate) workflow_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<&'a str>,
    pub(crate) runs: usize,
    pub(crate) p50: i64,
    pub(crate) p95: i64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct ModelSpending<'a> {
    pub(crate) model: &'a str,
    pub(crate) tokens_in: u64,
    pub(crate) tokens_out: u64,
    pub(crate) dollars: Number,
    pub(crate) calls: u64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct WorkflowRuns<'a> {
    pub(crate) workflow_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<&'a str>,
    pub(crate) runs: usize,
    pub(crate) failed: usize,
    pub(crate) dollars: Number,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct InsightTotals {
    pub(crate) runs: usize,
    pub(crate) failed: usize,
    /// `null` without runs.
    pub(crate) p50_ms: Option<i64>,
    pub(crate) p95_ms: Option<i64>,
    pub(crate) tokens: u64,
    pub(crate) dollars: Number,
}

/// Days that are looked back when nothing is said.
pub(crate) const DEFAULT_DAYS: usize = 7;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InsightsQuery {
    #[schemars(extend("default" = DEFAULT_DAYS))]
    pub(crate) days: Option<BoundedInt<1, 90>>,
    pub(crate) workflow_id: Option<String>,
}
