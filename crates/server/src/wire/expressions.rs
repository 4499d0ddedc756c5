//! Expressions on the wire.

use super::Json;
use super::outline::RunError;
use super::runs::DrawnWorkflow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ExpressionInput {
    pub(crate) workflow: DrawnWorkflow,
    #[schemars(length(min = 1))]
    pub(crate) workflow_id: Option<String>,
    #[schemars(length(min = 1))]
    pub(crate) node: String,
    pub(crate) expression: String,
    #[schemars(length(min = 1))]
    pub(crate) execution_id: Option<String>,
    #[schemars(range(min = 0))]
    pub(crate) item: Option<i64>,
    #[schemars(range(min = 0))]
    pub(crate) run_index: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExpressionValue<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "type")]
    pub(crate) kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) truncated: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<RunError>,
}
