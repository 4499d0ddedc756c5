//! An engine with mock models behind it and a data folder of its own.

use crate::support::TempFolder;
use engine::{
    Clock, CredentialSource, Engine, NoJournal, NoWorkflows, Ports, Random, RunOptions, RunOutcome,
    RunStart,
};
use model::{Object, Value, Workflow};
use node_api::NodeError;
use providers::connect::GuardedConnections;
use providers::http::{EgressPolicy, GuardedHttp};
use serde_json::{Value as Json, json};
use std::sync::Arc;
use store::workflows::NewVersion;
use store::{OpenMode, Sqlite, WorkflowStore as _};
use testkit::{MockModels, ScriptedReply};
use tokio_util::sync::CancellationToken;

pub(crate) struct KnowledgeHarness {
    pub(crate) models: MockModels,
    pub(crate) engine: Engine,
    store: Arc<Sqlite>,
    _folder: TempFolder,
}

/// A clock that stands still, and one credential for every kind.
struct FrozenPorts(Object);

impl CredentialSource for FrozenPorts {
    fn get(&self, _stands_for: &str, _kind: &str, _id: &str) -> Result<Object, NodeError> {
        Ok(self.0.clone())
    }
}

#[async_trait::async_trait]
impl Clock for FrozenPorts {
    fn now_ms(&self) -> i64 {
        1_700_000_000_000
    }

    async fn sleep(&self, milliseconds: u64) {
        tokio::time::sleep(std::time::Duration::from_millis(milliseconds)).await;
    }
}

impl Random for FrozenPorts {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

impl KnowledgeHarness {
    pub(crate) fn new(name: &str, more_fields: &[(&str, Value)]) -> Self {
        let models = MockModels::start([]).unwrap();
        let folder = TempFolder::new(&format!("knowledge-{name}"));
        let store = Arc::new(Sqlite::open(&folder.0, OpenMode::Serve).unwrap());
        let mut fields =
            Object::from_iter([("apiKey", Value::from("sk-canary")), ("url", models.v1().into())]);
        fields.extend(more_fields.iter().map(|(key, value)| (*key, value.clone())));
        let world = Arc::new(FrozenPorts(fields));
        let policy = || EgressPolicy::parse("127.0.0.1").unwrap();
        let ports = Ports {
            clock: world.clone(),
            random: world.clone(),
            http: Arc::new(GuardedHttp::new(policy())),
            connections: Arc::new(GuardedConnections::new(policy())),
            files: Arc::new(store::Workspace::new(folder.0.join("files"))),
            tables: store.clone(),
            collections: store.clone(),
            long_term_memory: store.clone(),
            conversations: node_api::ai::ConversationStores::default(),
            local_models: Arc::new(node_api::ai::NoLocalModels),
            credentials: world,
            workflows: Arc::new(NoWorkflows),
            mcp: Arc::new(node_api::mcp::NoMcpServers),
            tools: Arc::new(node_api::tools::NoTools),
            policy: Arc::new(node_api::policy::AllowAll),
            ledger: Arc::new(engine::NoLedger),
            calls: None,
            journal: Arc::new(NoJournal),
            spill: None,
        };
        Self {
            models,
            engine: Engine::new(Arc::new(nodes::registry()), ports),
            store,
            _folder: folder,
        }
    }

    pub(crate) fn says(&self, replies: impl IntoIterator<Item = ScriptedReply>) {
        self.models.script(replies);
    }

    /// The workflow whose rights the runs have.
    async fn keep_workflow(&self) {
        let version = NewVersion {
            id: "w".into(),
            name: "w".into(),
            document: "{}".into(),
            author: None,
            static_data: None,
        };
        if self.store.workflow("w").await.unwrap().is_none() {
            self.store.save_workflow(version).await.unwrap();
        }
    }

    /// Runs a workflow of these nodes and connections (`from`, kind, `to`) on items.
    pub(crate) async fn run(
        &self,
        nodes: Vec<Json>,
        connections: &[(&str, &str, &str)],
        items: Json,
    ) -> RunOutcome {
        self.keep_workflow().await;
        let mut all = vec![node("Start", "n8n-nodes-base.manualTrigger", 1.0, json!({}))];
        all.extend(nodes);
        let mut wired = json!({});
        for (from, kind, to) in connections {
            wired[*from] = json!({ *kind: [[{ "node": to, "type": kind, "index": 0 }]] });
        }
        let document = json!({ "name": "W", "nodes": all, "connections": wired, "settings": { "executionOrder": "v1" } });
        let document = model::json::parse(&document.to_string()).unwrap();
        let mut plan = self.engine.plan(&Workflow::from_value(&document).unwrap());
        plan.choose_credentials("the one of the test");
        let plan = Arc::new(plan);
        let items = node_testing::items(&model::json::parse(&items.to_string()).unwrap());
        let start = RunStart { items: Some(items), ..RunStart::default() };
        self.engine
            .run(
                plan,
                start,
                RunOptions { acting_workflow: "w".into(), ..RunOptions::default() },
                CancellationToken::new(),
            )
            .await
    }

    /// The JSON of the items that a run ends with.
    pub(crate) async fn items(
        &self,
        nodes: Vec<Json>,
        connections: &[(&str, &str, &str)],
        items: Json,
    ) -> Json {
        let outcome = self.run(nodes, connections, items).await;
        assert!(outcome.error.is_none(), "{:?}", outcome.error);
        let shown =
            outcome.last_items().map_or_else(|| Value::array(Vec::new()), node_testing::to_json);
        serde_json::from_str(&model::json::to_string(&shown)).unwrap()
    }
}

pub(crate) fn node(name: &str, kind: &str, version: f64, parameters: Json) -> Json {
    json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters })
}

pub(crate) fn langchain(name: &str, kind: &str, version: f64, parameters: Json) -> Json {
    node(name, &format!("@n8n/n8n-nodes-langchain.{kind}"), version, parameters)
}

pub(crate) fn embeddings() -> Json {
    langchain("Embeddings", "embeddingsOpenAi", 1.2, json!({}))
}

pub(crate) fn chat_model() -> Json {
    langchain(
        "Model",
        "lmChatOpenAi",
        1.2,
        json!({ "model": { "__rl": true, "mode": "id", "value": "gpt-4o-mini" } }),
    )
}
