//! What one run has recorded and is not on disk yet, and what its events say about its state.

use super::{Durability, RecordingPolicy};
use crate::execute::metrics::{ModeIndex, RunMetrics};
use crate::lock;
use crate::resume::approval;
use model::{ModelUsage, Object, RunEvent, RunStatus, Str, Value};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use store::approvals::ApprovalChange;
use store::executions::{CommitWith, ExecutionState, NewExecution, ParentCall};
use store::journal::SegmentWriter;

/// A run that takes longer is listed while it is under way.
const LISTED_AFTER: Duration = Duration::from_secs(1);

/// A run with more than this in memory waits until it is on disk.
const FLUSH_BYTES: usize = 4 << 20;

/// What one run has recorded, as far as it is not on disk.
pub struct RunJournal {
    pub(super) id: i64,
    pub(super) workflow_id: Str,
    pub(super) policy: RecordingPolicy,
    /// The call that started it.
    pub(super) parent: Option<ParentCall>,
    /// It goes on after a sleep or a crash.
    pub(super) is_resumed: bool,
    /// It has called others and waited for them, or may have before it was resumed.
    pub(super) has_called: AtomicBool,
    /// When the run began, or went on, in this process.
    pub(super) began: Instant,
    pub(super) state: Mutex<RunJournalState>,
}

#[derive(Default)]
pub(super) struct RunJournalState {
    pub(super) mode: ModeIndex,
    pub(super) next_segment: i64,
    pub(super) n_events: u64,
    pub(super) started: Option<NewExecution>,
    /// What is written together with the beginning.
    pub(super) commit_with: Option<CommitWith>,
    pub(super) state: Option<ExecutionState>,
    pub(super) events: SegmentWriter,
    /// What they say was spent.
    pub(super) spent: Vec<ModelUsage>,
    /// What they say that the workflow keeps between runs from now on.
    pub(super) static_data: Object,
    /// What they say about calls that a person is asked about.
    pub(super) approvals: Vec<ApprovalChange>,
    /// Some may be open.
    pub(super) may_ask: bool,
    pub(super) discard: bool,
    /// Which run of its node the step under way is.
    pub(super) run_index: usize,
    /// The last event has been recorded.
    pub(super) is_over: bool,
    /// A person has said something about one of its calls while it was at work.
    pub(super) has_decision: bool,
    /// A step ended, noted something or went to sleep since the run began, or went on, in this
    /// process.
    pub(super) has_progress: bool,
    /// Its beginning could not be written, so that the run was rejected and leaves no trace.
    pub(super) refusal: Option<store::Error>,
    /// The row is on disk, or was given to the writer.
    pub(super) is_written: bool,
    /// How long the parts are that were written before it.
    pub(super) early_bytes: i64,
}

impl RunJournal {
    pub fn id(&self) -> i64 {
        self.id
    }

    pub fn run_id(&self) -> Str {
        self.id.to_string().into()
    }

    pub(crate) fn durability(&self) -> Durability {
        self.policy.durability
    }

    /// Takes in changes that no step has recorded.
    pub(crate) fn change_static_data(&self, parts: &Value) {
        self.take_static_data(&mut lock(&self.state), Some(parts));
    }

    fn take_static_data(&self, state: &mut RunJournalState, parts: Option<&Value>) {
        if let (Some(Value::Object(parts)), true, None) =
            (parts, self.policy.static_data.is_some(), &state.refusal)
        {
            state.static_data.extend((**parts).clone());
        }
    }

    /// Whether it has changed what its workflow keeps, and that is not on disk.
    pub(crate) fn has_static_data(&self) -> bool {
        !lock(&self.state).static_data.is_empty()
    }

