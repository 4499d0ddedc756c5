//! A workflow made ready to run: names resolved, defaults filled in, expressions compiled.

use crate::budget::Budgets;
use crate::connections::{Connection, ConnectionRules, NodePorts};
use crate::inline_workflow;
use crate::params::CompiledParam;
use expr::native::NativeCode;
use model::{Item, Items, Kind, Node, Object, OnError, Str, Value, Workflow};
use node_api::ai::Exposure;
use node_api::host::WorkflowOrigin;
use node_api::{
    Destination, DestinationForm, NodeError, NodeGroup, NodeInfo, NodeType, NumberRange, Param,
    ParamKind, Registry, Spec, StartCause,
};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// So many nodes are found sooner by looking at each name.
const FEW_NODES: usize = 12;

/// The plan of a workflow. Made once when it is saved, activated or imported; runs only walk it.
pub struct Plan {
    pub id: Str,
    pub name: Str,
    pub active: bool,
    pub timezone: Option<Str>,
    pub legacy_order: bool,
    pub timeout_ms: Option<u64>,
    pub error_workflow: Option<Str>,
    /// What it may spend on models.
    pub budgets: Budgets,
    pub nodes: Vec<PlanNode>,
    by_name: HashMap<Str, usize>,
    pub static_data: Value,
    /// Where it is from, if it is no stored workflow.
    pub(crate) text: Option<WorkflowOrigin>,
}

/// A node of a plan.
pub struct PlanNode {
    pub info: NodeInfo,
    /// `None` if the type or version is not known; the run stops only when it gets here.
    pub node_type: Option<Arc<NodeType>>,
    pub(crate) params: CompiledParam,
    /// The parameters with defaults, expressions unevaluated.
    pub raw_params: Value,
    pub credentials: Object,
    pub disabled: bool,
    pub execute_once: bool,
    pub always_output: bool,
    pub retry: Option<Retry>,
    /// Its author says that running it twice does no harm.
    pub safe_to_repeat: bool,
    /// The header in which its requests carry a key, if they do.
    pub key_header: Option<Str>,
    pub position: (f64, f64),
    /// Per output: where it leads.
    pub outputs: Vec<Vec<PlanTarget>>,
    /// Per input: where it is fed from.
    pub inputs: Vec<Vec<PlanTarget>>,
    /// The nodes that supply it with a model, a memory, tools and so on.
    pub suppliers: Vec<PlanSupplier>,
    pub pinned: Option<Items>,
    pub webhook_id: Option<Str>,
    /// The ranges of numbers that an expression gives or that are out of theirs; the others need
    /// no check while it runs.
    pub(crate) ranges: Vec<NumberRange>,
    /// How many `main` outputs it has, the one for errors not counted.
    pub(crate) n_outputs: usize,
    /// JavaScript of the node, read when it first ran.
    pub(crate) code: OnceLock<CodeSource>,
    /// What a model that calls the node fills in, read when it was first offered to one.
    pub(crate) asked_of_model: OnceLock<Result<Value, NodeError>>,
}

/// The source of a Code node, and the program if it can be run without the sandbox.
pub(crate) struct CodeSource {
    pub(crate) source: Str,
    pub(crate) native: Option<NativeCode>,
}

impl CodeSource {
    pub(crate) fn new(source: Str) -> Self {
        Self { native: NativeCode::compile(&source), source }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    pub tries: u32,
    pub wait_ms: u64,
}

/// One end of a connection: a node and the index of its input or output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanTarget {
    pub node: usize,
    pub index: usize,
}

/// A node that another one uses instead of passing items to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanSupplier {
    pub kind: Kind,
    pub node: usize,
    /// Which of the inputs of that kind it is connected to.
    pub input: usize,
}

