//! Versions on the wire.

use super::{JsonObject, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Version<'a> {
    pub(crate) version_id: &'a str,
    pub(crate) workflow_id: &'a str,
    pub(crate) authors: &'a str,
    pub(crate) name: Option<&'a str>,
    pub(crate) description: Option<&'a str>,
    pub(crate) nodes: Vec<JsonObject>,
    pub(crate) connections: JsonObject,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) created_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) updated_at: Option<Timestamp>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct VersionsItem<'a> {
    pub(crate) version_id: &'a str,
    pub(crate) workflow_id: &'a str,
    pub(crate) authors: &'a str,
    pub(crate) name: Option<&'a str>,
    pub(crate) description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) created_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) updated_at: Option<Timestamp>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Versions<'a>(pub(crate) Vec<VersionsItem<'a>>);
