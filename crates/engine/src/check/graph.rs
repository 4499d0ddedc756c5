//! Checks of connections: they lead somewhere, and sub-nodes do not supply each other in a circle.

use super::escape::short;
use super::ports::{WorkflowPorts, WrittenConnection};
use super::{Checker, ProblemDraft};
use model::workflow::MAX_INDEX;
use model::{Code, Edge, Kind, Object, Str, Value};
use std::collections::{HashMap, HashSet};

impl<'a> Checker<'a> {
    /// Returns the ports of all nodes, with what is connected to them.
    pub(super) fn connections(&mut self) -> WorkflowPorts<'a> {
        let workflow = self.workflow;
        let names: HashSet<&str> = workflow.nodes().map(|node| node.name()).collect();
        let mut ports = WorkflowPorts::of(self);
        // First, since it must be listed however many connections cannot be used.
        if let Some(circle) = supplier_cycle(&workflow.edges()) {
            let first = circle.first().cloned().unwrap_or_default();
            let finding =
                ProblemDraft::error(Code::WORKFLOW_CYCLE, "Remove one of these connections.")
                    .of(&first);
            self.problem(
                finding,
                || "connections".into(),
                || format!("Sub-nodes are connected in a cycle: {}", cycle_text(&circle)),
            );
        }
        for (from, kinds) in workflow.connections().into_iter().flat_map(Object::iter) {
            let shown = short(from);
            let place = || format!("connections.{shown}");
            if !names.contains(from.as_str()) {
                let finding = ProblemDraft::warning(
                    Code::WORKFLOW_CONNECTION,
                    "Remove the connection, or rename the node it should start from.",
                );
                self.problem(finding, place, || {
                    format!("A connection starts at '{shown}', which is not a node of the workflow")
                });
            }
            if !kinds.is_object() {
                self.wrong_type(form(from), place, kinds, &["object"]);
            }
            for (kind, outputs) in kinds.as_object().into_iter().flat_map(Object::iter) {
                let place = || format!("connections.{shown}.{}", short(kind));
                if Kind::from_name(kind).is_none() {
                    let finding = ProblemDraft::warning(
                        Code::WORKFLOW_CONNECTION,
                        "Use `main` or one of the `ai_…` types.",
                    )
                    .of(from);
                    self.problem(finding, place, || {
                        format!("'{}' is not a connection type", short(kind))
                    });
                }
                if !outputs.is_array() {
                    self.wrong_type(form(from), place, outputs, &["array"]);
                }
                for (output, targets) in outputs.as_array().unwrap_or_default().iter().enumerate() {
                    let place = || format!("{}[{output}]", place());
                    if !targets.is_array() && !targets.is_null() {
                        self.wrong_type(form(from), place, targets, &["array", "null"]);
                    }
                    for (index, target) in targets.as_array().unwrap_or_default().iter().enumerate()
                    {
                        let place = || format!("{}[{index}]", place());
                        self.target(place, from, kind, target, &names);
                        let written = WrittenConnection { from, kind, output, target };
                        self.ports(place, &written, &mut ports);
                    }
                }
            }
        }
        ports
    }

    fn target(
        &mut self,
        place: impl Fn() -> String,
        from: &str,
        kind: &str,
        target: &Value,
        names: &HashSet<&str>,
    ) {
        let warning = |hint| ProblemDraft::warning(Code::WORKFLOW_CONNECTION, hint).of(from);
        let Some(node) = target.get("node").and_then(Value::as_str) else {
            let finding = warning("A target must be { node, type, index }.");
            return self.problem(finding, &place, || "The connection has no target node".into());
        };
        if !names.contains(node) {
            let finding =
                warning("Remove the connection, or rename the node it should connect to.");
            let message = || {
                format!(
                    "'{}' connects to '{}', which is not a node of the workflow",
                    short(from),
                    short(node)
                )
            };
            self.problem(finding, &place, message);
        }
        let index = target.get("index");
        if index.is_some_and(|index| index.as_usize().is_none_or(|index| index > MAX_INDEX)) {
            let finding =
                ProblemDraft::error(Code::WORKFLOW_CONNECTION, "Inputs are numbered from 0.")
                    .of(from);
            let message =
                || format!("'{}' connects to an invalid input of '{}'", short(from), short(node));
            self.problem(finding, || format!("{}.index", place()), message);
        }
        match target.get("type") {
            None => {}
            Some(Value::String(to_kind)) if Kind::from_name(to_kind).is_none() => {
                let message = || format!("'{}' is not a connection type", short(to_kind));
                self.problem(
                    warning("Use `main` or one of the `ai_…` types."),
                    || format!("{}.type", place()),
                    message,
                );
            }
            Some(Value::String(to_kind))
                if Kind::from_name(kind).is_some()
                    && Kind::from_name(to_kind) != Kind::from_name(kind) =>
            {
                let message = || {
                    format!(
                        "The connection starts with the type {} and ends with the type {}",
                        short(kind),
                        short(to_kind)
                    )
                };
                self.problem(
                    warning("Use the same type at both ends."),
                    || format!("{}.type", place()),
                    message,
                );
            }
            Some(Value::String(_)) => {}
            Some(other) => {
                self.wrong_type(form(from), || format!("{}.type", place()), other, &["string"])
            }
        }
    }
}

