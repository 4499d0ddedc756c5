//! A memory of the newest turns, or of all.

use super::{MemoryStore, MemoryWindow, messages_of};
use model::Str;
use ports::ai::{
    Memory, MemoryError, Message, RecallLimit, RecalledMessages, RewriteOutcome, SessionId,
    StoredTurn, TurnKey,
};

pub struct RecentMemory {
    pub store: MemoryStore,
    pub window: MemoryWindow,
}

#[async_trait::async_trait]
impl Memory for RecentMemory {
    async fn load(
        &self,
        session: &SessionId,
        _about: &str,
    ) -> Result<RecalledMessages, MemoryError> {
        let turns = self.store.newest(session, self.window.recall_limit()).await?;
        Ok(messages_of(self.window.truncate(turns)).into())
    }

    async fn append(
        &self,
        session: &SessionId,
        key: &TurnKey,
        turn: &[Message],
    ) -> Result<Vec<Str>, MemoryError> {
        self.store.append(session, StoredTurn::new(key.clone(), turn.to_vec())).await?;
        Ok(Vec::new())
    }

    async fn clear(&self, session: &SessionId) -> Result<(), MemoryError> {
        self.store.clear(session).await
    }

    async fn turns(&self, session: &SessionId) -> Result<Vec<StoredTurn>, MemoryError> {
        self.store.newest(session, RecallLimit::ALL).await
    }

    async fn rewrite(
        &self,
        session: &SessionId,
        seen: &[TurnKey],
        turns: Vec<StoredTurn>,
    ) -> Result<RewriteOutcome, MemoryError> {
        self.store.rewrite(session, seen, turns).await
    }

    async fn seal_copy(
        &self,
        session: &SessionId,
        plain: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        self.store.seal_copy(session, plain).await
    }

    async fn open_copy(
        &self,
        session: &SessionId,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        self.store.open_copy(session, sealed).await
    }
}
