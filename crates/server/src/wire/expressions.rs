//! Expressions that the editor evaluates.

use super::Json;
use super::items::FieldType;
use super::outline::RunError;
use super::runs::DrawnWorkflow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "describes a request body; handlers read it field by field")]
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

/// What an expression gives: a value or the beginning of its text, or an error.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct ExpressionValue {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<FieldType>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<RunError>,
}
