//! The place of each run among those that are not over, and how many and how much may be there.

use crate::execute::journal::RunJournal;
use crate::execute::runner::Runner;
use crate::{Error, lock};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio_util::sync::CancellationToken;

/// How many runs go on at once, and how many may wait for their turn.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    pub max_running: usize,
    pub max_queued: usize,
    /// How much memory the bodies that runs began with may take together.
    pub max_reserved_bytes: usize,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { max_running: 512, max_queued: 10_000, max_reserved_bytes: 256 << 20 }
    }
}

/// Calls that take no more than this fit beside those of others that take much.
const SMALL_CALL: usize = 256 << 10;

impl RunLimits {
    /// Whether a call of a weight fits beside what is held.
    fn fits(&self, reservation: usize, bytes: usize) -> bool {
        let most = if bytes <= SMALL_CALL {
            self.max_reserved_bytes.saturating_add(self.max_reserved_bytes / 4)
        } else {
            self.max_reserved_bytes
        };
        reservation.saturating_add(bytes) <= most
    }
}

/// Memory that a call takes: while it waits, and while its run is not over.
pub(crate) struct RunReservation {
    runner: Arc<Runner>,
    bytes: usize,
}

impl Runner {
    /// Makes room for what a run is to begin with.
    pub(crate) fn reserve(self: &Arc<Self>, bytes: usize) -> Result<RunReservation, Error> {
        if !self.limits.fits(self.reserved_bytes.load(Ordering::Relaxed), bytes) {
            return Err(Error::Overload);
        }
        self.reserved_bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(RunReservation { runner: self.clone(), bytes })
    }
}

impl Drop for RunReservation {
    fn drop(&mut self) {
        self.runner.reserved_bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The place of a run among those that are not over. It is given up however the run ends, also by a
/// panic.
pub(crate) struct RunGuard {
    runner: Arc<Runner>,
    pub(crate) log: Arc<RunJournal>,
    reservation: Option<RunReservation>,
}

impl RunGuard {
    pub(crate) fn new(
        runner: Arc<Runner>,
        log: Arc<RunJournal>,
        cancel: CancellationToken,
        reservation: Option<RunReservation>,
    ) -> Self {
        lock(&runner.running).insert(log.id(), cancel);
        runner.n_accepted.fetch_add(1, Ordering::Relaxed);
        Self { runner, log, reservation }
    }

    /// What it began with is no longer needed.
    pub(crate) fn release_memory(&mut self) {
        self.reservation = None;
    }
}

impl Drop for RunGuard {
    fn drop(&mut self) {
        self.release_memory();
        self.runner.recorder.close(&self.log);
        lock(&self.runner.running).remove(&self.log.id());
        self.runner.is_over.notify_waiters();
        self.runner.n_accepted.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_calls_fit_beside_large_ones_up_to_a_quarter_more() {
        let limits = RunLimits { max_reserved_bytes: 4 << 20, ..RunLimits::default() };
        let full = limits.max_reserved_bytes;
        assert!(limits.fits(0, full) && !limits.fits(1, full));
        assert!(limits.fits(full, SMALL_CALL) && !limits.fits(full, SMALL_CALL + 1));
        assert!(limits.fits(full, 1 << 10) && !limits.fits(full + full / 4, 1));
        assert!(!limits.fits(usize::MAX, 1) && !limits.fits(1, usize::MAX));
    }
}
