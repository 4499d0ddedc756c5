//! A database in memory for simulations: reads and writes happen on the thread of the runtime, in
//! virtual time, after pauses and with failures that a [`SimulatedDisk`] chooses.
//!
//! Invariant: a store that was opened from a folder never comes by here, whatever features it was
//! built with.

use super::credentials::Vault;
use super::writer::GroupWriter;
use super::{ReaderPool, Sqlite, SqliteShared, event_parts, migrate, prepare};
use crate::blobs::Blobs;
use crate::{Error, private_files};
use model::{RunStatus, Str};
use rusqlite::backup::Backup;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Decides what becomes of whatever reaches the disk.
pub trait SimulatedDisk: Send + Sync + 'static {
    /// What the clock on the wall shows.
    fn now_ms(&self) -> i64;
    /// How long the next thing takes; nothing if it happens at once.
    fn pause(&self) -> Option<Duration>;
    /// Why the next read fails, if it does.
    fn read_failure(&self) -> Option<Error>;
    /// What becomes of the next group of writes.
    fn group_fate(&self) -> CommitFate;
    /// The process has died with a group of writes. Nothing that happens from now on counts.
    fn die(&self);
}

/// What becomes of a group of writes.
#[derive(Clone, Debug)]
pub enum CommitFate {
    Written,
    /// No transaction can be begun.
    NotBegun(Error),
    /// The write at this place of the group fails, and nothing else happens.
    FailsAt(usize, Error),
    /// The same, and the transaction of all of them has ended.
    BreaksAt(usize, Error),
    NotCommitted(Error),
    /// The process dies before anybody is told.
    Dies {
        is_committed: bool,
    },
}

thread_local! {
    /// The disk of the simulation on this thread.
    static DISK: RefCell<Option<Arc<dyn SimulatedDisk>>> = const { RefCell::new(None) };
}

pub(super) fn now_ms() -> Option<i64> {
    DISK.with_borrow(|disk| disk.as_ref().map(|disk| disk.now_ms()))
}

/// Lets time pass as the disk says.
pub(super) async fn pause(disk: &dyn SimulatedDisk) {
    if let Some(pause) = disk.pause() {
        tokio::time::sleep(pause).await;
    }
}

pub(super) async fn run_inline<T>(
    disk: &dyn SimulatedDisk,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    pause(disk).await;
    let done = disk.read_failure().map_or_else(work, Err);
    pause(disk).await;
    done
}

/// A database that histories begin with.
pub struct DatabaseTemplate {
    connection: Mutex<Connection>,
    vault: Vault,
    contents: OnceLock<TemplateContents>,
}

/// What its tables hold.
struct TemplateContents {
    /// In the order in which they refer to each other.
    tables: Vec<String>,
    /// Statements that fill them, with their values.
    rows: Vec<(String, Vec<Value>)>,
}

/// Tables that no history changes.
const UNCHANGED: [&str; 3] = ["projects", "project_members", "users"];

impl DatabaseTemplate {
    /// One without anything in it. The folder is for the key of the vault alone.
    pub fn new(folder: &Path) -> Result<Self, Error> {
        private_files::make_folder(folder)?;
        let mut connection = in_memory()?;
        migrate::migrate(&mut connection, migrate::MigratePolicy::Migrate)?;
        let vault = Vault::new(folder);
        vault.open(&connection)?;
        Ok(Self { connection: Mutex::new(connection), vault, contents: OnceLock::new() })
    }

    /// A copy that processes are simulated on, one after the other.
    pub fn copy(&self) -> Result<SimulatedDatabase, Error> {
        let mut connection = in_memory()?;
        let template = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        Backup::new(&template, &mut connection)?.run_to_completion(
            i32::MAX,
            Duration::ZERO,
            None,
        )?;
        // Nobody reads elsewhere: a second connection would find nothing.
        let readers = ReaderPool {
            file: PathBuf::from("/nowhere/simulated.db"),
            idle: Mutex::new(vec![connection]),
        };
        Ok(SimulatedDatabase { readers: Arc::new(readers), vault: self.vault.again() })
    }

    /// Takes over what a first process has left. What is copied from now on begins with that.
    pub fn take_over(&self, filled: &SimulatedDatabase) -> Result<(), Error> {
        let mut template = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        filled.readers.with(|filled| {
            Ok(Backup::new(filled, &mut template)?.run_to_completion(
                i32::MAX,
                Duration::ZERO,
                None,
            )?)
        })?;
        let contents = TemplateContents::read(&template)?;
        let _ = self.contents.set(contents);
        Ok(())
    }

