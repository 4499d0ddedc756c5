//! The engine's side of a node run: parameters, ports, state.

use super::execution_stack::ScheduledNode;
use super::metering::Meter;
use super::node_http::{NodeHttp, RedirectScope};
use super::subworkflow::Suspended;
use super::suspend::SuspendState;
use super::tool_host::ToolCallHost;
use super::{ActiveRun, RunContext, journal_failed, lock};
use crate::from_ai::schema_of;
use crate::inline_workflow;
use crate::plan::PlanNode;
use crate::ports::JournalError;
use crate::scope::{RunData, RunView, ToolCallScope};
use model::{Items, Kind, Object, RunEvent, Source, Spill, StageRecord, Str, Value};
use node_api::ai::{
    AgentLimits, ChatModel, ConversationStores, Exposure, LocalModels, LongTermMemory, Supply,
    ToolCallContext, session_id_of,
};
use node_api::collections::Collections;
use node_api::connect::Connections;
use node_api::files::FileStorage;
use node_api::host::{
    CodeOutput, CodeRequest, ExecutionInfo, Feature, Host, NodeState, Pause, RegistryAccess,
    StaticScope, WorkflowCall,
};
use node_api::http::Http;
use node_api::mcp::{McpScope, McpServers};
use node_api::policy::{BoundPolicy, PolicySubject};
use node_api::tables::Tables;
use node_api::trigger::{StreamChunk, WebhookResponse};
use node_api::{Credential, ErrorClass, NodeError, NodeInfo, RequestKey, Supplied, TriggerKind};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock};

/// One node's view of the run.
pub(super) struct NodeHost {
    pub(super) run: Arc<RunContext>,
    data: Arc<RunData>,
    node: usize,
    sources: Vec<Option<Source>>,
    inputs: Vec<Option<Items>>,
    pub(super) step: usize,
    run_index: usize,
    /// What it, and whoever serves it, noted before the run was cut off.
    notes: Arc<Object>,
    now_ms: i64,
    pause: Mutex<Option<Pause>>,
    /// Shared with whoever serves it.
    pub(super) parking: Arc<SuspendState>,
    /// A node that is no part of the workflow, in the place of the one that brought it.
    pub(super) embedded: Option<Arc<PlanNode>>,
    /// The call that it answers as a tool.
    pub(super) call: Option<ToolCallHost>,
    /// Whether the run may stand still while the node waits for a person.
    pub(super) can_wait: bool,
    /// Templates that the node brought itself, compiled once for all its items.
    templates: Mutex<HashMap<Str, Arc<expr::Template>>>,
    http: OnceLock<Arc<NodeHttp>>,
}

/// A node that makes a new template of every item is not worth remembering.
const MAX_TEMPLATES: usize = 64;

/// A step with more warnings than this has said enough.
const MAX_WARNINGS: usize = 20;

impl NodeHost {
    pub(super) fn new(
        run: &ActiveRun,
        entry: &ScheduledNode,
        inputs: Vec<Option<Items>>,
        run_index: usize,
    ) -> Self {
        Self {
            run: run.shared.clone(),
            data: run.data.clone(),
            node: entry.node,
            sources: entry.sources.clone(),
            inputs,
            step: run.steps,
            run_index,
            notes: Arc::default(),
            now_ms: run.now(),
            pause: Mutex::default(),
            parking: Arc::default(),
            embedded: None,
            call: None,
            can_wait: true,
            templates: Mutex::default(),
            http: OnceLock::new(),
        }
    }

    /// The first try of the step that the run was cut off in knows what it had noted.
    pub(super) fn with_notes(self) -> Self {
        let notes = Arc::new(std::mem::take(&mut *lock(&self.run.notes)));
        Self { notes, ..self }
    }

    /// The same place in the run, seen by a node that supplies this one.
    pub(super) fn supplier(&self, node: usize) -> Self {
        let seen = self.with_call(self.call.as_ref().map(ToolCallHost::seen_below));
        Self { node, embedded: None, ..seen }
    }

    /// The same node, as it is seen during a call of it as a tool.
    pub(super) fn with_call(&self, call: Option<ToolCallHost>) -> Self {
        Self {
            run: self.run.clone(),
            data: self.data.clone(),
            node: self.node,
            sources: self.sources.clone(),
            inputs: self.inputs.clone(),
            step: self.step,
            run_index: self.run_index,
            notes: self.notes.clone(),
            now_ms: self.now_ms,
            pause: Mutex::default(),
            parking: self.parking.clone(),
            embedded: self.embedded.clone(),
            call,
            can_wait: self.can_wait,
            templates: Mutex::default(),
            http: OnceLock::new(),
        }
    }

