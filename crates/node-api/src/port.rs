//! The inputs and outputs of a node: which there are with its parameters, and how many connections
//! each takes.

use crate::defaults::rule_matches_at_top;
use crate::param::DisplayRule;
use crate::spec::Spec;
use model::{Kind, Object, Str, Value};
use serde::{Deserialize, Serialize};

/// One input or output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Port {
    pub kind: Kind,
    /// Shown when a node has several; empty otherwise.
    #[serde(default)]
    pub label: Str,
    /// The node does not work without a connection here.
    #[serde(default)]
    pub required: bool,
    /// How many connections it takes; any number if there is none.
    #[serde(default)]
    pub max_connections: Option<u32>,
    /// All must hold for the port to exist.
    #[serde(default)]
    pub show: Vec<DisplayRule>,
}

impl Port {
    pub fn main() -> Self {
        Self::of(Kind::Main, "")
    }

    pub fn named(label: &str) -> Self {
        Self::of(Kind::Main, label)
    }

    /// A port as most of its kind are: items and tools may come from any number of nodes, and a
    /// node works without tools, memory and what only refines its work.
    pub fn of(kind: Kind, label: &str) -> Self {
        let takes_many = matches!(kind, Kind::Main | Kind::AiTool);
        let is_optional = matches!(
            kind,
            Kind::Main
                | Kind::Control
                | Kind::AiTool
                | Kind::AiMemory
                | Kind::AiOutputParser
                | Kind::AiReranker
                | Kind::AiTextSplitter
        );
        Self {
            kind,
            label: label.into(),
            required: !is_optional,
            max_connections: (!takes_many).then_some(1),
            show: Vec::new(),
        }
    }

    /// The node works without a connection here.
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }

    /// Takes any number of connections.
    pub fn many(mut self) -> Self {
        self.max_connections = None;
        self
    }

    /// Exists only while `param` has one of these values. Several rules must all hold.
    pub fn show<V: Into<Value> + Clone>(mut self, param: &str, values: &[V]) -> Self {
        self.show.push(DisplayRule::is(param, values));
        self
    }
}

/// More ports than this are a mistake.
const MAX_PORTS: usize = 1000;

/// Ports that parameters decide. The first rule whose parameter has its value counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PortRule {
    /// Holds while this parameter has this value; always if there is none.
    pub when: Option<(Str, Str)>,
    pub ports: PortCount,
    /// One port more while this parameter has this value, with this label.
    pub extra: Option<(Str, Str, Str)>,
}

/// How many ports a rule gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PortCount {
    /// One for each entry of the list at a path, named by a field of the entry.
    Entries { list: Str, label: Str },
    /// As many as a parameter says.
    Number { param: Str, label: Str },
    /// One for each of the words with commas between, that a parameter or, where it is not set, the
    /// description gives.
    Words { param: Str, default: Str },
    /// These, whatever the parameters say beyond the rule's condition.
    Named { labels: Vec<Str> },
}

impl Default for PortCount {
    fn default() -> Self {
        PortCount::Number { param: Str::new(), label: Str::new() }
    }
}

impl PortRule {
    pub fn entries(list: &str, label: &str) -> Self {
        Self {
            ports: PortCount::Entries { list: list.into(), label: label.into() },
            ..Self::default()
        }
    }

    /// `label` stands before the number, which counts from `1` if there is a label and from `0` if
    /// not.
    pub fn number(param: &str, label: &str) -> Self {
        Self {
            ports: PortCount::Number { param: param.into(), label: label.into() },
            ..Self::default()
        }
    }

    /// Outputs named by words with commas between.
    pub fn words(param: &str, default: &str) -> Self {
        Self {
            ports: PortCount::Words { param: param.into(), default: default.into() },
            ..Self::default()
        }
    }

    pub fn named(labels: &[&str]) -> Self {
        Self {
            ports: PortCount::Named {
                labels: labels.iter().map(|label| Str::from(*label)).collect(),
            },
            ..Self::default()
        }
    }

    /// `true` and `false` stand for a yes or no.
    pub fn when(mut self, param: &str, equals: &str) -> Self {
        self.when = Some((param.into(), equals.into()));
        self
    }

    pub fn extra(mut self, param: &str, equals: &str, label: &str) -> Self {
        self.extra = Some((param.into(), equals.into(), label.into()));
        self
    }
}

impl PortRule {
    fn has(params: &Object, param: &str, equals: &str) -> bool {
        match value_at(params, param) {
            Some(Value::Bool(flag)) => flag.to_string() == equals,
            found => found.and_then(Value::as_str) == Some(equals),
        }
    }

