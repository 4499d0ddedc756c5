//! The conversations of a data folder, for runs from the command line: the folder is opened when an
//! agent first remembers something.

use node_api::ai::{
    Conversation, Conversations, KeptHere, KeptTurn, Lifetime, MemoryError, Most, Rewritten,
    Sealer, TurnKey,
};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use store::{Sqlite, Use};

/// Those of a folder that is open.
pub(crate) fn of_store(store: &Sqlite, before: &KeptHere) -> KeptHere {
    KeptHere { lasting: Arc::new(store.clone()), sealer: Arc::new(store.clone()), ..before.clone() }
}

/// Those of a folder that may not be there.
pub(crate) fn of_folder(folder: PathBuf, before: &KeptHere) -> KeptHere {
    let folder = Arc::new(FolderConversations { folder, opened: OnceLock::new() });
    KeptHere { lasting: folder.clone(), sealer: folder, ..before.clone() }
}

struct FolderConversations {
    folder: PathBuf,
    opened: OnceLock<Result<Sqlite, MemoryError>>,
}

impl FolderConversations {
    /// A folder that is not there is not made: a run leaves nothing behind that nobody asked for.
    fn store(&self) -> Result<&Sqlite, MemoryError> {
        let opened = self.opened.get_or_init(|| {
            if !self.folder.join("heddle.db").exists() {
                return Err(MemoryError::new(format!(
                    "There is no data folder {} to keep conversations in",
                    self.folder.display()
                )));
            }
            Sqlite::open(&self.folder, Use::Beside)
                .map_err(|error| MemoryError::new(error.to_string()))
        });
        opened.as_ref().map_err(Clone::clone)
    }
}

#[async_trait::async_trait]
impl Conversations for FolderConversations {
    async fn newest(
        &self,
        which: &Conversation,
        most: Most,
        lifetime: Lifetime,
    ) -> Result<Vec<KeptTurn>, MemoryError> {
        self.store()?.newest(which, most, lifetime).await
    }
    async fn append(
        &self,
        which: &Conversation,
        turn: KeptTurn,
        lifetime: Lifetime,
    ) -> Result<(), MemoryError> {
        self.store()?.append(which, turn, lifetime).await
    }
    async fn rewrite(
        &self,
        which: &Conversation,
        seen: &[TurnKey],
        turns: Vec<KeptTurn>,
        lifetime: Lifetime,
    ) -> Result<Rewritten, MemoryError> {
        self.store()?.rewrite(which, seen, turns, lifetime).await
    }
    async fn clear(&self, which: &Conversation) -> Result<(), MemoryError> {
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
