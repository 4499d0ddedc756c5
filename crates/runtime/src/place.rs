//! The place of each run among those that are not over, and how many and how much may be there.

use crate::log::RunLog;
use crate::runner::Runner;
use crate::{Error, lock};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio_util::sync::CancellationToken;

/// How many runs go on at once, and how many may wait for their turn.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    pub at_once: usize,
    pub waiting: usize,
    /// How much memory the bodies that runs began with may take together.
    pub held_bytes: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { at_once: 512, waiting: 10_000, held_bytes: 256 << 20 }
    }
}

/// Calls that take no more than this fit beside those of others that take much.
const SMALL_CALL: usize = 256 << 10;

impl RunLimits {
    /// Whether a call of a weight fits beside what is held.
    fn fits(&self, held: usize, weight: usize) -> bool {
        let most = if weight <= SMALL_CALL {
            self.held_bytes.saturating_add(self.held_bytes / 4)
        } else {
            self.held_bytes
        };
        held.saturating_add(weight) <= most
    }
}

/// Memory that a call takes: while it waits, and while its run is not over.
pub(crate) struct Held {
    runner: Arc<Runner>,
    bytes: usize,
}

impl Runner {
    /// Makes room for what a run is to begin with.
    pub(crate) fn hold(self: &Arc<Self>, bytes: usize) -> Result<Held, Error> {
        if !self.limits.fits(self.held.load(Ordering::Relaxed), bytes) {
            return Err(Error::Overload);
        }
        self.held.fetch_add(bytes, Ordering::Relaxed);
        Ok(Held { runner: self.clone(), bytes })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.runner.held.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The place of a run among those that are not over. It is given up however the run ends, also by a
/// panic.
pub(crate) struct Place {
    runner: Arc<Runner>,
    pub(crate) log: Arc<RunLog>,
    held: Option<Held>,
}

impl Place {
    pub(crate) fn new(
        runner: Arc<Runner>,
        log: Arc<RunLog>,
        cancel: CancellationToken,
        held: Option<Held>,
    ) -> Self {
        lock(&runner.running).insert(log.id(), cancel);
        runner.taken.fetch_add(1, Ordering::Relaxed);
        Self { runner, log, held }
    }

    /// What it began with is no longer needed.
    pub(crate) fn give_back_memory(&mut self) {
        self.held = None;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.give_back_memory();
        self.runner.recorder.close(&self.log);
        lock(&self.runner.running).remove(&self.log.id());
        self.runner.is_over.notify_waiters();
        self.runner.taken.fetch_sub(1, Ordering::Relaxed);
    }
}
