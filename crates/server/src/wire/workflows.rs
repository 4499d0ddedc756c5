//! Workflows on the wire.

use super::tags::Tag;
use super::{Json, JsonObject, Nullable, Page, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WorkflowInput {
    #[schemars(length(min = 1))]
    pub(crate) name: String,
    pub(crate) nodes: Vec<JsonObject>,
    pub(crate) connections: JsonObject,
    pub(crate) settings: Option<JsonObject>,
    #[serde(default)]
    pub(crate) static_data: Nullable<JsonObject>,
    #[serde(default)]
    pub(crate) pin_data: Nullable<JsonObject>,
    #[serde(default)]
    pub(crate) meta: Nullable<JsonObject>,
    pub(crate) id: Option<Json>,
    pub(crate) active: Option<Json>,
    pub(crate) created_at: Option<Json>,
    pub(crate) updated_at: Option<Json>,
    pub(crate) version_id: Option<Json>,
    pub(crate) active_version_id: Option<Json>,
    pub(crate) active_version: Option<Json>,
    pub(crate) trigger_count: Option<Json>,
    pub(crate) is_archived: Option<Json>,
    pub(crate) tags: Option<Json>,
    pub(crate) shared: Option<Json>,
    pub(crate) version_counter: Option<Json>,
    pub(crate) description: Option<Json>,
    pub(crate) parent_folder: Option<Json>,
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub(crate) parent_folder_id: Nullable<String>,
    pub(crate) home_project: Option<Json>,
    pub(crate) scopes: Option<Json>,
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub(crate) project_id: Nullable<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Workflow<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) active: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) is_archived: Option<bool>,
    pub(crate) version_id: &'a str,
    pub(crate) active_version_id: Option<&'a str>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) nodes: Vec<JsonObject>,
    pub(crate) connections: JsonObject,
    pub(crate) settings: JsonObject,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) static_data: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pin_data: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) meta: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trigger_count: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) project_id: Option<&'a str>,
    pub(crate) parent_folder_id: Option<&'a str>,
    pub(crate) tags: Vec<Tag<'a>>,
}

pub(crate) type WorkflowList<'a> = Page<Workflow<'a>>;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct WorkflowPlace {
    #[schemars(length(min = 1))]
    pub(crate) parent_folder_id: Nullable<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Activation {
    pub(crate) version_id: Option<String>,
    #[schemars(length(max = 128))]
    pub(crate) name: Option<String>,
    #[schemars(length(max = 2048))]
    pub(crate) description: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Transfer {
    #[schemars(length(min = 1))]
    pub(crate) destination_project_id: String,
}
