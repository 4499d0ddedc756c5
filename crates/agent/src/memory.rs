//! Kinds of memories over kept conversations: the newest turns, a summary of the rest, or what has
//! to do with the question. Beside them stands what is known beyond a conversation.

mod long_term;
mod recent;
mod semantic;
mod summary;
mod transcript;
mod window;

pub use long_term::{
    ConsolidationReport, LongTermSession, consolidate, memory_tools, source_value,
};
pub(crate) use long_term::{consolidate_if_due, entries_message, remember_turn};
pub use recent::RecentMemory;
pub use semantic::SemanticMemory;
pub use summary::SummarizingMemory;
pub use window::{MemoryWindow, repair_messages};

use model::Str;
use ports::ai::{
    ConversationId, ConversationKeys, ConversationStore, Lifetime, MAX_TURN_BYTES, MemoryError,
    Message, RecallLimit, RewriteOutcome, SessionId, StoredTurn, TurnKey,
};
use std::sync::Arc;

/// Where the conversations of a memory are, and how long they stay.
#[derive(Clone)]
pub struct MemoryStore {
    pub conversations: Arc<dyn ConversationStore>,
    pub owner: Str,
    pub scope: Str,
    pub lifetime: Lifetime,
    /// What copies in journals are encrypted with.
    pub keys: Arc<dyn ConversationKeys>,
}

impl MemoryStore {
    async fn newest(
        &self,
        session: &SessionId,
        most: RecallLimit,
    ) -> Result<Vec<StoredTurn>, MemoryError> {
        self.conversations.newest(&self.of(session), most, self.lifetime).await
    }

    async fn append(&self, session: &SessionId, turn: StoredTurn) -> Result<(), MemoryError> {
        let bytes = turn.bytes();
        if bytes > MAX_TURN_BYTES {
            return Err(MemoryError::new(format!(
                "The turn has {bytes} bytes; the limit is {MAX_TURN_BYTES} (MAX_TURN_BYTES)"
            )));
        }
        self.conversations.append(&self.of(session), turn, self.lifetime).await
    }

    async fn rewrite(
        &self,
        session: &SessionId,
        seen: &[TurnKey],
        turns: Vec<StoredTurn>,
    ) -> Result<RewriteOutcome, MemoryError> {
        self.conversations.rewrite(&self.of(session), seen, turns, self.lifetime).await
    }

    async fn clear(&self, session: &SessionId) -> Result<(), MemoryError> {
        let which = self.of(session);
        self.keys.destroy_key(&which).await?;
        self.conversations.clear(&which).await
    }

    async fn seal_copy(
        &self,
        session: &SessionId,
        plain: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        self.keys.seal_copy(&self.of(session), plain, self.lifetime).await
    }

    async fn open_copy(
        &self,
        session: &SessionId,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        self.keys.open_copy(&self.of(session), sealed).await
    }

    fn of(&self, session: &SessionId) -> ConversationId {
        ConversationId {
            owner: self.owner.clone(),
            scope: self.scope.clone(),
            session: session.clone(),
        }
    }
}

/// The messages of turns, one after the other, as a model may see them.
fn messages_of(turns: Vec<StoredTurn>) -> Vec<Message> {
    repair_messages(turns.into_iter().flat_map(|turn| turn.messages).collect())
}
