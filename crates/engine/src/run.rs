//! Runs a plan: takes nodes off the stack, executes them, and puts their successors on it.

mod code;
mod connected_tools;
mod destination_match;
mod egress_check;
mod execution_stack;
pub(crate) mod host;
mod knowledge_record;
mod memory_record;
mod metering;
mod node_http;
mod node_tool;
mod replay;
mod step;
mod sub_nodes;
mod subnode_record;
mod subworkflow;
mod suspend;
mod tool_call;
mod tool_host;

pub use connected_tools::ConnectedTools;
pub use step::TRIES;

use self::step::WorkSize;
use crate::budget::{Spender, Spending};
use crate::options::{FailureHandling, RecordedStep, RunOptions};
use crate::outcome::RunOutcome;
use crate::plan::Plan;
use crate::ports::{CallSite, CallTarget, JournalError, SharedPorts, SubworkflowCall};
use crate::scope::{RunData, Vars};
use compute::{Allowance, Offload};
pub(crate) use execution_stack::{ExecutionStack, ScheduledNode};
use expr::Evaluator;
use model::{
    Code, Item, Items, Object, RunError, RunEvent, RunStatus, Source, Spill, SpillError, Str,
    TaskData, Value, Workflow,
};
use node_api::files::FileStorage;
use node_api::host::{ExecutionInfo, NodeState, Pause};
use node_api::http::CappedHttp;
use node_api::{NodeError, Registry, StartCause};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, OnceLock};
use tokio_util::sync::CancellationToken;

/// Runs workflows. Cheap to clone; one per process is enough.
#[derive(Clone)]
pub struct Engine {
    pub registry: Arc<Registry>,
    pub ports: SharedPorts,
}

/// Where a run begins.
#[derive(Clone, Debug)]
pub struct RunStart {
    pub cause: StartCause,
    /// The node by name; without one, the trigger that fits the cause.
    pub node: Option<Str>,
    /// What the node is given; one empty item if nothing is said.
    pub items: Option<Items>,
}

impl Default for RunStart {
    fn default() -> Self {
        Self { cause: StartCause::Hand, node: None, items: None }
    }
}

impl Engine {
    pub fn new(registry: Arc<Registry>, ports: impl Into<SharedPorts>) -> Self {
        Self { registry, ports: ports.into() }
    }

    pub fn plan(&self, workflow: &Workflow) -> Plan {
        Plan::new(workflow, &self.registry)
    }

    /// Runs a plan to its end, to a wait, or until it is cancelled. Failures are part of the
    /// outcome.
    pub async fn run(
        &self,
        plan: Arc<Plan>,
        start: RunStart,
        options: RunOptions,
        cancel: CancellationToken,
    ) -> RunOutcome {
        let mut run = ActiveRun::new(self.clone(), plan, options, cancel);
        run.go(start).await;
        let outcome = run.finish().await;
        self.report_failure(&run, &outcome).await;
        outcome
    }

    /// Starts the workflow that is to hear of failures.
    async fn report_failure(&self, run: &ActiveRun, outcome: &RunOutcome) {
        let (Some(id), Some(error)) = (&run.plan.error_workflow, &outcome.error) else { return };
        let is_told =
            outcome.mode != "manual" && run.options.failures == FailureHandling::ErrorWorkflow;
        if outcome.status != RunStatus::Error
            || !is_told
            || run.options.depth >= run.options.limits.max_depth
        {
            return;
        }
        if !self.ports.journal.is_accepted(&outcome.run_id) {
            return;
        }
        let execution = Object::from_iter([
            ("id", Value::from(outcome.run_id.clone())),
            ("error", error.to_value()),
            ("lastNodeExecuted", outcome.last_node.clone().into()),
            ("mode", outcome.mode.clone().into()),
        ]);
        let about = Object::from_iter([
            ("id", Value::from(run.plan.id.clone())),
            ("name", run.plan.name.clone().into()),
        ]);
        let item = Item::new(Object::from_iter([
            ("execution", Value::from(execution)),
            ("workflow", about.into()),
        ]));
        let call = SubworkflowCall {
            place: CallSite { run_id: outcome.run_id.clone(), step: run.steps + 1, number: 0 },
            caller: run.options.acting_workflow.clone(),
            target: CallTarget::Stored(id.clone()),
            items: Items::one(item),
            cause: StartCause::Error,
            // A run in memory would end with this one.
            waits: self.ports.calls.is_none(),
            depth: run.options.depth + 1,
            called_by_model: run.options.called_by_model,
            spending: run.spending.clone(),
            cancel: CancellationToken::new(),
        };
        // The failed run is what its caller hears of; whoever keeps runs tells of this one.
        let _ = self.call(call, &run.options).await;
    }
}

