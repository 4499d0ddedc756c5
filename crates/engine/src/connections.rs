//! Which connections the ports of two nodes allow: the same answer for `check` and for a plan.

use model::{Kind, Object};
use node_api::{NodeType, Port};
use std::collections::HashMap;

/// The inputs and outputs that a node of a known type has with its parameters.
pub(crate) struct NodePorts {
    inputs: PortSide,
    outputs: PortSide,
    item_outputs: usize,
    /// Any node that takes and returns items may be called as a tool.
    can_be_a_tool: bool,
}

struct PortSide {
    ports: Vec<Port>,
    /// The kind of which an expression decides how many there are.
    open: Option<Kind>,
    /// The kinds that there are with other parameters.
    kinds: Vec<Kind>,
}

/// Why a connection cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Nodes of the type never have an input of this kind.
    InputKind,
    OutputKind,
    /// With its parameters the node has fewer inputs of the kind.
    Input,
    Output,
    /// The input takes only so many connections.
    Full(u32),
}

impl NodePorts {
    /// The ports with parameters that have their defaults.
    pub(crate) fn new(
        node_type: &NodeType,
        version: f64,
        params: &Object,
        has_error_output: bool,
    ) -> Self {
        let spec = &node_type.spec;
        let kinds = |ports: &[Port]| ports.iter().map(|port| port.kind).collect();
        let mut outputs = spec.outputs_with(version, params);
        let item_outputs = count(&outputs, Kind::Main);
        if has_error_output && item_outputs > 0 {
            outputs.push(Port::named("error"));
        }
        Self {
            inputs: PortSide {
                ports: spec.inputs_with(version, params),
                open: spec.open_inputs(params),
                kinds: kinds(&spec.inputs),
            },
            outputs: PortSide {
                ports: outputs,
                open: spec.open_outputs(params),
                kinds: kinds(&spec.outputs),
            },
            item_outputs,
            can_be_a_tool: node_type.can_be_a_tool(),
        }
    }

    /// How many outputs carry items, the one for errors not counted.
    pub(crate) fn item_outputs(&self) -> usize {
        self.item_outputs
    }

    pub(crate) fn inputs(&self) -> &[Port] {
        &self.inputs.ports
    }

    pub(crate) fn outputs(&self) -> &[Port] {
        &self.outputs.ports
    }
}

impl PortSide {
    fn has(&self, kind: Kind, index: usize) -> bool {
        self.open == Some(kind) || index < count(&self.ports, kind)
    }
}

fn count(ports: &[Port], kind: Kind) -> usize {
    ports.iter().filter(|port| port.kind == kind).count()
}

/// Goes through the connections of a workflow and says which cannot be used. Nothing is known about
/// the ports of a node whose type is not.
#[derive(Default)]
pub(crate) struct ConnectionRules {
    /// How many connections each input has so far: node, kind, index.
    used: HashMap<(usize, Kind, usize), u32>,
}

/// One connection; nodes are named by their numbers.
#[derive(Clone, Copy)]
pub(crate) struct Connection {
    pub(crate) to: usize,
    pub(crate) kind: Kind,
    pub(crate) output: usize,
    pub(crate) input: usize,
    /// What a disabled node supplies is not used, and takes nobody's place.
    pub(crate) is_disabled: bool,
}

impl ConnectionRules {
    pub(crate) fn refusal(
        &mut self,
        from: Option<&NodePorts>,
        to: Option<&NodePorts>,
        connection: Connection,
    ) -> Option<Refusal> {
        let Connection { to: target, kind, output, input, is_disabled } = connection;
        if let Some(from) = from
            && !(kind == Kind::AiTool && from.can_be_a_tool)
            && !from.outputs.has(kind, output)
        {
            let is_known = from.outputs.kinds.contains(&kind);
            return Some(if is_known { Refusal::Output } else { Refusal::OutputKind });
        }
        let to = to?;
        if !to.inputs.has(kind, input) {
            let is_known = to.inputs.kinds.contains(&kind);
            return Some(if is_known { Refusal::Input } else { Refusal::InputKind });
        }
        let port = to.inputs.ports.iter().filter(|port| port.kind == kind).nth(input)?;
        let most = port.max_connections.filter(|_| !is_disabled)?;
        let used = self.used.entry((target, kind, input)).or_default();
        if *used >= most {
            return Some(Refusal::Full(most));
        }
        *used += 1;
        None
    }
}
