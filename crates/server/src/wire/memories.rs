//! Long-term memory: spaces with their statistics, and entries.

use super::{BoundedInt, Cursor, Fraction, Id, Number, Page, PageLimit, Text, Timestamp};
use node_api::ai::{EntryKind, FoundEntry, MemoryEntry, MemorySpace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Entries that a search finds when nothing is said.
pub(crate) const DEFAULT_ENTRIES: usize = 20;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Memory<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) project_id: &'a str,
    pub(crate) embedding_model: Option<&'a str>,
    pub(crate) dimensions: Option<usize>,
    pub(crate) entry_count: usize,
    pub(crate) size_bytes: usize,
    /// Turns that wait for consolidation.
    pub(crate) pending_turns: usize,
    pub(crate) reads: u64,
    pub(crate) hits: u64,
    pub(crate) misses: u64,
    pub(crate) writes: u64,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

impl<'a> From<&'a MemorySpace> for Memory<'a> {
    fn from(space: &'a MemorySpace) -> Self {
        let statistics = &space.statistics;
        Self {
            id: &space.id,
            name: &space.name,
            project_id: &space.project_id,
            embedding_model: space.model.as_deref(),
            dimensions: space.dimensions,
            entry_count: statistics.entries,
            size_bytes: statistics.bytes,
            pending_turns: statistics.pending_turns,
            reads: statistics.reads,
            hits: statistics.hits,
            misses: statistics.misses,
            writes: statistics.writes,
            created_at: Timestamp(space.created_ms),
            updated_at: Timestamp(space.updated_ms),
        }
    }
}

pub(crate) type MemoryList<'a> = Page<Memory<'a>>;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryListQuery {
    #[serde(default)]
    pub(crate) limit: PageLimit,
    #[serde(default)]
    pub(crate) cursor: Cursor<String>,
    pub(crate) project_id: Option<String>,
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum MemoryEntryKind {
    Fact,
    Note,
    Document,
}

impl From<EntryKind> for MemoryEntryKind {
    fn from(kind: EntryKind) -> Self {
        match kind {
            EntryKind::Fact => Self::Fact,
            EntryKind::Note => Self::Note,
            EntryKind::Document => Self::Document,
        }
    }
}

impl From<MemoryEntryKind> for EntryKind {
    fn from(kind: MemoryEntryKind) -> Self {
        match kind {
            MemoryEntryKind::Fact => Self::Fact,
            MemoryEntryKind::Note => Self::Note,
            MemoryEntryKind::Document => Self::Document,
        }
    }
}

/// Where an entry comes from. Parts that are not known are empty.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemorySource<'a> {
    pub(crate) workflow_id: &'a str,
    pub(crate) execution_id: &'a str,
    pub(crate) node: &'a str,
    pub(crate) session_id: &'a str,
    pub(crate) turn: &'a str,
    pub(crate) quote: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredMemoryEntry<'a> {
    pub(crate) id: &'a str,
    pub(crate) subject: &'a str,
    pub(crate) kind: MemoryEntryKind,
    pub(crate) text: &'a str,
    pub(crate) tags: Vec<&'a str>,
    pub(crate) source: MemorySource<'a>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) valid_from: Timestamp,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) superseded_by: Option<&'a str>,
    pub(crate) version: u64,
}

impl<'a> From<&'a MemoryEntry> for StoredMemoryEntry<'a> {
    fn from(entry: &'a MemoryEntry) -> Self {
        let source = &entry.source;
        Self {
            id: &entry.id,
            subject: &entry.subject,
            kind: entry.kind.into(),
            text: &entry.text,
            tags: entry.tags.iter().map(|tag| tag.as_str()).collect(),
            source: MemorySource {
                workflow_id: &source.workflow,
                execution_id: &source.execution,
                node: &source.node,
                session_id: &source.session,
                turn: &source.turn,
                quote: &source.quote,
            },
            created_at: Timestamp(entry.created_ms),
            updated_at: Timestamp(entry.updated_ms),
            valid_from: Timestamp(entry.valid_ms),
            expires_at: entry.expires_ms.map(Timestamp),
            superseded_by: entry.superseded_by.as_deref(),
            version: entry.version,
        }
    }
}

pub(crate) type MemoryEntryList<'a> = Page<StoredMemoryEntry<'a>>;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryEntryQuery {
    #[serde(default)]
    pub(crate) limit: PageLimit,
    #[serde(default)]
    pub(crate) cursor: Cursor<String>,
    pub(crate) subject: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryQuestion {
    /// What to look for. Without one, the newest entries are found.
    pub(crate) query: Option<Text<1, 10_000>>,
    pub(crate) subject: Option<Text<1, 1024>>,
    pub(crate) tags: Option<Vec<Text<1, 64>>>,
    pub(crate) kinds: Option<Vec<MemoryEntryKind>>,
    /// Only entries valid from this time on.
    pub(crate) from: Option<Timestamp>,
    /// Only entries valid before this time.
    pub(crate) until: Option<Timestamp>,
    #[schemars(extend("default" = DEFAULT_ENTRIES))]
    pub(crate) limit: Option<BoundedInt<1, 100>>,
    #[serde(default)]
    #[schemars(extend("default" = 0))]
    pub(crate) min_score: Fraction,
    #[serde(default)]
    #[schemars(extend("default" = 0))]
    pub(crate) recency_weight: Fraction,
    #[serde(default)]
    pub(crate) include_superseded: bool,
    #[serde(default)]
    pub(crate) include_expired: bool,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct FoundMemoryEntry<'a> {
    /// Similarity from 0 to 1; 0 if it was found by keywords or time only.
    pub(crate) score: Number,
    pub(crate) entry: StoredMemoryEntry<'a>,
}

impl<'a> From<&'a FoundEntry> for FoundMemoryEntry<'a> {
    fn from(found: &'a FoundEntry) -> Self {
        Self { score: Number(found.score), entry: (&found.entry).into() }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct MemoryFound<'a> {
    pub(crate) results: Vec<FoundMemoryEntry<'a>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct MemoryEntryChange {
    /// The version that was read. If the entry has another one, the change is rejected.
    pub(crate) version: BoundedInt<1, 9_007_199_254_740_991>,
    pub(crate) text: Option<Text<1, 16_384>>,
    pub(crate) kind: Option<MemoryEntryKind>,
    pub(crate) tags: Option<Vec<Text<1, 64>>>,
    pub(crate) valid_from: Option<Timestamp>,
    pub(crate) expires_at: Option<Timestamp>,
    /// The entry that takes its place.
    pub(crate) superseded_by: Option<Id>,
    /// Makes the entry hold again.
    #[serde(default)]
    pub(crate) restore: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemorySubjectQuery {
    pub(crate) subject: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryDeleted {
    pub(crate) deleted_count: usize,
}
