//! Workflows that are fetched from an address.

use super::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "describes a request body; handlers read it field by field")]
pub(crate) struct FetchInput {
    #[schemars(length(min = 1, max = 2000))]
    pub(crate) url: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct FetchedWorkflow {
    pub(crate) workflow: JsonObject,
}
