//! The journal of runs on its way to disk: events are gathered per run and written in pieces.

use crate::execute::live::{LiveChunk, LiveEvent};
use crate::execute::metrics::{ModeIndex, RunMetrics};
use crate::loaded_workflow::SharedStaticData;
use crate::lock;
use crate::resume::approval;
use engine::{Journal, JournalError, PendingRecord};
use model::{ModelUsage, Object, RunEvent, RunStatus, Str, Value};
use node_api::trigger::StreamChunk;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};
use store::Store;
use store::approvals::ApprovalChange;
use store::blobs::NewFile;
use store::executions::{
    CommitWith, Execution, ExecutionState, JournalSegment, NewExecution, ParentCall, SavePolicy,
    SegmentSource,
};
use store::journal::SegmentWriter;
use tokio::sync::{broadcast, mpsc};

/// Live events that a slow listener may be behind before it misses some.
const LIVE_EVENTS: usize = 1024;

/// How long a run waits between two tries to write to a disk that is full, or to a database that
/// somebody holds.
pub(crate) const FULL_DISK_PAUSE: Duration = Duration::from_millis(500);

/// How often a write is tried again that failed of something else.
const MAX_TRIES: usize = 10;

/// Pieces of answers that a slow watcher may be behind before it misses some.
const LIVE_CHUNKS: usize = 4096;

/// A run that goes on for longer is found by whoever lists runs.
const LISTED_AFTER: Duration = Duration::from_secs(1);

/// A short run tells about this much.
const USUAL_BYTES: usize = 2048;

/// A run that has told more than this and is not on disk waits until it is.
const FLUSH_BYTES: usize = 4 << 20;

/// Takes the events of all runs of this process.
pub struct Recorder {
    store: Arc<dyn Store>,
    next_id: AtomicI64,
    open: Mutex<HashMap<Str, Arc<RunJournal>>>,
    live: broadcast::Sender<LiveEvent>,
    /// Pieces of answers. They are not kept: whoever comes later finds what became of them in the
    /// journal.
    chunks: broadcast::Sender<LiveChunk>,
    /// Whoever makes traces of the events, if anybody does.
    observer: OnceLock<mpsc::Sender<LiveEvent>>,
    pub metrics: RunMetrics,
}

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

/// The story of one run as far as it is not on disk.
pub struct RunJournal {
    id: i64,
    workflow_id: Str,
    terms: RecordingPolicy,
    /// The call that started it.
    parent: Option<ParentCall>,
    /// It goes on after a sleep or a crash.
    is_resumed: bool,
    /// It has called others and waited for them, or may have before it was taken up.
    has_called: AtomicBool,
    /// When the run began, or went on, in this process.
    began: Instant,
    state: Mutex<RunJournalState>,
}

#[derive(Default)]
struct RunJournalState {
    mode: ModeIndex,
    next_piece: i64,
    n_events: u64,
    started: Option<NewExecution>,
    /// What is written together with the beginning.
    commit_with: Option<CommitWith>,
    state: Option<ExecutionState>,
    events: SegmentWriter,
    /// What they say was spent.
    spent: Vec<ModelUsage>,
    /// What they say that the workflow keeps between runs from now on.
    static_data: Object,
    /// What they say about calls that a person is asked about.
    approvals: Vec<ApprovalChange>,
    /// Some may be open.
    may_ask: bool,
    discard: bool,
    /// The last event has been told.
    is_over: bool,
    /// A person has said something about one of its calls while it was at work.
    has_decision: bool,
    /// A step ended, noted something or went to sleep since the run began, or went on, in this
    /// process.
    has_progress: bool,
    /// Its beginning could not be written, so that the run was turned away and leaves no trace.
    refusal: Option<store::Error>,
    /// The row is on disk, or was given to the writer.
    is_written: bool,
    /// How long the parts are that were written before it.
    early_bytes: i64,
}

impl Recorder {
    pub async fn new(store: Arc<dyn Store>) -> Result<Self, store::Error> {
        let next_id = AtomicI64::new(store.next_execution_id().await?);
        let (live, chunks) = (broadcast::channel(LIVE_EVENTS).0, broadcast::channel(LIVE_CHUNKS).0);
        Ok(Self {
            store,
            next_id,
            open: Mutex::default(),
            live,
            chunks,
            observer: OnceLock::new(),
            metrics: RunMetrics::default(),
        })
    }

