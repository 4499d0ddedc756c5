//! Takes up a run that is not running: one that sleeps, one that a person decides about, one that
//! the last process left.
//!
//! Invariant: how a run stands is asked while nobody else can take it up. What was seen before is
//! only what somebody means: a run may have gone on to its next wait, ended or been stopped since.
//! Invariant: what has begun comes to its end. A caller who has gone does not leave a run half
//! taken up.

use crate::execute::start::SlotPolicy;
use crate::key_lock::KeyGuard;
use crate::resume::approval::{self, ApprovalDecision};
use crate::resume::decision::Decision;
use crate::resume::journal_state::{JournalState, Resumable};
use crate::resume::waiting_run::WaitingRun;
use crate::task::spawn_detached;
use crate::{AcceptedRun, Error, Runtime, lock};
use model::{Item, Items, RunStatus, Str};
use node_api::trigger::ReplyMode;
use std::sync::Arc;
use std::time::Duration;
use store::executions::{Execution, ExecutionState};
use tokio::time::timeout;

/// Why a run is taken up, and how it stood for whoever wants that.
pub(crate) enum ResumeReason {
    /// The last process left it so.
    Interrupted(ExecutionState),
    /// The time that it waited for has come, or what it waited for is over.
    Due(ExecutionState),
    /// A call from outside, which is for one of its waits.
    Called { wait: usize, item: Item },
    /// A person has said what became of a step that may have happened.
    Decided(Decision),
    /// A person has said something about a call that an agent asks for.
    ApprovalDecided { call: Str, ruling: ApprovalDecision },
    /// The same, while it was at work; its journal has it.
    ApprovalRecorded,
}

impl ResumeReason {
    /// Whether a run that stands so is taken up. What its journal must tell on top of that is asked
    /// later.
    fn fits(&self, state: &ExecutionState) -> bool {
        match self {
            Self::Interrupted(seen) => same_state(state, seen),
            Self::Due(seen) => state.status == RunStatus::Waiting && same_state(state, seen),
            Self::Called { .. } | Self::ApprovalRecorded => state.status == RunStatus::Waiting,
            Self::Decided(_) => state.status == RunStatus::Uncertain,
            // The open calls that its journal has decide.
            Self::ApprovalDecided { .. } => true,
        }
    }

    /// What wakes the run, if it sleeps.
    fn woken_by(self, story: &JournalState) -> Option<Option<Items>> {
        match self {
            Self::Interrupted(seen) => (seen.status == RunStatus::Waiting).then_some(None),
            Self::Due(_) | Self::ApprovalDecided { .. } | Self::ApprovalRecorded => Some(None),
            Self::Called { item, .. } => Some(Some(Items::one(item))),
            // One that was quarantined in its sleep was to be woken.
            Self::Decided(_) => story.is_paused.then_some(None),
        }
    }
}

/// Whether a run stands as somebody has seen it: at the same wait, if it sleeps.
pub(crate) fn same_state(state: &ExecutionState, seen: &ExecutionState) -> bool {
    (state.status, state.wait_till_ms, state.waits_for)
        == (seen.status, seen.wait_till_ms, seen.waits_for)
}

impl Runtime {
    /// Wakes a run that sleeps as this row of it says, for somebody who goes on with it.
    pub async fn wake(
        self: &Arc<Self>,
        execution: &Execution,
    ) -> Result<Option<AcceptedRun>, Error> {
        self.resume(execution.id, ResumeReason::Due(execution.state.clone()), ReplyMode::Buffered)
            .await
    }

    /// Wakes a run from the wait that somebody has found it at, for whom it goes on.
    pub(crate) async fn wake_for(
        self: &Arc<Self>,
        waiting: &WaitingRun,
        item: Item,
        takes: ReplyMode,
    ) -> Result<AcceptedRun, Error> {
        let (id, wait) = (waiting.id, waiting.wait);
        let taken = self.resume(id, ResumeReason::Called { wait, item }, takes).await?;
        taken.ok_or(Error::WrongStatus { id, status: RunStatus::Uncertain.name() })
    }

    /// `None` if a step of it may have happened, which a person has to decide about. Goes on also
    /// if nobody waits for it any more.
    pub(crate) async fn resume(
        self: &Arc<Self>,
        id: i64,
        resume: ResumeReason,
        takes: ReplyMode,
    ) -> Result<Option<AcceptedRun>, Error> {
        let guard = self.lock_idle(id).await?;
        let runtime = self.clone();
        spawn_detached(async move {
            runtime.resume_locked(&guard, resume, takes, SlotPolicy::Acquire).await
        })
        .await
    }

