//! What models cost, by day.

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
    pub(crate) calls: u64,
    pub(crate) input_tokens: u64,
    pub(crate) cached_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) dollars: Number,
}

impl<'a> From<&'a store::spending::SpendingRow> for SpendingRow<'a> {
    fn from(row: &'a store::spending::SpendingRow) -> Self {
        Self {
            day: &row.day,
            workflow_id: &row.workflow_id,
            provider: &row.provider,
            model: &row.model,
            calls: row.calls,
            input_tokens: row.input,
            cached_tokens: row.cached,
            output_tokens: row.output,
            dollars: Number(row.dollars),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Spending<'a> {
    pub(crate) data: Vec<SpendingRow<'a>>,
    pub(crate) dollars: Number,
}
