//! Wakes runs when what they wait for has happened: a called run is over, or a person has decided.

use crate::execute::completion::RunSignal;
use crate::resume::resumption::ResumeReason;
use crate::schedule::clock::{WAKE_BATCH, WakeCursor, log_and_continue};
use crate::task::catch_panic;
use crate::{Error, Runtime};
use model::RunStatus;
use std::sync::Arc;
use store::executions::UnfinishedExecution;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

impl Runtime {
    /// Wakes callers as the runs they wait for come to their ends, and stops runs that nobody waits
    /// for any more.
    pub(crate) async fn handle_signals(
        self: Arc<Self>,
        mut signals: mpsc::UnboundedReceiver<RunSignal>,
    ) {
        loop {
            let signal = tokio::select! {
                biased;
                () = self.stopping.cancelled() => return,
                Some(signal) = signals.recv() => signal,
                else => return,
            };
            match signal {
                RunSignal::ChildFinished(id) => {
                    tokio::spawn(self.clone().wake_with_slot(id));
                }
                RunSignal::DecisionMade(id) => {
                    tokio::spawn(self.clone().resume_approved(id));
                }
                RunSignal::DueSoon => self.clock_changed.notify_one(),
                RunSignal::EndUnwritten(id) => {
                    tokio::spawn(self.clone().resume_unwritten(id));
                }
                RunSignal::Orphaned(id) => {
                    tokio::spawn(self.clone().stop_abandoned(id));
                }
                RunSignal::CallerFinished(id) => {
                    tokio::spawn(self.clone().stop_all_abandoned(Some(id)));
                }
            }
        }
    }

    /// Nothing of a caller is read before it has its turn.
    async fn wake_with_slot(self: Arc<Self>, id: i64) {
        let Some(slot) = self.stopping.run_until_cancelled(self.runner.slot()).await.flatten()
        else {
            return;
        };
        if let Err(error) = catch_panic(self.wake_if_unblocked(id, slot)).await {
            tracing::error!(%error, execution = id, "Could not notify a run that the run it waits for has finished.");
        }
    }

    async fn wake_if_unblocked(
        self: &Arc<Self>,
        id: i64,
        slot: OwnedSemaphorePermit,
    ) -> Result<(), Error> {
        if self.runner.is_running(id) || self.is_recovering(id) {
            return Ok(());
        }
        let Some(execution) = self.store.execution(id).await? else { return Ok(()) };
        let Some(called) =
            execution.state.waits_for.filter(|_| execution.state.status == RunStatus::Waiting)
        else {
            return Ok(());
        };
        let called = self.store.execution(called).await?;
        if called.is_some_and(|called| {
            matches!(called.state.status, RunStatus::Running | RunStatus::Waiting)
        }) {
            return Ok(());
        }
        let left = UnfinishedExecution { id, state: execution.state };
        let resume = ResumeReason::Due(left.state.clone());
        self.wake_or_abandon(left, resume, slot).await
    }

    /// Wakes every run whose called run is over, or about which a person has decided: those that
    /// got no signal, because the process ended or another one did it. Gives back whether some have
    /// to wait.
    pub(crate) async fn wake_unblocked(
        self: &Arc<Self>,
        passed: &mut WakeCursor,
    ) -> Result<bool, Error> {
        let answered = self.store.unblocked(passed.answered, WAKE_BATCH).await?;
        let decided = self.store.decided(passed.decided, WAKE_BATCH).await?;
        let mut has_to_wait = false;
        for (all, passed) in [(&answered, &mut passed.answered), (&decided, &mut passed.decided)] {
            // Behind the last one it begins anew.
            *passed = all.last().filter(|_| all.len() == WAKE_BATCH).map_or(0, |last| last.id);
            has_to_wait |= *passed > 0;
        }
        let answered =
            answered.into_iter().map(|left| (ResumeReason::Due(left.state.clone()), left));
        for (resume, left) in
            answered.chain(decided.into_iter().map(|left| (ResumeReason::ApprovalRecorded, left)))
        {
            let id = left.id;
            if !self.runner.is_running(id)
                && !self.is_recovering(id)
                && !self.resume_backoff.is_backing_off(id, self.now_ms())
            {
                let Some(slot) = self.scheduler_slot() else { return Ok(true) };
                has_to_wait |= log_and_continue(
                    self.wake_or_abandon(left, resume, slot).await,
                    "Could not wake a run: execution",
                    id,
                )?;
            }
        }
        Ok(has_to_wait)
    }
}