    /// Whether it goes on after a sleep or a crash.
    pub(crate) fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// Notes that it calls another run and waits for it.
    pub(crate) fn mark_called(&self) {
        self.has_called.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_called(&self) -> bool {
        self.has_called.load(Ordering::Relaxed)
    }

    pub(crate) fn parent(&self) -> Option<ParentCall> {
        self.parent
    }

    /// Which run of its node the step under way is.
    pub(super) fn run_index(&self) -> usize {
        lock(&self.state).run_index
    }

    /// Whether nothing more will happen; what did may still be on its way to disk.
    pub(crate) fn is_over(&self) -> bool {
        lock(&self.state).is_over
    }

    /// Whether a person has said something about one of its calls while it was at work.
    pub(crate) fn has_decision(&self) -> bool {
        lock(&self.state).has_decision
    }

    /// Whether it came any further in this process.
    pub(crate) fn has_progress(&self) -> bool {
        lock(&self.state).has_progress
    }

    pub(super) fn is_long_unwritten(&self) -> bool {
        let state = lock(&self.state);
        !state.is_written && state.refusal.is_none() && self.began.elapsed() > LISTED_AFTER
    }

    /// Whether so much is not on disk that the run must wait.
    pub(super) fn must_flush(&self) -> bool {
        let state = lock(&self.state);
        state.events.is_behind() || state.events.bytes() > FLUSH_BYTES
    }

    /// Whether some of it cannot be written at once.
    pub(super) fn is_behind(&self) -> bool {
        let state = lock(&self.state);
        state.refusal.is_none() && state.events.is_behind()
    }

    /// Writes more of a large event.
    pub(super) fn advance(&self) {
        let mut state = lock(&self.state);
        if state.refusal.is_none() {
            state.events.advance();
        }
    }

    /// Why the run was rejected, if it was.
    pub(crate) fn refusal(&self) -> Option<store::Error> {
        lock(&self.state).refusal.clone()
    }

    /// Turns the run away unless something of it is on disk, or on its way there. A run that
    /// another one started belongs to that one, which was accepted.
    pub(super) fn refuse(&self, error: &store::Error) -> bool {
        let mut state = lock(&self.state);
        if state.is_written || self.parent.is_some() {
            return false;
        }
        state.refusal.get_or_insert_with(|| error.clone());
        state.events = SegmentWriter::default();
        state.spent = Vec::new();
        state.static_data = Object::new();
        state.approvals = Vec::new();
        true
    }

    /// Takes an event in and gives its place among the events of the run.
    pub(super) fn append_event(&self, event: &RunEvent, metrics: &RunMetrics) -> u64 {
        self.add_to(&mut lock(&self.state), event, metrics)
    }

    /// The same for what a person says meanwhile, unless the run is over.
    pub(super) fn append_if_running(&self, event: &RunEvent, metrics: &RunMetrics) -> Option<u64> {
        let mut state = lock(&self.state);
        if state.is_over {
            return None;
        }
        state.has_decision = true;
        Some(self.add_to(&mut state, event, metrics))
    }

    fn add_to(&self, state: &mut RunJournalState, event: &RunEvent, metrics: &RunMetrics) -> u64 {
        state.events.add_deferred(event);
        metrics.take(event);
        state.take_approvals(event);
        if let RunEvent::NodeFinished { changed, .. } = event {
            self.take_static_data(state, changed.static_data.as_ref());
        }
        match event {
            RunEvent::RunStarted { mode, .. } => {
                state.mode = ModeIndex::of(mode);
                metrics.started(state.mode);
            }
            RunEvent::NodeStarted { run_index, .. } => state.run_index = *run_index,
            RunEvent::NodeFinished { .. }
            | RunEvent::NodeSilent { .. }
            | RunEvent::StepRecorded { .. } => state.has_progress = true,
            RunEvent::RunPaused { until_ms, waits_for, .. } => {
                state.has_progress = true;
                let waits_for = waits_for.as_ref().and_then(|id| id.parse().ok());
                state.state = Some(ExecutionState {
                    wait_till_ms: *until_ms,
                    waits_for,
                    ..ExecutionState::of(RunStatus::Waiting)
                });
            }
            RunEvent::ModelUsed { spent, .. } => {
                metrics.model_called(spent);
                state.spent.push(spent.clone());
            }
            RunEvent::RunResumed { .. } => {
                state.state = Some(ExecutionState::of(RunStatus::Running))
            }
            RunEvent::RunFinished { status, error, finished_ms } => {
                metrics.finished(state.mode, *status, self.began.elapsed());
                state.is_over = true;
                let error = error.as_ref().map(|error| error.message.clone());
                if *status == RunStatus::Uncertain {
                    state.state = Some(ExecutionState { error, ..ExecutionState::of(*status) });
                } else if *status != RunStatus::Waiting {
                    // A run that sleeps has recorded that already.
                    state.state = Some(ExecutionState {
                        stopped_ms: Some(*finished_ms),
                        error,
                        ..ExecutionState::of(*status)
                    });
                    let is_kept = if *status == RunStatus::Success {
                        self.policy.saving.successes
                    } else {
                        self.policy.saving.failures
                    };
                    state.discard = !is_kept;
                }
            }
            _ => {}
        }
        state.n_events += 1;
        state.n_events
    }
}

impl RunJournalState {
    /// Takes down what an event says about calls that a person is asked about.
    fn take_approvals(&mut self, event: &RunEvent) {
        if let Some(change) = approval::change_of(event, self.may_ask) {
            self.may_ask = change != ApprovalChange::Over;
            self.approvals.push(change);
        }
    }
}
