//! Turns that wait to become facts, and what becomes of them.

use super::entry::{EntrySource, NewEntry};
use model::Str;

/// A turn that waits for consolidation.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingTurn {
    /// The key of the turn; each is put down once.
    pub key: Str,
    pub subject: Str,
    /// What was said, in lines.
    pub text: Str,
    pub at_ms: i64,
    pub source: EntrySource,
}

/// Turns of one subject that wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingGroup {
    pub subject: Str,
    pub n_turns: usize,
    pub newest_ms: i64,
}

/// What came of some turns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Consolidated {
    pub subject: Str,
    /// The keys of the turns.
    pub turns: Vec<Str>,
    pub facts: Vec<NewEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConsolidationOutcome {
    Done,
    /// Others have consolidated the turns, or changed the entries, meanwhile; nothing happened.
    Stale,
}
