//! A world without long-term memory.

use super::{
    AddedEntry, Consolidated, ConsolidationOutcome, EntryChange, EntryQuery, FoundEntry,
    LongTermError, LongTermMemory, MemoryEntry, MemoryLimits, MemoryQuery, MemorySpace, NewEntry,
    PendingGroup, PendingTurn, SpaceName,
};

pub struct NoLongTermMemory;

#[async_trait::async_trait]
impl LongTermMemory for NoLongTermMemory {
    fn memory_limits(&self) -> MemoryLimits {
        MemoryLimits::default()
    }
    async fn spaces(&self) -> Result<Vec<MemorySpace>, LongTermError> {
        Ok(Vec::new())
    }
    async fn space(&self, _which: &SpaceName) -> Result<MemorySpace, LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn open_space(&self, _name: &str) -> Result<MemorySpace, LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn delete_space(&self, _id: &str) -> Result<(), LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn add_entries(
        &self,
        _space: &str,
        _new: Vec<NewEntry>,
    ) -> Result<Vec<AddedEntry>, LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn change_entry(
        &self,
        _space: &str,
        _id: &str,
        _change: EntryChange,
    ) -> Result<MemoryEntry, LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn delete_entry(&self, _space: &str, _id: &str) -> Result<(), LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn delete_subject(
        &self,
        _space: Option<&str>,
        _subject: &str,
    ) -> Result<usize, LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn entry(&self, _space: &str, _id: &str) -> Result<MemoryEntry, LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn entries(
        &self,
        _space: &str,
        _query: EntryQuery,
    ) -> Result<Vec<MemoryEntry>, LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn search_entries(
        &self,
        _space: &str,
        _query: MemoryQuery,
    ) -> Result<Vec<FoundEntry>, LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn add_turn(&self, _space: &str, _turn: PendingTurn) -> Result<(), LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn pending_turns(
        &self,
        _space: &str,
        _subject: &str,
        _limit: usize,
    ) -> Result<Vec<PendingTurn>, LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn pending_subjects(
        &self,
        _space: &str,
        _limit: usize,
    ) -> Result<Vec<PendingGroup>, LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn consolidate(
        &self,
        _space: &str,
        _made: Consolidated,
    ) -> Result<ConsolidationOutcome, LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn seal_entries(
        &self,
        _space: &str,
        _subject: &str,
        _plain: &[u8],
    ) -> Result<Vec<u8>, LongTermError> {
        Err(LongTermError::Nowhere)
    }
    async fn open_entries(
        &self,
        _space: &str,
        _subject: &str,
        _sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, LongTermError> {
        Err(LongTermError::Nowhere)
    }
}
