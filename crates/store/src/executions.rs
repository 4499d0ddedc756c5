//! What is kept of runs: a row each, and their journal.

use crate::Error;
use crate::approvals::ApprovalChange;
use crate::blobs::{FileHash, NewFile, StoredFile};
use crate::journal::JournalPart;
use crate::schedules::MovedSchedule;
use crate::workflows::StaticDataChange;
use model::{ModelUsage, RunEvent, RunStatus, SpendingTotal, Str};
use std::sync::Arc;

/// Values take at most about this many times as much memory as their bytes in the journal: two
/// bytes of it may be a list of its own.
pub const READ_FACTOR: usize = 32;

/// The store's side of executions. Implemented for SQLite; PostgreSQL comes behind the same trait.
#[async_trait::async_trait]
pub trait ExecutionStore: Send + Sync {
    /// The id after the last one that was given away.
    async fn next_execution_id(&self) -> Result<i64, Error>;
    /// Writes whatever a run has to tell when its turn comes. Returns once that is on disk.
    async fn flush(&self, run: Arc<dyn SegmentSource>) -> Result<(), Error>;
    async fn execution(&self, id: i64) -> Result<Option<Execution>, Error>;
    /// Newest first.
    async fn executions(&self, filter: ExecutionFilter) -> Result<Vec<Execution>, Error>;
    /// The journal, for going on with the run. Large lists are read from the database as somebody
    /// walks them, after a look that all of them are there and whole.
    async fn journal(&self, id: i64) -> Result<Vec<RunEvent>, Error>;
    /// The journal without the bytes of large files, for showing: they have an id instead, which
    /// [`FileHash::parse`] reads. Large lists are read as somebody walks them; [`model::Items::failure`]
    /// tells if one could not be.
    async fn outline(&self, id: i64) -> Result<Vec<RunEvent>, Error>;
    /// The first event of the journal, with its files.
    async fn first_event(&self, id: i64) -> Result<Option<RunEvent>, Error>;
    /// A large file of a run; `None` if the run has no such file.
    async fn file(&self, id: i64, sum: FileHash) -> Result<Option<StoredFile>, Error>;
    /// How many pieces the journal of a run has.
    async fn journal_length(&self, id: i64) -> Result<JournalLength, Error>;
    /// About how many bytes of memory it takes to read the outline of a run, at the most.
    async fn outline_bytes(&self, id: i64) -> Result<usize, Error>;
    /// Runs that were neither finished nor asleep when the process ended.
    async fn interrupted(&self) -> Result<Vec<UnfinishedExecution>, Error>;
    /// How many runs are neither over nor in progress.
    async fn n_unfinished(&self) -> Result<UnfinishedCounts, Error>;
    /// Sleeping runs whose time has come, by time and id, behind the given ones.
    async fn due(
        &self,
        now_ms: i64,
        after: Option<(i64, i64)>,
        limit: usize,
    ) -> Result<Vec<UnfinishedExecution>, Error>;
    /// When the next sleeping run wakes up.
    async fn next_due(&self) -> Result<Option<i64>, Error>;
    /// The run that a call has started.
    async fn called(&self, caller: ParentCall) -> Result<Option<Execution>, Error>;
    /// Unfinished runs whose end was waited for by a run that is over or gone: by this one, or by
    /// any.
    async fn abandoned(&self, by: Option<i64>) -> Result<Vec<i64>, Error>;
    /// Sleeping runs whose called run sleeps or goes on no more, by id, behind the given one.
    async fn unblocked(&self, after: i64, limit: usize) -> Result<Vec<UnfinishedExecution>, Error>;
    /// Sleeping runs about which a person has decided something that they have not taken up, by id,
    /// behind the given one.
    async fn decided(&self, after: i64, limit: usize) -> Result<Vec<UnfinishedExecution>, Error>;
    /// The workflow of a run that is of no stored version.
    async fn document(&self, id: i64) -> Result<Option<Str>, Error>;
    /// Whether a delivery was taken, by the key its sender gave it.
    async fn is_delivered(&self, key: &str) -> Result<bool, Error>;
    async fn set_status(&self, id: i64, status: RunStatus) -> Result<bool, Error>;
    /// Removes the files of a run that was turned away, and parts of its beginning, before anything
    /// else of it was written.
    async fn forget_files(&self, id: i64);
    /// Removes a run, unless another one that is not over has called it. A sleeping run that only
    /// the removed one waited for is cancelled.
    async fn delete_execution(&self, id: i64) -> Result<bool, Error>;
    /// Removes finished runs that are too old, too many or too much, some at a time; gives back how
    /// many.
    async fn prune(&self, keep: RetentionLimits) -> Result<usize, Error>;
    /// Gives some free room in the file back to the disk; `true` while there is more.
    async fn shrink(&self) -> Result<bool, Error>;
}

/// How many runs are neither over nor at work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnfinishedCounts {
    pub waiting: i64,
    pub uncertain: i64,
}

/// A run that has something to write. Asked when its turn comes, so that what happens while it
/// waits goes along.
pub trait SegmentSource: Send + Sync + 'static {
    fn execution(&self) -> i64;
    fn take(&self) -> Option<JournalSegment>;
    /// The run, and files that its next piece will name: they may be written beforehand.
    fn files(&self) -> Option<(i64, Vec<NewFile>)> {
        None
    }
    /// The piece is on disk. Told in the order of the writes.
    fn on_committed(&self, _piece: &JournalSegment) {}
    /// The piece could not be written.
    fn give_back(&self, piece: JournalSegment);
}

