//! Which node runs next: a stack of nodes that have their data, and nodes that still wait for some.

use crate::partial::NodeMask;
use crate::plan::{Plan, PlanNode, PlanTarget};
use crate::scope::RunData;
use model::{Code, Item, Items, Object, RunRange, Source, Value};
use node_api::{NodeError, RequiredInputs};
use std::collections::VecDeque;

/// A node with the data it is to run on.
#[derive(Clone, Debug)]
pub(crate) struct ScheduledNode {
    pub(crate) node: usize,
    pub(crate) inputs: Vec<Option<Items>>,
    pub(crate) sources: Vec<Option<Source>>,
}

impl ScheduledNode {
    /// A node that is started without being fed: it gets one empty item.
    pub(crate) fn unfed(node: usize) -> Self {
        Self { node, inputs: vec![Some(Items::one(Item::new(Object::new())))], sources: Vec::new() }
    }
}

/// The order of execution. `v1` goes depth first, topmost branch first; the legacy order goes
/// breadth first and makes nodes with several inputs wait for all of them.
pub(crate) struct ExecutionStack {
    legacy: bool,
    stack: VecDeque<ScheduledNode>,
    /// Nodes with several inputs of which some have data, in the order they began to wait.
    waiting: Vec<ScheduledNode>,
    /// How many nodes in a row were put back for want of data; once it was all of them, nothing
    /// moves any more.
    put_back: usize,
    covered: NodeMask,
}

impl ExecutionStack {
    pub(crate) fn new(plan: &Plan, extent: &RunRange) -> Self {
        let covered = plan.node_mask(extent);
        Self {
            legacy: plan.legacy_order,
            stack: VecDeque::new(),
            waiting: Vec::new(),
            put_back: 0,
            covered,
        }
    }

    /// Takes the first node that is wanted out of its turn; `None` if none of those that could run
    /// is.
    pub(crate) fn take(
        &mut self,
        plan: &Plan,
        is_wanted: impl Fn(&ScheduledNode) -> bool,
    ) -> Option<ScheduledNode> {
        let fits =
            |entry: &ScheduledNode| is_wanted(entry) && !(self.legacy && lacks_data(plan, entry));
        if let Some(at) = self.stack.iter().position(fits) {
            return self.stack.remove(at);
        }
        let released = !self.legacy && self.release_waiting(plan, &is_wanted);
        released.then(|| self.stack.pop_back()).flatten()
    }

    pub(crate) fn push(&mut self, entry: ScheduledNode) {
        if self.legacy { self.stack.push_back(entry) } else { self.stack.push_front(entry) }
    }

    /// Takes the next node to run; `None` when all is done.
    pub(crate) fn next(&mut self, plan: &Plan) -> Result<Option<ScheduledNode>, NodeError> {
        loop {
            let Some(entry) = self.stack.pop_front() else {
                // In the legacy order a node that never got all of its inputs does not run.
                match !self.legacy && self.release_waiting(plan, &|_| true) {
                    true => continue,
                    false => return Ok(None),
                }
            };
            if !self.legacy || !lacks_data(plan, &entry) {
                self.put_back = 0;
                return Ok(Some(entry));
            }
            self.put_back += 1;
            if self.put_back > self.stack.len() + 1 {
                let name = &plan.nodes[entry.node].info.name;
                return Err(NodeError::new(
                    Code::NODE_INPUT,
                    "Stopped execution because it seems to be in an endless loop",
                )
                .hint(format!(
                    "The node '{name}' waits for data on an input that nothing will send."
                )));
            }
            self.stack.push_back(entry);
        }
    }

    /// Sends a node's outputs on to its successors.
    pub(crate) fn follow(
        &mut self,
        plan: &Plan,
        data: &RunData,
        node: usize,
        run_index: usize,
        outputs: &[Option<Items>],
    ) {
        let mut targets: Vec<(usize, PlanTarget)> = Vec::new();
        for (output, connected) in plan.nodes[node].outputs.iter().enumerate() {
            let Some(Some(items)) = outputs.get(output) else { continue };
            for target in connected.iter().filter(|target| self.covered.has(target.node)) {
                // The legacy order tells second inputs of emptiness too, as they would wait for
                // ever.
                if !items.is_empty() || (self.legacy && target.index > 0) {
                    targets.push((output, *target));
                }
            }
        }
        if !self.legacy {
            // The stack is last in, first out, so the topmost, leftmost node goes on it last.
            targets.sort_by(|(_, a), (_, b)| {
                let ((ax, ay), (bx, by)) =
                    (plan.nodes[a.node].position, plan.nodes[b.node].position);
                by.total_cmp(&ay).then(bx.total_cmp(&ax))
            });
        }
        for (output, target) in targets {
            let source =
                Source { node: plan.nodes[node].info.name.clone(), output, run: run_index };
            let items = outputs[output].clone().unwrap_or_default();
            self.deliver(plan, data, node, target, items, source);
        }
    }

