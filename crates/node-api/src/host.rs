//! What the engine offers a running node beyond its items and parameters.

use crate::ai::{
    AgentLimits, ChatModel, ConversationStores, Exposure, LocalModels, LongTermMemory,
    NoLocalModels, NoLongTermMemory, Supply, ToolCallContext,
};
use crate::collections::{Collections, NoCollections};
use crate::connect::Connections;
use crate::files::FileStorage;
use crate::http::Http;
use crate::mcp::{McpServers, NoMcpServers};
use crate::policy::BoundPolicy;
use crate::tables::Tables;
use crate::tools::{NoTools, ToolRegistry};
use crate::trigger::{StreamChunk, WebhookResponse};
use crate::{Credential, NodeError, NodeInfo, RequestKey, Supplied, TriggerKind};
pub use model::NodeState;
use model::{Items, Kind, Object, Source, Spill, StageRecord, Str, Value};
use std::sync::Arc;

/// The engine's side of a node run. Implemented by `engine`; nodes reach it through [`crate::Ctx`].
#[async_trait::async_trait]
pub trait Host: Send + Sync {
    /// The parameter at a path with its expressions evaluated for one item; `undefined` if it is
    /// not set.
    fn parameter(&self, path: &str, item: usize) -> Result<Value, NodeError>;
    /// The parameter at a path as it stands in the workflow, defaults filled in.
    fn raw_parameter(&self, path: &str) -> Option<Value>;
    /// Whether the value at a path depends on the item.
    fn has_expression(&self, path: &str) -> bool;
    /// Evaluates a text that starts with `=` for one item, with extra `$` names such as
    /// `$response`.
    fn evaluate(&self, text: &str, item: usize, extra: &Object) -> Result<Value, NodeError>;

    /// Runs JavaScript in the sandbox and hands over what it returns piece by piece.
    async fn run_code(
        &self,
        job: CodeRequest,
        each: &mut (dyn FnMut(CodeOutput) -> Result<(), NodeError> + Send),
    ) -> Result<(), NodeError>;
    /// Runs another workflow and gives back the items of its last node. If that one sleeps, this
    /// run sleeps too and the call does not return: the node is run again from its start once the
    /// other has ended, and its calls, in the order it makes them, are given the results of the
    /// runs they have started before.
    async fn run_workflow(&self, call: WorkflowCall) -> Result<Vec<Items>, NodeError>;

    /// What the nodes connected to this one supply for an item, in the order of their connections.
    async fn supplies(&self, _kind: Kind, _item: usize) -> Result<Vec<Supplied>, NodeError> {
        Ok(Vec::new())
    }

    /// A model that the node names itself, as if it were connected: the budgets of the run hold for
    /// it, and what it costs is charged to them and shown.
    fn metered_model(&self, model: Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        model
    }

    /// What a model is asked to fill in when it calls the node as a tool: a JSON Schema with a
    /// property for each key of `$fromAI` in the node's parameters.
    fn ai_input_schema(&self) -> Result<Value, NodeError> {
        Ok(Object::from_iter([
            ("type", Value::from("object")),
            ("properties", Value::empty_object()),
        ])
        .into())
    }
    /// The host for one call of the node as a tool: `$fromAI` gives the arguments, expressions see
    /// the item that the agent works on. `None` where there are no expressions.
    fn for_call(
        &self,
        _arguments: &Object,
        _call: &ToolCallContext,
    ) -> Result<Option<Arc<dyn Host>>, NodeError> {
        Ok(None)
    }

    /// What the node noted under a key before its run was cut off. It does not do again what it has
    /// noted as done.
    fn recorded_step(&self, _key: &str) -> Option<Value> {
        None
    }
    /// Notes something about a step of the node's own. Returns once it would survive a crash.
    async fn record_step(&self, _key: &str, _value: Value) -> Result<(), NodeError> {
        Ok(())
    }

    /// Says that an agent has come to a stage of its work of which nothing else is on record. Does
    /// not wait for the disk.
    async fn record_stage(&self, _reached: StageRecord) {}

    /// The key to send with the request for an item, if the node sends keys: the same one whenever
    /// the step runs again, another one for every other item, step and run.
    fn request_key(&self, _item: usize) -> Option<RequestKey> {
        None
    }
    /// Whether this step was cut off before and nobody knows what it did. A node that can ask the
    /// other side ([`crate::Spec::verified_by`]) does so first.
    fn was_interrupted(&self) -> bool {
        false
    }

