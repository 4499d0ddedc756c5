//! The journal of runs on its way to disk: events are gathered per run and written in pieces.

use crate::figures::{Mode, RunFigures};
use crate::{approval, lock};
use engine::{Journal, JournalError, Recording};
use model::{RunEvent, RunStatus, Spent, Str};
use node_api::trigger::Chunk;
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};
use store::Store;
use store::approvals::ApprovalChange;
use store::blobs::{Gathered, NewFile};
use store::executions::{Along, Begun, CalledFrom, Execution, Pending, Piece, State};
use store::journal::{self, Told};
use store::spending::SpentByRun;
use tokio::sync::{broadcast, mpsc};

/// Live events that a slow listener may be behind before it misses some.
const LIVE_EVENTS: usize = 1024;

/// How long a run waits between two tries to write to a disk that is full, or to a database that somebody holds.
pub(crate) const FULL_DISK_PAUSE: Duration = Duration::from_millis(500);

/// Pieces of answers that a slow watcher may be behind before it misses some.
const LIVE_CHUNKS: usize = 4096;

/// A short run tells about this much.
const USUAL_BYTES: usize = 2048;

/// Takes the events of all runs of this process.
pub struct Recorder {
    store: Arc<dyn Store>,
    next_id: AtomicI64,
    open: Mutex<HashMap<Str, Arc<RunLog>>>,
    live: broadcast::Sender<LiveEvent>,
    /// Pieces of answers. They are not kept: whoever comes later finds what became of them in the journal.
    chunks: broadcast::Sender<LiveChunk>,
    /// Whoever makes traces of the events, if anybody does.
    observer: OnceLock<mpsc::Sender<LiveEvent>>,
    pub figures: RunFigures,
}

/// An event as it happens, for whoever watches.
#[derive(Clone, Debug)]
pub struct LiveEvent {
    pub run_id: Str,
    pub workflow_id: Str,
    /// The run that started this one.
    pub parent: Option<Str>,
    /// The event's place among those of its run.
    pub seq: u64,
    pub event: RunEvent,
}

/// A piece of an answer as it leaves, for whoever watches.
#[derive(Clone, Debug)]
pub struct LiveChunk {
    pub run_id: Str,
    pub workflow_id: Str,
    pub chunk: Chunk,
}

/// What is kept of a run once it is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saving {
    pub successes: bool,
    pub failures: bool,
}

impl Saving {
    pub const ALL: Saving = Saving { successes: true, failures: true };

    /// What both keep.
    pub(crate) fn and(self, other: Saving) -> Self {
        Self { successes: self.successes && other.successes, failures: self.failures && other.failures }
    }
}

/// How much of a run is on disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    pub pieces: i64,
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

/// The story of one run as far as it is not on disk.
pub struct RunLog {
    id: i64,
    workflow_id: Str,
    durability: Durability,
    saving: Saving,
    /// The call that started it.
    parent: Option<CalledFrom>,
    /// It goes on after a sleep or a crash.
    is_taken_up: bool,
    /// When the run began, or went on, in this process.
    began: Instant,
    state: Mutex<LogState>,
}

#[derive(Default)]
struct LogState {
    mode: Mode,
    next_piece: i64,
    n_events: u64,
    begun: Option<Begun>,
    /// What is written together with the beginning.
    along: Option<Along>,
    state: Option<State>,
    events: Vec<u8>,
    /// What was told in this process, which events to come need not tell again.
    told: Told,
    /// What they say was spent.
    spent: Vec<Spent>,
    /// What they say about calls that a person is asked about.
    approvals: Vec<ApprovalChange>,
    /// Some may be open.
    may_ask: bool,
    /// Large files that the events name.
    files: Gathered,
    discard: bool,
    /// The last event has been told.
    is_over: bool,
    /// Its beginning could not be written, so that the run was turned away and leaves no trace.
    refusal: Option<store::Error>,
    /// The row is on disk, or was given to the writer.
    is_written: bool,
}

