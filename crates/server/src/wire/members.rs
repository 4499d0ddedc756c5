//! Members of projects.

use super::users::User;
use super::{Id, List, Page};
use schemars::JsonSchema;
use serde::Deserialize;
use store::projects::ProjectRole;

pub(crate) type MemberList<'a> = Page<User<'a>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) enum ProjectRoleName {
    #[serde(rename = "project:admin")]
    Admin,
    #[serde(rename = "project:editor")]
    Editor,
    #[serde(rename = "project:viewer")]
    Viewer,
}

impl From<ProjectRoleName> for ProjectRole {
    fn from(name: ProjectRoleName) -> Self {
        match name {
            ProjectRoleName::Admin => Self::Admin,
            ProjectRoleName::Editor => Self::Editor,
            ProjectRoleName::Viewer => Self::Viewer,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemberRole {
    pub(crate) role: ProjectRoleName,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct MemberInput {
    pub(crate) user_id: Id,
    pub(crate) role: ProjectRoleName,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemberInputs {
    pub(crate) relations: List<MemberInput, 1, 1000>,
}
