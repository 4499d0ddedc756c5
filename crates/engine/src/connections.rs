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

    /// Whether the last input for sub-nodes of a kind takes any number of them. Their indexes then
    /// only say in which order they count.
    fn takes_any(&self, kind: Kind) -> bool {
        let last = self.ports.iter().rfind(|port| port.kind == kind);
        kind != Kind::Main && last.is_some_and(|port| port.max_connections.is_none())
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
        if !to.inputs.has(kind, input) && !to.inputs.takes_any(kind) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Items, Value, json};
    use node_api::{Ctx, Node, NodeError, Outputs, Param, PortRule, Registry, Spec};

    struct Chooser;

    impl Node for Chooser {
        fn spec() -> Spec {
            Spec::new("chooser", &[1.0], "Chooser", "")
                .inputs([
                    Port::main(),
                    Port::of(Kind::AiLanguageModel, "Models").many(),
                    Port::of(Kind::AiMemory, "Memory"),
                    Port::of(Kind::AiDocument, "Document").show("mode", &["insert"]),
                ])
                .output_rule(PortRule::number("n", ""))
                .param(Param::number("n", "Outputs", 2))
        }

        async fn run(_: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
            Ok(vec![items])
        }
    }

    static NODES: &[node_api::NodeEntry] = &[node_api::run::<Chooser>()];

    fn ports(params: Value) -> NodePorts {
        let registry = Registry::new([NODES]);
        let found = registry.find("chooser", 1.0).unwrap();
        let params = found.spec.complete(1.0, params.as_object().unwrap());
        NodePorts::new(found, 1.0, &params, false)
    }

    fn into(kind: Kind, input: usize) -> Connection {
        Connection { to: 0, kind, output: 0, input, is_disabled: false }
    }

    #[test]
    fn inputs_are_those_of_the_parameters() {
        let mut rules = ConnectionRules::default();
        let plain = ports(json!({}));
        let mut refusal = |kind, input| rules.refusal(None, Some(&plain), into(kind, input));
        assert_eq!(refusal(Kind::Main, 0), None);
        assert_eq!(refusal(Kind::Main, 1), Some(Refusal::Input));
        assert_eq!(refusal(Kind::AiTool, 0), Some(Refusal::InputKind));
        assert_eq!(refusal(Kind::AiDocument, 0), Some(Refusal::Input));
        assert_eq!(refusal(Kind::AiLanguageModel, 3), None);
        let insert = ports(json!({ "mode": "insert" }));
        assert_eq!(rules.refusal(None, Some(&insert), into(Kind::AiDocument, 0)), None);
    }

    #[test]
    fn an_input_takes_no_more_than_it_says_and_disabled_nodes_do_not_count() {
        let (mut rules, ports) = (ConnectionRules::default(), ports(json!({})));
        let memory = into(Kind::AiMemory, 0);
        let disabled = Connection { is_disabled: true, ..memory };
        let mut refusal = |connection| rules.refusal(None, Some(&ports), connection);
        assert_eq!((refusal(disabled), refusal(memory)), (None, None));
        assert_eq!(refusal(memory), Some(Refusal::Full(1)));
    }

    #[test]
    fn outputs_that_an_expression_decides_are_not_judged() {
        let mut rules = ConnectionRules::default();
        let mut refusal = |params: Value, kind, output| {
            let connection = Connection { output, ..into(kind, 0) };
            rules.refusal(Some(&ports(params)), None, connection)
        };
        assert_eq!(refusal(json!({}), Kind::Main, 1), None);
        assert_eq!(refusal(json!({}), Kind::Main, 2), Some(Refusal::Output));
        assert_eq!(refusal(json!({ "n": "={{ 9 }}" }), Kind::Main, 8), None);
        assert_eq!(refusal(json!({}), Kind::AiMemory, 0), Some(Refusal::OutputKind));
        // It takes and returns items, so a model may call it.
        assert_eq!(refusal(json!({}), Kind::AiTool, 0), None);
    }
}