fn form(from: &str) -> ProblemDraft<'_> {
    ProblemDraft::error(
        Code::WORKFLOW_FIELD,
        "Connections must have the form { \"Node\": { \"main\": [[{ node, type, index }]] } }.",
    )
    .of(from)
}

/// The nodes of a circle, the first again at the end; of a long one only the beginning.
fn cycle_text(circle: &[Str]) -> String {
    const MAX_TOLD: usize = 8;
    let names: Vec<Str> = circle.iter().take(MAX_TOLD).map(|name| short(name)).collect();
    let more = circle.len().saturating_sub(MAX_TOLD);
    if more == 0 {
        names.join(" → ")
    } else {
        format!("{} → … ({more} more)", names.join(" → "))
    }
}

/// A circle among the connections that supply something; loops along `main` are fine.
fn supplier_cycle(edges: &[Edge]) -> Option<Vec<Str>> {
    let mut next: HashMap<&Str, Vec<&Str>> = HashMap::new();
    let mut starts = Vec::new();
    for edge in edges.iter().filter(|edge| !matches!(edge.kind, Kind::Main | Kind::Control)) {
        next.entry(&edge.from).or_insert_with(|| {
            starts.push(&edge.from);
            Vec::new()
        });
        next.entry(&edge.from).or_default().push(&edge.to);
    }
    let mut seen: HashSet<&Str> = HashSet::new();
    let mut on_path: HashSet<&Str> = HashSet::new();
    for start in starts {
        // Depth first without recursion: the path so far, and how far each of its nodes has been
        // looked at.
        let mut path: Vec<(&Str, usize)> = Vec::new();
        if seen.insert(start) {
            path.push((start, 0));
            on_path.insert(start);
        }
        while let Some((node, at)) = path.last_mut() {
            let node = *node;
            match next.get(node).and_then(|targets| targets.get(*at)).copied() {
                None => {
                    on_path.remove(node);
                    path.pop();
                }
                Some(target) => {
                    *at += 1;
                    if on_path.contains(target) {
                        let begin =
                            path.iter().position(|(name, _)| *name == target).unwrap_or_default();
                        return Some(
                            path[begin..]
                                .iter()
                                .map(|(name, _)| (*name).clone())
                                .chain([target.clone()])
                                .collect(),
                        );
                    }
                    if seen.insert(target) {
                        path.push((target, 0));
                        on_path.insert(target);
                    }
                }
            }
        }
    }
    None
}
