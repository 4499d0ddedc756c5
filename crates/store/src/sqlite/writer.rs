//! The one writer: takes what is waiting, writes it in one transaction, and tells everybody once it
//! is on disk.

#[cfg(feature = "simulation")]
mod simulated;

use super::checkpoints::{WalCheckpoints, WalLimits};
use super::{failed_runs, insights, workflow_cache};
use crate::Error;
use model::metrics::Histogram;
use rusqlite::Connection;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// At most this many writes share a commit.
const MAX_GROUP: usize = 256;

/// A group that has this many bytes of pieces waits for no more, so that the log stays short.
const MAX_GROUP_BYTES: usize = 16 << 20;

/// While several write at once, a group begins no sooner after the one before it: at a few thousand
/// writes a second nearly every one would have a sync of its own, and the processor would spend its
/// time on waking threads.
const GROUP_INTERVAL: Duration = Duration::from_micros(500);

/// Told of the commit's outcome.
type CommitNotifier = Box<dyn FnOnce(Result<(), Error>) + Send>;
/// Gets the transaction, or why there is none.
type WriteJob = Box<dyn FnOnce(Result<&Connection, Error>) -> PendingWrite + Send>;

/// A write that has been done but not yet committed.
pub(super) struct PendingWrite {
    pub told: CommitNotifier,
    /// Why nothing of it was written.
    pub failed: Option<Error>,
    /// A part of it may have been written, so that the others of its group have to come again.
    pub spoils: bool,
    pub bytes: usize,
}

pub(super) struct GroupWriter {
    jobs: Sender<WriteJob>,
    shared: Arc<WriterShared>,
}

#[derive(Default)]
struct WriterShared {
    waiting: AtomicUsize,
    figures: WriterMetrics,
    /// Why the last group could not be written.
    trouble: Mutex<Option<Error>>,
    /// Which server of the folder this is, if it is one.
    epoch: Option<i64>,
    /// SQLite's `data_version` at the last group: it changes when another connection commits.
    data_version: Mutex<Option<i64>>,
    /// Told of each job in a simulation.
    #[cfg(feature = "simulation")]
    sent: tokio::sync::Notify,
}

/// What the writer has done since it started. Only it writes here, so that looking costs it
/// nothing.
#[derive(Default)]
pub struct WriterMetrics {
    /// Seconds from the beginning of a group to the disk's word that it is there.
    pub commit: Histogram,
    /// Writes that shared a commit.
    pub group: Histogram,
}

impl GroupWriter {
    pub(super) fn start(connection: Connection, limits: WalLimits, epoch: Option<i64>) -> Self {
        let (jobs, received) = channel();
        let shared = Arc::new(WriterShared { epoch, ..WriterShared::default() });
        let known = shared.clone();
        std::thread::spawn(move || {
            // Nothing could be written from then on, and what was taken on would stand still. After
            // the next start it goes on.
            if catch_unwind(AssertUnwindSafe(|| serve(&connection, &received, &known, limits)))
                .is_err()
            {
                tracing::error!("The database writer panicked; shutting down.");
                std::process::abort();
            }
        });
        Self { jobs, shared }
    }

    pub(super) fn metrics(&self) -> &WriterMetrics {
        &self.shared.figures
    }

    pub(super) fn backlog(&self) -> usize {
        self.shared.waiting.load(Ordering::Relaxed)
    }

    /// Why nothing can be written at the moment.
    pub(super) fn trouble(&self) -> Option<Error> {
        self.shared.trouble().clone()
    }

    /// Runs `work` inside the next transaction. If it fails nothing of it stays; the others are not
    /// touched.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (tell, told) = oneshot::channel();
        self.send(Box::new(move |connection| {
            let work = |connection: &Connection| {
                workflow_cache::forget();
                let done = catch_unwind(AssertUnwindSafe(|| work(connection)));
                done.unwrap_or_else(|_| Err(Error::Database { cause: "a write panicked".into() }))
            };
            let result = connection.and_then(|connection| in_savepoint(connection, work));
            let failed = result.as_ref().err().cloned();
            let told = Box::new(move |committed: Result<(), Error>| {
                let _ = tell.send(committed.and(result));
            });
            PendingWrite { told, failed, spoils: false, bytes: 0 }
        }))?;
        told.await.unwrap_or(Err(Error::Stopped))
    }

    /// Queues a job that keeps itself whole.
    pub(super) fn send(&self, job: WriteJob) -> Result<(), Error> {
        self.shared.waiting.fetch_add(1, Ordering::Relaxed);
        let sent = self.jobs.send(job).map_err(|_| Error::Stopped);
        #[cfg(feature = "simulation")]
        self.shared.sent.notify_one();
        sent
    }
}

