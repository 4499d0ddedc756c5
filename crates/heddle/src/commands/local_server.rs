//! The server of the same data folder: where it answers, and a key that it takes.

use super::with_code;
use anyhow::Result;
use model::Str;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use store::Store;
use store::access::{ApiKey, hash_of_key};
use store::inspect::{ServerPresence, server_presence};
use store::users::UserRole;

/// A key for the owner of this instance: whoever can write to the folder can make one.
pub(super) struct TemporaryKey {
    id: Str,
    pub(super) secret: String,
}

impl TemporaryKey {
    /// Without scopes it allows everything.
    pub(super) async fn create(
        store: &dyn Store,
        label: &str,
        scopes: &[String],
        lifetime_ms: i64,
    ) -> Result<Self> {
        let owner = owner_of(store).await?;
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_millis() as i64);
        let key = format!("heddle_{}{}{}", store::new_id(), store::new_id(), store::new_id());
        let scopes = match scopes {
            [] => vec!["*".into()],
            scopes => scopes.iter().map(|scope| scope.as_str().into()).collect(),
        };
        let kept = ApiKey {
            id: store::new_id(),
            user: owner,
            label: label.into(),
            hint: key[key.len() - 4..].into(),
            scopes,
            created_ms: now,
            expires_ms: Some(now + lifetime_ms),
        };
        let id = kept.id.clone();
        store.add_api_key(kept, hash_of_key(&key)).await.map_err(with_code)?;
        Ok(Self { id, secret: key })
    }

    pub(super) async fn delete(self, store: &dyn Store) -> Result<()> {
        store.delete_api_key(&self.id).await.map_err(with_code)?;
        Ok(())
    }
}

/// Whose hands are at the folder, as far as anybody can tell.
pub(super) async fn owner_of(store: &dyn Store) -> Result<Str> {
    let people = store.users(None, 1000).await.map_err(with_code)?;
    Ok(people
        .into_iter()
        .find(|user| user.role == UserRole::Owner)
        .map_or_else(|| "owner@localhost".into(), |user| user.email))
}

/// The address of the server that has the folder, if there is one.
pub(super) fn server_address(folder: &Path) -> Result<Option<String>> {
    match server_presence(folder).map_err(with_code)? {
        ServerPresence::Somebody { address: Some(address), .. } => Ok(Some(address)),
        ServerPresence::Somebody { address: None, .. } => anyhow::bail!(
            "the server on {} is still starting; try again (STORE_LOCKED)",
            folder.display()
        ),
        ServerPresence::Nobody => Ok(None),
    }
}
