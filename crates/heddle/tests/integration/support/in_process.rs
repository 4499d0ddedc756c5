//! Workflows that ask models, run by the engine in the test's own process against mock models.

use engine::{
    Clock, CredentialSource, Engine, ExecutionLimits, Journal, JournalError, NoJournal,
    NoWorkflows, PendingRecord, Ports, Random, RecordedStep, Responder, RunOptions, RunOutcome,
    RunStart,
};
use model::{Kind, Object, RunEvent, Value, Workflow};
use node_api::trigger::{StreamChunk, WebhookResponse};
use node_api::{NodeEntry, NodeError, Registry};
use providers::connect::GuardedConnections;
use providers::http::{EgressPolicy, GuardedHttp, NameResolver};
use serde_json::{Value as Json, json as js};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use testkit::MockModels;
use tokio_util::sync::CancellationToken;

pub(crate) const KEY: &str = "sk-canary-0123456789";

/// A clock that stands still, and one credential for every kind.
struct FixedPorts(Object);

impl CredentialSource for FixedPorts {
    fn get(&self, _stands_for: &str, kind: &str, _id: &str) -> Result<Object, NodeError> {
        let mut fields = self.0.clone();
        // Anthropic's address has no version in it.
        if kind == "anthropicApi" {
            fields.insert("url", fields.get("host").cloned().unwrap_or_default());
        }
        Ok(fields)
    }
}

#[async_trait::async_trait]
impl Clock for FixedPorts {
    fn now_ms(&self) -> i64 {
        1_700_000_000_000
    }

    async fn sleep(&self, milliseconds: u64) {
        tokio::time::sleep(std::time::Duration::from_millis(milliseconds)).await;
    }
}

impl Random for FixedPorts {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

/// Every field that a kind of credential may have, each leading to the mock.
pub(crate) fn credential(mock: &MockModels, url: String) -> Object {
    Object::from_iter([
        ("apiKey", Value::from(KEY)),
        ("url", url.into()),
        ("host", mock.url().into()),
        ("baseUrl", mock.url().into()),
        ("endpoint", mock.url().into()),
        ("apiVersion", "2024-10-21".into()),
    ])
}

pub(crate) fn node(name: &str, kind: &str, version: f64, parameters: Json) -> Json {
    js!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters })
}

/// A node of n8n's AI package.
pub(crate) fn n8n(name: &str, kind: &str, version: f64, parameters: Json) -> Json {
    node(name, &format!("@n8n/n8n-nodes-langchain.{kind}"), version, parameters)
}

/// A model of OpenAI's by n8n's node, which finds the mock through its credential.
pub(crate) fn openai(name: &str) -> Json {
    n8n(
        name,
        "lmChatOpenAi",
        1.2,
        js!({ "model": { "__rl": true, "mode": "id", "value": "gpt-4o-mini" }, "options": { "maxRetries": 0 } }),
    )
}

/// A trigger, the first node, and nodes that supply it or each other: `(node, its kind of
/// connection, the name of the node above)`.
pub(crate) fn workflow(first: Json, suppliers: &[(Json, &str, &str)]) -> Json {
    let name = |node: &Json| node["name"].as_str().unwrap().to_owned();
    let mut connections =
        js!({ "Start": { "main": [[{ "node": name(&first), "type": "main", "index": 0 }]] } });
    let mut nodes = vec![node("Start", "n8n-nodes-base.manualTrigger", 1.0, js!({})), first];
    let mut inputs: Vec<(&str, &str)> = Vec::new();
    for (supplier, kind, above) in suppliers {
        let index = if *kind == "ai_languageModel" {
            inputs.iter().filter(|input| **input == (*kind, *above)).count()
        } else {
            0
        };
        inputs.push((kind, above));
        connections[name(supplier)] =
            js!({ *kind: [[{ "node": above, "type": kind, "index": index }]] });
        nodes.push(supplier.clone());
    }
    js!({ "name": "Asking", "nodes": nodes, "connections": connections, "settings": { "executionOrder": "v1" } })
}

pub(crate) async fn run_document(credential: Object, document: &Json, items: Json) -> RunOutcome {
    run_with_nodes(credential, document, items, &[]).await
}

pub(crate) async fn run_with_nodes(
    credential: Object,
    document: &Json,
    items: Json,
    more: &'static [NodeEntry],
) -> RunOutcome {
    run_as(
        credential,
        document,
        start_with(&items),
        more,
        Arc::new(NoJournal),
        RunOptions::default(),
    )
    .await
}

/// A run that begins with a node, with the workflow's pins.
pub(crate) async fn run_from(credential: Object, document: &Json, start: &str) -> RunOutcome {
    let limits = ExecutionLimits { max_steps: 1000, ..ExecutionLimits::default() };
    let options = RunOptions { use_pin_data: true, limits, ..RunOptions::default() };
    let start = RunStart { node: Some(start.into()), ..RunStart::default() };
    run_as(credential, document, start, &[], Arc::new(NoJournal), options).await
}

/// The pieces that the run sends to a caller who takes them as they come: the kind of each and its
/// words.
pub(crate) async fn streamed(
    credential: Object,
    document: &Json,
    items: Json,
) -> Vec<(&'static str, String)> {
    let listener = Arc::new(ChunkCollector::default());
    let options = RunOptions { responder: Some(listener.clone()), ..RunOptions::default() };
    let outcome =
        run_as(credential, document, start_with(&items), &[], Arc::new(NoJournal), options).await;
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    let chunks = listener.0.lock().unwrap();
    let words = |chunk: &StreamChunk| {
        chunk.content.as_ref().map(|content| content.to_js_string().to_string()).unwrap_or_default()
    };
    chunks.iter().map(|chunk| (chunk.kind.name(), words(chunk))).collect()
}

