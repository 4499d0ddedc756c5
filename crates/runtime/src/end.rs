//! Sees runs to their end, and tells others of it.

use crate::Error;
use crate::loaded::Loaded;
use crate::log::RunLog;
use crate::place::Place;
use crate::runner::Runner;
use engine::Outcome;
use model::{RunEvent, RunStatus, Str};
use std::sync::Arc;
use store::executions::CalledFrom;

/// What one run is to know of another.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Word {
    /// What this run waits for may be over.
    MayGoOn(i64),
    /// Nobody waits for this run any more.
    IsAbandoned(i64),
    /// This run is over; nobody wants what those that it called would give.
    CallerIsOver(i64),
    /// Something was decided about this run before it went to sleep.
    IsDecided(i64),
    /// What this run has told last could not be written, so that it stands as if it went on.
    IsUnwritten(i64),
}

impl Runner {
    /// The end of a run that broke, told as if the engine had.
    pub(crate) fn broken_off(
        &self,
        log: &RunLog,
        workflow: &Loaded,
        run_id: Str,
        mode: Str,
    ) -> Outcome {
        let outcome =
            Outcome::panicked(&workflow.plan, run_id, mode, self.engine.ports.clock.now_ms());
        let (status, error, finished_ms) =
            (outcome.status, outcome.error.clone(), outcome.finished_ms);
        if !log.is_over() {
            self.recorder.note(log, RunEvent::RunFinished { status, error, finished_ms });
        }
        outcome
    }

    pub(crate) async fn finish(
        &self,
        place: Place,
        workflow: &Loaded,
        outcome: &Outcome,
        request: &str,
    ) {
        let log = &place.log.clone();
        let mut is_unwritten = false;
        match self.recorder.flush(log).await {
            Ok(()) => log_end(log.id(), workflow, outcome, request),
            // Whoever started it has been told.
            Err(_) if log.refusal().is_some() => {}
            // Somebody has removed it.
            Err(store::Error::Gone { .. }) => {}
            Err(error) => {
                tracing::error!(%error, execution = log.id(), "The end of a run could not be written.");
                is_unwritten = true;
            }
        }
        drop(place);
        if is_unwritten {
            self.say(Word::IsUnwritten(log.id()));
            return;
        }
        match outcome.status {
            // From here on it can be woken; what it waits for may have ended meanwhile.
            RunStatus::Waiting if outcome.asks && log.is_ruled() => {
                self.say(Word::IsDecided(log.id()))
            }
            RunStatus::Waiting if outcome.waits_for.is_some() => self.say(Word::MayGoOn(log.id())),
            RunStatus::Waiting => {}
            _ => {
                // It may have been stopped while others slept or went on for it.
                if log.has_called() {
                    self.say(Word::CallerIsOver(log.id()));
                }
                self.tell_caller(log.parent());
            }
        }
    }

    /// Says something to whoever looks after runs that call each other. With nobody there, the next
    /// start finds out.
    pub(crate) fn say(&self, word: Word) {
        let _ = self.words.send(word);
    }

    /// Tells whoever called a run that it is over, or that a person must decide.
    pub(crate) fn tell_caller(&self, caller: Option<CalledFrom>) {
        if let Some(caller) = caller {
            self.say(Word::MayGoOn(caller.execution));
        }
    }

    /// Returns once the run is on disk: from now on it is not lost. If it cannot be written it is
    /// turned away.
    pub async fn accepted(&self, log: &Arc<RunLog>) -> Result<(), Error> {
        let written = self.written(log).await;
        // One that was accepted before, and was woken, goes on: what it could not tell yet it tells
        // later.
        if written.is_err() && log.refusal().is_some() {
            self.cancel(log.id());
        }
        written
    }

    /// Returns once everything that has happened in a run so far is on disk.
    pub async fn written(&self, log: &Arc<RunLog>) -> Result<(), Error> {
        Ok(self.recorder.flush(log).await?)
    }
}

/// The one line about a run. Messages of errors may quote data, so that only their codes are told.
fn log_end(id: i64, workflow: &Loaded, outcome: &Outcome, request: &str) {
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