impl Recorder {
    pub async fn new(store: Arc<dyn Store>) -> Result<Self, store::Error> {
        let next_id = AtomicI64::new(store.next_execution_id().await?);
        let (live, chunks) = (broadcast::channel(LIVE_EVENTS).0, broadcast::channel(LIVE_CHUNKS).0);
        Ok(Self { store, next_id, open: Mutex::default(), live, chunks, observer: OnceLock::new(), figures: RunFigures::default() })
    }

    /// From now on `observer` is told of all events. One that does not keep up misses some; runs never wait for it.
    pub fn observe(&self, observer: mpsc::Sender<LiveEvent>) {
        let _ = self.observer.set(observer);
    }

    /// Opens the log of a new run and gives it its id.
    pub fn open(&self, begun: Begun, along: Option<Along>, durability: Durability, saving: Saving) -> Arc<RunLog> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let state = LogState { begun: Some(begun.clone()), along, events: Vec::with_capacity(USUAL_BYTES), ..LogState::default() };
        let Begun { workflow_id, parent, .. } = begun;
        let (is_taken_up, began) = (false, Instant::now());
        self.keep(RunLog { id, workflow_id, durability, saving, parent, is_taken_up, began, state: Mutex::new(state) })
    }

    /// Opens the log of a run that goes on; its first pieces are on disk.
    pub fn reopen(&self, execution: &Execution, written: Written, durability: Durability) -> Arc<RunLog> {
        let Begun { workflow_id, mode, parent, .. } = execution.begun.clone();
        let Written { pieces: next_piece, events: n_events } = written;
        let state = LogState { mode: Mode::of(&mode), next_piece, n_events, is_written: true, may_ask: true, ..LogState::default() };
        let (id, saving, is_taken_up, began) = (execution.id, Saving::ALL, true, Instant::now());
        self.keep(RunLog { id, workflow_id, durability, saving, parent, is_taken_up, began, state: Mutex::new(state) })
    }

    fn keep(&self, log: RunLog) -> Arc<RunLog> {
        let log = Arc::new(log);
        lock(&self.open).insert(log.run_id(), log.clone());
        log
    }

    /// Takes in an event that the engine does not tell.
    pub fn note(&self, log: &RunLog, event: RunEvent) {
        let seq = log.add(&event, &self.figures);
        self.tell(log, seq, event);
    }

    /// The same, unless the run has come to its end or gone to sleep meanwhile.
    pub(crate) fn note_while_going(&self, log: &RunLog, event: RunEvent) -> bool {
        let Some(seq) = log.add_while_going(&event, &self.figures) else { return false };
        self.tell(log, seq, event);
        true
    }

    fn tell(&self, log: &RunLog, seq: u64, event: RunEvent) {
        let observer = self.observer.get();
        if observer.is_none() && self.live.receiver_count() == 0 {
            return;
        }
        let parent = log.parent.map(|caller| caller.execution.to_string().into());
        let live = LiveEvent { run_id: log.run_id(), workflow_id: log.workflow_id.clone(), parent, seq, event };
        if let Some(observer) = observer {
            let _ = observer.try_send(live.clone());
        }
        // Nobody listening any more is no error.
        let _ = self.live.send(live);
    }

    /// Writes what a run has to tell; returns once it is on disk. While nothing can be written, a run that was accepted
    /// stands still, and one that was not is turned away: its caller is told, and nothing of it happens later.
    pub async fn flush(&self, log: &Arc<RunLog>) -> Result<(), store::Error> {
        flush(&*self.store, log).await
    }

    pub fn close(&self, log: &RunLog) {
        lock(&self.open).remove(&log.run_id());
    }

    pub fn listen(&self) -> broadcast::Receiver<LiveEvent> {
        self.live.subscribe()
    }

    /// The pieces of all answers from now on.
    pub fn watch(&self) -> broadcast::Receiver<LiveChunk> {
        self.chunks.subscribe()
    }

    pub(crate) fn has_watchers(&self) -> bool {
        self.chunks.receiver_count() > 0
    }

    /// Shows a piece of an answer to whoever watches.
    pub(crate) fn show(&self, log: &RunLog, chunk: &Chunk) {
        if self.has_watchers() {
            let _ = self.chunks.send(LiveChunk { run_id: log.run_id(), workflow_id: log.workflow_id.clone(), chunk: chunk.clone() });
        }
    }

    /// Writes what a run that goes on has told so far.
    pub async fn settle(&self, run_id: &str) -> Result<(), store::Error> {
        match self.log(run_id) {
            Some(log) => self.store.flush(log).await,
            None => Ok(()),
        }
    }

    /// Whether a run goes on after a sleep or a crash, so that it may have called others before.
    pub(crate) fn was_taken_up(&self, run_id: &str) -> bool {
        self.log(run_id).is_some_and(|log| log.is_taken_up)
    }

    /// What is kept of a run that goes on.
    pub(crate) fn saving_of(&self, run_id: &str) -> Option<Saving> {
        self.log(run_id).map(|log| log.saving)
    }

    pub(crate) fn log(&self, run_id: &str) -> Option<Arc<RunLog>> {
        lock(&self.open).get(run_id).cloned()
    }
}

