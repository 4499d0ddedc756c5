//! Variables on the wire.

use super::{Nullable, Page};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Variable<'a> {
    pub(crate) id: &'a str,
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// The project that it is for; `null` if it is for all.
    pub(crate) project: Option<VariableProject<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct VariableProject<'a> {
    pub(crate) id: &'a str,
}

impl<'a> From<&'a store::variables::Variable> for Variable<'a> {
    fn from(variable: &'a store::variables::Variable) -> Self {
        Self {
            id: &variable.id,
            key: &variable.key,
            value: &variable.value,
            kind: "string",
            project: variable.project_id.as_deref().map(|id| VariableProject { id }),
        }
    }
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
