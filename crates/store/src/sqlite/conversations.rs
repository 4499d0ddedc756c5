//! Conversations in SQLite: who speaks is hashed, what is said is sealed.

use super::credentials::damaged_key;
use super::executions::rows;
use super::long_term::forget_expired_keys;
use super::{Sqlite, now_ms};
use crate::Error;
use crate::conversations::ConversationCleanup;
use crate::vault::VaultKey;
use aws_lc_rs::digest::{SHA256, digest};
use node_api::ai::{
    ConversationId, ConversationStore, Lifetime, MemoryError, RecallLimit, RewriteOutcome, Sealer,
    StoredTurn, TurnKey,
};
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::Arc;

/// Conversations that are removed in one go, so that writers do not wait long.
const STEP: usize = 200;

#[async_trait::async_trait]
impl ConversationStore for Sqlite {
    async fn newest(
        &self,
        which: &ConversationId,
        most: RecallLimit,
        lifetime: Lifetime,
    ) -> Result<Vec<StoredTurn>, MemoryError> {
        let key = self.conversation_key().await.map_err(unusable)?;
        let place = ConversationRow::of(which);
        let (hash, name) = (place.hash.clone(), place.name.clone());
        let sealed: Vec<Vec<u8>> =
            self.read(move |connection| newest(connection, &hash, most)).await.map_err(unusable)?;
        if !sealed.is_empty() && lifetime != Lifetime::Endless {
            self.write(move |connection| renew(connection, &place.hash, lifetime))
                .await
                .map_err(unusable)?;
        }
        sealed.iter().rev().map(|sealed| unseal(&key, &name, sealed)).collect()
    }

    async fn append(
        &self,
        which: &ConversationId,
        turn: StoredTurn,
        lifetime: Lifetime,
    ) -> Result<(), MemoryError> {
        let key = self.conversation_key().await.map_err(unusable)?;
        let place = ConversationRow::of(which);
        let row = SealedTurn::seal(&key, &place, &turn).map_err(unusable)?;
        let appended = self.write(move |connection| {
            let number = place.find_or_make(connection, lifetime)?;
            insert(connection, number, &row, TurnEnd::Newest)
        });
        appended.await.map_err(unusable)
    }

    async fn rewrite(
        &self,
        which: &ConversationId,
        seen: &[TurnKey],
        turns: Vec<StoredTurn>,
        lifetime: Lifetime,
    ) -> Result<RewriteOutcome, MemoryError> {
        let key = self.conversation_key().await.map_err(unusable)?;
        let place = ConversationRow::of(which);
        let new: Vec<SealedTurn> = turns
            .iter()
            .map(|turn| SealedTurn::seal(&key, &place, turn))
            .collect::<Result<_, _>>()
            .map_err(unusable)?;
        let seen: Vec<Vec<u8>> = seen.iter().map(|key| hashed(key.0.as_bytes())).collect();
        let rewritten = self.write(move |connection| {
            let number = place.find_or_make(connection, lifetime)?;
            let sql = "SELECT place, key FROM conversation_turns WHERE conversation = ?1 AND body IS NOT NULL ORDER BY place LIMIT ?2";
            let mut oldest = connection.prepare_cached(sql)?;
            let oldest: Vec<(i64, Vec<u8>)> =
                rows(oldest.query_map(params![number, seen.len() as i64], |row| Ok((row.get(0)?, row.get(1)?)))?)?;
            if oldest.len() < seen.len() || oldest.iter().zip(&seen).any(|((_, key), seen)| key != seen) {
                return Ok(RewriteOutcome::Stale);
            }
            // Their keys stay, so that none of them can be appended again.
            let sql = "UPDATE conversation_turns SET body = NULL WHERE conversation = ?1 AND place = ?2";
            for (place, _) in &oldest {
                connection.prepare_cached(sql)?.execute([number, *place])?;
            }
            for row in new.iter().rev() {
                insert(connection, number, row, TurnEnd::Oldest)?;
            }
            Ok(RewriteOutcome::Done)
        });
        rewritten.await.map_err(unusable)
    }

