//! How a run is to go.

use model::{Items, Object, Str};
use node_api::host::Feature;
use std::collections::HashMap;

/// What one run is asked to do, beyond its workflow.
#[derive(Clone, Debug)]
pub struct RunOptions {
    pub run_id: Str,
    /// `manual`, `trigger`, `webhook`, `integrated`, `error` …
    pub mode: Str,
    /// The zone of a workflow that names none.
    pub timezone: Str,
    /// `$vars`.
    pub variables: Object,
    /// `$env`, as far as the operator has opened it.
    pub environment: Object,
    pub features: Vec<Feature>,
    /// Stop after this node.
    pub destination: Option<Str>,
    /// Outputs of nodes that need not run again.
    pub earlier: HashMap<Str, Vec<Items>>,
    pub use_pin_data: bool,
    /// Sit out timed waits in this process instead of putting the run to sleep.
    pub sits_out_waits: bool,
    pub limits: Limits,
    /// How many workflows deep this run is called.
    pub depth: usize,
}

/// The bounds of a run; each has an error of its own.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Wall time in milliseconds; a workflow's own timeout may be shorter.
    pub timeout_ms: Option<u64>,
    /// Node executions, so that a loop without an end does end.
    pub max_steps: usize,
    /// Workflows calling workflows.
    pub max_depth: usize,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            run_id: "1".into(),
            mode: "manual".into(),
            timezone: "UTC".into(),
            variables: Object::new(),
            environment: Object::new(),
            features: Vec::new(),
            destination: None,
            earlier: HashMap::new(),
            use_pin_data: true,
            sits_out_waits: false,
            limits: Limits::default(),
            depth: 0,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { timeout_ms: None, max_steps: 1_000_000, max_depth: 30 }
    }
}
