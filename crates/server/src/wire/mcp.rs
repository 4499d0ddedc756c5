//! The arguments of the tools with which assistants manage workflows.

use super::{BoundedInt, Id, JsonNodes, JsonObject, Text, UNLIMITED};
use schemars::JsonSchema;
use serde::Deserialize;

/// How many entries a list has at most.
pub(crate) type ToolLimit = BoundedInt<1, 100>;

/// How long a call may wait for a run, in seconds.
pub(crate) type ToolWait = BoundedInt<0, 600>;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ListWorkflowsTool {
    /// Part of the name.
    pub(crate) query: Option<String>,
    /// Only workflows that are active, or only those that are not.
    pub(crate) active: Option<bool>,
    pub(crate) project_id: Option<Id>,
    pub(crate) limit: Option<ToolLimit>,
    /// The `nextCursor` of the page before.
    pub(crate) cursor: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WorkflowTool {
    /// The ID of the workflow.
    pub(crate) id: Id,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SearchNodesTool {
    /// Words such as `google sheets`, `http` or `agent`.
    pub(crate) query: Text<1, 200>,
    pub(crate) limit: Option<ToolLimit>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GetNodeTool {
    /// The type, such as `n8n-nodes-base.httpRequest`.
    #[serde(rename = "type")]
    pub(crate) kind: Text<1, 200>,
    /// A `typeVersion`; the newest if omitted.
    pub(crate) version: Option<f64>,
}

/// A workflow that is not saved.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ValidateWorkflowTool {
    pub(crate) name: Option<String>,
    /// n8n's nodes: `name`, `type`, `typeVersion`, `position` and `parameters` of each.
    pub(crate) nodes: JsonNodes,
    /// n8n's connections, by the name of the node they start at.
    pub(crate) connections: JsonObject,
    pub(crate) settings: Option<JsonObject>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CreateWorkflowTool {
    pub(crate) name: Text<1, UNLIMITED>,
    /// n8n's nodes: `name`, `type`, `typeVersion`, `position` and `parameters` of each.
    pub(crate) nodes: JsonNodes,
    /// n8n's connections, by the name of the node they start at.
    pub(crate) connections: JsonObject,
    pub(crate) settings: Option<JsonObject>,
    /// The project it goes into; your own if omitted.
    pub(crate) project_id: Option<Id>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct UpdateWorkflowTool {
    /// The ID of the workflow.
    pub(crate) id: Id,
    /// The `versionId` that the change is based on. A workflow that somebody has changed since is
    /// not overwritten.
    pub(crate) version_id: Id,
    pub(crate) name: Text<1, UNLIMITED>,
    /// All nodes, also those that stay as they are.
    pub(crate) nodes: JsonNodes,
    /// All connections.
    pub(crate) connections: JsonObject,
    /// The settings; they stay as they are if omitted.
    pub(crate) settings: Option<JsonObject>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RunWorkflowTool {
    /// The ID of the workflow.
    pub(crate) id: Id,
    /// The trigger to start at; the first that fits if omitted.
    pub(crate) trigger: Option<Text<1, 1000>>,
    /// The JSON of the items that the trigger gives.
    pub(crate) items: Option<Vec<JsonObject>>,
    /// The node to end with.
    pub(crate) until: Option<Text<1, 1000>>,
    /// How long to wait for the end, in seconds; 60 if omitted. The run goes on afterwards.
    pub(crate) wait_seconds: Option<ToolWait>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ListExecutionsTool {
    pub(crate) workflow_id: Option<Id>,
    /// `success`, `error`, `running`, `waiting`, `canceled` or `uncertain`.
    pub(crate) status: Option<String>,
    pub(crate) limit: Option<ToolLimit>,
    /// The `nextCursor` of the page before.
    pub(crate) cursor: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct GetExecutionTool {
    /// The ID of the execution.
    pub(crate) id: Id,
    /// A node whose items to show.
    pub(crate) node: Option<Text<1, UNLIMITED>>,
    /// Whether to show what went into that node instead of what came out.
    #[serde(default)]
    pub(crate) input: bool,
    pub(crate) limit: Option<ToolLimit>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ExecutionTool {
    /// The ID of the execution.
    pub(crate) id: Id,
}
