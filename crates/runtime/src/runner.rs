//! Starts runs, keeps them within bounds, and sees them to their end.

use crate::decision::Settled;
use crate::going::Going;
use crate::loaded::{self, Loaded};
use crate::log::{Durability, Recorder, RunLog, Saving, Written};
use crate::routes::Hook;
use crate::stream::{Caller, Pieces};
use crate::ticket::Tickets;
use crate::{Error, lock};
use engine::{Engine, Failures, Limits, Outcome, Recorded, RunOptions, Spending};
use model::{Extent, Item, Items, Object, RunEvent, RunStatus, SpentSum, Str, TaskData, Value};
use node_api::trigger::{Answer, Takes};
use node_api::{NodeError, StartedBy};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use store::Store;
use store::executions::{Along, Begun, CalledFrom, Execution};
use store::variables::Variable;
use store::workflows::StaticData;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

/// How many runs go on at once, and how many may wait for their turn.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    pub at_once: usize,
    pub waiting: usize,
    /// How much the bodies that runs began with may take together.
    pub held_bytes: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { at_once: 512, waiting: 10_000, held_bytes: 1 << 30 }
    }
}

/// A run that is to begin.
pub struct Start {
    pub workflow: Arc<Loaded>,
    pub cause: StartedBy,
    pub node: Option<Str>,
    pub items: Option<Items>,
    /// n8n's word for what started it: `webhook`, `trigger`, `manual` …
    pub mode: &'static str,
    pub retry_of: Option<i64>,
    pub extent: Extent,
    /// What the log calls the request that it begins with, if there is one.
    pub request_id: Str,
}

impl Start {
    /// A run that a trigger starts by itself.
    pub(crate) fn of_trigger(workflow: &Arc<Loaded>, node: &Str, items: Option<Items>) -> Self {
        Self {
            workflow: workflow.clone(),
            cause: StartedBy::Hand,
            node: Some(node.clone()),
            items,
            mode: "trigger",
            retry_of: None,
            extent: Extent::default(),
            request_id: Str::new(),
        }
    }

    /// A run that a call of an address starts.
    pub(crate) fn of_call(hook: &Hook, item: Item) -> Self {
        Self {
            workflow: hook.workflow.clone(),
            cause: StartedBy::Hand,
            node: Some(hook.node.clone()),
            items: Some(Items::one(item)),
            mode: if hook.trial.is_some() { "manual" } else { "webhook" },
            retry_of: None,
            extent: hook.trial.as_ref().map(|trial| trial.extent.clone()).unwrap_or_default(),
            request_id: Str::new(),
        }
    }
}

/// A run that another one calls.
pub(crate) struct CalledRun {
    pub(crate) workflow: Arc<Loaded>,
    /// The workflow itself, if it is none that is stored.
    pub(crate) document: Option<Str>,
    pub(crate) caller: Option<CalledFrom>,
    pub(crate) items: Items,
    pub(crate) cause: StartedBy,
    /// Whether its caller stands still for it.
    pub(crate) waits: bool,
    pub(crate) depth: usize,
    /// On whose account it spends.
    pub(crate) spending: Arc<Spending>,
    pub(crate) cancel: CancellationToken,
}

/// What was done for a run before it began.
#[derive(Default)]
pub(crate) struct Groundwork {
    /// What the look that found its items remembers, to be kept together with the run.
    pub(crate) static_data: Option<StaticData>,
    /// Steps that were taken already.
    pub(crate) recorded: Vec<Recorded>,
    /// What other nodes did for those.
    pub(crate) served: Vec<(Str, Arc<TaskData>)>,
    /// The step after them, and what it has noted.
    pub(crate) noted: Option<(Str, Object)>,
    /// The workflow itself, if it is none that is stored.
    pub(crate) document: Option<Str>,
    /// On disk if and only if the beginning of the run is.
    pub(crate) along: Option<Along>,
}

impl From<Along> for Groundwork {
    fn from(along: Along) -> Self {
        Self { along: Some(along), ..Self::default() }
    }
}

/// What a trigger has found.
pub(crate) struct Looked {
    pub(crate) outcome: Outcome,
    pub(crate) static_data: Option<StaticData>,
}

/// What a run takes and gives besides its items.
#[derive(Clone, Copy, Debug, Default)]
pub struct Demand {
    /// The size of what it begins with.
    pub weight: usize,
    /// What its caller takes while it goes on.
    pub takes: Takes,
}

