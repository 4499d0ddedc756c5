//! The journal's events: what the engine tells while a run goes on.

use crate::{Items, ModelUsage, Object, RunError, RunStatus, Str, TaskData, Value};
use std::sync::Arc;

/// One event of a run, in the order it happened. History, live views, resume and replay all read
/// these.
#[derive(Clone, Debug)]
pub enum RunEvent {
    RunStarted {
        run_id: Str,
        workflow_id: Str,
        workflow_name: Str,
        mode: Str,
        started_ms: i64,
        /// The node it begins with and what that is given.
        start_node: Option<Str>,
        items: Option<Items>,
        extent: RunRange,
        /// A model has called it, directly or through the runs above it: what that model had come
        /// across.
        called_by_model: Option<Exposure>,
    },
    NodeStarted {
        node: Str,
        run_index: usize,
        started_ms: i64,
    },
    /// A line that a node logged, such as `console.log` in a Code node.
    NodeLog {
        node: Str,
        line: Str,
    },
    /// A node that takes steps of its own, such as an agent, has noted one: it will not be taken
    /// again.
    StepRecorded {
        node: Str,
        key: Str,
        value: Value,
    },
    /// A node did something for the node above it: a model answered, a memory was read, a tool was
    /// called. It is no step of the run.
    SubNodeCalled {
        node: Str,
        task: Arc<TaskData>,
    },
    /// A model has answered a node, and what that costs.
    ModelUsed {
        node: Str,
        spent: ModelUsage,
    },
    /// An agent has come to a stage of its work of which nothing else is on record.
    StageReached {
        node: Str,
        run_index: usize,
        reached: StageRecord,
    },
    NodeRetried {
        node: Str,
        attempt: u32,
        error: RunError,
    },
    NodeFinished {
        node: Str,
        run_index: usize,
        task: Arc<TaskData>,
        changed: StepChanges,
    },
    /// The node had nothing to say: its branch ends without a record.
    NodeSilent {
        node: Str,
    },
    RunPaused {
        node: Str,
        until_ms: Option<i64>,
        /// The node's parameters as they were then, if it waits for a call: they say how calls are
        /// taken.
        params: Option<Value>,
        /// The run that this one has called and waits for. The node is then not done: it is taken
        /// up again when that run is over.
        waits_for: Option<Str>,
        /// A person is asked about something that the node is to do. It is not done either: it is
        /// taken up again when they have decided.
        asks: bool,
    },
    /// A run that slept goes on, with what woke it in place of what the waiting node had.
    RunResumed {
        items: Option<Items>,
    },
    RunFinished {
        status: RunStatus,
        error: Option<RunError>,
        finished_ms: i64,
    },
}

/// A stage that an agent has come to.
#[derive(Clone, Debug, PartialEq)]
pub struct StageRecord {
    pub stage: AgentStage,
    pub at_ms: i64,
    /// The item of the node's input that the agent works on.
    pub item: usize,
    /// The call of another agent's tool that it works in, if it does.
    pub call: Str,
    pub detail: Value,
}

/// The stages of an agent's work, in the order of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgentStage {
    /// What it was given becomes a message.
    Preprocess,
    /// It looks for what is known: conversation, memory, documents.
    Retrieve,
    /// The model decides what to do next.
    Plan,
    /// A tool is called.
    Act,
    /// The result is put before the model.
    Integrate,
    /// Memories take in what was said.
    Update,
    /// The answer, with its sources.
    Output,
}

impl AgentStage {
    pub const ALL: [Self; 7] = [
        Self::Preprocess,
        Self::Retrieve,
        Self::Plan,
        Self::Act,
        Self::Integrate,
        Self::Update,
        Self::Output,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Preprocess => "preprocess",
            Self::Retrieve => "retrieve",
            Self::Plan => "plan",
            Self::Act => "act",
            Self::Integrate => "integrate",
            Self::Update => "update",
            Self::Output => "output",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.name() == name)
    }
}

/// What a run, or an agent in it, has come across.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exposure {
    /// It has text of strangers before it.
    pub untrusted: bool,
    /// It can get at data that is not for strangers.
    pub private: bool,
}

impl Exposure {
    pub fn and(self, other: Self) -> Self {
        Self {
            untrusted: self.untrusted || other.untrusted,
            private: self.private || other.private,
        }
    }
}

/// Which part of a workflow a run covers; without anything said, all that its start leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunRange {
    /// Only this node and what comes after it is run anew; of the others, as many as these need.
    pub from: Option<Str>,
    /// The run ends with this node, and no node is run that does not lead to it.
    pub until: Option<Str>,
}

impl RunRange {
    pub fn until(node: Option<Str>) -> Self {
        Self { until: node, from: None }
    }

    pub fn is_everything(&self) -> bool {
        self.from.is_none() && self.until.is_none()
    }
}

/// What a step changed beside its output; a run that goes on from its journal needs it back.
#[derive(Clone, Debug, Default)]
pub struct StepChanges {
    pub state: Option<NodeState>,
    /// Only the parts that are new.
    pub static_data: Option<Value>,
    pub custom_data: Option<Object>,
}

/// What a node remembers between two of its runs in one execution.
#[derive(Clone, Debug, Default)]
pub struct NodeState {
    /// Visible to expressions as `$node["X"].context`.
    pub context: Object,
    pub lists: Vec<Items>,
}