    /// The same for a node that nobody lets go of before it is done.
    pub(super) fn without_suspend(self) -> Self {
        Self { can_wait: false, ..self }
    }

    pub(super) fn inputs(&self) -> &[Option<Items>] {
        &self.inputs
    }

    pub(super) fn take_pause(&self) -> Option<Pause> {
        lock(&self.pause).take()
    }

    fn view<'a>(
        &'a self,
        item: usize,
        extra: Option<&'a Object>,
        contexts: &'a (dyn Fn(usize) -> Object + Sync),
    ) -> RunView<'a> {
        let node = self.plan_node();
        RunView {
            plan: &self.run.plan,
            data: &self.data,
            node: self.node,
            inputs: &self.inputs,
            sources: &self.sources,
            item_index: self.call.as_ref().map_or(item, |call| call.item),
            run_index: self.run_index,
            vars: &self.run.vars,
            now_ms: self.now_ms,
            extra,
            called: self.call.as_ref().map(|call| &call.called),
            parameters: &node.raw_params,
            depth: 0,
            contexts,
        }
    }

    pub(super) fn plan_node(&self) -> &PlanNode {
        match &self.embedded {
            Some(node) => node,
            None => &self.run.plan.nodes[self.node],
        }
    }

    pub(super) fn run_index(&self) -> usize {
        self.run_index
    }

    pub(super) fn name(&self) -> &Str {
        &self.plan_node().info.name
    }

    pub(super) async fn record(&self, event: RunEvent) -> Result<(), JournalError> {
        self.run.record(event).await
    }

    /// A parameter as it is during another call than this one.
    pub(super) fn parameter_if_called(
        &self,
        path: &str,
        item: usize,
        called: &ToolCallScope,
    ) -> Result<Value, NodeError> {
        let contexts = |node| self.context_of(node);
        let view = RunView { called: Some(called), ..self.view(item, None, &contexts) };
        self.plan_node()
            .params
            .resolve_at(path, &self.run.session, &view)
            .map_err(|error| expression_error(error, path))
    }

    fn template(&self, text: &str) -> Arc<expr::Template> {
        let mut known = lock(&self.templates);
        if let Some(template) = known.get(text) {
            return template.clone();
        }
        let template = Arc::new(expr::Template::parse(text));
        if known.len() < MAX_TEMPLATES {
            known.insert(text.into(), template.clone());
        }
        template
    }

    fn http_client(&self) -> &Arc<NodeHttp> {
        self.http.get_or_init(|| {
            let out: Arc<dyn Http> = match self.call {
                Some(_) => self.run.http_for_models.clone(),
                None => self.run.engine.ports.http.clone(),
            };
            let is_exposed =
                matches!(self.model_exposure(), Some(Exposure { untrusted: true, private: true }));
            Arc::new(NodeHttp::new(
                out,
                if is_exposed { RedirectScope::SameHost } else { RedirectScope::Any },
            ))
        })
    }

    fn lacks_credential(&self, kind: &str) -> NodeError {
        match self
            .run
            .plan
            .text
            .and_then(|_| inline_workflow::withheld(&self.plan_node().credentials, kind))
        {
            Some(name) => NodeError::credential_withheld(kind, name),
            None => NodeError::no_credential(kind),
        }
    }

    fn context_of(&self, node: usize) -> Object {
        lock(&self.run.states).get(&node).map(|state| state.context.clone()).unwrap_or_default()
    }
}

/// An expression's error as the node's.
pub(crate) fn expression_error(error: expr::ExprError, parameter: &str) -> NodeError {
    let description = match &error {
        expr::ExprError::Data { description, .. } => description.clone(),
        expr::ExprError::Syntax { detail } => Some(detail.clone()),
        _ => None,
    };
    let coded = NodeError::new(error.code(), Str::from(error.to_string()))
        .class(ErrorClass::Expression)
        .with("parameter", parameter);
    match description {
        Some(text) => coded.describe(text),
        None => coded,
    }
}

impl NodeHost {
    /// The same place in the run, seen by a node that is no part of the workflow.
    fn embedding(&self, node: &Object) -> Self {
        // Whoever wrote a workflow that came as text may be nobody who may use credentials here.
        let may_use_credentials = self.run.plan.text.is_none();
        let planned = PlanNode::embedded(node, &self.run.engine.registry, may_use_credentials);
        let seen = self.with_call(self.call.as_ref().map(ToolCallHost::seen_below));
        Self { embedded: Some(Arc::new(planned)), ..seen }
    }