/// The run of a process that ended when it had kept this many notes, and of the one that took it up
/// again.
pub(crate) async fn run_cut_off(
    credential: Object,
    document: &Json,
    items: Json,
    n_notes: usize,
) -> RunOutcome {
    let journal = Arc::new(ShortJournal {
        n_notes,
        has_ended: AtomicBool::new(false),
        events: Mutex::default(),
    });
    run_as(
        credential.clone(),
        document,
        start_with(&items),
        &[],
        journal.clone(),
        RunOptions::default(),
    )
    .await;
    let mut options = RunOptions { start_recorded: true, ..RunOptions::default() };
    for event in journal.events.lock().unwrap().drain(..) {
        match event {
            RunEvent::NodeFinished { node, task, changed, .. } => {
                options.recorded.push_back(RecordedStep {
                    node,
                    task: Some(task),
                    changed,
                    woken_by: None,
                    redo: None,
                });
            }
            RunEvent::StepRecorded { key, value, .. } => drop(options.notes.insert(key, value)),
            _ => {}
        }
    }
    run_as(credential, document, start_with(&items), &[], Arc::new(NoJournal), options).await
}

/// Takes this many notes; with the next one the process ends.
struct ShortJournal {
    n_notes: usize,
    has_ended: AtomicBool,
    events: Mutex<Vec<RunEvent>>,
}

impl Journal for ShortJournal {
    fn append<'a>(&'a self, _run_id: &str, event: RunEvent) -> Option<PendingRecord<'a>> {
        let mut events = self.events.lock().unwrap();
        let is_note = |event: &RunEvent| matches!(event, RunEvent::StepRecorded { .. });
        let n_notes = events.iter().filter(|event| is_note(event)).count();
        if self.has_ended.load(Ordering::Relaxed) || (is_note(&event) && n_notes >= self.n_notes) {
            self.has_ended.store(true, Ordering::Relaxed);
            return Some(Box::pin(std::future::ready(Err(JournalError {
                cause: "the process ended".into(),
            }))));
        }
        events.push(event);
        None
    }
}

/// Every name leads to this machine.
struct AllNames;

#[async_trait::async_trait]
impl NameResolver for AllNames {
    async fn resolve(&self, _host: &str) -> std::io::Result<Vec<std::net::IpAddr>> {
        Ok(vec![std::net::Ipv4Addr::LOCALHOST.into()])
    }
}

#[derive(Default)]
struct ChunkCollector(Mutex<Vec<StreamChunk>>);

#[async_trait::async_trait]
impl Responder for ChunkCollector {
    fn respond(&self, _answer: WebhookResponse) {}

    fn is_streaming(&self) -> bool {
        true
    }

    async fn stream(&self, chunk: StreamChunk) {
        self.0.lock().unwrap().push(chunk);
    }
}

async fn run_as(
    credential: Object,
    document: &Json,
    start: RunStart,
    more: &'static [NodeEntry],
    journal: Arc<dyn Journal>,
    options: RunOptions,
) -> RunOutcome {
    let world = Arc::new(FixedPorts(credential));
    let policy = || EgressPolicy::parse("127.0.0.1").unwrap();
    let ports = Ports {
        clock: world.clone(),
        random: world.clone(),
        http: Arc::new(GuardedHttp::with_resolver(policy(), Arc::new(AllNames))),
        connections: Arc::new(GuardedConnections::new(policy())),
        files: Arc::new(store::Workspace::new(std::env::temp_dir())),
        tables: Arc::new(node_api::tables::NoTables),
        collections: Arc::new(node_api::collections::NoCollections),
        long_term_memory: Arc::new(node_api::ai::NoLongTermMemory),
        mcp: Arc::new(node_api::mcp::NoMcpServers),
        tools: Arc::new(node_api::tools::NoTools),
        conversations: node_api::ai::ConversationStores::default(),
        local_models: Arc::new(node_api::ai::NoLocalModels),
        credentials: world,
        workflows: Arc::new(NoWorkflows),
        policy: Arc::new(node_api::policy::AllowAll),
        ledger: Arc::new(engine::NoLedger),
        calls: None,
        journal,
        spill: None,
    };
    let registry = Registry::new(nodes::TABLES.iter().copied().chain([more]))
        .with_credentials(nodes::credentials::registry());
    let engine = Engine::new(Arc::new(registry), ports);
    let document = model::json::parse(&document.to_string()).unwrap();
    let mut plan = engine.plan(&Workflow::from_value(&document).unwrap());
    // A document that says so itself shows what a node gets for which nobody chose anything.
    if document.get("chooses").is_none() {
        plan.choose_credentials("the one of the test");
    }
    let plan = Arc::new(plan);
    engine.run(plan, start, options, CancellationToken::new()).await
}

fn start_with(items: &Json) -> RunStart {
    let items = node_testing::items(&model::json::parse(&items.to_string()).unwrap());
    RunStart { items: Some(items), ..RunStart::default() }
}

/// The items that the last node put out on its first output.
pub(crate) fn answers(outcome: &RunOutcome) -> Vec<Value> {
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    node_testing::to_json(outcome.last_items().unwrap()).as_array().unwrap().to_vec()
}

/// The items of each output of a node in its only run.
pub(crate) fn outputs(outcome: &RunOutcome, node: &str) -> Vec<Value> {
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    let items = |items: &Option<model::Items>| {
        items.as_ref().map_or_else(|| Value::array(Vec::new()), node_testing::to_json)
    };
    outcome.runs_of(node)[0].data.get(&Kind::Main).unwrap().iter().map(items).collect()
}
