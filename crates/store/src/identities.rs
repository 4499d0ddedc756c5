//! Who people are at the OpenID Connect provider that they sign in with.

use crate::Error;
use crate::users::{NewUser, User};
use model::Str;

/// Somebody at a provider, by the two values that never change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub issuer: Str,
    pub subject: Str,
}

#[async_trait::async_trait]
pub trait IdentityStore: Send + Sync {
    /// Who signs in with an identity.
    async fn user_of_identity(&self, identity: Identity) -> Result<Option<User>, Error>;
    /// Somebody signs in with an identity from now on; `false` if it or they are gone, or somebody
    /// else has it.
    async fn link_identity(&self, user_id: &str, identity: Identity) -> Result<bool, Error>;
    /// Adds somebody who has an identity and no password.
    async fn add_user_with_identity(
        &self,
        user: NewUser,
        identity: Identity,
    ) -> Result<User, Error>;
    /// The providers that somebody signs in with.
    async fn identities_of(&self, user_id: &str) -> Result<Vec<Identity>, Error>;
    /// Somebody signs in with none any more; how many there were.
    async fn unlink_identities(&self, user_id: &str) -> Result<usize, Error>;
}
