//! The long-term memory of a data folder, for runs from the command line: the folder is opened when
//! an agent first asks for it.

use crate::wiring;
use node_api::ai::{
    AddedEntry, Consolidated, ConsolidationOutcome, EntryChange, EntryQuery, FoundEntry,
    LongTermError, LongTermMemory, MemoryEntry, MemoryLimits, MemoryQuery, MemorySpace, NewEntry,
    PendingGroup, PendingTurn, SpaceName,
};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use store::Store;

pub(crate) struct FolderMemory {
    folder: PathBuf,
    opened: OnceLock<Result<Arc<dyn Store>, LongTermError>>,
}

impl FolderMemory {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, opened: OnceLock::new() }
    }

    /// A folder that is not there is not made: a run leaves nothing behind that nobody asked for.
    fn store(&self) -> Result<&Arc<dyn Store>, LongTermError> {
        let opened = self.opened.get_or_init(|| {
            if !self.folder.join("heddle.db").exists() {
                return Err(LongTermError::Nowhere);
            }
            wiring::open_store(&self.folder).map_err(LongTermError::from)
        });
        opened.as_ref().map_err(Clone::clone)
    }
}

#[async_trait::async_trait]
impl LongTermMemory for FolderMemory {
    fn memory_limits(&self) -> MemoryLimits {
        MemoryLimits::default()
    }
    async fn spaces(&self) -> Result<Vec<MemorySpace>, LongTermError> {
        self.store()?.spaces().await
    }
    async fn space(&self, which: &SpaceName) -> Result<MemorySpace, LongTermError> {
        self.store()?.space(which).await
    }
    async fn open_space(&self, name: &str) -> Result<MemorySpace, LongTermError> {
        self.store()?.open_space(name).await
    }
    async fn delete_space(&self, id: &str) -> Result<(), LongTermError> {
        self.store()?.delete_space(id).await
    }
    async fn add_entries(
        &self,
        space: &str,
        new: Vec<NewEntry>,
    ) -> Result<Vec<AddedEntry>, LongTermError> {
        self.store()?.add_entries(space, new).await
    }
    async fn change_entry(
        &self,
        space: &str,
        id: &str,
        change: EntryChange,
    ) -> Result<MemoryEntry, LongTermError> {
        self.store()?.change_entry(space, id, change).await
    }
    async fn delete_entry(&self, space: &str, id: &str) -> Result<(), LongTermError> {
        self.store()?.delete_entry(space, id).await
    }
    async fn delete_subject(
        &self,
        space: Option<&str>,
        subject: &str,
    ) -> Result<usize, LongTermError> {
        self.store()?.delete_subject(space, subject).await
    }
    async fn entry(&self, space: &str, id: &str) -> Result<MemoryEntry, LongTermError> {
        self.store()?.entry(space, id).await
    }
    async fn entries(
        &self,
        space: &str,
        query: EntryQuery,
    ) -> Result<Vec<MemoryEntry>, LongTermError> {
        self.store()?.entries(space, query).await
    }
    async fn search_entries(
        &self,
        space: &str,
        query: MemoryQuery,
    ) -> Result<Vec<FoundEntry>, LongTermError> {
        self.store()?.search_entries(space, query).await
    }
    async fn add_turn(&self, space: &str, turn: PendingTurn) -> Result<(), LongTermError> {
        self.store()?.add_turn(space, turn).await
    }
    async fn pending_turns(
        &self,
        space: &str,
        subject: &str,
        limit: usize,
    ) -> Result<Vec<PendingTurn>, LongTermError> {
        self.store()?.pending_turns(space, subject, limit).await
    }
    async fn pending_subjects(
        &self,
        space: &str,
        limit: usize,
    ) -> Result<Vec<PendingGroup>, LongTermError> {
        self.store()?.pending_subjects(space, limit).await
    }
    async fn consolidate(
        &self,
        space: &str,
        made: Consolidated,
    ) -> Result<ConsolidationOutcome, LongTermError> {
        self.store()?.consolidate(space, made).await
    }
    async fn seal_entries(
        &self,
        space: &str,
        subject: &str,
        plain: &[u8],
    ) -> Result<Vec<u8>, LongTermError> {
        self.store()?.seal_entries(space, subject, plain).await
    }
    async fn open_entries(
        &self,
        space: &str,
        subject: &str,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, LongTermError> {
        self.store()?.open_entries(space, subject, sealed).await
    }
}
