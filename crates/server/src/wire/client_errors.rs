//! Errors that the editor reports.

use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ClientErrorInput {
    #[schemars(length(min = 1))]
    pub(crate) message: String,
    pub(crate) stack: Option<String>,
    pub(crate) page: Option<String>,
    pub(crate) part: Option<String>,
    pub(crate) build: Option<String>,
}