    fn holds(&self, params: &Object) -> bool {
        self.when.as_ref().is_none_or(|(param, equals)| Self::has(params, param, equals))
    }

    /// The labels of the ports; `None` where the rule does not apply.
    fn labels(&self, params: &Object) -> Option<Vec<Str>> {
        if !self.holds(params) {
            return None;
        }
        let mut labels = self.ports.labels(params)?;
        if let Some((param, equals, label)) = &self.extra
            && Self::has(params, param, equals)
        {
            labels.push(label.clone());
        }
        Some(labels)
    }

    /// Whether an expression decides about the rule or about the number of its ports.
    fn is_open(&self, params: &Object) -> bool {
        let is_expression = |path: &str| {
            value_at(params, path).and_then(Value::as_str).is_some_and(|text| text.starts_with('='))
        };
        let decides = match &self.ports {
            PortCount::Entries { list, .. } => Some(list),
            PortCount::Number { param, .. } | PortCount::Words { param, .. } => Some(param),
            PortCount::Named { .. } => None,
        };
        let conditions = self
            .when
            .iter()
            .map(|(param, _)| param)
            .chain(self.extra.iter().map(|(param, ..)| param));
        conditions.chain(decides).any(|path| {
            // What holds the value may be an expression too.
            path.match_indices('.')
                .map(|(at, _)| &path[..at])
                .chain([path.as_str()])
                .any(is_expression)
        })
    }
}

impl PortCount {
    fn labels(&self, params: &Object) -> Option<Vec<Str>> {
        let labels = match self {
            PortCount::Entries { list, label } => {
                let entries = value_at(params, list)?.as_array()?;
                let name = |(number, entry): (usize, &Value)| {
                    // An entry that is a text names itself.
                    let label = entry
                        .as_str()
                        .or_else(|| entry.get(label)?.as_str())
                        .filter(|label| !label.is_empty());
                    label.map_or_else(|| number.to_string().into(), Str::from)
                };
                entries.iter().enumerate().take(MAX_PORTS).map(name).collect()
            }
            PortCount::Number { param, label } => {
                let count = value_at(params, param)?.as_usize()?.min(MAX_PORTS);
                let name = |number: usize| match label.trim() {
                    "" => number.to_string(),
                    label => format!("{label} {}", number + 1),
                };
                (0..count).map(|number| name(number).into()).collect()
            }
            PortCount::Words { param, default } => {
                let words = value_at(params, param).and_then(Value::as_str).unwrap_or(default);
                let words = words.split(',').map(str::trim).filter(|word| !word.is_empty());
                words.take(MAX_PORTS).map(Str::from).collect()
            }
            PortCount::Named { labels } => labels.clone(),
        };
        Some(labels)
    }
}

fn value_at<'v>(params: &'v Object, path: &str) -> Option<&'v Value> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let value = params.get(first)?;
    if rest.is_empty() { Some(value) } else { value.get_path(rest) }
}

impl Spec {
    /// The inputs of a node with these parameters, which have their defaults.
    pub fn inputs_with(&self, version: f64, params: &Object) -> Vec<Port> {
        ports_with(&self.inputs, &self.input_rules, version, params)
    }

    /// The outputs of a node with these parameters, which have their defaults. The one for errors
    /// is not among them.
    pub fn outputs_with(&self, version: f64, params: &Object) -> Vec<Port> {
        ports_with(&self.outputs, &self.output_rules, version, params)
    }

    /// The kind of input of which only a run can say how many there are, because an expression
    /// decides.
    pub fn open_inputs(&self, params: &Object) -> Option<Kind> {
        open_kind(&self.inputs, &self.input_rules, params)
    }

    /// The same for outputs.
    pub fn open_outputs(&self, params: &Object) -> Option<Kind> {
        open_kind(&self.outputs, &self.output_rules, params)
    }
}

fn ports_with(described: &[Port], rules: &[PortRule], version: f64, params: &Object) -> Vec<Port> {
    let mut ports = match rules.iter().find_map(|rule| rule.labels(params)) {
        None => described.to_vec(),
        Some(labels) => {
            let kind = decided_kind(described);
            let like = described.iter().find(|port| port.kind == kind).cloned();
            let like = like.unwrap_or_else(|| Port::of(kind, ""));
            let decided = labels.into_iter().map(|label| Port { label, ..like.clone() });
            decided.chain(described.iter().filter(|port| port.kind != kind).cloned()).collect()
        }
    };
    ports.retain(|port| port.show.iter().all(|rule| rule_matches_at_top(rule, params, version)));
    ports
}

