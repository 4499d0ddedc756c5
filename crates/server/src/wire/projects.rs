//! Projects on the wire.

use super::{Page, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum ProjectType {
    Personal,
    Team,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Project<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    #[serde(rename = "type")]
    pub(crate) kind: ProjectType,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) created_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) updated_at: Option<Timestamp>,
}

pub(crate) type ProjectList<'a> = Page<Project<'a>>;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ProjectInput {
    #[schemars(length(min = 1, max = 255))]
    pub(crate) name: String,
}
