//! Keys for what journals keep of memories: each conversation, and each subject of a space, has its
//! own. Destroying the key makes all copies unreadable, wherever they are.

use super::spaces::{SpaceRef, SpaceRow};
use super::subject_hash;
use crate::Error;
use crate::sqlite::conversations::{expires_ms, hashed, unusable};
use crate::sqlite::{Sqlite, now_ms};
use crate::vault::VaultKey;
use node_api::ai::{ConversationId, ConversationKeys, Lifetime, MemoryError};
use rusqlite::{Connection, OptionalExtension, params};

/// What copies are sealed under, besides their key.
const COPY_NAME: &str = "copy in a journal";

impl Sqlite {
    pub(super) async fn seal_subject_copy(
        &self,
        which: SpaceRef,
        subject: &str,
        plain: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let outer = self.conversation_key().await?;
        let hash = subject_hash(subject);
        let (looked, of, by) = (which.clone(), hash.clone(), outer.clone());
        let known = self.read(move |connection| {
            let space = SpaceRow::find(connection, &looked)?.number;
            subject_key(connection, &by, space, &of)
        });
        if let Some(key) = known.await? {
            return key.seal(COPY_NAME, plain);
        }
        let key = self.write(move |connection| {
            let space = SpaceRow::find(connection, &which)?.number;
            if let Some(key) = subject_key(connection, &outer, space, &hash)? {
                return Ok(key);
            }
            let fresh = VaultKey::fresh_bytes()?;
            let sealed = outer.seal(&subject_name(space, &hash), &fresh)?;
            let sql = "INSERT INTO memory_keys (space, subject, key) VALUES (?1, ?2, ?3)";
            connection.prepare_cached(sql)?.execute(params![space, hash, sealed])?;
            VaultKey::from_bytes(&fresh)
        });
        key.await?.seal(COPY_NAME, plain)
    }

    pub(super) async fn open_subject_copy(
        &self,
        which: SpaceRef,
        subject: &str,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, Error> {
        let outer = self.conversation_key().await?;
        let hash = subject_hash(subject);
        let key = self.read(move |connection| match SpaceRow::find_if_there(connection, &which)? {
            Some(row) => subject_key(connection, &outer, row.number, &hash),
            None => Ok(None),
        });
        // One that was sealed with a key that is gone does not open with its successor.
        Ok(key.await?.and_then(|key| key.open(COPY_NAME, sealed)))
    }
}

#[async_trait::async_trait]
impl ConversationKeys for Sqlite {
    async fn seal_copy(
        &self,
        which: &ConversationId,
        plain: &[u8],
        lifetime: Lifetime,
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        let outer = self.conversation_key().await.map_err(unusable)?;
        let (hash, owner) = (hashed(&which.identity()), which.owner.to_string());
        if lifetime == Lifetime::Endless {
            let (of, by) = (hash.clone(), outer.clone());
            let known = self.read(move |connection| key_of_conversation(connection, &by, &of));
            if let Some(key) = known.await.map_err(unusable)? {
                return key.seal(COPY_NAME, plain).map(Some).map_err(unusable);
            }
        }
        let key = self.write(move |connection| {
            if let Some(key) = key_of_conversation(connection, &outer, &hash)? {
                let sql = "UPDATE conversation_keys SET expires_ms = ?2 WHERE hash = ?1";
                connection.prepare_cached(sql)?.execute(params![hash, expires_ms(lifetime)])?;
                return Ok(key);
            }
            let fresh = VaultKey::fresh_bytes()?;
            let sealed = outer.seal(&conversation_name(&hash), &fresh)?;
            let sql = "INSERT OR REPLACE INTO conversation_keys (hash, workflow_id, expires_ms, key) VALUES (?1, ?2, ?3, ?4)";
            let asked = params![hash, owner, expires_ms(lifetime), sealed];
            connection.prepare_cached(sql)?.execute(asked)?;
            VaultKey::from_bytes(&fresh)
        });
        key.await.and_then(|key| key.seal(COPY_NAME, plain)).map(Some).map_err(unusable)
    }

    async fn open_copy(
        &self,
        which: &ConversationId,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        let outer = self.conversation_key().await.map_err(unusable)?;
        let hash = hashed(&which.identity());
        let key = self.read(move |connection| key_of_conversation(connection, &outer, &hash));
        Ok(key.await.map_err(unusable)?.and_then(|key| key.open(COPY_NAME, sealed)))
    }

    async fn destroy_key(&self, which: &ConversationId) -> Result<(), MemoryError> {
        let hash = hashed(&which.identity());
        let destroyed = self.write(move |connection| {
            let sql = "DELETE FROM conversation_keys WHERE hash = ?1";
            Ok(connection.prepare_cached(sql)?.execute([hash])?)
        });
        destroyed.await.map(drop).map_err(unusable)
    }
}

/// The key of a conversation that has not outlived its time.
fn key_of_conversation(
    connection: &Connection,
    outer: &VaultKey,
    hash: &[u8],
) -> Result<Option<VaultKey>, Error> {
    let sql = "SELECT key FROM conversation_keys WHERE hash = ?1 AND (expires_ms IS NULL OR expires_ms > ?2)";
    let found: Option<Vec<u8>> = connection
        .prepare_cached(sql)?
        .query_row(params![hash, now_ms()], |row| row.get(0))
        .optional()?;
    let Some(sealed) = found else { return Ok(None) };
    let damaged = || Error::Corrupt { what: "the key of a conversation".into() };
    let key = outer.open(&conversation_name(hash), &sealed).ok_or_else(damaged)?;
    VaultKey::from_bytes(&key).map(Some)
}

fn conversation_name(hash: &[u8]) -> String {
    format!("conversation key {}", hex::encode(hash))
}

fn subject_key(
    connection: &Connection,
    outer: &VaultKey,
    space: i64,
    subject: &[u8],
) -> Result<Option<VaultKey>, Error> {
    let sql = "SELECT key FROM memory_keys WHERE space = ?1 AND subject = ?2";
    let found: Option<Vec<u8>> = connection
        .prepare_cached(sql)?
        .query_row(params![space, subject], |row| row.get(0))
        .optional()?;
    let Some(sealed) = found else { return Ok(None) };
    let damaged = || Error::Corrupt { what: "the key of a memory".into() };
    let key = outer.open(&subject_name(space, subject), &sealed).ok_or_else(damaged)?;
    VaultKey::from_bytes(&key).map(Some)
}

/// Destroys the key of a subject.
pub(super) fn destroy(connection: &Connection, space: i64, subject: &[u8]) -> Result<(), Error> {
    let sql = "DELETE FROM memory_keys WHERE space = ?1 AND subject = ?2";
    connection.prepare_cached(sql)?.execute(params![space, subject])?;
    Ok(())
}

/// Destroys the keys of conversations that have outlived their time.
pub(in crate::sqlite) fn forget_expired_keys(
    connection: &Connection,
    most: usize,
) -> Result<(), Error> {
    let sql = "DELETE FROM conversation_keys WHERE hash IN (SELECT hash FROM conversation_keys WHERE expires_ms <= ?1 LIMIT ?2)";
    connection.prepare_cached(sql)?.execute(params![now_ms(), most as i64])?;
    Ok(())
}

fn subject_name(space: i64, subject: &[u8]) -> String {
    format!("memory key {space} {}", hex::encode(subject))
}
