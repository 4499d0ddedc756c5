//! Keeps workflows alive: the addresses and clocks of active ones, their runs and waits, and what a
//! crash left unfinished.
//!
//! Invariant: no HTTP, no SQL and no node by name here: `server` translates calls, `store` keeps
//! rows, `nodes` say what they listen to. Invariant: an answer that says a run was accepted leaves
//! only after the run is on disk.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

mod accounts;
mod activation;
mod active;
mod addresses;
mod admission;
mod approval;
mod attempts;
mod auth;
pub mod chat;
mod chat_replies;
mod child_runs;
mod clock;
mod completion;
mod decision;
pub mod endpoint;
mod error;
mod fork;
mod form_flow;
pub mod history;
mod inherited_lists;
mod journal_writer;
mod jwt;
mod key_lock;
mod ledger;
mod live;
mod loaded_workflow;
mod manual;
mod metrics;
mod poll;
mod preview;
mod quarantine;
mod recovery;
mod recovery_window;
mod reload;
mod response_stream;
mod resume;
mod resume_backoff;
mod resume_token;
mod retention;
mod routes;
mod run_handle;
mod runner;
mod start;
pub mod steps;
mod stop;
mod task;
mod test_listener;
mod trigger_listeners;
mod versions;
mod waiting_run;

pub use addresses::claim_into_result;
pub use admission::RunLimits;
pub use approval::{ApprovalCall, ApprovalDecision, approval_calls};
pub use clock::CatchUp;
pub use decision::{Decision, DecisionOutcome};
pub use error::Error;
pub use form_flow::FormSubmission;
pub use journal_writer::Recorder;
pub use live::{LiveChunk, LiveEvent};
pub use loaded_workflow::LoadedWorkflow;
pub use manual::{ManualRun, ManualStart};
pub use metrics::RunMetrics;
pub use preview::{NodeRecords, PreviewExecution, PreviewRequest};
pub use response_stream::{ChunkStream, SlowReader};
pub use retention::Retention;
pub use routes::{RouteMatch, TestRun, TriggerEndpoint};
pub use runner::Runner;
pub use start::{AcceptedRun, Admission, RunRequest};
pub use store::addresses::EndpointKind;
pub use test_listener::{TestAddress, TestAddresses};
pub use trigger_listeners::{LISTEN_CPU_TIME, ListenScope, is_cpu_timeout};
pub use versions::VersionChoice;
pub use waiting_run::WaitingRun;

use active::ActiveWorkflows;
use child_runs::ChildRuns;
use clock::SchedulerSlot;
use completion::RunSignal;
use engine::{Engine, RunOptions};
pub use fork::Fork;
use key_lock::KeyLocks;
use ledger::DayLedger;
use model::{RunStatus, SpendingLimit, Str};
use quarantine::RecoveryPhase;
use recovery::JournalState;
use resume_token::ResumeTokens;
use start::StartContext;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;
use store::Store;
use task::supervise;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

/// How often we look whether another process has changed the workflows.
const RELOAD_INTERVAL: Duration = Duration::from_secs(1);

/// Which version of its workflow a run is tried again with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryWith {
    /// The one that failed.
    SameVersion,
    NewestVersion,
}

/// How a runtime is to go.
#[derive(Clone)]
pub struct RuntimeOptions {
    pub run: RunOptions,
    pub limits: RunLimits,
    pub catch_up: CatchUp,
    /// What all workflows together may spend on models in a day.
    pub spending: SpendingLimit,
    pub keep: Retention,
    /// Where callers reach this instance, without a slash at the end.
    pub base_url: Str,
}

/// Everything that is alive in this process.
pub struct Runtime {
    pub engine: Engine,
    pub store: Arc<dyn Store>,
    pub recorder: Arc<Recorder>,
    pub runner: Arc<Runner>,
    active: RwLock<ActiveWorkflows>,
    clock_changed: Notify,
    catch_up: CatchUp,
    timezone: Str,
    owner: Str,
    stopping: CancellationToken,
    /// One change of the active workflows at a time.
    changing: tokio::sync::Mutex<i64>,
    /// Runs that are being taken up, so that two calls do not wake one twice.
    run_locks: KeyLocks<i64>,
    /// Runs that the last process left unfinished and that are not resumed yet.
    recovering: Mutex<HashMap<i64, RecoveryPhase>>,
    /// The slot of the clock, while it is in line for one.
    clock_slot: Mutex<SchedulerSlot>,
    /// Cancelled once all of those have been resumed and have shown to be harmless.
    recovered: CancellationToken,
    /// Workflows that listen for a test call.
    test_listeners: Mutex<test_listener::TestListeners>,
    polls: Mutex<poll::Polls>,
    /// Held by a look that is made alone.
    exclusive_poll: Arc<tokio::sync::Mutex<()>>,
    /// The last process died while it read the active workflows.
    is_careful: AtomicBool,
    pending_pages: form_flow::PendingPages,
    /// Runs that could not be taken up.
    resume_backoff: resume_backoff::ResumeBackoff,
    sessions: chat_replies::SessionCache,
    /// When links that wake a run began to name the wait that they are for.
    links_named_waits_ms: i64,
    /// What runs are to know of each other, until somebody listens.
    signals: Mutex<Option<mpsc::UnboundedReceiver<RunSignal>>>,
}