/// A run that has been taken on. It goes on whether or not anybody waits for it.
pub struct Taken {
    pub id: i64,
    pub log: Arc<RunLog>,
    /// What a node answers; gone without an answer when the run ends without one.
    pub answer: oneshot::Receiver<Answer>,
    /// The pieces of the answer, if its caller takes them.
    pub pieces: Option<Pieces>,
    pub outcome: Going,
}

impl Taken {
    /// Lets the run begin, and go on by itself.
    pub(crate) fn let_go(mut self) -> Self {
        self.outcome.let_go();
        self
    }
}

pub struct Runner {
    engine: Engine,
    store: Arc<dyn Store>,
    recorder: Arc<Recorder>,
    options: RunOptions,
    slots: Arc<Semaphore>,
    limits: RunLimits,
    taken: AtomicUsize,
    /// What runs that are not over began with, in bytes.
    held: AtomicUsize,
    running: Mutex<HashMap<i64, CancellationToken>>,
    pub tickets: Arc<Tickets>,
    /// `$vars` of runs that begin from now on.
    variables: Mutex<Vec<Variable>>,
    is_closed: AtomicBool,
    /// Deliveries that are being taken.
    arriving: Mutex<HashSet<String>>,
    /// Runs about which something was decided while they were at work.
    decided: Mutex<HashSet<i64>>,
    /// Hears what runs are to know of each other.
    words: mpsc::UnboundedSender<Word>,
}

