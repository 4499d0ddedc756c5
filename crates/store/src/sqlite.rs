//! Everything in one SQLite file: one writer that groups commits, and readers beside it.

mod access;
mod addresses;
mod approvals;
mod checkpoints;
mod collections;
mod conversations;
mod credentials;
mod decisions;
mod epoch;
mod event_parts;
mod executions;
mod failed_runs;
mod folders;
mod history;
mod identities;
mod insights;
mod interruptions;
mod listing;
mod long_term;
mod mcp_tools;
mod migrate;
mod parent_calls;
mod policies;
mod projects;
mod reserved_ids;
mod retention;
mod schedules;
mod second_factors;
#[cfg(feature = "simulation")]
pub mod simulation;
mod spending;
mod status;
mod tables;
mod tags;
mod tool_manifests;
mod users;
mod variables;
mod workflow_cache;
mod workflows;
mod writer;

pub(crate) use credentials::check_value;
pub(crate) use executions::next_id;
pub(crate) use migrate::KNOWN_SCHEMA;
use migrate::MigratePolicy;
pub(crate) use reserved_ids::raise;
pub use writer::WriterMetrics;

use crate::backup::before_migration;
use crate::blobs::Blobs;
use crate::inspect::{self, DATABASE, LOCK};
use crate::vault::VaultKey;
use crate::{Error, private_files};
use checkpoints::WalLimits;
use collections::VectorCache;
use credentials::Vault;
use long_term::MemoryIndexes;
use model::Str;
use node_api::ai::MemoryLimits;
use node_api::collections::CollectionLimits;
use node_api::tables::TableLimits;
use reserved_ids::ReservedIds;
use rusqlite::Connection;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use writer::GroupWriter;

/// How long a statement waits for another process that writes.
const BUSY: Duration = Duration::from_secs(5);

/// Connections that are kept for the next reader.
const IDLE_READERS: usize = 4;

/// A data folder's database. Cheap to clone.
#[derive(Clone)]
pub struct Sqlite {
    shared: Arc<SqliteShared>,
    table_limits: TableLimits,
    collection_limits: CollectionLimits,
    memory_limits: MemoryLimits,
    /// Only the data tables, collections and memories that this workflow may use.
    seen_by_workflow: Option<Str>,
}

struct SqliteShared {
    file: PathBuf,
    writer: GroupWriter,
    readers: Arc<ReaderPool>,
    vault: Vault,
    /// What conversations are sealed with, once it was needed.
    conversation_key: OnceLock<Arc<VaultKey>>,
    blobs: Blobs,
    vectors: VectorCache,
    memories: MemoryIndexes,
    reserved_ids: Arc<ReservedIds>,
    /// Held for as long as this process is the one that runs workflows here.
    serving: Option<private_files::DataFile>,
    /// Decides what becomes of reads and writes in a simulation.
    #[cfg(feature = "simulation")]
    disk: Option<Arc<dyn simulation::SimulatedDisk>>,
}

/// Connections for whoever reads.
struct ReaderPool {
    file: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl ReaderPool {
    fn with<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        let idle = self.idle().pop();
        let connection = idle.map_or_else(|| connect(&self.file), Ok)?;
        let result = work(&connection);
        let mut idle = self.idle();
        if idle.len() < IDLE_READERS {
            idle.push(connection);
        }
        result
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a server waits for a folder that somebody looks at.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// Whether a migration starts with a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupPolicy {
    Create,
    Skip,
}

/// What a migration did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    /// The form that the database had, and the one that it has now.
    pub schema: inspect::SchemaVersion,
    /// Made before anything was changed, if there was anything to change.
    pub backup: Option<PathBuf>,
}

/// How to undo a migration.
pub fn restore_instructions(folder: &Path, backup: &Path) -> String {
    let (folder, backup) = (folder.display(), backup.display());
    format!(
        "To go back, install the previous version and run `heddle restore {backup} --data {folder} --force`."
    )
}

/// What the folder is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// To run workflows: only one process at a time.
    Serve,
    /// To look or change things, beside a server or without one.
    Shared,
}

impl Sqlite {
    /// Opens the database of a data folder; folder and database are made if they are not there.
    ///
    /// Whoever has it to itself migrates an older one, after a backup.
    pub fn open(folder: &Path, purpose: OpenMode) -> Result<Self, Error> {
        let (store, backup) = Self::open_with(folder, purpose, BackupPolicy::Create)?;
        if let Some(backup) = backup {
            tracing::info!(backup = %backup.display(), "Data folder migrated. {}", restore_instructions(folder, &backup));
        }
        Ok(store)
    }

