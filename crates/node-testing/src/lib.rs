//! Runs a node alone, with constant parameters. For tests of nodes; never a part of the binary.

use bytes::Bytes;
use model::{Item, Items, Kind, Object, OnError, Source, Spill, Str, Value};
use node_api::ai::{
    ConversationStores, LocalModels, LongTermMemory, NoLocalModels, NoLongTermMemory, Supply,
};
use node_api::collections::{Collections, NoCollections};
use node_api::connect::{Connections, NoConnections};
use node_api::credential::CredentialRegistry;
use node_api::files::FileStorage;
use node_api::host::{
    CodeOutput, CodeRequest, ExecutionInfo, Feature, Host, NodeState, Pause, StaticScope,
    WorkflowCall,
};
use node_api::http::{Http, HttpError, HttpRequest, HttpResponse};
use node_api::mcp::{McpServers, NoMcpServers};
use node_api::tables::{NoTables, Tables};
use node_api::trigger::{StreamChunk, WebhookResponse};
use node_api::{Credential, Ctx, Node, NodeError, NodeInfo, Outputs, Spec, Supplied, TriggerKind};
use std::sync::{Arc, Mutex, PoisonError};

/// A world with nothing outside: requests, files and code are refused, the clock stands at
/// 2024-01-01 in UTC.
pub struct TestHost {
    params: Value,
    raw: Value,
    pub execution: ExecutionInfo,
    state: Mutex<NodeState>,
    static_data: Mutex<Value>,
    pub credentials: Object,
    /// Descriptions of the credentials' types; without one a type is unknown.
    pub credential_types: Arc<CredentialRegistry>,
    pub timezone: String,
    pub now_ms: i64,
    pub paused: Mutex<Option<Pause>>,
    pub answered: Mutex<Option<WebhookResponse>>,
    pub is_streaming: bool,
    pub streamed: Mutex<Vec<StreamChunk>>,
    pub http: Box<dyn Http>,
    /// The way out for models that a node asks.
    pub shared_http: Option<Arc<dyn Http>>,
    pub connections: Arc<dyn Connections>,
    pub files: Box<dyn FileStorage>,
    pub tables: Arc<dyn Tables>,
    pub collections: Arc<dyn Collections>,
    pub long_term_memory: Arc<dyn LongTermMemory>,
    pub mcp: Arc<dyn McpServers>,
    pub conversations: ConversationStores,
    pub local_models: Arc<dyn LocalModels>,
    pub started_with: Option<Value>,
    pub started_by: Option<TriggerKind>,
    pub supplies: Vec<(Kind, Supply)>,
    pub warned: Mutex<Vec<Str>>,
    pub allowed: Vec<Feature>,
}

impl TestHost {
    /// A host for a node of this description with these parameters, defaults filled in.
    pub fn new(spec: &Spec, version: f64, params: &Value) -> Self {
        let completed =
            Value::object(spec.complete(version, params.as_object().unwrap_or(&Object::new())));
        Self {
            params: completed.clone(),
            raw: completed,
            execution: ExecutionInfo {
                id: "1".into(),
                mode: "manual".into(),
                ..ExecutionInfo::default()
            },
            state: Mutex::default(),
            static_data: Mutex::default(),
            credentials: Object::new(),
            credential_types: Arc::default(),
            timezone: "UTC".into(),
            now_ms: 1_704_067_200_000,
            paused: Mutex::default(),
            answered: Mutex::default(),
            is_streaming: false,
            streamed: Mutex::default(),
            http: Box::new(NoHttp),
            shared_http: None,
            connections: Arc::new(NoConnections),
            files: Box::new(NoFiles),
            tables: Arc::new(NoTables),
            collections: Arc::new(NoCollections),
            long_term_memory: Arc::new(NoLongTermMemory),
            mcp: Arc::new(NoMcpServers),
            conversations: ConversationStores::default(),
            local_models: Arc::new(NoLocalModels),
            started_with: None,
            started_by: None,
            supplies: Vec::new(),
            warned: Mutex::default(),
            allowed: Vec::new(),
        }
    }
}

