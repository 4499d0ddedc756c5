//! Counts the crashes that a run was active at, and leaves a run to a person that may cause them.
//!
//! A run is recorded on disk before anything of it is read. If the process dies again and the run
//! has recorded nothing since, it may be what kills the process: it is not resumed a third time,
//! and a person decides. A run that finished a step in between is resumed once more: the crashes
//! met different steps of it.

use crate::execute::journal::JournalProgress;
use crate::key_lock::KeyGuard;
use crate::resume::recovery::RecoveryPhase;
use crate::{Error, Runtime, lock};
use model::{Code, RunStatus, Str};
use node_api::NodeError;
use store::executions::{Execution, ExecutionState};
use store::interruptions::{Interruption, Trail};

/// Deaths in a row at which a run that recorded nothing in between is quarantined.
const QUARANTINE_DEATHS: u32 = 2;

/// Deaths in a row at which a run is quarantined whatever it recorded in between.
const MAX_DEATHS: u32 = 3;

const QUARANTINE_HINT: &str = "Check the last step and its input. Then resume the execution, enter the step's result, retry \
     or stop it.";

impl Runtime {
    /// Notes on disk that a run is resumed; `false` if it has met too many deaths, and is left to a
    /// person.
    pub(super) async fn record_resume(
        &self,
        guard: &KeyGuard<i64>,
        execution: &Execution,
        left: &ExecutionState,
        is_one_of_few: bool,
    ) -> Result<bool, Error> {
        let id = *guard.key();
        let interruption = self.store.interruption(id).await?;
        let mut deaths = match interruption {
            Some(interruption) if interruption.was_stopped => 0,
            Some(interruption) => interruption.deaths + 1,
            None => 1,
        };
        if deaths >= QUARANTINE_DEATHS {
            let trail = self
                .store
                .journal_trail(id, interruption.map_or(0, |interruption| interruption.pieces))
                .await?;
            if trail.has_progress && left.status == RunStatus::Waiting {
                // It went to sleep since, and was not at it when the process died.
                deaths = 1;
            } else if !trail.has_progress || deaths >= MAX_DEATHS {
                self.quarantine(guard, execution, deaths, &trail).await?;
                return Ok(false);
            }
        }
        let pieces = self.store.journal_length(id).await?.segments;
        // Should the process die with this one among many, the next start resumes it as one of few.
        let deaths = if is_one_of_few { deaths } else { deaths.saturating_sub(1) };
        self.store
            .record_interruption(id, Interruption { deaths, pieces, was_stopped: false })
            .await?;
        lock(&self.recovering).entry(id).and_modify(|recovery| *recovery = RecoveryPhase::Noted);
        Ok(true)
    }

    /// Leaves a run to a person: it stands as uncertain, and says why.
    async fn quarantine(
        &self,
        guard: &KeyGuard<i64>,
        execution: &Execution,
        deaths: u32,
        trail: &Trail,
    ) -> Result<(), Error> {
        let id = execution.id;
        let step = trail
            .last_step
            .as_ref()
            .map(|node| format!(" Its last step was '{node}'."))
            .unwrap_or_default();
        let message = format!(
            "The execution was running the last {deaths} times the process crashed, so it is \
                 not resumed.{step}"
        );
        tracing::error!(
            execution = id,
            workflow = %execution.started.workflow_id,
            deaths,
            step = trail.last_step.as_deref().unwrap_or_default(),
            code = Code::RUN_QUARANTINED.name(),
            "Execution quarantined."
        );
        let reason = NodeError::new(Code::RUN_QUARANTINED, Str::from(message))
            .hint(QUARANTINE_HINT)
            .to_run_error("");
        // Should a person resume it, one more death is enough.
        self.store
            .record_interruption(
                id,
                Interruption { deaths, pieces: trail.pieces + 1, was_stopped: false },
            )
            .await?;
        let parts = self.store.journal_length(id).await?.parts;
        let written = JournalProgress { segments: trail.pieces, parts, events: trail.events };
        Ok(self.finish_unresumed(guard, execution, written, RunStatus::Uncertain, reason).await?)
    }
}
