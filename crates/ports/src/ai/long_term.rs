//! Long-term memory: what agents know beyond a conversation, as entries that can be searched,
//! corrected and deleted. One port, behind which the store stands.

mod entry;
mod error;
mod none;
mod pending;
mod space;
mod text;

pub use entry::{
    AddedEntry, EntryChange, EntryKind, EntryQuery, EntryRef, EntrySource, FoundEntry, MemoryEntry,
    MemoryQuery, NewEntry,
};
pub use error::LongTermError;
pub use none::NoLongTermMemory;
pub use pending::{Consolidated, ConsolidationOutcome, PendingGroup, PendingTurn};
pub use space::{MemoryLimits, MemorySpace, MemoryStatistics, SpaceName};
pub use text::{clean_text, normalized_text, parse_moment};

use model::Str;
use std::sync::Arc;

/// Keeps what agents know. Implemented by `store`; called by agents and nodes through
/// `Host::long_term_memory`, and by the API.
///
/// What a method has returned from is on disk. A method that fails has changed nothing. Texts are
/// cleaned ([`clean_text`]) and checked against [`MemoryLimits`] on their way in, whoever writes
/// them.
#[async_trait::async_trait]
pub trait LongTermMemory: Send + Sync {
    fn memory_limits(&self) -> MemoryLimits;
    /// The spaces that a workflow may use: those of its project. `None`: all of these.
    fn memory_of_workflow(&self, _workflow_id: &str) -> Option<Arc<dyn LongTermMemory>> {
        None
    }

    /// All of them with their statistics, by name; there are few.
    async fn spaces(&self) -> Result<Vec<MemorySpace>, LongTermError>;
    async fn space(&self, which: &SpaceName) -> Result<MemorySpace, LongTermError>;
    /// The space of a name, made if there is none.
    async fn open_space(&self, name: &str) -> Result<MemorySpace, LongTermError>;
    /// Deletes a space with everything in it.
    async fn delete_space(&self, id: &str) -> Result<(), LongTermError>;

    /// Adds entries, all or none. One whose key was added to the space before is not added again:
    /// what is there comes back for it. The first vectors decide the model and the length of all
    /// others.
    async fn add_entries(
        &self,
        space: &str,
        new: Vec<NewEntry>,
    ) -> Result<Vec<AddedEntry>, LongTermError>;
    /// Changes an entry, if it still has the version that was seen.
    async fn change_entry(
        &self,
        space: &str,
        id: &str,
        change: EntryChange,
    ) -> Result<MemoryEntry, LongTermError>;
    async fn delete_entry(&self, space: &str, id: &str) -> Result<(), LongTermError>;
    /// Deletes everything about somebody, in one space or in all: entries, vectors, turns that wait
    /// for consolidation, and the key that journals keep copies under. Tells how many entries and
    /// turns there were.
    async fn delete_subject(
        &self,
        space: Option<&str>,
        subject: &str,
    ) -> Result<usize, LongTermError>;

    async fn entry(&self, space: &str, id: &str) -> Result<MemoryEntry, LongTermError>;
    /// Entries in the order in which they came.
    async fn entries(
        &self,
        space: &str,
        query: EntryQuery,
    ) -> Result<Vec<MemoryEntry>, LongTermError>;
    /// What answers a question best, best first: by meaning, words and time together.
    async fn search_entries(
        &self,
        space: &str,
        query: MemoryQuery,
    ) -> Result<Vec<FoundEntry>, LongTermError>;

    /// Puts a turn down for consolidation. The same turn is put down once, however often it comes,
    /// also after it was consolidated.
    async fn add_turn(&self, space: &str, turn: PendingTurn) -> Result<(), LongTermError>;
    /// The oldest turns of somebody that wait, oldest first.
    async fn pending_turns(
        &self,
        space: &str,
        subject: &str,
        limit: usize,
    ) -> Result<Vec<PendingTurn>, LongTermError>;
    /// Whose turns wait, those that wait longest first.
    async fn pending_subjects(
        &self,
        space: &str,
        limit: usize,
    ) -> Result<Vec<PendingGroup>, LongTermError>;
    /// Puts facts in the place of the turns that they come from, in one step. If one of the turns
    /// does not wait any more, or an entry to be replaced is gone, nothing happens.
    async fn consolidate(
        &self,
        space: &str,
        made: Consolidated,
    ) -> Result<ConsolidationOutcome, LongTermError>;

    /// Encrypts a copy of something about somebody, for a journal. It opens until the subject is
    /// deleted.
    async fn seal_entries(
        &self,
        space: &str,
        subject: &str,
        plain: &[u8],
    ) -> Result<Vec<u8>, LongTermError>;
    /// `None` once the subject, or the space, was deleted.
    async fn open_entries(
        &self,
        space: &str,
        subject: &str,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, LongTermError>;
}

/// What a memory node supplies of long-term memory to the agent above it.
#[derive(Clone)]
pub struct SuppliedLongTerm {
    pub memory: Arc<dyn LongTermMemory>,
    /// The space, by id.
    pub space: Str,
    /// Whose entries; `None` for the session of the agent.
    pub subject: Option<Str>,
    /// `None` searches by words and time only.
    pub embedder: Option<Arc<dyn super::Embedder>>,
    pub mode: ReadMode,
    pub top: usize,
    pub min_score: f64,
    pub recency_weight: f64,
    pub tags: Vec<Str>,
    pub consolidation: Option<ConsolidationPolicy>,
}

/// How an agent comes to see what is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadMode {
    /// Relevant entries stand before the question.
    Inject,
    /// The same, and the answer names them as its sources.
    Retrieve,
    /// The agent gets tools to search and write.
    Tool,
}

/// When and with which model turns become facts.
#[derive(Clone)]
pub struct ConsolidationPolicy {
    pub model: Arc<dyn super::ChatModel>,
    /// After so many turns of a subject; 0 leaves it to a schedule.
    pub every_turns: usize,
}
