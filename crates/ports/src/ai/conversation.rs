//! Conversations as they are kept: turns in their order, each whole and once.

use super::memory::{MemoryError, SessionId, TurnKey};
use super::message::{MediaData, Message, MessagePart};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Object, Str, Value};
use std::sync::Arc;

/// The longest turn that is kept, in bytes.
pub const MAX_TURN_BYTES: usize = 8 << 20;

/// What is read of a conversation at once, in bytes; older turns are left out.
pub const MAX_RECALLED_BYTES: usize = 16 << 20;

/// Keeps conversations. Implemented in `providers` (in the process, in Redis, in Postgres) and in
/// `store` (on disk); called by the memories in `agent`.
///
/// Every method is atomic, and what it has returned from is where the back end keeps things: an
/// append loses nothing that another task, process or machine appends at the same time.
#[async_trait::async_trait]
pub trait ConversationStore: Send + Sync {
    /// The newest turns, oldest of them first, as many as fit; the very newest comes even if it
    /// alone does not. To look is to use: the conversation stays for its lifetime from now.
    async fn newest(
        &self,
        which: &ConversationId,
        most: RecallLimit,
        lifetime: Lifetime,
    ) -> Result<Vec<StoredTurn>, MemoryError>;
    /// Adds a turn, unless one with its key was added to this conversation before.
    async fn append(
        &self,
        which: &ConversationId,
        turn: StoredTurn,
        lifetime: Lifetime,
    ) -> Result<(), MemoryError>;
    /// Puts other turns in the place of the oldest ones, if these are still the ones that were
    /// seen. What came after them stays.
    async fn rewrite(
        &self,
        which: &ConversationId,
        seen: &[TurnKey],
        turns: Vec<StoredTurn>,
        lifetime: Lifetime,
    ) -> Result<RewriteOutcome, MemoryError>;
    async fn clear(&self, which: &ConversationId) -> Result<(), MemoryError>;
}

/// Which conversation it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConversationId {
    /// The stored workflow that it belongs to, and goes with.
    pub owner: Str,
    /// What keeps the conversations of one workflow apart, such as the node.
    pub scope: Str,
    pub session: SessionId,
}

impl ConversationId {
    /// Bytes that no other conversation has, whatever is in its parts. They are made into a key by
    /// hashing.
    pub fn identity(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for part in [self.owner.as_str(), &self.scope, self.session.as_str()] {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        bytes
    }
}

/// A turn with what is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredTurn {
    pub key: TurnKey,
    pub messages: Vec<Message>,
    pub kind: TurnKind,
    pub embedding: Option<Embedding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnKind {
    /// It was said so.
    Verbatim,
    /// A model has made it of turns that are gone.
    Summary,
}

/// What a turn is about, as an embedder sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// Vectors of different models do not go together.
    pub model: Str,
    pub vector: Vec<f32>,
}

/// How much is wanted: both hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecallLimit {
    pub turns: usize,
    pub bytes: usize,
}

impl RecallLimit {
    pub const ALL: RecallLimit = RecallLimit { turns: usize::MAX, bytes: usize::MAX };

    pub fn turns(turns: usize) -> Self {
        Self { turns, bytes: MAX_RECALLED_BYTES }
    }

    /// As many turns as have so many parts of this size between them.
    pub fn bytes_of(number: usize, size: usize) -> Self {
        let bytes = number.saturating_mul(size).min(MAX_RECALLED_BYTES);
        Self { turns: usize::MAX, bytes }
    }

    /// How many turns are wanted of those with these sizes, newest first.
    pub fn count_fitting(self, sizes: impl IntoIterator<Item = usize>) -> usize {
        let mut room = self.bytes;
        let mut n_fitting = 0;
        for bytes in sizes.into_iter().take(self.turns) {
            if bytes > room && n_fitting > 0 {
                break;
            }
            room = room.saturating_sub(bytes);
            n_fitting += 1;
        }
        n_fitting
    }
}

/// How long a conversation stays after it was last used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lifetime {
    #[default]
    Endless,
    Seconds(u64),
}