    /// Gives back the backup that was made before a migration, too.
    fn open_with(
        folder: &Path,
        purpose: OpenMode,
        policy: BackupPolicy,
    ) -> Result<(Self, Option<PathBuf>), Error> {
        private_files::make_folder(folder)?;
        let serving = match purpose {
            OpenMode::Serve => Some(lock(folder)?),
            OpenMode::Shared => None,
        };
        let file = folder.join(DATABASE);
        // The files beside it get the mode of the database.
        let _ = private_files::open(&file);
        if purpose == OpenMode::Serve {
            private_files::tighten(folder);
        }
        if !std::fs::metadata(&file).is_ok_and(|found| found.len() > 0) {
            // The vacuum mode only takes effect before the first table is made, and setting it
            // writes.
            #[expect(clippy::disallowed_methods, reason = "the only database")]
            let connection = Connection::open(&file)?;
            connection.busy_timeout(BUSY)?;
            connection
                .execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;")?;
        }
        if purpose == OpenMode::Shared {
            inspect::check_same_version(folder)?;
        }
        let mut connection = connect(&file)?;
        let backup = match purpose {
            OpenMode::Serve => migrate_after_backup(folder, &mut connection, policy)?,
            OpenMode::Shared => {
                migrate::migrate(&mut connection, MigratePolicy::Begin)?;
                None
            }
        };
        let vault = Vault::new(folder);
        if purpose == OpenMode::Serve {
            // Whoever runs workflows needs the right key; others find out when they use it.
            vault.open(&connection)?;
        }
        let blobs = Blobs::new(folder);
        let mut epoch = None;
        if purpose == OpenMode::Serve {
            // Nobody else runs anything here, so that files without an execution are what a crash
            // has left.
            private_files::warn_if_network_drive(folder);
            migrate::note_version(&connection)?;
            epoch = epoch::begin(&connection)?;
            event_parts::sweep(&connection)?;
            workflows::forget_changes(&connection)?;
            blobs.sync_names()?;
            sweep_files(&file, &blobs, executions::next_id(&connection)?);
        }
        let shared = SqliteShared {
            writer: GroupWriter::start(connection, WalLimits::default(), epoch),
            readers: Arc::new(ReaderPool { file: file.clone(), idle: Mutex::default() }),
            file,
            vault,
            conversation_key: OnceLock::new(),
            blobs,
            vectors: VectorCache::default(),
            memories: MemoryIndexes::default(),
            reserved_ids: Arc::default(),
            serving,
            #[cfg(feature = "simulation")]
            disk: None,
        };
        Ok((Self::of(shared), backup))
    }

    fn of(shared: SqliteShared) -> Self {
        let (table_limits, collection_limits) =
            (TableLimits::default(), CollectionLimits::default());
        Self {
            shared: Arc::new(shared),
            table_limits,
            collection_limits,
            memory_limits: MemoryLimits::default(),
            seen_by_workflow: None,
        }
    }

    /// Brings a data folder that nobody uses to the form that this version knows.
    pub fn migrate(folder: &Path, policy: BackupPolicy) -> Result<Migration, Error> {
        let found = inspect::schema(folder)?.map_or(0, |schema| schema.found);
        let (_, backup) = Self::open_with(folder, OpenMode::Serve, policy)?;
        Ok(Migration { schema: inspect::SchemaVersion { found, known: KNOWN_SCHEMA }, backup })
    }

    /// The same database with other limits for collections of knowledge.
    pub fn with_collection_limits(mut self, collection_limits: CollectionLimits) -> Self {
        self.collection_limits = collection_limits;
        self
    }

    /// The same database with other limits for long-term memory.
    pub fn with_memory_limits(mut self, memory_limits: MemoryLimits) -> Self {
        self.memory_limits = memory_limits;
        self
    }

    /// The same database with other limits for data tables.
    pub fn with_table_limits(mut self, table_limits: TableLimits) -> Self {
        self.table_limits = table_limits;
        self
    }

