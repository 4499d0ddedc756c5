//! Operations on connections, and what happens to them when nodes are renamed or removed.

use super::OperationProblem;
use super::draft::{DraftNode, WorkflowDraft};
use crate::workflow::{MAX_INDEX, edges};
use crate::{Edge, Kind, Object, Str, Value};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A connection that an operation asks for, with all fields of its target.
struct RequestedConnection {
    edge: Edge,
    target: Object,
}

impl WorkflowDraft {
    pub(super) fn set_connections(&mut self, connections: &Object) -> Result<(), OperationProblem> {
        let wanted = self.wanted(connections)?;
        self.doc.insert("connections", Object::new());
        self.add_connections(wanted);
        Ok(())
    }

    pub(super) fn merge_connections(
        &mut self,
        connections: &Object,
    ) -> Result<(), OperationProblem> {
        let wanted = self.wanted(connections)?;
        self.add_connections(wanted);
        Ok(())
    }

    pub(super) fn remove_connections(
        &mut self,
        connections: &Object,
    ) -> Result<(), OperationProblem> {
        let gone: HashSet<Edge> =
            self.wanted(connections)?.into_iter().map(|wanted| wanted.edge).collect();
        let sources: HashSet<Str> = gone.iter().map(|edge| edge.from.clone()).collect();
        self.retain_targets(
            |from| sources.contains(from),
            |place, target| {
                let Some(kind) = Kind::from_name(place.kind) else { return true };
                edges::target(place.from, kind, place.output, target)
                    .is_none_or(|edge| !gone.contains(&edge))
            },
        );
        Ok(())
    }

    /// Removes every connection from and to nodes, of whatever kind.
    pub(super) fn drop_from_connections(&mut self, names: &HashSet<Str>) {
        if names.is_empty() {
            return;
        }
        if let Some(Value::Object(connections)) = self.doc.get_mut("connections")
            && connections.keys().any(|from| names.contains(from))
        {
            Arc::make_mut(connections).retain(|from, _| !names.contains(from));
        }
        self.retain_targets(
            |_| true,
            |_, target| {
                !target.get("node").and_then(Value::as_str).is_some_and(|to| names.contains(to))
            },
        );
    }

    pub(super) fn rename_in_connections(&mut self, old: &str, new: &str) {
        let Some(Value::Object(connections)) = self.doc.get_mut("connections") else { return };
        let mentions = |value: &Value| value.get("node").and_then(Value::as_str) == Some(old);
        if connections.contains_key(old) {
            Arc::make_mut(connections).rename(old, new);
        }
        let sources: Vec<Str> = connections
            .iter()
            .filter(|(_, kinds)| targets(kinds).any(mentions))
            .map(|(from, _)| from.clone())
            .collect();
        if sources.is_empty() {
            return;
        }
        let connections = Arc::make_mut(connections);
        for from in sources {
            for (_, outputs) in connections.entry(&from).make_object().iter_mut() {
                let Value::Array(lists) = outputs else { continue };
                for list in Arc::make_mut(lists) {
                    let Value::Array(list) = list else { continue };
                    for target in Arc::make_mut(list).iter_mut().filter(|target| mentions(target)) {
                        target.make_object().insert("node", new);
                    }
                }
            }
        }
    }

    /// The connections of an operation, their ends turned into names.
    fn wanted(&self, connections: &Object) -> Result<Vec<RequestedConnection>, OperationProblem> {
        let names: HashSet<&str> =
            self.nodes.iter().map(DraftNode::name).filter(|name| !name.is_empty()).collect();
        let ids: HashMap<&str, &str> = self
            .nodes
            .iter()
            .filter_map(DraftNode::node)
            .filter_map(|node| Some((node.id()?, node.name())))
            .filter(|(_, name)| !name.is_empty())
            .collect();
        let resolve = |node: &str| -> Result<Str, OperationProblem> {
            let name = names.get(node).or_else(|| ids.get(node)).copied();
            name.map(Str::from).ok_or_else(|| OperationProblem::NodeMissing { node: node.into() })
        };
        let mut found = Vec::new();
        for (node, kinds) in connections.iter() {
            let from = resolve(node)?;
            let form = |what| OperationProblem::ConnectionForm { node: node.clone(), what };
            for (kind_name, outputs) in kinds
                .as_object()
                .ok_or_else(|| form("the connection types of a node are not an object"))?
                .iter()
            {
                let unknown = |kind: &str| OperationProblem::ConnectionKind {
                    node: node.clone(),
                    kind: kind.into(),
                };
                let kind = Kind::from_name(kind_name).ok_or_else(|| unknown(kind_name))?;
                for (output, targets) in outputs
                    .as_array()
                    .ok_or_else(|| form("the outputs of a connection type are not a list"))?
                    .iter()
                    .enumerate()
                {
                    if targets.is_nullish() {
                        continue;
                    }
                    for target in targets
                        .as_array()
                        .ok_or_else(|| form("the targets of an output are not a list"))?
                    {
                        let fields =
                            target.as_object().ok_or_else(|| form("a target is not an object"))?;
                        let to = fields
                            .get("node")
                            .and_then(Value::as_str)
                            .ok_or_else(|| form("a target names no node"))?;
                        let mut fields = fields.clone();
                        fields.insert("node", resolve(to)?);
                        match fields.get("type") {
                            None => fields.insert("type", kind.name()),
                            Some(Value::String(name)) => {
                                let kind = Kind::from_name(name).ok_or_else(|| unknown(name))?;
                                fields.insert("type", kind.name())
                            }
                            Some(_) => return Err(form("the type of a target is not a string")),
                        };
                        if !fields.contains_key("index") {
                            fields.insert("index", 0);
                        }
                        if output > MAX_INDEX {
                            return Err(form("the index of an output is too high"));
                        }
                        let target = Value::object(fields.clone());
                        let edge = edges::target(&from, kind, output, &target)
                            .ok_or_else(|| form("the index of an input is invalid"))?;
                        found.push(RequestedConnection { edge, target: fields });
                    }
                }
            }
        }
        Ok(found)
    }