/// A piece of a run's story.
#[derive(Clone, Debug)]
pub struct JournalSegment {
    pub execution: i64,
    pub workflow_id: Str,
    /// Its place among the pieces of the run.
    pub seq: i64,
    /// The run that called it.
    pub parent: Option<i64>,
    /// The row, in the first piece.
    pub started: Option<NewExecution>,
    /// What is written together with it.
    pub commit_with: Option<CommitWith>,
    pub state: Option<ExecutionState>,
    /// Parts of large events, which the events name.
    pub parts: Vec<JournalPart>,
    /// How long the parts of the run are that were written before its row.
    pub bytes_before: i64,
    /// Events as [`crate::journal`] writes them.
    pub events: Vec<u8>,
    /// What the events say was spent.
    pub spent: Vec<ModelUsage>,
    /// What the events say that the workflow keeps between runs from now on.
    pub static_data: Option<StaticDataChange>,
    /// What the events say about calls that a person is asked about.
    pub approvals: Vec<ApprovalChange>,
    /// Files that the events name for the first time.
    pub files: Vec<NewFile>,
    /// Whether any piece of the run has named one.
    pub has_files: bool,
    /// The run is over and nobody wants to keep it.
    pub discard: bool,
}

impl JournalSegment {
    /// How long it is in the database.
    pub fn len(&self) -> usize {
        self.events.len() + self.parts.iter().map(|part| part.bytes.len()).sum::<usize>()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// How far the journal of a run goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalLength {
    pub segments: i64,
    /// Parts of large events.
    pub parts: i64,
}

/// What happens if and only if a run begins.
#[derive(Clone, Debug)]
pub enum CommitWith {
    /// A delivery counts as taken, by the key its sender gave it.
    Delivery(Str),
    /// A trigger of the clock is due at its next moment. If it was changed meanwhile, the run does
    /// not begin.
    Schedule(MovedSchedule),
}

#[derive(Clone, Debug, Default)]
pub struct NewExecution {
    pub workflow_id: Str,
    pub version_id: Str,
    pub mode: Str,
    pub started_ms: i64,
    pub retry_of: Option<i64>,
    /// The call that started it.
    pub parent: Option<ParentCall>,
    /// Whoever made that call waits for its end.
    pub is_awaited: bool,
    /// The workflow itself, if it is of no stored version.
    pub document: Option<Str>,
    /// What the look that found this run's items has changed: kept together with the row or not at
    /// all.
    pub static_data: Option<StaticDataChange>,
    pub saving: SavePolicy,
}

/// What is kept of a run once it is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavePolicy {
    pub successes: bool,
    pub failures: bool,
}

impl SavePolicy {
    pub const ALL: SavePolicy = SavePolicy { successes: true, failures: true };
    pub const NONE: SavePolicy = SavePolicy { successes: false, failures: false };

    /// What both keep.
    pub fn and(self, other: SavePolicy) -> Self {
        Self {
            successes: self.successes && other.successes,
            failures: self.failures && other.failures,
        }
    }

    pub(crate) fn to_bits(self) -> i64 {
        i64::from(!self.successes) | i64::from(!self.failures) << 1
    }

    pub(crate) fn from_bits(bits: i64) -> Self {
        Self { successes: bits & 1 == 0, failures: bits & 2 == 0 }
    }
}

impl Default for SavePolicy {
    fn default() -> Self {
        Self::ALL
    }
}

/// A call of one run in another: which run made it, at which step, as which call of that step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParentCall {
    pub execution: i64,
    pub step: i64,
    pub number: i64,
}

/// How a run stands.
#[derive(Clone, Debug)]
pub struct ExecutionState {
    pub status: RunStatus,
    pub stopped_ms: Option<i64>,
    pub wait_till_ms: Option<i64>,
    /// The called run that it waits for.
    pub waits_for: Option<i64>,
    pub error: Option<Str>,
}

impl ExecutionState {
    /// Nothing but how it stands.
    pub fn of(status: RunStatus) -> Self {
        Self { status, stopped_ms: None, wait_till_ms: None, waits_for: None, error: None }
    }
}

/// A run that is not over, as little of it as there may be many.
#[derive(Clone, Debug)]
pub struct UnfinishedExecution {
    pub id: i64,
    /// Without its error.
    pub state: ExecutionState,
}

/// The row of a run.
#[derive(Clone, Debug)]
pub struct Execution {
    pub id: i64,
    pub started: NewExecution,
    pub state: ExecutionState,
    /// What it has spent, together with the runs that it called.
    pub spent: SpendingTotal,
    pub bytes: i64,
}

#[derive(Clone, Debug, Default)]
pub struct ExecutionFilter {
    pub workflow_id: Option<Str>,
    pub status: Option<RunStatus>,
    pub mode: Option<Str>,
    /// Only those that began after this moment, and before that one.
    pub started_after_ms: Option<i64>,
    pub started_before_ms: Option<i64>,
    /// Only those of workflows in these projects.
    pub within: Option<Vec<Str>>,
    /// Only those before this one.
    pub before: Option<i64>,
    pub limit: usize,
}

/// Which finished runs stay.
#[derive(Clone, Copy, Debug)]
pub struct RetentionLimits {
    pub newer_than_ms: i64,
    pub at_most: usize,
    pub bytes: i64,
    /// How many to remove in one go.
    pub step: usize,
}