    /// Locks a run that nobody runs.
    pub(crate) async fn lock_idle(&self, id: i64) -> Result<KeyGuard<i64>, Error> {
        let runs = || Error::WrongStatus { id, status: RunStatus::Running.name() };
        let guard = self.run_locks.try_lock(id).ok_or_else(runs)?;
        // Asked once it is locked: whoever had it before may have let it go on.
        if self.wait_released(id).await? { Ok(guard) } else { Err(runs()) }
    }

    /// Whether nobody runs it. One that sleeps or has ended, as its row says, is let go of in a
    /// moment, and waited for.
    pub(crate) async fn wait_released(&self, id: i64) -> Result<bool, Error> {
        const MOMENT: Duration = Duration::from_secs(5);
        if !self.runner.is_running(id) {
            return Ok(true);
        }
        let stands = self.store.execution(id).await?.map(|execution| execution.state.status);
        Ok(stands.is_some_and(|status| status != RunStatus::Running)
            && timeout(MOMENT, self.runner.wait_stopped(id)).await.is_ok())
    }

    /// The same for a run that does not run, by somebody who does not stop half way.
    pub(crate) async fn resume_locked(
        self: &Arc<Self>,
        guard: &KeyGuard<i64>,
        resume: ResumeReason,
        takes: ReplyMode,
        turn: SlotPolicy,
    ) -> Result<Option<AcceptedRun>, Error> {
        let id = *guard.key();
        let execution = self.store.execution(id).await?.ok_or(Error::NoExecution { id })?;
        let status = execution.state.status;
        if !resume.fits(&execution.state) {
            return Err(Error::WrongStatus { id, status: status.name() });
        }
        let events = self.store.journal(id).await?;
        let ruled = match &resume {
            ResumeReason::ApprovalDecided { call, ruling } => {
                Some(approval::decide(id, status, &events, call, ruling, self.now_ms())?)
            }
            _ => None,
        };
        let pieces = self.store.journal_length(id).await?;
        if pieces.segments == 0 {
            // Somebody has deleted it since its row was read: it would begin a journal that belongs
            // to no run.
            return Err(Error::NoExecution { id });
        }
        let mut story = JournalState::read(events);
        match &resume {
            ResumeReason::Called { wait, .. } if !story.sleeps_at(*wait) => {
                return Err(Error::StaleLink { id });
            }
            ResumeReason::Decided(Decision { seen: Some(seen), .. }) if *seen != story.n_events => {
                return Err(Error::RunAdvanced { id });
            }
            // It was woken since, and sleeps for something else.
            ResumeReason::ApprovalRecorded if !story.asks => {
                return Err(Error::WrongStatus { id, status: status.name() });
            }
            _ => {}
        }
        let workflow = self.workflow_of(&execution).await?;
        let callers = self.callers_of(&execution).await?;
        let settled = match (&resume, story.resumable(&workflow)) {
            (ResumeReason::Decided(decision), _) => {
                let settled = story.apply_decision(decision, &workflow)?;
                self.store.set_status(id, RunStatus::Running).await?;
                settled
            }
            (_, Resumable::Uncertain { node }) => {
                tracing::warn!(execution = id, %node, "A step may have taken effect before the process ended; a person must decide.");
                self.store.set_status(id, RunStatus::Uncertain).await?;
                self.runner.signal_caller(execution.started.parent);
                return Ok(None);
            }
            (_, Resumable::Safe) => story.apply_approval(ruled),
        };
        let woken_by = resume.woken_by(&story);
        if let Some(items) = &woken_by {
            story.wake(items.clone());
        }
        let past = story.into_resume_state(execution, callers, workflow, pieces, woken_by);
        // Whatever the last process left of it is over with this, also if it soon stands the same
        // way again.
        lock(&self.recovering).remove(&id);
        self.resume_backoff.forget(id);
        Ok(Some(self.runner.resume(past, settled, takes, turn)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_00_a_run_that_sleeps_elsewhere_is_not_as_the_last_process_left_it() {
        let at = |wait_till_ms, waits_for| ExecutionState {
            wait_till_ms,
            waits_for,
            ..ExecutionState::of(RunStatus::Waiting)
        };
        for resume in
            [ResumeReason::Interrupted(at(Some(5), None)), ResumeReason::Due(at(Some(5), None))]
        {
            assert!(resume.fits(&at(Some(5), None)));
            for other in [
                at(None, None),
                at(Some(9), None),
                at(Some(5), Some(3)),
                ExecutionState::of(RunStatus::Running),
            ] {
                assert!(!resume.fits(&other), "{other:?}");
            }
        }
    }
}
