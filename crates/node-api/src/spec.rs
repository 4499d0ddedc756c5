//! The description of a node: the one source of its form, its checks, its documentation and its
//! schema as a tool.

use crate::{
    Destination, DestinationForm, DisplayRule, InitialParams, KeyRule, Param, ParamKind, Port,
    PortRule, ResumeCall, Standing, TriggerKind,
};
use model::{Str, Value};
use serde::{Deserialize, Serialize};

/// Everything there is to know about a node type, as data.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    /// The type in workflow JSON, such as `n8n-nodes-base.limit`.
    pub id: Str,
    /// The typeVersions this entry serves.
    pub versions: Vec<f64>,
    pub name: Str,
    /// What it does, in one line.
    pub summary: Str,
    pub group: NodeGroup,
    /// The name of a Lucide icon; that of its group if it names none.
    #[serde(default)]
    pub icon: Str,
    /// Templates of the line under a node's name, see [`Spec::subtitle`].
    #[serde(default)]
    pub subtitle: Vec<Str>,
    /// How warmly the node search offers it.
    #[serde(default)]
    pub standing: Standing,
    /// The triggers whose caller it answers.
    #[serde(default)]
    pub answers: Vec<TriggerKind>,
    /// Parameters with which it does the work of a node that is not supported, see
    /// [`Spec::stands_in`].
    #[serde(default)]
    pub stand_in: Option<Value>,
    /// What starts a run here.
    #[serde(default)]
    pub trigger: Option<TriggerKind>,
    /// The calls that resume a run which waits here.
    #[serde(default)]
    pub resumed_by: Vec<ResumeCall>,
    /// What a new node begins with; the first that fits counts.
    #[serde(default)]
    pub initial: Vec<InitialParams>,
    pub inputs: Vec<Port>,
    pub outputs: Vec<Port>,
    pub params: Vec<Param>,
    #[serde(default)]
    pub credentials: Vec<CredentialUse>,
    /// When to reach for it, told to the workflow builder.
    pub builder_hint: Str,
    pub examples: Vec<Example>,
    /// Other words people search it by.
    #[serde(default)]
    pub aliases: Vec<Str>,
    /// What the node does less of, or otherwise, than n8n's; shown by `heddle check`.
    #[serde(default)]
    pub differs: Vec<Difference>,
    /// What else a user should know; shown on the node's page.
    #[serde(default)]
    pub notes: Vec<Str>,
    /// Whether a step that was cut off may simply run again.
    #[serde(default)]
    pub repeatable: bool,
    /// It runs JavaScript: a step that was cut off may run again as long as the sandbox was asked
    /// for nothing outside.
    #[serde(default)]
    pub runs_code: bool,
    /// Without being so in general, it may while this parameter has one of these values, such as
    /// the method GET.
    #[serde(default)]
    pub repeatable_when: Option<(Str, Vec<Str>)>,
    /// How the node sends keys by which the other side knows a request again.
    #[serde(default)]
    pub sends_key: Option<KeyRule>,
    /// The parameter with which the node, run again after it was cut off, asks the other side first
    /// what happened ([`crate::host::Host::was_interrupted`]).
    #[serde(default)]
    pub verified_by: Option<Str>,
    /// Calls other workflows and does nothing else outside of the run. A step that was cut off is
    /// taken again, and finds the runs it has called before.
    #[serde(default)]
    pub calls_workflows: bool,
    /// Where its data comes from and goes to, for agents that use it or come after it.
    #[serde(default)]
    pub flow: NodeFlow,
    /// Notes every step of its own that reaches outside ([`crate::host::Host::keep_note`]). When it
    /// was cut off it runs again and takes none of them twice.
    #[serde(default)]
    pub keeps_notes: bool,
    /// Computes much for what it is given, such as unpacking or sorting. It runs off the threads
    /// that serve connections.
    #[serde(default)]
    pub computes: bool,
    /// While it waits, the next message of the conversation that the run began with wakes it.
    #[serde(default)]
    pub hears_replies: bool,
    /// Parameters of a trigger that only a call gives a value, so that they stay as they are
    /// written while it only listens.
    #[serde(default)]
    pub per_call: Vec<Str>,
    /// Of a node that is a tool by itself: the parameters that the calling model may fill in with
    /// `$fromAI`. An ordinary node that a model calls takes it in all of them.
    #[serde(default)]
    pub model_fills: Vec<Str>,
    /// What kind of run this trigger is the first choice for.
    #[serde(default)]
    pub started_by: Option<StartCause>,
    /// How many inputs must have data before the node runs, when it has several.
    #[serde(default)]
    pub required_inputs: RequiredInputs,
    /// Where parameters decide how many inputs or outputs there are; `inputs` and `outputs` are
    /// then only an example.
    #[serde(default)]
    pub input_rules: Vec<PortRule>,
    #[serde(default)]
    pub output_rules: Vec<PortRule>,
}

