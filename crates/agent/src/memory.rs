//! Kinds of memories over kept conversations: the newest turns, a summary of the rest, or what has
//! to do with the question.

mod nearest;
mod past;
mod recent;
mod summary;
mod window;

pub use nearest::Nearest;
pub use recent::Recent;
pub use summary::Summarised;
pub use window::{Window, mended};

use model::Str;
use node_api::ai::{
    Conversation, Conversations, KeptTurn, Lifetime, MAX_TURN_BYTES, MemoryError, Message, Most,
    Rewritten, SessionId, TurnKey,
};
use std::sync::Arc;

/// Where the conversations of a memory are, and how long they stay.
#[derive(Clone)]
pub struct Place {
    pub conversations: Arc<dyn Conversations>,
    pub owner: Str,
    pub scope: Str,
    pub lifetime: Lifetime,
}

impl Place {
    async fn newest(&self, session: &SessionId, most: Most) -> Result<Vec<KeptTurn>, MemoryError> {
        self.conversations.newest(&self.of(session), most, self.lifetime).await
    }

    async fn append(&self, session: &SessionId, turn: KeptTurn) -> Result<(), MemoryError> {
        let bytes = turn.bytes();
        if bytes > MAX_TURN_BYTES {
            return Err(MemoryError::new(format!(
                "The turn has {bytes} bytes; at most {MAX_TURN_BYTES} are kept (MAX_TURN_BYTES)"
            )));
        }
        self.conversations.append(&self.of(session), turn, self.lifetime).await
    }

    async fn rewrite(
        &self,
        session: &SessionId,
        seen: &[TurnKey],
        turns: Vec<KeptTurn>,
    ) -> Result<Rewritten, MemoryError> {
        self.conversations.rewrite(&self.of(session), seen, turns, self.lifetime).await
    }

    async fn clear(&self, session: &SessionId) -> Result<(), MemoryError> {
        self.conversations.clear(&self.of(session)).await
    }

    fn of(&self, session: &SessionId) -> Conversation {
        Conversation {
            owner: self.owner.clone(),
            scope: self.scope.clone(),
            session: session.clone(),
        }
    }
}

/// The messages of turns, one after the other, as a model may see them.
fn messages_of(turns: Vec<KeptTurn>) -> Vec<Message> {
    mended(turns.into_iter().flat_map(|turn| turn.messages).collect())
}