    async fn clear(&self, which: &ConversationId) -> Result<(), MemoryError> {
        let place = ConversationRow::of(which);
        let sql = "DELETE FROM conversations WHERE hash = ?1";
        let cleared = self
            .write(move |connection| Ok(connection.prepare_cached(sql)?.execute([&place.hash])?));
        cleared.await.map(drop).map_err(unusable)
    }
}

#[async_trait::async_trait]
impl ConversationCleanup for Sqlite {
    async fn delete_expired(&self) -> Result<usize, Error> {
        let n_conversations = self.write(|connection| {
            forget_expired_keys(connection, STEP)?;
            let sql = "DELETE FROM conversations WHERE number IN (SELECT number FROM conversations WHERE expires_ms <= ?1 LIMIT ?2)";
            Ok(connection.prepare_cached(sql)?.execute(params![now_ms(), STEP as i64])?)
        });
        Ok(n_conversations.await? + self.delete_expired_entries().await?)
    }
}

#[async_trait::async_trait]
impl Sealer for Sqlite {
    async fn seal(&self, name: &str, plain: &[u8]) -> Result<Vec<u8>, MemoryError> {
        self.conversation_key().await.and_then(|key| key.seal(name, plain)).map_err(unusable)
    }

    async fn open(&self, name: &str, sealed: &[u8]) -> Result<Vec<u8>, MemoryError> {
        let key = self.conversation_key().await.map_err(unusable)?;
        key.open(name, sealed).ok_or_else(not_ours)
    }
}

impl Sqlite {
    /// The key that conversations are sealed with. It is sealed itself with the key of the vault,
    /// so that this one may change without touching conversations, which may lie elsewhere.
    pub(super) async fn conversation_key(&self) -> Result<Arc<VaultKey>, Error> {
        if let Some(known) = self.shared.conversation_key.get() {
            return Ok(known.clone());
        }
        let opened = self.sealing(|connection, vault| {
            let mut found = connection.prepare_cached("SELECT value FROM facts WHERE key = ?1")?;
            let sealed: Option<String> =
                found.query_row([CONVERSATION_KEY], |row| row.get(0)).optional()?;
            if let Some(sealed) = sealed {
                let opened = hex::decode(sealed)
                    .ok()
                    .and_then(|sealed| vault.open(CONVERSATION_KEY, &sealed));
                return VaultKey::from_bytes(&opened.ok_or_else(damaged_key)?);
            }
            let fresh = VaultKey::fresh_bytes()?;
            let sealed = hex::encode(vault.seal(CONVERSATION_KEY, &fresh)?);
            connection.execute(
                "INSERT INTO facts (key, value) VALUES (?1, ?2)",
                [CONVERSATION_KEY, &sealed],
            )?;
            VaultKey::from_bytes(&fresh)
        });
        let opened = Arc::new(opened.await?);
        Ok(self.shared.conversation_key.get_or_init(|| opened).clone())
    }
}

/// The fact that holds the key of conversations.
pub(super) const CONVERSATION_KEY: &str = "conversation_key";

/// A conversation as it is found.
struct ConversationRow {
    hash: Vec<u8>,
    owner: String,
    /// What its turns are sealed under.
    name: String,
}

/// A turn as it lies on disk.
struct SealedTurn {
    key: Vec<u8>,
    body: Vec<u8>,
}

enum TurnEnd {
    Newest,
    Oldest,
}

impl ConversationRow {
    fn of(which: &ConversationId) -> Self {
        let hash = hashed(&which.identity());
        let name = format!("conversation {}", hex::encode(&hash));
        Self { hash, owner: which.owner.to_string(), name }
    }

    /// The number of the conversation, used now. One that has outlived its time begins anew.
    fn find_or_make(&self, connection: &Connection, lifetime: Lifetime) -> Result<i64, Error> {
        let gone = "DELETE FROM conversations WHERE hash = ?1 AND expires_ms <= ?2";
        connection.prepare_cached(gone)?.execute(params![self.hash, now_ms()])?;
        let sql = "INSERT INTO conversations (hash, workflow_id, expires_ms) VALUES (?1, ?2, ?3)
                   ON CONFLICT (hash) DO UPDATE SET expires_ms = excluded.expires_ms RETURNING number";
        let mut found = connection.prepare_cached(sql)?;
        Ok(found
            .query_row(params![self.hash, self.owner, expires_ms(lifetime)], |row| row.get(0))?)
    }
}

