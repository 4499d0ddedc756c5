//! Runs that cannot be resumed. A transient failure is retried with a growing back-off. Any other
//! ends the run, or leaves it to a person.
//!
//! Invariant: whoever ends a run that nobody runs has locked it, so that nobody takes it up
//! meanwhile.

use crate::execute::journal::{Durability, JournalProgress, RecordingPolicy};
use crate::execute::start::SlotPolicy;
use crate::key_lock::KeyGuard;
use crate::resume::resumption::{ResumeReason, same_state};
use crate::task::spawn_detached;
use crate::{Error, Runtime, lock};
use model::{RunError, RunEvent, RunStatus, Str};
use node_api::NodeError;
use node_api::trigger::ReplyMode;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::executions::{
    Execution, ExecutionState, JournalLength, SavePolicy, UnfinishedExecution,
};
use tokio::sync::OwnedSemaphorePermit;

/// How soon a run is tried again: the first time, and at the most.
const INITIAL_BACKOFF_MS: i64 = 1_000;
const MAX_BACKOFF_MS: i64 = 60_000;

/// How often something that is wrong with one run is met before a person decides: for about ten
/// minutes.
const MAX_TRIES: u32 = 15;

const HINT: &str = "Fix the cause. Then resume the execution, enter the result of its last step, retry or stop it.";

/// What becomes of a run that could not be resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResumeFailure {
    /// Somebody else has taken it up, stopped or removed it.
    Superseded,
    /// What is wrong concerns every run, and passes when somebody has seen to it.
    Outage,
    /// It may pass.
    Transient,
    /// Another version can take it up; until then it stays as it is.
    Incompatible,
    /// It does not pass.
    Permanent,
}

/// Runs that could not be resumed, and when that is tried again.
#[derive(Default)]
pub(crate) struct ResumeBackoff(Mutex<HashMap<i64, BackoffEntry>>);

#[derive(Clone, Copy)]
struct BackoffEntry {
    tries: u32,
    retry_at_ms: i64,
}

impl ResumeBackoff {
    /// Whether it is too early to try again.
    pub(crate) fn is_backing_off(&self, id: i64, now_ms: i64) -> bool {
        lock(&self.0).get(&id).is_some_and(|entry| now_ms < entry.retry_at_ms)
    }

    /// Notes one more; `false` if there were too many.
    fn record_failure(&self, id: i64, now_ms: i64) -> bool {
        let mut all = lock(&self.0);
        let tries = all.get(&id).map_or(0, |entry| entry.tries) + 1;
        let pause_ms = (INITIAL_BACKOFF_MS << (tries - 1).min(16)).min(MAX_BACKOFF_MS);
        all.insert(id, BackoffEntry { tries, retry_at_ms: now_ms + pause_ms });
        tries < MAX_TRIES
    }

    pub(crate) fn forget(&self, id: i64) {
        lock(&self.0).remove(&id);
    }
}

impl Runtime {
    /// Wakes a run that sleeps as it was seen, with a slot of its own, unless somebody is at it.
    pub(crate) async fn wake_or_abandon(
        self: &Arc<Self>,
        left: UnfinishedExecution,
        resume: ResumeReason,
        slot: OwnedSemaphorePermit,
    ) -> Result<(), Error> {
        let id = left.id;
        let Some(guard) = self.run_locks.try_lock(id) else { return Ok(()) };
        if !self.wait_released(id).await? {
            return Ok(());
        }
        let runtime = self.clone();
        spawn_detached(async move {
            let woken = runtime
                .resume_locked(&guard, resume, ReplyMode::Buffered, SlotPolicy::Has(slot))
                .await;
            let (run, failure) = woken.map_or_else(|error| (None, Some(error)), |run| (run, None));
            runtime.pending_pages.deliver(id, run);
            match failure {
                None => Ok(()),
                Some(error) => Ok(runtime.abandon(&guard, &left.state, &error).await.map(drop)?),
            }
        })
        .await
    }

