//! The types of nodes.

use super::{JsonObject, Number};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("additionalProperties" = true))]
#[schemars(inline)]
pub(crate) struct NodeTypesItem<'a> {
    pub(crate) id: &'a str,
    pub(crate) versions: Vec<Number>,
    pub(crate) name: &'a str,
    pub(crate) summary: &'a str,
    pub(crate) group: &'a str,
    pub(crate) inputs: Vec<JsonObject>,
    pub(crate) outputs: Vec<JsonObject>,
    pub(crate) params: Vec<JsonObject>,
    pub(crate) docs: &'a str,
    pub(crate) can_be_tool: bool,
    /// What differs while a model calls the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) as_tool: Option<JsonObject>,
    pub(crate) supplies: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct NodeTypes<'a>(pub(crate) Vec<NodeTypesItem<'a>>);

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeTypeDocs<'a> {
    pub(crate) markdown: &'a str,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeTypeDocsQuery {
    pub(crate) version: Option<f64>,
}
