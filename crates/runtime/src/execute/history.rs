//! The outcome of a run, from its row and its journal.

use engine::RunOutcome;
use model::{Items, Kind, Object, RunEvent, RunStatus, Str, TaskData, TaskStatus, Value};
use std::sync::Arc;
use store::executions::Execution;

/// What a run did, from its row and its journal.
pub fn outcome(execution: &Execution, events: Vec<RunEvent>) -> RunOutcome {
    let mut outcome = RunOutcome {
        run_id: execution.id.to_string().into(),
        status: execution.state.status,
        mode: execution.started.mode.clone(),
        error: None,
        started_ms: execution.started.started_ms,
        finished_ms: execution.state.stopped_ms.unwrap_or(execution.started.started_ms),
        run_data: Vec::new(),
        last_node: None,
        wait_till_ms: execution.state.wait_till_ms,
        waits_for: execution.state.waits_for.map(|id| id.to_string().into()),
        asks: false,
        static_data: Value::Undefined,
        unrecorded_static_data: None,
        custom_data: Object::new(),
        workflow_id: execution.started.workflow_id.clone(),
        workflow_name: Str::new(),
    };
    for event in events {
        match event {
            RunEvent::RunStarted { workflow_name, .. } => outcome.workflow_name = workflow_name,
            // What was said about a run that stood still holds no more once it goes on.
            RunEvent::NodeStarted { .. } => outcome.error = None,
            RunEvent::NodeFinished { node, task, changed, .. } => {
                outcome.last_node = Some(node.clone());
                outcome.custom_data.extend(changed.custom_data.unwrap_or_default());
                outcome.add(node, task);
            }
            RunEvent::SubNodeCalled { node, task } => outcome.add(node, task),
            RunEvent::NodeSilent { node } | RunEvent::RunPaused { node, .. } => {
                outcome.last_node = Some(node)
            }
            RunEvent::RunResumed { items } => wake(&mut outcome, items),
            RunEvent::RunFinished { error, status, .. } if status != RunStatus::Waiting => {
                outcome.error = error
            }
            _ => {}
        }
    }
    outcome
}

/// The node that waited has put out what woke the run.
fn wake(outcome: &mut RunOutcome, items: Option<Items>) {
    let tasks = outcome.run_data.iter_mut().flat_map(|(_, runs)| runs.iter_mut());
    if let Some(task) = tasks.filter(|task| task.status == TaskStatus::Waiting).last() {
        let mut woken = TaskData { status: TaskStatus::Success, ..(**task).clone() };
        if let Some(items) = items {
            woken.data.insert(Kind::Main, vec![Some(items)]);
        }
        *task = Arc::new(woken);
    }
}