impl Plan {
    /// Makes a plan of whatever the workflow holds. What cannot be used is left out; `check` has
    /// told about it.
    pub fn new(workflow: &Workflow, registry: &Registry) -> Self {
        let (mut nodes, mut ports) = (Vec::new(), Vec::new());
        let mut by_name = HashMap::new();
        for node in workflow.nodes().filter(|node| !node.name().is_empty()) {
            // The first of two nodes with one name wins, as connections can only mean one of them.
            if by_name.contains_key(node.name()) {
                continue;
            }
            by_name.insert(Str::from(node.name()), nodes.len());
            let pinned = workflow.pin_data(node.name());
            let pinned = pinned.map(|items| items.iter().map(Item::from_value).collect());
            let mut node = PlanNode { pinned, ..PlanNode::new(&node, registry) };
            let described = node.ports();
            node.n_outputs = described.as_ref().map_or(1, NodePorts::item_outputs);
            ports.push(described);
            nodes.push(node);
        }
        let mut rules = ConnectionRules::default();
        for edge in &workflow.edges() {
            let (Some(&from), Some(&to)) = (by_name.get(&edge.from), by_name.get(&edge.to)) else {
                continue;
            };
            let connection = Connection {
                to,
                kind: edge.kind,
                output: edge.output,
                input: edge.input,
                is_disabled: nodes[from].disabled,
            };
            if rules.refusal(ports[from].as_ref(), ports[to].as_ref(), connection).is_some() {
                continue;
            }
            if edge.kind != Kind::Main {
                nodes[to].suppliers.push(PlanSupplier {
                    kind: edge.kind,
                    node: from,
                    input: edge.input,
                });
                continue;
            }
            slot(&mut nodes[from].outputs, edge.output)
                .push(PlanTarget { node: to, index: edge.input });
            slot(&mut nodes[to].inputs, edge.input)
                .push(PlanTarget { node: from, index: edge.output });
        }
        for node in &mut nodes {
            node.suppliers.sort_by_key(|supplier| supplier.input);
        }
        let setting_text = |key| {
            workflow
                .setting(key)
                .and_then(Value::as_str)
                .filter(|text| !text.is_empty())
                .map(Str::from)
        };
        Self {
            id: workflow.id().unwrap_or_default().into(),
            name: workflow.name().into(),
            active: workflow.is_active(),
            timezone: workflow.timezone().map(Str::from),
            legacy_order: workflow.setting("executionOrder").and_then(Value::as_str) != Some("v1"),
            timeout_ms: workflow
                .setting("executionTimeout")
                .and_then(Value::as_f64)
                .filter(|seconds| *seconds > 0.0)
                .map(|seconds| (seconds * 1000.0) as u64),
            error_workflow: setting_text("errorWorkflow"),
            budgets: Budgets::of(workflow),
            nodes,
            by_name,
            static_data: workflow.doc().get("staticData").cloned().unwrap_or_default(),
            text: inline_workflow::source_of(workflow),
        }
    }

    /// The same for a workflow that somebody has stored here, whatever its document says about
    /// where it came from.
    pub fn stored(self) -> Self {
        Self { text: None, ..self }
    }

    /// Whether it came as text that the author of the workflow which called it did not write
    /// themselves. What is fixed in it was fixed by whoever did.
    pub(crate) fn is_untrusted(&self) -> bool {
        matches!(self.text, Some(WorkflowOrigin::Made | WorkflowOrigin::Fetched))
    }

    /// Whether a run of it may reach outside, so that no step of it may be taken twice.
    pub fn has_effects(&self) -> bool {
        self.nodes.iter().any(|node| !node.disabled && (!node.is_harmless() || node.resumes()))
    }

    /// Whether a run of it may compute for long.
    pub fn computes(&self) -> bool {
        let computes = |node: &PlanNode| {
            node.node_type.as_ref().is_some_and(|found| found.spec.runs_code || found.spec.computes)
        };
        self.nodes.iter().any(|node| !node.disabled && computes(node))
    }

    pub fn index_of(&self, name: &str) -> Option<usize> {
        if self.nodes.len() <= FEW_NODES {
            return self.nodes.iter().position(|node| node.info.name == name);
        }
        self.by_name.get(name).copied()
    }

    pub fn node(&self, name: &str) -> Option<&PlanNode> {
        self.index_of(name).map(|index| &self.nodes[index])
    }

