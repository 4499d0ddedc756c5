//! The journal of a run on its way to disk: events are gathered per run and written in segments.

mod recorder;
mod run_journal;
mod segments;

pub use recorder::Recorder;
pub(crate) use run_journal::RunJournal;

use crate::loaded_workflow::SharedStaticData;
use std::time::Duration;
use store::executions::SavePolicy;

/// How long a run waits between two tries to write to a disk that is full, or to a database that
/// somebody holds.
pub(crate) const FULL_DISK_PAUSE: Duration = Duration::from_millis(500);

/// How much of a run is on disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct JournalProgress {
    pub segments: i64,
    /// Parts of large events.
    pub parts: i64,
    pub events: u64,
}

/// When events must be on disk before the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Each step before the next begins: for runs that reach outside.
    EachStep,
    /// When the run is accepted and when it ends: nothing else could not be done again.
    Ends,
}

/// How a run is recorded.
#[derive(Clone)]
pub struct RecordingPolicy {
    pub(crate) durability: Durability,
    pub(crate) saving: SavePolicy,
    /// What its workflow keeps between runs, if the run may change it.
    pub(crate) static_data: Option<SharedStaticData>,
}
