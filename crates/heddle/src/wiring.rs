//! The world outside of the engine: the system's clock, network, files and random numbers.

use crate::settings::Settings;
use anyhow::{Context as _, Result};
use engine::{
    Clock, Engine, ExecutionLimits, NoCredentials, NoJournal, NoWorkflows, Ports, Random,
    RunOptions,
};
use node_api::ai::ConversationStores;
use node_api::collections::CollectionLimits;
use node_api::tables::TableLimits;
use providers::connect::GuardedConnections;
use providers::http::{EgressPolicy, GuardedHttp};
use providers::memory::{ProcessConversations, ProcessLimits};
use providers::models::catalog::Catalog;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use store::{
    BackupPolicy, Migration, OpenMode, SpillFile, SpillLimits, SpillTotal, Sqlite, Store, Workspace,
};

/// An engine with everything real behind it.
pub(crate) fn engine(settings: &Settings) -> Result<Engine> {
    let registry =
        if settings.test_nodes { nodes::registry_with_test_nodes() } else { nodes::registry() };
    Ok(Engine::new(Arc::new(registry), ports(settings)?))
}

/// Answers and files become values in memory, however much of the data of runs goes to disk.
const MIN_INTAKE: usize = 64 << 20;

/// What workflows may reach beyond the public internet.
pub(crate) fn egress_policy(settings: &Settings) -> Result<EgressPolicy> {
    EgressPolicy::parse(&settings.egress_allow)
        .context("HEDDLE_EGRESS_ALLOW is invalid (SETTING_INVALID)")
}

/// With whom people sign in. The operator has named the provider, so it may be private; what it
/// names in turn is reached like everything else.
pub(crate) fn oidc(settings: &Settings) -> Result<Option<server::OidcProvider>> {
    let Some(oidc) = settings.server.oidc.clone() else { return Ok(None) };
    let allowed = format!("{},{}", settings.egress_allow, oidc.destination);
    let policy = EgressPolicy::parse(&allowed)
        .context("HEDDLE_OIDC_ISSUER names no host that can be reached (SETTING_INVALID)")?;
    Ok(Some(server::OidcProvider {
        issuer: oidc.issuer,
        client_id: oidc.client_id,
        client_secret: oidc.client_secret,
        name: oidc.name,
        new_users: oidc.new_users,
        http: Arc::new(GuardedHttp::new(policy)),
        known: server::KnownProvider::default(),
    }))
}

pub(crate) fn ports(settings: &Settings) -> Result<Ports> {
    install_model_catalog(settings)?;
    let policy = egress_policy(settings)?;
    expr::sandbox::limit_shared_memory(settings.sandbox_memory);
    compute::limit_memory(settings.compute_memory);
    compute::limit_intake(
        settings.run_memory_total.max(MIN_INTAKE),
        settings.run_memory_limit.max(MIN_INTAKE),
    );
    let limits = SpillLimits { memory: settings.run_memory_limit, budget: settings.run_data_limit };
    let total = Arc::new(SpillTotal::new(settings.run_memory_total));
    let passing = ProcessConversations::new(ProcessLimits::default(), || SystemClock.now_ms());
    Ok(Ports {
        clock: Arc::new(SystemClock),
        random: Arc::new(SystemRandom),
        http: Arc::new(GuardedHttp::new(policy.clone())),
        connections: Arc::new(GuardedConnections::new(policy)),
        files: Arc::new(Workspace::new(&settings.files_root)),
        tables: Arc::new(node_api::tables::NoTables),
        collections: Arc::new(node_api::collections::NoCollections),
        long_term_memory: Arc::new(node_api::ai::NoLongTermMemory),
        mcp: Arc::new(node_api::mcp::NoMcpServers),
        tools: Arc::new(node_api::tools::NoTools),
        conversations: ConversationStores {
            volatile: Arc::new(passing),
            ..ConversationStores::default()
        },
        local_models: Arc::new(local::Library::new(settings.models.clone())),
        credentials: Arc::new(NoCredentials),
        workflows: Arc::new(NoWorkflows),
        policy: Arc::new(node_api::policy::AllowAll),
        ledger: Arc::new(engine::NoLedger),
        calls: None,
        journal: Arc::new(NoJournal),
        spill: Some(Arc::new(move || {
            Arc::new(SpillFile::new(std::env::temp_dir(), limits, total.clone()))
        })),
    })
}