    /// The node a run starts from: the trigger made for this cause, else the first trigger, else
    /// the first node that nothing leads to.
    pub fn start_node(&self, cause: StartCause) -> Option<usize> {
        let candidates =
            || self.nodes.iter().enumerate().filter(|(_, node)| !node.disabled && !node.is_note());
        let meant = candidates().find(|(_, node)| {
            node.node_type.as_ref().is_some_and(|found| found.spec.started_by == Some(cause))
        });
        let trigger = || candidates().find(|(_, node)| node.is_trigger());
        let source = || {
            candidates()
                .find(|(_, node)| node.inputs.iter().all(Vec::is_empty) && !node.outputs.is_empty())
        };
        let lonely = || candidates().find(|(_, node)| node.inputs.iter().all(Vec::is_empty));
        meant.or_else(trigger).or_else(source).or_else(lonely).map(|(index, _)| index)
    }

    /// Nodes from which `node` can be reached along `main`, nearest first.
    pub(crate) fn parents(&self, node: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut layer = vec![node];
        while !layer.is_empty() {
            let mut next = Vec::new();
            for source in layer.iter().flat_map(|index| self.nodes[*index].inputs.iter().flatten())
            {
                if source.node != node && !found.contains(&source.node) {
                    found.push(source.node);
                    next.push(source.node);
                }
            }
            layer = next;
        }
        found
    }

    /// Whether items of `node` can reach `here`, or what `here` is a model, a tool or the like of.
    pub(crate) fn is_before(&self, node: usize, here: usize) -> bool {
        let consumers = self.consumers(here);
        if consumers.is_empty() {
            return self.parents(here).contains(&node);
        }
        consumers.into_iter().any(|consumer| {
            let suppliers = self.nodes[consumer].suppliers.iter().map(|supplier| supplier.node);
            suppliers.chain(self.parents(consumer)).any(|before| before == node)
        })
    }

    /// The nodes that use this one as a model, a tool and so on, or use one that does.
    fn consumers(&self, node: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let mut asked = vec![node];
        while let Some(node) = asked.pop() {
            for (index, consumer) in self.nodes.iter().enumerate() {
                let uses = consumer.suppliers.iter().any(|supplier| supplier.node == node);
                if uses && !found.contains(&index) {
                    found.push(index);
                    asked.push(index);
                }
            }
        }
        found
    }

    /// The output of `from` through which data reaches `to`, directly or over other nodes.
    pub(crate) fn output_towards(&self, from: usize, to: usize) -> Option<usize> {
        let mut seen = vec![to];
        let mut queue = std::collections::VecDeque::from([to]);
        while let Some(node) = queue.pop_front() {
            for source in self.nodes[node].inputs.iter().flatten() {
                if source.node == from {
                    return Some(source.index);
                }
                if !seen.contains(&source.node) {
                    seen.push(source.node);
                    queue.push_back(source.node);
                }
            }
        }
        None
    }
}

impl PlanNode {
    /// Whether any of its parameters is an expression.
    pub fn has_expressions(&self) -> bool {
        !self.params.is_constant()
    }

    /// The parameters that have a value before any call, and those that have none, as they are
    /// written.
    pub(crate) fn params_before_calls(&self) -> (CompiledParam, Vec<(Str, Value)>) {
        let Some(node_type) =
            self.node_type.as_deref().filter(|node_type| !node_type.spec.per_call.is_empty())
        else {
            return (self.params.clone(), Vec::new());
        };
        let mut early = self.raw_params.clone();
        let paths = node_type.spec.per_call.iter();
        let late = paths
            .filter_map(|path| early.remove_path(path).map(|written| (path.clone(), written)))
            .collect();
        let compiled = match &early {
            Value::Object(early) => CompiledParam::object(early, |key| is_raw(node_type, key)),
            other => CompiledParam::new(other),
        };
        (compiled, late)
    }

    /// A node that is no part of a workflow, such as one behind a registered tool.
    pub(crate) fn embedded(node: &Object, registry: &Registry, may_use_credentials: bool) -> Self {
        let mut planned = Self::new(&Node::new(node), registry);
        if !may_use_credentials {
            planned.credentials = Object::new();
        }
        let header = node.get("idempotencyHeader").and_then(Value::as_str);
        planned.key_header = header.map(Str::from).or(planned.key_header);
        planned
    }

