//! A memory of the newest turns, or of all.

use super::{Place, Window, messages_of};
use model::Str;
use node_api::ai::{
    KeptTurn, Memory, MemoryError, Message, Most, Recalled, Rewritten, SessionId, TurnKey,
};

pub struct Recent {
    pub place: Place,
    pub window: Window,
}

#[async_trait::async_trait]
impl Memory for Recent {
    async fn load(&self, session: &SessionId, _about: &str) -> Result<Recalled, MemoryError> {
        let turns = self.place.newest(session, self.window.most()).await?;
        Ok(messages_of(self.window.cut(turns)).into())
    }

    async fn append(
        &self,
        session: &SessionId,
        key: &TurnKey,
        turn: &[Message],
    ) -> Result<Vec<Str>, MemoryError> {
        self.place.append(session, KeptTurn::said(key.clone(), turn.to_vec())).await?;
        Ok(Vec::new())
    }

    async fn clear(&self, session: &SessionId) -> Result<(), MemoryError> {
        self.place.clear(session).await
    }

    async fn turns(&self, session: &SessionId) -> Result<Vec<KeptTurn>, MemoryError> {
        self.place.newest(session, Most::ALL).await
    }

    async fn rewrite(
        &self,
        session: &SessionId,
        seen: &[TurnKey],
        turns: Vec<KeptTurn>,
    ) -> Result<Rewritten, MemoryError> {
        self.place.rewrite(session, seen, turns).await
    }
}
