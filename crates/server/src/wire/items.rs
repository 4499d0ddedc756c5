//! Items on the wire.

use super::{Json, JsonObject};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ItemFile<'a> {
    pub(crate) file_name: Option<&'a str>,
    pub(crate) mime_type: &'a str,
    pub(crate) file_extension: Option<&'a str>,
    pub(crate) file_type: Option<&'a str>,
    pub(crate) file_size: Option<&'a str>,
    pub(crate) url: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownItem<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) json: Option<JsonObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) preview: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) binary: Option<BTreeMap<&'a str, ItemFile<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) paired_item: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<JsonObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExecutionItems<'a> {
    pub(crate) items: Vec<ShownItem<'a>>,
    pub(crate) total: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) truncated: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum ExecutionSchemaFieldType {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
    Date,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct ExecutionSchemaField<'a> {
    pub(crate) path: Vec<&'a str>,
    #[serde(rename = "type")]
    pub(crate) kind: ExecutionSchemaFieldType,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sample: Option<Json>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExecutionSchema<'a> {
    pub(crate) fields: Vec<ExecutionSchemaField<'a>>,
}
