//! The requests of a program: how many are under way, and how much of an answer is taken in,
//! whatever the request is called.

use heddle_engine::{
    Clock, Engine, NoCredentials, NoJournal, NoLedger, NoWorkflows, Ports, Random, RunOptions,
    RunOutcome, RunStart,
};
use model::{RunStatus, Workflow};
use node_api::files::FileStorage;
use node_api::host::{CodeFlavour, CodeOutput, CodeRequest};
use node_api::http::{Http, HttpError, HttpRequest, HttpResponse};
use node_api::prelude::*;
use node_api::{NodeEntry, Registry, run as row};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

struct Begin;

impl Node for Begin {
    fn spec() -> Spec {
        let spec = Spec::new("start", &[1.0], "start", "For tests");
        Spec {
            inputs: Vec::new(),
            group: NodeGroup::Trigger,
            started_by: Some(StartCause::Hand),
            ..spec
        }
    }

    async fn run(_ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        Ok(vec![items])
    }
}

struct RunCode;

impl Node for RunCode {
    fn spec() -> Spec {
        Spec::new("code", &[1.0], "code", "For tests")
            .param(Param::text("source", "Source", "").help("The program."))
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let job = CodeRequest {
            source: ctx.text("source", 0)?,
            flavour: CodeFlavour::AllItems,
            items,
            first: 0,
            names: Object::new(),
        };
        let mut output = ctx.builder();
        let mut each = |piece| {
            if let CodeOutput::Whole(value) | CodeOutput::Element(value) = piece {
                output.push(Item::new(value));
            }
            Ok(())
        };
        ctx.host().run_code(job, &mut each).await?;
        Ok(vec![output.finish()])
    }
}

static NODES: &[NodeEntry] = &[row::<Begin>(), row::<RunCode>()];

/// Answers after a moment, and remembers how many asked at once and what they were ready to take.
struct RequestHost {
    body: Vec<u8>,
    under_way: AtomicUsize,
    most_under_way: AtomicUsize,
    limits: Mutex<Vec<usize>>,
}

#[async_trait::async_trait]
impl Http for RequestHost {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let now = self.under_way.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_under_way.fetch_max(now, Ordering::SeqCst);
        self.limits.lock().unwrap().push(request.max_response_bytes);
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        self.under_way.fetch_sub(1, Ordering::SeqCst);
        if self.body.len() > request.max_response_bytes {
            return Err(HttpError::TooLarge { limit: request.max_response_bytes });
        }
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        let body = self.body.clone().into();
        Ok(HttpResponse {
            status: 200,
            status_text: "OK".into(),
            headers,
            body,
            url: request.url,
            reservation: Default::default(),
        })
    }
}

#[async_trait::async_trait]
impl Clock for RequestHost {
    fn now_ms(&self) -> i64 {
        1_700_000_000_000
    }
    async fn sleep(&self, _milliseconds: u64) {}
}