    /// Puts a copy back to how it was made. Its prepared statements stay, which saves most of the
    /// time that a new one takes.
    pub fn renew(&self, copy: &SimulatedDatabase) -> Result<(), Error> {
        let Some(TemplateContents { tables, rows }) = self.contents.get() else { return Ok(()) };
        copy.readers.with(|connection| {
            connection.execute_batch("BEGIN")?;
            for table in tables.iter().rev() {
                connection.prepare_cached(&format!("DELETE FROM {table}"))?.execute([])?;
            }
            for (sql, values) in rows {
                connection.prepare_cached(sql)?.execute(params_from_iter(values))?;
            }
            Ok(connection.execute_batch("COMMIT")?)
        })
    }
}

impl TemplateContents {
    fn read(connection: &Connection) -> Result<Self, Error> {
        let sql = "SELECT m.name FROM sqlite_master m JOIN pragma_table_list l ON l.name = m.name AND l.schema = 'main'
                   WHERE l.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.rowid";
        let mut found = connection.prepare(sql)?;
        let mut tables: Vec<String> =
            super::executions::rows(found.query_map([], |row| row.get(0))?)?;
        tables.retain(|table| !UNCHANGED.contains(&table.as_str()));
        let mut rows = Vec::new();
        for table in &tables {
            let mut found = connection.prepare(&format!("SELECT * FROM {table}"))?;
            let columns = found.column_count();
            let sql = format!("INSERT INTO {table} VALUES ({})", vec!["?"; columns].join(", "));
            let all = found.query_map([], |row| {
                (0..columns).map(|column| row.get(column)).collect::<rusqlite::Result<Vec<Value>>>()
            })?;
            rows.extend(
                super::executions::rows(all)?.into_iter().map(|values| (sql.clone(), values)),
            );
        }
        Ok(Self { tables, rows })
    }
}

fn in_memory() -> Result<Connection, Error> {
    #[expect(clippy::disallowed_methods, reason = "a simulation has a database of its own")]
    let connection = Connection::open_in_memory()?;
    prepare(&connection)?;
    connection.set_prepared_statement_cache_capacity(512);
    Ok(connection)
}

/// What outlives a process of a simulation.
pub struct SimulatedDatabase {
    readers: Arc<ReaderPool>,
    vault: Vault,
}

impl SimulatedDatabase {
    /// Opens the store as the next process does, for this thread; the one before it has ended.
    pub fn open(&self, disk: Arc<dyn SimulatedDisk>) -> Result<Sqlite, Error> {
        DISK.set(Some(disk.clone()));
        self.readers.with(event_parts::sweep)?;
        let file = self.readers.file.clone();
        Ok(Sqlite::of(SqliteShared {
            writer: GroupWriter::simulate(self.readers.clone(), disk.clone()),
            readers: self.readers.clone(),
            vault: self.vault.again(),
            conversation_key: OnceLock::new(),
            blobs: Blobs::new(file.parent().unwrap_or(Path::new("."))),
            vectors: super::VectorCache::default(),
            memories: super::MemoryIndexes::default(),
            reserved_ids: Arc::default(),
            serving: None,
            disk: Some(disk),
            file,
        }))
    }

    /// The runs that are on disk, beside whatever is under way.
    pub fn rows(&self) -> Result<Vec<ExecutionRow>, Error> {
        self.readers.with(|connection| {
            let sql = "SELECT id, workflow_id, status, started_ms, wait_till_ms, waits_for FROM executions ORDER BY id";
            let mut found = connection.prepare_cached(sql)?;
            super::executions::rows(found.query_map([], |row| {
                let status = RunStatus::from_name(row.get_ref(2)?.as_str()?).unwrap_or(RunStatus::Error);
                let workflow_id = row.get_ref(1)?.as_str()?.into();
                let (started_ms, wait_till_ms, waits_for) = (row.get(3)?, row.get(4)?, row.get(5)?);
                Ok(ExecutionRow { id: row.get(0)?, workflow_id, status, started_ms, wait_till_ms, waits_for })
            })?)
        })
    }

    /// Pieces of journals that are of no run that is on disk, each as run and place in its journal.
    pub fn orphans(&self) -> Result<Vec<(i64, i64)>, Error> {
        self.readers.with(|connection| {
            let sql = "SELECT place / ?1, place % ?1 FROM journal WHERE place / ?1 NOT IN (SELECT id FROM executions)";
            let mut found = connection.prepare_cached(sql)?;
            let orphans = found.query_map([super::executions::MAX_SEGMENTS], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(orphans.collect::<Result<_, _>>()?)
        })
    }

    /// Whether a delivery is on disk, beside whatever is under way.
    pub fn is_delivered(&self, key: &str) -> Result<bool, Error> {
        self.readers.with(|connection| {
            Ok(connection
                .prepare_cached("SELECT 1 FROM deliveries WHERE key = ?")?
                .exists([key])?)
        })
    }
}

/// How a run stands on disk.
#[derive(Clone, Debug)]
pub struct ExecutionRow {
    pub id: i64,
    pub workflow_id: Str,
    pub status: RunStatus,
    pub started_ms: i64,
    pub wait_till_ms: Option<i64>,
    pub waits_for: Option<i64>,
}
