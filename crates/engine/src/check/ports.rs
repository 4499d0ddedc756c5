//! Checks that connections start and end at ports that the nodes have, and that no input has more
//! of them than it takes.

use super::escape::short;
use super::{Checker, ProblemDraft};
use crate::connections::{Connection, ConnectionRules, NodePorts, Refusal};
use model::workflow::MAX_INDEX;
use model::{Code, Kind, Object, OnError, Value};
use node_api::Port;
use std::collections::{HashMap, HashSet};

/// The ports of all nodes, by name. The first of several nodes with one name counts.
pub(super) struct WorkflowPorts<'w> {
    by_name: HashMap<&'w str, usize>,
    nodes: Vec<PortsOfNode>,
    rules: ConnectionRules,
    /// The inputs that an enabled node supplies: node, kind, index.
    supplied: HashSet<(usize, Kind, usize)>,
}

struct PortsOfNode {
    /// `None` if nothing is known of the type or its version.
    ports: Option<NodePorts>,
    is_disabled: bool,
}

/// A connection as it is written.
pub(super) struct WrittenConnection<'w> {
    pub(super) from: &'w str,
    pub(super) kind: &'w str,
    pub(super) output: usize,
    pub(super) target: &'w Value,
}

impl<'w> WorkflowPorts<'w> {
    pub(super) fn of(checker: &Checker<'w>) -> Self {
        let mut ports = Self {
            by_name: HashMap::new(),
            nodes: Vec::new(),
            rules: ConnectionRules::default(),
            supplied: HashSet::new(),
        };
        let empty = Object::new();
        for node in checker.workflow.nodes().take(super::MAX_NODES) {
            if ports.by_name.contains_key(node.name()) {
                continue;
            }
            ports.by_name.insert(node.name(), ports.nodes.len());
            let version = node.type_version();
            let found = checker.registry.find(node.type_name(), version);
            let described = found.map(|found| {
                let params = found.spec.complete(version, node.parameters().unwrap_or(&empty));
                let has_error_output = node.on_error() == OnError::ContinueError;
                NodePorts::new(found, version, &params, has_error_output)
            });
            ports.nodes.push(PortsOfNode { ports: described, is_disabled: node.is_disabled() });
        }
        ports
    }

    fn find(&self, name: &str) -> Option<(usize, &PortsOfNode)> {
        let index = *self.by_name.get(name)?;
        Some((index, self.nodes.get(index)?))
    }

    /// The inputs for sub-nodes that a node needs and nobody supplies.
    pub(super) fn missing(&self, name: &str) -> Vec<&Port> {
        let Some((node, PortsOfNode { ports: Some(ports), .. })) = self.find(name) else {
            return Vec::new();
        };
        let mut of_kind: HashMap<Kind, usize> = HashMap::new();
        let is_missing = |port: &&Port| {
            let next = of_kind.entry(port.kind).or_default();
            let index = std::mem::replace(next, *next + 1);
            let is_supplied = match port.max_connections {
                Some(_) => self.supplied.contains(&(node, port.kind, index)),
                // Where any number may be connected, the index only says in which order they count.
                None => self.supplied.iter().any(|(to, kind, _)| (*to, *kind) == (node, port.kind)),
            };
            port.required && !matches!(port.kind, Kind::Main | Kind::Control) && !is_supplied
        };
        ports.inputs().iter().filter(is_missing).collect()
    }
}

