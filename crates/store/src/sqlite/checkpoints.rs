//! Keeps the database's log short: moves what it holds into the database, and says so when somebody
//! is in the way.
//!
//! Moving waits for the disk for as long as a hundred commits do, so another thread does most of it
//! while the writer goes on. The writer itself moves the rest, once that is little: only then can
//! the log begin anew.
//!
//! SQLite would do it by itself at the end of a commit, but passes over errors there; a sync that
//! fails must end the process.

use super::writer::stop_if_unsynced;
use crate::Error;
use rusqlite::Connection;
use rusqlite::hooks::Wal;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long the log may get.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalLimits {
    /// From here on what it holds is moved, beside readers and the writer and without waiting for
    /// them.
    pub move_at: u64,
    /// From here on readers are waited for and the log begins anew; with twice this somebody is
    /// told.
    pub empty_at: u64,
    /// Past this it grows only while it leaves most of the disk free. Otherwise nothing is written
    /// until whoever holds an old state of the database lets go, as a long backup does in the end.
    pub most: u64,
    /// How many times its length must be free then.
    pub free_factor: u64,
}

impl Default for WalLimits {
    fn default() -> Self {
        Self { move_at: 8 << 20, empty_at: 32 << 20, most: 1 << 30, free_factor: 4 }
    }
}

/// How long the writer waits for readers before the log begins anew. Ours are over long before.
const READER_TIMEOUT: Duration = Duration::from_millis(100);

/// How long it leaves a reader alone that did not let go: ever longer, since each try holds up who
/// writes.
const INITIAL_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(30);

/// How often it is told of one.
const WARN_INTERVAL: Duration = Duration::from_secs(60);

thread_local! {
    /// Pages in the log after the last commit on this thread, the writer's.
    static LOG_PAGES: Cell<u64> = const { Cell::new(0) };
}

pub(super) struct WalCheckpoints {
    limits: WalLimits,
    page_bytes: u64,
    /// The length at which we look again.
    next_at: u64,
    /// When somebody was in the way.
    blocked_at: Option<Instant>,
    pause: Duration,
    /// How much of the disk was free, and when.
    free: Option<(Instant, u64)>,
    folder: Option<PathBuf>,
    told: Option<Instant>,
    mover: Option<Checkpointer>,
    /// The mover moves what came while it moved most of it. What comes meanwhile is so little that
    /// the writer moves it itself.
    is_second: bool,
}

impl WalCheckpoints {
    /// For the thread that has this connection from now on.
    pub(super) fn new(connection: &Connection, limits: WalLimits) -> Self {
        connection.wal_hook(Some(|_: &Wal, pages| {
            LOG_PAGES.set(pages.unsigned_abs().into());
            Ok(())
        }));
        let page_bytes: i64 =
            connection.query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap_or(4096);
        let page_bytes = page_bytes.unsigned_abs();
        // Without a thread for it, the writer moves everything once the log is to be emptied.
        let mover = connection.path().and_then(|file| Checkpointer::start(file.into()).ok());
        let folder = connection.path().and_then(|file| Some(Path::new(file).parent()?.to_owned()));
        let (next_at, pause) = (limits.move_at, INITIAL_BACKOFF);
        Self {
            limits,
            page_bytes,
            next_at,
            blocked_at: None,
            pause,
            free: None,
            folder,
            told: None,
            mover,
            is_second: false,
        }
    }

    fn log_bytes(&self) -> u64 {
        LOG_PAGES.get() * self.page_bytes
    }

    /// Whether there is room in the log for another transaction.
    pub(super) fn admit(&mut self, connection: &Connection) -> Result<(), Error> {
        if self.log_bytes() < self.limits.most {
            return Ok(());
        }
        self.truncate_after(connection, INITIAL_BACKOFF)?;
        if self.log_bytes() < self.limits.most || self.has_room() {
            Ok(())
        } else {
            Err(Error::Busy)
        }
    }

    /// Whether the log may grow past its limit.
    fn has_room(&mut self) -> bool {
        let (now, folder) = (Instant::now(), self.folder.as_deref());
        if self.free.is_none_or(|(seen, _)| now - seen >= INITIAL_BACKOFF) {
            self.free = folder.and_then(crate::inspect::free).map(|free| (now, free));
        }
        self.free.is_some_and(|(_, free)| {
            free >= self.log_bytes().saturating_mul(self.limits.free_factor)
        })
    }

    /// Looks after the log when a commit is done.
    pub(super) fn after_commit(&mut self, connection: &Connection) -> Result<(), Error> {
        let bytes = self.log_bytes();
        if bytes < self.limits.move_at {
            self.next_at = self.limits.move_at;
        }
        if bytes >= self.limits.empty_at {
            return self.truncate(connection);
        }
        let Some(mover) = &mut self.mover else { return Ok(()) };
        match mover.poll() {
            CheckpointProgress::Moving => {}
            CheckpointProgress::Idle if bytes < self.next_at => {}
            CheckpointProgress::Idle => mover.ask(),
            CheckpointProgress::Moved => {
                self.is_second = !self.is_second;
                if self.is_second {
                    mover.ask();
                } else {
                    self.next_at = bytes + self.limits.move_at;
                    run(connection, "PASSIVE")?;
                }
            }
        }
        Ok(())
    }

