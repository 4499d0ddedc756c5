//! Takes up a run that is not running: one that sleeps, one that a person decides about, one that
//! the last process left.
//!
//! Invariant: how a run stands is asked while nobody else can take it up. What was seen before is
//! only what somebody means: a run may have gone on to its next wait, ended or been stopped since.
//! Invariant: what has begun comes to its end. A caller who has gone does not leave a run half
//! taken up.

use crate::execute::journal::RecordingPolicy;
use crate::execute::run_task::RunTask;
use crate::execute::start::{ResumeState, SlotPolicy};
use crate::key_lock::KeyGuard;
use crate::resume::approval::{self, ApprovalDecision};
use crate::resume::decision::{Decision, Resolution};
use crate::resume::journal_state::{JournalState, Resumable};
use crate::resume::waiting_run::WaitingRun;
use crate::task::spawn_detached;
use crate::{AcceptedRun, Error, Runner, Runtime, lock};
use engine::RunOptions;
use model::{Item, Items, RunEvent, RunStatus, Str};
use node_api::trigger::ReplyMode;
use std::sync::Arc;
use std::time::Duration;
use store::executions::{Execution, ExecutionState};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How long whoever has written that a run is idle may keep its lock.
const HANDOVER_TIMEOUT: Duration = Duration::from_millis(500);

/// How long a run that sleeps or has ended, as its row says, may take to be released.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(5);

/// Why a run is resumed, and the state that the reason is about.
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
    ApprovalDecided { call: Str, decision: ApprovalDecision },
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

    fn continuation(self, journal: &JournalState) -> Continuation {
        let sleeps = match self {
            Self::Interrupted(seen) => seen.status == RunStatus::Waiting,
            Self::Due(_) | Self::ApprovalDecided { .. } | Self::ApprovalRecorded => true,
            Self::Called { item, .. } => return Continuation::WokenWith(Items::one(item)),
            // One that was quarantined in its sleep was to be woken.
            Self::Decided(_) => journal.is_paused,
        };
        if sleeps { Continuation::Woken } else { Continuation::Interrupted }
    }
}

/// How a run continues.
#[derive(Debug)]
pub(crate) enum Continuation {
    /// It was cut off at work.
    Interrupted,
    /// It slept; what it waited for brings no items.
    Woken,
    /// It slept, and a call brought these items.
    WokenWith(Items),
}

