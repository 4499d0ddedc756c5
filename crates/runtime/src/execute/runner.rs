//! Starts runs, keeps them within bounds, and sees them to their end.

use crate::execute::accounts::RunAccounts;
use crate::execute::admission::{RunGuard, RunLimits, RunReservation};
use crate::execute::completion::RunSignal;
use crate::execute::inherited_lists;
use crate::execute::journal_writer::{Durability, Recorder, RecordingPolicy, RunJournal};
use crate::execute::run_handle::RunHandle;
use crate::execute::start::{
    AcceptedRun, Admission, CalledRun, ResumeState, RunRequest, SlotPolicy, StartContext,
};
use crate::key_lock::{KeyGuard, KeyLocks};
use crate::listen::response_stream::RunResponder;
use crate::listen::trigger_listeners::variables_of;
use crate::loaded_workflow::{self, LoadedWorkflow};
use crate::resume::decision::Resolution;
use crate::resume::tokens::ResumeTokens;
use crate::task::spawn_detached;
use crate::{Error, lock};
use engine::{Engine, ExecutionLimits, FailureHandling, RecordedStep, RunOptions, RunOutcome};
use futures::FutureExt as _;
use model::{Items, Object, RunEvent, RunRange, RunStatus, StepChanges, Str};
use node_api::trigger::ReplyMode;
use node_api::{NodeError, StartCause};
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use store::Store;
use store::executions::{CommitWith, NewExecution};
use store::variables::Variable;
use store::workflows::StaticDataChange;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

/// What a trigger has found.
pub(crate) struct PollResult {
    pub(crate) outcome: RunOutcome,
    pub(crate) static_data: Option<StaticDataChange>,
}

pub struct Runner {
    pub(crate) engine: Engine,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) recorder: Arc<Recorder>,
    options: RunOptions,
    slots: Arc<Semaphore>,
    pub(crate) limits: RunLimits,
    pub(crate) n_accepted: AtomicUsize,
    /// What runs that are not over began with, in bytes.
    pub(crate) reserved_bytes: AtomicUsize,
    accounts: RunAccounts,
    pub(crate) running: Mutex<HashMap<i64, CancellationToken>>,
    /// Told each time one of them is over.
    pub(crate) is_over: Notify,
    pub resume_tokens: Arc<ResumeTokens>,
    /// `$vars` of runs that begin from now on.
    variables: Mutex<Vec<Variable>>,
    is_closed: AtomicBool,
    /// Deliveries that are being taken.
    delivery_locks: KeyLocks<String>,
    /// Hears what runs are to know of each other.
    pub(crate) signals: mpsc::UnboundedSender<RunSignal>,
}

impl Runner {
    pub(crate) fn new(
        engine: Engine,
        store: Arc<dyn Store>,
        recorder: Arc<Recorder>,
        options: RunOptions,
        limits: RunLimits,
        tickets: Arc<ResumeTokens>,
        words: mpsc::UnboundedSender<RunSignal>,
    ) -> Arc<Self> {
        let options = RunOptions { addresses: Some(tickets.clone()), ..options };
        let slots = Arc::new(Semaphore::new(limits.max_running));
        let (taken, held, running, variables) =
            (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::default(), Mutex::default());
        let (is_closed, delivery_locks) = (AtomicBool::new(false), KeyLocks::default());
        Arc::new(Self {
            engine,
            store,
            recorder,
            options,
            slots,
            limits,
            n_accepted: taken,
            reserved_bytes: held,
            accounts: RunAccounts::default(),
            running,
            is_over: Notify::new(),
            resume_tokens: tickets,
            variables,
            is_closed,
            delivery_locks,
            signals: words,
        })
    }

    /// Takes a run on and starts it. It counts as accepted once its log is flushed.
    pub fn start(self: &Arc<Self>, start: RunRequest) -> Result<AcceptedRun, Error> {
        Ok(self.accept(start, Admission::default())?.detach())
    }

    /// Takes a run on. It begins when it is waited for, or let go.
    pub(crate) fn accept(
        self: &Arc<Self>,
        start: RunRequest,
        demand: Admission,
    ) -> Result<AcceptedRun, Error> {
        self.accept_with(start, demand, StartContext::default())
    }

    pub(crate) fn start_with(
        self: &Arc<Self>,
        start: RunRequest,
        groundwork: StartContext,
    ) -> Result<AcceptedRun, Error> {
        Ok(self.accept_with(start, Admission::default(), groundwork)?.detach())
    }

