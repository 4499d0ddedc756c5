//! Users on the wire.

use super::{Page, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct User<'a> {
    pub(crate) id: &'a str,
    pub(crate) email: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) first_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) is_pending: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) created_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) updated_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<&'a str>,
}

pub(crate) type UserList<'a> = Page<User<'a>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) enum UserRoleName {
    #[serde(rename = "global:admin")]
    Admin,
    #[serde(rename = "global:member")]
    Member,
    #[serde(rename = "global:viewer")]
    Viewer,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct UserInput {
    #[schemars(extend("format" = "email"))]
    pub(crate) email: String,
    pub(crate) role: Option<UserRoleName>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct UserInputs(#[schemars(length(max = 100))] pub(crate) Vec<UserInput>);

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct InvitedUser<'a> {
    pub(crate) id: &'a str,
    pub(crate) email: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) invite_accept_url: Option<&'a str>,
    pub(crate) email_sent: bool,
    pub(crate) role: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct Invitation<'a> {
    pub(crate) user: InvitedUser<'a>,
    pub(crate) error: &'a str,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Invitations<'a>(pub(crate) Vec<Invitation<'a>>);

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct RoleInput {
    pub(crate) new_role_name: UserRoleName,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Link<'a> {
    pub(crate) link: &'a str,
}