    /// Whether a run may stand still here until a person has decided something.
    fn can_wait_for_person(&self) -> bool {
        false
    }
    /// Says that a person is asked about something, who has time until then, whatever else the node
    /// waits for.
    fn mark_waiting_for_person(&self, _until_ms: i64) {}
    /// Lets go of the node until a person has decided, or their time is over. It does not return
    /// then: the node is run again from its start, with its notes. Where nobody can be waited for,
    /// it says so.
    async fn wait_for_person(&self, _until_ms: i64) -> NodeError {
        NodeError::failed("This run cannot wait for a person")
    }

    fn http(&self) -> &dyn Http;
    /// The same for what outlives the node's run, such as a model that it supplies.
    fn shared_http(&self) -> Option<Arc<dyn Http>> {
        None
    }
    fn connections(&self) -> &dyn Connections;
    /// The same for what outlives the node's run.
    fn shared_connections(&self) -> Option<Arc<dyn Connections>> {
        None
    }
    fn files(&self) -> &dyn FileStorage;
    fn tables(&self) -> Arc<dyn Tables>;
    /// The collections of knowledge that the workflow may use.
    fn collections(&self) -> Arc<dyn Collections> {
        Arc::new(NoCollections)
    }
    /// The long-term memory that the workflow may use.
    fn long_term_memory(&self) -> Arc<dyn LongTermMemory> {
        Arc::new(NoLongTermMemory)
    }

    /// The MCP servers that the workflow may use.
    fn mcp(&self) -> Arc<dyn McpServers> {
        Arc::new(NoMcpServers)
    }
    /// The registered tools, as the workflow may use them.
    fn tool_registry(&self) -> RegistryAccess {
        RegistryAccess { registry: Arc::new(NoTools), workflow: Str::new() }
    }
    /// The same place in the run for a node that is no part of the workflow, given as a document has
    /// it: its parameters, its credentials. `None` where there are no such nodes.
    fn embedded(&self, _node: &Object) -> Option<(NodeInfo, Arc<dyn Host>)> {
        None
    }
    /// The tools that such a node is or supplies.
    async fn embedded_supply(&self, _node: &Object, _item: usize) -> Result<Supply, NodeError> {
        Err(NodeError::failed("Registered tools are not available here"))
    }
    /// The models on this machine.
    fn local_models(&self) -> Arc<dyn LocalModels> {
        Arc::new(NoLocalModels)
    }
    /// Where conversations of the workflow are kept.
    fn conversations(&self) -> ConversationStores {
        ConversationStores::default()
    }
    /// Whether a credential of this type is chosen for the node.
    fn has_credential(&self, _kind: &str) -> bool {
        false
    }
    /// The credential of this type that is chosen for the node. Without a choice there is none,
    /// however many are stored.
    fn credential(&self, kind: &str, item: usize) -> Result<Credential, NodeError>;
    /// While a model calls the node as a tool: what a parameter would be with each of some
    /// arguments that no model has chosen. What comes out the same way then is the author's choice.
    fn without_model(&self, _path: &str, _item: usize) -> Option<Vec<Value>> {
        None
    }
    /// What the operator allows agents at most.
    fn agent_limits(&self) -> AgentLimits {
        AgentLimits::default()
    }
    /// What the operator lets this node call, working on an item.
    fn tool_policy(&self, _item: usize) -> BoundPolicy {
        BoundPolicy::default()
    }
    /// What the run has come across before this node, or the agent that calls it.
    fn exposure(&self) -> Exposure {
        Exposure::default()
    }
    /// What the model has come across that the node works for, called as a tool or in a run that a
    /// model called; `None` if it works for none.
    fn model_exposure(&self) -> Option<Exposure> {
        None
    }

    /// What a looping node keeps between its runs within one execution.
    fn state(&self) -> NodeState;
    fn set_state(&self, state: NodeState);
    /// What a workflow keeps between executions.
    fn static_data(&self, scope: StaticScope) -> Value;
    fn set_static_data(&self, scope: StaticScope, data: Value);
    /// Notes about the execution that a person can search by.
    fn set_custom_data(&self, key: &str, value: &str);
    /// Says what did not work although the run goes on; it stands in the record of the node's run
    /// (`hints`).
    fn warn(&self, _words: Str) {}
    /// Answers whoever started the run and waits for it. Only the first answer counts; with nobody
    /// waiting it goes nowhere.
    fn respond(&self, answer: WebhookResponse);
    /// Whether whoever started the run takes the answer piece by piece.
    fn is_streaming(&self) -> bool {
        false
    }
    /// Whether somebody watches what the run does as it does it.
    fn is_watched(&self) -> bool {
        false
    }
    /// Sends a piece of the answer; see [`crate::Ctx::send_chunk`]. Waits for a slow caller, but
    /// not forever; with nobody waiting it goes nowhere. Never a reason for the run to fail.
    async fn stream(&self, _chunk: StreamChunk) {}
    /// Asks the engine to put the execution to sleep once this node is done.
    fn pause(&self, until: Pause);