    pub(crate) fn accept_with(
        self: &Arc<Self>,
        start: RunRequest,
        demand: Admission,
        mut groundwork: StartContext,
    ) -> Result<AcceptedRun, Error> {
        if self.is_closed.load(Ordering::Relaxed) {
            return Err(Error::Stopping);
        }
        if self.n_accepted.load(Ordering::Relaxed)
            >= self.limits.max_running + self.limits.max_queued
        {
            return Err(Error::Overload);
        }
        let held = match groundwork.reservation.take() {
            Some(held) => held,
            None => self.reserve(demand.bytes)?,
        };
        let workflow = &start.workflow;
        let is_manual = start.mode == "manual";
        let terms = workflow.log_terms(start.mode);
        let begun = NewExecution {
            workflow_id: workflow.id.clone(),
            version_id: workflow.version_id.clone(),
            mode: start.mode.into(),
            started_ms: self.engine.ports.clock.now_ms(),
            retry_of: start.retry_of,
            parent: None,
            is_awaited: false,
            document: groundwork.document.take().or_else(|| workflow.document.clone()),
            static_data: groundwork.static_data.take(),
            saving: terms.saving,
        };
        // The run that goes with it is on its way: the next look is to find what is newer.
        if let Some(data) = &begun.static_data {
            workflow.keep_static_data(data);
        }
        let log = self.recorder.open(begun.clone(), groundwork.commit_with.take(), terms);
        self.recorder.record(
            &log,
            RunEvent::RunStarted {
                run_id: log.run_id(),
                workflow_id: workflow.id.clone(),
                workflow_name: workflow.name.clone(),
                mode: begun.mode.clone(),
                started_ms: begun.started_ms,
                start_node: start.node.clone(),
                items: start.items.clone(),
                extent: start.extent.clone(),
                called_by_model: groundwork.called_by_model,
            },
        );
        self.record_prior_steps(&log, &groundwork);
        let notes = groundwork.noted.map(|(_, notes)| notes).unwrap_or_default();
        let recorded = groundwork.recorded.into();
        let called_by_model = groundwork.called_by_model;
        let extent = start.extent.clone();
        let options = RunOptions {
            extent,
            use_pin_data: is_manual,
            recorded,
            notes,
            called_by_model,
            ..self.options.clone()
        };
        let RunRequest { workflow, cause, node, items, request_id, .. } = start;
        let start = engine::RunStart { cause, node, items };
        let (cancel, turn) = (CancellationToken::new(), SlotPolicy::Acquire);
        let takes = demand.reply;
        Ok(self.spawn(RunTask {
            log,
            workflow,
            start,
            mode: begun.mode,
            options,
            takes,
            held: Some(held),
            cancel,
            turn,
            request_id,
        }))
    }

    /// The journal of a run tells all of it, also what was done before it began.
    fn record_prior_steps(&self, log: &RunJournal, groundwork: &StartContext) {
        let mut runs: HashMap<&Str, usize> = HashMap::new();
        for RecordedStep { node, task, changed, .. } in &groundwork.recorded {
            let count = runs.entry(node).or_default();
            let (node, run_index) = (node.clone(), *count);
            *count += usize::from(task.is_some());
            let started_ms = task.as_ref().map_or(0, |task| task.start_time_ms);
            self.recorder
                .record(log, RunEvent::NodeStarted { node: node.clone(), run_index, started_ms });
            let ended = match task {
                Some(task) => {
                    // What the workflow keeps between runs is not put back to what it was then.
                    let changed = StepChanges { static_data: None, ..changed.clone() };
                    RunEvent::NodeFinished { node, run_index, task: task.clone(), changed }
                }
                None => RunEvent::NodeSilent { node },
            };
            self.recorder.record(log, ended);
        }
        for (node, task) in &groundwork.served {
            self.recorder
                .record(log, RunEvent::SubNodeCalled { node: node.clone(), task: task.clone() });
        }
        let Some((node, notes)) = &groundwork.noted else { return };
        let started_ms = self.engine.ports.clock.now_ms();
        self.recorder
            .record(log, RunEvent::NodeStarted { node: node.clone(), run_index: 0, started_ms });
        for (key, value) in notes.iter() {
            self.recorder.record(
                log,
                RunEvent::StepRecorded {
                    node: node.clone(),
                    key: key.clone(),
                    value: value.clone(),
                },
            );
        }
    }