impl Random for RequestHost {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

#[async_trait::async_trait]
impl FileStorage for RequestHost {
    async fn read(&self, _path: &str) -> Result<bytes::Bytes, NodeError> {
        Err(NodeError::failed("no files"))
    }
    async fn write(&self, _path: &str, _data: &[u8], _append: bool) -> Result<String, NodeError> {
        Err(NodeError::failed("no files"))
    }
    async fn list(&self, _pattern: &str) -> Result<Vec<String>, NodeError> {
        Err(NodeError::failed("no files"))
    }
}

async fn run(source: &str, body: Vec<u8>) -> (RunOutcome, Arc<RequestHost>) {
    let world = Arc::new(RequestHost {
        body,
        under_way: AtomicUsize::new(0),
        most_under_way: AtomicUsize::new(0),
        limits: Mutex::default(),
    });
    let ports = Ports {
        clock: world.clone(),
        random: world.clone(),
        http: world.clone(),
        connections: Arc::new(node_api::connect::NoConnections),
        files: world.clone(),
        tables: Arc::new(node_api::tables::NoTables),
        collections: Arc::new(node_api::collections::NoCollections),
        long_term_memory: Arc::new(node_api::ai::NoLongTermMemory),
        mcp: Arc::new(node_api::mcp::NoMcpServers),
        tools: Arc::new(node_api::tools::NoTools),
        conversations: node_api::ai::ConversationStores::default(),
        local_models: Arc::new(node_api::ai::NoLocalModels),
        credentials: Arc::new(NoCredentials),
        workflows: Arc::new(NoWorkflows),
        calls: None,
        policy: Arc::new(node_api::policy::AllowAll),
        ledger: Arc::new(NoLedger),
        journal: Arc::new(NoJournal),
        spill: None,
    };
    let mut workflow = json!({ "id": "w", "name": "Test", "connections": { "Start": { "main": [[{ "node": "Code", "type": "main", "index": 0 }]] } } });
    let node = |name: &str, kind: &str, parameters: Value| {
        let mut node =
            json!({ "id": name, "name": name, "type": kind, "typeVersion": 1, "position": [0, 0] });
        node.make_object().insert("parameters", parameters);
        node
    };
    let code = node("Code", "code", Object::from_iter([("source", source)]).into());
    workflow.make_object().insert("nodes", vec![node("Start", "start", json!({})), code]);
    let engine = Engine::new(Arc::new(Registry::new([NODES])), ports);
    let plan = Arc::new(engine.plan(&Workflow::from_value(&workflow).unwrap()));
    (
        engine
            .run(plan, RunStart::default(), RunOptions::default(), CancellationToken::new())
            .await,
        world,
    )
}

/// The limit of a Code node on one answer.
const LIMIT: usize = 64 << 20;

#[tokio::test(flavor = "multi_thread")]
async fn issue_14_06_every_request_of_a_program_has_a_limit_and_few_are_under_way() {
    let source = "
        const ask = [(url) => fetch(url), (url) => this.helpers.httpRequest(url), (url) => this.helpers.request({ uri: url })];
        const all = await Promise.all(Array.from({ length: 120 }, (_, n) => ask[n % 3]('https://x.test/' + n)));
        return [{ json: { answers: all.length } }];";
    let (outcome, world) = run(source, b"{}".to_vec()).await;
    assert_eq!(outcome.status, RunStatus::Success, "{:?}", outcome.error);
    let made = outcome.runs_of("Code")[0].output(0).unwrap().first().unwrap();
    assert_eq!(made.json, json!({ "json": { "answers": 120 } }));
    let limits = world.limits.lock().unwrap();
    assert_eq!(limits.len(), 120);
    assert!(limits.iter().all(|limit| *limit <= LIMIT), "{limits:?}");
    let most = world.most_under_way.load(Ordering::SeqCst);
    assert!((2..=32).contains(&most), "{most}");
}

#[tokio::test(flavor = "multi_thread")]
async fn issue_14_09_an_answer_that_is_too_large_for_a_program_is_not_made_into_values() {
    let large = vec![b'1'; LIMIT + 1];
    let lists = format!("[{}0]", "[0],".repeat(2 * LIMIT / 150)).into_bytes();
    for (call, body) in [
        ("fetch('https://x.test/')", &large),
        ("this.helpers.httpRequest('https://x.test/')", &large),
        ("this.helpers.request('https://x.test/')", &large),
        ("this.helpers.httpRequest('https://x.test/')", &lists),
    ] {
        let source = format!("try {{ await {call}; }} catch (error) {{}} return [];");
        let (outcome, _) = run(&source, body.clone()).await;
        let error = outcome.error.unwrap();
        assert_eq!(
            (outcome.status, error.code),
            (RunStatus::Error, Code::SANDBOX_FETCH),
            "{call}: {}",
            error.message
        );
        assert!(
            error.message.contains(&LIMIT.to_string()) || error.message.contains("64"),
            "{}",
            error.message
        );
    }
}
