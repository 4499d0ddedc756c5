//! What is kept of conversations beside what agents ask for through `node_api::ai::Conversations`.

use crate::Error;

#[async_trait::async_trait]
pub trait ConversationCleanup: Send + Sync {
    /// Removes what has outlived its time, and tells how many conversations and memory entries that
    /// were.
    async fn delete_expired(&self) -> Result<usize, Error>;
}
