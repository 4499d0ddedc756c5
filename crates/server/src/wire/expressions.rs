//! Expressions that the editor evaluates.

use super::items::FieldType;
use super::outline::RunError;
use super::{Count, DrawnWorkflow, Id, Json, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ExpressionInput {
    pub(crate) workflow: DrawnWorkflow,
    pub(crate) workflow_id: Option<Id>,
    pub(crate) node: Text<1, 1000>,
    pub(crate) expression: Text<0, { 64 << 10 }>,
    pub(crate) execution_id: Option<Id>,
    pub(crate) item: Option<Count>,
    pub(crate) run_index: Option<Count>,
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