    /// Starts a run that another one calls. Nothing turns it away: it is part of a run that was
    /// taken on.
    pub(crate) fn start_called(self: &Arc<Self>, called: CalledRun) -> AcceptedRun {
        let CalledRun {
            workflow,
            document,
            caller,
            items,
            cause,
            waits,
            depth,
            called_by_model,
            spending,
            cancel,
        } = called;
        let mut terms = workflow.log_terms(cause.mode());
        // What is done for a run that nobody keeps is not kept either.
        let above = caller
            .filter(|_| cause == StartCause::Workflow)
            .and_then(|caller| self.recorder.saving_of(&caller.execution.to_string()));
        terms.saving = above.map_or(terms.saving, |above| above.and(terms.saving));
        let begun = NewExecution {
            workflow_id: workflow.id.clone(),
            version_id: workflow.version_id.clone(),
            mode: cause.mode().into(),
            started_ms: self.engine.ports.clock.now_ms(),
            retry_of: None,
            parent: caller,
            is_awaited: waits && caller.is_some(),
            document,
            static_data: None,
            saving: terms.saving,
        };
        if let Some(caller) = caller {
            self.accounts.keep(caller.execution, spending.account());
        }
        let mode = begun.mode.clone();
        let (workflow_id, started_ms) = (begun.workflow_id.clone(), begun.started_ms);
        let log = self.recorder.open(begun, None, terms);
        let started = RunEvent::RunStarted {
            run_id: log.run_id(),
            workflow_id,
            workflow_name: workflow.name.clone(),
            mode: mode.clone(),
            started_ms,
            start_node: None,
            items: Some(items.clone()),
            extent: RunRange::default(),
            called_by_model,
        };
        self.recorder.record(&log, started);
        let options = RunOptions {
            use_pin_data: false,
            depth,
            called_by_model,
            spends_for: Some(spending),
            ..self.options.clone()
        };
        let start = engine::RunStart { cause, node: None, items: Some(items) };
        // Were it to wait for a turn of its own, callers could take all turns and wait for ever.
        let turn = if waits { SlotPolicy::Inherit } else { SlotPolicy::Acquire };
        let (takes, request_id) = (ReplyMode::default(), Str::new());
        self.spawn(RunTask {
            log,
            workflow,
            start,
            mode,
            options,
            takes,
            held: None,
            cancel,
            turn,
            request_id,
        })
        .detach()
    }

    /// Lets a trigger look for news. Nothing of it is recorded, and what it remembers is up to
    /// whoever asked.
    pub(crate) async fn poll_trigger(
        &self,
        workflow: &LoadedWorkflow,
        node: &Str,
        longest_ms: u64,
        cancel: CancellationToken,
    ) -> PollResult {
        let before = workflow.static_data();
        let outcome =
            self.run_unrecorded(workflow, node, None, "trigger", longest_ms, cancel).await;
        let static_data = loaded_workflow::changes(&before, &outcome.static_data);
        PollResult { outcome, static_data }
    }

    /// Asks a trigger something that starts no run, such as what was said before. Nothing of it is
    /// recorded or remembered.
    pub(crate) async fn ask_trigger(
        &self,
        workflow: &LoadedWorkflow,
        node: &Str,
        items: Items,
        longest_ms: u64,
    ) -> RunOutcome {
        self.run_unrecorded(
            workflow,
            node,
            Some(items),
            "webhook",
            longest_ms,
            CancellationToken::new(),
        )
        .await
    }

    async fn run_unrecorded(
        &self,
        workflow: &LoadedWorkflow,
        node: &Str,
        items: Option<Items>,
        mode: &str,
        longest_ms: u64,
        cancel: CancellationToken,
    ) -> RunOutcome {
        let _slot = self.slots.acquire().await;
        let limits = &self.options.limits;
        let options = RunOptions {
            // No log is open under this name, so that its events lead nowhere.
            run_id: "look".into(),
            acting_workflow: workflow.id.clone(),
            variables: self.variables_of(&workflow.project_id),
            mode: mode.into(),
            static_data: Some(workflow.static_data()),
            extent: RunRange::until(Some(node.clone())),
            use_pin_data: false,
            failures: FailureHandling::Caller,
            limits: ExecutionLimits {
                timeout_ms: Some(limits.timeout_ms.unwrap_or(longest_ms).min(longest_ms)),
                ..limits.clone()
            },
            ..self.options.clone()
        };
        let start = engine::RunStart { cause: StartCause::Hand, node: Some(node.clone()), items };
        self.engine.run(workflow.plan.clone(), start, options, cancel).await
    }