/// Runs the newest version of a node on items given as JSON; one input.
pub async fn run<N: Node>(params: Value, input: Value) -> Result<Vec<Value>, NodeError> {
    let version = N::spec().newest_version();
    run_version::<N>(version, params, &[input]).await
}

/// Runs one version of a node on several inputs and gives back the JSON of the items of each
/// output.
pub async fn run_version<N: Node>(
    version: f64,
    params: Value,
    inputs: &[Value],
) -> Result<Vec<Value>, NodeError> {
    let host = TestHost::new(&N::spec(), version, &params);
    let outputs =
        run_on::<N>(&host, version, inputs.iter().map(items).collect(), OnError::Stop).await?;
    Ok(outputs.iter().map(to_json).collect())
}

/// Runs a node on items in a given world.
pub async fn run_on<N: Node>(
    host: &TestHost,
    version: f64,
    inputs: Vec<Items>,
    on_error: OnError,
) -> Result<Outputs, NodeError> {
    let spec = N::spec();
    let info = NodeInfo {
        id: "1".into(),
        name: spec.name,
        type_name: spec.id,
        version,
        on_error,
        ..NodeInfo::default()
    };
    let inputs: Vec<Option<Items>> = inputs.into_iter().map(Some).collect();
    let first = inputs.first().cloned().flatten().unwrap_or_default();
    N::run(&Ctx::new(&info, &inputs, 0, host), first).await
}

/// Items from a JSON list; an element with a `json` key is a whole item, any other is its JSON.
pub fn items(list: &Value) -> Items {
    list.as_array().unwrap_or_default().iter().map(Item::from_value).collect()
}

/// The JSON of the items, without files and pairing.
pub fn to_json(items: &Items) -> Value {
    Value::array(items.iter().map(|item| item.json).collect())
}

#[async_trait::async_trait]
impl Host for TestHost {
    fn parameter(&self, path: &str, _item: usize) -> Result<Value, NodeError> {
        Ok(if path.is_empty() {
            self.params.clone()
        } else {
            self.params.get_path(path).cloned().unwrap_or_default()
        })
    }
    fn raw_parameter(&self, path: &str) -> Option<Value> {
        if path.is_empty() { Some(self.raw.clone()) } else { self.raw.get_path(path).cloned() }
    }
    fn has_expression(&self, _path: &str) -> bool {
        false
    }
    fn evaluate(&self, text: &str, _item: usize, _extra: &Object) -> Result<Value, NodeError> {
        Err(NodeError::failed(format!("no expressions here: {text}")))
    }
    async fn run_code(
        &self,
        _job: CodeRequest,
        _each: &mut (dyn FnMut(CodeOutput) -> Result<(), NodeError> + Send),
    ) -> Result<(), NodeError> {
        Err(NodeError::failed("no JavaScript here"))
    }
    async fn run_workflow(&self, _call: WorkflowCall) -> Result<Vec<Items>, NodeError> {
        Err(NodeError::failed("no other workflows here"))
    }
    fn http(&self) -> &dyn Http {
        self.http.as_ref()
    }
    fn shared_http(&self) -> Option<Arc<dyn Http>> {
        self.shared_http.clone()
    }
    fn connections(&self) -> &dyn Connections {
        self.connections.as_ref()
    }
    fn shared_connections(&self) -> Option<Arc<dyn Connections>> {
        Some(self.connections.clone())
    }
    fn files(&self) -> &dyn FileStorage {
        self.files.as_ref()
    }
    fn tables(&self) -> Arc<dyn Tables> {
        self.tables.clone()
    }
    fn collections(&self) -> Arc<dyn Collections> {
        self.collections.clone()
    }
    fn long_term_memory(&self) -> Arc<dyn LongTermMemory> {
        self.long_term_memory.clone()
    }