impl Journal for Recorder {
    fn append<'a>(&'a self, run_id: &str, event: RunEvent) -> Option<Recording<'a>> {
        let log = self.log(run_id)?;
        let seq = log.add(&event, &self.figures);
        let must_wait = log.durability == Durability::EachStep
            && matches!(
                event,
                RunEvent::NodeStarted { .. } | RunEvent::NodeNoted { .. } | RunEvent::RunPaused { .. } | RunEvent::RunResumed { .. }
            );
        self.tell(&log, seq, event);
        let flush = async move { self.flush(&log).await.map_err(|error| JournalError { cause: error.to_string().into() }) };
        must_wait.then(|| -> Recording<'a> { Box::pin(flush) })
    }

    fn is_accepted(&self, run_id: &str) -> bool {
        self.log(run_id).is_none_or(|log| log.refusal().is_none())
    }
}

async fn flush(store: &dyn Store, log: &Arc<RunLog>) -> Result<(), store::Error> {
    loop {
        let Err(error) = store.flush(log.clone()).await else {
            let Some(refusal) = log.refusal() else { return Ok(()) };
            // It was turned away while this flush was writing its files.
            store.forget_files(log.id).await;
            return Err(refusal);
        };
        if log.refuse(&error) {
            // They were written first, and would take the room of what was accepted.
            store.forget_files(log.id).await;
            return Err(error);
        }
        if !error.may_pass() {
            return Err(error);
        }
        tokio::time::sleep(FULL_DISK_PAUSE).await;
    }
}

impl RunLog {
    pub fn id(&self) -> i64 {
        self.id
    }

    pub fn run_id(&self) -> Str {
        self.id.to_string().into()
    }

    pub(crate) fn durability(&self) -> Durability {
        self.durability
    }

    pub(crate) fn parent(&self) -> Option<CalledFrom> {
        self.parent
    }

    /// Whether nothing more will happen; what did may still be on its way to disk.
    pub(crate) fn is_over(&self) -> bool {
        lock(&self.state).is_over
    }

    /// Why the run was turned away, if it was.
    pub(crate) fn refusal(&self) -> Option<store::Error> {
        lock(&self.state).refusal.clone()
    }

    /// Turns the run away unless something of it is on disk, or on its way there. A run that another one started belongs to
    /// that one, which was accepted.
    fn refuse(&self, error: &store::Error) -> bool {
        let mut state = lock(&self.state);
        if state.is_written || self.parent.is_some() {
            return false;
        }
        state.refusal.get_or_insert_with(|| error.clone());
        state.events = Vec::new();
        state.told = Told::default();
        state.spent = Vec::new();
        state.approvals = Vec::new();
        state.files = Gathered::default();
        true
    }

    /// Takes an event in and gives its place among the events of the run.
    fn add(&self, event: &RunEvent, figures: &RunFigures) -> u64 {
        self.add_to(&mut lock(&self.state), event, figures)
    }

