//! The steps of a run with their checkpoints, read from its journal: for forks and replays.

use engine::RecordedStep;
use model::{Exposure, Items, Object, RunEvent, RunRange, Str, TaskStatus, Value};

/// A step that a run took.
#[derive(Clone, Debug)]
pub struct JournalStep {
    /// Its record; a step that was cut off has none.
    pub recorded: Option<RecordedStep>,
    pub node: Str,
    pub started_ms: i64,
    /// What it noted, in order.
    pub notes: Vec<(Str, Value)>,
}

/// What a run began with, and what it did.
#[derive(Clone, Debug, Default)]
pub struct JournalSteps {
    pub start_node: Option<Str>,
    pub items: Option<Items>,
    pub mode: Str,
    pub extent: RunRange,
    pub called_by_model: Option<Exposure>,
    pub all: Vec<JournalStep>,
}

/// A place within a run: a step, and perhaps a note of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepPosition {
    pub step: usize,
    /// How many of its notes stay.
    pub notes: usize,
}

impl JournalSteps {
    pub fn read(events: Vec<RunEvent>) -> Self {
        let mut steps = Self::default();
        for event in events {
            match event {
                RunEvent::RunStarted {
                    start_node, items, mode, extent, called_by_model, ..
                } => {
                    steps.called_by_model = called_by_model;
                    (steps.start_node, steps.items, steps.mode, steps.extent) =
                        (start_node, items, mode, extent);
                }
                RunEvent::NodeStarted { node, started_ms, .. } => {
                    // A step that was cut off and resumed is the same one.
                    let goes_on = steps
                        .all
                        .last()
                        .is_some_and(|last| last.node == node && last.recorded.is_none());
                    if !goes_on {
                        steps.all.push(JournalStep {
                            recorded: None,
                            node,
                            started_ms,
                            notes: Vec::new(),
                        });
                    }
                }
                RunEvent::StepRecorded { key, value, .. } => {
                    steps.in_last(|last| last.notes.push((key, value)))
                }
                RunEvent::NodeRetried { .. } => steps.in_last(|last| last.notes.clear()),
                RunEvent::NodeFinished { node, task, changed, .. } => {
                    steps.in_last(|last| {
                        last.recorded = Some(RecordedStep {
                            node,
                            task: Some(task),
                            changed,
                            woken_by: None,
                            redo: None,
                        })
                    });
                }
                RunEvent::NodeSilent { node } => steps.in_last(|last| {
                    let changed = model::StepChanges::default();
                    last.recorded = Some(RecordedStep {
                        node,
                        task: None,
                        changed,
                        woken_by: None,
                        redo: None,
                    });
                }),
                RunEvent::RunResumed { items } => steps.wake(items),
                _ => {}
            }
        }
        steps
    }

    fn in_last(&mut self, change: impl FnOnce(&mut JournalStep)) {
        if let Some(last) = self.all.last_mut() {
            change(last);
        }
    }

    fn wake(&mut self, items: Option<Items>) {
        let records = self.all.iter_mut().rev().filter_map(|step| step.recorded.as_mut());
        let waits = |recorded: &&mut RecordedStep| {
            recorded.task.as_ref().is_some_and(|task| task.status == TaskStatus::Waiting)
        };
        if let Some(step) = { records }.find(waits) {
            step.woken_by = items;
        }
    }

    /// The place that is called `NODE` or `NODE/NOTE`: the last step of the node, or the note there
    /// whose name ends so.
    pub fn find(&self, name: &str) -> Result<StepPosition, String> {
        let of_node = |node: &str| self.all.iter().rposition(|step| step.node == node);
        if let Some(step) = of_node(name) {
            return Ok(StepPosition { step, notes: 0 });
        }
        let found = name.rsplit_once('/').and_then(|(node, note)| Some((of_node(node)?, note)));
        let Some((step, wanted)) = found else {
            let names: Vec<&str> = self.all.iter().map(|step| step.node.as_str()).collect();
            return Err(format!(
                "The run has no step named '{name}'. Its steps are: {}.",
                names.join(", ")
            ));
        };
        let notes = &self.all[step].notes;
        let is_it = |key: &Str| {
            key == wanted || key.strip_suffix(wanted).is_some_and(|start| start.ends_with(": "))
        };
        notes
            .iter()
            .position(|(key, _)| is_it(key))
            .map(|notes| StepPosition { step, notes })
            .ok_or_else(|| {
                let keys: Vec<&str> = notes.iter().map(|(key, _)| key.as_str()).collect();
                format!(
                    "'{}' has no recorded step named '{wanted}'. Its recorded steps are: {}.",
                    self.all[step].node,
                    keys.join(", ")
                )
            })
    }
}

/// The wait that a run is at, or comes to next, counted from zero. Addresses that wake it are made
/// for that one.
pub fn next_wait(events: &[RunEvent]) -> usize {
    let (mut waits, mut is_asleep) = (0, false);
    for event in events {
        match event {
            RunEvent::NodeFinished { task, .. } if task.status == TaskStatus::Waiting => {
                (waits, is_asleep) = (waits + 1, true)
            }
            RunEvent::RunResumed { .. } | RunEvent::NodeStarted { .. } => is_asleep = false,
            _ => {}
        }
    }
    waits - usize::from(is_asleep)
}

impl JournalStep {
    pub fn notes(&self) -> Object {
        self.notes.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(node: &str) -> RunEvent {
        RunEvent::NodeStarted { node: node.into(), run_index: 0, started_ms: 0 }
    }

    fn recorded_note(key: &str) -> RunEvent {
        RunEvent::StepRecorded { node: "Agent".into(), key: key.into(), value: Value::Null }
    }

    #[test]
    fn places_are_found_by_step_and_note() {
        let events = vec![
            started("Start"),
            RunEvent::NodeSilent { node: "Start".into() },
            started("Agent"),
            recorded_note("item 0: model 1"),
            // It was cut off here.
            started("Agent"),
            recorded_note("item 0: tool 1.1"),
            recorded_note("item 0: model 2"),
        ];
        let steps = JournalSteps::read(events);
        assert_eq!(steps.all.len(), 2);
        assert_eq!(steps.find("Agent"), Ok(StepPosition { step: 1, notes: 0 }));
        assert_eq!(steps.find("Agent/model 2"), Ok(StepPosition { step: 1, notes: 2 }));
        assert_eq!(steps.find("Agent/item 0: tool 1.1"), Ok(StepPosition { step: 1, notes: 1 }));
        assert!(steps.find("Agent/del 2").unwrap_err().contains("item 0: model 2"));
        assert!(steps.find("Nobody").unwrap_err().contains("Start, Agent"));
    }
}
