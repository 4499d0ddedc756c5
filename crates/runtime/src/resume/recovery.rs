//! Resumes what the last process left unfinished, a few runs at a time.
//!
//! Runs that were resumed before and were active when the process died again come first, a few at a
//! time (see [`crate::resume::quarantine`]); the others follow in a window that grows. Runs that
//! slept, and runs that a clean stop left behind, are resumed as ever.

use crate::execute::journal::{FULL_DISK_PAUSE, RunJournal};
use crate::execute::start::SlotPolicy;
use crate::key_lock::KeyGuard;
use crate::resume::backoff::ResumeFailure;
use crate::resume::recovery_window::{RecoveryWindow, WindowPermit};
use crate::resume::resumption::{ResumeReason, same_state};
use crate::task::catch_panic;
use crate::{Error, Runtime, lock};
use model::RunStatus;
use node_api::trigger::ReplyMode;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use store::executions::{Execution, ExecutionState, UnfinishedExecution};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

/// After this long a resumed run counts as harmless, and the next one is resumed.
const SETTLE_TIME: Duration = Duration::from_secs(2);

/// How often a resumed run is looked at until then.
const SETTLE_POLL: Duration = Duration::from_millis(10);

/// Sleeping runs whose time passed while nothing ran that are resumed with the others; the clock
/// wakes the rest.
const MAX_OVERDUE: usize = 10_000;

/// How far a run has come that the last process left unfinished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecoveryPhase {
    Waits,
    /// It is noted on disk that this process resumes it. However often that is tried, it is one
    /// death if the process dies.
    Noted,
}

/// What is left to resume, and how many at once.
struct RecoveryQueue {
    left: VecDeque<UnfinishedExecution>,
    window: Arc<RecoveryWindow>,
}

/// What became of a run whose turn to be resumed had come.
enum RecoveryResult {
    Going(Arc<RunJournal>),
    /// It is not to be resumed, or not by us.
    Not,
    /// Somebody else is at it right now.
    Later,
}

impl Runtime {
    /// Goes on with what was running, or should have been woken, when the last process ended.
    pub(crate) async fn recover(self: &Arc<Self>) -> Result<(), Error> {
        match self.store.forget_interruptions().await {
            // What is not forgotten now is at the next start.
            Err(error) if !error.may_pass() => return Err(error.into()),
            _ => {}
        }
        let mut left = self.store.interrupted().await?;
        left.extend(self.store.due(self.now_ms(), None, MAX_OVERDUE).await?);
        // Those whose called run came to its end just before the last process did.
        left.extend(self.store.unblocked(0, usize::MAX).await?);
        left.extend(self.store.decided(0, usize::MAX).await?);
        let mut seen = HashSet::new();
        left.retain(|left| seen.insert(left.id));
        *lock(&self.recovering) = seen.into_iter().map(|id| (id, RecoveryPhase::Waits)).collect();
        // Those that were resumed before, and were at it when the process died again.
        let suspects = self.store.resumed_before().await?;
        let (suspects, left): (Vec<UnfinishedExecution>, Vec<UnfinishedExecution>) =
            left.into_iter().partition(|left| suspects.contains(&left.id));
        let mut suspects =
            RecoveryQueue { left: suspects.into(), window: RecoveryWindow::narrow() };
        let mut unfinished = RecoveryQueue { left: left.into(), window: RecoveryWindow::growing() };
        let runtime = self.clone();
        tokio::spawn(async move {
            // Their callers were removed or stopped, and the process died before they were.
            runtime.clone().stop_all_abandoned(None).await;
            runtime.recover_some(&mut suspects).await;
            suspects.window.settled().await;
            unfinished.left.extend(suspects.left);
            loop {
                runtime.recover_some(&mut unfinished).await;
                unfinished.window.settled().await;
                if runtime.is_stopping() {
                    return;
                }
                // Those that cannot be resumed now, or by this version, hold nobody up.
                runtime.recovered.cancel();
                if unfinished.left.is_empty() {
                    return;
                }
                tokio::time::sleep(FULL_DISK_PAUSE).await;
            }
        });
        Ok(())
    }

    /// Tries each once; leaves those that somebody else holds, and those for which something must
    /// be written first, and cannot be now. Nothing of a run is read before it has its turn, so
    /// that those that wait take no memory.
    async fn recover_some(self: &Arc<Self>, unfinished: &mut RecoveryQueue) {
        for _ in 0..unfinished.left.len() {
            let Some(permit) = unfinished.window.acquire().await else { return };
            let Some(slot) = self.stopping.run_until_cancelled(self.runner.slot()).await.flatten()
            else {
                return;
            };
            let Some(left) = unfinished.left.pop_front() else { return };
            let id = left.id;
            match self.recover_one(&left, slot, permit.is_narrow).await {
                RecoveryResult::Going(log) => {
                    drop(tokio::spawn(self.clone().watch_resumed(log, permit)))
                }
                RecoveryResult::Not => {}
                RecoveryResult::Later => {
                    unfinished.left.push_back(left);
                    continue;
                }
            }
            lock(&self.recovering).remove(&id);
        }
    }

