//! Takes up a run that is not running: one that sleeps, one that a person decides about, one that
//! the last process left.
//!
//! Invariant: how a run stands is asked while nobody else can take it up. What was seen before is
//! only what somebody means: a run may have gone on to its next wait, ended or been stopped since.
//! Invariant: what has begun comes to its end. A caller who has gone does not leave a run half
//! taken up.

use crate::approval::{self, Ruling};
use crate::decision::Decision;
use crate::key_lock::KeyGuard;
use crate::recovery::{Story, Verdict};
use crate::start::Turn;
use crate::task::detached;
use crate::waiting::Waiting;
use crate::{Error, Runtime, Taken, lock};
use model::{Item, Items, RunStatus, Str};
use node_api::trigger::Takes;
use std::sync::Arc;
use std::time::Duration;
use store::executions::{Execution, State};
use tokio::time::timeout;

/// Why a run is taken up, and how it stood for whoever wants that.
pub(crate) enum Resume {
    /// The last process left it so.
    Left(State),
    /// The time that it waited for has come, or what it waited for is over.
    Due(State),
    /// A call from outside, which is for one of its waits.
    Called { wait: usize, item: Item },
    /// A person has said what became of a step that may have happened.
    Decided(Decision),
    /// A person has said something about a call that an agent asks for.
    Ruled { call: Str, ruling: Ruling },
    /// The same, while it was at work; its journal has it.
    RuledBefore,
}

impl Resume {
    /// Whether a run that stands so is taken up. What its journal must tell on top of that is asked
    /// later.
    fn fits(&self, state: &State) -> bool {
        match self {
            Self::Left(seen) => stands_as(state, seen),
            Self::Due(seen) => state.status == RunStatus::Waiting && stands_as(state, seen),
            Self::Called { .. } | Self::RuledBefore => state.status == RunStatus::Waiting,
            Self::Decided(_) => state.status == RunStatus::Uncertain,
            // The open calls that its journal has decide.
            Self::Ruled { .. } => true,
        }
    }

    /// What wakes the run, if it sleeps.
    fn woken_by(self, story: &Story) -> Option<Option<Items>> {
        match self {
            Self::Left(seen) => (seen.status == RunStatus::Waiting).then_some(None),
            Self::Due(_) | Self::Ruled { .. } | Self::RuledBefore => Some(None),
            Self::Called { item, .. } => Some(Some(Items::one(item))),
            // One that was quarantined in its sleep was to be woken.
            Self::Decided(_) => story.is_paused.then_some(None),
        }
    }
}

/// Whether a run stands as somebody has seen it: at the same wait, if it sleeps.
pub(crate) fn stands_as(state: &State, seen: &State) -> bool {
    (state.status, state.wait_till_ms, state.waits_for)
        == (seen.status, seen.wait_till_ms, seen.waits_for)
}

impl Runtime {
    /// Wakes a run that sleeps as this row of it says, for somebody who goes on with it.
    pub async fn wake(self: &Arc<Self>, execution: &Execution) -> Result<Option<Taken>, Error> {
        self.take_up(execution.id, Resume::Due(execution.state.clone()), Takes::Nothing).await
    }

    /// Wakes a run from the wait that somebody has found it at, for whom it goes on.
    pub(crate) async fn wake_for(
        self: &Arc<Self>,
        waiting: &Waiting,
        item: Item,
        takes: Takes,
    ) -> Result<Taken, Error> {
        let (id, wait) = (waiting.id, waiting.wait);
        let taken = self.take_up(id, Resume::Called { wait, item }, takes).await?;
        taken.ok_or(Error::WrongStatus { id, status: RunStatus::Uncertain.name() })
    }

    /// `None` if a step of it may have happened, which a person has to decide about. Goes on also
    /// if nobody waits for it any more.
    pub(crate) async fn take_up(
        self: &Arc<Self>,
        id: i64,
        resume: Resume,
        takes: Takes,
    ) -> Result<Option<Taken>, Error> {
        let guard = self.lock_asleep(id).await?;
        let runtime = self.clone();
        detached(
            async move { runtime.take_up_locked(&guard, resume, takes, Turn::IsWaitedFor).await },
        )
        .await
    }