impl SealedTurn {
    fn seal(key: &VaultKey, place: &ConversationRow, turn: &StoredTurn) -> Result<Self, Error> {
        Ok(Self {
            key: hashed(turn.key.0.as_bytes()),
            body: key.seal(&place.name, turn.to_text().as_bytes())?,
        })
    }
}

/// Adds a turn. At the newest end one whose key is there stays as it is; at the oldest end it takes
/// its new place.
fn insert(
    connection: &Connection,
    conversation: i64,
    row: &SealedTurn,
    end: TurnEnd,
) -> Result<(), Error> {
    let (next, known) = match end {
        TurnEnd::Newest => ("coalesce(max(place), 0) + 1", "NOTHING"),
        TurnEnd::Oldest => (
            "coalesce(min(place), 0) - 1",
            "UPDATE SET place = excluded.place, body = excluded.body",
        ),
    };
    let sql = format!(
        "INSERT INTO conversation_turns (conversation, place, key, body)
         SELECT ?1, {next}, ?2, ?3 FROM conversation_turns WHERE conversation = ?1
         ON CONFLICT (conversation, key) DO {known}"
    );
    connection.prepare_cached(&sql)?.execute(params![conversation, row.key, row.body])?;
    Ok(())
}

/// The newest turns, sealed, newest first.
fn newest(connection: &Connection, hash: &[u8], most: RecallLimit) -> Result<Vec<Vec<u8>>, Error> {
    let sql = "SELECT t.body FROM conversation_turns t JOIN conversations c ON c.number = t.conversation
               WHERE c.hash = ?1 AND (c.expires_ms IS NULL OR c.expires_ms > ?2) AND t.body IS NOT NULL
               ORDER BY t.place DESC LIMIT ?3";
    let mut found = connection.prepare_cached(sql)?;
    let mut found =
        found.query(params![hash, now_ms(), i64::try_from(most.turns).unwrap_or(-1)])?;
    let mut room = most.bytes;
    let mut bodies: Vec<Vec<u8>> = Vec::new();
    while let Some(row) = found.next()? {
        let body: Vec<u8> = row.get(0)?;
        if body.len() > room && !bodies.is_empty() {
            break;
        }
        room = room.saturating_sub(body.len());
        bodies.push(body);
    }
    Ok(bodies)
}

fn renew(connection: &Connection, hash: &[u8], lifetime: Lifetime) -> Result<(), Error> {
    let sql = "UPDATE conversations SET expires_ms = ?2 WHERE hash = ?1 AND expires_ms > ?3";
    connection.prepare_cached(sql)?.execute(params![hash, expires_ms(lifetime), now_ms()])?;
    Ok(())
}

pub(super) fn expires_ms(lifetime: Lifetime) -> Option<i64> {
    match lifetime {
        Lifetime::Endless => None,
        Lifetime::Seconds(seconds) => Some(
            now_ms()
                .saturating_add(i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1000)),
        ),
    }
}

fn unseal(key: &VaultKey, name: &str, sealed: &[u8]) -> Result<StoredTurn, MemoryError> {
    let plain = key
        .open(name, sealed)
        .and_then(|plain| String::from_utf8(plain).ok())
        .ok_or_else(not_ours)?;
    StoredTurn::from_text(&plain)
}

pub(super) fn hashed(bytes: &[u8]) -> Vec<u8> {
    digest(&SHA256, bytes).as_ref().to_vec()
}

pub(super) fn unusable(error: Error) -> MemoryError {
    MemoryError::new(error.to_string())
}

fn not_ours() -> MemoryError {
    MemoryError::new("A turn of the conversation is damaged, or was encrypted by another instance")
}
