//! The one writer: takes what is waiting, writes it in one transaction, and tells everybody once it is on disk.

use crate::Error;
use model::figures::Histogram;
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;
use tokio::sync::oneshot;

/// At most this many writes share a commit.
const MAX_GROUP: usize = 256;

/// SQLite's extended codes for a sync that failed. What was written before it may be lost without a sign of it.
const FAILED_SYNCS: [i32; 2] = [1034, 1290];

/// A write that has been done but not yet committed: told of the commit's outcome.
type Told = Box<dyn FnOnce(Result<(), Error>) + Send>;
/// Gets the transaction, or why there is none.
type Job = Box<dyn FnOnce(Result<&Connection, Error>) -> Told + Send>;

pub(super) struct Writer {
    jobs: Sender<Job>,
    waiting: Arc<AtomicUsize>,
    figures: Arc<WriterFigures>,
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
    pub(super) fn start(connection: Connection) -> Self {
        let (jobs, received) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let figures = Arc::new(WriterFigures::default());
        let (counted, noted) = (waiting.clone(), figures.clone());
        std::thread::spawn(move || serve(&connection, &received, &counted, &noted));
        Self { jobs, waiting, figures }
    }

    pub(super) fn figures(&self) -> &WriterFigures {
        &self.figures
    }

    pub(super) fn backlog(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Runs `work` inside the next transaction. If it fails nothing of it stays; the others are not touched.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (tell, told) = oneshot::channel();
        self.send(Box::new(move |connection| {
            let result = connection.and_then(|connection| in_savepoint(connection, work));
            Box::new(move |committed| {
                let _ = tell.send(committed.and(result));
            })
        }))?;
        told.await.unwrap_or(Err(Error::Stopped))
    }

    /// Queues a job that keeps itself whole: its parts cannot fail one without the other.
    pub(super) fn send(&self, job: Job) -> Result<(), Error> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        self.jobs.send(job).map_err(|_| Error::Stopped)
    }
}

pub(super) fn in_savepoint<T>(connection: &Connection, work: impl FnOnce(&Connection) -> Result<T, Error>) -> Result<T, Error> {
    connection.execute_batch("SAVEPOINT job")?;
    let result = work(connection);
    let end = if result.is_ok() { "RELEASE job" } else { "ROLLBACK TO job; RELEASE job" };
    connection.execute_batch(end)?;
    result
}

fn serve(connection: &Connection, jobs: &Receiver<Job>, waiting: &AtomicUsize, figures: &WriterFigures) {
    while let Ok(first) = jobs.recv() {
        let began = Instant::now();
        let begun = connection.prepare_cached("BEGIN IMMEDIATE").and_then(|mut begin| begin.execute([])).map_err(Error::from);
        let mut told: Vec<Told> = Vec::new();
        let mut next = Some(first);
        while let Some(job) = next.take() {
            waiting.fetch_sub(1, Ordering::Relaxed);
            told.push(job(begun.as_ref().map(|_| connection).map_err(Clone::clone)));
            if told.len() < MAX_GROUP {
                next = jobs.try_recv().ok();
            }
        }
        let committed = begun.and_then(|_| commit(connection));
        figures.commit.note_time(began.elapsed());
        figures.group.note(told.len() as u64);
        // What was not written goes back in reverse, so that pieces of one run come together in order again.
        for tell in told.into_iter().rev() {
            tell(committed.clone());
        }
    }
}

fn commit(connection: &Connection) -> Result<(), Error> {
    let result = connection.prepare_cached("COMMIT").and_then(|mut commit| commit.execute([]));
    let Err(error) = result else { return Ok(()) };
    if let rusqlite::Error::SqliteFailure(failure, _) = &error
        && FAILED_SYNCS.contains(&failure.extended_code)
    {
        tracing::error!(%error, "The disk did not confirm a write; nothing written since the last one can be trusted.");
        std::process::abort();
    }
    if !connection.is_autocommit() {
        let _ = connection.execute_batch("ROLLBACK");
    }
    Err(error.into())
}