impl Continuation {
    fn into_event(self) -> Option<RunEvent> {
        match self {
            Self::Interrupted => None,
            Self::Woken => Some(RunEvent::RunResumed { items: None }),
            Self::WokenWith(items) => Some(RunEvent::RunResumed { items: Some(items) }),
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
        reply: ReplyMode,
    ) -> Result<AcceptedRun, Error> {
        let (id, wait) = (waiting.id, waiting.wait);
        let run = self.resume(id, ResumeReason::Called { wait, item }, reply).await?;
        run.ok_or(Error::WrongStatus { id, status: RunStatus::Uncertain.name() })
    }

    /// `None` if a step of it may have happened, which a person has to decide about. Goes on also
    /// if nobody waits for it any more.
    pub(crate) async fn resume(
        self: &Arc<Self>,
        id: i64,
        reason: ResumeReason,
        reply: ReplyMode,
    ) -> Result<Option<AcceptedRun>, Error> {
        let guard = self.lock_idle(id).await?;
        let runtime = self.clone();
        spawn_detached(async move {
            runtime.resume_locked(&guard, reason, reply, SlotPolicy::Acquire).await
        })
        .await
    }

    /// Locks a run that nobody runs.
    pub(crate) async fn lock_idle(&self, id: i64) -> Result<KeyGuard<i64>, Error> {
        let running = || Error::WrongStatus { id, status: RunStatus::Running.name() };
        let guard = match self.run_locks.try_lock(id) {
            Some(guard) => guard,
            // Whoever wrote that it is idle lets go of it in a moment.
            None if self.is_stored_idle(id).await? => {
                let lock = timeout(HANDOVER_TIMEOUT, self.run_locks.lock(id)).await;
                lock.map_err(|_| running())?
            }
            None => return Err(running()),
        };
        // Checked once it is locked: the previous holder may have resumed it.
        if self.wait_released(id).await? { Ok(guard) } else { Err(running()) }
    }

    /// Whether nobody runs it. One that sleeps or has ended, as its row says, is let go of in a
    /// moment, and waited for.
    pub(crate) async fn wait_released(&self, id: i64) -> Result<bool, Error> {
        Ok(!self.runner.is_running(id)
            || (self.is_stored_idle(id).await?
                && timeout(RELEASE_TIMEOUT, self.runner.wait_stopped(id)).await.is_ok()))
    }

    /// Whether it sleeps, has ended or is left to a person, as its row says.
    async fn is_stored_idle(&self, id: i64) -> Result<bool, Error> {
        let stored = self.store.execution(id).await?;
        Ok(stored.is_some_and(|execution| execution.state.status != RunStatus::Running))
    }

    /// The same for a run that the caller has locked, in a task that is not dropped half way.
    pub(crate) async fn resume_locked(
        self: &Arc<Self>,
        guard: &KeyGuard<i64>,
        reason: ResumeReason,
        reply: ReplyMode,
        slot: SlotPolicy,
    ) -> Result<Option<AcceptedRun>, Error> {
        let id = *guard.key();
        let execution = self.store.execution(id).await?.ok_or(Error::NoExecution { id })?;
        let status = execution.state.status;
        if !reason.fits(&execution.state) {
            return Err(Error::WrongStatus { id, status: status.name() });
        }
        let events = self.store.journal(id).await?;
        let decided = match &reason {
            ResumeReason::ApprovalDecided { call, decision } => {
                Some(approval::decide(id, status, &events, call, decision, self.now_ms())?)
            }
            _ => None,
        };
        let length = self.store.journal_length(id).await?;
        if length.segments == 0 {
            // Somebody has deleted it since its row was read: it would begin a journal that belongs
            // to no run.
            return Err(Error::NoExecution { id });
        }
        let mut journal = JournalState::read(events);
        check_journal(id, status, &reason, &journal)?;
        let workflow = self.workflow_of(&execution).await?;
        let callers = self.callers_of(&execution).await?;
        let resolution = match (&reason, journal.resumable(&workflow, self.now_ms())) {
            (ResumeReason::Decided(decision), _) => {
                let resolution = journal.apply_decision(decision, &workflow, self.now_ms())?;
                self.store.set_status(id, RunStatus::Running).await?;
                resolution
            }
            (_, Resumable::Uncertain { node }) => {
                tracing::warn!(execution = id, %node, "A step may have taken effect before the process ended; a person must decide.");
                self.store.set_status(id, RunStatus::Uncertain).await?;
                self.runner.signal_caller(execution.started.parent);
                return Ok(None);
            }
            (_, Resumable::Safe) => journal.apply_approval(decided),
        };
        let continuation = reason.continuation(&journal);
        match &continuation {
            Continuation::Interrupted => {}
            Continuation::Woken => journal.wake(None),
            Continuation::WokenWith(items) => journal.wake(Some(items.clone())),
        }
        let state = journal.into_resume_state(execution, callers, workflow, length, continuation);
        // Whatever the last process left of it is over with this, also if it soon stands the same
        // way again.
        lock(&self.recovering).remove(&id);
        self.resume_backoff.forget(id);
        Ok(Some(self.runner.resume(state, resolution, reply, slot)))
    }
}

/// What the journal must say on top of the row, so that the run is at what the reason is about.
fn check_journal(
    id: i64,
    status: RunStatus,
    reason: &ResumeReason,
    journal: &JournalState,
) -> Result<(), Error> {
    match reason {
        ResumeReason::Called { wait, .. } if !journal.sleeps_at(*wait) => {
            Err(Error::StaleLink { id })
        }
        ResumeReason::Decided(Decision { seen: Some(seen), .. }) if *seen != journal.n_events => {
            Err(Error::RunAdvanced { id })
        }
        // It was woken since, and sleeps for something else.
        ResumeReason::ApprovalRecorded if !journal.asks => {
            Err(Error::WrongStatus { id, status: status.name() })
        }
        _ => Ok(()),
    }
}

impl Runner {
    /// Continues a run that was cut off or slept.
    fn resume(
        self: &Arc<Self>,
        state: ResumeState,
        resolution: Resolution,
        reply: ReplyMode,
        slot: SlotPolicy,
    ) -> AcceptedRun {
        let policy = RecordingPolicy {
            saving: state.execution.started.saving,
            ..state.workflow.recording_policy(&state.mode)
        };
        let log = self.recorder.reopen(&state.execution, state.written, policy);
        // What was decided comes first: the run continues with it.
        for event in resolution.events.into_iter().chain(state.continuation.into_event()) {
            self.recorder.record(&log, event);
        }
        let options = RunOptions {
            extent: state.extent,
            // As when it began: what is pinned is for trying out.
            use_pin_data: state.mode == "manual",
            recorded: state.recorded,
            notes: state.notes,
            interrupted: state.interrupted && !resolution.repeats,
            supplied_output: resolution.output,
            account: Some(self.accounts.open(log.id(), state.spent)),
            depth: state.callers.len(),
            spends_for: self.accounts.of_callers(&state.callers),
            called_by_model: state.called_by_model,
            ..self.options().clone()
        };
        self.spawn(RunTask {
            log,
            workflow: state.workflow,
            start: engine::RunStart { cause: state.cause, node: state.node, items: state.items },
            mode: state.mode,
            options,
            reply,
            reservation: None,
            cancel: CancellationToken::new(),
            slot,
            request_id: Str::new(),
        })
        .detach()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_sleeps_elsewhere_is_not_as_the_last_process_left_it() {
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

    #[test]
    fn a_decided_run_is_woken_only_if_it_was_quarantined_in_its_sleep() {
        let decided = || ResumeReason::Decided(Decision::undecided());
        let paused = RunEvent::RunPaused {
            node: "Wait".into(),
            until_ms: None,
            params: None,
            waits_for: None,
            asks: false,
        };
        let asleep = JournalState::read(vec![paused]);
        assert!(matches!(decided().continuation(&asleep), Continuation::Woken));
        let at_work = JournalState::read(Vec::new());
        assert!(matches!(decided().continuation(&at_work), Continuation::Interrupted));
    }

    #[test]
    fn only_what_woke_a_run_is_recorded() {
        let item = Item::new(model::json!({ "n": 1 }));
        assert!(Continuation::Interrupted.into_event().is_none());
        assert!(matches!(
            Continuation::Woken.into_event(),
            Some(RunEvent::RunResumed { items: None })
        ));
        assert!(matches!(
            Continuation::WokenWith(Items::one(item)).into_event(),
            Some(RunEvent::RunResumed { items: Some(items) }) if items.len() == 1
        ));
    }
}
