//! Keeps the database's log short: moves what it holds into the database, and says so when somebody is in the way.
//!
//! SQLite would do it by itself at the end of a commit, but passes over errors there; a sync that fails must end the process.

use crate::Error;
use rusqlite::Connection;
use rusqlite::hooks::Wal;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// How long the log may get.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogLimits {
    /// From here on what it holds is moved, beside readers and without waiting for them.
    pub move_at: u64,
    /// From here on readers are waited for and the log begins anew; with twice this somebody is told.
    pub empty_at: u64,
    /// Past this nothing is written until whoever holds an old state of the database lets go.
    pub most: u64,
}

impl Default for LogLimits {
    fn default() -> Self {
        Self { move_at: 8 << 20, empty_at: 32 << 20, most: 1 << 30 }
    }
}

/// How long the writer waits for readers before the log begins anew. Ours are over long before.
const READER_PATIENCE: Duration = Duration::from_millis(100);

/// How long it leaves a reader alone that did not let go.
const PAUSE: Duration = Duration::from_secs(1);

/// How often it is told of one.
const TELL_EVERY: Duration = Duration::from_secs(60);

thread_local! {
    /// Pages in the log after the last commit on this thread, the writer's.
    static LOG_PAGES: Cell<u64> = const { Cell::new(0) };
}

pub(super) struct Checkpoints {
    limits: LogLimits,
    page_bytes: u64,
    /// The length at which we look again.
    next_at: u64,
    /// Not before this, after somebody was in the way.
    not_before: Instant,
    told: Option<Instant>,
}

impl Checkpoints {
    /// For the thread that has this connection from now on.
    pub(super) fn new(connection: &Connection, limits: LogLimits) -> Self {
        connection.wal_hook(Some(|_: &Wal, pages| {
            LOG_PAGES.set(pages.unsigned_abs().into());
            Ok(())
        }));
        let page_bytes: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0)).unwrap_or(4096);
        let page_bytes = page_bytes.unsigned_abs();
        Self { limits, page_bytes, next_at: limits.move_at, not_before: Instant::now(), told: None }
    }

    fn log_bytes(&self) -> u64 {
        LOG_PAGES.get() * self.page_bytes
    }

    /// Whether there is room in the log for another transaction.
    pub(super) fn admit(&mut self, connection: &Connection) -> Result<(), Error> {
        if self.log_bytes() < self.limits.most {
            return Ok(());
        }
        self.empty(connection)?;
        if self.log_bytes() < self.limits.most { Ok(()) } else { Err(Error::Busy) }
    }

    /// Looks after the log when a commit is done.
    pub(super) fn after_commit(&mut self, connection: &Connection) -> Result<(), Error> {
        let bytes = self.log_bytes();
        if bytes < self.limits.move_at {
            self.next_at = self.limits.move_at;
        }
        if bytes >= self.limits.empty_at {
            return self.empty(connection);
        }
        if bytes < self.next_at {
            return Ok(());
        }
        self.next_at = bytes + self.limits.move_at;
        run(connection, "PASSIVE").map(|_| ())
    }

    /// Moves everything and begins the log anew, if readers let us within their moment.
    pub(super) fn empty(&mut self, connection: &Connection) -> Result<(), Error> {
        let now = Instant::now();
        if now < self.not_before {
            return Ok(());
        }
        connection.busy_timeout(READER_PATIENCE)?;
        let emptied = run(connection, "TRUNCATE");
        connection.busy_timeout(super::BUSY)?;
        if !matches!(emptied, Ok(Emptied::Yes)) {
            self.not_before = Instant::now() + PAUSE;
        }
        if emptied? == Emptied::Yes {
            LOG_PAGES.set(0);
            self.next_at = self.limits.move_at;
            self.told = None;
        } else if self.log_bytes() >= 2 * self.limits.empty_at && self.told.is_none_or(|told| now - told >= TELL_EVERY) {
            self.told = Some(now);
            let megabytes = self.log_bytes() >> 20;
            tracing::warn!(megabytes, "Somebody has been reading the database for long; its log grows until they let go.");
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Emptied {
    Yes,
    SomebodyReads,
}

fn run(connection: &Connection, mode: &str) -> Result<Emptied, Error> {
    let sql = format!("PRAGMA wal_checkpoint({mode})");
    let is_blocked: bool = connection.query_row(&sql, [], |row| row.get(0))?;
    Ok(if is_blocked { Emptied::SomebodyReads } else { Emptied::Yes })
}
