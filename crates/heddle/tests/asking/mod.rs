//! Workflows that ask models, run by the engine in the test's own process against mock models.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop the test")]
#![allow(dead_code, reason = "each test program uses some of it")]

use engine::{Clock, Credentials, Engine, NoJournal, NoWorkflows, Outcome, Ports, Random, RunOptions, Start};
use model::{Object, Value, Workflow};
use node_api::{Entry, NodeError, Registry};
use providers::connect::GuardedConnections;
use providers::http::{GuardedHttp, Policy};
use serde_json::{Value as Json, json as js};
use std::sync::Arc;
use testkit::MockModels;
use tokio_util::sync::CancellationToken;

pub(crate) const KEY: &str = "sk-canary-0123456789";

/// A clock that stands still, and one credential for every kind.
struct World(Object);

impl Credentials for World {
    fn get(&self, _stands_for: &str, _kind: &str, _id: Option<&str>) -> Result<Object, NodeError> {
        Ok(self.0.clone())
    }
}

#[async_trait::async_trait]
impl Clock for World {
    fn now_ms(&self) -> i64 {
        1_700_000_000_000
    }

    async fn sleep(&self, milliseconds: u64) {
        tokio::time::sleep(std::time::Duration::from_millis(milliseconds)).await;
    }
}

impl Random for World {
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
    n8n(name, "lmChatOpenAi", 1.2, js!({ "model": { "__rl": true, "mode": "id", "value": "gpt-4o-mini" }, "options": { "maxRetries": 0 } }))
}

/// A trigger, the first node, and nodes that supply it or each other: `(node, its kind of connection, the name of the node above)`.
pub(crate) fn workflow(first: Json, suppliers: &[(Json, &str, &str)]) -> Json {
    let name = |node: &Json| node["name"].as_str().unwrap().to_owned();
    let mut connections = js!({ "Start": { "main": [[{ "node": name(&first), "type": "main", "index": 0 }]] } });
    let mut nodes = vec![node("Start", "n8n-nodes-base.manualTrigger", 1.0, js!({})), first];
    let mut inputs: Vec<(&str, &str)> = Vec::new();
    for (supplier, kind, above) in suppliers {
        let index = if *kind == "ai_languageModel" { inputs.iter().filter(|input| **input == (*kind, *above)).count() } else { 0 };
        inputs.push((kind, above));
        connections[name(supplier)] = js!({ *kind: [[{ "node": above, "type": kind, "index": index }]] });
        nodes.push(supplier.clone());
    }
    js!({ "name": "Asking", "nodes": nodes, "connections": connections, "settings": { "executionOrder": "v1" } })
}

pub(crate) async fn run_document(credential: Object, document: &Json, items: Json) -> Outcome {
    run_with_nodes(credential, document, items, &[]).await
}

pub(crate) async fn run_with_nodes(credential: Object, document: &Json, items: Json, more: &'static [Entry]) -> Outcome {
    let world = Arc::new(World(credential));
    let policy = || Policy::parse("127.0.0.1").unwrap();
    let ports = Ports {
        clock: world.clone(),
        random: world.clone(),
        http: Arc::new(GuardedHttp::new(policy())),
        connections: Arc::new(GuardedConnections::new(policy())),
        files: Arc::new(store::Workspace::new(std::env::temp_dir())),
        tables: Arc::new(node_api::tables::NoTables),
        credentials: world,
        workflows: Arc::new(NoWorkflows),
        calls: None,
        journal: Arc::new(NoJournal),
        spill: None,
    };
    let registry = Registry::new(nodes::TABLES.iter().copied().chain([more]));
    let engine = Engine::new(Arc::new(registry), ports);
    let document = model::json::parse(&document.to_string()).unwrap();
    let plan = Arc::new(engine.plan(&Workflow::from_value(&document).unwrap()));
    let items = node_api::testing::items(&model::json::parse(&items.to_string()).unwrap());
    let start = Start { items: Some(items), ..Start::default() };
    engine.run(plan, start, RunOptions::default(), CancellationToken::new()).await
}

/// The items that the last node put out on its first output.
pub(crate) fn answers(outcome: &Outcome) -> Vec<Value> {
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    node_api::testing::to_json(outcome.last_items().unwrap()).as_array().unwrap().to_vec()
}
