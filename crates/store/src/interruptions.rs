//! Runs that a process left unfinished: how often in a row it died with each of them, so that a run
//! that kills the process is found.

use crate::Error;
use model::Str;
use std::collections::HashSet;

/// The store's side of recovery. Nothing here is written while runs go on: only at a start, before
/// a run is resumed or a trigger looks for the first time, and at a clean stop.
#[async_trait::async_trait]
pub trait InterruptionStore: Send + Sync {
    /// What was noted when a run was last resumed, or left behind by a clean stop.
    async fn interruption(&self, id: i64) -> Result<Option<Interruption>, Error>;
    /// Those of which something was noted, and that no clean stop has left behind since.
    async fn resumed_before(&self) -> Result<HashSet<i64>, Error>;
    /// Forgets what was noted of runs that are over.
    async fn forget_interruptions(&self) -> Result<(), Error>;
    /// Notes that a run is about to be resumed.
    async fn record_interruption(&self, id: i64, interruption: Interruption) -> Result<(), Error>;
    /// The process ends as it should: what it leaves unfinished was not cut off by a crash, and
    /// this was the last id of a run.
    async fn record_clean_stop(&self, unfinished: Vec<i64>, last_id: i64) -> Result<(), Error>;
    /// Notes that something is about to be done for a workflow; gives how often in a row that was
    /// begun and never ended.
    async fn begin_attempt(&self, workflow: &str, what: &str) -> Result<u32, Error>;
    /// It was done, or failed without harm.
    async fn end_attempt(&self, workflow: &str, what: &str) -> Result<(), Error>;
    /// What the journal of a run holds from a piece on, without reading any of its data.
    async fn journal_trail(&self, id: i64, from_piece: i64) -> Result<Trail, Error>;
}

/// How a run stood when it was resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interruption {
    /// How often in a row the process had died while the run was active.
    pub deaths: u32,
    /// How many pieces its journal had.
    pub pieces: i64,
    /// It was left behind by a clean stop since.
    pub was_stopped: bool,
}

/// A journal by the kinds of its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trail {
    /// How many pieces and events there are in all.
    pub pieces: i64,
    pub events: u64,
    /// A step ended, noted something or went to sleep in the pieces that were asked for.
    pub has_progress: bool,
    /// The step that began last, in any piece.
    pub last_step: Option<Str>,
}