impl Runtime {
    /// Brings active workflows and unfinished runs back to life.
    pub async fn start(
        engine: Engine,
        store: Arc<dyn Store>,
        options: RuntimeOptions,
    ) -> Result<Arc<Self>, Error> {
        let keep = options.keep;
        let runtime = Self::new_idle(engine, store, options).await?;
        runtime.begin_start().await;
        match runtime.reload().await {
            // It is tried again every second.
            Err(Error::Store(error)) if error.may_pass() => {
                tracing::error!(%error, "Could not activate workflows yet.")
            }
            other => other?,
        }
        runtime.end_start().await;
        if let Some(words) = lock(&runtime.signals).take() {
            tokio::spawn(runtime.clone().handle_signals(words));
        }
        runtime.recover().await?;
        supervise("clock", &runtime, Runtime::run_scheduler);
        supervise("watch", &runtime, Runtime::watch);
        supervise("retention", &runtime, move |runtime| runtime.run_retention(keep));
        Ok(runtime)
    }

    /// A runtime that only does what it is asked: nothing listens, no clock goes, nothing is taken
    /// up by itself.
    pub async fn new_idle(
        mut engine: Engine,
        store: Arc<dyn Store>,
        options: RuntimeOptions,
    ) -> Result<Arc<Self>, Error> {
        let recorder = Arc::new(Recorder::new(store.clone()).await?);
        engine.ports.journal = recorder.clone();
        let calls = Arc::new(ChildRuns::default());
        engine.ports.calls = Some(calls.clone());
        engine.ports.ledger = Arc::new(DayLedger::new(store.clone(), options.spending));
        let timezone = options.run.timezone.clone();
        let links_named_waits_ms = store.links_named_waits_ms().await?;
        let (secret, former) =
            (store.secret("resume_tickets").await?, store.former_secret("resume_tickets").await?);
        let tickets = Arc::new(ResumeTokens::new(&secret, former.as_deref(), options.base_url));
        let (run, limits) = (options.run, options.limits);
        let (words, heard) = mpsc::unbounded_channel();
        let runner = Runner::new(
            engine.clone(),
            store.clone(),
            recorder.clone(),
            run,
            limits,
            tickets,
            words,
        );
        let runtime = Arc::new(Self {
            engine,
            store,
            recorder,
            runner,
            active: RwLock::default(),
            clock_changed: Notify::new(),
            catch_up: options.catch_up,
            timezone,
            owner: store::new_id(),
            stopping: CancellationToken::new(),
            changing: tokio::sync::Mutex::new(reload::NOTHING),
            run_locks: KeyLocks::default(),
            recovering: Mutex::default(),
            clock_slot: Mutex::default(),
            recovered: CancellationToken::new(),
            test_listeners: Mutex::default(),
            polls: Mutex::default(),
            exclusive_poll: Arc::default(),
            is_careful: AtomicBool::new(false),
            pending_pages: form_flow::PendingPages::default(),
            resume_backoff: resume_backoff::ResumeBackoff::default(),
            sessions: chat_replies::SessionCache::default(),
            links_named_waits_ms,
            signals: Mutex::new(Some(heard)),
        });
        calls.attach(&runtime);
        runtime.read_variables().await?;
        Ok(runtime)
    }

    /// What a call of an address finds.
    pub fn find(&self, door: EndpointKind, method: &str, path: &str) -> RouteMatch {
        self.active().routes.find(door, method, path)
    }

    /// Refuses a call of an address that nothing listens at any more: it was found before its body
    /// was read.
    pub(crate) fn check_listens(&self, hook: &TriggerEndpoint) -> Result<(), Error> {
        let listens = hook.test_run.is_some() || self.active().get(&hook.workflow.id).is_some();
        if listens { Ok(()) } else { Err(Error::NotListening) }
    }

    /// Every workflow that is active.
    pub fn active_workflows(&self) -> Vec<Arc<LoadedWorkflow>> {
        let mut workflows: Vec<_> = self.active().listening().cloned().collect();
        workflows.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        workflows
    }

