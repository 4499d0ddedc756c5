//! The end of a run: it is written, logged and signalled.

use crate::Error;
use crate::execute::admission::RunGuard;
use crate::execute::journal::RunJournal;
use crate::execute::runner::Runner;
use crate::loaded_workflow::LoadedWorkflow;
use crate::schedule::clock::MAX_SLEEP_MS;
use engine::RunOutcome;
use model::{RunEvent, RunStatus, Str};
use std::sync::Arc;
use store::executions::ParentCall;

/// What one run is to know of another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RunSignal {
    /// What this run waits for may be over.
    ChildFinished(i64),
    /// Nobody waits for this run any more.
    Orphaned(i64),
    /// This run is over; nobody wants what those that it called would give.
    CallerFinished(i64),
    /// Something was decided about this run before it went to sleep.
    DecisionMade(i64),
    /// A run has gone to sleep, and its time comes before the scheduler would look again.
    DueSoon,
    /// The last events of this run could not be written, so that its row says it is running.
    EndUnwritten(i64),
}

impl Runner {
    /// Records the end of a run that panicked, as the engine would.
    pub(crate) fn record_panic(
        &self,
        log: &RunJournal,
        workflow: &LoadedWorkflow,
        run_id: Str,
        mode: Str,
    ) -> RunOutcome {
        let outcome =
            RunOutcome::panicked(&workflow.plan, run_id, mode, self.engine.ports.clock.now_ms());
        let (status, error, finished_ms) =
            (outcome.status, outcome.error.clone(), outcome.finished_ms);
        if !log.is_over() {
            self.recorder.record(log, RunEvent::RunFinished { status, error, finished_ms });
        }
        outcome
    }

    pub(crate) async fn finish(
        &self,
        guard: RunGuard,
        workflow: &LoadedWorkflow,
        outcome: &RunOutcome,
        request: &str,
    ) {
        let log = &guard.log.clone();
        let mut is_unwritten = false;
        match self.recorder.flush(log).await {
            Ok(()) => log_end(log.id(), workflow, outcome, request),
            // Its caller has got the error.
            Err(_) if log.refusal().is_some() => {}
            // Somebody has removed it.
            Err(store::Error::Gone { .. }) => {}
            Err(error) => {
                tracing::error!(%error, execution = log.id(), "Could not record the end of a run.");
                is_unwritten = true;
            }
        }
        drop(guard);
        if is_unwritten {
            self.signal(RunSignal::EndUnwritten(log.id()));
            return;
        }
        match outcome.status {
            // From here on it can be woken; what it waits for may have ended meanwhile.
            RunStatus::Waiting if outcome.asks && log.has_decision() => {
                self.signal(RunSignal::DecisionMade(log.id()))
            }
            RunStatus::Waiting if outcome.waits_for.is_some() => {
                self.signal(RunSignal::ChildFinished(log.id()))
            }
            RunStatus::Waiting if self.is_due_soon(outcome) => self.signal(RunSignal::DueSoon),
            RunStatus::Waiting => {}
            _ => {
                // It may have been stopped while others slept or went on for it.
                if log.has_called() {
                    self.signal(RunSignal::CallerFinished(log.id()));
                }
                self.signal_caller(log.parent());
            }
        }
    }

    fn is_due_soon(&self, outcome: &RunOutcome) -> bool {
        let now = self.engine.ports.clock.now_ms();
        outcome.wait_till_ms.is_some_and(|due| due < now.saturating_add(MAX_SLEEP_MS))
    }

    /// Sends a signal between runs. If nothing handles it, the next start finds out.
    pub(crate) fn signal(&self, signal: RunSignal) {
        let _ = self.signals.send(signal);
    }

    /// Signals the caller of a run that it is over, or that a person must decide.
    pub(crate) fn signal_caller(&self, caller: Option<ParentCall>) {
        if let Some(caller) = caller {
            self.signal(RunSignal::ChildFinished(caller.execution));
        }
    }

    /// Returns once the run is on disk: from now on it is not lost. If it cannot be written it is
    /// turned away.
    pub async fn wait_accepted(&self, log: &Arc<RunJournal>) -> Result<(), Error> {
        let written = self.flush_journal(log).await;
        // One that was accepted before, and was woken, goes on: what it could not tell yet it tells
        // later.
        if written.is_err() && log.refusal().is_some() {
            self.cancel(log.id());
        }
        written
    }

    /// Returns once everything that has happened in a run so far is on disk.
    pub async fn flush_journal(&self, log: &Arc<RunJournal>) -> Result<(), Error> {
        Ok(self.recorder.flush(log).await?)
    }
}

/// The one line about a run. Messages of errors may quote data, so that only their codes are
/// logged.
fn log_end(id: i64, workflow: &LoadedWorkflow, outcome: &RunOutcome, request: &str) {
    let (status, mode) = (outcome.status.name(), outcome.mode.as_str());
    let milliseconds = outcome.finished_ms - outcome.started_ms;
    match &outcome.error {
        None => {
            tracing::debug!(execution = id, workflow = %workflow.id, name = %workflow.name, mode, status, milliseconds, "Execution finished.")
        }
        Some(error) => {
            let node = error.node.as_deref().unwrap_or_default();
            tracing::warn!(execution = id, workflow = %workflow.id, name = %workflow.name, mode, status, milliseconds, code = error.code.name(), node, request, "Execution failed.");
        }
    }
}