    /// Handles a run that could not be resumed. An outage, which concerns every run, is returned.
    pub(crate) async fn abandon(
        &self,
        guard: &KeyGuard<i64>,
        seen: &ExecutionState,
        error: &Error,
    ) -> Result<ResumeFailure, store::Error> {
        let id = *guard.key();
        let (status, failure) = match (error.resume_failure(), error) {
            (ResumeFailure::Outage, Error::Store(passing)) => return Err(passing.clone()),
            (failure @ (ResumeFailure::Superseded | ResumeFailure::Outage), _) => {
                self.resume_backoff.forget(id);
                return Ok(failure);
            }
            (ResumeFailure::Transient, _)
                if self.resume_backoff.record_failure(id, self.now_ms()) =>
            {
                tracing::warn!(%error, execution = id, code = error.code().name(), "Could not resume a run; retrying.");
                return Ok(ResumeFailure::Transient);
            }
            (ResumeFailure::Incompatible, _) => {
                self.resume_backoff.record_failure(id, self.now_ms());
                tracing::warn!(%error, execution = id, code = error.code().name(), "Run not resumed: this version does not support it.");
                return Ok(ResumeFailure::Incompatible);
            }
            (ResumeFailure::Transient, _) => (RunStatus::Uncertain, ResumeFailure::Permanent),
            (ResumeFailure::Permanent, _) => (RunStatus::Error, ResumeFailure::Permanent),
        };
        let now = self.store.execution(id).await?;
        let Some(execution) = now.filter(|now| same_state(&now.state, seen)) else {
            return Ok(ResumeFailure::Superseded);
        };
        tracing::error!(%error, execution = id, code = error.code().name(), "Could not resume a run.");
        let JournalLength { segments, parts } = self.store.journal_length(id).await?;
        let events = self.store.journal_trail(id, 0).await.map_or(0, |trail| trail.events);
        let reason =
            NodeError::new(error.code(), Str::from(format!("{error} ({})", error.code().name())));
        let reason = if status == RunStatus::Uncertain { reason.hint(HINT) } else { reason };
        self.finish_unresumed(
            guard,
            &execution,
            JournalProgress { segments, parts, events },
            status,
            reason.to_run_error(""),
        )
        .await?;
        Ok(failure)
    }

    /// Writes the end of a run that is not under way, and signals its caller.
    pub(crate) async fn finish_unresumed(
        &self,
        guard: &KeyGuard<i64>,
        execution: &Execution,
        written: JournalProgress,
        status: RunStatus,
        reason: RunError,
    ) -> Result<(), store::Error> {
        // Kept in any case, so that the reason can be found.
        let policy = RecordingPolicy {
            durability: Durability::Ends,
            saving: SavePolicy::ALL,
            static_data: None,
        };
        let log = self.recorder.reopen(execution, written, policy);
        self.recorder.record(
            &log,
            RunEvent::RunFinished { status, error: Some(reason), finished_ms: self.now_ms() },
        );
        let flushed = self.store.flush(log.clone()).await;
        self.recorder.close(&log);
        flushed?;
        self.resume_backoff.forget(*guard.key());
        self.runner.signal_caller(execution.started.parent);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_pass_is_tried_again_later_each_time_and_not_forever() {
        let backoff = ResumeBackoff::default();
        let (mut now_ms, mut pauses) = (0, Vec::new());
        while backoff.record_failure(7, now_ms) {
            let began_ms = now_ms;
            while backoff.is_backing_off(7, now_ms) {
                now_ms += 500;
            }
            pauses.push((now_ms - began_ms) / 1000);
        }
        assert_eq!(pauses[..8], [1, 2, 4, 8, 16, 32, 60, 60]);
        assert!((500..700).contains(&pauses.iter().sum::<i64>()), "{pauses:?}");
        assert!(!backoff.is_backing_off(8, 0));
        backoff.forget(7);
        assert!(!backoff.is_backing_off(7, now_ms));
    }
}