    /// From now on `observer` is told of all events. One that does not keep up misses some; runs
    /// never wait for it.
    pub fn observe(&self, observer: mpsc::Sender<LiveEvent>) {
        let _ = self.observer.set(observer);
    }

    /// Opens the log of a new run and gives it its id.
    pub fn open(
        &self,
        begun: NewExecution,
        along: Option<CommitWith>,
        terms: RecordingPolicy,
    ) -> Arc<RunJournal> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let state = RunJournalState {
            started: Some(begun.clone()),
            commit_with: along,
            events: SegmentWriter::with_capacity(USUAL_BYTES),
            ..RunJournalState::default()
        };
        let NewExecution { workflow_id, parent, .. } = begun;
        let (is_taken_up, began) = (false, Instant::now());
        self.register(RunJournal {
            id,
            workflow_id,
            terms,
            parent,
            is_resumed: is_taken_up,
            has_called: is_taken_up.into(),
            began,
            state: Mutex::new(state),
        })
    }

    /// Opens the log of a run that goes on; its first pieces are on disk.
    pub fn reopen(
        &self,
        execution: &Execution,
        written: JournalProgress,
        terms: RecordingPolicy,
    ) -> Arc<RunJournal> {
        let NewExecution { workflow_id, mode, parent, .. } = execution.started.clone();
        let JournalProgress { segments: next_piece, parts, events: n_events } = written;
        let (mode, events) = (ModeIndex::of(&mode), SegmentWriter::after(parts));
        let state = RunJournalState {
            mode,
            next_piece,
            n_events,
            events,
            is_written: true,
            may_ask: true,
            ..RunJournalState::default()
        };
        let (id, is_taken_up, began) = (execution.id, true, Instant::now());
        self.register(RunJournal {
            id,
            workflow_id,
            terms,
            parent,
            is_resumed: is_taken_up,
            has_called: is_taken_up.into(),
            began,
            state: Mutex::new(state),
        })
    }

    fn register(&self, log: RunJournal) -> Arc<RunJournal> {
        let log = Arc::new(log);
        lock(&self.open).insert(log.run_id(), log.clone());
        log
    }

    /// Takes in an event that the engine does not tell.
    pub fn record(&self, log: &RunJournal, event: RunEvent) {
        let seq = log.append_event(&event, &self.metrics);
        self.broadcast(log, seq, &event);
    }

    /// The same for what a person says about a call, unless the run has come to its end or gone to
    /// sleep meanwhile.
    pub(crate) fn record_if_running(&self, log: &RunJournal, event: RunEvent) -> bool {
        let Some(seq) = log.append_if_running(&event, &self.metrics) else { return false };
        self.broadcast(log, seq, &event);
        true
    }

    fn broadcast(&self, log: &RunJournal, seq: u64, event: &RunEvent) {
        let observer = self.observer.get();
        if observer.is_none() && self.live.receiver_count() == 0 {
            return;
        }
        let parent = log.parent.map(|caller| caller.execution.to_string().into());
        let live = LiveEvent::new(log.run_id(), log.workflow_id.clone(), parent, seq, event);
        if let Some(observer) = observer {
            let _ = observer.try_send(live.clone());
        }
        // Nobody listening any more is no error.
        let _ = self.live.send(live);
    }

    /// Writes what a run has to tell; returns once it is on disk. While nothing can be written, a
    /// run that was accepted stands still, and one that was not is turned away: its caller is told,
    /// and nothing of it happens later.
    pub async fn flush(&self, log: &Arc<RunJournal>) -> Result<(), store::Error> {
        flush(&*self.store, log).await
    }

    pub fn close(&self, log: &RunJournal) {
        lock(&self.open).remove(&log.run_id());
    }

    /// The last id that a run was given.
    pub(crate) fn last_id(&self) -> i64 {
        self.next_id.load(Ordering::Relaxed) - 1
    }

    /// The runs of a workflow that go on, in order.
    pub(crate) fn runs_of(&self, workflow: &str) -> Vec<i64> {
        let mut runs: Vec<i64> = lock(&self.open)
            .values()
            .filter(|log| log.workflow_id == workflow)
            .map(|log| log.id)
            .collect();
        runs.sort_unstable();
        runs
    }

    pub fn subscribe(&self) -> broadcast::Receiver<LiveEvent> {
        self.live.subscribe()
    }

    /// The pieces of all answers from now on.
    pub fn subscribe_chunks(&self) -> broadcast::Receiver<LiveChunk> {
        self.chunks.subscribe()
    }

    pub(crate) fn has_watchers(&self) -> bool {
        self.chunks.receiver_count() > 0
    }

    /// Shows a piece of an answer to whoever watches.
    pub(crate) fn send_chunk(&self, log: &RunJournal, chunk: &StreamChunk) {
        if self.has_watchers() {
            let _ = self.chunks.send(LiveChunk {
                run_id: log.run_id(),
                workflow_id: log.workflow_id.clone(),
                chunk: chunk.clone(),
            });
        }
    }

    /// Writes what a run that goes on has told so far.
    pub async fn flush_run(&self, run_id: &str) -> Result<(), store::Error> {
        match self.log(run_id) {
            Some(log) => write_all(&*self.store, &log).await,
            None => Ok(()),
        }
    }

    /// The same for all that have been at it for a while and of which nothing is on disk, so that
    /// whoever looks for them finds them.
    pub(crate) async fn flush_long_running(&self) {
        let unwritten: Vec<Arc<RunJournal>> =
            lock(&self.open).values().filter(|log| log.is_long_unwritten()).cloned().collect();
        for log in unwritten {
            if let Err(error) = write_all(&*self.store, &log).await {
                // Nor could those of the others.
                return tracing::warn!(%error, execution = log.id, "Could not record the start of a run.");
            }
        }
    }

    /// The workflow of a run that goes on.
    pub fn workflow_of(&self, id: i64) -> Option<Str> {
        self.log(&id.to_string()).map(|log| log.workflow_id.clone())
    }

    /// Whether a run goes on after a sleep or a crash, so that it may have called others before.
    pub(crate) fn was_resumed(&self, run_id: &str) -> bool {
        self.log(run_id).is_some_and(|log| log.is_resumed)
    }

    /// What is kept of a run that goes on.
    pub(crate) fn saving_of(&self, run_id: &str) -> Option<SavePolicy> {
        self.log(run_id).map(|log| log.terms.saving)
    }

    pub(crate) fn log(&self, run_id: &str) -> Option<Arc<RunJournal>> {
        lock(&self.open).get(run_id).cloned()
    }
}

