//! The conversations of a data folder, for runs from the command line: the folder is opened when an
//! agent first remembers something.

use crate::wiring;
use node_api::ai::{
    ConversationId, ConversationStore, ConversationStores, Lifetime, MemoryError, RecallLimit,
    RewriteOutcome, Sealer, StoredTurn, TurnKey,
};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use store::Store;

/// Those of a folder that is open.
pub(crate) fn from_store(
    store: &Arc<dyn Store>,
    before: &ConversationStores,
) -> ConversationStores {
    ConversationStores {
        durable: store.clone(),
        sealer: store.clone(),
        keys: store.clone(),
        ..before.clone()
    }
}

/// Those of a folder that may not be there.
pub(crate) fn from_folder(folder: PathBuf, before: &ConversationStores) -> ConversationStores {
    let folder = Arc::new(FolderConversations { folder, opened: OnceLock::new() });
    ConversationStores { durable: folder.clone(), sealer: folder, ..before.clone() }
}

struct FolderConversations {
    folder: PathBuf,
    opened: OnceLock<Result<Arc<dyn Store>, MemoryError>>,
}

impl FolderConversations {
    /// A folder that is not there is not made: a run leaves nothing behind that nobody asked for.
    fn store(&self) -> Result<&Arc<dyn Store>, MemoryError> {
        let opened = self.opened.get_or_init(|| {
            if !self.folder.join("heddle.db").exists() {
                return Err(MemoryError::new(format!(
                    "There is no data folder {} to store conversations in",
                    self.folder.display()
                )));
            }
            wiring::open_store(&self.folder).map_err(|error| MemoryError::new(error.to_string()))
        });
        opened.as_ref().map_err(Clone::clone)
    }
}

#[async_trait::async_trait]
impl ConversationStore for FolderConversations {
    async fn newest(
        &self,
        which: &ConversationId,
        most: RecallLimit,
        lifetime: Lifetime,
    ) -> Result<Vec<StoredTurn>, MemoryError> {
        self.store()?.newest(which, most, lifetime).await
    }
    async fn append(
        &self,
        which: &ConversationId,
        turn: StoredTurn,
        lifetime: Lifetime,
    ) -> Result<(), MemoryError> {
        self.store()?.append(which, turn, lifetime).await
    }
    async fn rewrite(
        &self,
        which: &ConversationId,
        seen: &[TurnKey],
        turns: Vec<StoredTurn>,
        lifetime: Lifetime,
    ) -> Result<RewriteOutcome, MemoryError> {
        self.store()?.rewrite(which, seen, turns, lifetime).await
    }
    async fn clear(&self, which: &ConversationId) -> Result<(), MemoryError> {
        self.store()?.clear(which).await
    }
}

#[async_trait::async_trait]
impl Sealer for FolderConversations {
    async fn seal(&self, name: &str, plain: &[u8]) -> Result<Vec<u8>, MemoryError> {
        self.store()?.seal(name, plain).await
    }
    async fn open(&self, name: &str, sealed: &[u8]) -> Result<Vec<u8>, MemoryError> {
        self.store()?.open(name, sealed).await
    }
}
