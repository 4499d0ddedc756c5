//! What is kept of people: who they are, what they may do, and where they are signed in.

use crate::Error;
use crate::access::ApiKey;
use model::Str;

#[async_trait::async_trait]
pub trait UserStore: Send + Sync {
    /// By id or by e-mail address.
    async fn user(&self, id_or_email: &str) -> Result<Option<User>, Error>;
    /// Oldest first, after the one with this id.
    async fn users(&self, after: Option<&str>, limit: usize) -> Result<Vec<User>, Error>;
    async fn add_user(&self, user: NewUser) -> Result<User, Error>;
    /// Whether anybody can sign in as the owner.
    async fn has_owner(&self) -> Result<bool, Error>;
    /// The first owner; an owner without a password, made for API keys on the command line, becomes
    /// this person. Nothing if there is an owner already.
    async fn claim(&self, owner: NewUser) -> Result<Option<User>, Error>;
    /// The hash of somebody's password, with the person.
    async fn password_of(&self, email: &str) -> Result<Option<(User, Str)>, Error>;
    /// Whoever knew the one before is out: sessions end, links to choose a password too, and API
    /// keys are revoked.
    async fn set_password(&self, id: &str, hash: &str) -> Result<bool, Error>;
    /// Somebody sets their own; sessions and links end, API keys stay. Nothing if access has ended
    /// since the generation was read.
    async fn change_password(
        &self,
        id: &str,
        generation: i64,
        hash: &str,
    ) -> Result<Option<User>, Error>;
    /// Somebody's names; nothing if they are gone.
    async fn set_name(&self, id: &str, first: &str, last: &str) -> Result<Option<User>, Error>;
    /// The address somebody signs in with; sessions and API keys stay, links that were sent to the
    /// old address end. Nothing if access has ended since the generation was read.
    async fn change_email(
        &self,
        id: &str,
        generation: i64,
        email: &str,
    ) -> Result<Option<User>, Error>;
    async fn set_role(&self, id: &str, role: UserRole) -> Result<bool, Error>;
    /// With keys, sessions and invitations; what belonged to them goes to the first owner.
    async fn delete_user(&self, id: &str) -> Result<bool, Error>;

    /// `false` if access has ended since the generation was read. Of many sessions of one person
    /// the oldest end.
    async fn add_session(&self, token_hash: Vec<u8>, session: NewSession) -> Result<bool, Error>;
    /// The session with this token, unless it has expired or its person is gone.
    async fn session(&self, token_hash: Vec<u8>) -> Result<Option<UserSession>, Error>;
    async fn end_session(&self, token_hash: Vec<u8>) -> Result<(), Error>;
    async fn add_invitation(
        &self,
        token_hash: Vec<u8>,
        user_id: &str,
        expires_ms: i64,
    ) -> Result<(), Error>;
    /// Whether a link with this token can still be used.
    async fn has_invitation(&self, token_hash: Vec<u8>) -> Result<bool, Error>;
    /// Uses a link up: the password of whoever it was for is set, and names that are given;
    /// sessions end and API keys are revoked.
    async fn accept_invitation(
        &self,
        token_hash: Vec<u8>,
        first: &str,
        last: &str,
        password: &str,
    ) -> Result<Option<User>, Error>;
    /// The person behind an API key, and the key.
    async fn user_of_key(&self, key_hash: Vec<u8>) -> Result<Option<(User, ApiKey)>, Error>;

    /// Keeps the hash of the token by which the first owner is made.
    async fn set_setup_token(&self, hash: Option<Vec<u8>>) -> Result<(), Error>;
    async fn setup_token(&self) -> Result<Option<Vec<u8>>, Error>;
}

/// What somebody may do; each may do what those below may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UserRole {
    Viewer,
    Editor,
    Admin,
    Owner,
}

impl UserRole {
    pub const ALL: [UserRole; 4] =
        [UserRole::Viewer, UserRole::Editor, UserRole::Admin, UserRole::Owner];

    pub fn name(self) -> &'static str {
        match self {
            UserRole::Viewer => "viewer",
            UserRole::Editor => "editor",
            UserRole::Admin => "admin",
            UserRole::Owner => "owner",
        }
    }

    pub fn from_name(name: &str) -> Option<UserRole> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct User {
    pub id: Str,
    pub email: Str,
    pub first_name: Str,
    pub last_name: Str,
    pub role: UserRole,
    /// Nobody has chosen a password yet.
    pub is_pending: bool,
    pub created_ms: i64,
    pub updated_ms: i64,
    /// Raised whenever a new password ends what the old one has opened.
    pub generation: i64,
    /// A code of an authenticator app is asked for as well.
    pub has_second_factor: bool,
}

#[derive(Clone)]
pub struct NewUser {
    pub email: Str,
    pub first_name: Str,
    pub last_name: Str,
    pub role: UserRole,
    pub password_hash: Option<Str>,
}

#[derive(Clone)]
pub struct NewSession {
    pub user_id: Str,
    /// That of the person when they proved who they are.
    pub generation: i64,
    pub csrf: Str,
    pub expires_ms: i64,
}

#[derive(Clone)]
pub struct UserSession {
    pub user: User,
    pub csrf: Str,
}