impl WriterShared {
    fn trouble(&self) -> std::sync::MutexGuard<'_, Option<Error>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What earlier groups have cached holds as long as no other connection has committed since.
    fn check_foreign_writes(&self, connection: &Connection) -> Result<(), Error> {
        let version: i64 =
            connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        let mut known = self.data_version.lock().unwrap_or_else(PoisonError::into_inner);
        if *known != Some(version) {
            self.stop_if_replaced(connection)?;
            drop_caches();
            *known = Some(version);
        }
        Ok(())
    }

    /// Another server may have been started on the folder although this one holds its lock:
    /// somebody has removed the file, or the file system does not keep locks. What the two do would
    /// not fit together.
    fn stop_if_replaced(&self, connection: &Connection) -> Result<(), Error> {
        let Some(epoch) = self.epoch else { return Ok(()) };
        if super::epoch::current(connection)? != Some(epoch) {
            tracing::error!("Another server was started on this data folder; shutting down.");
            std::process::abort();
        }
        Ok(())
    }

    /// Tells when writing begins to fail, and when it works again.
    fn note(&self, committed: &Result<(), Error>) {
        let mut trouble = self.trouble();
        match (committed, trouble.is_some()) {
            (Err(error), was_there) => {
                if !was_there {
                    tracing::error!(%error, "The database cannot be written; runs are paused and new ones rejected \
                         until it can.");
                }
                *trouble = Some(error.clone());
            }
            (Ok(()), true) => {
                tracing::warn!("The database can be written again; runs continue.");
                *trouble = None;
            }
            (Ok(()), false) => {}
        }
    }
}

/// Does something whole or not at all within the transaction.
pub(super) fn in_savepoint<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, Error>,
) -> Result<T, Error> {
    execute(connection, "SAVEPOINT job")?;
    let result = work(connection);
    // A disk that fails ends the whole transaction, and the savepoint with it.
    if result.is_err() && !connection.is_autocommit() {
        execute(connection, "ROLLBACK TO job")?;
        drop_caches();
    }
    if !connection.is_autocommit() {
        execute(connection, "RELEASE job")?;
    }
    result
}

fn execute(connection: &Connection, sql: &str) -> Result<(), Error> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

fn serve(
    connection: &Connection,
    jobs: &Receiver<WriteJob>,
    shared: &WriterShared,
    limits: WalLimits,
) {
    let mut checkpoints = WalCheckpoints::new(connection, limits);
    let mut last = (Instant::now(), 0);
    while let Ok(first) = jobs.recv() {
        if let (at, 2..) = last {
            std::thread::sleep(GROUP_INTERVAL.saturating_sub(at.elapsed()));
        }
        let began = Instant::now();
        let admitted = checkpoints.admit(connection);
        let group =
            write_group(connection, admitted, first, || jobs.try_recv().ok(), shared, commit);
        shared.figures.commit.record_time(began.elapsed());
        shared.figures.group.record(group.told.len() as u64);
        last = (began, group.told.len());
        group.notify(shared);
        // What the log holds stays there until the next try; only a lost sync is beyond mending.
        if let Err(error) = checkpoints.after_commit(connection) {
            stop_if_unsynced(&error);
            tracing::debug!(%error, "WAL checkpoint failed.");
        }
    }
}

/// What became of a write within its transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WriteOutcome {
    Done,
    Failed,
}

/// Writes that shared a transaction.
struct CommitGroup {
    told: Vec<(CommitNotifier, WriteOutcome)>,
    committed: Result<(), Error>,
    has_changed: bool,
}

