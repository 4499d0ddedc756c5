//! Workflows with a database: expressions in and around the SQL, through the engine, against a real
//! PostgreSQL.

use engine::{
    Clock, CredentialSource, Engine, NoJournal, NoWorkflows, Ports, Random, RunOptions, RunOutcome,
    RunStart,
};
use model::{Object, Value, Workflow, json};
use node_api::NodeError;
use providers::connect::GuardedConnections;
use providers::http::{EgressPolicy, GuardedHttp};
use std::sync::Arc;
use testkit::services;
use tokio_util::sync::CancellationToken;

struct DatabasePorts(Object);

impl CredentialSource for DatabasePorts {
    fn get(&self, _stands_for: &str, kind: &str, _id: &str) -> Result<Object, NodeError> {
        Ok(self.0.get(kind).and_then(Value::as_object).cloned().unwrap_or_default())
    }
}

#[async_trait::async_trait]
impl Clock for DatabasePorts {
    fn now_ms(&self) -> i64 {
        0
    }
    async fn sleep(&self, _milliseconds: u64) {}
}

impl Random for DatabasePorts {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

async fn run(server: &services::Service, version: f64, input: Value, params: Value) -> RunOutcome {
    let credential = json!({ "host": "127.0.0.1", "port": server.port, "user": "postgres", "password": services::PASSWORD });
    let world = Arc::new(DatabasePorts(Object::from_iter([("postgres", credential)])));
    let policy = EgressPolicy::parse("127.0.0.1").unwrap();
    let ports = Ports {
        clock: world.clone(),
        random: world.clone(),
        http: Arc::new(GuardedHttp::new(EgressPolicy::default())),
        connections: Arc::new(GuardedConnections::new(policy)),
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
        journal: Arc::new(NoJournal),
        spill: None,
    };
    let nodes = json!([
        { "id": "1", "name": "Start", "type": "n8n-nodes-base.manualTrigger", "typeVersion": 1, "position": [0, 0], "parameters": {} },
        { "id": "2", "name": "DB", "type": "n8n-nodes-base.postgres", "typeVersion": version, "position": [0, 0], "parameters": params,
          "credentials": { "postgres": { "id": "1", "name": "db" } } }
    ]);
    let workflow = json!({
        "name": "w", "nodes": nodes, "settings": { "executionOrder": "v1" },
        "connections": { "Start": { "main": [[{ "node": "DB", "type": "main", "index": 0 }]] } }
    });
    let engine = Engine::new(Arc::new(nodes::registry()), ports);
    let mut plan = engine.plan(&Workflow::from_value(&workflow).unwrap());
    plan.choose_credentials("the one of the test");
    let plan = Arc::new(plan);
    let start = RunStart { items: Some(node_testing::items(&input)), ..RunStart::default() };
    engine.run(plan, start, RunOptions::default(), CancellationToken::new()).await
}

async fn rows(server: &services::Service, version: f64, input: Value, params: Value) -> Value {
    let outcome = run(server, version, input, params).await;
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    node_testing::to_json(outcome.last_items().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn expressions_stand_in_the_query_with_and_without_an_equals_sign() {
    let server = services::postgres();
    for query in ["SELECT {{ $json.n }} + 1 AS sum", "=SELECT {{ $json.n }} + 1 AS sum"] {
        let params = json!({ "operation": "executeQuery", "query": query, "options": {} });
        assert_eq!(
            rows(&server, 2.6, json!([{ "n": 4 }, { "n": 5 }]), params).await,
            json!([{ "sum": 5 }, { "sum": 6 }]),
            "{query}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn query_parameters_come_from_expressions() {
    let server = services::postgres();
    let evil = json!([{ "name": "O'Brien, Pat", "id": 3, "tags": ["a", "b"] }]);
    let query = "SELECT $1::text AS name, $2::int AS id";
    let expected = json!([{ "name": "O'Brien, Pat", "id": 3 }]);
    let cases = [
        (2.6, json!("={{ $json.name }}, {{ $json.id }}")),
        (2.4, json!("={{ $json.name }},{{ $json.id }}")),
        (2.6, json!("={{ [$json.name, $json.id] }}")),
    ];
    for (version, given) in cases {
        let params = json!({ "operation": "executeQuery", "query": query, "options": { "queryReplacement": given } });
        assert_eq!(
            rows(&server, version, evil.clone(), params).await,
            expected,
            "{version} {given:?}"
        );
    }
    let listed = json!({ "operation": "executeQuery", "query": "SELECT $1 AS a, $2 AS b", "options": { "queryReplacement": "={{ $json.csv }}" } });
    assert_eq!(
        rows(&server, 2.6, json!([{ "csv": "x, y" }]), listed).await,
        json!([{ "a": "x", "b": "y" }])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn mapped_columns_are_evaluated_for_each_item() {
    let server = services::postgres();
    let setup = json!({ "operation": "executeQuery", "query": "create table mapped (id int primary key, label text)" });
    rows(&server, 2.6, json!([{}]), setup).await;
    let params = json!({
        "operation": "insert", "schema": { "__rl": true, "mode": "list", "value": "public" }, "table": { "__rl": true, "mode": "list", "value": "mapped" },
        "columns": { "mappingMode": "defineBelow", "value": { "id": "={{ $json.n }}", "label": "={{ 'no ' + $json.n }}" }, "matchingColumns": [] }
    });
    let made = rows(&server, 2.6, json!([{ "n": 1 }, { "n": 2 }]), params).await;
    assert_eq!(made, json!([{ "id": 1, "label": "no 1" }, { "id": 2, "label": "no 2" }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_names_the_node_and_keeps_the_password() {
    let server = services::postgres();
    let outcome = run(
        &server,
        2.6,
        json!([{}]),
        json!({ "operation": "executeQuery", "query": "select * from nowhere" }),
    )
    .await;
    let error = outcome.error.unwrap();
    assert_eq!(error.node.as_deref(), Some("DB"));
    assert!(error.message.contains("nowhere"), "{error:?}");
    assert!(!format!("{error:?}").contains("s3cret"));
}
