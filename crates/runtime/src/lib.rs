//! Keeps workflows alive: the addresses and clocks of active ones, their runs and waits, and what a crash left unfinished.
//!
//! Invariant: no HTTP, no SQL and no node by name here: `server` translates calls, `store` keeps rows, `nodes` say what they
//! listen to.
//! Invariant: an answer that says a run was accepted leaves only after the run is on disk.

mod approval;
mod auth;
mod by_hand;
mod calls;
pub mod chat;
mod clock;
mod decision;
mod error;
mod figures;
mod fork;
mod going;
pub mod history;
pub mod hooks;
mod jwt;
mod ledger;
mod loaded;
mod log;
mod look;
mod pages;
mod preview;
mod recovery;
mod replies;
mod retention;
mod routes;
mod runner;
pub mod steps;
mod stream;
mod ticket;
mod trial;
mod versions;
mod waiting;

pub use approval::{AskedCall, Ruling, asked_in};
pub use by_hand::{Began, ByHand};
pub use clock::CatchUp;
pub use decision::{Decision, Finding};
pub use error::Error;
pub use figures::RunFigures;
pub use loaded::Loaded;
pub use log::{LiveChunk, LiveEvent, Recorder};
pub use pages::Sent;
pub use preview::{Expression, Records};
pub use retention::Retention;
pub use routes::{Door, Found, Hook, Trial};
pub use runner::{Demand, RunLimits, Runner, Start, Taken};
pub use stream::{GivenUp, Pieces};
pub use trial::{TestAddress, TestAddresses};
pub use versions::Listening;
pub use waiting::Waiting;

use calls::KeptCalls;
use clock::Timers;
use decision::Said;
use engine::{Engine, RunOptions};
pub use fork::Fork;
use ledger::DayLedger;
use log::{Durability, Written};
use model::{Item, Items, RunEvent, RunStatus, SpendingLimit, Str};
use node_api::NodeError;
use node_api::trigger::Takes;
use recovery::{Story, Verdict};
use routes::Routes;
use runner::Word;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use store::Store;
use store::executions::Execution;
use store::workflows::WorkflowFilter;
use ticket::Tickets;
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

/// How often we look whether another process has changed the workflows.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Which version of its workflow a run is tried again with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryWith {
    /// The one that failed.
    SameVersion,
    NewestVersion,
}

/// How a runtime is to go.
#[derive(Clone)]
pub struct Options {
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
    active: RwLock<Arc<Active>>,
    clock_changed: Notify,
    catch_up: CatchUp,
    timezone: Str,
    owner: Str,
    stopping: CancellationToken,
    /// One change of the active workflows at a time.
    changing: tokio::sync::Mutex<i64>,
    /// Runs that are being woken, so that two calls do not wake one twice.
    waking: Mutex<std::collections::HashSet<i64>>,
    /// Workflows that listen for a test call.
    trials: Mutex<trial::Trials>,
    looks: Mutex<look::Looks>,
    expected: pages::Expected,
    sessions: replies::Sessions,
    /// What runs are to know of each other, until somebody listens.
    words: Mutex<Option<mpsc::UnboundedReceiver<Word>>>,
}

/// The active workflows.
#[derive(Default)]
struct Active {
    workflows: HashMap<Str, Arc<Loaded>>,
    routes: Routes,
    timers: Timers,
}

impl Runtime {
    /// Brings active workflows and unfinished runs back to life.
    pub async fn start(engine: Engine, store: Arc<dyn Store>, options: Options) -> Result<Arc<Self>, Error> {
        let keep = options.keep;
        let runtime = Self::at_rest(engine, store, options).await?;
        match runtime.reload().await {
            // It is tried again every second.
            Err(Error::Store(error)) if error.may_pass() => tracing::error!(%error, "The active workflows cannot listen yet."),
            other => other?,
        }
        if let Some(words) = lock(&runtime.words).take() {
            tokio::spawn(runtime.clone().heed(words));
        }
        runtime.recover().await?;
        tokio::spawn(runtime.clone().keep_time());
        tokio::spawn(runtime.clone().watch());
        tokio::spawn(runtime.clone().keep_tidy(keep));
        Ok(runtime)
    }

