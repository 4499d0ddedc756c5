//! Fetch on the wire.

use super::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct FetchInput {
    #[schemars(length(min = 1, max = 2000))]
    pub(crate) url: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FetchedWorkflow {
    pub(crate) workflow: JsonObject,
}
