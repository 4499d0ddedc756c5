//! Variables on the wire.

use super::{JsonObject, Nullable, Page};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Variable<'a> {
    pub(crate) id: &'a str,
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "type")]
    pub(crate) kind: Option<&'a str>,
    pub(crate) project: Option<JsonObject>,
}

pub(crate) type VariableList<'a> = Page<Variable<'a>>;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct VariableInput {
    #[schemars(length(min = 1, max = 50), regex(pattern = r"^[A-Za-z_][A-Za-z0-9_]*$"))]
    pub(crate) key: String,
    #[schemars(length(max = 1000))]
    pub(crate) value: String,
    #[serde(default)]
    #[schemars(length(min = 1))]
    pub(crate) project_id: Nullable<String>,
}
