//! Which finished runs stay: by age, by number and by size.

use crate::Runtime;
use std::sync::Arc;
use std::time::Duration;
use store::executions::Keep;

/// How often we look.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// How many runs are removed in one go, so that writers do not wait long.
const STEP: usize = 200;

/// What is kept of the past. Running, waiting and uncertain runs always stay.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    pub age: Duration,
    pub count: usize,
    pub bytes: u64,
}

impl Default for Retention {
    fn default() -> Self {
        Self { age: Duration::from_secs(14 * 24 * 60 * 60), count: 10_000, bytes: 10 << 30 }
    }
}

impl Runtime {
    /// Removes what is not to be kept until the process ends.
    pub(crate) async fn keep_tidy(self: Arc<Self>, retention: Retention) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(LOOK_EVERY) => {}
                () = self.stopping.cancelled() => return,
            }
            match self.tidy(retention).await {
                Ok(0) => {}
                Ok(removed) => tracing::info!(removed, "Old executions and conversations were removed."),
                Err(error) => tracing::error!(%error, "Old executions and conversations could not be removed."),
            }
        }
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