/// Does a job and those that wait behind it in one transaction, if there may be one.
fn write_group(
    connection: &Connection,
    admitted: Result<(), Error>,
    first: WriteJob,
    mut take_next: impl FnMut() -> Option<WriteJob>,
    shared: &WriterShared,
    commit: impl FnOnce(&Connection) -> Result<(), Error>,
) -> CommitGroup {
    let begin = || {
        execute(connection, "BEGIN IMMEDIATE")?;
        shared.check_foreign_writes(connection).inspect_err(|_| roll_back(connection))
    };
    let mut transaction = admitted.and_then(|()| begin());
    failed_runs::forget();
    let changes = connection.total_changes();
    let mut told: Vec<(CommitNotifier, WriteOutcome)> = Vec::new();
    let mut bytes = 0;
    let mut next = Some(first);
    while let Some(job) = next.take() {
        shared.waiting.fetch_sub(1, Ordering::Relaxed);
        let done = job(transaction.as_ref().map(|()| connection).map_err(Clone::clone));
        // A disk that fails in the middle ends the transaction of all. What comes after must not be
        // written on its own.
        if transaction.is_ok() && connection.is_autocommit() {
            transaction = Err(group_error(done.failed.as_ref()));
        }
        if transaction.is_ok() && done.spoils {
            roll_back(connection);
            transaction = Err(group_error(done.failed.as_ref()));
        }
        if let Some(error) = &done.failed {
            stop_if_unsynced(error);
        }
        bytes += done.bytes;
        told.push((
            done.told,
            if done.failed.is_some() { WriteOutcome::Failed } else { WriteOutcome::Done },
        ));
        if told.len() < MAX_GROUP && bytes < MAX_GROUP_BYTES {
            next = take_next();
        }
    }
    let committed = transaction.and_then(|()| {
        commit(connection).map_err(|error| {
            stop_if_unsynced(&error);
            // None of them is to blame: all stand still until the disk takes them.
            if error.may_pass() {
                error
            } else {
                Error::Unwritable { cause: error.to_string().into() }
            }
        })
    });
    if committed.is_err() {
        drop_caches();
    }
    CommitGroup { told, committed, has_changed: connection.total_changes() > changes }
}

/// What was read from the database may be different from here on.
fn drop_caches() {
    insights::forget();
    workflow_cache::forget();
}

/// What those are told whose transaction another one has ended: they may come again, whatever that
/// one failed of.
fn group_error(failed: Option<&Error>) -> Error {
    failed.filter(|error| error.may_pass()).cloned().unwrap_or(Error::Busy)
}

impl CommitGroup {
    fn notify(self, shared: &WriterShared) {
        if self.committed.is_err() || self.has_changed {
            shared.note(&self.committed);
        }
        let is_done = |(_, outcome): &(CommitNotifier, WriteOutcome)| {
            *outcome == WriteOutcome::Done && self.committed.is_ok()
        };
        let (written, unwritten): (Vec<_>, Vec<_>) = self.told.into_iter().partition(is_done);
        // What was not written goes back in reverse, so that pieces of one run come together in
        // order again.
        for (tell, _) in written.into_iter().chain(unwritten.into_iter().rev()) {
            tell(self.committed.clone());
        }
    }
}

fn commit(connection: &Connection) -> Result<(), Error> {
    let result = execute(connection, "COMMIT");
    if result.is_err() && !connection.is_autocommit() {
        roll_back(connection);
    }
    result
}

fn roll_back(connection: &Connection) {
    let _ = connection.execute_batch("ROLLBACK");
}

