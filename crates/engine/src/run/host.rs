//! The engine's side of a node run: parameters, ports, state.

use super::schedule::Entry;
use super::{Run, Start, lock};
use crate::options::RunOptions;
use crate::ports::{Called, JournalError};
use crate::scope::RunView;
use model::{Code, Items, Object, RunEvent, Source, Spill, Str, Value, Workflow};
use node_api::connect::Connections;
use node_api::host::{CodeJob, ExecutionInfo, Feature, Files, Host, NodeState, Pause, Returned, StaticScope, WorkflowCall, WorkflowTarget};
use node_api::http::Http;
use node_api::tables::Tables;
use node_api::trigger::{Answer, Chunk};
use node_api::{ErrorClass, NodeError, StartedBy};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// One node's view of the run.
pub(super) struct NodeHost<'r> {
    run: &'r Run,
    entry: &'r Entry,
    inputs: &'r [Option<Items>],
    run_index: usize,
    now_ms: i64,
    pause: Mutex<Option<Pause>>,
    /// Templates that the node brought itself, compiled once for all its items.
    templates: Mutex<HashMap<Str, Arc<expr::Template>>>,
}

/// A node that makes a new template of every item is not worth remembering.
const MAX_TEMPLATES: usize = 64;

impl<'r> NodeHost<'r> {
    pub(super) fn new(run: &'r Run, entry: &'r Entry, inputs: &'r [Option<Items>], run_index: usize) -> Self {
        Self { run, entry, inputs, run_index, now_ms: run.now(), pause: Mutex::default(), templates: Mutex::default() }
    }

    pub(super) fn take_pause(&self) -> Option<Pause> {
        lock(&self.pause).take()
    }

    fn view<'a>(&'a self, item: usize, extra: Option<&'a Object>, contexts: &'a (dyn Fn(usize) -> Object + Sync)) -> RunView<'a> {
        let node = &self.run.plan.nodes[self.entry.node];
        RunView {
            plan: &self.run.plan,
            data: &self.run.data,
            node: self.entry.node,
            inputs: self.inputs,
            sources: &self.entry.sources,
            item_index: item,
            run_index: self.run_index,
            vars: &self.run.vars,
            now_ms: self.now_ms,
            extra,
            parameters: &node.raw_params,
            depth: 0,
            contexts,
        }
    }

    pub(super) fn name(&self) -> &Str {
        &self.run.plan.nodes[self.entry.node].info.name
    }

    pub(super) async fn record(&self, event: RunEvent) -> Result<(), JournalError> {
        self.run.record(event).await
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

    fn context_of(&self, node: usize) -> Object {
        lock(&self.run.states).get(&node).map(|state| state.context.clone()).unwrap_or_default()
    }
}

/// An expression's error as the node's.
pub(crate) fn expression_error(error: expr::Error, parameter: &str) -> NodeError {
    let description = match &error {
        expr::Error::Data { description, .. } => description.clone(),
        expr::Error::Syntax { detail } => Some(detail.clone()),
        _ => None,
    };
    let coded = NodeError::new(error.code(), Str::from(error.to_string())).class(ErrorClass::Expression).with("parameter", parameter);
    match description {
        Some(text) => coded.describe(text),
        None => coded,
    }
}