/// The family a node belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NodeGroup {
    Trigger,
    Flow,
    #[default]
    Data,
    Files,
    Ai,
    Tool,
    Integration,
}

/// How a node behaves otherwise than n8n's, and with which parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    pub how: Str,
    /// All must hold; without any, it always differs.
    #[serde(default)]
    pub when: Vec<DisplayRule>,
}

/// Where the data of a node comes from and goes to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeFlow {
    /// What it puts out may be text of strangers.
    #[serde(default)]
    pub untrusted: bool,
    /// What it puts out is not for strangers. Whatever uses a credential counts as such without
    /// this.
    #[serde(default)]
    pub private: bool,
    /// The parameters that say where it sends its data to.
    #[serde(default)]
    pub sends_to: Vec<Destination>,
}

/// Why a run starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StartCause {
    /// A person, or the command line.
    Hand,
    /// Another workflow.
    Workflow,
    /// The failure of another workflow.
    Error,
}

impl StartCause {
    /// n8n's word for a run that starts so.
    pub fn mode(self) -> &'static str {
        match self {
            StartCause::Hand => "manual",
            StartCause::Workflow => "integrated",
            StartCause::Error => "error",
        }
    }
}

/// A credential that the node can use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CredentialUse {
    /// The credential's type, such as `httpBasicAuth`.
    pub kind: Str,
    pub required: bool,
}

/// Which inputs of a node with several must have arrived before it runs without waiting for the
/// others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RequiredInputs {
    /// Waits for all that can still come, then runs with what it has, however little.
    #[default]
    Any,
    /// Needs data on at least this many.
    AtLeast(usize),
    /// Needs data on all of them while a parameter has a value, on at least one otherwise.
    AllIf { param: Str, equals: Str },
}

/// An example that is documentation, builder material and a test at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Example {
    #[serde(default)]
    pub title: Str,
    /// The version it is run with; the newest if 0.
    #[serde(default)]
    pub version: Str,
    /// The node's parameters as JSON.
    pub params: Str,
    /// The JSON of the input items: a list, or a list of lists for a node with several inputs
    /// (`[[…], […]]`).
    pub input: Str,
    /// Per output, the JSON of its items.
    pub output: Str,
}

impl Spec {
    /// A node with one `main` input and one `main` output.
    pub fn new(id: &str, versions: &[f64], name: &str, summary: &str) -> Self {
        Self {
            id: id.into(),
            versions: versions.to_vec(),
            name: name.into(),
            summary: summary.into(),
            inputs: vec![Port::main()],
            outputs: vec![Port::main()],
            ..Self::default()
        }
    }

    /// A node that starts a run: no input.
    pub fn trigger(id: &str, versions: &[f64], name: &str, summary: &str) -> Self {
        Self {
            inputs: Vec::new(),
            group: NodeGroup::Trigger,
            ..Self::new(id, versions, name, summary)
        }
    }

