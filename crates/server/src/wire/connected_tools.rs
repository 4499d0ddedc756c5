//! The tools that are connected to an agent.

use super::outline::RunError;
use super::{DrawnWorkflow, Id, Json, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ConnectedToolsInput {
    pub(crate) workflow: DrawnWorkflow,
    pub(crate) workflow_id: Option<Id>,
    pub(crate) node: Text<1, 1000>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ConnectedToolList {
    pub(crate) data: Vec<ConnectedToolNode>,
}

/// What one connected node brings, or why that cannot be told without a run.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ConnectedToolNode {
    pub(crate) node: String,
    pub(crate) tools: Vec<ConnectedTool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<RunError>,
}

/// A tool as a model is offered it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ConnectedTool {
    pub(crate) name: String,
    pub(crate) description: String,
    /// The JSON Schema of its arguments.
    pub(crate) parameters: Json,
}