/// A rule decides the ports of one kind; the others stay as they are described.
fn decided_kind(described: &[Port]) -> Kind {
    match described.iter().any(|port| port.kind == Kind::Main) {
        true => Kind::Main,
        false => described.first().map_or(Kind::Main, |port| port.kind),
    }
}

fn open_kind(described: &[Port], rules: &[PortRule], params: &Object) -> Option<Kind> {
    rules.iter().any(|rule| rule.is_open(params)).then(|| decided_kind(described))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn labels(spec: &Spec, params: Value) -> Vec<String> {
        let ports = spec.outputs_with(1.0, params.as_object().unwrap());
        ports.into_iter().map(|port| port.label.to_string()).collect()
    }

    #[test]
    fn parameters_decide_the_ports_where_a_rule_says_so() {
        let spec = Spec::new("test", &[1.0], "Test", "")
            .output_rule(PortRule::number("count", "").when("mode", "number"))
            .output_rule(PortRule::entries("rules.values", "name").extra(
                "options.rest",
                "extra",
                "Fallback",
            ));
        assert_eq!(labels(&spec, json!({ "mode": "number", "count": 2 })), ["0", "1"]);
        let rules =
            json!({ "rules": { "values": [{ "name": "a" }, {}] }, "options": { "rest": "extra" } });
        assert_eq!(labels(&spec, rules), ["a", "1", "Fallback"]);
        assert_eq!(
            labels(&spec, json!({ "rules": { "values": ["GET", "POST"] } })),
            ["GET", "POST"]
        );
        assert_eq!(labels(&spec, json!({})), [""]);
        let spec = Spec::new("test", &[1.0], "Test", "")
            .output_rule(PortRule::words("options.names", "x, y"));
        assert_eq!(labels(&spec, json!({})), ["x", "y"]);
        assert_eq!(labels(&spec, json!({ "options": { "names": "a, ,b,c" } })), ["a", "b", "c"]);
        let spec = Spec::new("test", &[1.0], "Test", "")
            .output_rule(PortRule::named(&["a", "b"]).when("two", "true"));
        assert_eq!(labels(&spec, json!({ "two": true })).len(), 2);
        assert_eq!(labels(&spec, json!({ "two": false })).len(), 1);
    }

    #[test]
    fn a_rule_decides_one_kind_and_leaves_the_others() {
        let spec = Spec::new("test", &[1.0], "Test", "")
            .inputs([Port::of(Kind::AiTool, "Tools"), Port::main()])
            .input_rule(PortRule::number("n", "Input"));
        let kinds = |n: Value| {
            let params = json!({ "n": n });
            let ports = spec.inputs_with(1.0, params.as_object().unwrap());
            ports.iter().map(|port| port.kind).collect::<Vec<_>>()
        };
        assert_eq!(kinds(json!(2)), [Kind::Main, Kind::Main, Kind::AiTool]);
        assert_eq!(kinds(json!("={{ 2 }}")), [Kind::AiTool, Kind::Main]);
        let open = json!({ "n": "={{ 2 }}" });
        assert_eq!(spec.open_inputs(open.as_object().unwrap()), Some(Kind::Main));
        assert_eq!(spec.open_inputs(json!({ "n": 2 }).as_object().unwrap()), None);
    }

    #[test]
    fn a_rule_for_sub_nodes_makes_ports_like_the_described_one() {
        let spec = Spec::new("test", &[1.0], "Test", "")
            .inputs([Port::of(Kind::AiLanguageModel, "Model").optional()])
            .input_rule(PortRule::number("n", "Model "));
        let ports = spec.inputs_with(1.0, json!({ "n": 2 }).as_object().unwrap());
        assert_eq!(ports.len(), 2);
        assert_eq!((ports[1].label.as_str(), ports[1].required), ("Model 2", false));
        assert_eq!(ports[1].max_connections, Some(1));
    }

    #[test]
    fn a_port_exists_while_its_rules_hold() {
        let spec = Spec::new("test", &[1.0], "Test", "").outputs([
            Port::main().show("mode", &["load"]),
            Port::of(Kind::AiTool, "Tool").show("mode", &["tool"]).show("on", &[true]),
        ]);
        let kinds = |params: Value| {
            let ports = spec.outputs_with(1.0, params.as_object().unwrap());
            ports.iter().map(|port| port.kind).collect::<Vec<_>>()
        };
        assert_eq!(kinds(json!({ "mode": "load" })), [Kind::Main]);
        assert_eq!(kinds(json!({ "mode": "tool", "on": true })), [Kind::AiTool]);
        assert_eq!(kinds(json!({ "mode": "tool" })), []);
        assert_eq!(kinds(json!({ "mode": "={{ $json.mode }}", "on": true })).len(), 2);
    }
}
