//! Who may use an instance: the keys of its API.

use crate::Error;
use aws_lc_rs::digest::{SHA256, digest};
use model::Str;

#[async_trait::async_trait]
pub trait ApiKeyStore: Send + Sync {
    /// The key with this hash, unless it has expired.
    async fn api_key(&self, hash: &[u8]) -> Result<Option<ApiKey>, Error>;
    async fn api_keys(&self) -> Result<Vec<ApiKey>, Error>;
    async fn add_api_key(&self, key: ApiKey, hash: Vec<u8>) -> Result<(), Error>;
    /// A random text of this instance for a use, made when it is first asked for.
    async fn secret(&self, name: &'static str) -> Result<String, Error>;
    /// The one that an earlier version kept where others may have read it, if there was one: what
    /// it signed may still be shown.
    async fn former_secret(&self, name: &'static str) -> Result<Option<String>, Error>;
    /// The moment from which on links that wake a run name the wait that they are for.
    async fn links_named_waits_ms(&self) -> Result<i64, Error>;
    async fn delete_api_key(&self, id: &str) -> Result<bool, Error>;
    /// Somebody's keys, oldest first.
    async fn keys_of(&self, user_id: &str) -> Result<Vec<ApiKey>, Error>;
    /// Adds a key of somebody who is here; `false` if they have gone or their access has ended
    /// since the generation was read.
    async fn add_key_of(
        &self,
        user_id: &str,
        generation: i64,
        key: ApiKey,
        hash: Vec<u8>,
    ) -> Result<bool, Error>;
    /// `false` if it is not theirs.
    async fn delete_key_of(&self, user_id: &str, id: &str) -> Result<bool, Error>;
}

/// A key as it is kept: the key itself is shown once and known to nobody after that.
#[derive(Clone, Debug)]
pub struct ApiKey {
    pub id: Str,
    /// The e-mail address of its owner.
    pub user: Str,
    pub label: Str,
    /// The last letters, to tell keys apart.
    pub hint: Str,
    pub scopes: Vec<Str>,
    pub created_ms: i64,
    pub expires_ms: Option<i64>,
}

/// Keys are long and random, so a plain hash of them tells nothing.
pub fn hash_of_key(key: &str) -> Vec<u8> {
    digest(&SHA256, key.as_bytes()).as_ref().to_vec()
}