/// A run under way.
pub(crate) struct ActiveRun {
    shared: Arc<RunContext>,
    /// The nodes of a step hold on to the records that were there when it began.
    data: Arc<RunData>,
    schedule: ExecutionStack,
    outcome: RunOutcome,
    steps: usize,
    /// The error of the node that ran last, if the run went on after it.
    survived: Option<(usize, RunError)>,
    /// Steps that were taken before and are only followed.
    recorded: VecDeque<RecordedStep>,
    /// A step was taken that is none of those.
    has_taken_step: bool,
}

/// What a run has in common with the nodes that it executes.
pub(crate) struct RunContext {
    engine: Engine,
    plan: Arc<Plan>,
    options: RunOptions,
    cancel: CancellationToken,
    session: Evaluator,
    /// What its steps may use of the processors.
    cpu: Allowance,
    vars: Vars,
    execution: ExecutionInfo,
    spill: Option<Arc<dyn Spill>>,
    /// The files that the workflow may use, once a node has asked for some.
    files: OnceLock<Arc<dyn FileStorage>>,
    states: Mutex<HashMap<usize, NodeState>>,
    static_data: Mutex<Value>,
    custom_data: Mutex<Object>,
    /// What the step that is next has noted before the run was cut off.
    notes: Mutex<Object>,
    /// The way out for nodes while they are tools.
    http_for_models: Arc<CappedHttp>,
    /// What that step is said to have put out.
    given: Mutex<Option<Items>>,
    /// What did not work in the step under way.
    warnings: Mutex<Vec<Str>>,
    /// How many workflows the step under way has called.
    calls: AtomicUsize,
    /// What it spends on models.
    pub(crate) spending: Arc<Spending>,
    /// Who spends it.
    pub(crate) spender: Spender,
    /// How often the step under way was begun.
    tries: AtomicUsize,
    /// What nodes did for others.
    served: Mutex<Vec<(Str, Arc<TaskData>)>>,
    /// The parts of the static data that were changed since the last record.
    static_data_changed: Mutex<BTreeSet<Str>>,
    /// Whether a step has changed them since the last record.
    custom_data_changed: AtomicBool,
    /// Whether code of this step has asked for something outside.
    reached_out: AtomicBool,
    /// Whether the step under way is the one that was cut off, and nobody knows what it did.
    interrupted: AtomicBool,
}

impl std::ops::Deref for ActiveRun {
    type Target = RunContext;

    fn deref(&self) -> &RunContext {
        &self.shared
    }
}

impl RunContext {
    fn now(&self) -> i64 {
        self.engine.ports.clock.now_ms()
    }

    async fn record(&self, event: RunEvent) -> Result<(), JournalError> {
        match self.engine.ports.journal.append(&self.options.run_id, event) {
            Some(recording) => recording.await,
            None => Ok(()),
        }
    }

    /// The same for an event that may carry much data.
    async fn record_large(&self, event: RunEvent, amount: WorkSize) -> Result<(), JournalError> {
        let offload = match amount {
            WorkSize::Small => return self.record(event).await,
            WorkSize::Modest => Offload::new,
            WorkSize::Large => Offload::long,
        };
        offload(std::pin::pin!(self.record(event)), self.cpu.clone()).await
    }
}

impl ActiveRun {
    fn new(
        engine: Engine,
        plan: Arc<Plan>,
        options: RunOptions,
        cancel: CancellationToken,
    ) -> Self {
        let execution = ExecutionInfo {
            id: options.run_id.clone(),
            mode: options.mode.clone(),
            workflow_id: plan.id.clone(),
            workflow_name: plan.name.clone(),
            workflow_active: plan.active,
        };
        let vars = options.vars(&engine.ports.random);
        Self {
            data: Arc::new(RunData::new(&plan)),
            schedule: ExecutionStack::new(&plan, &options.extent),
            outcome: RunOutcome::new(&plan, options.run_id.clone(), options.mode.clone()),
            steps: 0,
            survived: None,
            recorded: options.recorded.clone(),
            has_taken_step: false,
            shared: Arc::new(RunContext {
                session: Evaluator::default(),
                cpu: Allowance::new(options.limits.step_cpu, options.limits.run_cpu)
                    .until(cancel.clone()),
                vars,
                execution,
                spill: engine.ports.spill.as_ref().map(|make| make()),
                files: OnceLock::new(),
                states: Mutex::default(),
                static_data: Mutex::new(
                    options.static_data.clone().unwrap_or_else(|| plan.static_data.clone()),
                ),
                custom_data: Mutex::default(),
                notes: Mutex::new(options.notes.clone()),
                http_for_models: Arc::new(CappedHttp(engine.ports.http.clone())),
                given: Mutex::new(options.supplied_output.clone()),
                warnings: Mutex::default(),
                calls: AtomicUsize::new(0),
                spending: Spending::new(
                    plan.budgets.run,
                    options.account.clone().unwrap_or_default(),
                    options.spends_for.clone(),
                ),
                spender: Spender {
                    workflow_id: options.acting_workflow.clone(),
                    session: None,
                    budgets: plan.budgets,
                },
                tries: AtomicUsize::new(0),
                served: Mutex::default(),
                static_data_changed: Mutex::default(),
                custom_data_changed: AtomicBool::new(false),
                reached_out: AtomicBool::new(false),
                interrupted: AtomicBool::new(options.interrupted),
                engine,
                plan,
                options,
                cancel,
            }),
        }
    }