/// Puts the operator's prices and capabilities of models over those that are built in.
#[expect(clippy::disallowed_methods, reason = "a file named by the operator")]
fn install_model_catalog(settings: &Settings) -> Result<()> {
    let Some(path) = &settings.model_catalog else { return Ok(()) };
    let named = || format!("HEDDLE_MODEL_CATALOG is {} (SETTING_INVALID)", path.display());
    let text = std::fs::read_to_string(path).with_context(named)?;
    Catalog::install(Catalog::parse(&text).with_context(named)?);
    Ok(())
}

/// The store of a data folder, beside a server or without one.
pub(crate) fn open_store(folder: &Path) -> Result<Arc<dyn Store>, store::Error> {
    Ok(Arc::new(Sqlite::open(folder, OpenMode::Shared)?))
}

/// The same with limits for data tables and collections.
pub(crate) fn open_store_within(
    folder: &Path,
    tables: TableLimits,
    collections: CollectionLimits,
) -> Result<Arc<dyn Store>, store::Error> {
    let store = Sqlite::open(folder, OpenMode::Shared)?;
    Ok(Arc::new(store.with_table_limits(tables).with_collection_limits(collections)))
}

/// A data folder that this process has to itself, to run workflows.
pub(crate) struct ServedFolder(Sqlite);

impl ServedFolder {
    pub(crate) fn open(folder: &Path, settings: &Settings) -> Result<Self, store::Error> {
        let store = Sqlite::open(folder, OpenMode::Serve)?
            .with_table_limits(settings.table_limits())
            .with_collection_limits(settings.collections);
        Ok(Self(store))
    }

    pub(crate) fn store(&self) -> Arc<dyn Store> {
        Arc::new(self.0.clone())
    }

    /// Tells other commands on this machine where the server answers.
    pub(crate) fn announce(&self, address: &str) -> Result<(), store::Error> {
        self.0.announce(address)
    }
}

/// Brings a data folder that nobody uses up to date.
pub(crate) fn migrate_folder(
    folder: &Path,
    policy: BackupPolicy,
) -> Result<Migration, store::Error> {
    Sqlite::migrate(folder, policy)
}

/// The one folder inside of a data folder that files of workflows may be in: backups hold it, and
/// nothing of ours is there.
const WORKSPACE: &str = "workspace";

/// Refuses a folder of files from which workflows could reach the data folder, or the other way
/// round.
pub(crate) fn check_files_root(settings: &Settings, data: &Path) -> Result<()> {
    let (files, data) = (resolve_existing(&settings.files_root), resolve_existing(data));
    let is_apart = !data.starts_with(&files)
        && (!files.starts_with(&data) || files.starts_with(data.join(WORKSPACE)));
    anyhow::ensure!(
        is_apart,
        "the files folder {} and the data folder {} overlap: workflows could read the database \
             and the credential key. Set HEDDLE_FILES_ROOT to a folder outside the data folder, or \
             to {} (SETTING_INVALID)",
        files.display(),
        data.display(),
        data.join(WORKSPACE).display()
    );
    Ok(())
}

/// A path with links resolved, as far as it is there.
fn resolve_existing(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut rest = Vec::new();
    let mut there = absolute.as_path();
    loop {
        match (there.canonicalize(), there.parent(), there.file_name()) {
            (Ok(real), ..) => {
                return rest.iter().rev().fold(real, |path, name: &OsString| path.join(name));
            }
            (Err(_), Some(parent), Some(name)) => {
                rest.push(name.to_owned());
                there = parent;
            }
            (Err(_), ..) => return absolute,
        }
    }
}

/// What every run of this process shares.
pub(crate) fn run_options(settings: &Settings) -> RunOptions {
    RunOptions {
        timezone: settings.timezone.as_str().into(),
        features: settings.features.clone(),
        environment: std::env::vars()
            .filter(|(name, _)| !name.starts_with("HEDDLE_") && !name.starts_with("OTEL_"))
            .collect(),
        wait_inline: true,
        limits: ExecutionLimits {
            step_cpu: settings.cpu[0],
            run_cpu: settings.cpu[1],
            agents: settings.agents,
            ..ExecutionLimits::default()
        },
        ..RunOptions::default()
    }
}

pub(crate) struct SystemClock;

#[async_trait::async_trait]
impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64)
    }

    async fn sleep(&self, milliseconds: u64) {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    }
}

pub(crate) struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&self, bytes: &mut [u8]) {
        // The system's random source does not fail once the machine is up; if it did, zeros would
        // be worse than stopping.
        if getrandom::fill(bytes).is_err() {
            std::process::abort();
        }
    }
}