    /// Goes on with a run whose end could not be written, from what is on disk, as after a crash.
    pub(crate) async fn resume_unwritten(self: Arc<Self>, id: i64) {
        lock(&self.recovering).insert(id, RecoveryPhase::Waits);
        while !self.is_stopping() {
            tokio::time::sleep(FULL_DISK_PAUSE).await;
            match self.store.execution(id).await {
                Ok(Some(Execution { state, .. })) if state.status == RunStatus::Running => {
                    let Some(slot) =
                        self.stopping.run_until_cancelled(self.runner.slot()).await.flatten()
                    else {
                        return;
                    };
                    match self.recover_one(&UnfinishedExecution { id, state }, slot, true).await {
                        RecoveryResult::Later => {}
                        RecoveryResult::Going(_) | RecoveryResult::Not => break,
                    }
                }
                Ok(_) => break,
                Err(error) => {
                    tracing::warn!(%error, execution = id, "Could not look up a run.")
                }
            }
        }
        if !self.is_stopping() {
            lock(&self.recovering).remove(&id);
        }
    }

    /// Holds the next one up until a resumed run is over, asleep, a step further, or has been
    /// running for a while.
    async fn watch_resumed(self: Arc<Self>, log: Arc<RunJournal>, permit: WindowPermit) {
        let began = Instant::now();
        while began.elapsed() < SETTLE_TIME
            && self.runner.is_running(log.id())
            && !log.has_progress()
        {
            tokio::time::sleep(SETTLE_POLL).await;
        }
        permit.settle();
    }

    async fn recover_one(
        self: &Arc<Self>,
        left: &UnfinishedExecution,
        slot: OwnedSemaphorePermit,
        is_one_of_few: bool,
    ) -> RecoveryResult {
        let id = left.id;
        if self.resume_backoff.is_backing_off(id, self.now_ms()) {
            return RecoveryResult::Later;
        }
        let Some(guard) = self.run_locks.try_lock(id) else { return RecoveryResult::Later };
        let error = match catch_panic(self.recover_locked(&guard, &left.state, slot, is_one_of_few))
            .await
        {
            Ok(resumed) => return resumed,
            Err(error) => error,
        };
        match self.abandon(&guard, &left.state, &error).await {
            Ok(ResumeFailure::Permanent | ResumeFailure::Superseded) => RecoveryResult::Not,
            Ok(ResumeFailure::Transient | ResumeFailure::Outage | ResumeFailure::Incompatible) => {
                RecoveryResult::Later
            }
            Err(error) => {
                tracing::warn!(%error, execution = id, "Could not resume a run; retrying.");
                RecoveryResult::Later
            }
        }
    }

    async fn recover_locked(
        self: &Arc<Self>,
        guard: &KeyGuard<i64>,
        left: &ExecutionState,
        slot: OwnedSemaphorePermit,
        is_one_of_few: bool,
    ) -> Result<RecoveryResult, Error> {
        let id = *guard.key();
        // Somebody may have stopped or woken it while it waited for its turn. One that was woken
        // may sleep again, and as it did before: whoever took it up has also ended its recovery.
        let now = self.store.execution(id).await?;
        let Some(execution) = now.filter(|now| same_state(&now.state, left)) else {
            return Ok(RecoveryResult::Not);
        };
        let Some(recovery) =
            lock(&self.recovering).get(&id).copied().filter(|_| !self.runner.is_running(id))
        else {
            return Ok(RecoveryResult::Not);
        };
        if recovery == RecoveryPhase::Waits
            && !self.record_resume(guard, &execution, left, is_one_of_few).await?
        {
            return Ok(RecoveryResult::Not);
        }
        let run = self
            .resume_locked(
                guard,
                ResumeReason::Interrupted(left.clone()),
                ReplyMode::Buffered,
                SlotPolicy::Has(slot),
            )
            .await;
        let log = run.as_ref().ok().and_then(Option::as_ref).map(|run| run.log.clone());
        if left.status == RunStatus::Waiting {
            self.pending_pages.deliver(id, run?);
        } else {
            run?;
        }
        Ok(log.map_or(RecoveryResult::Not, RecoveryResult::Going))
    }

    /// Whether the last process left a run unfinished that is still to be resumed.
    pub(crate) fn is_recovering(&self, id: i64) -> bool {
        lock(&self.recovering).contains_key(&id)
    }

    /// Notes what a clean stop leaves unfinished. If it cannot be written, the next start takes the
    /// stop for a crash.
    pub(crate) async fn note_clean_stop(&self) {
        let mut unfinished = self.runner.running();
        unfinished.extend(lock(&self.recovering).keys());
        if let Err(error) = self.store.record_clean_stop(unfinished, self.recorder.last_id()).await
        {
            tracing::warn!(%error, "Could not record the stop.");
        }
    }
}
