//! The journal's events: what the engine tells while a run goes on.

use crate::{RunError, RunStatus, Str, TaskData};
use std::sync::Arc;

/// One event of a run, in the order it happened. History, live views, resume and replay all read these.
#[derive(Clone, Debug)]
pub enum RunEvent {
    RunStarted {
        run_id: Str,
        workflow_id: Str,
        workflow_name: Str,
        mode: Str,
        started_ms: i64,
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
    NodeRetried {
        node: Str,
        attempt: u32,
        error: RunError,
    },
    NodeFinished {
        node: Str,
        run_index: usize,
        task: Arc<TaskData>,
    },
    RunPaused {
        node: Str,
        until_ms: Option<i64>,
    },
    RunFinished {
        status: RunStatus,
        error: Option<RunError>,
        finished_ms: i64,
    },
}