impl Journal for Recorder {
    fn append<'a>(&'a self, run_id: &str, event: RunEvent) -> Option<PendingRecord<'a>> {
        let log = self.log(run_id)?;
        let seq = log.append_event(&event, &self.metrics);
        let must_wait = match event {
            // What is noted comes before something that reaches outside, whatever the workflow
            // looked like before.
            RunEvent::StepRecorded { .. } => true,
            RunEvent::NodeStarted { .. }
            | RunEvent::RunPaused { .. }
            | RunEvent::RunResumed { .. } => log.terms.durability == Durability::EachStep,
            _ => false,
        };
        let must_wait = must_wait || log.must_flush();
        self.broadcast(&log, seq, &event);
        let flush = async move {
            self.flush(&log).await.map_err(|error| JournalError { cause: error.to_string().into() })
        };
        must_wait.then(|| -> PendingRecord<'a> { Box::pin(flush) })
    }

    fn is_accepted(&self, run_id: &str) -> bool {
        self.log(run_id).is_none_or(|log| log.refusal().is_none())
    }
}

/// Writes what a run has to tell, a large event a little at a time and off the threads that serve
/// connections.
async fn write_all(store: &dyn Store, log: &Arc<RunJournal>) -> Result<(), store::Error> {
    loop {
        if log.is_behind() {
            // Whoever waits for a turn does not hold the log, which the writer may be asking.
            compute::SectionPermit::wait().await.interruptible(|| log.advance());
        }
        store.flush(log.clone()).await?;
        if !log.is_behind() {
            return Ok(());
        }
    }
}