impl Runner {
    pub(crate) fn new(
        engine: Engine,
        store: Arc<dyn Store>,
        recorder: Arc<Recorder>,
        options: RunOptions,
        limits: RunLimits,
        tickets: Arc<Tickets>,
        words: mpsc::UnboundedSender<Word>,
    ) -> Arc<Self> {
        let options = RunOptions { addresses: Some(tickets.clone()), ..options };
        let slots = Arc::new(Semaphore::new(limits.at_once));
        let (taken, held, running, variables) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::default(), Mutex::default());
        let (is_closed, arriving, decided) = (AtomicBool::new(false), Mutex::default(), Mutex::default());
        Arc::new(Self {
            engine,
            store,
            recorder,
            options,
            slots,
            limits,
            taken,
            held,
            running,
            tickets,
            variables,
            is_closed,
            arriving,
            decided,
            words,
        })
    }

    /// Takes a run on and starts it. It counts as accepted once its log is flushed.
    pub fn start(self: &Arc<Self>, start: Start) -> Result<Taken, Error> {
        Ok(self.take_on(start, Demand::default())?.let_go())
    }

    /// Takes a run on. It begins when it is waited for, or let go.
    pub(crate) fn take_on(self: &Arc<Self>, start: Start, demand: Demand) -> Result<Taken, Error> {
        self.take_on_after(start, demand, Groundwork::default())
    }

    pub(crate) fn start_after(self: &Arc<Self>, start: Start, groundwork: Groundwork) -> Result<Taken, Error> {
        Ok(self.take_on_after(start, Demand::default(), groundwork)?.let_go())
    }

    pub(crate) fn take_on_after(self: &Arc<Self>, start: Start, demand: Demand, mut groundwork: Groundwork) -> Result<Taken, Error> {
        if self.is_closed.load(Ordering::Relaxed) {
            return Err(Error::Stopping);
        }
        if self.taken.load(Ordering::Relaxed) >= self.limits.at_once + self.limits.waiting {
            return Err(Error::Overload);
        }
        if self.held.load(Ordering::Relaxed).saturating_add(demand.weight) > self.limits.held_bytes {
            return Err(Error::Overload);
        }
        let workflow = &start.workflow;
        let is_manual = start.mode == "manual";
        let begun = Begun {
            workflow_id: workflow.id.clone(),
            version_id: workflow.version_id.clone(),
            mode: start.mode.into(),
            started_ms: self.engine.ports.clock.now_ms(),
            retry_of: start.retry_of,
            parent: None,
            document: groundwork.document.take().or_else(|| workflow.document.clone()),
            static_data: groundwork.static_data.take(),
        };
        // The run that goes with it is on its way: the next look is to find what is newer.
        if let Some(data) = &begun.static_data {
            workflow.keep_static_data(data);
        }
        let keeps_none = Saving { successes: false, failures: false };
        let saving = if is_manual && !workflow.saves_manual { keeps_none } else { workflow.saving };
        let log = self.recorder.open(begun.clone(), groundwork.along.take(), workflow.durability, saving);
        self.recorder.note(
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
            },
        );
        self.note_recorded(&log, &groundwork);
        let notes = groundwork.noted.map(|(_, notes)| notes).unwrap_or_default();
        let recorded = groundwork.recorded.into();
        let options = RunOptions { extent: start.extent.clone(), use_pin_data: is_manual, recorded, notes, ..self.options.clone() };
        let Start { workflow, cause, node, items, request_id, .. } = start;
        let start = engine::Start { cause, node, items };
        let (cancel, turn) = (CancellationToken::new(), Turn::IsWaitedFor);
        Ok(self.set_out(Course { log, workflow, start, mode: begun.mode, options, demand, cancel, turn, request_id }))
    }

    /// The journal of a run tells all of it, also what was done before it began.
    fn note_recorded(&self, log: &RunLog, groundwork: &Groundwork) {
        let mut runs: HashMap<&Str, usize> = HashMap::new();
        for Recorded { node, task, changed, .. } in &groundwork.recorded {
            let count = runs.entry(node).or_default();
            let (node, run_index) = (node.clone(), *count);
            *count += usize::from(task.is_some());
            let started_ms = task.as_ref().map_or(0, |task| task.start_time_ms);
            self.recorder.note(log, RunEvent::NodeStarted { node: node.clone(), run_index, started_ms });
            let ended = match task {
                Some(task) => RunEvent::NodeFinished { node, run_index, task: task.clone(), changed: changed.clone() },
                None => RunEvent::NodeSilent { node },
            };
            self.recorder.note(log, ended);
        }
        for (node, task) in &groundwork.served {
            self.recorder.note(log, RunEvent::NodeServed { node: node.clone(), task: task.clone() });
        }
        let Some((node, notes)) = &groundwork.noted else { return };
        let started_ms = self.engine.ports.clock.now_ms();
        self.recorder.note(log, RunEvent::NodeStarted { node: node.clone(), run_index: 0, started_ms });
        for (key, value) in notes.iter() {
            self.recorder.note(log, RunEvent::NodeNoted { node: node.clone(), key: key.clone(), value: value.clone() });
        }
    }

    /// Starts a run that another one calls. Nothing turns it away: it is part of a run that was taken on.
    pub(crate) fn start_called(self: &Arc<Self>, called: CalledRun) -> Taken {
        let CalledRun { workflow, document, caller, items, cause, waits, depth, spending, cancel } = called;
        let begun = Begun {
            workflow_id: workflow.id.clone(),
            version_id: workflow.version_id.clone(),
            mode: cause.mode().into(),
            started_ms: self.engine.ports.clock.now_ms(),
            retry_of: None,
            parent: caller,
            document,
            static_data: None,
        };
        // What is done for a run that nobody keeps is not kept either.
        let above =
            caller.filter(|_| cause == StartedBy::Workflow).and_then(|caller| self.recorder.saving_of(&caller.execution.to_string()));
        let saving = above.map_or(workflow.saving, |above| above.and(workflow.saving));
        let mode = begun.mode.clone();
        let (workflow_id, started_ms) = (begun.workflow_id.clone(), begun.started_ms);
        let log = self.recorder.open(begun, None, workflow.durability, saving);
        let started = RunEvent::RunStarted {
            run_id: log.run_id(),
            workflow_id,
            workflow_name: workflow.name.clone(),
            mode: mode.clone(),
            started_ms,
            start_node: None,
            items: Some(items.clone()),
            extent: Extent::default(),
        };
        self.recorder.note(&log, started);
        let options = RunOptions { use_pin_data: false, depth, spends_for: Some(spending), ..self.options.clone() };
        let start = engine::Start { cause, node: None, items: Some(items) };
        // Were it to wait for a turn of its own, callers could take all turns and wait for ever.
        let turn = if waits { Turn::OfCaller } else { Turn::IsWaitedFor };
        self.set_out(Course { log, workflow, start, mode, options, demand: Demand::default(), cancel, turn, request_id: Str::new() })
            .let_go()
    }

    /// Lets a trigger look for news. Nothing of it is recorded, and what it remembers is up to whoever asked.
    pub(crate) async fn look(&self, workflow: &Loaded, node: &Str, longest_ms: u64, cancel: CancellationToken) -> Looked {
        let before = workflow.static_data();
        let outcome = self.run_alone(workflow, node, None, "trigger", longest_ms, cancel).await;
        let static_data = loaded::changes(&before, &outcome.static_data);
        Looked { outcome, static_data }
    }

    /// Asks a trigger something that starts no run, such as what was said before. Nothing of it is recorded or remembered.
    pub(crate) async fn ask_trigger(&self, workflow: &Loaded, node: &Str, items: Items, longest_ms: u64) -> Outcome {
        self.run_alone(workflow, node, Some(items), "webhook", longest_ms, CancellationToken::new()).await
    }

    async fn run_alone(
        &self,
        workflow: &Loaded,
        node: &Str,
        items: Option<Items>,
        mode: &str,
        longest_ms: u64,
        cancel: CancellationToken,
    ) -> Outcome {
        let _slot = self.slots.acquire().await;
        let limits = &self.options.limits;
        let options = RunOptions {
            // No log is open under this name, so that its events lead nowhere.
            run_id: "look".into(),
            stands_for: workflow.id.clone(),
            variables: self.variables_of(&workflow.project_id),
            mode: mode.into(),
            static_data: Some(workflow.static_data()),
            extent: Extent::until(Some(node.clone())),
            use_pin_data: false,
            failures: Failures::AreOurs,
            limits: Limits { timeout_ms: Some(limits.timeout_ms.unwrap_or(longest_ms).min(longest_ms)), ..limits.clone() },
            ..self.options.clone()
        };
        let start = engine::Start { cause: StartedBy::Hand, node: Some(node.clone()), items };
        self.engine.run(workflow.plan.clone(), start, options, cancel).await
    }

    /// Goes on with a run that was cut off or slept, for whoever takes this of it.
    pub(crate) fn resume(self: &Arc<Self>, past: Past, settled: Settled, takes: Takes) -> Taken {
        let log = self.recorder.reopen(&past.execution, past.written, past.workflow.durability);
        // What was decided comes first: the run goes on with it.
        for event in settled.events {
            self.recorder.note(&log, event);
        }
        if past.wakes {
            self.recorder.note(&log, RunEvent::RunResumed { items: past.woken_by });
        }
        let options = RunOptions {
            extent: past.extent,
            // As when it began: what is pinned is for trying out.
            use_pin_data: past.mode == "manual",
            recorded: past.recorded,
            notes: past.notes,
            given: settled.given,
            spent: past.spent,
            depth: past.depth,
            ..self.options.clone()
        };
        let start = engine::Start { cause: past.cause, node: past.node, items: past.items };
        let (cancel, turn) = (CancellationToken::new(), Turn::IsWaitedFor);
        let demand = Demand { takes, ..Demand::default() };
        let (workflow, mode, request_id) = (past.workflow, past.mode, Str::new());
        self.set_out(Course { log, workflow, start, mode, options, demand, cancel, turn, request_id }).let_go()
    }

    fn set_out(self: &Arc<Self>, course: Course) -> Taken {
        let Course { log, workflow, start, mode, options, demand, cancel, turn, request_id } = course;
        let (caller, answer, pieces) = Caller::new(demand.takes, Some((self.recorder.clone(), log.clone())));
        let caller = Arc::new(caller);
        let id = log.id();
        let static_data = workflow.static_data();
        let options = RunOptions {
            run_id: log.run_id(),
            stands_for: workflow.id.clone(),
            variables: self.variables_of(&workflow.project_id),
            mode,
            is_announced: true,
            static_data: Some(static_data.clone()),
            responder: Some(caller.clone()),
            sits_out_waits: false,
            ..options
        };
        lock(&self.running).insert(id, cancel.clone());
        self.taken.fetch_add(1, Ordering::Relaxed);
        self.held.fetch_add(demand.weight, Ordering::Relaxed);
        let runner = self.clone();
        let kept = log.clone();
        let run = async move {
            let _slot = match turn {
                Turn::IsWaitedFor => Some(runner.slots.clone().acquire_owned().await),
                Turn::OfCaller => None,
            };
            let outcome = runner.engine.run(workflow.plan.clone(), start, options, cancel).await;
            if outcome.error.is_some() {
                caller.fail(&outcome, &workflow).await;
            } else if outcome.asks {
                caller.wait(&outcome, &workflow).await;
            }
            drop(caller);
            let changed = loaded::changes(&static_data, &outcome.static_data);
            runner.held.fetch_sub(demand.weight, Ordering::Relaxed);
            let is_harmless = workflow.durability == Durability::Ends && changed.is_none() && outcome.status != RunStatus::Waiting;
            // Its caller need not wait for the disk: were the end of such a run lost, it would be run again and nobody could tell.
            if turn == Turn::OfCaller && is_harmless {
                let outcome = outcome.clone();
                tokio::spawn(async move { runner.finish(&kept, &workflow, &outcome, changed, &request_id).await }.in_current_span());
            } else {
                runner.finish(&kept, &workflow, &outcome, changed, &request_id).await;
            }
            outcome
        };
        // What is logged about the run names the request that it began with.
        let outcome = Going::new(run.in_current_span());
        Taken { id, log, answer, pieces, outcome }
    }

    async fn finish(&self, log: &Arc<RunLog>, workflow: &Loaded, outcome: &Outcome, changed: Option<StaticData>, request: &str) {
        if let Some(data) = changed.filter(|_| outcome.mode != "manual" && workflow.is_stored && log.refusal().is_none()) {
            workflow.keep_static_data(&data);
            self.save_static_data(log, workflow, data).await;
        }
        match self.recorder.flush(log).await {
            Ok(()) => log_end(log.id(), workflow, outcome, request),
            // Whoever started it has been told.
            Err(_) if log.refusal().is_some() => {}
            Err(error) => tracing::error!(%error, execution = log.id(), "The end of a run could not be written."),
        }
        self.recorder.close(log);
        lock(&self.running).remove(&log.id());
        self.taken.fetch_sub(1, Ordering::Relaxed);
        let is_decided = lock(&self.decided).remove(&log.id());
        let called = outcome.waits_for.as_ref().and_then(|id| id.parse().ok());
        match (outcome.status, called) {
            // From here on it can be woken; what it waits for may have ended meanwhile.
            (RunStatus::Waiting, _) if is_decided => self.say(Word::IsDecided(log.id())),
            (RunStatus::Waiting, Some(_)) => self.say(Word::MayGoOn(log.id())),
            (RunStatus::Waiting, None) => {}
            (_, called) => {
                // It was stopped while it went to sleep.
                if let Some(called) = called {
                    self.say(Word::IsAbandoned(called));
                }
                self.tell_caller(log.parent());
            }
        }
    }

    /// Something was decided about a run that is at work: it is woken when it goes to sleep.
    pub(crate) fn wake_when_asleep(&self, id: i64) {
        lock(&self.decided).insert(id);
    }

    /// Says something to whoever looks after runs that call each other. With nobody there, the next start finds out.
    pub(crate) fn say(&self, word: Word) {
        let _ = self.words.send(word);
    }

    /// Tells whoever called a run that it is over, or that a person must decide.
    pub(crate) fn tell_caller(&self, caller: Option<CalledFrom>) {
        if let Some(caller) = caller {
            self.say(Word::MayGoOn(caller.execution));
        }
    }

    async fn save_static_data(&self, log: &Arc<RunLog>, workflow: &Loaded, data: StaticData) {
        while let Err(error) = self.store.save_static_data(&workflow.id, data.clone()).await {
            // The log decides whether the run is turned away or waits for the disk.
            if !error.may_pass() || self.recorder.flush(log).await.is_err() {
                tracing::error!(%error, workflow = %workflow.id, "Static data could not be saved.");
                return;
            }
        }
    }

    /// Returns once the run is on disk: from now on it is not lost. If it cannot be written it is turned away.
    pub async fn accepted(&self, log: &Arc<RunLog>) -> Result<(), Error> {
        let written = self.written(log).await;
        if written.is_err() {
            self.cancel(log.id());
        }
        written
    }

    /// Returns once everything that has happened in a run so far is on disk.
    pub async fn written(&self, log: &Arc<RunLog>) -> Result<(), Error> {
        Ok(self.recorder.flush(log).await?)
    }

    /// The decrypted fields of a credential that a node of a workflow names.
    pub fn credential(&self, workflow: &Loaded, node: &str, kind: &str) -> Result<Object, NodeError> {
        let chosen = workflow.plan.node(node).and_then(|node| node.credentials.get(kind));
        let id = chosen.and_then(|chosen| chosen.get("id")).and_then(Value::as_str);
        self.engine.ports.credentials.get(&workflow.id, kind, id)
    }

    pub(crate) fn set_variables(&self, variables: Vec<Variable>) {
        *lock(&self.variables) = variables;
    }

    /// Those of everybody, and over them those of a project.
    pub(crate) fn variables_of(&self, project: &str) -> Object {
        let all = lock(&self.variables);
        let of = |wanted: Option<&str>| {
            let fitting = all.iter().filter(move |variable| variable.project_id.as_deref() == wanted);
            fitting.map(|variable| (variable.key.clone(), Value::from(variable.value.clone()))).collect::<Vec<_>>()
        };
        of(None).into_iter().chain(of(Some(project))).collect()
    }

    /// How runs go unless something else is said.
    pub(crate) fn options(&self) -> &RunOptions {
        &self.options
    }

    /// Takes no run on from now on.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Starts a run for a delivery, unless it was taken before or is being taken now. It is noted together with the beginning
    /// of the run, so that a delivery that a crash cut off is taken when it is sent again, and no other is.
    pub(crate) async fn start_once(self: &Arc<Self>, key: String, start: Start, demand: Demand) -> Result<Option<Taken>, Error> {
        if !lock(&self.arriving).insert(key.clone()) {
            return Ok(None);
        }
        let taken = self.take_delivery(&key, start, demand).await;
        lock(&self.arriving).remove(&key);
        taken
    }

    async fn take_delivery(self: &Arc<Self>, key: &str, start: Start, demand: Demand) -> Result<Option<Taken>, Error> {
        if self.store.is_delivered(key).await? {
            return Ok(None);
        }
        let taken = self.take_on_after(start, demand, Along::Delivery(key.into()).into())?.let_go();
        self.accepted(&taken.log).await?;
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

    /// How many runs go on or wait for their turn.
    pub fn in_progress(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// How many runs have their turn.
    pub fn at_work(&self) -> usize {
        self.limits.at_once.saturating_sub(self.slots.available_permits())
    }
}

/// The one line about a run. Messages of errors may quote data, so that only their codes are told.
fn log_end(id: i64, workflow: &Loaded, outcome: &Outcome, request: &str) {
    let (status, mode) = (outcome.status.name(), outcome.mode.as_str());
    let milliseconds = outcome.finished_ms - outcome.started_ms;
    match &outcome.error {
        None => {
            tracing::debug!(execution = id, workflow = %workflow.id, name = %workflow.name, mode, status, milliseconds, "Execution finished.")
        }
        Some(error) => {
            let node = error.node.as_deref().unwrap_or_default();
            tracing::warn!(execution = id, workflow = %workflow.id, name = %workflow.name, mode, status, milliseconds, code = error.code.name(), node, request, "Execution failed.");
        }
    }
}

/// What one run is to know of another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    /// What this run waits for may be over.
    MayGoOn(i64),
    /// Nobody waits for this run any more.
    IsAbandoned(i64),
    /// Something was decided about this run before it went to sleep.
    IsDecided(i64),
}

/// A run on its way.
struct Course {
    log: Arc<RunLog>,
    workflow: Arc<Loaded>,
    start: engine::Start,
    mode: Str,
    options: RunOptions,
    demand: Demand,
    cancel: CancellationToken,
    turn: Turn,
    request_id: Str,
}

/// When a run may begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// When fewer run than may.
    IsWaitedFor,
    /// At once: whoever called it has a turn and stands still.
    OfCaller,
}

/// What is known of a run that is to go on.
pub(crate) struct Past {
    pub execution: Execution,
    pub depth: usize,
    pub workflow: Arc<Loaded>,
    pub cause: StartedBy,
    pub node: Option<Str>,
    pub items: Option<Items>,
    pub mode: Str,
    pub extent: Extent,
    pub recorded: VecDeque<Recorded>,
    /// What the step that was cut off has noted.
    pub notes: Object,
    /// What it spent on models.
    pub spent: SpentSum,
    pub written: Written,
    /// It slept, and this is what woke it.
    pub wakes: bool,
    pub woken_by: Option<Items>,
}
