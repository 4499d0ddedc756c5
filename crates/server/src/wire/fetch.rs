//! Workflows that are fetched from an address.

use super::{JsonObject, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct FetchInput {
    pub(crate) url: Text<1, 2000>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct FetchedWorkflow {
    pub(crate) workflow: JsonObject,
}
