//! The workflow while operations are applied: its nodes in a list of their own, and where each came
//! from.

use super::OperationProblem;
use crate::json::{Spellings, ValuePath};
use crate::{Node, Object, Str, Value, Workflow};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub(super) struct WorkflowDraft {
    /// Everything but the nodes.
    pub(super) doc: Object,
    pub(super) nodes: Vec<DraftNode>,
    /// Whether the list of nodes has to be written back.
    pub(super) nodes_changed: bool,
    /// The name that a renamed node has in the document we started from.
    pub(super) old_names: HashMap<Str, Str>,
    /// Made when nodes are added and kept until one goes.
    pub(super) taken: Option<UsedNames>,
}

pub(super) struct DraftNode {
    /// Its index in the document we started from.
    origin: Option<usize>,
    /// What stands in the list of nodes, even if it is none.
    pub(super) value: Value,
}

impl DraftNode {
    pub(super) fn added(fields: Object) -> Self {
        Self { origin: None, value: Value::object(fields) }
    }

    pub(super) fn node(&self) -> Option<Node<'_>> {
        self.value.as_object().map(Node::new)
    }

    pub(super) fn name(&self) -> &str {
        self.node().map(|node| node.name()).unwrap_or_default()
    }
}

/// Names and ids that nodes already have.
#[derive(Default)]
pub(super) struct UsedNames {
    pub(super) names: HashSet<Str>,
    pub(super) ids: HashSet<Str>,
    /// The number to try next for a name that was asked for before, so that many equal names take
    /// no squared time.
    next_numbers: HashMap<Str, u64>,
}

impl UsedNames {
    /// The name if it is free, else with the next number that makes it so: `Set`, `Set1`, `Set2`;
    /// `Set5` gives `Set6`.
    pub(super) fn free_name(&mut self, wanted: &str) -> Str {
        if !self.names.contains(wanted) {
            return wanted.into();
        }
        let stem = wanted.trim_end_matches(|last: char| last.is_ascii_digit());
        let digits = &wanted[stem.len()..];
        // A number too long to count with is part of the name.
        let (stem, number) = match digits.parse::<u32>() {
            Ok(number) => (stem, u64::from(number) + 1),
            Err(_) => (wanted, 1),
        };
        let mut number = self.next_numbers.get(stem).copied().unwrap_or_default().max(number);
        loop {
            let name = Str::from(format!("{stem}{number}"));
            number += 1;
            if !self.names.contains(&name) {
                self.next_numbers.insert(stem.into(), number);
                return name;
            }
        }
    }
}

impl WorkflowDraft {
    pub(super) fn new(workflow: &Workflow) -> Self {
        let mut doc = workflow.doc().clone();
        let nodes = match doc.get("nodes") {
            Some(Value::Array(values)) => values
                .iter()
                .cloned()
                .enumerate()
                .map(|(at, value)| DraftNode { origin: Some(at), value })
                .collect(),
            _ => Vec::new(),
        };
        // The list itself would only be copied again; its place among the keys stays.
        if let Some(list @ Value::Array(_)) = doc.get_mut("nodes") {
            *list = Value::array(Vec::new());
        }
        Self {
            nodes_changed: doc.get("nodes").is_some_and(Value::is_array),
            doc,
            nodes,
            old_names: HashMap::new(),
            taken: None,
        }
    }

    pub(super) fn finish(mut self, before: &Workflow) -> Workflow {
        let spellings = match before.spellings().is_empty() {
            true => before.spellings().clone(),
            false => Arc::new(self.spellings(before.spellings())),
        };
        if self.nodes_changed {
            self.doc
                .insert("nodes", self.nodes.into_iter().map(|slot| slot.value).collect::<Vec<_>>());
        }
        Workflow::from_parts(self.doc, spellings)
    }

    /// How the numbers of what was there before are spelled, at the places where they are now.
    fn spellings(&self, before: &Spellings) -> Spellings {
        let mut kept = Spellings::default();
        for (key, value) in self.doc.iter() {
            let place = ValuePath::TOP.key(key);
            match (key.as_str(), value) {
                ("nodes", _) => {
                    for (at, slot) in self.nodes.iter().enumerate() {
                        if let Some(origin) = slot.origin {
                            kept.carry(before, place.index(origin), place.index(at), &slot.value);
                        }
                    }
                }
                ("connections" | "pinData", Value::Object(by_name)) => {
                    for (name, value) in by_name.iter() {
                        kept.carry(
                            before,
                            place.key(self.old_names.get(name).unwrap_or(name)),
                            place.key(name),
                            value,
                        );
                    }
                }
                (_, value) => kept.carry(before, place, place, value),
            }
        }
        kept
    }

    /// The node with an id, or the node without one that has this name.
    pub(super) fn find(&self, id: &str) -> Result<usize, OperationProblem> {
        let with_id = |slot: &DraftNode| slot.node().is_some_and(|node| node.id() == Some(id));
        if let Some(at) = self.nodes.iter().position(with_id) {
            return match self.nodes[at + 1..].iter().any(with_id) {
                true => Err(OperationProblem::NodeAmbiguous { node: id.into() }),
                false => Ok(at),
            };
        }
        let by_name = |slot: &DraftNode| {
            slot.node().is_some_and(|node| node.id().is_none_or(str::is_empty) && node.name() == id)
        };
        let found = self.nodes.iter().position(by_name).filter(|_| !id.is_empty());
        found.ok_or_else(|| OperationProblem::NodeMissing { node: id.into() })
    }

    pub(super) fn taken(&mut self) -> &mut UsedNames {
        let nodes = &self.nodes;
        self.taken.get_or_insert_with(|| {
            let mut taken = UsedNames::default();
            for node in nodes.iter().filter_map(DraftNode::node) {
                taken.names.insert(node.name().into());
                taken.ids.extend(node.id().map(Str::from));
            }
            taken
        })
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.nodes_changed = true;
        self.taken = None;
        self.old_names.clear();
        self.doc.insert("nodes", Vec::new());
        self.doc.insert("connections", Object::new());
        self.doc.insert("name", "");
        if self.doc.contains_key("pinData") {
            self.doc.insert("pinData", Object::new());
        }
    }
}