    fn truncate(&mut self, connection: &Connection) -> Result<(), Error> {
        self.truncate_after(connection, self.pause)
    }

    /// Moves everything and begins the log anew, if readers let us within their moment. One who did
    /// not is left alone for a while.
    fn truncate_after(&mut self, connection: &Connection, pause: Duration) -> Result<(), Error> {
        let now = Instant::now();
        if self.blocked_at.is_some_and(|hindered| now < hindered + pause) {
            return Ok(());
        }
        if let Some(mover) = &mut self.mover {
            mover.wait();
            self.is_second = false;
        }
        connection.busy_timeout(READER_TIMEOUT)?;
        let emptied = run(connection, "TRUNCATE");
        connection.busy_timeout(super::BUSY)?;
        if !matches!(emptied, Ok(CheckpointOutcome::Truncated)) {
            self.blocked_at = Some(Instant::now());
            self.pause = (self.pause * 2).min(MAX_BACKOFF);
        }
        if emptied? == CheckpointOutcome::Truncated {
            (self.blocked_at, self.pause) = (None, INITIAL_BACKOFF);
            LOG_PAGES.set(0);
            self.next_at = self.limits.move_at;
            self.told = None;
        } else if self.log_bytes() >= 2 * self.limits.empty_at
            && self.told.is_none_or(|told| now - told >= WARN_INTERVAL)
        {
            self.told = Some(now);
            let megabytes = self.log_bytes() >> 20;
            tracing::warn!(
                megabytes,
                "A long-running reader is blocking WAL checkpoints; the WAL keeps growing."
            );
        }
        Ok(())
    }
}

/// Moves what the log holds on the thread at hand, beside the writer and without waiting for
/// anybody; whether nothing is left to move.
pub(super) fn checkpoint_passive(connection: &Connection) -> Result<bool, Error> {
    let read = |row: &rusqlite::Row<'_>| {
        Ok((row.get::<_, bool>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
    };
    let moved = connection
        .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], read)
        .map_err(Error::from)
        .inspect_err(stop_if_unsynced);
    let (is_blocked, pages, moved) = moved?;
    Ok(!is_blocked && pages == moved)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CheckpointOutcome {
    Truncated,
    Blocked,
}

fn run(connection: &Connection, mode: &str) -> Result<CheckpointOutcome, Error> {
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    let is_blocked: bool = connection.query_row(&sql, [], |row| row.get(0))?;
    Ok(if is_blocked { CheckpointOutcome::Blocked } else { CheckpointOutcome::Truncated })
}

/// The thread that moves beside the writer. The writer asks it, and looks now and then.
struct Checkpointer {
    ask: Option<Sender<()>>,
    moved: Receiver<()>,
    is_moving: bool,
    thread: Option<JoinHandle<()>>,
}

enum CheckpointProgress {
    Idle,
    Moving,
    /// It has done what it was asked for, as far as it could.
    Moved,
}

impl Checkpointer {
    fn start(file: PathBuf) -> std::io::Result<Self> {
        let ((ask, asked), (tell, moved)) = (channel(), channel());
        let thread = std::thread::Builder::new().name("log mover".into()).spawn(move || {
            let mut connection: Option<Connection> = None;
            for () in asked {
                connection = connection.or_else(|| super::connect(&file).ok());
                if let Some(Err(error)) =
                    connection.as_ref().map(|connection| run(connection, "PASSIVE"))
                {
                    stop_if_unsynced(&error);
                    tracing::debug!(%error, "WAL checkpoint failed.");
                }
                let _ = tell.send(());
            }
        })?;
        Ok(Self { ask: Some(ask), moved, is_moving: false, thread: Some(thread) })
    }

    fn ask(&mut self) {
        self.is_moving = self.ask.as_ref().is_some_and(|ask| ask.send(()).is_ok());
    }

    fn poll(&mut self) -> CheckpointProgress {
        match self.moved.try_recv() {
            Ok(()) => {
                self.is_moving = false;
                CheckpointProgress::Moved
            }
            Err(_) if self.is_moving => CheckpointProgress::Moving,
            Err(_) => CheckpointProgress::Idle,
        }
    }

    /// Waits until it moves nothing.
    fn wait(&mut self) {
        if std::mem::take(&mut self.is_moving) {
            let _ = self.moved.recv();
        }
    }
}

impl Drop for Checkpointer {
    /// Its connection is closed before the writer's, which then leaves one file behind.
    fn drop(&mut self) {
        drop(self.ask.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
