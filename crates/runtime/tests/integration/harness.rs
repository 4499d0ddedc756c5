//! A data folder, and processes that run over it one after the other.

use crate::test_nodes;
use engine::{Clock, Engine, NoCredentials, NoJournal, NoLedger, NoWorkflows, Ports, Random};
use heddle_runtime::{CatchUp, Retention, RunLimits, Runtime, RuntimeOptions};
use node_api::Registry;
use node_api::http::{Http, HttpError, HttpRequest, HttpResponse};
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use store::StoreStatus as _;
use store::{OpenMode, Sqlite, Workspace};

/// How long something may take that should happen; only a failing test waits for it.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const BASE_URL: &str = "http://heddle.test";

/// A folder of its own for each test, with a clock that only the test moves.
pub(crate) struct DataFolder {
    pub(crate) path: PathBuf,
    pub(crate) clock: Arc<TestClock>,
}

/// What a test changes about a process.
#[derive(Clone, Copy, Default)]
pub(crate) struct ProcessOptions {
    pub(crate) limits: RunLimits,
    pub(crate) catch_up: CatchUp,
}

/// A process: dropping its executor ends all of its tasks wherever they are, as a crash does.
pub(crate) struct Process {
    executor: Option<tokio::runtime::Runtime>,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) store: Sqlite,
}

impl DataFolder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("heddle-runtime-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        // 2026-01-01, in the middle of a minute.
        Self { path, clock: Arc::new(TestClock(AtomicI64::new(1_767_225_630_000))) }
    }

    pub(crate) fn start(&self) -> Process {
        self.start_with(ProcessOptions::default())
    }

    pub(crate) fn start_with(&self, options: ProcessOptions) -> Process {
        let executor = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let store = Sqlite::open(&self.path, OpenMode::Serve).unwrap();
        let engine = Engine::new(REGISTRY.clone(), self.ports(&store));
        let options = RuntimeOptions {
            run: engine::RunOptions::default(),
            limits: options.limits,
            catch_up: options.catch_up,
            spending: model::SpendingLimit::default(),
            keep: Retention::default(),
            base_url: BASE_URL.into(),
            manifests: Arc::new(node_api::tools::NoManifests),
        };
        let started = Runtime::start(engine, Arc::new(store.clone()), options);
        let runtime = executor.block_on(started).unwrap();
        Process { executor: Some(executor), runtime, store }
    }

    /// A connection of its own, which sees only what is committed.
    pub(crate) fn database(&self) -> rusqlite::Connection {
        let connection = rusqlite::Connection::open(self.path.join("heddle.db")).unwrap();
        connection.busy_timeout(PATIENCE).unwrap();
        connection
    }

    fn ports(&self, store: &Sqlite) -> Ports {
        Ports {
            clock: self.clock.clone(),
            random: Arc::new(Zeroes),
            http: Arc::new(NoNetwork),
            connections: Arc::new(node_api::connect::NoConnections),
            files: Arc::new(Workspace::new(self.path.join("files"))),
            tables: Arc::new(store.clone()),
            collections: Arc::new(store.clone()),
            long_term_memory: Arc::new(store.clone()),
            mcp: Arc::new(node_api::mcp::NoMcpServers),
            tools: Arc::new(node_api::tools::NoTools),
            conversations: node_api::ai::ConversationStores::default(),
            local_models: Arc::new(node_api::ai::NoLocalModels),
            credentials: Arc::new(NoCredentials),
            workflows: Arc::new(NoWorkflows),
            policy: Arc::new(node_api::policy::AllowAll),
            ledger: Arc::new(NoLedger),
            calls: None,
            journal: Arc::new(NoJournal),
            spill: None,
        }
    }
}

impl Drop for DataFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

impl Process {
    pub(crate) fn run<F: Future>(&self, work: F) -> F::Output {
        self.executor().block_on(work)
    }

    /// Runs something in a task, so that it goes on beside what the test does next.
    pub(crate) fn spawn<F>(&self, work: F) -> tokio::task::JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        self.executor().spawn(work)
    }

    fn executor(&self) -> &tokio::runtime::Runtime {
        self.executor.as_ref().expect("the process has ended")
    }

    pub(crate) fn crash(self) {
        drop(self);
    }

    /// Ends as a process does that is asked to, after waiting this long for runs.
    pub(crate) fn stop(self, patience: Duration) {
        self.run(self.runtime.stop(patience));
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.executor.take());
        // The writer has a thread of its own, which ends the whole test when it finds that another
        // process has the folder.
        let began = Instant::now();
        while self.store.backlog() > 0 && began.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Waits until something holds.
pub(crate) async fn eventually<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Moves only when a test says so; what sleeps by it sleeps in real time.
pub(crate) struct TestClock(AtomicI64);

impl TestClock {
    pub(crate) fn advance(&self, time: Duration) {
        self.0.fetch_add(time.as_millis() as i64, Ordering::Relaxed);
    }
}

#[async_trait::async_trait]
impl Clock for TestClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }

    async fn sleep(&self, milliseconds: u64) {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    }
}

static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| {
    Arc::new(Registry::new(nodes::TABLES.iter().copied().chain([test_nodes::NODES])))
});

struct Zeroes;

impl Random for Zeroes {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

struct NoNetwork;

#[async_trait::async_trait]
impl Http for NoNetwork {
    async fn send(&self, _request: HttpRequest) -> Result<HttpResponse, HttpError> {
        Err(HttpError::Unreachable { reason: "no network in tests".to_owned(), errno: None })
    }
}