    /// Locks a run that nobody runs.
    pub(crate) async fn lock_asleep(&self, id: i64) -> Result<KeyGuard<i64>, Error> {
        let runs = || Error::WrongStatus { id, status: RunStatus::Running.name() };
        let guard = self.run_locks.try_lock(id).ok_or_else(runs)?;
        // Asked once it is locked: whoever had it before may have let it go on.
        if self.is_let_go(id).await? { Ok(guard) } else { Err(runs()) }
    }

    /// Whether nobody runs it. One that sleeps or has ended, as its row says, is let go of in a
    /// moment, and waited for.
    pub(crate) async fn is_let_go(&self, id: i64) -> Result<bool, Error> {
        const MOMENT: Duration = Duration::from_secs(5);
        if !self.runner.is_running(id) {
            return Ok(true);
        }
        let stands = self.store.execution(id).await?.map(|execution| execution.state.status);
        Ok(stands.is_some_and(|status| status != RunStatus::Running)
            && timeout(MOMENT, self.runner.let_go(id)).await.is_ok())
    }

    /// The same for a run that does not run, by somebody who does not stop half way.
    pub(crate) async fn take_up_locked(
        self: &Arc<Self>,
        guard: &KeyGuard<i64>,
        resume: Resume,
        takes: Takes,
        turn: Turn,
    ) -> Result<Option<Taken>, Error> {
        let id = *guard.key();
        let execution = self.store.execution(id).await?.ok_or(Error::NoExecution { id })?;
        let status = execution.state.status;
        if !resume.fits(&execution.state) {
            return Err(Error::WrongStatus { id, status: status.name() });
        }
        let events = self.store.journal(id).await?;
        let ruled = match &resume {
            Resume::Ruled { call, ruling } => {
                Some(approval::rule(id, status, &events, call, ruling, self.now_ms())?)
            }
            _ => None,
        };
        let pieces = self.store.pieces(id).await?;
        if pieces.pieces == 0 {
            // Somebody has deleted it since its row was read: it would begin a journal that belongs
            // to no run.
            return Err(Error::NoExecution { id });
        }
        let mut story = Story::read(events);
        match &resume {
            Resume::Called { wait, .. } if !story.sleeps_at(*wait) => {
                return Err(Error::OldLink { id });
            }
            Resume::Decided(Decision { seen: Some(seen), .. }) if *seen != story.n_events => {
                return Err(Error::WentOn { id });
            }
            // It was woken since, and sleeps for something else.
            Resume::RuledBefore if !story.asks => {
                return Err(Error::WrongStatus { id, status: status.name() });
            }
            _ => {}
        }
        let workflow = self.workflow_of(&execution).await?;
        let callers = self.callers_of(&execution).await?;
        let settled = match (&resume, story.verdict(&workflow)) {
            (Resume::Decided(decision), _) => {
                let settled = story.settle(decision, &workflow)?;
                self.store.set_status(id, RunStatus::Running).await?;
                settled
            }
            (_, Verdict::Uncertain { node }) => {
                tracing::warn!(execution = id, %node, "A step may have happened before the process ended; a person must decide.");
                self.store.set_status(id, RunStatus::Uncertain).await?;
                self.runner.tell_caller(execution.begun.parent);
                return Ok(None);
            }
            (_, Verdict::GoOn) => story.take_ruling(ruled),
        };
        let woken_by = resume.woken_by(&story);
        if let Some(items) = &woken_by {
            story.wake(items.clone());
        }
        let past = story.into_past(execution, callers, workflow, pieces, woken_by);
        // Whatever the last process left of it is over with this, also if it soon stands the same
        // way again.
        lock(&self.recovering).remove(&id);
        self.setbacks.forget(id);
        Ok(Some(self.runner.resume(past, settled, takes, turn)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_00_a_run_that_sleeps_elsewhere_is_not_as_the_last_process_left_it() {
        let at = |wait_till_ms, waits_for| State {
            wait_till_ms,
            waits_for,
            ..State::of(RunStatus::Waiting)
        };
        for resume in [Resume::Left(at(Some(5), None)), Resume::Due(at(Some(5), None))] {
            assert!(resume.fits(&at(Some(5), None)));
            for other in [
                at(None, None),
                at(Some(9), None),
                at(Some(5), Some(3)),
                State::of(RunStatus::Running),
            ] {
                assert!(!resume.fits(&other), "{other:?}");
            }
        }
    }
}