async fn flush(store: &dyn Store, log: &Arc<RunJournal>) -> Result<(), store::Error> {
    let mut tries = 0;
    loop {
        let Err(error) = write_all(store, log).await else {
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
        // A disk that cannot be read for a moment, or memory that is short, is no reason to end
        // what was accepted.
        let is_tried_again = matches!(error, store::Error::Database { .. }) && tries < MAX_TRIES;
        if !error.may_pass() && !is_tried_again {
            return Err(error);
        }
        tries += 1;
        tokio::time::sleep(FULL_DISK_PAUSE).await;
    }
}

impl RunJournal {
    pub fn id(&self) -> i64 {
        self.id
    }

    pub fn run_id(&self) -> Str {
        self.id.to_string().into()
    }

    pub(crate) fn durability(&self) -> Durability {
        self.terms.durability
    }

    /// Takes in what no step has told of.
    pub(crate) fn change_static_data(&self, parts: &Value) {
        self.take_static_data(&mut lock(&self.state), Some(parts));
    }

    fn take_static_data(&self, state: &mut RunJournalState, parts: Option<&Value>) {
        if let (Some(Value::Object(parts)), true, None) =
            (parts, self.terms.static_data.is_some(), &state.refusal)
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

    fn is_long_unwritten(&self) -> bool {
        let state = lock(&self.state);
        !state.is_written && state.refusal.is_none() && self.began.elapsed() > LISTED_AFTER
    }

    /// Whether so much is not on disk that the run must wait.
    fn must_flush(&self) -> bool {
        let state = lock(&self.state);
        state.events.is_behind() || state.events.bytes() > FLUSH_BYTES
    }

    /// Whether what it has told does not go to disk at once.
    fn is_behind(&self) -> bool {
        let state = lock(&self.state);
        state.refusal.is_none() && state.events.is_behind()
    }

    /// Writes more of a large event.
    fn advance(&self) {
        let mut state = lock(&self.state);
        if state.refusal.is_none() {
            state.events.advance();
        }
    }

    /// Why the run was turned away, if it was.
    pub(crate) fn refusal(&self) -> Option<store::Error> {
        lock(&self.state).refusal.clone()
    }

    /// Turns the run away unless something of it is on disk, or on its way there. A run that
    /// another one started belongs to that one, which was accepted.
    fn refuse(&self, error: &store::Error) -> bool {
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
    fn append_event(&self, event: &RunEvent, figures: &RunMetrics) -> u64 {
        self.add_to(&mut lock(&self.state), event, figures)
    }

    /// The same for what a person says meanwhile, unless the last event has been told.
    fn append_if_running(&self, event: &RunEvent, figures: &RunMetrics) -> Option<u64> {
        let mut state = lock(&self.state);
        if state.is_over {
            return None;
        }
        state.has_decision = true;
        Some(self.add_to(&mut state, event, figures))
    }

    fn add_to(&self, state: &mut RunJournalState, event: &RunEvent, figures: &RunMetrics) -> u64 {
        state.events.add_deferred(event);
        state.take_approvals(event);
        if let RunEvent::NodeFinished { changed, .. } = event {
            self.take_static_data(state, changed.static_data.as_ref());
        }
        match event {
            RunEvent::RunStarted { mode, .. } => {
                state.mode = ModeIndex::of(mode);
                figures.started(state.mode);
            }
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
                figures.asked(spent);
                state.spent.push(spent.clone());
            }
            RunEvent::RunResumed { .. } => {
                state.state = Some(ExecutionState::of(RunStatus::Running))
            }
            RunEvent::RunFinished { status, error, finished_ms } => {
                figures.finished(state.mode, *status, self.began.elapsed());
                state.is_over = true;
                let error = error.as_ref().map(|error| error.message.clone());
                if *status == RunStatus::Uncertain {
                    state.state = Some(ExecutionState { error, ..ExecutionState::of(*status) });
                } else if *status != RunStatus::Waiting {
                    // A run that sleeps has told so already.
                    state.state = Some(ExecutionState {
                        stopped_ms: Some(*finished_ms),
                        error,
                        ..ExecutionState::of(*status)
                    });
                    let is_kept = if *status == RunStatus::Success {
                        self.terms.saving.successes
                    } else {
                        self.terms.saving.failures
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

impl SegmentSource for RunJournal {
    fn execution(&self) -> i64 {
        self.id
    }

    fn take(&self) -> Option<JournalSegment> {
        let mut state = lock(&self.state);
        let has_news = !state.events.is_empty()
            || state.state.is_some()
            || state.discard
            || !state.static_data.is_empty();
        if state.refusal.is_some() || !has_news {
            return None;
        }
        if state.discard && self.parent.is_none() {
            // Nobody will read it, so that only what is on disk must go.
            state.events.clear();
        }
        if state.events.bytes() == 0 && state.events.is_behind() {
            // Nothing of it is ready: somebody is at it.
            return None;
        }
        let (parts, events) = state.events.take();
        // How it stands is written together with the last of what it has told, or nobody could tell
        // that something is missing.
        let is_whole = !state.events.is_behind();
        let seq = state.next_piece;
        state.next_piece += i64::from(!events.is_empty());
        // Nor is there a row before the event that the run began with is there whole.
        let is_early = !state.is_written && !is_whole && events.is_empty();
        let bytes_before = std::mem::take(&mut state.early_bytes);
        if is_early {
            state.early_bytes =
                bytes_before + parts.iter().map(|part| part.bytes.len() as i64).sum::<i64>();
        }
        let begins = !state.is_written && !is_early;
        let (begun, along) =
            if begins { (state.started.clone(), state.commit_with.clone()) } else { (None, None) };
        state.is_written |= begins;
        let (spent, approvals) = if is_whole {
            (std::mem::take(&mut state.spent), std::mem::take(&mut state.approvals))
        } else {
            Default::default()
        };
        let changed = if is_whole { std::mem::take(&mut state.static_data) } else { Object::new() };
        let static_data = self
            .terms
            .static_data
            .as_ref()
            .filter(|_| !changed.is_empty())
            .map(|kept| kept.with(changed));
        Some(JournalSegment {
            execution: self.id,
            workflow_id: self.workflow_id.clone(),
            seq,
            parent: self.parent.map(|caller| caller.execution),
            started: begun,
            commit_with: along,
            state: state.state.take_if(|_| is_whole),
            parts,
            bytes_before: if is_early { 0 } else { bytes_before },
            events,
            spent,
            static_data,
            approvals,
            files: if is_early { Vec::new() } else { state.events.files.take() },
            has_files: state.events.files.has_any(),
            discard: is_whole && std::mem::take(&mut state.discard),
        })
    }

    fn files(&self) -> Option<(i64, Vec<NewFile>)> {
        let state = lock(&self.state);
        // Nobody keeps the files of a run that nobody keeps.
        let is_kept = !state.discard && state.refusal.is_none();
        let files = if is_kept { state.events.files.new_files() } else { &[] };
        (!files.is_empty()).then(|| (self.id, files.to_vec()))
    }

    fn on_committed(&self, piece: &JournalSegment) {
        // In the order of the disk, so that what runs begin with is what the next process finds.
        if let (Some(kept), Some(data)) = (&self.terms.static_data, &piece.static_data) {
            kept.extend(&data.changed);
        }
    }

    fn give_back(&self, mut piece: JournalSegment) {
        let mut state = lock(&self.state);
        if !state.is_written && piece.started.is_none() {
            state.early_bytes -=
                piece.parts.iter().map(|part| part.bytes.len() as i64).sum::<i64>();
        }
        state.early_bytes += piece.bytes_before;
        state.events.give_back(piece.parts, piece.events);
        piece.spent.append(&mut state.spent);
        state.spent = piece.spent;
        if let Some(mut data) = piece.static_data {
            data.changed.extend(std::mem::take(&mut state.static_data));
            state.static_data = data.changed;
        }
        piece.approvals.append(&mut state.approvals);
        state.approvals = piece.approvals;
        state.events.files.put_back(piece.files);
        state.state = state.state.take().or(piece.state);
        state.discard |= piece.discard;
        state.is_written &= piece.started.is_none();
        state.next_piece = piece.seq;
    }
}