impl Lifetime {
    /// Where 0 means that there is no end.
    pub fn of_seconds(seconds: u64) -> Self {
        if seconds == 0 { Lifetime::Endless } else { Lifetime::Seconds(seconds) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RewriteOutcome {
    Done,
    /// Somebody else has changed the conversation meanwhile; nothing was.
    Stale,
}

impl StoredTurn {
    pub fn new(key: TurnKey, messages: Vec<Message>) -> Self {
        Self { key, messages, kind: TurnKind::Verbatim, embedding: None }
    }

    /// About how much room it takes.
    pub fn bytes(&self) -> usize {
        let of_part = |part: &MessagePart| match part {
            MessagePart::Text(text) | MessagePart::Thinking { text, .. } => text.len(),
            MessagePart::Image(media) | MessagePart::File(media) => match &media.data {
                MediaData::Bytes(bytes) => bytes.len(),
                MediaData::Url(url) => url.len(),
            },
            MessagePart::ToolCall(call) => call.name.len() + call.arguments.to_text().len(),
            MessagePart::ToolResult(result) => result.name.len() + result.content.len(),
        };
        let said: usize = self
            .messages
            .iter()
            .flat_map(|message| &message.parts)
            .map(|part| of_part(part) + 32)
            .sum();
        said + self.key.0.len()
            + self.embedding.as_ref().map_or(0, |embedding| embedding.vector.len() * 4)
    }

    /// As text, for back ends that keep bytes.
    pub fn to_text(&self) -> String {
        let mut object = Object::from_iter([
            ("key", Value::from(self.key.0.clone())),
            ("messages", Value::array(self.messages.iter().map(Message::to_value).collect())),
        ]);
        if self.kind == TurnKind::Summary {
            object.insert("summary", true);
        }
        if let Some(embedding) = &self.embedding {
            let bytes: Vec<u8> =
                embedding.vector.iter().flat_map(|number| number.to_le_bytes()).collect();
            object.insert("embedder", embedding.model.clone());
            object.insert("vector", STANDARD.encode(bytes));
        }
        model::json::to_string(&object.into())
    }

    pub fn from_text(text: &str) -> Result<Self, MemoryError> {
        let damaged = || MemoryError::new("A turn of the conversation is damaged");
        let value = model::json::parse(text).map_err(|_| damaged())?;
        let key = TurnKey(value.get("key").and_then(Value::as_str).ok_or_else(damaged)?.into());
        let messages = value.get("messages").and_then(Value::as_array).ok_or_else(damaged)?;
        let messages = messages
            .iter()
            .map(Message::from_value)
            .collect::<Option<Vec<_>>>()
            .ok_or_else(damaged)?;
        let kind = if value.get("summary").is_some_and(Value::is_truthy) {
            TurnKind::Summary
        } else {
            TurnKind::Verbatim
        };
        let text_at = |key: &str| value.get(key).and_then(Value::as_str);
        let embedding = match (text_at("embedder"), text_at("vector")) {
            (Some(model), Some(vector)) => {
                let bytes = STANDARD.decode(vector).map_err(|_| damaged())?;
                let numbers = bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four));
                Some(Embedding { model: model.into(), vector: numbers.collect() })
            }
            _ => None,
        };
        Ok(Self { key, messages, kind, embedding })
    }
}

/// Encrypts what is kept outside, with a key that the vault guards. Implemented by `store`.
#[async_trait::async_trait]
pub trait Sealer: Send + Sync {
    /// What is sealed opens only under the same name again.
    async fn seal(&self, name: &str, plain: &[u8]) -> Result<Vec<u8>, MemoryError>;
    async fn open(&self, name: &str, sealed: &[u8]) -> Result<Vec<u8>, MemoryError>;
}

/// Gives each conversation a key of its own, for the copies that journals keep of it. Without the
/// key no copy can be read, wherever it is. Implemented by `store`.
#[async_trait::async_trait]
pub trait ConversationKeys: Send + Sync {
    /// `None` where no keys are kept: the journal is gone with the process then.
    async fn seal_copy(
        &self,
        which: &ConversationId,
        plain: &[u8],
        lifetime: Lifetime,
    ) -> Result<Option<Vec<u8>>, MemoryError>;
    /// `None` once the key was destroyed.
    async fn open_copy(
        &self,
        which: &ConversationId,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError>;
    async fn destroy_key(&self, which: &ConversationId) -> Result<(), MemoryError>;
}

/// Where this instance keeps conversations itself.
#[derive(Clone)]
pub struct ConversationStores {
    /// The stored workflow whose conversations these are: the one whose rights the run has.
    pub owner: Str,
    /// In the memory of the process; gone when it ends.
    pub volatile: Arc<dyn ConversationStore>,
    /// On disk.
    pub durable: Arc<dyn ConversationStore>,
    pub sealer: Arc<dyn Sealer>,
    pub keys: Arc<dyn ConversationKeys>,
}

impl Default for ConversationStores {
    fn default() -> Self {
        Self {
            owner: Str::new(),
            volatile: Arc::new(NoStore),
            durable: Arc::new(NoStore),
            sealer: Arc::new(NoStore),
            keys: Arc::new(NoConversationKeys),
        }
    }
}

/// A world where nothing is kept.
struct NoStore;

fn no_store<T>() -> Result<T, MemoryError> {
    Err(MemoryError::new("There is no data folder to store conversations in"))
}

#[async_trait::async_trait]
impl ConversationStore for NoStore {
    async fn newest(
        &self,
        _: &ConversationId,
        _: RecallLimit,
        _: Lifetime,
    ) -> Result<Vec<StoredTurn>, MemoryError> {
        no_store()
    }
    async fn append(
        &self,
        _which: &ConversationId,
        _turn: StoredTurn,
        _lifetime: Lifetime,
    ) -> Result<(), MemoryError> {
        no_store()
    }
    async fn rewrite(
        &self,
        _: &ConversationId,
        _: &[TurnKey],
        _: Vec<StoredTurn>,
        _: Lifetime,
    ) -> Result<RewriteOutcome, MemoryError> {
        no_store()
    }
    async fn clear(&self, _which: &ConversationId) -> Result<(), MemoryError> {
        no_store()
    }
}

#[async_trait::async_trait]
impl Sealer for NoStore {
    async fn seal(&self, _name: &str, _plain: &[u8]) -> Result<Vec<u8>, MemoryError> {
        no_store()
    }
    async fn open(&self, _name: &str, _sealed: &[u8]) -> Result<Vec<u8>, MemoryError> {
        no_store()
    }
}

/// Where nothing outlives the process.
pub struct NoConversationKeys;

#[async_trait::async_trait]
impl ConversationKeys for NoConversationKeys {
    async fn seal_copy(
        &self,
        _: &ConversationId,
        _: &[u8],
        _: Lifetime,
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        Ok(None)
    }
    async fn open_copy(
        &self,
        _: &ConversationId,
        _: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        Ok(None)
    }
    async fn destroy_key(&self, _which: &ConversationId) -> Result<(), MemoryError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation(owner: &str, scope: &str, session: &str) -> ConversationId {
        ConversationId {
            owner: owner.into(),
            scope: scope.into(),
            session: SessionId::new(session).unwrap(),
        }
    }

    #[test]
    fn what_moves_from_one_part_to_the_next_is_another_conversation() {
        let identities = [
            ("a", "b", "c"),
            ("ab", "", "c"),
            ("", "ab", "c"),
            ("a", "", "bc"),
            ("", "a", "bc"),
            ("", "", "abc"),
        ];
        let different: std::collections::HashSet<_> = identities
            .iter()
            .map(|(owner, scope, session)| conversation(owner, scope, session).identity())
            .collect();
        assert_eq!(different.len(), identities.len());
    }

    #[test]
    fn a_turn_comes_back_from_its_text() {
        let embedding =
            Some(Embedding { model: "m".into(), vector: vec![0.5, -1.0, f32::MIN_POSITIVE] });
        let turn = StoredTurn {
            kind: TurnKind::Summary,
            embedding,
            ..StoredTurn::new(TurnKey("k\n".into()), vec![Message::user("a\0b")])
        };
        assert_eq!(StoredTurn::from_text(&turn.to_text()).unwrap(), turn);
        assert!(StoredTurn::from_text("{}").is_err());
    }
}