    async fn go(&mut self, start: RunStart) {
        self.outcome.started_ms = self.now();
        let begun = self.begin(start);
        // A run that goes on has been told already.
        if self.recorded.is_empty() && !self.options.start_recorded {
            let first = begun.as_ref().ok();
            let started = RunEvent::RunStarted {
                run_id: self.options.run_id.clone(),
                workflow_id: self.plan.id.clone(),
                workflow_name: self.plan.name.clone(),
                mode: self.options.mode.clone(),
                started_ms: self.outcome.started_ms,
                start_node: first.map(|entry| self.plan.nodes[entry.node].info.name.clone()),
                items: first.and_then(|entry| entry.inputs.first().cloned().flatten()),
                extent: self.options.extent.clone(),
                called_by_model: self.options.called_by_model,
            };
            if let Err(error) = self.record(started).await {
                return self.fail(None, journal_failed(error));
            }
        }
        match begun {
            Ok(entry) => self.schedule.push(entry),
            Err(error) => return self.fail(None, error),
        }
        let timeout =
            [self.options.limits.timeout_ms, self.plan.timeout_ms].into_iter().flatten().min();
        let clock = self.engine.ports.clock.clone();
        let limit = async move {
            match timeout {
                Some(milliseconds) => clock.sleep(milliseconds).await,
                None => std::future::pending().await,
            }
        };
        let cancel = self.cancel.clone();
        let ended = tokio::select! {
            // One that was stopped before it began does nothing.
            biased;
            () = cancel.cancelled() => Some(NodeError::cancelled()),
            () = self.walk() => None,
            () = limit => Some(NodeError::new(Code::RUN_TIMEOUT, format!("The run timed out after {} ms", timeout.unwrap_or_default()))
                .hint("Raise executionTimeout in the workflow's settings, or make the workflow do less.")),
        };
        if let Some(error) = ended {
            self.fail(None, error);
        }
    }

    /// The node that the run begins with, and its data.
    fn begin(&mut self, start: RunStart) -> Result<ScheduledNode, NodeError> {
        let node = match &start.node {
            Some(name) => self.plan.index_of(name).ok_or_else(|| {
                let names: Vec<&str> =
                    self.plan.nodes.iter().map(|node| node.info.name.as_str()).collect();
                NodeError::new(
                    Code::WORKFLOW_NO_START,
                    format!("There is no node called '{name}' to start from"),
                )
                .hint(format!("Available nodes: {}.", names.join(", ")))
            })?,
            None => self.plan.start_node(start.cause).ok_or_else(|| {
                NodeError::new(Code::WORKFLOW_NO_START, "The workflow has no node to start from")
                    .hint("Add a trigger, for example a Manual Trigger.")
            })?,
        };
        self.take_earlier_data();
        Ok(match start.items {
            Some(items) => {
                ScheduledNode { node, inputs: vec![Some(items.unwatched())], sources: Vec::new() }
            }
            None => self.entry_from_earlier(node).unwrap_or_else(|| ScheduledNode::unfed(node)),
        })
    }

    /// Outputs of a former run stand in for the nodes that made them.
    fn take_earlier_data(&mut self) {
        let plan = self.plan.clone();
        for (node, info) in plan.nodes.iter().enumerate() {
            if let Some(outputs) = self.options.pinned_outputs.get(&info.info.name) {
                let outputs = outputs.iter().cloned().map(Some).collect();
                self.add_record(node, Arc::new(step::task(self.now(), 0, Vec::new(), outputs)));
            }
        }
    }

    fn add_record(&mut self, node: usize, task: Arc<TaskData>) {
        Arc::make_mut(&mut self.data).push(node, task);
    }

