//! Runs on the wire.

use super::test_webhooks::TestWebhookAddress;
use super::{ExecutionId, Json, JsonObject, Nullable, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DrawnWorkflow {
    pub(crate) name: Option<String>,
    pub(crate) nodes: Vec<JsonObject>,
    pub(crate) connections: JsonObject,
    pub(crate) settings: Option<JsonObject>,
    #[serde(default)]
    pub(crate) pin_data: Nullable<JsonObject>,
    #[serde(default)]
    pub(crate) static_data: Nullable<JsonObject>,
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
    pub(crate) parent_folder_id: Option<Json>,
    pub(crate) home_project: Option<Json>,
    pub(crate) scopes: Option<Json>,
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub(crate) project_id: Nullable<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RunInput {
    pub(crate) workflow: Option<DrawnWorkflow>,
    #[schemars(length(min = 1))]
    pub(crate) trigger: Option<String>,
    #[schemars(length(min = 1))]
    pub(crate) until: Option<String>,
    #[schemars(length(min = 1))]
    pub(crate) start: Option<String>,
    #[schemars(length(min = 1))]
    pub(crate) items: Option<Vec<JsonObject>>,
    #[schemars(length(min = 1))]
    pub(crate) reuse: Option<String>,
}

/// A run that has begun, or the address that it waits for.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunBegun<'a> {
    pub(crate) execution_id: Option<ExecutionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) waiting_for: Option<WaitingFor<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct WaitingFor<'a> {
    #[serde(flatten)]
    pub(crate) address: TestWebhookAddress<'a>,
    pub(crate) path: &'a str,
    pub(crate) expires_at: Timestamp,
}
