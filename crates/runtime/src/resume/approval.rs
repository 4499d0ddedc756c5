//! What a person decides about a call that an agent asks for, and the run that goes on with it.

mod calls;

pub use calls::{ApprovalCall, approval_calls};
pub(crate) use calls::{change_of, decide};

use crate::execute::journal::RunJournal;
use crate::execute::start::SlotPolicy;
use crate::resume::decision::Resolution;
use crate::resume::journal_state::JournalState;
use crate::resume::resumption::ResumeReason;
use crate::task::spawn_detached;
use crate::{AcceptedRun, Error, Runtime};
use model::{RunEvent, RunStatus, Str};
use node_api::checkpoints::ApprovalVerdict;
use node_api::trigger::ReplyMode;
use std::sync::Arc;
use std::time::Duration;

/// How often, and after what pauses, a run is tried that is just being resumed.
const MAX_ATTEMPTS: usize = 500;
const ATTEMPT_DELAY: Duration = Duration::from_millis(10);

/// What a person says about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalDecision {
    pub verdict: ApprovalVerdict,
    /// The digest of the call that they have seen.
    pub digest: Str,
    pub reason: Option<Str>,
    /// Who they are.
    pub by: Str,
}

impl Runtime {
    /// Takes down what a person has decided about a call, and lets the run go on. Returns once the
    /// decision is on disk, with the run if it was asleep; one that is at work on something else
    /// takes it up when it stands still again. Whoever has decided may go.
    pub async fn decide_approval(
        self: &Arc<Self>,
        id: i64,
        call: &str,
        decision: ApprovalDecision,
    ) -> Result<Option<AcceptedRun>, Error> {
        let (runtime, call) = (self.clone(), Str::from(call));
        spawn_detached(async move { runtime.decide_with_retry(id, call, decision).await }).await
    }

    async fn decide_with_retry(
        self: &Arc<Self>,
        id: i64,
        call: Str,
        decision: ApprovalDecision,
    ) -> Result<Option<AcceptedRun>, Error> {
        for _ in 0..MAX_ATTEMPTS {
            if let Some(guard) = self.run_locks.try_lock(id) {
                if !self.runner.is_running(id) {
                    let run = self
                        .resume_locked(
                            &guard,
                            ResumeReason::ApprovalDecided { call, decision },
                            ReplyMode::Buffered,
                            SlotPolicy::Acquire,
                        )
                        .await?;
                    if let Some(run) = &run {
                        self.runner.flush_journal(&run.log).await?;
                    }
                    return Ok(run);
                }
                if let Some(log) = self.recorder.log(&id.to_string())
                    && self.decide_while_running(&log, &call, &decision).await?
                {
                    return Ok(None);
                }
            }
            // It is just being resumed, ending or going to sleep.
            tokio::time::sleep(ATTEMPT_DELAY).await;
        }
        Err(Error::WrongStatus { id, status: RunStatus::Running.name() })
    }

    /// Writes a decision into the journal of a run that is at work; `false` if it is not any more.
    async fn decide_while_running(
        &self,
        log: &Arc<RunJournal>,
        call: &str,
        decision: &ApprovalDecision,
    ) -> Result<bool, Error> {
        let id = log.id();
        self.runner.flush_journal(log).await?;
        let events = self.store.outline(id).await?;
        let decided = decide(id, RunStatus::Running, &events, call, decision, self.now_ms())?;
        if !self.recorder.record_if_running(log, decided) {
            return Ok(false);
        }
        self.runner.flush_journal(log).await?;
        Ok(true)
    }

    /// Goes on with a run about which something was decided while it was at work.
    pub(crate) async fn resume_approved(self: Arc<Self>, id: i64) {
        let guard = self.run_locks.lock(id).await;
        if self.runner.is_running(id) {
            return;
        }
        match self
            .resume_locked(
                &guard,
                ResumeReason::ApprovalRecorded,
                ReplyMode::Buffered,
                SlotPolicy::Acquire,
            )
            .await
        {
            // Somebody else was there first, or it was stopped.
            Ok(_) | Err(Error::WrongStatus { .. } | Error::NoExecution { .. }) => {}
            // What is still asleep then is looked at again with the clock.
            Err(error) => {
                tracing::error!(%error, execution = id, "Could not deliver an approval decision to its run.")
            }
        }
    }
}

impl JournalState {
    /// Applies a decision to the journal.
    pub(crate) fn apply_approval(&mut self, decided: Option<RunEvent>) -> Resolution {
        if let Some(RunEvent::StepRecorded { key, value, .. }) = &decided {
            self.notes.insert(key.clone(), value.clone());
        }
        Resolution { events: decided.into_iter().collect(), ..Resolution::default() }
    }
}
