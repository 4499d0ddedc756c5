//! What a check of a workflow finds.

use super::Number;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum ProblemSeverity {
    Error,
    Warning,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkflowProblem<'a> {
    pub(crate) severity: ProblemSeverity,
    pub(crate) code: &'static str,
    pub(crate) message: &'a str,
    pub(crate) place: &'a str,
    /// The node cannot run before this is mended.
    pub(crate) stops_node: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) node: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parameter: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum SupportLevel {
    Full,
    Differs,
    Unknown,
    Version,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeSupport<'a> {
    pub(crate) name: &'a str,
    #[serde(rename = "type")]
    pub(crate) kind: &'a str,
    pub(crate) type_version: Number,
    pub(crate) support: SupportLevel,
    pub(crate) notes: Vec<&'a str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkflowReport<'a> {
    pub(crate) problems: Vec<WorkflowProblem<'a>>,
    pub(crate) nodes: Vec<NodeSupport<'a>>,
}
