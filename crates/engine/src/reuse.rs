//! Results of an earlier run that still hold, so that a run by hand does only what has changed
//! since.

use crate::options::RecordedStep;
use crate::plan::{Plan, PlanNode, PlanTarget};
use crate::run::{ExecutionStack, ScheduledNode};
use crate::scope::RunData;
use model::{Items, Kind, RunRange, Str};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

impl Plan {
    /// Per node, whether what it gave in a run of `earlier` is what it would give now: neither it
    /// nor anything before it has changed, and the extent does not ask for it anew.
    pub fn unchanged_since(&self, earlier: &Plan, extent: &RunRange) -> Vec<bool> {
        if self.legacy_order != earlier.legacy_order || self.timezone != earlier.timezone {
            return vec![false; self.nodes.len()];
        }
        let asked_anew = [&extent.from, &extent.until]
            .into_iter()
            .flatten()
            .filter_map(|name| self.index_of(name));
        let own =
            (0..self.nodes.len()).filter(|index| !self.is_same(*index, earlier, &mut Vec::new()));
        let changed = self.reached(own.chain(asked_anew).collect());
        changed.into_iter().map(|changed| !changed).collect()
    }

    /// Whether a node, what feeds it and what serves it are as they were.
    fn is_same(&self, index: usize, earlier: &Plan, seen: &mut Vec<usize>) -> bool {
        if seen.contains(&index) {
            return true;
        }
        seen.push(index);
        let now = &self.nodes[index];
        let Some(before) = earlier.node(&now.info.name) else { return false };
        let serving = |plan: &Plan, node: &PlanNode| -> Vec<(Kind, usize, Str)> {
            node.suppliers
                .iter()
                .map(|supplier| {
                    (supplier.kind, supplier.input, plan.nodes[supplier.node].info.name.clone())
                })
                .collect()
        };
        (&now.info.type_name, now.info.version, now.info.on_error)
            == (&before.info.type_name, before.info.version, before.info.on_error)
            && now.raw_params == before.raw_params
            && now.credentials == before.credentials
            && now.pinned == before.pinned
            && (now.disabled, now.execute_once, now.always_output)
                == (before.disabled, before.execute_once, before.always_output)
            && self.feeding(now) == earlier.feeding(before)
            && serving(self, now) == serving(earlier, before)
            && now.suppliers.iter().all(|supplier| self.is_same(supplier.node, earlier, seen))
    }

    /// What feeds a node, by name: the order in which connections were drawn says nothing.
    fn feeding(&self, node: &PlanNode) -> Vec<(usize, usize, Str)> {
        let name = |target: &PlanTarget| self.nodes[target.node].info.name.clone();
        let all = node
            .inputs
            .iter()
            .enumerate()
            .flat_map(|(input, from)| from.iter().map(move |target| (input, target)));
        let mut all: Vec<_> =
            all.map(|(input, target)| (input, target.index, name(target))).collect();
        all.sort();
        all
    }

    /// Of the steps of an earlier run, those that a run from `start` takes over, in the order in
    /// which it comes to them. A step is taken over when it is the next one of its node and was fed
    /// by the same outputs.
    pub fn reusable_steps(
        &self,
        start: usize,
        extent: &RunRange,
        steps: Vec<RecordedStep>,
    ) -> Vec<RecordedStep> {
        let mut offered: HashMap<Str, VecDeque<RecordedStep>> = HashMap::new();
        for step in steps {
            offered.entry(step.node.clone()).or_default().push_back(step);
        }
        let mut schedule = ExecutionStack::new(self, extent);
        let mut data = RunData::new(self);
        schedule.push(ScheduledNode::unfed(start));
        let mut taken = Vec::new();
        loop {
            let next_of =
                |entry: &ScheduledNode| offered.get(&self.nodes[entry.node].info.name)?.front();
            let is_offered = |entry: &ScheduledNode| {
                next_of(entry)
                    .and_then(|step| step.task.as_ref())
                    .is_some_and(|task| task.source == entry.sources)
            };
            let Some(entry) = schedule.take(self, is_offered) else { return taken };
            let name = &self.nodes[entry.node].info.name;
            let Some(mut step) = offered.get_mut(name).and_then(VecDeque::pop_front) else {
                return taken;
            };
            let Some(mut task) = step.task.take().map(Arc::unwrap_or_clone) else { return taken };
            task.execution_index = taken.len();
            let task = Arc::new(task);
            let outputs: Vec<Option<Items>> =
                task.data.get(&Kind::Main).cloned().unwrap_or_default();
            let run_index = data.of(entry.node).len();
            data.push(entry.node, task.clone());
            taken.push(RecordedStep { task: Some(task), ..step });
            if extent.until.as_ref() != Some(name) {
                schedule.follow(self, &data, entry.node, run_index, &outputs);
            }
        }
    }
}