    /// Goes on with a run that was cut off or slept, for whoever takes this of it.
    pub(crate) fn resume(
        self: &Arc<Self>,
        past: ResumeState,
        settled: Resolution,
        takes: ReplyMode,
        turn: SlotPolicy,
    ) -> AcceptedRun {
        let terms = RecordingPolicy {
            saving: past.execution.started.saving,
            ..past.workflow.log_terms(&past.mode)
        };
        let log = self.recorder.reopen(&past.execution, past.written, terms);
        // What was decided comes first: the run goes on with it.
        for event in settled.events {
            self.recorder.record(&log, event);
        }
        if past.wakes {
            self.recorder.record(&log, RunEvent::RunResumed { items: past.woken_by });
        }
        let options = RunOptions {
            extent: past.extent,
            // As when it began: what is pinned is for trying out.
            use_pin_data: past.mode == "manual",
            recorded: past.recorded,
            notes: past.notes,
            supplied_output: settled.output,
            account: Some(self.accounts.open(log.id(), past.spent)),
            depth: past.callers.len(),
            spends_for: self.accounts.of_callers(&past.callers),
            called_by_model: past.called_by_model,
            ..self.options.clone()
        };
        let start = engine::RunStart { cause: past.cause, node: past.node, items: past.items };
        let cancel = CancellationToken::new();
        let (workflow, mode, request_id) = (past.workflow, past.mode, Str::new());
        self.spawn(RunTask {
            log,
            workflow,
            start,
            mode,
            options,
            takes,
            held: None,
            cancel,
            turn,
            request_id,
        })
        .detach()
    }

    fn spawn(self: &Arc<Self>, course: RunTask) -> AcceptedRun {
        let RunTask { log, workflow, start, mode, options, takes, held, cancel, turn, request_id } =
            course;
        let (caller, answer, pieces) =
            RunResponder::new(takes, Some((self.recorder.clone(), log.clone())));
        let caller = Arc::new(caller);
        let id = log.id();
        let own_engine =
            inherited_lists::engine_for(&self.engine, &options.recorded, start.items.as_ref());
        let mut options = RunOptions {
            run_id: log.run_id(),
            acting_workflow: workflow.id.clone(),
            variables: self.variables_of(&workflow.project_id),
            mode,
            start_recorded: true,
            responder: Some(caller.clone()),
            wait_inline: false,
            ..options
        };
        let mut place = RunGuard::new(self.clone(), log.clone(), cancel.clone(), held);
        let runner = self.clone();
        let kept = log.clone();
        let run = async move {
            let is_called = matches!(turn, SlotPolicy::Inherit);
            let _slot = match turn {
                SlotPolicy::Has(slot) => Some(Ok(slot)),
                // One that is stopped while it waits does not wait for its end as well.
                SlotPolicy::Acquire => {
                    cancel.run_until_cancelled(runner.slots.clone().acquire_owned()).await
                }
                SlotPolicy::Inherit => None,
            };
            if kept.is_resumed() && kept.durability() == Durability::Ends {
                // On disk it would still sleep, and nobody could tell that it was active when the
                // process died.
                let _ = runner.recorder.flush(&kept).await;
            }
            // Whatever others have changed while it waited for its turn is there.
            options.static_data = Some(workflow.static_data());
            let engine = own_engine.as_deref().unwrap_or(&runner.engine);
            let (run_id, mode) = (options.run_id.clone(), options.mode.clone());
            let ran = AssertUnwindSafe(engine.run(workflow.plan.clone(), start, options, cancel))
                .catch_unwind()
                .await;
            let outcome =
                ran.unwrap_or_else(|_| runner.record_panic(&kept, &workflow, run_id, mode));
            if outcome.error.is_some() {
                caller.fail(&outcome, &workflow).await;
            } else if outcome.asks {
                caller.wait(&outcome, &workflow).await;
            }
            drop(caller);
            if let Some(parts) = &outcome.unrecorded_static_data {
                kept.change_static_data(parts);
            }
            place.release_memory();
            let is_harmless = workflow.durability == Durability::Ends
                && !kept.has_static_data()
                && outcome.status != RunStatus::Waiting;
            // Its caller need not wait for the disk: were the end of such a run lost, it would be
            // run again and nobody could tell.
            if is_called && is_harmless {
                let outcome = outcome.clone();
                tokio::spawn(
                    async move { runner.finish(place, &workflow, &outcome, &request_id).await }
                        .in_current_span(),
                );
            } else {
                runner.finish(place, &workflow, &outcome, &request_id).await;
            }
            outcome
        };
        // What is logged about the run names the request that it began with.
        let outcome = RunHandle::new(run.in_current_span());
        AcceptedRun { id, log, answer, chunks: pieces, outcome }
    }