    /// Workflows that are active and do not listen, with the reason.
    pub fn silent_workflows(&self) -> Vec<(Str, Error)> {
        let active = self.active();
        active
            .silent()
            .filter_map(|loaded| Some((loaded.id.clone(), loaded.cached_listeners()?.err()?)))
            .collect()
    }

    /// The workflow as it is active, or as it was last saved.
    pub async fn load(&self, id: &str) -> Result<Arc<LoadedWorkflow>, Error> {
        if let Some(loaded) = self.active().get(id) {
            return Ok(loaded.clone());
        }
        let stored =
            self.store.workflow(id).await?.ok_or_else(|| Error::NoWorkflow { id: id.into() })?;
        Ok(Arc::new(LoadedWorkflow::new(&stored, &self.engine)?))
    }

    /// Other processes may import and activate workflows beside us.
    async fn watch(self: Arc<Self>) {
        loop {
            tokio::select! {
                biased;
                () = self.stopping.cancelled() => return,
                () = tokio::time::sleep(RELOAD_INTERVAL) => {}
            }
            if let Err(error) = self.reload().await {
                tracing::error!(%error, "Could not read workflows and variables.");
            }
        }
    }

    /// Gives new runs the variables as they are now; `true` if they were others before.
    async fn read_variables(&self) -> Result<bool, Error> {
        Ok(self.runner.set_variables(self.store.variables().await?))
    }

    /// Runs the workflow of a failed run again on what that run began with.
    pub async fn retry(self: &Arc<Self>, id: i64, with: RetryWith) -> Result<AcceptedRun, Error> {
        let execution = self.store.execution(id).await?.ok_or(Error::NoExecution { id })?;
        if !matches!(
            execution.state.status,
            RunStatus::Error | RunStatus::Cancelled | RunStatus::Uncertain
        ) {
            return Err(Error::WrongStatus { id, status: execution.state.status.name() });
        }
        let begun = &execution.started;
        let workflow = match with {
            RetryWith::SameVersion => self.workflow_of(&execution).await?,
            RetryWith::NewestVersion => self.load(&begun.workflow_id).await?,
        };
        let started =
            JournalState::read(self.store.first_event(id).await?.into_iter().collect()).started;
        let called_by_model = started.as_ref().and_then(|started| started.called_by_model);
        let (node, items, extent) = started
            .map(|started| (started.node, started.items, started.extent))
            .unwrap_or_default();
        let cause = node_api::StartCause::Hand;
        let start = RunRequest {
            workflow,
            cause,
            node,
            items,
            mode: start::retry_mode(&begun.mode),
            retry_of: Some(id),
            extent,
            request_id: Str::new(),
        };
        let groundwork = StartContext { called_by_model, ..StartContext::default() };
        let taken = self.runner.start_with(start, groundwork)?;
        self.runner.wait_accepted(&taken.log).await?;
        Ok(taken)
    }

    /// Writes what a run that goes on has told so far, so that its journal has it.
    pub async fn flush_run(&self, id: i64) -> Result<(), Error> {
        Ok(self.recorder.flush_run(&id.to_string()).await?)
    }

    /// Lets whoever lists runs find those that have been going on for a while, also if they are
    /// only written down at their end.
    pub async fn flush_long_running(&self) {
        self.recorder.flush_long_running().await;
    }

    /// Stops taking things on and waits for runs to end, at most so long; what is left goes on
    /// after the next start.
    pub async fn stop(&self, patience: Duration) {
        self.stopping.cancel();
        self.runner.close();
        let began = tokio::time::Instant::now();
        while self.runner.in_progress() > 0 && began.elapsed() < patience {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.note_clean_stop().await;
    }

    pub fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// Methods and paths of the webhooks there are, in order.
    pub fn addresses(&self) -> Vec<(Str, Str)> {
        self.active().routes.addresses()
    }

    /// The addresses of chats that are pages anybody may open.
    pub fn chat_pages(&self) -> Vec<Str> {
        self.active().routes.chat_pages()
    }

    pub fn n_active(&self) -> usize {
        self.active().n_listening()
    }

    fn active(&self) -> RwLockReadGuard<'_, ActiveWorkflows> {
        self.active.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn now_ms(&self) -> i64 {
        self.engine.ports.clock.now_ms()
    }

    fn zone_of<'a>(&'a self, workflow: &'a LoadedWorkflow) -> &'a str {
        workflow.plan.timezone.as_ref().unwrap_or(&self.timezone)
    }
}

/// A moment as messages and logs tell it.
pub(crate) fn format_time(milliseconds: i64) -> Str {
    jiff::Timestamp::from_millisecond(milliseconds)
        .map_or_else(|_| Str::new(), |time| format!("{time:.0}").into())
}

/// A lock that outlives a panic elsewhere.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
