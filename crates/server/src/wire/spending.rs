//! Spending on the wire.

use super::Number;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SpendingRow<'a> {
    pub(crate) day: &'a str,
    pub(crate) workflow_id: &'a str,
    pub(crate) provider: &'a str,
    pub(crate) model: &'a str,
    pub(crate) calls: Number,
    pub(crate) input_tokens: Number,
    pub(crate) cached_tokens: Number,
    pub(crate) output_tokens: Number,
    pub(crate) dollars: Number,
}

impl<'a> From<&'a store::spending::SpendingRow> for SpendingRow<'a> {
    fn from(row: &'a store::spending::SpendingRow) -> Self {
        Self {
            day: &row.day,
            workflow_id: &row.workflow_id,
            provider: &row.provider,
            model: &row.model,
            calls: Number(row.calls as f64),
            input_tokens: Number(row.input as f64),
            cached_tokens: Number(row.cached as f64),
            output_tokens: Number(row.output as f64),
            dollars: Number(row.dollars),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Spending<'a> {
    pub(crate) data: Vec<SpendingRow<'a>>,
    pub(crate) dollars: Number,
}
