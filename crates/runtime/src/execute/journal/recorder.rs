//! Receives the events of all runs of this process: each goes to its run's journal and to watchers.

use super::run_journal::{RunJournal, RunJournalState};
use super::{Durability, FULL_DISK_PAUSE, JournalProgress, RecordingPolicy};
use crate::execute::live::{LiveChunk, LiveEvent};
use crate::execute::metrics::{ModeIndex, RunMetrics};
use crate::lock;
use crate::trace::{TraceEvent, TraceFeed};
use engine::{Journal, JournalError, PendingRecord};
use model::{RunEvent, Str};
use node_api::trigger::StreamChunk;
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Instant;
use store::Store;
use store::executions::{CommitWith, Execution, NewExecution, SavePolicy};
use store::journal::SegmentWriter;
use tokio::sync::{broadcast, mpsc};

/// Live events that a slow listener may be behind before it misses some.
const LIVE_EVENTS: usize = 1024;

/// How often a write is tried again that failed of something else.
const MAX_TRIES: usize = 10;

/// Chunks that a slow watcher may be behind before it misses some.
const LIVE_CHUNKS: usize = 4096;

/// About what a short run records.
const USUAL_BYTES: usize = 2048;

/// Receives the events of all runs of this process.
pub struct Recorder {
    store: Arc<dyn Store>,
    next_id: AtomicI64,
    open: Mutex<HashMap<Str, Arc<RunJournal>>>,
    live: broadcast::Sender<LiveEvent>,
    /// Chunks of responses. They are not stored: the journal has the results.
    chunks: broadcast::Sender<LiveChunk>,
    /// Whoever makes traces of the events, if anybody does.
    observer: OnceLock<mpsc::Sender<LiveEvent>>,
    /// What agents do, for whoever watches that.
    pub trace: Arc<TraceFeed>,
    pub metrics: RunMetrics,
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
            trace: Arc::default(),
            metrics: RunMetrics::default(),
        })
    }

    /// From now on `observer` gets all events. One that does not keep up misses some; runs
    /// never wait for it.
    pub fn observe(&self, observer: mpsc::Sender<LiveEvent>) {
        let _ = self.observer.set(observer);
    }

    /// Opens the log of a new run and gives it its id.
    pub fn open(
        &self,
        execution: NewExecution,
        commit_with: Option<CommitWith>,
        policy: RecordingPolicy,
    ) -> Arc<RunJournal> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let state = RunJournalState {
            started: Some(execution.clone()),
            commit_with,
            events: SegmentWriter::with_capacity(USUAL_BYTES),
            ..RunJournalState::default()
        };
        let NewExecution { workflow_id, parent, .. } = execution;
        let (is_resumed, began) = (false, Instant::now());
        self.register(RunJournal {
            id,
            workflow_id,
            policy,
            parent,
            is_resumed,
            has_called: is_resumed.into(),
            began,
            state: Mutex::new(state),
        })
    }

    /// Opens the journal of a run that continues; its first segments are on disk.
    pub fn reopen(
        &self,
        execution: &Execution,
        written: JournalProgress,
        policy: RecordingPolicy,
    ) -> Arc<RunJournal> {
        let NewExecution { workflow_id, mode, parent, .. } = execution.started.clone();
        let JournalProgress { segments: next_segment, parts, events: n_events } = written;
        let (mode, events) = (ModeIndex::of(&mode), SegmentWriter::after(parts));
        let state = RunJournalState {
            mode,
            next_segment,
            n_events,
            events,
            is_written: true,
            may_ask: true,
            ..RunJournalState::default()
        };
        let (id, is_resumed, began) = (execution.id, true, Instant::now());
        self.register(RunJournal {
            id,
            workflow_id,
            policy,
            parent,
            is_resumed,
            has_called: is_resumed.into(),
            began,
            state: Mutex::new(state),
        })
    }

    fn register(&self, log: RunJournal) -> Arc<RunJournal> {
        let log = Arc::new(log);
        lock(&self.open).insert(log.run_id(), log.clone());
        log
    }

    /// Records an event that does not come from the engine.
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
        if self.trace.has_watchers() {
            self.trace.take((&log.run_id(), &log.workflow_id), seq, event, log.run_index());
        }
        let observer = self.observer.get();
        if observer.is_none() && self.live.receiver_count() == 0 {
            return;
        }
        let parent = log.parent.map(|caller| caller.execution.to_string().into());
        let live = LiveEvent::new(log.run_id(), log.workflow_id.clone(), parent, seq, event);
        if let Some(observer) = observer {
            let agent_event = TraceEvent::read(seq, event, log.run_index()).map(Arc::new);
            let _ = observer.try_send(LiveEvent { agent_event, ..live.clone() });
        }
        // Nobody listening any more is no error.
        let _ = self.live.send(live);
    }

    /// Writes what a run has recorded; returns once it is on disk. While nothing can be written, a
    /// run that was accepted pauses, and one that was not is rejected: its caller gets an error,
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

    /// The chunks of all responses from now on.
    pub fn subscribe_chunks(&self) -> broadcast::Receiver<LiveChunk> {
        self.chunks.subscribe()
    }

    pub(crate) fn has_watchers(&self) -> bool {
        self.chunks.receiver_count() > 0
    }

    /// Sends a chunk of a response to watchers.
    pub(crate) fn send_chunk(&self, log: &RunJournal, chunk: &StreamChunk) {
        if self.has_watchers() {
            let _ = self.chunks.send(LiveChunk {
                run_id: log.run_id(),
                workflow_id: log.workflow_id.clone(),
                chunk: chunk.clone(),
            });
        }
    }

    /// Writes what a run under way has recorded so far.
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
        self.log(run_id).map(|log| log.policy.saving)
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
            | RunEvent::RunResumed { .. } => log.policy.durability == Durability::EachStep,
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

/// Writes what a run has recorded, a large event a little at a time and off the threads that serve
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
            // It was rejected while this flush was writing its files.
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
