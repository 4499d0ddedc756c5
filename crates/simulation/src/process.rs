//! One process of a history: it starts, lets clients and people come, and ends, cleanly or not.

use crate::effect;
use crate::simulation_state::{SimulationState, WallClock};
use crate::{clients, operators};
use engine::{Engine, NoCredentials, NoJournal, NoLedger, NoWorkflows, Ports, Random, RunOptions};
use node_api::Registry;
use node_api::http::{Http, HttpError, HttpRequest, HttpResponse};
use runtime::{CatchUp, Retention, RunLimits, Runtime, RuntimeOptions};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use store::simulation::ExecutionRow;
use store::{Sqlite, Workspace};
use tokio::time::sleep;

/// What clients and people of a process need.
#[derive(Clone)]
pub(crate) struct Process {
    pub(crate) world: Arc<SimulationState>,
    pub(crate) store: Sqlite,
    pub(crate) runtime: Arc<Runtime>,
}

impl Process {
    pub(crate) async fn start(world: &Arc<SimulationState>) -> Result<Self, runtime::Error> {
        let store = world.memory.open(world.clone())?;
        let engine = Engine::new(REGISTRY.clone(), ports(world, &store));
        let runtime = Runtime::start(engine, Arc::new(store.clone()), options()).await?;
        Ok(Self { world: world.clone(), store, runtime })
    }

    /// A run as it stands now, if there is one that fits.
    pub(crate) fn choose_run(&self, fits: impl Fn(&ExecutionRow) -> bool) -> Option<ExecutionRow> {
        let rows: Vec<ExecutionRow> = self.world.rows().into_iter().filter(fits).collect();
        self.world.random.choose(&rows)
    }

    /// Lets so many things happen, and looks at what is on disk in between.
    pub(crate) async fn live(&self, turns: u64) {
        for _ in 0..turns {
            sleep(self.world.some_time()).await;
            self.world.rows();
            match self.world.random.below(10) {
                0..4 => clients::spawn_client(self, clients::call(self.clone())),
                4..6 => clients::spawn_client(self, clients::resume(self.clone())),
                _ => operators::spawn_action(self),
            }
        }
    }

    /// Stops as a process does that is asked to.
    pub(crate) async fn stop(&self) {
        let patience = Duration::from_millis(self.world.random.below(3_000));
        self.runtime.stop(patience).await;
    }
}

static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| {
    Arc::new(
        Registry::new(nodes::TABLES.iter().copied().chain([effect::NODES]))
            .with_credentials(nodes::credentials::registry()),
    )
});

fn options() -> RuntimeOptions {
    RuntimeOptions {
        run: RunOptions::default(),
        limits: RunLimits::default(),
        catch_up: CatchUp::default(),
        spending: model::SpendingLimit::default(),
        keep: Retention::default(),
        base_url: "http://simulated".into(),
        manifests: Arc::new(node_api::tools::NoManifests),
    }
}

fn ports(world: &Arc<SimulationState>, store: &Sqlite) -> Ports {
    Ports {
        clock: Arc::new(WallClock(world.clone())),
        random: Arc::new(SeededSource(world.clone())),
        http: Arc::new(BlockedNetwork),
        connections: Arc::new(node_api::connect::NoConnections),
        files: Arc::new(Workspace::new("/nowhere")),
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

struct SeededSource(Arc<SimulationState>);

impl Random for SeededSource {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill_with(|| self.0.random.below(256) as u8);
    }
}

struct BlockedNetwork;

#[async_trait::async_trait]
impl Http for BlockedNetwork {
    async fn send(&self, _request: HttpRequest) -> Result<HttpResponse, HttpError> {
        Err(HttpError::Unreachable { reason: "simulated".to_owned(), errno: None })
    }
}

/// How a process came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProcessEnd {
    Stopped,
    /// It was killed, or died with a write.
    Died,
    /// It could not start.
    Failed,
}

/// Lives one process of a history in virtual time.
pub(crate) fn run<F: Future<Output = ()>>(
    world: &Arc<SimulationState>,
    after_ms: i64,
    life: impl FnOnce(Process) -> F,
) -> anyhow::Result<ProcessEnd> {
    let tokio =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    let end = tokio.block_on(async {
        world.begin_process(after_ms);
        let lives = async {
            match Process::start(world).await {
                Ok(process) => {
                    world.log_line("the process has started");
                    life(process).await;
                    ProcessEnd::Stopped
                }
                Err(error) => {
                    world.log_line(format_args!("the process cannot start: {error}"));
                    ProcessEnd::Failed
                }
            }
        };
        let end = tokio::select! {
            biased;
            () = world.death() => ProcessEnd::Died,
            end = lives => end,
        };
        world.log_line(format_args!("the process has ended: {end:?}"));
        world.end_process();
        end
    });
    Ok(end)
}

impl SimulationState {
    /// The rows on disk, which are looked at for what must not be.
    pub(crate) fn rows(&self) -> Vec<ExecutionRow> {
        let rows = self.memory.rows();
        match rows {
            Ok(rows) => {
                self.truth().observe(&rows);
                rows
            }
            Err(error) => {
                self.truth().fail(format!("the database cannot be read: {error}"));
                Vec::new()
            }
        }
    }
}