    pub fn group(mut self, group: NodeGroup) -> Self {
        self.group = group;
        self
    }

    pub fn inputs(mut self, ports: impl IntoIterator<Item = Port>) -> Self {
        self.inputs = ports.into_iter().collect();
        self
    }

    pub fn outputs(mut self, ports: impl IntoIterator<Item = Port>) -> Self {
        // What it puts out may be used by any number of nodes, or by none.
        self.outputs = ports.into_iter().map(|port| port.optional().many()).collect();
        self
    }

    pub fn param(mut self, param: Param) -> Self {
        self.params.push(param);
        self
    }

    pub fn params(mut self, params: impl IntoIterator<Item = Param>) -> Self {
        self.params.extend(params);
        self
    }

    pub fn credential(mut self, kind: &str, required: bool) -> Self {
        self.credentials.push(CredentialUse { kind: kind.into(), required });
        self
    }

    pub fn hint(mut self, builder_hint: &str) -> Self {
        self.builder_hint = builder_hint.into();
        self
    }

    pub fn alias(mut self, words: &[&str]) -> Self {
        self.aliases.extend(words.iter().map(|word| Str::from(*word)));
        self
    }

    /// Says how this node behaves otherwise than n8n's.
    pub fn differs(mut self, how: &str) -> Self {
        self.differs.push(Difference { how: how.into(), when: Vec::new() });
        self
    }

    /// Says how it behaves otherwise while a parameter has one of these values.
    pub fn differs_when<V: Into<Value> + Clone>(
        mut self,
        param: &str,
        values: &[V],
        how: &str,
    ) -> Self {
        self.differs
            .push(Difference { how: how.into(), when: vec![DisplayRule::is(param, values)] });
        self
    }

    pub fn note(mut self, text: &str) -> Self {
        self.notes.push(text.into());
        self
    }

    /// What it puts out may be text of strangers: a page, a mail, the body of a call.
    pub fn untrusted(mut self) -> Self {
        self.flow.untrusted = true;
        self
    }

    /// What it puts out is not for strangers.
    pub fn private(mut self) -> Self {
        self.flow.private = true;
        self
    }

    /// The parameter is the address that the node sends its data to.
    pub fn sends_to(self, param: &str) -> Self {
        self.sends_in(param, DestinationForm::Address)
    }

    /// The parameter is a text of such addresses, which the node takes apart with
    /// [`crate::addresses`].
    pub fn sends_to_each(self, param: &str) -> Self {
        self.sends_in(param, DestinationForm::Addresses)
    }

    /// The parameter says where data goes with every letter, as recipients, commands and workflows
    /// do.
    pub fn sends_to_exact(self, param: &str) -> Self {
        self.sends_in(param, DestinationForm::Whole)
    }

    fn sends_in(mut self, param: &str, form: DestinationForm) -> Self {
        self.flow.sends_to.push(Destination { param: param.into(), form });
        self
    }

    /// Runs JavaScript, which may reach outside or not: that shows when it does.
    pub fn runs_code(mut self) -> Self {
        self.runs_code = true;
        self.repeatable()
    }

    /// Repeatable while a parameter has one of these values.
    pub fn repeatable_when(mut self, param: &str, values: &[&str]) -> Self {
        self.repeatable_when =
            Some((param.into(), values.iter().map(|value| Str::from(*value)).collect()));
        self
    }

    /// Each request carries a key by which the other side knows it again, as the rule says.
    pub fn sends_key(mut self, rule: KeyRule) -> Self {
        self.sends_key = Some(rule);
        self
    }

    /// With a text in this parameter the node finds out by itself what became of a step that was
    /// cut off.
    pub fn verified_by(mut self, param: &str) -> Self {
        self.verified_by = Some(param.into());
        self
    }

