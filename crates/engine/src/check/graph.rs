//! Checks of connections: they lead somewhere, and sub-nodes do not supply each other in a circle.

use super::{Checker, Severity};
use model::{Code, Edge, Kind, Object, Str, Value};
use std::collections::{HashMap, HashSet};

impl Checker<'_> {
    pub(super) fn connections(&mut self) {
        let workflow = self.workflow;
        let names: HashSet<&str> = workflow.nodes().map(|node| node.name()).collect();
        for (from, kinds) in workflow.connections().into_iter().flat_map(Object::iter) {
            let place = format!("connections.{from}");
            if !names.contains(from.as_str()) {
                let message = format!("A connection starts at '{from}', which is not a node of the workflow");
                self.problem(
                    Severity::Warning,
                    Code::WORKFLOW_CONNECTION,
                    place.clone(),
                    None,
                    message,
                    Some("Remove the connection, or rename the node it should start from."),
                );
            }
            self.expect(&place, Some(kinds), &["object"]);
            for (kind, outputs) in kinds.as_object().into_iter().flat_map(Object::iter) {
                let place = format!("{place}.{kind}");
                if Kind::from_name(kind).is_none() {
                    let message = format!("'{kind}' is not a kind of connection");
                    self.problem(Severity::Warning, Code::WORKFLOW_CONNECTION, place.clone(), Some(from), message, None);
                }
                self.expect(&place, Some(outputs), &["array"]);
                for (output, targets) in outputs.as_array().unwrap_or_default().iter().enumerate() {
                    let place = format!("{place}[{output}]");
                    self.expect(&place, Some(targets), &["array", "null"]);
                    for (index, target) in targets.as_array().unwrap_or_default().iter().enumerate() {
                        self.target(&format!("{place}[{index}]"), from, target, &names);
                    }
                }
            }
        }
        if let Some(circle) = circle_of_suppliers(&workflow.edges()) {
            let message = format!("Sub-nodes supply each other in a circle: {}", circle.join(" → "));
            self.problem(
                Severity::Error,
                Code::WORKFLOW_CYCLE,
                "connections",
                circle.first().map(Str::as_str),
                message,
                Some("Remove one of these connections."),
            );
        }
    }

    fn target(&mut self, place: &str, from: &str, target: &Value, names: &HashSet<&str>) {
        let Some(node) = target.get("node").and_then(Value::as_str) else {
            return self.problem(
                Severity::Warning,
                Code::WORKFLOW_CONNECTION,
                place,
                Some(from),
                "The connection does not say which node it leads to",
                None,
            );
        };
        if !names.contains(node) {
            let message = format!("'{from}' leads to '{node}', which is not a node of the workflow");
            self.problem(
                Severity::Warning,
                Code::WORKFLOW_CONNECTION,
                place,
                Some(from),
                message,
                Some("Remove the connection, or rename the node it should lead to."),
            );
        }
        let index_fits = target.get("index").is_none_or(|index| index.as_usize().is_some_and(|index| index <= 1000));
        if !index_fits {
            let message = format!("'{from}' leads to an input of '{node}' that cannot be");
            self.problem(Severity::Error, Code::WORKFLOW_CONNECTION, place, Some(from), message, None);
        }
    }
}

/// A circle among the connections that supply something; loops along `main` are fine.
fn circle_of_suppliers(edges: &[Edge]) -> Option<Vec<Str>> {
    let mut next: HashMap<&str, Vec<&str>> = HashMap::new();
    for edge in edges.iter().filter(|edge| !matches!(edge.kind, Kind::Main | Kind::Control)) {
        next.entry(&edge.from).or_default().push(&edge.to);
    }
    let mut finished: HashSet<&str> = HashSet::new();
    for start in next.keys() {
        // Depth first without recursion: the path so far, and how far each of its nodes has been looked at.
        let mut path: Vec<(&str, usize)> = vec![(start, 0)];
        while let Some((node, at)) = path.last_mut() {
            let node = *node;
            match next.get(node).and_then(|targets| targets.get(*at)).copied() {
                None => {
                    finished.insert(node);
                    path.pop();
                }
                Some(target) => {
                    *at += 1;
                    if let Some(begin) = path.iter().position(|(on_path, _)| *on_path == target) {
                        return Some(path[begin..].iter().map(|(name, _)| Str::from(*name)).chain([target.into()]).collect());
                    }
                    if !finished.contains(target) {
                        path.push((target, 0));
                    }
                }
            }
        }
    }
    None
}