    /// The decrypted fields of a credential that a node of a workflow names.
    pub fn credential(
        &self,
        workflow: &LoadedWorkflow,
        node: &str,
        kind: &str,
    ) -> Result<Object, NodeError> {
        let id = workflow
            .plan
            .node(node)
            .and_then(|node| node.chosen_credential(kind))
            .ok_or_else(|| NodeError::no_credential(kind))?;
        self.engine.ports.credentials.get(&workflow.id, kind, id)
    }

    /// `true` if they were others before.
    pub(crate) fn set_variables(&self, variables: Vec<Variable>) -> bool {
        let mut known = lock(&self.variables);
        let have_changed = *known != variables;
        *known = variables;
        have_changed
    }

    pub(crate) fn variables_of(&self, project: &str) -> Object {
        variables_of(&lock(&self.variables), project)
    }

    /// How runs go unless something else is said.
    pub(crate) fn options(&self) -> &RunOptions {
        &self.options
    }

    /// Takes no run on from now on.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Starts a run for a delivery, unless it was taken before. It is noted together with the
    /// beginning of the run, so that a delivery that a crash cut off is taken when it is sent
    /// again, and no other is. Whoever brings the same one meanwhile waits for what becomes of it;
    /// a caller who has gone does not leave it half taken.
    pub(crate) async fn start_once(
        self: &Arc<Self>,
        key: String,
        start: RunRequest,
        demand: Admission,
    ) -> Result<Option<AcceptedRun>, Error> {
        // Those that wait for each other take memory as well.
        let held = Some(self.reserve(demand.bytes)?);
        let guard = self.delivery_locks.lock(key).await;
        let along = Some(CommitWith::Delivery(guard.key().as_str().into()));
        let groundwork =
            StartContext { commit_with: along, reservation: held, ..StartContext::default() };
        let runner = self.clone();
        spawn_detached(async move { runner.take_delivery(&guard, start, demand, groundwork).await })
            .await
    }

    async fn take_delivery(
        self: &Arc<Self>,
        guard: &KeyGuard<String>,
        start: RunRequest,
        demand: Admission,
        groundwork: StartContext,
    ) -> Result<Option<AcceptedRun>, Error> {
        if self.store.is_delivered(guard.key()).await? {
            return Ok(None);
        }
        let taken = self.accept_with(start, demand, groundwork)?.detach();
        self.wait_accepted(&taken.log).await?;
        Ok(Some(taken))
    }

    /// Stops a run; `false` if it is not going on here.
    pub fn cancel(&self, id: i64) -> bool {
        let token = lock(&self.running).get(&id).cloned();
        token.inspect(CancellationToken::cancel).is_some()
    }

    /// Whether a run goes on here.
    pub fn is_running(&self, id: i64) -> bool {
        lock(&self.running).contains_key(&id)
    }

    /// Waits until it does not.
    pub(crate) async fn wait_stopped(&self, id: i64) {
        loop {
            let over = self.is_over.notified();
            if !self.is_running(id) {
                return;
            }
            over.await;
        }
    }

    /// The runs that go on here.
    pub(crate) fn running(&self) -> Vec<i64> {
        lock(&self.running).keys().copied().collect()
    }

    /// A slot for a run, once there is one; `None` if there never will be.
    pub(crate) async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        self.slots.clone().acquire_owned().await.ok()
    }

    /// A slot for a run, if there is one.
    pub(crate) fn free_slot(&self) -> Option<OwnedSemaphorePermit> {
        self.slots.clone().try_acquire_owned().ok()
    }

    /// How many runs go on or wait for their turn.
    pub fn in_progress(&self) -> usize {
        self.n_accepted.load(Ordering::Relaxed)
    }

    /// How many runs have their turn.
    pub fn slots_in_use(&self) -> usize {
        self.limits.max_running.saturating_sub(self.slots.available_permits())
    }
}

/// A run on its way.
struct RunTask {
    log: Arc<RunJournal>,
    workflow: Arc<LoadedWorkflow>,
    start: engine::RunStart,
    mode: Str,
    options: RunOptions,
    takes: ReplyMode,
    held: Option<RunReservation>,
    cancel: CancellationToken,
    turn: SlotPolicy,
    request_id: Str,
}