    /// The same, unless the last event has been told.
    fn add_while_going(&self, event: &RunEvent, figures: &RunFigures) -> Option<u64> {
        let mut state = lock(&self.state);
        (!state.is_over).then(|| self.add_to(&mut state, event, figures))
    }

    fn add_to(&self, state: &mut LogState, event: &RunEvent, figures: &RunFigures) -> u64 {
        journal::write_event(&mut state.events, event, &mut state.files, &mut state.told);
        state.take_approvals(event);
        match event {
            RunEvent::RunStarted { mode, .. } => {
                state.mode = Mode::of(mode);
                figures.started(state.mode);
            }
            RunEvent::RunPaused { until_ms, waits_for, .. } => {
                let waits_for = waits_for.as_ref().and_then(|id| id.parse().ok());
                state.state = Some(State { wait_till_ms: *until_ms, waits_for, ..State::of(RunStatus::Waiting) });
            }
            RunEvent::ModelUsed { spent, .. } => {
                figures.asked(spent);
                state.spent.push(spent.clone());
            }
            RunEvent::RunResumed { .. } => state.state = Some(State::of(RunStatus::Running)),
            RunEvent::RunFinished { status, error, finished_ms } => {
                figures.finished(state.mode, *status, self.began.elapsed());
                state.is_over = true;
                let error = error.as_ref().map(|error| error.message.clone());
                if *status == RunStatus::Uncertain {
                    state.state = Some(State { error, ..State::of(*status) });
                } else if *status != RunStatus::Waiting {
                    // A run that sleeps has told so already.
                    state.state = Some(State { stopped_ms: Some(*finished_ms), error, ..State::of(*status) });
                    let is_kept = if *status == RunStatus::Success { self.saving.successes } else { self.saving.failures };
                    state.discard = !is_kept;
                }
            }
            _ => {}
        }
        state.n_events += 1;
        state.n_events
    }
}

impl LogState {
    /// Takes down what an event says about calls that a person is asked about.
    fn take_approvals(&mut self, event: &RunEvent) {
        if let Some(change) = approval::change_of(event, self.may_ask) {
            self.may_ask = change != ApprovalChange::Over;
            self.approvals.push(change);
        }
    }
}

impl Pending for RunLog {
    fn take(&self) -> Option<Piece> {
        let mut state = lock(&self.state);
        if state.refusal.is_some() || (state.events.is_empty() && state.state.is_none() && !state.discard) {
            return None;
        }
        let seq = state.next_piece;
        state.next_piece += 1;
        let (begun, along) = if state.is_written { (None, None) } else { (state.begun.clone(), state.along.clone()) };
        state.is_written = true;
        Some(Piece {
            execution: self.id,
            seq,
            parent: self.parent.map(|caller| caller.execution),
            begun,
            along,
            state: state.state.take(),
            events: std::mem::take(&mut state.events),
            spent: SpentByRun { workflow_id: self.workflow_id.clone(), all: std::mem::take(&mut state.spent) },
            approvals: std::mem::take(&mut state.approvals),
            files: state.files.take(),
            has_files: state.files.has_any(),
            discard: std::mem::take(&mut state.discard),
        })
    }

    fn files(&self) -> Option<(i64, Vec<NewFile>)> {
        let state = lock(&self.state);
        // Nobody keeps the files of a run that nobody keeps.
        let is_kept = !state.discard && state.refusal.is_none();
        let files = if is_kept { state.files.new_files() } else { &[] };
        (!files.is_empty()).then(|| (self.id, files.to_vec()))
    }

    fn give_back(&self, mut piece: Piece) {
        let mut state = lock(&self.state);
        piece.events.append(&mut state.events);
        state.events = piece.events;
        piece.spent.all.append(&mut state.spent);
        state.spent = piece.spent.all;
        piece.approvals.append(&mut state.approvals);
        state.approvals = piece.approvals;
        state.files.give_back(piece.files);
        state.state = state.state.take().or(piece.state);
        state.discard |= piece.discard;
        state.is_written &= piece.begun.is_none();
        state.next_piece = piece.seq;
    }
}