impl<'w> Checker<'w> {
    pub(super) fn ports(
        &mut self,
        place: impl Fn() -> String,
        written: &WrittenConnection<'w>,
        ports: &mut WorkflowPorts<'w>,
    ) {
        let WrittenConnection { from, kind, output, target } = *written;
        let Some(kind) = Kind::from_name(kind) else { return };
        // A target of another form has been reported.
        let to_kind = target.get("type").and_then(Value::as_str).map(Kind::from_name);
        let input = target.get("index").map_or(Some(0), Value::as_usize);
        let (Some(to), Some(input)) =
            (target.get("node").and_then(Value::as_str), input.filter(|index| *index <= MAX_INDEX))
        else {
            return;
        };
        if to_kind.is_some_and(|to_kind| to_kind != Some(kind)) {
            return;
        }
        // The rules count along, so they are taken out while the ports are looked at.
        let mut rules = std::mem::take(&mut ports.rules);
        let mut supplied = std::mem::take(&mut ports.supplied);
        if let (Some((_, source)), Some((index, goal))) = (ports.find(from), ports.find(to)) {
            let connection =
                Connection { to: index, kind, output, input, is_disabled: source.is_disabled };
            let refusal = rules.refusal(source.ports.as_ref(), goal.ports.as_ref(), connection);
            if !source.is_disabled && refusal.is_none() {
                supplied.insert((index, kind, input));
            }
            if let Some(refusal) = refusal {
                let side = match refusal {
                    Refusal::OutputKind | Refusal::Output => {
                        source.ports.as_ref().map_or(&[][..], NodePorts::outputs)
                    }
                    _ => goal.ports.as_ref().map_or(&[][..], NodePorts::inputs),
                };
                let message = || message(refusal, &connection, from, to, side);
                self.problem(draft(refusal).of(from), place, message);
            }
        }
        ports.rules = rules;
        ports.supplied = supplied;
    }
}

fn draft(refusal: Refusal) -> ProblemDraft<'static> {
    let code = Code::WORKFLOW_CONNECTION;
    match refusal {
        Refusal::InputKind | Refusal::OutputKind => {
            ProblemDraft::error(code, "Remove the connection, or connect a suitable node.")
        }
        // Imported workflows often have these from before a parameter was changed.
        Refusal::Input | Refusal::Output => ProblemDraft::warning(
            code,
            "The connection is not used. Remove it, or change the parameters of the node.",
        ),
        Refusal::Full(_) => {
            ProblemDraft::warning(code, "Only the first one is used. Remove the others.")
        }
    }
}

fn message(
    refusal: Refusal,
    connection: &Connection,
    from: &str,
    to: &str,
    side: &[Port],
) -> String {
    let Connection { kind, input, output, .. } = *connection;
    let (from, to, kind_name) = (short(from), short(to), kind.name());
    match refusal {
        Refusal::InputKind => {
            format!("'{from}' connects to '{to}' as {kind_name}, but '{to}' takes {}", kinds(side))
        }
        Refusal::OutputKind => format!(
            "'{from}' connects to '{to}' as {kind_name}, but '{from}' provides {}",
            kinds(side)
        ),
        Refusal::Input => format!(
            "'{from}' connects to {kind_name} input {input} of '{to}', which has {}",
            named(side, kind, "input")
        ),
        Refusal::Output => format!(
            "{kind_name} output {output} of '{from}' connects to '{to}', but '{from}' has {}",
            named(side, kind, "output")
        ),
        Refusal::Full(most) => format!(
            "'{from}' connects to {kind_name} input {input} of '{to}', which takes only {most} {}",
            if most == 1 { "connection" } else { "connections" }
        ),
    }
}

/// The kinds of some ports, each once.
fn kinds(ports: &[Port]) -> String {
    let mut names: Vec<&str> = ports.iter().map(|port| port.kind.name()).collect();
    names.dedup();
    if names.is_empty() { "no connections".into() } else { format!("only {}", names.join(", ")) }
}

/// How many ports of a kind there are, and how they are called.
fn named(ports: &[Port], kind: Kind, side: &str) -> String {
    const MAX_LISTED: usize = 8;
    let ports: Vec<_> = ports.iter().filter(|port| port.kind == kind).collect();
    let count = match ports.len() {
        0 => return format!("no such {side} with its parameters"),
        1 => format!("only one {side}"),
        many => format!("only {many} {side}s"),
    };
    let labels: Vec<_> = ports
        .iter()
        .take(MAX_LISTED)
        .filter(|port| !port.label.is_empty())
        .map(|port| short(&port.label))
        .collect();
    if labels.is_empty() { count } else { format!("{count} ({})", labels.join(", ")) }
}
