//! Which nodes of a plan a run may reach when it covers only a part of the workflow.

use crate::plan::{Plan, PlanTarget};
use model::RunRange;

/// The nodes that a run covers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeMask(Option<Vec<bool>>);

impl NodeMask {
    pub(crate) fn has(&self, node: usize) -> bool {
        self.0.as_ref().is_none_or(|covered| covered.get(node).copied().unwrap_or(false))
    }
}

impl Plan {
    /// What an extent covers. A node that the plan does not have covers nothing; whoever asks for
    /// one is told before.
    pub(crate) fn node_mask(&self, extent: &RunRange) -> NodeMask {
        if extent.is_everything() {
            return NodeMask(None);
        }
        let mut covered = vec![true; self.nodes.len()];
        if let Some(until) = &extent.until {
            let needed = self.reaching(self.index_of(until).into_iter().collect());
            covered.iter_mut().zip(needed).for_each(|(covered, needed)| *covered &= needed);
        }
        if let Some(from) = &extent.from {
            let after = self.reached(self.index_of(from).into_iter().collect());
            // What comes after the node may need what others give.
            let needed = self.reaching(indices(&after));
            covered.iter_mut().zip(needed).for_each(|(covered, needed)| *covered &= needed);
        }
        NodeMask(Some(covered))
    }

    /// These nodes and all that lead to them along `main`.
    pub(crate) fn reaching(&self, nodes: Vec<usize>) -> Vec<bool> {
        self.spread(nodes, |node| &self.nodes[node].inputs)
    }

    /// These nodes and all that they lead to along `main`.
    pub(crate) fn reached(&self, nodes: Vec<usize>) -> Vec<bool> {
        self.spread(nodes, |node| &self.nodes[node].outputs)
    }

    fn spread<'p>(
        &'p self,
        mut left: Vec<usize>,
        next: impl Fn(usize) -> &'p Vec<Vec<PlanTarget>>,
    ) -> Vec<bool> {
        let mut seen = vec![false; self.nodes.len()];
        while let Some(node) = left.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                left.extend(next(node).iter().flatten().map(|target| target.node));
            }
        }
        seen
    }

    /// Whether a run that begins at a node can come to another.
    pub fn leads_to(&self, start: usize, node: &str) -> bool {
        self.index_of(node)
            .is_some_and(|node| self.reaching(vec![node]).get(start).copied().unwrap_or(false))
    }

    /// The trigger from which a run by hand reaches a node, or else the first node without an input
    /// that leads to it.
    pub fn start_towards(&self, node: &str) -> Option<usize> {
        let leading = self.reaching(vec![self.index_of(node)?]);
        let candidates =
            || indices(&leading).into_iter().filter(|index| !self.nodes[*index].disabled);
        let is_for_hands = |index: &usize| {
            self.nodes[*index]
                .node_type
                .as_ref()
                .is_some_and(|found| found.spec.started_by == Some(node_api::StartCause::Hand))
        };
        let trigger = || candidates().find(|index| self.nodes[*index].is_trigger());
        let source =
            || candidates().find(|index| self.nodes[*index].inputs.iter().all(Vec::is_empty));
        candidates().find(is_for_hands).or_else(trigger).or_else(source)
    }
}

fn indices(chosen: &[bool]) -> Vec<usize> {
    chosen.iter().enumerate().filter(|(_, chosen)| **chosen).map(|(index, _)| index).collect()
}
