//! Runs that cannot be taken up. What may pass is tried again, later each time. What does not pass
//! ends the run, or leaves it to a person.
//!
//! Invariant: whoever ends a run that nobody runs has locked it, so that nobody takes it up
//! meanwhile.

use crate::key_lock::KeyGuard;
use crate::log::{Durability, LogTerms, Written};
use crate::resume::{Resume, stands_as};
use crate::start::Turn;
use crate::task::detached;
use crate::{Error, Runtime, lock};
use model::{RunError, RunEvent, RunStatus, Str};
use node_api::NodeError;
use node_api::trigger::Takes;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use store::executions::{Execution, JournalLength, Left, Saving, State};
use tokio::sync::OwnedSemaphorePermit;

/// How soon a run is tried again: the first time, and at the most.
const FIRST_PAUSE_MS: i64 = 1_000;
const LONGEST_PAUSE_MS: i64 = 60_000;

/// How often something that is wrong with one run is met before a person decides: for about ten
/// minutes.
const MAX_TRIES: u32 = 15;

const HINT: &str = "See to the cause, then resume the execution, say what came of its last step, retry or stop it.";

/// What becomes of a run that could not be taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Somebody else has taken it up, stopped or removed it.
    NotOurs,
    /// What is wrong concerns every run, and passes when somebody has seen to it.
    WaitsForAll,
    /// It may pass.
    MayPass,
    /// Another version can take it up; until then it stays as it is.
    Stays,
    /// It does not pass.
    Over,
}

/// Runs that could not be taken up, and when that is tried again.
#[derive(Default)]
pub(crate) struct Setbacks(Mutex<HashMap<i64, Setback>>);

#[derive(Clone, Copy)]
struct Setback {
    tries: u32,
    again_ms: i64,
}

impl Setbacks {
    /// Whether it is too early to try again.
    pub(crate) fn is_early(&self, id: i64, now_ms: i64) -> bool {
        lock(&self.0).get(&id).is_some_and(|setback| now_ms < setback.again_ms)
    }

    /// Notes one more; `false` if there were too many.
    fn note(&self, id: i64, now_ms: i64) -> bool {
        let mut all = lock(&self.0);
        let tries = all.get(&id).map_or(0, |setback| setback.tries) + 1;
        let pause_ms = (FIRST_PAUSE_MS << (tries - 1).min(16)).min(LONGEST_PAUSE_MS);
        all.insert(id, Setback { tries, again_ms: now_ms + pause_ms });
        tries < MAX_TRIES
    }

    pub(crate) fn forget(&self, id: i64) {
        lock(&self.0).remove(&id);
    }
}

impl Runtime {
    /// Wakes a run that sleeps as it was seen, with a slot of its own, unless somebody is at it.
    pub(crate) async fn wake_or_give_up(
        self: &Arc<Self>,
        left: Left,
        resume: Resume,
        slot: OwnedSemaphorePermit,
    ) -> Result<(), Error> {
        let id = left.id;
        let Some(guard) = self.run_locks.try_lock(id) else { return Ok(()) };
        if !self.is_let_go(id).await? {
            return Ok(());
        }
        let runtime = self.clone();
        detached(async move {
            let woken =
                runtime.take_up_locked(&guard, resume, Takes::Nothing, Turn::Has(slot)).await;
            let (taken, failure) =
                woken.map_or_else(|error| (None, Some(error)), |taken| (taken, None));
            runtime.expected.hand_over(id, taken);
            match failure {
                None => Ok(()),
                Some(error) => Ok(runtime.give_up(&guard, &left.state, &error).await.map(drop)?),
            }
        })
        .await
    }

    /// Sees to a run that could not be taken up as it was seen. What concerns every run comes back.
    pub(crate) async fn give_up(
        &self,
        guard: &KeyGuard<i64>,
        seen: &State,
        error: &Error,
    ) -> Result<Fate, store::Error> {
        let id = *guard.key();
        let (status, fate) = match (error.fate(), error) {
            (Fate::WaitsForAll, Error::Store(passing)) => return Err(passing.clone()),
            (fate @ (Fate::NotOurs | Fate::WaitsForAll), _) => {
                self.setbacks.forget(id);
                return Ok(fate);
            }
            (Fate::MayPass, _) if self.setbacks.note(id, self.now_ms()) => {
                tracing::warn!(%error, execution = id, code = error.code().name(), "A run could not be taken up, which is tried again.");
                return Ok(Fate::MayPass);
            }
            (Fate::Stays, _) => {
                self.setbacks.note(id, self.now_ms());
                tracing::warn!(%error, execution = id, code = error.code().name(), "A run stays as it is: this version cannot take it up.");
                return Ok(Fate::Stays);
            }
            (Fate::MayPass, _) => (RunStatus::Uncertain, Fate::Over),
            (Fate::Over, _) => (RunStatus::Error, Fate::Over),
        };
        let now = self.store.execution(id).await?;
        let Some(execution) = now.filter(|now| stands_as(&now.state, seen)) else {
            return Ok(Fate::NotOurs);
        };
        tracing::error!(%error, execution = id, code = error.code().name(), "A run cannot be taken up.");
        let JournalLength { pieces, parts } = self.store.pieces(id).await?;
        let events = self.store.trail(id, 0).await.map_or(0, |trail| trail.events);
        let told =
            NodeError::new(error.code(), Str::from(format!("{error} ({})", error.code().name())));
        let told = if status == RunStatus::Uncertain { told.hint(HINT) } else { told };
        self.end_unresumed(
            guard,
            &execution,
            Written { pieces, parts, events },
            status,
            told.to_run_error(""),
        )
        .await?;
        Ok(fate)
    }

    /// Writes the end of a run that nobody runs, and tells whoever called it.
    pub(crate) async fn end_unresumed(
        &self,
        guard: &KeyGuard<i64>,
        execution: &Execution,
        written: Written,
        status: RunStatus,
        reason: RunError,
    ) -> Result<(), store::Error> {
        // Whoever looks for why it went no further finds it.
        let terms =
            LogTerms { durability: Durability::Ends, saving: Saving::ALL, static_data: None };
        let log = self.recorder.reopen(execution, written, terms);
        self.recorder.note(
            &log,
            RunEvent::RunFinished { status, error: Some(reason), finished_ms: self.now_ms() },
        );
        let flushed = self.store.flush(log.clone()).await;
        self.recorder.close(&log);
        flushed?;
        self.setbacks.forget(*guard.key());
        self.runner.tell_caller(execution.begun.parent);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_15_11_what_may_pass_is_tried_again_later_each_time_and_not_forever() {
        let setbacks = Setbacks::default();
        let (mut now_ms, mut pauses) = (0, Vec::new());
        while setbacks.note(7, now_ms) {
            let began_ms = now_ms;
            while setbacks.is_early(7, now_ms) {
                now_ms += 500;
            }
            pauses.push((now_ms - began_ms) / 1000);
        }
        assert_eq!(pauses[..8], [1, 2, 4, 8, 16, 32, 60, 60]);
        assert!((500..700).contains(&pauses.iter().sum::<i64>()), "{pauses:?}");
        assert!(!setbacks.is_early(8, 0));
        setbacks.forget(7);
        assert!(!setbacks.is_early(7, now_ms));
    }
}