#[async_trait::async_trait]
impl Host for NodeHost<'_> {
    fn parameter(&self, path: &str, item: usize) -> Result<Value, NodeError> {
        let contexts = |node| self.context_of(node);
        let view = self.view(item, None, &contexts);
        let params = &self.run.plan.nodes[self.entry.node].params;
        params.resolve_at(path, &self.run.session, &view).map_err(|error| expression_error(error, path))
    }

    fn raw_parameter(&self, path: &str) -> Option<Value> {
        let params = &self.run.plan.nodes[self.entry.node].raw_params;
        if path.is_empty() { Some(params.clone()) } else { params.get_path(path).cloned() }
    }

    fn has_expression(&self, path: &str) -> bool {
        self.run.plan.nodes[self.entry.node].params.has_expression(path)
    }

    fn evaluate(&self, text: &str, item: usize, extra: &Object) -> Result<Value, NodeError> {
        let contexts = |node| self.context_of(node);
        let view = self.view(item, Some(extra), &contexts);
        let template = self.template(text);
        self.run.session.evaluate(&template, &view).map_err(|error| expression_error(error, ""))
    }

    async fn run_code(&self, job: CodeJob, each: &mut (dyn FnMut(Returned) -> Result<(), NodeError> + Send)) -> Result<(), NodeError> {
        let contexts = |node| self.context_of(node);
        let inputs = [Some(job.items.clone())];
        let view = RunView { inputs: &inputs, ..self.view(0, None, &contexts) };
        self.run_javascript(&job, &view, each).await
    }

    async fn run_workflow(&self, call: WorkflowCall) -> Result<Vec<Items>, NodeError> {
        let run = self.run;
        let depth = run.options.depth + 1;
        if depth > run.options.limits.max_depth {
            let limit = run.options.limits.max_depth;
            return Err(NodeError::new(Code::RUN_DEPTH, format!("Workflows call each other more than {limit} deep"))
                .hint("Look for a workflow that calls itself."));
        }
        let unversioned = |workflow: Workflow| Called { workflow, version_id: Str::new() };
        let called = match &call.target {
            WorkflowTarget::Id(id) => run.engine.ports.workflows.get(&run.options.stands_for, id).await.ok_or_else(|| {
                NodeError::new(Code::WORKFLOW_NOT_FOUND, format!("Workflow does not exist: '{id}'"))
                    .hint("Import the workflow, or choose another one in the node.")
            })?,
            WorkflowTarget::Inline(document) => Workflow::from_value(document).map(unversioned).ok_or_else(|| {
                NodeError::new(Code::WORKFLOW_JSON, format!("A workflow is a JSON object, but this is {}", document.kind_name()))
            })?,
            WorkflowTarget::File(path) => {
                let bytes = self.files().read(path).await?;
                Workflow::parse(&String::from_utf8_lossy(&bytes))
                    .map(unversioned)
                    .map_err(|error| NodeError::new(Code::WORKFLOW_JSON, format!("{path}: {error}")))?
            }
        };
        let stands_for = match &call.target {
            WorkflowTarget::Id(id) => id.clone(),
            WorkflowTarget::Inline(_) | WorkflowTarget::File(_) => run.options.stands_for.clone(),
        };
        let plan = Arc::new(run.engine.plan(&called.workflow));
        let start = Start { cause: StartedBy::Workflow, node: None, items: Some(call.items) };
        let options = RunOptions {
            run_id: run.engine.ports.journal.child_id(&run.options.run_id, run.steps, &called.version_id),
            stands_for,
            mode: "integrated".into(),
            destination: None,
            earlier: HashMap::new(),
            recorded: VecDeque::new(),
            is_announced: false,
            static_data: None,
            responder: None,
            use_pin_data: false,
            depth,
            ..run.options.clone()
        };
        let engine = run.engine.clone();
        let cancel = run.cancel.child_token();
        if !call.wait {
            tokio::spawn(async move { engine.run(plan, start, options, cancel).await });
            return Ok(Vec::new());
        }
        let outcome = Box::pin(engine.run(plan, start, options, cancel)).await;
        match &outcome.error {
            Some(error) => Err(NodeError::new(error.code, error.message.clone())
                .with("workflow", outcome.workflow_name.clone())
                .with("failedNode", error.node.clone())),
            None => Ok(vec![outcome.last_items().cloned().unwrap_or_default()]),
        }
    }

    fn http(&self) -> &dyn Http {
        self.run.engine.ports.http.as_ref()
    }

    fn connections(&self) -> &dyn Connections {
        self.run.engine.ports.connections.as_ref()
    }

    fn files(&self) -> &dyn Files {
        self.run.engine.ports.files.as_ref()
    }

    fn tables(&self) -> Arc<dyn Tables> {
        let tables = &self.run.engine.ports.tables;
        tables.seen_by(&self.run.options.stands_for).unwrap_or_else(|| tables.clone())
    }

    fn credential(&self, kind: &str, _item: usize) -> Result<Object, NodeError> {
        let id = self.run.plan.nodes[self.entry.node].credentials.get(kind).and_then(|chosen| chosen.get("id")).and_then(Value::as_str);
        self.run.engine.ports.credentials.get(&self.run.options.stands_for, kind, id)
    }

    fn state(&self) -> NodeState {
        lock(&self.run.states).get(&self.entry.node).cloned().unwrap_or_default()
    }

    fn set_state(&self, state: NodeState) {
        lock(&self.run.states).insert(self.entry.node, state);
    }

    fn static_data(&self, scope: StaticScope) -> Value {
        let key = self.static_key(scope);
        lock(&self.run.static_data).get(&key).cloned().unwrap_or_else(Value::empty_object)
    }

    fn set_static_data(&self, scope: StaticScope, data: Value) {
        let key = self.static_key(scope);
        lock(&self.run.static_data).make_object().insert(key.clone(), data);
        lock(&self.run.static_data_changed).insert(key);
    }

    fn set_custom_data(&self, key: &str, value: &str) {
        lock(&self.run.custom_data).insert(key, value);
        self.run.custom_data_changed.store(true, Ordering::Relaxed);
    }

    fn respond(&self, answer: Answer) {
        if let Some(responder) = &self.run.options.responder {
            responder.respond(answer);
        }
    }

    fn is_streaming(&self) -> bool {
        self.run.options.responder.as_ref().is_some_and(|responder| responder.is_streaming())
    }

    async fn stream(&self, chunk: Chunk) {
        if let Some(responder) = &self.run.options.responder {
            tokio::select! {
                () = responder.stream(chunk) => {}
                () = self.run.cancel.cancelled() => {}
            }
        }
    }

    fn pause(&self, until: Pause) {
        *lock(&self.pause) = Some(until);
    }

    fn execution(&self) -> &ExecutionInfo {
        &self.run.execution
    }

    fn input_source(&self, input: usize) -> Option<Source> {
        self.entry.sources.get(input).cloned().flatten()
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
            () = self.run.engine.ports.clock.sleep(milliseconds) => Ok(()),
            () = self.run.cancel.cancelled() => Err(NodeError::new(Code::RUN_CANCELLED, "The run was cancelled")),
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

impl NodeHost<'_> {
    /// n8n's keys of static data.
    fn static_key(&self, scope: StaticScope) -> Str {
        match scope {
            StaticScope::Workflow => "global".into(),
            StaticScope::Node => format!("node:{}", self.run.plan.nodes[self.entry.node].info.name).into(),
        }
    }
}