    /// The trigger that the run began at.
    fn trigger(&self) -> Option<usize> {
        let is_trigger = |node: &&usize| self.run.plan.nodes[**node].is_trigger();
        self.data.order().iter().find(is_trigger).copied()
    }
}

#[async_trait::async_trait]
impl Host for NodeHost {
    fn parameter(&self, path: &str, item: usize) -> Result<Value, NodeError> {
        let contexts = |node| self.context_of(node);
        let view = self.view(item, None, &contexts);
        let node = self.plan_node();
        let value = node
            .params
            .resolve_at(path, &self.run.session, &view)
            .map_err(|error| expression_error(error, path))?;
        node.check_ranges(path, &value)?;
        Ok(value)
    }

    fn raw_parameter(&self, path: &str) -> Option<Value> {
        let params = &self.plan_node().raw_params;
        if path.is_empty() { Some(params.clone()) } else { params.get_path(path).cloned() }
    }

    fn has_expression(&self, path: &str) -> bool {
        self.plan_node().params.has_expression(path)
    }

    fn evaluate(&self, text: &str, item: usize, extra: &Object) -> Result<Value, NodeError> {
        let contexts = |node| self.context_of(node);
        let view = self.view(item, Some(extra), &contexts);
        let template = self.template(text);
        self.run.session.evaluate(&template, &view).map_err(|error| expression_error(error, ""))
    }

    async fn run_code(
        &self,
        job: CodeRequest,
        each: &mut (dyn FnMut(CodeOutput) -> Result<(), NodeError> + Send),
    ) -> Result<(), NodeError> {
        let contexts = |node| self.context_of(node);
        let inputs = [Some(job.items.clone())];
        let view = RunView {
            inputs: &inputs,
            item_index: 0,
            called: None,
            ..self.view(0, None, &contexts)
        };
        match self.run_natively(job, &view, each).await? {
            Some(rest) => self.run_javascript(&rest, &view, each).await,
            None => Ok(()),
        }
    }

    async fn run_workflow(&self, call: WorkflowCall) -> Result<Vec<Items>, NodeError> {
        self.call_workflow(call).await
    }

    async fn supplies(&self, kind: Kind, item: usize) -> Result<Vec<Supplied>, NodeError> {
        self.all_supplies(kind, item).await
    }

    fn agent_limits(&self) -> AgentLimits {
        self.run.options.limits.agents
    }

    fn tool_policy(&self, item: usize) -> BoundPolicy {
        let of_item = self.inputs.first().cloned().flatten().and_then(|items| items.get(item));
        let session = of_item
            .as_ref()
            .and_then(|item| session_id_of(&item.json))
            .or_else(|| self.trigger_data().as_ref().and_then(session_id_of));
        let subject = PolicySubject {
            // A document that is stored nowhere may call itself anything.
            workflow_id: self.run.options.acting_workflow.clone(),
            agent: self.name().clone(),
            session: session.unwrap_or_default(),
        };
        BoundPolicy { policy: self.run.engine.ports.policy.clone(), subject }
    }

    fn metered_model(&self, model: Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        Meter::new(self, self.name()).metered(model)
    }

    fn ai_input_schema(&self) -> Result<Value, NodeError> {
        self.plan_node()
            .asked_of_model
            .get_or_init(|| schema_of(&self.plan_node().raw_params))
            .clone()
    }

    fn for_call(
        &self,
        arguments: &Object,
        call: &ToolCallContext,
    ) -> Result<Option<Arc<dyn Host>>, NodeError> {
        Ok(Some(Arc::new(self.called(arguments, call)?)))
    }

    fn recorded_step(&self, key: &str) -> Option<Value> {
        self.notes.get(key).cloned()
    }

    async fn record_step(&self, key: &str, value: Value) -> Result<(), NodeError> {
        let _busy = self.parking.busy();
        let noted = RunEvent::StepRecorded { node: self.name().clone(), key: key.into(), value };
        self.record(noted).await.map_err(journal_failed)
    }

    async fn record_stage(&self, reached: StageRecord) {
        let (node, run_index) = (self.name().clone(), self.run_index);
        // What cannot be written stops the run at the note that follows, which must be.
        let _ = self.record(RunEvent::StageReached { node, run_index, reached }).await;
    }

    fn request_key(&self, item: usize) -> Option<RequestKey> {
        let header = self.plan_node().key_header.clone()?;
        let value = self.run.vars.execution.request_key(
            (&self.run.plan.id, self.name()),
            self.run_index,
            item,
            self.call.as_ref().map(|call| &call.called),
        )?;
        Some(RequestKey { header, value })
    }

    fn was_interrupted(&self) -> bool {
        self.call.is_none() && self.run.interrupted.load(Ordering::Relaxed)
    }