    fn mcp(&self) -> Arc<dyn McpServers> {
        self.mcp.clone()
    }
    fn conversations(&self) -> ConversationStores {
        self.conversations.clone()
    }
    fn local_models(&self) -> Arc<dyn LocalModels> {
        self.local_models.clone()
    }
    async fn supplies(&self, kind: Kind, _item: usize) -> Result<Vec<Supplied>, NodeError> {
        let fitting = self.supplies.iter().filter(|(given, _)| *given == kind);
        Ok(fitting
            .map(|(_, supply)| Supplied { node: NodeInfo::default(), supply: supply.clone() })
            .collect())
    }
    fn trigger_data(&self) -> Option<Value> {
        self.started_with.clone()
    }

    fn trigger_kind(&self) -> Option<TriggerKind> {
        self.started_by
    }
    fn warn(&self, words: Str) {
        self.warned.lock().unwrap_or_else(PoisonError::into_inner).push(words);
    }
    fn has_credential(&self, kind: &str) -> bool {
        self.credentials.contains_key(kind)
    }

    fn credential(&self, kind: &str, _item: usize) -> Result<Credential, NodeError> {
        let fields = self.credentials.get(kind).and_then(Value::as_object).cloned();
        fields
            .map(|fields| self.credential_types.open(kind, fields))
            .ok_or_else(|| NodeError::no_credential(kind))
    }
    fn state(&self) -> NodeState {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
    fn set_state(&self, state: NodeState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
    fn static_data(&self, _scope: StaticScope) -> Value {
        self.static_data.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
    fn set_static_data(&self, _scope: StaticScope, data: Value) {
        *self.static_data.lock().unwrap_or_else(PoisonError::into_inner) = data;
    }
    fn set_custom_data(&self, _key: &str, _value: &str) {}
    fn respond(&self, answer: WebhookResponse) {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(answer);
    }
    fn is_streaming(&self) -> bool {
        self.is_streaming
    }
    async fn stream(&self, chunk: StreamChunk) {
        self.streamed.lock().unwrap_or_else(PoisonError::into_inner).push(chunk);
    }
    fn pause(&self, until: Pause) {
        *self.paused.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }
    fn execution(&self) -> &ExecutionInfo {
        &self.execution
    }
    fn input_source(&self, _input: usize) -> Option<Source> {
        None
    }
    fn now_ms(&self) -> i64 {
        self.now_ms
    }
    fn timezone(&self) -> &str {
        &self.timezone
    }
    fn fill_random(&self, bytes: &mut [u8]) {
        for (at, byte) in bytes.iter_mut().enumerate() {
            *byte = (at as u8).wrapping_mul(37).wrapping_add(11);
        }
    }
    async fn sleep(&self, _milliseconds: u64) -> Result<(), NodeError> {
        Ok(())
    }
    fn is_cancelled(&self) -> bool {
        false
    }
    fn allows(&self, feature: Feature) -> bool {
        self.allowed.contains(&feature)
    }
    fn spill(&self) -> Option<Arc<dyn Spill>> {
        None
    }
}

struct NoHttp;

#[async_trait::async_trait]
impl Http for NoHttp {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        Err(HttpError::Unreachable {
            reason: format!("no network here: {}", request.url),
            errno: None,
        })
    }
}

struct NoFiles;

#[async_trait::async_trait]
impl FileStorage for NoFiles {
    async fn read(&self, path: &str) -> Result<Bytes, NodeError> {
        Err(NodeError::failed(format!("no files here: {path}")))
    }
    async fn write(&self, path: &str, _data: &[u8], _append: bool) -> Result<String, NodeError> {
        Err(NodeError::failed(format!("no files here: {path}")))
    }
    async fn list(&self, pattern: &str) -> Result<Vec<String>, NodeError> {
        Err(NodeError::failed(format!("no files here: {pattern}")))
    }
}
