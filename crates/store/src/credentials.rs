//! What is kept of credentials: who they are in the open, what they hold in the vault.

use crate::Error;
use model::{Object, Str};
use node_api::credential::CredentialRegistry;
use std::sync::Arc;

/// Credentials, sealed. Implemented for SQLite; the API, the command line and running nodes use it.
#[async_trait::async_trait]
pub trait CredentialStore: Send + Sync {
    async fn credential(&self, id: &str) -> Result<Option<StoredCredential>, Error>;
    /// Oldest first, after the one with this id.
    async fn credentials(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<StoredCredential>, Error>;
    /// Those that these projects have or were let use, oldest first.
    async fn credentials_of(
        &self,
        projects: Vec<Str>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<StoredCredential>, Error>;
    /// The further projects that a credential is shared with.
    async fn shares_of(&self, id: &str) -> Result<Vec<Str>, Error>;
    /// Adds a credential; one with the same id is replaced.
    async fn save_credential(&self, credential: NewCredential) -> Result<StoredCredential, Error>;
    /// Changes what is named; nothing if there is no such credential. Secrets are kept only for the
    /// place they were given for: a change that may lead them elsewhere, as the descriptions of the
    /// types say, has to bring them again.
    async fn change_credential(
        &self,
        id: &str,
        change: CredentialChange,
        types: Arc<CredentialRegistry>,
    ) -> Result<Option<StoredCredential>, Error>;
    async fn delete_credential(&self, id: &str) -> Result<bool, Error>;
    /// What a credential holds.
    async fn open_credential(&self, id: &str) -> Result<Option<SecretFields>, Error>;
    /// For a node of a stored workflow: the one of this kind and id, if the workflow's project has
    /// it or was let use it. Reads without waiting for anything.
    fn credential_for_node(
        &self,
        workflow: &str,
        kind: &str,
        id: &str,
    ) -> Result<Option<SecretFields>, Error>;
    /// Checks that the key of the vault fits the credentials that are there; makes one at the first
    /// use.
    fn open_vault(&self) -> Result<(), Error>;
    /// Seals everything with a new key; gives back how many there are.
    async fn rotate_key(&self) -> Result<usize, Error>;
}

/// A credential without what it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredCredential {
    pub id: Str,
    pub name: Str,
    pub kind: Str,
    pub project_id: Str,
    pub created_ms: i64,
    pub updated_ms: i64,
}

#[derive(Clone, Debug)]
pub struct NewCredential {
    pub id: Str,
    pub name: Str,
    pub kind: Str,
    pub secret: SecretFields,
    /// The first owner's if none is named.
    pub project_id: Option<Str>,
}

#[derive(Clone, Debug, Default)]
pub struct CredentialChange {
    pub name: Option<Str>,
    pub kind: Option<Str>,
    pub secret: Option<SecretFields>,
    /// The fields are laid over those that are there instead of replacing them.
    pub is_partial: bool,
}

/// Fields that are never shown: not in a log, not by accident.
#[derive(Clone, Default)]
pub struct SecretFields(Object);

impl SecretFields {
    pub fn new(fields: Object) -> Self {
        Self(fields)
    }

    /// The fields themselves, for whoever is to use them.
    pub fn reveal(self) -> Object {
        self.0
    }
}

impl std::fmt::Debug for SecretFields {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Secret(…)")
    }
}