    fn can_wait_for_person(&self) -> bool {
        self.can_wait
    }

    fn mark_waiting_for_person(&self, until_ms: i64) {
        self.parking.ask_until(until_ms);
    }

    async fn wait_for_person(&self, until_ms: i64) -> NodeError {
        self.parking.ask_until(until_ms);
        match self.parking.suspend(Suspended::Asking).await {}
    }

    fn http(&self) -> &dyn Http {
        self.http_client().as_ref()
    }

    fn shared_http(&self) -> Option<Arc<dyn Http>> {
        Some(self.http_client().clone())
    }

    fn connections(&self) -> &dyn Connections {
        self.run.engine.ports.connections.as_ref()
    }

    fn shared_connections(&self) -> Option<Arc<dyn Connections>> {
        Some(self.run.engine.ports.connections.clone())
    }

    fn files(&self) -> &dyn FileStorage {
        let all = &self.run.engine.ports.files;
        let seen =
            || all.scoped_to(&self.run.options.acting_workflow).unwrap_or_else(|| all.clone());
        self.run.files.get_or_init(seen).as_ref()
    }

    fn tables(&self) -> Arc<dyn Tables> {
        let tables = &self.run.engine.ports.tables;
        tables.scoped_to(&self.run.options.acting_workflow).unwrap_or_else(|| tables.clone())
    }

    fn collections(&self) -> Arc<dyn Collections> {
        let collections = &self.run.engine.ports.collections;
        collections
            .scoped_to(&self.run.options.acting_workflow)
            .unwrap_or_else(|| collections.clone())
    }

    fn long_term_memory(&self) -> Arc<dyn LongTermMemory> {
        let memory = &self.run.engine.ports.long_term_memory;
        memory
            .memory_of_workflow(&self.run.options.acting_workflow)
            .unwrap_or_else(|| memory.clone())
    }

    fn mcp(&self) -> Arc<dyn McpServers> {
        let mcp = &self.run.engine.ports.mcp;
        let scope = McpScope::Workflow(self.run.options.acting_workflow.clone());
        mcp.scoped_to(scope).unwrap_or_else(|| mcp.clone())
    }

    fn tool_registry(&self) -> RegistryAccess {
        RegistryAccess {
            registry: self.run.engine.ports.tools.clone(),
            workflow: self.run.options.acting_workflow.clone(),
        }
    }

    fn embedded(&self, node: &Object) -> Option<(NodeInfo, Arc<dyn Host>)> {
        let host = self.embedding(node);
        Some((host.plan_node().info.clone(), Arc::new(host)))
    }

    async fn embedded_supply(&self, node: &Object, item: usize) -> Result<Supply, NodeError> {
        self.supply_by(Arc::new(self.embedding(node)), Kind::AiTool, item).await
    }

    fn conversations(&self) -> ConversationStores {
        ConversationStores {
            owner: self.run.options.acting_workflow.clone(),
            ..self.run.engine.ports.conversations.clone()
        }
    }

    fn local_models(&self) -> Arc<dyn LocalModels> {
        self.run.engine.ports.local_models.clone()
    }

    fn warn(&self, words: Str) {
        let mut warnings = lock(&self.run.warnings);
        if warnings.len() < MAX_WARNINGS && !warnings.contains(&words) {
            warnings.push(words);
        }
    }

    fn has_credential(&self, kind: &str) -> bool {
        let kind = self.run.engine.registry.credentials.canonical_id(kind);
        self.plan_node().chosen_credential(kind).is_some()
    }

    fn credential(&self, kind: &str, _item: usize) -> Result<Credential, NodeError> {
        let types = &self.run.engine.registry.credentials;
        let kind = types.canonical_id(kind);
        let id =
            self.plan_node().chosen_credential(kind).ok_or_else(|| self.lacks_credential(kind))?;
        let fields =
            self.run.engine.ports.credentials.get(&self.run.options.acting_workflow, kind, id)?;
        let credential = types.open(kind, fields);
        self.http_client().opens(&credential);
        Ok(credential)
    }

    fn without_model(&self, path: &str, item: usize) -> Option<Vec<Value>> {
        self.without_calling_model(path)
            .or_else(|| self.call.as_ref().map(|_| self.with_neutral_arguments(path, item)))
    }

    fn exposure(&self) -> Exposure {
        let nodes =
            self.data.order().iter().map(|node| (&self.run.plan.nodes[*node], self.data.of(*node)));
        let met = nodes.fold(Exposure::default(), |met, (node, tasks)| {
            // What code brings in from outside is text of strangers.
            let untrusted = tasks.iter().any(|task| task.reached_out());
            met.and(node.exposes()).and(Exposure { untrusted, private: false })
        });
        met.and(self.call.as_ref().map(|call| call.exposure).unwrap_or_default())
            .and(self.run.options.called_by_model.unwrap_or_default())
    }

