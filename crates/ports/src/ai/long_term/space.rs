//! Spaces: the named memories of a project, their statistics and limits.

use model::Str;

#[derive(Clone, Debug, PartialEq)]
pub struct MemorySpace {
    pub id: Str,
    pub name: Str,
    pub project_id: Str,
    /// The model that its vectors come from; `None` while there are none.
    pub model: Option<Str>,
    pub dimensions: Option<usize>,
    pub statistics: MemoryStatistics,
    pub created_ms: i64,
    pub updated_ms: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryStatistics {
    pub entries: usize,
    /// What counts against [`MemoryLimits::space_bytes`].
    pub bytes: usize,
    /// Turns that wait for consolidation.
    pub pending_turns: usize,
    /// Searches, and how many of them found something or nothing. What a process has counted since
    /// it last wrote the counts down is lost if it is killed.
    pub reads: u64,
    pub hits: u64,
    pub misses: u64,
    pub writes: u64,
}

/// How a space is named: by its id, or by its name.
#[derive(Clone, Debug, PartialEq)]
pub enum SpaceName {
    Id(Str),
    Name(Str),
}

/// How much long-term memory may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimits {
    pub spaces: usize,
    pub entries: usize,
    pub entries_per_call: usize,
    pub entry_bytes: usize,
    pub tags: usize,
    pub tag_bytes: usize,
    pub subject_bytes: usize,
    pub space_bytes: usize,
    /// Numbers of a vector.
    pub dimensions: usize,
    /// Results of one search.
    pub results: usize,
    /// Turns of one subject that wait for consolidation; beyond it the oldest go.
    pub pending_turns: usize,
    /// What of a turn is kept for consolidation.
    pub turn_bytes: usize,
    /// What the indexes of spaces may take in memory. Those that were not used for longest go; the
    /// one in use stays.
    pub index_bytes: usize,
}

impl Default for MemoryLimits {
    fn default() -> Self {
        Self {
            spaces: 1000,
            entries: 250_000,
            entries_per_call: 1000,
            entry_bytes: 16 << 10,
            tags: 16,
            tag_bytes: 64,
            subject_bytes: 1024,
            space_bytes: 1 << 30,
            dimensions: 4096,
            results: 100,
            pending_turns: 500,
            turn_bytes: 32 << 10,
            index_bytes: 256 << 20,
        }
    }
}
