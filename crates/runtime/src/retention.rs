//! Which finished runs stay: by age, by number and by size.

use crate::Runtime;
use std::sync::Arc;
use std::time::Duration;
use store::executions::Keep;

/// How often we look.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// Every so many looks, what grows slowly is looked at too.
const RARELY: usize = 60;
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
    pub(crate) async fn keep_tidy(self: Arc<Self>, retention: Retention) {
        for look in 0_usize.. {
            tokio::select! {
                biased;
                () = self.stopping.cancelled() => return,
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            if look.is_multiple_of(RARELY)
                && let Err(error) = self.tidy_history(retention).await
            {
                tracing::error!(%error, "Old versions of workflows could not be removed.");
            }
            match self.tidy(retention).await {
                Ok(0) => {}
                Ok(removed) => {
                    tracing::info!(removed, "Old executions and conversations were removed.")
                }
                Err(error) => {
                    tracing::error!(%error, "Old executions and conversations could not be removed.")
                }
            }
        }
    }

    /// Removes versions that nobody needs, and which session has spent what long ago.
    pub async fn tidy_history(&self, retention: Retention) -> Result<usize, store::Error> {
        self.store.fold_sessions(store::spending::day_of(self.now_ms() - SESSIONS_MS)).await?;
        self.store.forget_versions(retention.versions).await
    }

    /// Removes what is not to be kept now, and gives the room back to the disk.
    pub async fn tidy(&self, retention: Retention) -> Result<usize, store::Error> {
        let keep = Keep {
            newer_than_ms: self.now_ms() - retention.age.as_millis() as i64,
            at_most: retention.count,
            bytes: i64::try_from(retention.bytes).unwrap_or(i64::MAX),
            step: STEP,
        };
        let removed = self.store.prune(keep).await? + self.store.forget_conversations().await?;
        while removed > 0 && self.store.shrink().await? {}
        Ok(removed)
    }
}