/// The system may forget what it could not write, and say that all is well when asked again. After
/// the next start the log is read as it really is.
pub(super) fn stop_if_unsynced(error: &Error) {
    if let Error::Unsynced { .. } = error {
        tracing::error!(%error, "Writes since the last sync cannot be trusted; aborting.");
        std::process::abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::connect;
    use std::path::PathBuf;

    struct WriterFolder(PathBuf);

    impl WriterFolder {
        fn new(name: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("heddle-writer-{name}-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&path);
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn connect(&self) -> Connection {
            let connection = connect(&self.0.join("test.db")).unwrap();
            connection
                .execute_batch(
                    "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text BLOB NOT NULL)",
                )
                .unwrap();
            connection
        }
    }

    impl Drop for WriterFolder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    async fn note(writer: &GroupWriter, id: i64, length: usize) -> Result<(), Error> {
        let sql = "INSERT INTO notes (id, text) VALUES (?1, zeroblob(?2))";
        writer
            .write(move |connection| {
                Ok(connection.execute(sql, [id, length as i64]).map(|_| ())?)
            })
            .await
    }

    fn n_notes(connection: &Connection) -> i64 {
        connection.query_row("SELECT count(*) FROM notes", [], |row| row.get(0)).unwrap()
    }

    /// SQLite ends the transaction of a whole group when there is no room. None of them may
    /// be written on its own.
    #[tokio::test]
    async fn issue_15_10_a_write_that_panics_fails_alone() {
        let folder = WriterFolder::new("panic");
        let writer = GroupWriter::start(folder.connect(), WalLimits::default(), None);
        let broken = writer.write::<()>(|connection| {
            connection.execute("INSERT INTO notes (id, text) VALUES (1, 'x')", [])?;
            panic!("a bug")
        });
        assert!(matches!(broken.await, Err(Error::Database { .. })));
        writer
            .write(|connection| {
                Ok(connection.execute("INSERT INTO notes (id, text) VALUES (2, 'x')", [])?)
            })
            .await
            .unwrap();
        let ids = writer.write(|connection| {
            let mut found = connection.prepare("SELECT id FROM notes")?;
            let ids: Result<Vec<i64>, rusqlite::Error> =
                found.query_map([], |row| row.get(0))?.collect();
            Ok(ids?)
        });
        assert_eq!(ids.await.unwrap(), [2]);
    }

    #[tokio::test]
    async fn a_group_without_room_leaves_nothing_and_the_next_one_is_written() {
        let folder = WriterFolder::new("room");
        let connection = folder.connect();
        connection.pragma_update(None, "max_page_count", 40).unwrap();
        let writer = GroupWriter::start(connection, WalLimits::default(), None);
        // The first job holds the writer, so that the others come in one group.
        let held = writer.write(|_| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            Ok(())
        });
        let (_, first, second, third) = tokio::join!(
            held,
            note(&writer, 1, 100),
            note(&writer, 2, 1_000_000),
            note(&writer, 3, 100)
        );
        let other = folder.connect();
        let told = [first.is_ok(), second.is_ok(), third.is_ok()];
        assert!(!told[1]);
        assert_eq!(n_notes(&other), told.iter().filter(|is_ok| **is_ok).count() as i64, "{told:?}");
        assert!(matches!(second, Err(Error::Full)), "{second:?}");
        note(&writer, 4, 100).await.unwrap();
        assert!(writer.trouble().is_none());
    }

    /// The log begins anew again and again although the writer never stops to empty it.
    #[tokio::test]
    async fn what_the_log_holds_is_moved_beside_the_writer() {
        let folder = WriterFolder::new("beside");
        let limits =
            WalLimits { move_at: 200_000, empty_at: 1 << 30, most: 1 << 31, free_factor: u64::MAX };
        let writer = GroupWriter::start(folder.connect(), limits, None);
        let log = || std::fs::metadata(folder.0.join("test.db-wal")).unwrap().len() as i64;
        let mut n = 0;
        while n < 100 || n * 20_000 < 3 * log() {
            note(&writer, n, 20_000).await.unwrap();
            n += 1;
            assert!(
                n < 20_000,
                "so much was written, and the log holds all of it: {} bytes",
                log()
            );
        }
        assert_eq!(n_notes(&folder.connect()), n);
    }

    /// A backup may read for long. With room for the log, nobody waits for it.
    #[tokio::test]
    async fn issue_15_00_while_there_is_room_a_reader_holds_nobody_up() {
        let folder = WriterFolder::new("beneath-ceiling");
        let limits =
            WalLimits { move_at: 50_000, empty_at: 100_000, most: 200_000, free_factor: 1 };
        let writer = GroupWriter::start(folder.connect(), limits, None);
        note(&writer, 0, 10).await.unwrap();
        let reader = folder.connect();
        reader.execute_batch("BEGIN").unwrap();
        assert_eq!(n_notes(&reader), 1);
        for id in 1..50 {
            note(&writer, id, 50_000).await.unwrap();
        }
        assert!(std::fs::metadata(folder.0.join("test.db-wal")).unwrap().len() > 2_000_000);
    }

    /// A foreign reader keeps the log from beginning anew. At its ceiling writing stops,
    /// and goes on when the reader has gone.
    #[tokio::test]
    async fn past_the_ceiling_of_the_log_nothing_is_written_until_the_reader_lets_go() {
        let folder = WriterFolder::new("ceiling");
        let limits = WalLimits {
            move_at: 100_000,
            empty_at: 200_000,
            most: 1_000_000,
            free_factor: u64::MAX,
        };
        let writer = GroupWriter::start(folder.connect(), limits, None);
        note(&writer, 0, 10).await.unwrap();
        let reader = folder.connect();
        reader.execute_batch("BEGIN").unwrap();
        assert_eq!(n_notes(&reader), 1);
        let mut id = 1;
        let refused = loop {
            match note(&writer, id, 50_000).await {
                Ok(()) => id += 1,
                Err(error) => break error,
            }
            assert!(id < 100);
        };
        assert!(matches!(refused, Error::Busy), "{refused:?}");
        assert!(matches!(writer.trouble(), Some(Error::Busy)));
        let log = || std::fs::metadata(folder.0.join("test.db-wal")).unwrap().len();
        assert!(log() < 1_200_000, "{}", log());
        reader.execute_batch("COMMIT").unwrap();
        while note(&writer, id, 50_000).await.is_err() {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        assert_eq!(n_notes(&reader), id + 1);
        assert!(log() < 200_000, "{}", log());
    }
}