    fn new(node: &Node<'_>, registry: &Registry) -> Self {
        let version = node.type_version();
        let node_type = registry.find(node.type_name(), version).cloned();
        let empty = Object::new();
        let given = node.parameters().unwrap_or(&empty);
        let params = Arc::new(
            node_type
                .as_ref()
                .map_or_else(|| given.clone(), |found| completed(&found.spec, version, given)),
        );
        let key_header = node_type.as_ref().and_then(|found| key_header(found, &params, registry));
        let is_raw = |key: &str| node_type.as_deref().is_some_and(|found| is_raw(found, key));
        let compiled = CompiledParam::object(&params, is_raw);
        Self {
            info: NodeInfo {
                id: node.id().unwrap_or_default().into(),
                name: node.name().into(),
                type_name: node.type_name().into(),
                version,
                on_error: node.on_error(),
                ..NodeInfo::default()
            },
            ranges: ranges_to_check(node_type.as_deref(), version, &params, &compiled),
            params: compiled,
            raw_params: Value::Object(params),
            node_type,
            credentials: chosen_credentials(node, registry),
            disabled: node.is_disabled(),
            execute_once: node.executes_once(),
            always_output: node.always_outputs_data(),
            retry: node
                .retries_on_fail()
                .then(|| Retry { tries: node.max_tries(), wait_ms: node.wait_between_tries_ms() }),
            safe_to_repeat: node.is_safe_to_repeat(),
            key_header,
            position: node.position(),
            outputs: Vec::new(),
            inputs: Vec::new(),
            suppliers: Vec::new(),
            pinned: None,
            code: OnceLock::new(),
            asked_of_model: OnceLock::new(),
            n_outputs: 1,
            webhook_id: node.fields().get("webhookId").and_then(Value::as_str).map(Str::from),
        }
    }

    pub fn is_trigger(&self) -> bool {
        match &self.node_type {
            Some(found) => found.spec.group == NodeGroup::Trigger,
            None => self.info.type_name.to_lowercase().ends_with("trigger"),
        }
    }

    /// Whether a step of it that was cut off may be taken again, whatever it has done: its author
    /// says so, it has no effect, finds what it has done before, or asks the other side about it.
    pub fn may_repeat_unseen(&self) -> bool {
        self.safe_to_repeat || self.is_harmless() || self.verifies()
    }

    /// Whether it asks the other side what became of a step that was cut off.
    pub fn verifies(&self) -> bool {
        self.node_type.as_ref().is_some_and(|found| found.spec.verifies(&self.raw_params))
    }

    /// The same whoever calls it, and without the help of the other side.
    pub(crate) fn is_harmless(&self) -> bool {
        self.resumes()
            || self.node_type.as_ref().is_some_and(|found| found.spec.may_repeat(&self.raw_params))
    }

    /// Whether it finds again what it has done before it was cut off.
    pub fn resumes(&self) -> bool {
        self.node_type
            .as_ref()
            .is_some_and(|found| found.spec.calls_workflows || found.spec.keeps_notes)
    }

    /// The id of the credential of this type that somebody chose for the node.
    pub fn chosen_credential(&self, kind: &str) -> Option<&str> {
        self.credentials.get(kind)?.get("id")?.as_str().filter(|id| !id.is_empty())
    }

    /// What a run has come across once this node has run in it.
    pub(crate) fn exposes(&self) -> Exposure {
        let flow = self.node_type.as_ref().map(|found| &found.spec.flow);
        let uses_credential = !self.credentials.is_empty() && !self.is_trigger();
        Exposure {
            untrusted: flow.is_none_or(|flow| flow.untrusted),
            private: flow.is_none_or(|flow| flow.private) || uses_credential,
        }
    }

    /// The parameters that say where it sends its data to, one by one where there is a list of
    /// them.
    pub(crate) fn destinations(&self) -> Vec<Destination> {
        let described = self
            .node_type
            .as_ref()
            .map(|found| found.spec.flow.sends_to.as_slice())
            .unwrap_or_default();
        described.iter().flat_map(|destination| self.destinations_at(destination)).collect()
    }

    fn destinations_at(&self, described: &Destination) -> Vec<Destination> {
        let Some((list, field)) = described.param.split_once(".*.") else {
            return vec![described.clone()];
        };
        match self.raw_params.get_path(list) {
            Some(Value::Array(entries)) => {
                let at = |at: usize| Destination {
                    param: format!("{list}.{at}.{field}").into(),
                    form: described.form,
                };
                (0..entries.len()).map(at).collect()
            }
            // An expression makes the list, or what it lies in, and may make anything of it.
            _ if self.params.has_expression(list) => {
                vec![Destination { param: list.into(), form: DestinationForm::Whole }]
            }
            _ => Vec::new(),
        }
    }

