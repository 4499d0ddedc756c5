//! Insights on the wire.

use super::Number;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct InsightsRun<'a> {
    pub(crate) day: &'a str,
    pub(crate) ok: i64,
    pub(crate) failed: i64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct InsightsLatency<'a> {
    pub(crate) workflow_id: &'a str,
    pub(crate) name: Option<&'a str>,
    pub(crate) runs: i64,
    pub(crate) p50: Number,
    pub(crate) p95: Number,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct InsightsModel<'a> {
    pub(crate) model: &'a str,
    pub(crate) tokens_in: i64,
    pub(crate) tokens_out: i64,
    pub(crate) dollars: Number,
    pub(crate) calls: i64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct InsightsWorkflow<'a> {
    pub(crate) workflow_id: &'a str,
    pub(crate) name: Option<&'a str>,
    pub(crate) runs: i64,
    pub(crate) failed: i64,
    pub(crate) dollars: Number,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct InsightsTotals {
    pub(crate) runs: i64,
    pub(crate) failed: i64,
    pub(crate) p50_ms: Option<Number>,
    pub(crate) p95_ms: Option<Number>,
    pub(crate) tokens: i64,
    pub(crate) dollars: Number,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Insights<'a> {
    pub(crate) runs: Vec<InsightsRun<'a>>,
    pub(crate) latency: Vec<InsightsLatency<'a>>,
    pub(crate) models: Vec<InsightsModel<'a>>,
    pub(crate) workflows: Vec<InsightsWorkflow<'a>>,
    pub(crate) totals: InsightsTotals,
}