    /// Changes something, together with whatever else is waiting to be written. Returns once it is
    /// on disk.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.shared.writer.write(work).await
    }

    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let store = self.clone();
        self.off_thread(move || store.read_now(work)).await
    }

    /// Does what waits for the disk off the threads that serve connections.
    async fn off_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        #[cfg(feature = "simulation")]
        if let Some(disk) = &self.shared.disk {
            return simulation::run_inline(&**disk, work).await;
        }
        tokio::task::spawn_blocking(work).await.unwrap_or(Err(Error::Stopped))
    }

    /// Reads on this thread; for the few lookups that are over in an instant.
    fn read_now<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
        self.shared.readers.with(work)
    }

    /// The folder that this is the database of.
    pub fn folder(&self) -> &Path {
        self.shared.file.parent().unwrap_or(Path::new("."))
    }

    /// Says where the server of this folder answers, for other commands on this machine.
    pub fn announce(&self, address: &str) -> Result<(), Error> {
        let Some(mut file) = self.shared.serving.as_ref() else { return Ok(()) };
        let path = self.folder().join(LOCK);
        file.set_len(0)
            .and_then(|()| {
                file.write_all(format!("{address}\n{}\n", inspect::own_version()).as_bytes())
            })
            .map_err(|error| Error::file(&path, &error))
    }
}

/// Migrates a folder that this process has to itself. An existing database is backed up first.
fn migrate_after_backup(
    folder: &Path,
    connection: &mut Connection,
    policy: BackupPolicy,
) -> Result<Option<PathBuf>, Error> {
    let backup = match policy {
        BackupPolicy::Create if migrate::needs_migration(connection)? => {
            Some(before_migration::create(folder)?)
        }
        _ => None,
    };
    if let Err(error) = migrate::migrate(connection, MigratePolicy::Migrate) {
        // Nothing was changed, and a server that is started again and again must not replace the
        // backups of earlier upgrades.
        if let Some(backup) = &backup {
            before_migration::discard(backup);
        }
        return Err(error);
    }
    if backup.is_some() {
        before_migration::prune(folder);
    }
    Ok(backup)
}

/// Removes what the last process left of files, beside everything else: there may be many.
fn sweep_files(file: &Path, blobs: &Blobs, before: i64) {
    let (file, blobs) = (file.to_owned(), blobs.clone());
    let sweep = move || {
        let connection = connect(&file)?;
        blobs.sweep(before, |id| {
            Ok(connection.prepare_cached("SELECT 1 FROM executions WHERE id = ?")?.exists([id])?)
        })
    };
    let swept = std::thread::Builder::new().name("sweep".into()).spawn(move || {
        if let Err(error) = sweep() {
            tracing::warn!(%error, "Could not remove orphaned files; retrying at the next start.");
        }
    });
    if let Err(error) = swept {
        tracing::warn!(%error, "Orphaned files will be removed at the next start.");
    }
}

/// Makes this process the one that has the folder to itself.
pub(crate) fn lock(folder: &Path) -> Result<private_files::DataFile, Error> {
    let path = folder.join(LOCK);
    let file = private_files::open(&path).map_err(|error| Error::file(&path, &error))?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => {
                // What an earlier server said holds no more.
                file.set_len(0).map_err(|error| Error::file(&path, &error))?;
                return Ok(file);
            }
            // Whoever only looks if a server is there lets go at once.
            Err(std::fs::TryLockError::WouldBlock) if began.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(20))
            }
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(Error::Locked { folder: folder.display().to_string().into() });
            }
            Err(std::fs::TryLockError::Error(error)) => return Err(Error::file(&path, &error)),
        }
    }
}

pub(crate) fn connect(file: &Path) -> Result<Connection, Error> {
    #[expect(clippy::disallowed_methods, reason = "the only database")]
    let connection = Connection::open(file)?;
    prepare(&connection)?;
    Ok(connection)
}

/// Sets a connection up as everybody here has it.
fn prepare(connection: &Connection) -> Result<(), Error> {
    connection.busy_timeout(BUSY)?;
    // Nothing here writes to a database that is there. The writer looks after the log itself.
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
         PRAGMA journal_size_limit = 16777216; PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -4096; PRAGMA temp_store = MEMORY;",
    )?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(tables::register_functions(connection)?)
}

/// Texts as one parameter of a statement that looks for them with `json_each`.
fn json_list(texts: Vec<model::Str>) -> String {
    model::json::to_string(&model::Value::array(texts.into_iter().map(Into::into).collect()))
}

pub(crate) fn now_ms() -> i64 {
    #[cfg(feature = "simulation")]
    if let Some(now) = simulation::now_ms() {
        return now;
    }
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64)
}

/// An id as n8n's are: sixteen letters and digits.
pub fn new_id() -> model::Str {
    const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // Without random numbers there are no safe ids, and nothing good comes of going on.
        std::process::abort();
    }
    bytes
        .iter()
        .map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()]))
        .collect::<String>()
        .into()
}
