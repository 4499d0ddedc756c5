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
    pub(crate) calls: i64,
    pub(crate) input_tokens: i64,
    pub(crate) cached_tokens: i64,
    pub(crate) output_tokens: i64,
    pub(crate) dollars: Number,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spending<'a> {
    pub(crate) data: Vec<SpendingRow<'a>>,
    pub(crate) dollars: Number,
}
