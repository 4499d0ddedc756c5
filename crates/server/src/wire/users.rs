//! Users and invitations.

use super::inline::{inline_schema, with};
use super::text::parse_text;
use super::{Cursor, List, Page, PageLimit, Text, Timestamp};
use schemars::{JsonSchema, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de};
use store::users::UserRole;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct User<'a> {
    pub(crate) id: &'a str,
    pub(crate) email: &'a str,
    pub(crate) first_name: &'a str,
    pub(crate) last_name: &'a str,
    pub(crate) is_pending: bool,
    /// Whether an authenticator app is asked for at sign-in.
    pub(crate) mfa_enabled: bool,
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
            mfa_enabled: user.has_second_factor,
            created_at: Timestamp(user.created_ms),
            updated_at: Timestamp(user.updated_ms),
            role: None,
        }
    }
}

pub(crate) type UserList<'a> = Page<User<'a>>;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserListQuery {
    #[serde(default)]
    pub(crate) limit: PageLimit,
    #[serde(default)]
    pub(crate) cursor: Cursor<String>,
    #[serde(default)]
    pub(crate) include_role: bool,
    pub(crate) project_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserQuery {
    #[serde(default)]
    pub(crate) include_role: bool,
}

/// A role as n8n names it, or as it is called here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UserRoleName(pub(crate) UserRole);

impl<'de> Deserialize<'de> for UserRoleName {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        parse_text(input, "global:admin, global:member or global:viewer", |name| {
            let role = match name.strip_prefix("global:").unwrap_or(name) {
                "member" => UserRole::Editor,
                name => UserRole::from_name(name)?,
            };
            Some(Self(role))
        })
    }
}

inline_schema!(
    UserRoleName,
    json_schema!({ "type": "string", "enum": ["global:admin", "global:member", "global:viewer"] })
);

/// An email address, in small letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Email(pub(crate) String);

impl<'de> Deserialize<'de> for Email {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let email = Text::<3, 320>::deserialize(input)?.to_lowercase();
        let is_part = |part: &str| {
            let is_inside =
                |letter: char| !letter.is_whitespace() && !letter.is_control() && letter != '@';
            !part.is_empty() && part.chars().all(is_inside)
        };
        let parts = email.split_once('@');
        match parts.is_some_and(|(name, host)| is_part(name) && is_part(host)) && email.len() <= 320
        {
            true => Ok(Self(email)),
            false => Err(de::Error::custom("is not an email address")),
        }
    }
}

inline_schema!(Email, with(Text::<3, 320>::schema(), "format", "email"));

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct UserInput {
    pub(crate) email: Email,
    pub(crate) role: Option<UserRoleName>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct UserInputs(pub(crate) List<UserInput, 0, 100>);

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

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::*;
    use model::{Value, json};

    #[test]
    fn addresses_and_roles_are_read_as_they_are_written() {
        let invited = |value: Value| read::<UserInput>(&value).map_err(|error| error.to_string());
        let user = invited(json!({ "email": "Ada@Example.com", "role": "global:member" })).unwrap();
        assert_eq!(user.email.0, "ada@example.com");
        assert_eq!(user.role, Some(UserRoleName(UserRole::Editor)));
        let user = invited(json!({ "email": "a@b", "role": "viewer" })).unwrap();
        assert_eq!(user.role, Some(UserRoleName(UserRole::Viewer)));
        for bad in ["ada", "a@b@c", "a b@c", "@host", "name@", "a@b\u{7}"] {
            let error = invited(json!({ "email": bad })).err().unwrap();
            assert_eq!(error, "'email' is not an email address", "{bad}");
        }
        assert_eq!(
            invited(json!({ "email": "a@b", "role": "global:boss" })).err().unwrap(),
            "'role' must be global:admin, global:member or global:viewer"
        );
    }
}
