//! Members on the wire.

use super::Page;
use super::users::User;
use schemars::JsonSchema;
use serde::Deserialize;

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

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemberRole {
    pub(crate) role: ProjectRoleName,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct MemberInput {
    #[schemars(length(min = 1))]
    pub(crate) user_id: String,
    pub(crate) role: ProjectRoleName,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemberInputs {
    #[schemars(length(min = 1, max = 1000))]
    pub(crate) relations: Vec<MemberInput>,
}
