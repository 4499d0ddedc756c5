//! Memories: what was said before in a session.

use super::message::Message;
use model::Str;

/// Whose conversation it is. Implementations treat it as opaque: it never becomes a part of a key or a path unescaped.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionId(pub Str);

/// Keeps conversations. Implemented in `providers` and `store`; called by `agent`.
///
/// Messages are kept in whole turns: what an agent appends at once belongs together and is never cut apart, neither by a window nor
/// by two runs that append at the same time.
#[async_trait::async_trait]
pub trait Memory: Send + Sync {
    /// What the model is to see of the past, oldest first: never beginning with the result of a tool whose call is gone.
    async fn load(&self, session: &SessionId, about: &str) -> Result<Vec<Message>, MemoryError>;
    /// Adds a turn: the user's message, what the assistant said and called, and the results.
    async fn append(&self, session: &SessionId, turn: &[Message]) -> Result<(), MemoryError>;
    async fn clear(&self, session: &SessionId) -> Result<(), MemoryError>;
}

/// Why a memory is of no use at the moment. A run goes on without it and says so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct MemoryError {
    pub message: Str,
}

impl MemoryError {
    pub fn new(message: impl Into<Str>) -> Self {
        Self { message: message.into() }
    }
}
