//! Fires what is due: triggers by the clock, and sleeping runs whose time has come.

use crate::resume::backoff::ResumeFailure;
use crate::resume::resumption::ResumeReason;
use crate::{Error, Runtime, lock};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;

/// How long a claimed trigger is ours; after a crash it becomes due again.
const LEASE_MS: i64 = 30_000;
/// The longest pause between two rounds.
pub(crate) const MAX_SLEEP_MS: i64 = 30_000;
/// The pause after a round that failed, as on a full disk.
const ERROR_SLEEP_MS: i64 = 1000;
/// The same when something that is due has to wait for others.
const BUSY_SLEEP_MS: i64 = 200;
/// Sleeping runs that are woken in one go.
pub(crate) const WAKE_BATCH: usize = 100;

/// Up to which runs the last rounds have come.
#[derive(Default)]
pub(crate) struct WakeCursor {
    pub(crate) answered: i64,
    pub(crate) decided: i64,
}

/// The slot that the clock was given when its turn came, until it uses it.
#[derive(Default)]
pub(crate) struct SchedulerSlot {
    slot: Option<OwnedSemaphorePermit>,
    is_in_line: bool,
}

impl Runtime {
    /// Fires what is due until the process ends.
    pub(crate) async fn run_scheduler(self: Arc<Self>) {
        let mut passed = WakeCursor::default();
        loop {
            let fired = self.fire_due(&mut passed).await;
            if let Err(error) = &fired {
                tracing::error!(%error, "Could not fire all due timers.");
            }
            let nap = match self.next_due().await {
                _ if fired.is_err() => ERROR_SLEEP_MS,
                Ok(Some(due)) if matches!(fired, Ok(true)) => {
                    (due - self.now_ms()).clamp(BUSY_SLEEP_MS, MAX_SLEEP_MS)
                }
                Ok(Some(due)) => (due - self.now_ms()).clamp(5, MAX_SLEEP_MS),
                _ => MAX_SLEEP_MS,
            };
            tokio::select! {
                biased;
                () = self.stopping.cancelled() => return,
                () = self.clock_changed.notified() => {}
                () = tokio::time::sleep(Duration::from_millis(nap as u64)) => {}
            }
        }
    }

    async fn next_due(&self) -> Result<Option<i64>, store::Error> {
        let moments = [
            self.store.next_schedule().await?,
            self.store.next_due().await?,
            self.store.next_held_decision().await?,
        ];
        Ok(moments.into_iter().flatten().min())
    }

    /// Gives back whether something that is due has to wait. What is wrong with one of them does
    /// not keep the others waiting.
    async fn fire_due(self: &Arc<Self>, passed: &mut WakeCursor) -> Result<bool, Error> {
        let now = self.now_ms();
        let mut has_to_wait = false;
        for schedule in self.store.claim_schedules(now, &self.owner, LEASE_MS).await? {
            let timer = self
                .active()
                .timer(&(schedule.workflow_id.clone(), schedule.node.clone()))
                .cloned();
            // One that is being read, or cannot say yet what it listens to, is looked at again when
            // its lease is over.
            let Some(timer) = timer else { continue };
            let workflow = schedule.workflow_id.clone();
            has_to_wait |= log_and_continue(
                self.fire(&timer, schedule, now).await,
                "Could not fire a schedule: workflow",
                workflow,
            )?;
        }
        has_to_wait |= self.wake_due(now).await?;
        has_to_wait |= self.wake_unblocked(passed).await?;
        has_to_wait |= self.apply_due_decisions(now).await?;
        // What it stood in line for may have been woken by somebody else.
        lock(&self.clock_slot).slot = None;
        Ok(has_to_wait)
    }

    /// A slot for a sleeping run. While all are taken the clock stands in line, once, as new runs
    /// do, or they would leave none for it.
    pub(crate) fn scheduler_slot(self: &Arc<Self>) -> Option<OwnedSemaphorePermit> {
        let mut mine = lock(&self.clock_slot);
        let slot = mine.slot.take().or_else(|| self.runner.free_slot());
        if slot.is_none() && !mine.is_in_line {
            mine.is_in_line = true;
            let runtime = self.clone();
            tokio::spawn(async move {
                let slot =
                    runtime.stopping.run_until_cancelled(runtime.runner.slot()).await.flatten();
                *lock(&runtime.clock_slot) = SchedulerSlot { slot, is_in_line: false };
                runtime.clock_changed.notify_one();
            });
        }
        slot
    }

    /// Those that the last process left behind, and those that could not be resumed, have their
    /// time; they are passed over.
    async fn wake_due(self: &Arc<Self>, now: i64) -> Result<bool, Error> {
        let (mut after, mut has_to_wait, mut woken) = (None, false, 0);
        loop {
            let due = self.store.due(now, after, WAKE_BATCH).await?;
            let is_last = due.len() < WAKE_BATCH;
            after = due.last().map(|last| (last.state.wait_till_ms.unwrap_or_default(), last.id));
            for execution in due {
                let id = execution.id;
                if self.is_recovering(id) || self.resume_backoff.is_backing_off(id, now) {
                    has_to_wait = true;
                    continue;
                }
                // Nothing of a run is read before it has its turn.
                let Some(slot) = self.scheduler_slot() else { return Ok(true) };
                let resume = ResumeReason::Due(execution.state.clone());
                has_to_wait |= log_and_continue(
                    self.wake_or_abandon(execution, resume, slot).await,
                    "Could not wake a run: execution",
                    id,
                )?;
                woken += 1;
            }
            if is_last || woken >= WAKE_BATCH {
                return Ok(has_to_wait);
            }
        }
    }
}

/// Logs what is wrong with one run or schedule, so that the others go on; whether something was.
/// What concerns all of them comes back.
pub(crate) fn log_and_continue(
    done: Result<(), Error>,
    what: &'static str,
    whose: impl std::fmt::Display,
) -> Result<bool, Error> {
    match done {
        Err(error) if error.resume_failure() == ResumeFailure::Outage => Err(error),
        Err(error) => {
            tracing::error!(%error, code = error.code().name(), "{what} {whose}");
            Ok(true)
        }
        Ok(()) => Ok(false),
    }
}
