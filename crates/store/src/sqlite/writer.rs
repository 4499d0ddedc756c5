//! The one writer: takes what is waiting, writes it in one transaction, and tells everybody once it is on disk.

use super::checkpoints::{Checkpoints, LogLimits};
use crate::Error;
use model::figures::Histogram;
use rusqlite::Connection;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::oneshot;

/// At most this many writes share a commit.
const MAX_GROUP: usize = 256;

/// A group that has this many bytes of pieces waits for no more, so that the log stays short.
const MAX_GROUP_BYTES: usize = 16 << 20;

/// Told of the commit's outcome.
type Told = Box<dyn FnOnce(Result<(), Error>) + Send>;
/// Gets the transaction, or why there is none.
type Job = Box<dyn FnOnce(Result<&Connection, Error>) -> Done + Send>;

/// A write that has been done but not yet committed.
pub(super) struct Done {
    pub told: Told,
    /// Why nothing of it was written.
    pub failed: Option<Error>,
    pub bytes: usize,
}

pub(super) struct Writer {
    jobs: Sender<Job>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    waiting: AtomicUsize,
    figures: WriterFigures,
    /// Why the last group could not be written.
    trouble: Mutex<Option<Error>>,
    /// Somebody wants the log moved into the database.
    is_tidying: AtomicBool,
}

/// What the writer has done since it started. Only it writes here, so that looking costs it nothing.
#[derive(Default)]
pub struct WriterFigures {
    /// Seconds from the beginning of a group to the disk's word that it is there.
    pub commit: Histogram,
    /// Writes that shared a commit.
    pub group: Histogram,
}

impl Writer {
    pub(super) fn start(connection: Connection, limits: LogLimits) -> Self {
        let (jobs, received) = channel();
        let shared = Arc::new(Shared::default());
        let known = shared.clone();
        std::thread::spawn(move || serve(&connection, &received, &known, limits));
        Self { jobs, shared }
    }

    pub(super) fn figures(&self) -> &WriterFigures {
        &self.shared.figures
    }

    pub(super) fn backlog(&self) -> usize {
        self.shared.waiting.load(Ordering::Relaxed)
    }

    /// Why nothing can be written at the moment.
    pub(super) fn trouble(&self) -> Option<Error> {
        self.shared.trouble().clone()
    }

    /// Lets the database take over what its log holds, soon.
    pub(super) fn tidy(&self) {
        self.shared.is_tidying.store(true, Ordering::Relaxed);
    }

    /// Runs `work` inside the next transaction. If it fails nothing of it stays; the others are not touched.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (tell, told) = oneshot::channel();
        self.send(Box::new(move |connection| {
            let result = connection.and_then(|connection| in_savepoint(connection, work));
            let failed = result.as_ref().err().cloned();
            let told = Box::new(move |committed: Result<(), Error>| {
                let _ = tell.send(committed.and(result));
            });
            Done { told, failed, bytes: 0 }
        }))?;
        told.await.unwrap_or(Err(Error::Stopped))
    }

    /// Queues a job that keeps itself whole.
    pub(super) fn send(&self, job: Job) -> Result<(), Error> {
        self.shared.waiting.fetch_add(1, Ordering::Relaxed);
        self.jobs.send(job).map_err(|_| Error::Stopped)
    }
}

impl Shared {
    fn trouble(&self) -> std::sync::MutexGuard<'_, Option<Error>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells when writing begins to fail, and when it works again.
    fn note(&self, committed: &Result<(), Error>) {
        let mut trouble = self.trouble();
        match (committed, trouble.is_some()) {
            (Err(error), was_there) => {
                if !was_there {
                    tracing::error!(%error, "Nothing can be written; runs stand still and new ones are turned away until it can.");
                }
                *trouble = Some(error.clone());
            }
            (Ok(()), true) => {
                tracing::warn!("Writing works again; runs go on.");
                *trouble = None;
            }
            (Ok(()), false) => {}
        }
    }
}

/// Does something whole or not at all within the transaction.
pub(super) fn in_savepoint<T>(connection: &Connection, work: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
    execute(connection, "SAVEPOINT job")?;
    let result = work(connection);
    // A disk that fails ends the whole transaction, and the savepoint with it.
    if result.is_err() && !connection.is_autocommit() {
        execute(connection, "ROLLBACK TO job")?;
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

fn serve(connection: &Connection, jobs: &Receiver<Job>, shared: &Shared, limits: LogLimits) {
    let mut checkpoints = Checkpoints::new(connection, limits);
    while let Ok(first) = jobs.recv() {
        let began = Instant::now();
        let admitted = checkpoints.admit(connection);
        let mut transaction = admitted.and_then(|()| execute(connection, "BEGIN IMMEDIATE"));
        let mut told: Vec<Told> = Vec::new();
        let mut bytes = 0;
        let mut next = Some(first);
        while let Some(job) = next.take() {
            shared.waiting.fetch_sub(1, Ordering::Relaxed);
            let done = job(transaction.as_ref().map(|()| connection).map_err(Clone::clone));
            // A disk that fails in the middle ends the transaction of all. What comes after must not be written on its own.
            if transaction.is_ok() && connection.is_autocommit() {
                transaction = Err(done.failed.clone().unwrap_or(Error::Stopped));
            }
            if let Some(error) = &done.failed {
                stop_if_unsynced(error);
            }
            bytes += done.bytes;
            told.push(done.told);
            if told.len() < MAX_GROUP && bytes < MAX_GROUP_BYTES {
                next = jobs.try_recv().ok();
            }
        }
        let committed = transaction.and_then(|()| commit(connection));
        if let Err(error) = &committed {
            stop_if_unsynced(error);
        }
        shared.figures.commit.note_time(began.elapsed());
        shared.figures.group.note(told.len() as u64);
        shared.note(&committed);
        // What was not written goes back in reverse, so that pieces of one run come together in order again.
        for tell in told.into_iter().rev() {
            tell(committed.clone());
        }
        let tidied = match shared.is_tidying.swap(false, Ordering::Relaxed) {
            true => checkpoints.empty(connection),
            false => checkpoints.after_commit(connection),
        };
        // What the log holds stays there until the next try; only a lost sync is beyond mending.
        if let Err(error) = tidied {
            stop_if_unsynced(&error);
            tracing::debug!(%error, "The log could not be moved into the database.");
        }
    }
}

fn commit(connection: &Connection) -> Result<(), Error> {
    let result = execute(connection, "COMMIT");
    if result.is_err() && !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
    result
}

/// The system may forget what it could not write, and say that all is well when asked again. After the next start the log is
/// read as it really is.
fn stop_if_unsynced(error: &Error) {
    if let Error::Unsynced { .. } = error {
        tracing::error!(%error, "Nothing written since the last confirmation can be trusted; the process ends.");
        std::process::abort();
    }
}