    fn model_exposure(&self) -> Option<Exposure> {
        match (&self.call, self.run.options.called_by_model) {
            (Some(call), _) => Some(call.exposure),
            // Of what the run did since, only that it got at private data counts: the text of
            // strangers that matters is what the model had before it when it chose.
            (None, Some(met)) => {
                Some(Exposure { untrusted: met.untrusted, private: self.exposure().private })
            }
            (None, None) => None,
        }
    }

    fn state(&self) -> NodeState {
        lock(&self.run.states).get(&self.node).cloned().unwrap_or_default()
    }

    fn set_state(&self, mut state: NodeState) {
        // Whoever reads the state needs all of it, also once the time of this step is over.
        state.lists = state.lists.into_iter().map(Items::unwatched).collect();
        lock(&self.run.states).insert(self.node, state);
    }

    fn static_data(&self, scope: StaticScope) -> Value {
        let key = self.static_key(scope);
        lock(&self.run.static_data).get(&key).cloned().unwrap_or_else(Value::empty_object)
    }

    fn set_static_data(&self, scope: StaticScope, data: Value) {
        let key = self.static_key(scope);
        let mut kept = lock(&self.run.static_data);
        // What is as it was is left to others who change it meanwhile.
        if kept.get(&key) != Some(&data) {
            kept.make_object().insert(key.clone(), data);
            lock(&self.run.static_data_changed).insert(key);
        }
    }

    fn set_custom_data(&self, key: &str, value: &str) {
        lock(&self.run.custom_data).insert(key, value);
        self.run.custom_data_changed.store(true, Ordering::Relaxed);
    }

    fn respond(&self, answer: WebhookResponse) {
        if let Some(responder) = &self.run.options.responder {
            responder.respond(answer);
        }
    }

    fn is_streaming(&self) -> bool {
        self.run.options.responder.as_ref().is_some_and(|responder| responder.is_streaming())
    }

    fn is_watched(&self) -> bool {
        self.run.options.responder.as_ref().is_some_and(|responder| responder.is_watched())
    }

    async fn stream(&self, chunk: StreamChunk) {
        if let Some(responder) = &self.run.options.responder {
            tokio::select! {
                biased;
                () = self.run.cancel.cancelled() => {}
                () = responder.stream(chunk) => {}
            }
        }
    }

    fn pause(&self, until: Pause) {
        *lock(&self.pause) = Some(until);
    }

    fn execution(&self) -> &ExecutionInfo {
        &self.run.execution
    }

    fn trigger_data(&self) -> Option<Value> {
        Some(self.data.of(self.trigger()?).first()?.output(0)?.first()?.json)
    }

    fn trigger_kind(&self) -> Option<TriggerKind> {
        self.run.plan.nodes[self.trigger()?].node_type.as_ref()?.spec.trigger
    }

    fn is_signed_session(&self, session: &str, signature: &str) -> bool {
        self.run
            .options
            .addresses
            .as_ref()
            .is_some_and(|signed| signed.has_signed(session, signature))
    }

    fn input_source(&self, input: usize) -> Option<Source> {
        self.sources.get(input).cloned().flatten()
    }

    fn now_ms(&self) -> i64 {
        self.run.now()
    }

    fn timezone(&self) -> &str {
        self.run.plan.timezone.as_ref().unwrap_or(&self.run.options.timezone)
    }

    fn fill_random(&self, bytes: &mut [u8]) {
        self.run.engine.ports.random.fill(bytes);
    }

    async fn sleep(&self, milliseconds: u64) -> Result<(), NodeError> {
        tokio::select! {
            biased;
            () = self.run.cancel.cancelled() => Err(NodeError::cancelled()),
            () = self.run.engine.ports.clock.sleep(milliseconds) => Ok(()),
        }
    }

    fn is_cancelled(&self) -> bool {
        self.run.cancel.is_cancelled()
    }

    fn allows(&self, feature: Feature) -> bool {
        self.run.options.features.contains(&feature)
    }

    fn spill(&self) -> Option<Arc<dyn Spill>> {
        self.run.spill.clone()
    }
}

impl NodeHost {
    /// n8n's keys of static data.
    fn static_key(&self, scope: StaticScope) -> Str {
        match scope {
            StaticScope::Workflow => "global".into(),
            StaticScope::Node => format!("node:{}", self.name()).into(),
        }
    }
}