    pub(crate) fn calls_workflows(&self) -> bool {
        self.node_type.as_ref().is_some_and(|found| found.spec.calls_workflows)
    }

    /// Whether it may keep a processor busy with little data.
    pub(crate) fn computes(&self) -> bool {
        self.node_type.as_ref().is_some_and(|found| found.spec.computes)
    }

    pub(crate) fn continues_on_fail(&self) -> bool {
        self.info.on_error != OnError::Stop
    }

    /// The inputs and outputs it has; `None` if its type is not known.
    fn ports(&self) -> Option<NodePorts> {
        let (node_type, params) = (self.node_type.as_ref()?, self.raw_params.as_object()?);
        let has_error_output = self.info.on_error == OnError::ContinueError;
        Some(NodePorts::new(node_type, self.info.version, params, has_error_output))
    }

    /// A node without inputs and outputs: a note on the canvas.
    fn is_note(&self) -> bool {
        self.node_type
            .as_ref()
            .is_some_and(|found| found.spec.inputs.is_empty() && found.spec.outputs.is_empty())
    }
}

/// The header in which a node with these parameters sends keys.
fn key_header(node_type: &NodeType, params: &Arc<Object>, registry: &Registry) -> Option<Str> {
    let rule = node_type.spec.sends_key.as_ref()?;
    let params = Value::Object(params.clone());
    let of_credential = |kind: &str| {
        // Of what may be done twice anyway, nobody has to know it again.
        let is_needed = !node_type.spec.may_repeat(&params);
        registry.credentials.get(kind).idempotency_header.clone().filter(|_| is_needed)
    };
    rule.header(&params, of_credential)
}

/// The ranges that values of a node may leave.
fn ranges_to_check(
    node_type: Option<&NodeType>,
    version: f64,
    params: &Object,
    compiled: &CompiledParam,
) -> Vec<NumberRange> {
    let ranges = node_type.map(|found| found.spec.ranges(version, params)).unwrap_or_default();
    let may_fail = |range: &NumberRange| {
        compiled.has_expression(&range.path)
            || compiled.constant_at(&range.path).is_some_and(|value| !range.allows(&value))
    };
    ranges.into_iter().filter(may_fail).collect()
}

/// The parameters of a node with their defaults, and with short expressions in their full form.
fn completed(spec: &Spec, version: f64, given: &Object) -> Object {
    let mut params = spec.complete_for_run(version, given);
    expand_short_expressions(&spec.params, &mut params);
    params
}

fn expand_short_expressions(params: &[Param], values: &mut Object) {
    for param in params {
        let expanded = match (&param.kind, values.get(&param.name)) {
            (_, Some(Value::String(text))) if param.takes_short_expressions => {
                Value::from(expr::strict_form(text))
            }
            (ParamKind::Collection { params }, Some(Value::Object(inner))) => {
                let mut inner = Object::clone(inner);
                expand_short_expressions(params, &mut inner);
                inner.into()
            }
            _ => continue,
        };
        values.insert(param.name.clone(), expanded);
    }
}

/// Whether a parameter is taken as it stands.
fn is_raw(node_type: &NodeType, key: &str) -> bool {
    node_type.spec.params.iter().any(|param| param.name == key && param.no_expression)
}

fn slot(lists: &mut Vec<Vec<PlanTarget>>, index: usize) -> &mut Vec<PlanTarget> {
    if lists.len() <= index {
        lists.resize_with(index + 1, Vec::new);
    }
    &mut lists[index]
}

/// The credentials that are chosen for a node, by the names of their types.
fn chosen_credentials(node: &Node<'_>, registry: &Registry) -> Object {
    let chosen = node.credentials().into_iter().flat_map(Object::iter);
    chosen
        .map(|(kind, choice)| (registry.credentials.canonical_id(kind).into(), choice.clone()))
        .collect::<Vec<(Str, Value)>>()
        .into_iter()
        .collect()
}
