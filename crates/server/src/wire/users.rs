//! Users on the wire.

use super::{Page, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct User<'a> {
    pub(crate) id: &'a str,
    pub(crate) email: &'a str,
    pub(crate) first_name: &'a str,
    pub(crate) last_name: &'a str,
    pub(crate) is_pending: bool,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    /// In the instance, or in the project whose members are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) role: Option<&'static str>,
}

impl<'a> From<&'a store::users::User> for User<'a> {
    fn from(user: &'a store::users::User) -> Self {
        Self {
            id: &user.id,
            email: &user.email,
            first_name: &user.first_name,
            last_name: &user.last_name,
            is_pending: user.is_pending,
            created_at: Timestamp(user.created_ms),
            updated_at: Timestamp(user.updated_ms),
            role: None,
        }
    }
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
pub(crate) struct InvitedUser {
    pub(crate) id: String,
    pub(crate) email: String,
    /// Where the person chooses a password; absent if there was an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) invite_accept_url: Option<String>,
    pub(crate) email_sent: bool,
    pub(crate) role: &'static str,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Invitation {
    pub(crate) user: InvitedUser,
    pub(crate) error: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Invitations(pub(crate) Vec<Invitation>);

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
