//! Goes on with a run from its journal: the steps it has taken are followed, not taken again.

use super::execution_stack::ScheduledNode;
use super::{ActiveRun, lock};
use crate::options::RecordedStep;
use model::{Code, Items, Kind, Object, StepChanges, TaskStatus, Value};
use node_api::NodeError;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

impl ActiveRun {
    /// What the step that has just ended changed beside its output.
    pub(super) fn changed(&self, node: usize) -> StepChanges {
        let custom_data = self.custom_data_changed.swap(false, Ordering::Relaxed);
        StepChanges {
            state: lock(&self.states).get(&node).cloned(),
            static_data: self.unrecorded_static_data(),
            custom_data: custom_data.then(|| lock(&self.custom_data).clone()),
        }
    }

    /// The parts of the static data that are new since the last step that has told of any.
    pub(super) fn unrecorded_static_data(&self) -> Option<Value> {
        let data = lock(&self.static_data);
        let keys = std::mem::take(&mut *lock(&self.static_data_changed));
        let parts: Object = keys
            .into_iter()
            .filter_map(|key| data.get(&key).cloned().map(|value| (key, value)))
            .collect();
        (!parts.is_empty()).then(|| parts.into())
    }

    /// The node that comes next. Results that were taken over from another run come first, in the
    /// order they were written down: by then all of them are in the journal, and what is left on
    /// the stack is what there is to do.
    pub(super) fn next_entry(&mut self) -> Result<Option<ScheduledNode>, NodeError> {
        let Some(reused) =
            self.recorded.front().and_then(|first| Some((&first.node, first.task.as_ref()?)))
        else {
            return self.schedule.next(&self.shared.plan);
        };
        let (name, task) = reused;
        if task.reused_from().is_none() {
            return self.schedule.next(&self.shared.plan);
        }
        let plan = &self.shared.plan;
        let found = self.schedule.take(plan, |entry| {
            plan.nodes[entry.node].info.name == *name && entry.sources == task.source
        });
        let missing = || {
            NodeError::new(
                Code::RUN_RECORD,
                format!("No connection leads to '{name}', whose recorded result was reused"),
            )
        };
        found.map(Some).ok_or_else(|| missing().hint("Run the workflow again from the start."))
    }

    /// Takes a recorded step as this one.
    pub(super) fn follow_record(
        &mut self,
        entry: &ScheduledNode,
        recorded: RecordedStep,
    ) -> ControlFlow<()> {
        let plan = self.plan.clone();
        let node = &plan.nodes[entry.node];
        if recorded.node != node.info.name {
            let message = format!(
                "The journal has '{}' where '{}' is expected",
                recorded.node, node.info.name
            );
            self.fail(
                Some(entry.node),
                NodeError::new(Code::RUN_RECORD, message)
                    .hint("Run the workflow again from the start."),
            );
            return ControlFlow::Break(());
        }
        self.outcome.last_node = Some(node.info.name.clone());
        self.survived = None;
        self.restore(entry.node, recorded.changed);
        let Some(task) = recorded.task else { return ControlFlow::Continue(()) };
        let run_index = self.data.of(entry.node).len();
        let outputs: Vec<Option<Items>> = match recorded.woken_by {
            Some(items) if task.status == TaskStatus::Waiting => vec![Some(items.paired_with(0))],
            _ => task.data.get(&Kind::Main).cloned().unwrap_or_default(),
        };
        // What the waiting node put out is what woke the run.
        let task = match task.status {
            TaskStatus::Waiting => {
                let mut woken = (*task).clone();
                woken.status = TaskStatus::Success;
                woken.data.insert(Kind::Main, outputs.clone());
                woken.into()
            }
            _ => task,
        };
        self.add_record(entry.node, task.clone());
        if let Some(error) = &task.error {
            if outputs.is_empty() {
                self.end_with(Some(entry.node), error.clone());
                return ControlFlow::Break(());
            }
            self.survived = Some((entry.node, error.clone()));
        }
        if self.options.extent.until.as_ref() != Some(&node.info.name) {
            self.schedule.follow(&plan, &self.data, entry.node, run_index, &outputs);
        }
        ControlFlow::Continue(())
    }

    fn restore(&self, node: usize, changed: StepChanges) {
        if let Some(state) = changed.state {
            lock(&self.states).insert(node, state);
        }
        // What the workflow keeps between runs was kept together with the record, and others may
        // have changed it since.
        if let Some(data) = changed.custom_data {
            *lock(&self.custom_data) = data;
        }
    }
}