    /// A runtime that only does what it is asked: nothing listens, no clock goes, nothing is taken up by itself.
    pub async fn at_rest(mut engine: Engine, store: Arc<dyn Store>, options: Options) -> Result<Arc<Self>, Error> {
        let recorder = Arc::new(Recorder::new(store.clone()).await?);
        engine.ports.journal = recorder.clone();
        let calls = Arc::new(KeptCalls::default());
        engine.ports.calls = Some(calls.clone());
        engine.ports.ledger = Arc::new(DayLedger::new(store.clone(), options.spending));
        let timezone = options.run.timezone.clone();
        let tickets = Arc::new(Tickets::new(&store.secret("resume_tickets").await?, options.base_url));
        let (run, limits) = (options.run, options.limits);
        let (words, heard) = mpsc::unbounded_channel();
        let runner = Runner::new(engine.clone(), store.clone(), recorder.clone(), run, limits, tickets, words);
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
            changing: tokio::sync::Mutex::new(-1),
            waking: Mutex::default(),
            trials: Mutex::default(),
            looks: Mutex::default(),
            expected: pages::Expected::default(),
            sessions: replies::Sessions::default(),
            words: Mutex::new(Some(heard)),
        });
        calls.belong_to(&runtime);
        runtime.read_variables().await?;
        Ok(runtime)
    }

    /// What a call of an address finds.
    pub fn find(&self, door: Door, method: &str, path: &str) -> Found {
        self.active().routes.find(door, method, path)
    }

    /// Every workflow that is active.
    pub fn active_workflows(&self) -> Vec<Arc<Loaded>> {
        let mut workflows: Vec<_> = self.active().workflows.values().cloned().collect();
        workflows.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        workflows
    }

    /// The workflow as it is active, or as it was last saved.
    pub async fn load(&self, id: &str) -> Result<Arc<Loaded>, Error> {
        if let Some(loaded) = self.active().workflows.get(id) {
            return Ok(loaded.clone());
        }
        let stored = self.store.workflow(id).await?.ok_or_else(|| Error::NoWorkflow { id: id.into() })?;
        Ok(Arc::new(Loaded::new(&stored, &self.engine)?))
    }

    /// Makes a workflow listen. Everything that could keep it from doing so is told before anything changes.
    pub async fn activate(&self, id: &str, listening: Listening<'_>) -> Result<(), Error> {
        let mut stored = self.store.workflow(id).await?.ok_or_else(|| Error::NoWorkflow { id: id.into() })?;
        if stored.archived {
            return Err(Error::Archived);
        }
        if let Listening::Version(version) = listening {
            stored = versions::at_version(&self.store, stored, version).await?;
        }
        let loaded = Arc::new(Loaded::new(&stored, &self.engine)?);
        self.check_credentials(&loaded.project_id, loaded.credentials()).await?;
        let listens = loaded.listens(self.now_ms())?;
        if listens.is_empty() && !loaded.plan.nodes.iter().any(|node| node.is_trigger() && !node.disabled) {
            return Err(Error::NoTrigger);
        }
        let mut routes = Routes::default();
        for (other, workflow) in &self.active().workflows {
            if other != id {
                routes.add(workflow, &workflow.listens(self.now_ms())?)?;
            }
        }
        routes.add(&loaded, &listens)?;
        let is_there = match listening {
            Listening::Newest => self.store.set_active(id, true).await?,
            Listening::Version(version) => self.store.activate_version(id, version).await?,
        };
        if !is_there {
            return Err(Error::NoWorkflow { id: id.into() });
        }
        self.reload().await
    }

    /// Refuses credentials that a project does not have and was not let use.
    pub async fn check_credentials(&self, project: &str, credentials: Vec<Str>) -> Result<(), Error> {
        match self.store.out_of_reach(project, credentials).await?.into_iter().next() {
            Some(id) => Err(Error::OutOfReach { id }),
            None => Ok(()),
        }
    }

    pub async fn deactivate(&self, id: &str) -> Result<(), Error> {
        if !self.store.set_active(id, false).await? {
            return Err(Error::NoWorkflow { id: id.into() });
        }
        self.reload().await
    }

    /// Reads the active workflows again, if anything has changed.
    pub async fn reload(&self) -> Result<(), Error> {
        let mut seen = self.changing.lock().await;
        let changed = self.store.workflows_changed().await?;
        if changed == *seen {
            return Ok(());
        }
        let filter = WorkflowFilter { active: Some(true), limit: usize::MAX >> 1, ..WorkflowFilter::default() };
        let before = self.active();
        let mut active = Active::default();
        for stored in self.store.workflows(filter).await? {
            let known = before.workflows.get(&stored.id);
            let is_same = |known: &Loaded| known.version_id == *stored.listening_version() && known.project_id == stored.project_id;
            let loaded = match known {
                Some(known) if is_same(known) => Ok(known.clone()),
                earlier => self.load_listening(&stored, earlier).await,
            };
            if let Err(error) = self.add(&mut active, loaded).await {
                if let Error::Store(passing) = &error
                    && passing.may_pass()
                {
                    return Err(error);
                }
                tracing::error!(%error, workflow = %stored.id, name = %stored.name, "An active workflow cannot listen.");
            }
        }
        *self.active.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(active);
        self.clock_changed.notify_one();
        *seen = changed;
        Ok(())
    }

    async fn add(&self, active: &mut Active, loaded: Result<Arc<Loaded>, Error>) -> Result<(), Error> {
        let loaded = loaded?;
        let listens = loaded.listens(self.now_ms())?;
        active.routes.add(&loaded, &listens)?;
        active.timers.extend(self.set_timers(&loaded, &listens).await?);
        active.workflows.insert(loaded.id.clone(), loaded);
        Ok(())
    }

    /// Other processes may import and activate workflows beside us.
    async fn watch(self: Arc<Self>) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(LOOK_EVERY) => {}
                () = self.stopping.cancelled() => return,
            }
            let read = async {
                self.reload().await?;
                self.read_variables().await
            };
            if let Err(error) = read.await {
                tracing::error!(%error, "The workflows and variables could not be read.");
            }
        }
    }

    /// Gives new runs the variables as they are now.
    async fn read_variables(&self) -> Result<(), Error> {
        self.runner.set_variables(self.store.variables().await?);
        Ok(())
    }

    /// Goes on with what was running when the last process ended.
    async fn recover(self: &Arc<Self>) -> Result<(), Error> {
        let mut left = self.store.interrupted().await?;
        self.recover_these(&mut left).await;
        // Those whose called run came to its end just before the last process did.
        if let Err(error) = self.wake_answered().await {
            tracing::error!(%error, "Runs that wait for others could not be looked up.");
        }
        if !left.is_empty() {
            let runtime = self.clone();
            tokio::spawn(async move {
                while !left.is_empty() && !runtime.is_stopping() {
                    tokio::time::sleep(log::FULL_DISK_PAUSE).await;
                    runtime.recover_these(&mut left).await;
                }
            });
        }
        Ok(())
    }

    /// Leaves those for which something must be written first, and cannot be now.
    async fn recover_these(self: &Arc<Self>, left: &mut Vec<Execution>) {
        for execution in std::mem::take(left) {
            if let Err(error) = self.take_up(execution.id, None).await
                && self.give_up(&execution, &error).await.is_err_and(|error| error.may_pass())
            {
                left.push(execution);
            }
        }
    }

    /// Ends a run that cannot be taken up and lets its journal say why, unless it can be taken up later: then the reason comes back.
    pub(crate) async fn give_up(&self, execution: &Execution, error: &Error) -> Result<(), store::Error> {
        match error {
            Error::Store(passing) if passing.may_pass() => return Err(passing.clone()),
            // Somebody else has taken it up.
            Error::WrongStatus { .. } => return Ok(()),
            _ => {}
        }
        let id = execution.id;
        tracing::error!(%error, execution = id, code = error.code().name(), "A run cannot be taken up.");
        let pieces = self.store.pieces(id).await?;
        let events = self.store.outline(id).await.map_or(0, |events| events.len() as u64);
        let log = self.recorder.reopen(execution, Written { pieces, events }, Durability::Ends);
        let reason = NodeError::new(error.code(), Str::from(format!("{error} ({})", error.code().name()))).to_run_error("");
        let (status, finished_ms) = (RunStatus::Error, self.now_ms());
        self.recorder.note(&log, RunEvent::RunFinished { status, error: Some(reason), finished_ms });
        let written = self.recorder.flush(&log).await;
        self.recorder.close(&log);
        self.runner.tell_caller(execution.begun.parent);
        written
    }

    /// Wakes a sleeping run, with what woke it.
    pub async fn wake(self: &Arc<Self>, id: i64, items: Option<Items>) -> Result<Option<Taken>, Error> {
        let execution = self.store.execution(id).await?.ok_or(Error::NoExecution { id })?;
        if execution.state.status != RunStatus::Waiting {
            return Err(Error::WrongStatus { id, status: execution.state.status.name() });
        }
        self.take_up(id, Some(items)).await
    }

    /// Wakes a sleeping run for somebody who hears how it goes on.
    pub(crate) async fn wake_for(self: &Arc<Self>, id: i64, item: Item, takes: Takes) -> Result<Taken, Error> {
        let woken_by = Some(Some(Items::one(item)));
        let taken = self.take_up_with(id, woken_by, None, takes).await?;
        taken.ok_or(Error::WrongStatus { id, status: RunStatus::Uncertain.name() })
    }

    /// Runs the workflow of a failed run again on what that run began with.
    pub async fn retry(self: &Arc<Self>, id: i64, with: RetryWith) -> Result<Taken, Error> {
        let execution = self.store.execution(id).await?.ok_or(Error::NoExecution { id })?;
        if !matches!(execution.state.status, RunStatus::Error | RunStatus::Cancelled | RunStatus::Uncertain) {
            return Err(Error::WrongStatus { id, status: execution.state.status.name() });
        }
        let begun = &execution.begun;
        let workflow = match with {
            RetryWith::SameVersion => self.workflow_of(&execution).await?,
            RetryWith::NewestVersion => self.load(&begun.workflow_id).await?,
        };
        let started = Story::read(self.store.beginning(id).await?.into_iter().collect()).started;
        let (node, items, extent) = started.map(|started| (started.node, started.items, started.extent)).unwrap_or_default();
        let cause = node_api::StartedBy::Hand;
        let taken =
            self.runner.start(Start { workflow, cause, node, items, mode: "retry", retry_of: Some(id), extent, request_id: Str::new() })?;
        self.runner.accepted(&taken.log).await?;
        Ok(taken)
    }

    async fn take_up(self: &Arc<Self>, id: i64, woken_by: Option<Option<Items>>) -> Result<Option<Taken>, Error> {
        self.take_up_with(id, woken_by, None, Takes::Nothing).await
    }

    /// `said` is what a person has said about a run that stands still: a step may have happened, or an agent asks for something.
    async fn take_up_with(
        self: &Arc<Self>,
        id: i64,
        woken_by: Option<Option<Items>>,
        said: Option<Said>,
        takes: Takes,
    ) -> Result<Option<Taken>, Error> {
        if self.runner.is_running(id) || !lock(&self.waking).insert(id) {
            return Err(Error::WrongStatus { id, status: RunStatus::Running.name() });
        }
        let taken = self.read_and_resume(id, woken_by, said, takes).await;
        lock(&self.waking).remove(&id);
        taken
    }

    async fn read_and_resume(
        self: &Arc<Self>,
        id: i64,
        woken_by: Option<Option<Items>>,
        said: Option<Said>,
        takes: Takes,
    ) -> Result<Option<Taken>, Error> {
        let execution = self.store.execution(id).await?.ok_or(Error::NoExecution { id })?;
        let status = execution.state.status;
        if matches!(said, Some(Said::OfStep(_))) && status != RunStatus::Uncertain {
            return Err(Error::WrongStatus { id, status: status.name() });
        }
        let events = self.store.journal(id).await?;
        let ruled = match &said {
            Some(Said::OfCall { call, ruling }) => Some(approval::rule(id, status, &events, call, ruling, self.now_ms())?),
            _ => None,
        };
        let pieces = self.store.pieces(id).await?;
        let mut story = Story::read(events);
        let workflow = self.workflow_of(&execution).await?;
        let settled = match (said, story.verdict(&workflow)) {
            (Some(Said::OfStep(decision)), _) => {
                let settled = story.settle(&decision, &workflow)?;
                self.store.set_status(id, RunStatus::Running).await?;
                settled
            }
            (_, Verdict::Uncertain { node }) => {
                tracing::warn!(execution = id, %node, "A step may have happened before the process ended; a person must decide.");
                self.store.set_status(id, RunStatus::Uncertain).await?;
                self.runner.tell_caller(execution.begun.parent);
                return Ok(None);
            }
            (_, Verdict::GoOn) => story.take_ruling(ruled),
        };
        if let Some(items) = &woken_by {
            story.wake(items.clone());
        }
        let depth = self.depth_of(&execution).await?;
        let past = story.into_past(execution, depth, workflow, pieces, woken_by);
        Ok(Some(self.runner.resume(past, settled, takes)))
    }

    /// Writes what a run that goes on has told so far, so that its journal has it.
    pub async fn settle(&self, id: i64) -> Result<(), Error> {
        Ok(self.recorder.settle(&id.to_string()).await?)
    }

    /// Stops taking things on and waits for runs to end, at most so long; what is left goes on after the next start.
    pub async fn stop(&self, patience: Duration) {
        self.stopping.cancel();
        self.runner.close();
        let began = std::time::Instant::now();
        while self.runner.in_progress() > 0 && began.elapsed() < patience {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
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
        self.active().workflows.len()
    }

    fn active(&self) -> Arc<Active> {
        self.active.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn timers(&self) -> TimersOf {
        TimersOf(self.active())
    }

    fn now_ms(&self) -> i64 {
        self.engine.ports.clock.now_ms()
    }

    fn zone_of<'a>(&'a self, workflow: &'a Loaded) -> &'a str {
        workflow.plan.timezone.as_ref().unwrap_or(&self.timezone)
    }
}

struct TimersOf(Arc<Active>);

impl std::ops::Deref for TimersOf {
    type Target = Timers;

    fn deref(&self) -> &Timers {
        &self.0.timers
    }
}

/// A lock that outlives a panic elsewhere.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
