//! Checks of the graph as a whole: where runs start, what they never get to, and what supplies
//! nobody.

use super::escape::short;
use super::ports::WorkflowPorts;
use super::{Checker, MAX_NODES, ProblemDraft};
use model::{Code, Kind, Node};
use node_api::{NodeGroup, NodeType, Port};
use std::collections::{HashMap, HashSet};

/// How a node hangs in the graph.
#[derive(Default)]
struct NodeEdges<'a> {
    next: Vec<&'a str>,
    has_main_input: bool,
    has_supply_input: bool,
    supplies: bool,
}

impl Checker<'_> {
    pub(super) fn reach(&mut self, ports: &WorkflowPorts<'_>) {
        let workflow = self.workflow;
        let edges = workflow.edges();
        let mut ends: HashMap<&str, NodeEdges<'_>> = HashMap::new();
        for edge in &edges {
            let is_flow = matches!(edge.kind, Kind::Main | Kind::Control);
            let from = ends.entry(&edge.from).or_default();
            match is_flow {
                true => from.next.push(&edge.to),
                false => from.supplies = true,
            }
            let to = ends.entry(&edge.to).or_default();
            match is_flow {
                true => to.has_main_input = true,
                false => to.has_supply_input = true,
            }
        }
        let lonely = NodeEdges::default();
        let of = |name: &str| ends.get(name).unwrap_or(&lonely);
        let registry = self.registry;
        let type_of = |node: &Node<'_>| {
            registry.find(node.type_name(), node.type_version()).map(AsRef::as_ref)
        };
        let is_start = |node: &Node<'_>| {
            !node.is_disabled() && is_trigger(node, type_of(node), of(node.name()))
        };
        let mut reached: HashSet<&str> = HashSet::new();
        let mut waiting: Vec<&str> =
            workflow.nodes().filter(is_start).map(|node| node.name()).collect();
        let has_start = !waiting.is_empty();
        if !has_start {
            self.no_start();
        }
        while let Some(name) = waiting.pop() {
            if reached.insert(name) {
                waiting.extend(of(name).next.iter().filter(|next| !reached.contains(**next)));
            }
        }
        for (index, node) in workflow.indexed_nodes().take(MAX_NODES) {
            let (name, ends) = (node.name(), of(node.name()));
            if node.is_disabled() {
                continue;
            }
            let place = || format!("nodes[{index}]");
            let role = NodeRole::of(type_of(&node), ends);
            if match role {
                NodeRole::Supplier => ends.supplies,
                NodeRole::Step | NodeRole::Unclear => !has_start || reached.contains(name),
            } {
                for port in ports.missing(name) {
                    self.missing_supplier(name, port, place);
                }
            }
            if !has_start || reached.contains(name) {
                continue;
            }
            match role {
                NodeRole::Supplier if !ends.supplies => {
                    let finding = ProblemDraft::warning(
                        Code::WORKFLOW_CONNECTION,
                        "Connect it to the node that should use it.",
                    )
                    .of(name);
                    self.problem(finding, place, || {
                        format!("'{}' is not connected to a node that uses it", short(name))
                    });
                }
                NodeRole::Step => {
                    let finding = ProblemDraft::warning(
                        Code::WORKFLOW_CONNECTION,
                        "Connect it, or remove it.",
                    )
                    .of(name);
                    self.problem(finding, place, || {
                        format!("'{}' cannot be reached from a trigger", short(name))
                    });
                }
                NodeRole::Supplier | NodeRole::Unclear => {}
            }
        }
    }

    fn missing_supplier(&mut self, name: &str, port: &Port, place: impl FnOnce() -> String) {
        let finding = ProblemDraft::error(
            Code::WORKFLOW_CONNECTION,
            "Connect a node that supplies it below the node; `+` at the input offers those that fit.",
        )
        .of(name);
        let label = if port.label.is_empty() { port.kind.name() } else { &port.label };
        self.problem(finding, place, || {
            format!("'{}' needs a connection to its input '{}'", short(name), short(label))
        });
    }

    fn no_start(&mut self) {
        if self.workflow.doc().get("nodes").is_some_and(model::Value::is_array) {
            let finding = ProblemDraft::warning(
                Code::WORKFLOW_NO_START,
                "Add a trigger, for example a Manual Trigger.",
            );
            self.problem(
                finding,
                || "nodes".into(),
                || "The workflow has no trigger to start from".into(),
            );
        }
    }
}

/// What a node is there for.
enum NodeRole {
    /// Runs when items reach it.
    Step,
    /// Gives a model, a memory or a tool to another node.
    Supplier,
    /// A note, or a node of an unknown type that hangs on nothing.
    Unclear,
}

impl NodeRole {
    fn of(node_type: Option<&NodeType>, ends: &NodeEdges<'_>) -> NodeRole {
        match node_type.map(|found| (&found.spec.inputs, &found.spec.outputs)) {
            Some((inputs, outputs)) if inputs.is_empty() && outputs.is_empty() => NodeRole::Unclear,
            Some((_, outputs))
                if !outputs.is_empty() && outputs.iter().all(|port| port.kind != Kind::Main) =>
            {
                NodeRole::Supplier
            }
            // An ordinary node that is used as a tool is no step of its own.
            Some(_) if ends.supplies => NodeRole::Supplier,
            Some(_) => NodeRole::Step,
            None if ends.supplies => NodeRole::Supplier,
            None if ends.has_main_input || ends.has_supply_input || !ends.next.is_empty() => {
                NodeRole::Step
            }
            None => NodeRole::Unclear,
        }
    }
}

fn is_trigger(node: &Node<'_>, node_type: Option<&NodeType>, ends: &NodeEdges<'_>) -> bool {
    match node_type {
        Some(found) => found.spec.group == NodeGroup::Trigger,
        // Triggers of unknown types do not all say so in their name; what has only outputs may be
        // one.
        None => {
            node.type_name().to_lowercase().ends_with("trigger")
                || (!ends.has_main_input && !ends.next.is_empty())
        }
    }
}
