//! Goes on with runs after the process that had them is gone: from their journal, without repeating a step.

use crate::loaded::Loaded;
use crate::log::Written;
use crate::runner::Past;
use engine::{Recorded, TRIES};
use model::{Extent, Items, Object, RunEvent, RunStatus, SpentSum, Str, TaskStatus, Value};
use node_api::StartedBy;
use std::collections::VecDeque;
use std::sync::Arc;
use store::executions::Execution;

/// What the journal of an unfinished run tells.
pub(crate) struct Story {
    pub started: Option<Started>,
    pub recorded: VecDeque<Recorded>,
    pub n_events: u64,
    /// A step that began and has no result.
    pub in_flight: Option<Str>,
    /// What it has noted.
    pub notes: Object,
    /// What it spent on models.
    pub spent: SpentSum,
    /// The node the run sleeps at, with the parameters it had then.
    pub asleep: Option<(Str, Value)>,
    /// How it ended, if it did.
    pub finished: Option<RunStatus>,
}

pub(crate) struct Started {
    pub node: Option<Str>,
    pub items: Option<Items>,
    pub mode: Str,
    pub extent: Extent,
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
        let mut story = Story {
            n_events,
            started: None,
            recorded: VecDeque::new(),
            in_flight: None,
            notes: Object::new(),
            spent: SpentSum::default(),
            asleep: None,
            finished: None,
        };
        for event in events {
            match event {
                RunEvent::RunStarted { start_node, items, mode, extent, .. } => {
                    story.started = Some(Started { node: start_node, items, mode, extent });
                }
                // A step that was cut off and taken up again has noted what it had noted before.
                RunEvent::NodeStarted { node, .. } if story.in_flight.as_ref() == Some(&node) => {}
                RunEvent::NodeStarted { node, .. } => {
                    story.in_flight = Some(node);
                    story.notes = Object::new();
                }
                RunEvent::NodeNoted { key, value, .. } => {
                    story.notes.insert(key, value);
                }
                // What is tried again begins anew.
                RunEvent::NodeRetried { attempt, .. } => story.notes = Object::from_iter([(TRIES, u64::from(attempt) as f64)]),
                RunEvent::NodeFinished { node, task, changed, .. } => {
                    story.in_flight = None;
                    story.recorded.push_back(Recorded { node, task: Some(task), changed, woken_by: None, redo: None });
                }
                RunEvent::NodeSilent { node } => {
                    story.in_flight = None;
                    story.recorded.push_back(Recorded { node, task: None, changed: model::Changed::default(), woken_by: None, redo: None });
                }
                // What wakes a run that waits for another one, or for a person, is none of the calls from outside.
                RunEvent::RunPaused { waits_for: Some(_), .. } | RunEvent::RunPaused { asks: true, .. } => {}
                RunEvent::RunPaused { node, params, .. } => story.asleep = Some((node, params.unwrap_or_default())),
                RunEvent::RunResumed { items } => {
                    story.asleep = None;
                    story.wake(items);
                }
                RunEvent::RunFinished { status, .. } if status != RunStatus::Waiting => story.finished = Some(status),
                RunEvent::ModelUsed { spent, .. } => story.spent.add(&spent),
                RunEvent::RunFinished { .. } | RunEvent::NodeLog { .. } | RunEvent::NodeServed { .. } => {}
            }
        }
        story
    }

    /// Notes what woke the run on the step it slept after. A step that it slept in is taken again.
    pub(crate) fn wake(&mut self, items: Option<Items>) {
        if self.in_flight.is_some() {
            return;
        }
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
    pub(crate) fn into_past(
        self,
        execution: Execution,
        depth: usize,
        workflow: Arc<Loaded>,
        pieces: i64,
        woken_by: Option<Option<Items>>,
    ) -> Past {
        let started = self.started;
        let mode = started.as_ref().map_or_else(|| Str::from("trigger"), |started| started.mode.clone());
        let cause = match mode.as_str() {
            "error" => StartedBy::Error,
            "integrated" => StartedBy::Workflow,
            _ => StartedBy::Hand,
        };
        let (node, items, extent) = started.map(|started| (started.node, started.items, started.extent)).unwrap_or_default();
        let wakes = woken_by.is_some();
        let notes = if self.in_flight.is_some() { self.notes } else { Object::new() };
        let written = Written { pieces, events: self.n_events };
        Past {
            execution,
            depth,
            workflow,
            cause,
            node,
            items,
            mode,
            extent,
            recorded: self.recorded,
            notes,
            spent: self.spent,
            written,
            wakes,
            woken_by: woken_by.flatten(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Changed, Item, TaskData, json};
    use std::collections::BTreeMap;

    fn finished(node: &str, status: TaskStatus) -> RunEvent {
        let task = TaskData {
            start_time_ms: 0,
            execution_index: 0,
            execution_time_ms: 0,
            source: Vec::new(),
            data: BTreeMap::new(),
            error: None,
            status,
            input_override: None,
            hints: Vec::new(),
            metadata: None,
        };
        RunEvent::NodeFinished { node: node.into(), run_index: 0, task: Arc::new(task), changed: Changed::default() }
    }

    #[test]
    fn a_step_that_is_cut_off_twice_keeps_all_of_its_notes() {
        let noted = |key: &str| RunEvent::NodeNoted { node: "Agent".into(), key: key.into(), value: Value::Null };
        let started = || RunEvent::NodeStarted { node: "Agent".into(), run_index: 0, started_ms: 0 };
        let story = Story::read(vec![started(), noted("model 1"), started(), noted("tool 1.1"), started()]);
        assert_eq!(story.notes.keys().map(Str::as_str).collect::<Vec<_>>(), ["model 1", "tool 1.1"]);
        let again = Story::read(vec![started(), noted("model 1"), finished("Agent", TaskStatus::Success), started()]);
        assert!(again.notes.is_empty(), "another run of the node begins anew");
    }

    #[test]
    fn what_wakes_a_caller_is_not_taken_for_what_woke_it_earlier() {
        let paused = |node: &str, waits_for: Option<&str>| RunEvent::RunPaused {
            node: node.into(),
            until_ms: None,
            params: None,
            waits_for: waits_for.map(Str::from),
            asks: false,
        };
        let items = Items::one(Item::new(json!({ "from": "outside" })));
        let story = Story::read(vec![
            finished("Wait", TaskStatus::Waiting),
            paused("Wait", None),
            RunEvent::RunResumed { items: Some(items) },
            RunEvent::NodeStarted { node: "Call".into(), run_index: 0, started_ms: 0 },
            paused("Call", Some("2")),
            RunEvent::RunResumed { items: None },
        ]);
        assert_eq!(story.in_flight.as_deref(), Some("Call"));
        assert!(story.asleep.is_none(), "no call from outside wakes it");
        assert!(story.recorded[0].woken_by.is_some());
    }
}
