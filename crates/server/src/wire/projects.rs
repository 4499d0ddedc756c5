//! Projects.

use super::{Echoed, Page, Text, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::projects::ProjectKind;

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
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

impl<'a> From<&'a store::projects::Project> for Project<'a> {
    fn from(project: &'a store::projects::Project) -> Self {
        Self {
            id: &project.id,
            name: &project.name,
            kind: match project.kind {
                ProjectKind::Personal => ProjectType::Personal,
                ProjectKind::Team => ProjectType::Team,
            },
            created_at: Timestamp(project.created_ms),
            updated_at: Timestamp(project.updated_ms),
        }
    }
}

pub(crate) type ProjectList<'a> = Page<Project<'a>>;

/// Clients send back what they got; only the name is theirs to change.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ProjectInput {
    pub(crate) name: Text<1, 255>,
    _id: Option<Echoed>,
    _type: Option<Echoed>,
}