    fn execution(&self) -> &ExecutionInfo;
    /// The data that the run began with: of the first item of its trigger.
    fn trigger_data(&self) -> Option<Value> {
        None
    }
    /// What started the run, if a trigger did.
    fn trigger_kind(&self) -> Option<TriggerKind> {
        None
    }
    /// Whether this instance has signed a session so: it gave it to somebody by that name.
    fn is_signed_session(&self, _session: &str, _signature: &str) -> bool {
        false
    }
    /// The output that feeds an input of this run.
    fn input_source(&self, input: usize) -> Option<Source>;
    fn now_ms(&self) -> i64;
    /// IANA name of the workflow's zone.
    fn timezone(&self) -> &str;
    fn fill_random(&self, bytes: &mut [u8]);
    /// Sleeps unless the run is cancelled first.
    async fn sleep(&self, milliseconds: u64) -> Result<(), NodeError>;
    fn is_cancelled(&self) -> bool;
    /// Whether the operator has switched a feature on.
    fn allows(&self, feature: Feature) -> bool;
    /// Where large outputs go.
    fn spill(&self) -> Option<Arc<dyn Spill>>;
}

/// The registered tools, and the workflow that uses them.
#[derive(Clone)]
pub struct RegistryAccess {
    pub registry: Arc<dyn ToolRegistry>,
    pub workflow: Str,
}

/// JavaScript to run on a node's items.
#[derive(Clone, Debug)]
pub struct CodeRequest {
    pub source: Str,
    pub flavour: CodeFlavour,
    pub items: Items,
    /// In the flavours for each item: the item to begin with.
    pub first: usize,
    /// Names that the program finds beside its own, such as a tool's `query`.
    pub names: Object,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeFlavour {
    /// Code node, once for all items.
    AllItems,
    /// Code node, once for each item.
    EachItem,
    /// The older Function node: `items` in scope.
    Function,
    /// The older Function Item node: `item` in scope, once for each item.
    FunctionItem,
    /// A tool that a model calls: returns any one value.
    Tool,
}

/// A piece of what JavaScript returned.
#[derive(Clone, Debug)]
pub enum CodeOutput {
    /// An array of this length was returned; its elements follow.
    List { len: usize },
    /// The next element of the returned array.
    Element(Value),
    /// The returned value, when it is not an array.
    Whole(Value),
    /// What the code returned for one input item.
    ForItem { item: usize, value: Value },
}

/// A call of another workflow.
#[derive(Clone, Debug)]
pub struct WorkflowCall {
    pub target: WorkflowTarget,
    pub items: Items,
    /// Wait for it to end; otherwise the call returns with nothing once the beginning of the other
    /// run is recorded.
    pub wait: bool,
}

#[derive(Clone, Debug)]
pub enum WorkflowTarget {
    /// A stored workflow, by id.
    Id(Str),
    /// A workflow document, and where it is from.
    Text(Value, WorkflowOrigin),
    /// A file inside the workspace.
    File(Str),
}

/// Who wrote a workflow that comes as text: what it may use and where it may send data depends on
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkflowOrigin {
    /// The author of the workflow that calls it: it stands in a parameter as it is.
    Written,
    /// An expression of that author made it, out of whatever came.
    Made,
    /// Somebody else: it was fetched from an address or read from a file.
    Fetched,
}

impl WorkflowOrigin {
    pub fn name(self) -> &'static str {
        match self {
            WorkflowOrigin::Written => "written",
            WorkflowOrigin::Made => "made",
            WorkflowOrigin::Fetched => "fetched",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Written, Self::Made, Self::Fetched].into_iter().find(|source| source.name() == name)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StaticScope {
    Workflow,
    Node,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Pause {
    /// Until a moment, in milliseconds since the Unix epoch.
    Until(i64),
    /// Until a webhook call, at most until a moment.
    Webhook { until: Option<i64> },
    /// Until a form is sent, at most until a moment.
    Form { until: Option<i64> },
}

/// The execution that the node is part of.
#[derive(Clone, Debug, Default)]
pub struct ExecutionInfo {
    pub id: Str,
    /// `manual`, `trigger`, `webhook`, `integrated`, `error` …
    pub mode: Str,
    pub workflow_id: Str,
    pub workflow_name: Str,
    pub workflow_active: bool,
}

/// Things that are off until the operator allows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    ExecuteCommand,
    EnvironmentAccess,
}
