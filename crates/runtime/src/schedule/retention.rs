//! Which finished runs stay: by age, by number and by size.

use crate::Runtime;
use std::sync::Arc;
use std::time::Duration;
use store::executions::RetentionLimits;

/// How often old executions are removed.
const PRUNE_INTERVAL: Duration = Duration::from_secs(60);
/// Every so many rounds, old versions and sessions are removed too.
const HISTORY_EVERY: usize = 60;
/// Sessions have a budget for the day: which one spent what is known for the days since then.
const SESSIONS_MS: i64 = 2 * 24 * 60 * 60 * 1000;
/// How many runs are removed in one go, so that writers do not wait long.
const STEP: usize = 50;

/// What is kept of the past. Running, waiting and uncertain runs always stay.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    pub age: Duration,
    pub count: usize,
    pub bytes: u64,
    /// Versions of each workflow that are kept whether or not somebody needs them.
    pub versions: usize,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            age: Duration::from_secs(14 * 24 * 60 * 60),
            count: 10_000,
            bytes: 10 << 30,
            versions: 100,
        }
    }
}

impl Runtime {
    /// Removes what is not to be kept until the process ends.
    pub(crate) async fn run_retention(self: Arc<Self>, retention: Retention) {
        for round in 0_usize.. {
            tokio::select! {
                biased;
                () = self.stopping.cancelled() => return,
                () = tokio::time::sleep(PRUNE_INTERVAL) => {}
            }
            if round.is_multiple_of(HISTORY_EVERY)
                && let Err(error) = self.prune_history(retention).await
            {
                tracing::error!(%error, "Could not remove old workflow versions.");
            }
            match self.prune(retention).await {
                Ok(0) => {}
                Ok(removed) => {
                    tracing::info!(removed, "Removed old executions and conversations.")
                }
                Err(error) => {
                    tracing::error!(%error, "Could not remove old executions and conversations.")
                }
            }
        }
    }

    /// Removes versions that nobody needs, and which session has spent what long ago.
    pub async fn prune_history(&self, retention: Retention) -> Result<usize, store::Error> {
        self.store.merge_sessions(store::spending::day_of(self.now_ms() - SESSIONS_MS)).await?;
        self.store.forget_versions(retention.versions).await
    }

    /// Removes what is not to be kept now, and gives the room back to the disk.
    pub async fn prune(&self, retention: Retention) -> Result<usize, store::Error> {
        let limits = RetentionLimits {
            newer_than_ms: self.now_ms() - retention.age.as_millis() as i64,
            at_most: retention.count,
            bytes: i64::try_from(retention.bytes).unwrap_or(i64::MAX),
            step: STEP,
        };
        let removed = self.store.prune(limits).await? + self.store.delete_expired().await?;
        while removed > 0 && self.store.shrink().await? {}
        Ok(removed)
    }
}