    fn add_connections(&mut self, wanted: Vec<RequestedConnection>) {
        let connections = self.doc.entry("connections").make_object();
        let mut there: HashSet<Edge> = edges::read(connections).into_iter().collect();
        for RequestedConnection { edge, target } in wanted {
            if there.contains(&edge) {
                continue;
            }
            let kinds = connections.entry(&edge.from).make_object();
            // The document may know the kind by one of its older names.
            let key = kinds
                .keys()
                .find(|key| Kind::from_name(key) == Some(edge.kind))
                .cloned()
                .unwrap_or_else(|| edge.kind.name().into());
            let outputs = kinds.entry(&key).make_array();
            while outputs.len() <= edge.output {
                outputs.push(Value::array(Vec::new()));
            }
            outputs[edge.output].make_array().push(Value::object(target));
            there.insert(edge);
        }
    }

    /// Keeps the targets that `keep` says. Lists in which nothing goes stay as they are; of the
    /// others, empty lists at the end and what holds nothing any more go too. Empty lists in
    /// between hold the place of an output.
    fn retain_targets(
        &mut self,
        looks_at: impl Fn(&str) -> bool,
        keep: impl Fn(&Outlet<'_>, &Value) -> bool,
    ) {
        let Some(Value::Object(connections)) = self.doc.get_mut("connections") else { return };
        let loses = |from: &Str, kinds: &Value| {
            kinds
                .as_object()
                .into_iter()
                .flat_map(Object::iter)
                .any(|(kind, outputs)| outputs_lose(from, kind, outputs, &keep))
        };
        let sources: Vec<Str> = connections
            .iter()
            .filter(|(from, kinds)| looks_at(from) && loses(from, kinds))
            .map(|(from, _)| from.clone())
            .collect();
        if sources.is_empty() {
            return;
        }
        let connections = Arc::make_mut(connections);
        let mut emptied: HashSet<Str> = HashSet::new();
        for from in sources {
            let kinds = connections.entry(&from).make_object();
            let mut empty_kinds = Vec::new();
            for (kind, outputs) in kinds.iter_mut() {
                if !outputs_lose(&from, kind, outputs, &keep) {
                    continue;
                }
                let lists = outputs.make_array();
                for (output, list) in lists.iter_mut().enumerate() {
                    if let Value::Array(targets) = list {
                        let outlet = Outlet { from: &from, kind, output };
                        Arc::make_mut(targets).retain(|target| keep(&outlet, target));
                    }
                }
                while lists.last().is_some_and(|last| {
                    last.is_nullish() || last.as_array().is_some_and(<[Value]>::is_empty)
                }) {
                    lists.pop();
                }
                if lists.is_empty() {
                    empty_kinds.push(kind.clone());
                }
            }
            for kind in empty_kinds {
                kinds.remove(&kind);
            }
            if kinds.is_empty() {
                emptied.insert(from);
            }
        }
        if !emptied.is_empty() {
            connections.retain(|from, _| !emptied.contains(from));
        }
    }
}

/// One output of a node, as connections name it.
struct Outlet<'a> {
    from: &'a Str,
    kind: &'a str,
    output: usize,
}

fn outputs_lose(
    from: &Str,
    kind: &str,
    outputs: &Value,
    keep: &impl Fn(&Outlet<'_>, &Value) -> bool,
) -> bool {
    outputs.as_array().unwrap_or_default().iter().enumerate().any(|(output, list)| {
        let outlet = Outlet { from, kind, output };
        list.as_array().unwrap_or_default().iter().any(|target| !keep(&outlet, target))
    })
}

/// Every target of a node, whatever the kind.
fn targets(kinds: &Value) -> impl Iterator<Item = &Value> {
    let lists = kinds
        .as_object()
        .into_iter()
        .flat_map(Object::values)
        .flat_map(|outputs| outputs.as_array().unwrap_or_default());
    lists.flat_map(|list| list.as_array().unwrap_or_default())
}
