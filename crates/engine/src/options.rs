//! How a run is to go.

use crate::budget::Spending;
use crate::budget_account::BudgetAccount;
use crate::ports::{Addresses, Responder};
use model::{Exposure, Items, Object, RunRange, StepChanges, Str, TaskData, Value};
use node_api::ai::AgentLimits;
use node_api::host::Feature;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// What one run is asked to do, beyond its workflow.
#[derive(Clone)]
pub struct RunOptions {
    pub run_id: Str,
    /// The id of the stored workflow whose rights the run has. A workflow that comes as text has
    /// those of its caller, whatever id the text claims.
    pub acting_workflow: Str,
    /// `manual`, `trigger`, `webhook`, `integrated`, `error` …
    pub mode: Str,
    /// The zone of a workflow that names none.
    pub timezone: Str,
    /// `$vars`.
    pub variables: Object,
    /// `$env`, as far as the operator has opened it.
    pub environment: Object,
    pub features: Vec<Feature>,
    /// Which part of the workflow it covers.
    pub extent: RunRange,
    /// Outputs of nodes that need not run again.
    pub pinned_outputs: HashMap<Str, Vec<Items>>,
    /// What the run did before it was cut off or went to sleep, in order; it is not done again.
    pub recorded: VecDeque<RecordedStep>,
    /// What the step after those has noted before it was cut off.
    pub notes: Object,
    /// That step was cut off, and nobody has said what it did.
    pub interrupted: bool,
    /// What that step put out, as a person says who has looked: it is not taken again.
    pub supplied_output: Option<Items>,
    /// The journal has the start of the run already.
    pub start_recorded: bool,
    /// What the workflow keeps between runs, if it is newer than the plan.
    pub static_data: Option<Value>,
    /// Where a node's answer to the outside goes.
    pub responder: Option<Arc<dyn Responder>>,
    /// Where it is woken should it wait.
    pub addresses: Option<Arc<dyn Addresses>>,
    pub use_pin_data: bool,
    /// Sit out timed waits in this process instead of putting the run to sleep.
    pub wait_inline: bool,
    pub limits: ExecutionLimits,
    pub failures: FailureHandling,
    /// What it and the runs that it called have spent on models, if it goes on.
    pub account: Option<Arc<BudgetAccount>>,
    /// The run that called it, on whose account it spends too.
    pub spends_for: Option<Arc<Spending>>,
    /// How many workflows deep this run is called.
    pub depth: usize,
    /// A model has called it, directly or through the runs above it: what that model had come
    /// across. What came with the call is then the model's choice, wherever it is used.
    pub called_by_model: Option<Exposure>,
}

/// Whether the workflow that is to hear of failures is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureHandling {
    #[default]
    ErrorWorkflow,
    /// Whoever started the run sees to it.
    Caller,
}

/// A step that a run has taken already.
#[derive(Clone, Debug)]
pub struct RecordedStep {
    pub node: Str,
    /// Its record; none if the node had nothing to say.
    pub task: Option<Arc<TaskData>>,
    pub changed: StepChanges,
    /// What woke the run, if it slept after this step and something did.
    pub woken_by: Option<Items>,
    /// Take the step again all the same, with what it noted then.
    pub redo: Option<Object>,
}

/// The bounds of a run; each has an error of its own.
#[derive(Clone, Debug)]
pub struct ExecutionLimits {
    /// Wall time in milliseconds; a workflow's own timeout may be shorter.
    pub timeout_ms: Option<u64>,
    /// Node executions, so that a loop without an end does end.
    pub max_steps: usize,
    /// Workflows calling workflows.
    pub max_depth: usize,
    /// CPU time of one step, as far as it is long enough to be counted.
    pub step_cpu: Duration,
    /// CPU time of all such steps of a run.
    pub run_cpu: Duration,
    pub agents: AgentLimits,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            run_id: "1".into(),
            acting_workflow: Str::new(),
            mode: "manual".into(),
            timezone: "UTC".into(),
            variables: Object::new(),
            environment: Object::new(),
            features: Vec::new(),
            extent: RunRange::default(),
            pinned_outputs: HashMap::new(),
            recorded: VecDeque::new(),
            notes: Object::new(),
            interrupted: false,
            supplied_output: None,
            start_recorded: false,
            static_data: None,
            responder: None,
            addresses: None,
            use_pin_data: true,
            wait_inline: false,
            limits: ExecutionLimits::default(),
            failures: FailureHandling::default(),
            account: None,
            spends_for: None,
            depth: 0,
            called_by_model: None,
        }
    }
}

impl Default for ExecutionLimits {
    fn default() -> Self {
        Self {
            timeout_ms: None,
            max_steps: 1_000_000,
            max_depth: 30,
            step_cpu: Duration::from_secs(120),
            run_cpu: Duration::from_secs(600),
            agents: AgentLimits::default(),
        }
    }
}
