//! Outline on the wire.

use super::executions::Execution;
use super::{JsonObject, Number};
use model::{Source, TaskStatus, Value};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// One run of a node, or one thing that it did for another.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeRun<'a> {
    pub(crate) run_index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) execution_index: Option<usize>,
    pub(crate) start_time: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) execution_time: Option<Number>,
    pub(crate) status: NodeRunStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Vec<Option<RunSource<'a>>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) outputs: Option<Vec<RunOutput>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<RunError>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(crate) hints: Vec<&'a str>,
    /// The execution that the result was taken from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reused: Option<&'a str>,
    /// The node that it did this for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) served: Option<ServedNode<'a>>,
    /// How many steps of its own it recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) steps: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum NodeRunStatus {
    Running,
    Success,
    Error,
    Waiting,
    Canceled,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct RunSource<'a> {
    pub(crate) previous_node: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) previous_node_output: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) previous_node_run: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct RunOutput {
    pub(crate) kind: &'static str,
    pub(crate) index: usize,
    pub(crate) items: usize,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct ServedNode<'a> {
    pub(crate) kind: &'static str,
    pub(crate) node: &'a str,
    pub(crate) run: usize,
}

impl From<TaskStatus> for NodeRunStatus {
    fn from(status: TaskStatus) -> Self {
        match status {
            TaskStatus::Success => Self::Success,
            TaskStatus::Error => Self::Error,
            TaskStatus::Waiting => Self::Waiting,
            TaskStatus::Cancelled => Self::Canceled,
        }
    }
}

impl<'a> From<&'a Source> for RunSource<'a> {
    fn from(source: &'a Source) -> Self {
        Self {
            previous_node: &source.node,
            previous_node_output: Some(source.output).filter(|output| *output > 0),
            previous_node_run: Some(source.run).filter(|run| *run > 0),
        }
    }
}

/// What went wrong in a run, with the further fields that n8n's errors carry.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct RunError(pub(crate) Value);

impl From<&model::RunError> for RunError {
    fn from(error: &model::RunError) -> Self {
        Self(error.to_value())
    }
}

impl JsonSchema for RunError {
    fn schema_name() -> Cow<'static, str> {
        "RunError".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        RunErrorFields::json_schema(generator)
    }
}

/// The fields that every error may have.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", extend("additionalProperties" = true))]
#[expect(dead_code, reason = "describes `RunError`")]
struct RunErrorFields {
    #[schemars(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    message: String,
    #[schemars(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    node: Option<String>,
    #[schemars(skip_serializing_if = "Option::is_none")]
    item_index: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ModelUse<'a> {
    pub(crate) node: &'a str,
    pub(crate) provider: &'a str,
    pub(crate) model: &'a str,
    pub(crate) calls: usize,
    pub(crate) input_tokens: u64,
    pub(crate) cached_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) dollars: Number,
}

/// An execution without its items.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExecutionOutline<'a> {
    #[serde(flatten)]
    pub(crate) execution: Execution<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<RunError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start_node: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_node: Option<&'a str>,
    /// The runs of each node, in the order of their first run.
    #[schemars(with = "BTreeMap<String, Vec<NodeRun<'a>>>")]
    pub(crate) nodes: NodeRuns<'a>,
    /// The length of its journal.
    pub(crate) events: usize,
    pub(crate) models: Vec<ModelUse<'a>>,
}

/// The runs of nodes, in order.
pub(crate) struct NodeRuns<'a>(pub(crate) Vec<(&'a str, Vec<NodeRun<'a>>)>);

impl Serialize for NodeRuns<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.0.iter().map(|(node, runs)| (node, runs)))
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("additionalProperties" = true))]
pub(crate) struct ExecutionDocument<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<&'a str>,
    pub(crate) nodes: Vec<JsonObject>,
    pub(crate) connections: JsonObject,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) settings: Option<JsonObject>,
    pub(crate) pin_data: Option<JsonObject>,
}
