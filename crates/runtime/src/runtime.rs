//! Everything that is alive in this process: the engine, the store, and what runs, waits and
//! listens.

use crate::execute::child_runs::ChildRuns;
use crate::execute::completion::RunSignal;
use crate::execute::ledger::DayLedger;
use crate::key_lock::KeyLocks;
use crate::listen::active::ActiveWorkflows;
use crate::listen::chat::replies::SessionCache;
use crate::listen::test_listener::TestListeners;
use crate::policy::Policy;
use crate::resume::backoff::ResumeBackoff;
use crate::resume::forms::PendingPages;
use crate::resume::held::DoubtedStep;
use crate::resume::recovery::RecoveryPhase;
use crate::resume::tokens::ResumeTokens;
use crate::schedule::clock::SchedulerSlot;
use crate::schedule::poll::Polls;
use crate::task::supervise;
use crate::tools::ToolManifests;
use crate::{CatchUp, Error, LoadedWorkflow, Recorder, Retention, RunLimits, Runner, lock};
use engine::{Engine, RunOptions};
use model::{SpendingLimit, Str};
use node_api::tools::ManifestSource;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;
use store::Store;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

/// The settings of a runtime.
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
    /// Reads tool manifests, and knows the operator's files of them.
    pub manifests: Arc<dyn ManifestSource>,
}

/// Everything that is alive in this process.
pub struct Runtime {
    pub engine: Engine,
    pub store: Arc<dyn Store>,
    pub recorder: Arc<Recorder>,
    pub runner: Arc<Runner>,
    /// What the operator lets agents call.
    pub policy: Arc<Policy>,
    /// The tools that manifests declare.
    pub tools: Arc<ToolManifests>,
    pub(crate) active: RwLock<ActiveWorkflows>,
    pub(crate) clock_changed: Notify,
    pub(crate) catch_up: CatchUp,
    pub(crate) timezone: Str,
    pub(crate) owner: Str,
    pub(crate) stopping: CancellationToken,
    /// The number of the last change of workflows that was read; `None` to read all of them. One
    /// change of the active workflows at a time.
    pub(crate) changing: tokio::sync::Mutex<Option<i64>>,
    /// Runs that are being resumed or stopped, so that two calls do not wake one twice.
    pub(crate) run_locks: KeyLocks<i64>,
    /// Runs that the last process left unfinished and that are not resumed yet.
    pub(crate) recovering: Mutex<HashMap<i64, RecoveryPhase>>,
    /// The slot of the clock, while it is in line for one.
    pub(crate) clock_slot: Mutex<SchedulerSlot>,
    /// Cancelled once all of those have been resumed and have shown to be harmless.
    pub(crate) recovered: CancellationToken,
    /// Workflows that listen for a test call.
    pub(crate) test_listeners: Mutex<TestListeners>,
    pub(crate) polls: Mutex<Polls>,
    /// Held by a poll that is made alone.
    pub(crate) exclusive_poll: Arc<tokio::sync::Mutex<()>>,
    /// The last process died while it read the active workflows.
    pub(crate) is_careful: AtomicBool,
    pub(crate) pending_pages: PendingPages,
    /// Runs that could not be resumed.
    pub(crate) resume_backoff: ResumeBackoff,
    /// The steps that uncertain runs stopped at, as far as somebody has asked.
    pub(crate) doubted_steps: Mutex<HashMap<i64, DoubtedStep>>,
    pub(crate) sessions: SessionCache,
    /// When links that wake a run began to name the wait that they are for.
    pub(crate) links_named_waits_ms: i64,
    /// Signals between runs, until they are handled.
    pub(crate) signals: Mutex<Option<mpsc::UnboundedReceiver<RunSignal>>>,
}

impl Runtime {
    /// Brings active workflows and unfinished runs back to life.
    pub async fn start(
        engine: Engine,
        store: Arc<dyn Store>,
        options: RuntimeOptions,
    ) -> Result<Arc<Self>, Error> {
        let retention = options.keep;
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
        if let Some(signals) = lock(&runtime.signals).take() {
            tokio::spawn(runtime.clone().handle_signals(signals));
        }
        runtime.recover().await?;
        supervise("clock", &runtime, Runtime::run_scheduler);
        supervise("watch", &runtime, Runtime::watch);
        supervise("policy", &runtime, Runtime::watch_policy);
        supervise("tools", &runtime, Runtime::watch_tools);
        supervise("retention", &runtime, move |runtime| runtime.run_retention(retention));
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
        let policy = Policy::open(store.clone()).await?;
        engine.ports.policy = policy.clone();
        let tools = ToolManifests::open(store.clone(), options.manifests).await?;
        engine.ports.tools = tools.clone();
        let session_calls = options.run.limits.agents.session_calls;
        let ledger = DayLedger::new(store.clone(), options.spending, session_calls);
        engine.ports.ledger = Arc::new(ledger);
        let timezone = options.run.timezone.clone();
        let links_named_waits_ms = store.links_named_waits_ms().await?;
        let (secret, former) =
            (store.secret("resume_tickets").await?, store.former_secret("resume_tickets").await?);
        let tokens = Arc::new(ResumeTokens::new(&secret, former.as_deref(), options.base_url));
        let (run, limits) = (options.run, options.limits);
        let (sender, receiver) = mpsc::unbounded_channel();
        let runner = Runner::new(
            engine.clone(),
            store.clone(),
            recorder.clone(),
            run,
            limits,
            tokens,
            sender,
        );
        let runtime = Arc::new(Self {
            engine,
            store,
            recorder,
            runner,
            policy,
            tools,
            active: RwLock::default(),
            clock_changed: Notify::new(),
            catch_up: options.catch_up,
            timezone,
            owner: store::new_id(),
            stopping: CancellationToken::new(),
            changing: tokio::sync::Mutex::default(),
            run_locks: KeyLocks::default(),
            recovering: Mutex::default(),
            clock_slot: Mutex::default(),
            recovered: CancellationToken::new(),
            test_listeners: Mutex::default(),
            polls: Mutex::default(),
            exclusive_poll: Arc::default(),
            is_careful: AtomicBool::new(false),
            pending_pages: PendingPages::default(),
            resume_backoff: ResumeBackoff::default(),
            doubted_steps: Mutex::default(),
            sessions: SessionCache::default(),
            links_named_waits_ms,
            signals: Mutex::new(Some(receiver)),
        });
        calls.attach(&runtime);
        runtime.read_variables().await?;
        Ok(runtime)
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

    /// Gives new runs the variables as they are now; `true` if they were others before.
    pub(crate) async fn read_variables(&self) -> Result<bool, Error> {
        Ok(self.runner.set_variables(self.store.variables().await?))
    }

    /// Writes what a run under way has recorded so far.
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

    pub(crate) fn active(&self) -> RwLockReadGuard<'_, ActiveWorkflows> {
        self.active.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.engine.ports.clock.now_ms()
    }

    pub(crate) fn zone_of<'a>(&'a self, workflow: &'a LoadedWorkflow) -> &'a str {
        workflow.plan.timezone.as_ref().unwrap_or(&self.timezone)
    }
}
