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