    /// Whether a step with these parameters that was cut off asks what happened before it does
    /// anything again.
    pub fn verifies(&self, params: &Value) -> bool {
        let asked = self.verified_by.as_ref().and_then(|path| params.get_path(path));
        asked.and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
    }

    /// Whether a step with these parameters that was cut off may simply run again.
    pub fn may_repeat(&self, params: &Value) -> bool {
        let has_value = |(param, values): &(Str, Vec<Str>)| {
            params
                .get(param)
                .and_then(Value::as_str)
                .is_some_and(|value| values.iter().any(|allowed| allowed == value))
        };
        self.repeatable || self.repeatable_when.as_ref().is_some_and(has_value)
    }

    /// The node has no effect outside of the run, so a step that was cut off may run again.
    pub fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    /// The node calls other workflows through [`crate::host::Host::run_workflow`], and always the
    /// same ones in the same order.
    pub fn calls_workflows(mut self) -> Self {
        self.calls_workflows = true;
        self
    }

    /// The node's work grows faster than what it is given, or what it is given may be a large
    /// document.
    pub fn computes(mut self) -> Self {
        self.computes = true;
        self
    }

    /// The node notes the steps it takes, and does not take again what it has noted.
    pub fn records_steps(mut self) -> Self {
        self.keeps_notes = true;
        self
    }

    /// What is said next in the chat wakes the node. Before, it runs alone with the reply in
    /// [`crate::trigger::REPLY_FIELD`], so that it can remember it.
    pub fn accepts_replies(mut self) -> Self {
        self.hears_replies = true;
        self
    }

    /// The parameter at this path is evaluated with each call, never before.
    pub fn per_call(mut self, path: &str) -> Self {
        self.per_call.push(path.into());
        self
    }

    /// The calling model may fill in these parameters, and whatever is inside of them.
    pub fn model_fills(mut self, paths: &[&str]) -> Self {
        self.model_fills.extend(paths.iter().map(|path| Str::from(*path)));
        self
    }

    /// Whether `$fromAI` at this place of a tool's parameters gets a value from the model.
    pub fn is_filled_by_model(&self, place: &str) -> bool {
        self.model_fills.iter().any(|path| {
            place.strip_prefix(path.as_str()).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with('.') || rest.starts_with('[')
            })
        })
    }

    /// The paths of the parameters that keep callers out, those among the options included.
    pub fn guards(&self) -> Vec<String> {
        let mut paths = Vec::new();
        let mut rest: Vec<(String, &[Param])> = vec![(String::new(), &self.params)];
        while let Some((place, params)) = rest.pop() {
            for param in params {
                let path = format!("{place}{}", param.name);
                if let ParamKind::Collection { params } = &param.kind {
                    rest.push((format!("{path}."), params));
                }
                // Several may share a name.
                if param.guards && !paths.contains(&path) {
                    paths.push(path);
                }
            }
        }
        paths
    }

    pub fn started_by(mut self, cause: StartCause) -> Self {
        self.started_by = Some(cause);
        self
    }

    pub fn requires(mut self, inputs: RequiredInputs) -> Self {
        self.required_inputs = inputs;
        self
    }

    /// Inputs that parameters decide.
    pub fn input_rule(mut self, rule: PortRule) -> Self {
        self.input_rules.push(rule);
        self
    }

    /// Outputs that parameters decide.
    pub fn output_rule(mut self, rule: PortRule) -> Self {
        self.output_rules.push(rule);
        self
    }

    pub fn example(mut self, title: &str, params: &str, input: &str, output: &str) -> Self {
        let example = Example {
            title: title.into(),
            params: params.into(),
            input: input.into(),
            output: output.into(),
            ..Example::default()
        };
        self.examples.push(example);
        self
    }

    pub fn serves(&self, version: f64) -> bool {
        self.versions.iter().any(|served| (served - version).abs() < 1e-9)
    }

    pub fn newest_version(&self) -> f64 {
        self.versions.iter().copied().fold(1.0, f64::max)
    }
}