    fn deliver(
        &mut self,
        plan: &Plan,
        data: &RunData,
        from: usize,
        target: PlanTarget,
        items: Items,
        source: Source,
    ) {
        let run_index = source.run;
        let n_inputs = plan.nodes[target.node].inputs.len();
        if n_inputs <= 1 {
            let mut entry = ScheduledNode {
                node: target.node,
                inputs: vec![None; target.index + 1],
                sources: vec![None; target.index + 1],
            };
            entry.inputs[target.index] = Some(items);
            entry.sources[target.index] = Some(source);
            return self.push(entry);
        }
        let free = |entry: &ScheduledNode| {
            entry.node == target.node && entry.inputs[target.index].is_none()
        };
        let was_waiting = self.waiting.iter().any(|entry| entry.node == target.node);
        let at = self.waiting.iter().position(free).unwrap_or_else(|| {
            self.waiting.push(ScheduledNode {
                node: target.node,
                inputs: vec![None; n_inputs],
                sources: vec![None; n_inputs],
            });
            self.waiting.len() - 1
        });
        self.waiting[at].inputs[target.index] = Some(items);
        self.waiting[at].sources[target.index] = Some(source);
        if self.waiting[at].inputs.iter().all(Option::is_some) {
            let entry = self.waiting.remove(at);
            return self.push(entry);
        }
        if self.legacy && !was_waiting {
            self.pull_in_other_inputs(plan, data, from, run_index, target.node);
        }
    }

    /// The legacy order runs what feeds the other inputs of a waiting node, although nothing led
    /// there.
    fn pull_in_other_inputs(
        &mut self,
        plan: &Plan,
        data: &RunData,
        from: usize,
        run_index: usize,
        waiting: usize,
    ) {
        let siblings: Vec<usize> =
            plan.nodes[from].outputs.iter().flatten().map(|target| target.node).collect();
        let gets_nothing = |node: usize| {
            let feeding = plan.nodes[node].inputs.first().into_iter().flatten();
            feeding.into_iter().all(|source| {
                data.of(source.node)
                    .get(run_index)
                    .and_then(|task| task.output(source.index))
                    .is_none_or(Items::is_empty)
            })
        };
        for feeding in plan.nodes[waiting].inputs.iter().flatten() {
            let will_run = siblings.contains(&feeding.node) && !gets_nothing(feeding.node);
            if feeding.node == from
                || will_run
                || self.is_on_stack(feeding.node)
                || !data.of(feeding.node).is_empty()
            {
                continue;
            }
            if let Some(node) = self.first_that_has_not_run(plan, data, &siblings, feeding.node)
                && gets_nothing(node)
            {
                self.push(ScheduledNode::unfed(node));
            }
        }
    }

    /// Goes up the line from a node to the first one that has to be started for it to run; `None`
    /// if that happens anyway.
    fn first_that_has_not_run(
        &self,
        plan: &Plan,
        data: &RunData,
        siblings: &[usize],
        node: usize,
    ) -> Option<usize> {
        let mut first = node;
        for parent in std::iter::once(node).chain(plan.parents(node)) {
            if (parent != node && siblings.contains(&parent)) || self.is_on_stack(parent) {
                return None;
            }
            if !data.of(parent).is_empty() {
                break;
            }
            first = parent;
        }
        Some(first)
    }

    fn is_on_stack(&self, node: usize) -> bool {
        self.stack.iter().any(|entry| entry.node == node)
    }

    /// When nothing else can run, a waiting node runs with the inputs it has, if it may.
    fn release_waiting(&mut self, plan: &Plan, is_wanted: &dyn Fn(&ScheduledNode) -> bool) -> bool {
        let mut at = 0;
        while at < self.waiting.len() {
            let entry = &self.waiting[at];
            let parents = plan.parents(entry.node);
            let parent_waits = self
                .waiting
                .iter()
                .any(|other| other.node != entry.node && parents.contains(&other.node));
            if parent_waits
                || !is_wanted(entry)
                || !may_run_with(&plan.nodes[entry.node], &entry.inputs)
            {
                at += 1;
                continue;
            }
            let mut entry = self.waiting.remove(at);
            if entry.inputs.iter().flatten().all(Items::is_empty) {
                at = 0;
                continue;
            }
            let n_inputs = plan.nodes[entry.node]
                .node_type
                .as_ref()
                .map_or(0, |found| found.spec.inputs.len());
            entry.inputs.resize(entry.inputs.len().max(n_inputs), None);
            for input in &mut entry.inputs {
                input.get_or_insert_default();
            }
            self.stack.push_back(entry);
            return true;
        }
        false
    }
}

/// Whether an input that something could feed has no data yet. A node that was started without
/// being fed counts as complete.
fn lacks_data(plan: &Plan, entry: &ScheduledNode) -> bool {
    let inputs = plan.nodes[entry.node].inputs.iter().enumerate();
    inputs.filter(|(_, sources)| !sources.is_empty()).any(|(index, _)| {
        match entry.inputs.get(index) {
            Some(items) => items.is_none() && entry.inputs.len() > 1,
            None => index > entry.inputs.len(),
        }
    })
}

fn may_run_with(node: &PlanNode, inputs: &[Option<Items>]) -> bool {
    let Some(found) = &node.node_type else { return true };
    let n_inputs = found.spec.inputs.len().max(inputs.len());
    let n_with_data = inputs.iter().flatten().count();
    match &found.spec.required_inputs {
        RequiredInputs::Any => true,
        RequiredInputs::AtLeast(least) => *least < n_inputs && n_with_data >= *least,
        RequiredInputs::AllIf { param, equals } => {
            let all = node.raw_params.get(param).and_then(Value::as_str) == Some(equals.as_str());
            !all && n_with_data >= 1
        }
    }
}