    /// The node with what earlier outputs feed it; `None` if they feed it nothing.
    fn entry_from_earlier(&self, node: usize) -> Option<ScheduledNode> {
        let mut entry = ScheduledNode { node, inputs: Vec::new(), sources: Vec::new() };
        for feeding in &self.plan.nodes[node].inputs {
            let found = feeding.iter().find_map(|from| {
                let runs = self.data.of(from.node);
                let items = runs.last()?.output(from.index)?.clone();
                Some((
                    items,
                    Source {
                        node: self.plan.nodes[from.node].info.name.clone(),
                        output: from.index,
                        run: runs.len() - 1,
                    },
                ))
            });
            let (items, source) = found.unzip();
            entry.inputs.push(items);
            entry.sources.push(source);
        }
        entry.inputs.iter().any(Option::is_some).then_some(entry)
    }

    /// Executes nodes until none is left, one fails or the run goes to sleep.
    async fn walk(&mut self) {
        loop {
            let next = match self.next_entry() {
                Ok(Some(entry)) => entry,
                Ok(None) => match self.survived.take() {
                    Some((node, error)) => return self.end_with(Some(node), error),
                    None => {
                        self.outcome.status = RunStatus::Success;
                        return;
                    }
                },
                Err(error) => return self.fail(None, error),
            };
            self.steps += 1;
            if self.steps > self.options.limits.max_steps {
                let limit = self.options.limits.max_steps;
                return self.fail(
                    Some(next.node),
                    NodeError::new(
                        Code::RUN_STEPS,
                        format!("The run executed more than {limit} nodes"),
                    )
                    .hint("Check for an endless loop."),
                );
            }
            if self.step(next).await.is_break() {
                return;
            }
            // A step that computed from beginning to end has not looked.
            if self.cancel.is_cancelled() {
                return self.fail(None, NodeError::cancelled());
            }
            if let Some(failure) = self.spill.as_ref().and_then(|spill| spill.failure()) {
                return self.fail(None, spill_failed(failure));
            }
            tokio::task::consume_budget().await;
        }
    }

    fn fail(&mut self, node: Option<usize>, error: NodeError) {
        let name = node.map(|index| self.plan.nodes[index].info.name.clone());
        self.end_with(node, error.to_run_error(name.as_deref().unwrap_or_default()));
    }

    fn end_with(&mut self, node: Option<usize>, mut error: RunError) {
        // A node may notice the cancellation before the run does.
        self.outcome.status = match error.code {
            Code::RUN_CANCELLED => RunStatus::Cancelled,
            Code::RUN_UNCERTAIN => RunStatus::Uncertain,
            _ => RunStatus::Error,
        };
        error.node = node
            .map(|index| self.plan.nodes[index].info.name.clone())
            .or_else(|| self.outcome.last_node.clone());
        self.outcome.error = Some(error);
    }

    fn sleep_until(&mut self, pause: &Pause) {
        self.outcome.status = RunStatus::Waiting;
        self.outcome.wait_till_ms = match pause {
            Pause::Until(moment) => Some(*moment),
            Pause::Webhook { until } | Pause::Form { until } => *until,
        };
    }

    async fn finish(&mut self) -> RunOutcome {
        self.outcome.finished_ms = self.now();
        let ended = RunEvent::RunFinished {
            status: self.outcome.status,
            error: self.outcome.error.clone(),
            finished_ms: self.outcome.finished_ms,
        };
        if let Err(error) = self.record(ended).await {
            self.fail(None, journal_failed(error));
        }
        let mut outcome = self.outcome.clone();
        outcome.run_data = self
            .data
            .order()
            .iter()
            .map(|node| (self.plan.nodes[*node].info.name.clone(), self.data.of(*node).to_vec()))
            .collect();
        for (node, task) in std::mem::take(&mut *lock(&self.served)) {
            outcome.add(node, task);
        }
        outcome.unrecorded_static_data = self.unrecorded_static_data();
        outcome.static_data = lock(&self.static_data).clone();
        outcome.custom_data = lock(&self.custom_data).clone();
        outcome
    }
}

fn journal_failed(error: JournalError) -> NodeError {
    NodeError::new(Code::STORE_DISK, Str::from(error.to_string()))
        .hint("Check the disk of the data folder.")
}

fn spill_failed(failure: SpillError) -> NodeError {
    match failure {
        SpillError::Budget { .. } => {
            NodeError::new(Code::RUN_DATA_LIMIT, Str::from(failure.to_string()))
                .hint("Raise HEDDLE_RUN_DATA_LIMIT, or keep fewer items and fields.")
        }
        SpillError::Disk { .. } => NodeError::new(Code::STORE_DISK, Str::from(failure.to_string())),
    }
}

/// A lock that outlives a panic elsewhere.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
