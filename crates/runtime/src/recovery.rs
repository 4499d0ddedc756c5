//! Goes on with runs after the process that had them is gone: from their journal, without repeating a step.

use crate::loaded::Loaded;
use crate::log::Written;
use crate::runner::Past;
use engine::Recorded;
use model::{Items, RunEvent, RunStatus, Str, TaskStatus, Value};
use node_api::StartedBy;
use std::collections::VecDeque;
use std::sync::Arc;

/// What the journal of an unfinished run tells.
pub(crate) struct Story {
    pub started: Option<Started>,
    pub recorded: VecDeque<Recorded>,
    pub n_events: u64,
    /// A step that began and has no result.
    pub in_flight: Option<Str>,
    /// The node the run sleeps at, with the parameters it had then.
    pub asleep: Option<(Str, Value)>,
    /// How it ended, if it did.
    pub finished: Option<RunStatus>,
}

pub(crate) struct Started {
    pub node: Option<Str>,
    pub items: Option<Items>,
    pub mode: Str,
}

/// Whether a run may go on by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    GoOn,
    /// This step may have happened.
    Uncertain {
        node: Str,
    },
}

impl Story {
    pub(crate) fn read(events: Vec<RunEvent>) -> Self {
        let n_events = events.len() as u64;
        let mut story = Story { n_events, started: None, recorded: VecDeque::new(), in_flight: None, asleep: None, finished: None };
        for event in events {
            match event {
                RunEvent::RunStarted { start_node, items, mode, .. } => story.started = Some(Started { node: start_node, items, mode }),
                RunEvent::NodeStarted { node, .. } => story.in_flight = Some(node),
                RunEvent::NodeFinished { node, task, changed, .. } => {
                    story.in_flight = None;
                    story.recorded.push_back(Recorded { node, task: Some(task), changed, woken_by: None });
                }
                RunEvent::NodeSilent { node } => {
                    story.in_flight = None;
                    story.recorded.push_back(Recorded { node, task: None, changed: model::Changed::default(), woken_by: None });
                }
                RunEvent::RunPaused { node, params, .. } => story.asleep = Some((node, params.unwrap_or_default())),
                RunEvent::RunResumed { items } => {
                    story.asleep = None;
                    story.wake(items);
                }
                RunEvent::RunFinished { status, .. } if status != RunStatus::Waiting => story.finished = Some(status),
                RunEvent::RunFinished { .. } | RunEvent::NodeLog { .. } | RunEvent::NodeRetried { .. } => {}
            }
        }
        story
    }

    /// Notes what woke the run on the step it slept after.
    pub(crate) fn wake(&mut self, items: Option<Items>) {
        let waiting = |step: &&mut Recorded| step.task.as_ref().is_some_and(|task| task.status == TaskStatus::Waiting);
        if let Some(step) = self.recorded.iter_mut().rev().find(waiting) {
            step.woken_by = items;
        }
    }

    pub(crate) fn verdict(&self, workflow: &Loaded) -> Verdict {
        match &self.in_flight {
            Some(node) if !workflow.plan.node(node).is_some_and(engine::PlanNode::is_repeatable) => {
                Verdict::Uncertain { node: node.clone() }
            }
            _ => Verdict::GoOn,
        }
    }

    /// The run as the runner takes it up again.
    pub(crate) fn into_past(self, id: i64, workflow: Arc<Loaded>, pieces: i64, woken_by: Option<Option<Items>>) -> Past {
        let started = self.started;
        let mode = started.as_ref().map_or_else(|| Str::from("trigger"), |started| started.mode.clone());
        let cause = match mode.as_str() {
            "error" => StartedBy::Error,
            "integrated" => StartedBy::Workflow,
            _ => StartedBy::Hand,
        };
        let (node, items) = started.map_or((None, None), |started| (started.node, started.items));
        let wakes = woken_by.is_some();
        let written = Written { pieces, events: self.n_events };
        Past { id, workflow, cause, node, items, mode, recorded: self.recorded, written, wakes, woken_by: woken_by.flatten() }
    }
}
