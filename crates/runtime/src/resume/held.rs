//! Decisions about many uncertain runs at once. They take effect after a while, so that whoever has
//! decided can take them back, and outlive the process until then.
//!
//! Invariant: a decision is taken back or takes effect, never both. Both happen under the lock of
//! the run.

use crate::resume::backoff::ResumeFailure;
use crate::resume::decision::{Decision, DecisionOutcome};
use crate::resume::resumption::ResumeReason;
use crate::schedule::clock::{WAKE_BATCH, log_and_continue};
use crate::task::spawn_detached;
use crate::{Error, Runtime, lock};
use model::{RunStatus, Str};
use node_api::trigger::ReplyMode;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use store::decisions::{HeldDecision, HeldDecisionFilter};
use store::executions::{Execution, ExecutionFilter, JournalLength};
use tokio::sync::OwnedSemaphorePermit;

/// How long a decision about many runs can be taken back, unless somebody says otherwise.
pub const DECISION_HOLD: Duration = Duration::from_secs(30);

/// The longest that somebody may say.
pub const MAX_DECISION_HOLD: Duration = Duration::from_secs(3600);

/// Uncertain runs that one decision is about at most.
pub const MAX_DECIDED_RUNS: usize = 10_000;

/// An uncertain run, and the step that it stopped at.
#[derive(Clone, Debug)]
pub struct UncertainRun {
    pub execution: Execution,
    /// `None` if it stopped before its first step, or its journal cannot be read.
    pub node: Option<Str>,
    /// How many events it has recorded.
    pub events: u64,
}

/// What is known of the step that an uncertain run stopped at, while its journal is this long.
pub(crate) struct DoubtedStep {
    length: JournalLength,
    node: Option<Str>,
    events: u64,
}

/// Which uncertain runs are meant.
#[derive(Clone, Debug, Default)]
pub struct UncertainFilter {
    /// Only these; all others without.
    pub ids: Option<Vec<i64>>,
    pub workflow_id: Option<Str>,
    /// Only those that stopped at a step of this node.
    pub node: Option<Str>,
    pub started_after_ms: Option<i64>,
    pub started_before_ms: Option<i64>,
    /// Only those of workflows in these projects.
    pub within: Option<Vec<Str>>,
}

/// What was decided about several runs together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidedBatch {
    /// By which it is taken back.
    pub id: Str,
    pub n_runs: usize,
    pub due_ms: i64,
}

impl Runtime {
    /// The uncertain runs that are meant, newest first, at most so many as one decision is about.
    pub async fn uncertain_runs(
        &self,
        wanted: UncertainFilter,
    ) -> Result<Vec<UncertainRun>, Error> {
        let filter = ExecutionFilter {
            workflow_id: wanted.workflow_id,
            status: Some(RunStatus::Uncertain),
            started_after_ms: wanted.started_after_ms,
            started_before_ms: wanted.started_before_ms,
            within: wanted.within,
            limit: MAX_DECIDED_RUNS,
            ..ExecutionFilter::default()
        };
        let ids: Option<HashSet<i64>> = wanted.ids.map(|ids| ids.into_iter().collect());
        let mut found = Vec::new();
        for execution in self.store.executions(filter).await? {
            if ids.as_ref().is_some_and(|ids| !ids.contains(&execution.id)) {
                continue;
            }
            // One that cannot be read is decided about by itself.
            let (node, events) = self.doubted_step(execution.id).await.unwrap_or_default();
            if wanted.node.is_none() || wanted.node == node {
                found.push(UncertainRun { execution, node, events });
            }
        }
        Ok(found)
    }

    /// The step that an uncertain run stopped at, and how many events it has recorded. Its journal
    /// may be long, and is read once as long as it stays as it is.
    async fn doubted_step(&self, id: i64) -> Result<(Option<Str>, u64), Error> {
        let length = self.store.journal_length(id).await?;
        if let Some(known) =
            lock(&self.doubted_steps).get(&id).filter(|known| known.length == length)
        {
            return Ok((known.node.clone(), known.events));
        }
        let trail = self.store.journal_trail(id, 0).await?;
        let mut known = lock(&self.doubted_steps);
        if known.len() >= MAX_DECIDED_RUNS {
            known.clear();
        }
        let step = DoubtedStep { length, node: trail.last_step.clone(), events: trail.events };
        known.insert(id, step);
        Ok((trail.last_step, trail.events))
    }

    /// Decides the same about several runs. It takes effect after a while, on this process or
    /// another one.
    pub async fn hold_decision(
        &self,
        runs: &[UncertainRun],
        finding: &DecisionOutcome,
        decided_by: &Str,
        hold: Duration,
    ) -> Result<DecidedBatch, Error> {
        let result = match finding {
            DecisionOutcome::Happened { result } => Some(result.clone()),
            DecisionOutcome::Retry | DecisionOutcome::Undecided => None,
        };
        let (id, due_ms) = (store::new_id(), self.now_ms() + hold.as_millis() as i64);
        let held = runs.iter().map(|run| HeldDecision {
            execution: run.execution.id,
            batch: id.clone(),
            result: result.clone(),
            seen: run.events,
            decided_by: decided_by.clone(),
            due_ms,
        });
        let n_runs = self.store.hold_decisions(held.collect()).await?;
        self.clock_changed.notify_one();
        Ok(DecidedBatch { id, n_runs, due_ms })
    }

    /// Takes decisions back that have not taken effect; gives back about how many runs.
    pub async fn take_back(&self, held: &[HeldDecision]) -> Result<usize, Error> {
        let locked = held.iter().filter_map(|one| self.run_locks.try_lock(one.execution));
        let guards: HashMap<i64, _> = locked.map(|guard| (*guard.key(), guard)).collect();
        let mut still = Vec::new();
        for one in held.iter().filter(|one| guards.contains_key(&one.execution)) {
            if self.is_held(one).await? {
                still.push(one.execution);
            }
        }
        let n_runs = still.len();
        self.store.forget_held_decisions(still).await?;
        Ok(n_runs)
    }

    /// The decisions that were made together and have not taken effect.
    pub async fn held_batch(&self, id: &str) -> Result<Vec<HeldDecision>, Error> {
        let filter = HeldDecisionFilter {
            batch: Some(id.into()),
            limit: MAX_DECIDED_RUNS,
            ..HeldDecisionFilter::default()
        };
        Ok(self.store.held_decisions(filter).await?)
    }

    /// Whether a decision is held as it was seen: neither taken back, nor replaced, nor done.
    async fn is_held(&self, seen: &HeldDecision) -> Result<bool, Error> {
        let filter = HeldDecisionFilter {
            execution: Some(seen.execution),
            limit: 1,
            ..HeldDecisionFilter::default()
        };
        Ok(self.store.held_decisions(filter).await?.first() == Some(seen))
    }

    /// Goes on with the runs whose decisions take effect now. Gives back whether some have to wait.
    pub(crate) async fn apply_due_decisions(self: &Arc<Self>, now_ms: i64) -> Result<bool, Error> {
        let (mut after, mut has_to_wait) = (None, false);
        loop {
            let filter = HeldDecisionFilter {
                due_ms: Some(now_ms),
                after,
                limit: WAKE_BATCH,
                ..HeldDecisionFilter::default()
            };
            let due = self.store.held_decisions(filter).await?;
            let is_last = due.len() < WAKE_BATCH;
            after = due.last().map(|last| (last.due_ms, last.execution));
            for held in due {
                let id = held.execution;
                if self.is_recovering(id) || self.runner.is_running(id) {
                    has_to_wait = true;
                    continue;
                }
                let Some(slot) = self.scheduler_slot() else { return Ok(true) };
                has_to_wait |= log_and_continue(
                    self.apply_held(held, slot).await,
                    "Could not apply a decision: execution",
                    id,
                )?;
            }
            if is_last {
                return Ok(has_to_wait);
            }
        }
    }

    async fn apply_held(
        self: &Arc<Self>,
        held: HeldDecision,
        slot: OwnedSemaphorePermit,
    ) -> Result<(), Error> {
        let id = held.execution;
        // Somebody is at it: it is looked at again.
        let Some(guard) = self.run_locks.try_lock(id) else { return Ok(()) };
        let runtime = self.clone();
        spawn_detached(async move {
            if !runtime.is_held(&held).await? {
                return Ok(());
            }
            let finding = match held.result {
                Some(result) => DecisionOutcome::Happened { result },
                None => DecisionOutcome::Retry,
            };
            let decision = Decision { seen: Some(held.seen), ..Decision::about_all(finding) };
            let resumed = runtime
                .resume_locked(
                    &guard,
                    ResumeReason::Decided(decision),
                    ReplyMode::Buffered,
                    crate::execute::start::SlotPolicy::Has(slot),
                )
                .await;
            match resumed {
                Ok(Some(run)) => runtime.runner.flush_journal(&run.log).await?,
                Ok(None) => {}
                Err(error) => match error.resume_failure() {
                    ResumeFailure::Outage | ResumeFailure::Transient => return Err(error),
                    // It has gone on since, or cannot be decided so: it stays as it is.
                    ResumeFailure::Superseded
                    | ResumeFailure::Incompatible
                    | ResumeFailure::Permanent => {
                        tracing::warn!(%error, execution = id, code = error.code().name(), "Decision not applied.");
                    }
                },
            }
            // Should the process end before this, the decision is met again, and says of how many
            // events it is.
            runtime.store.forget_held_decisions(vec![id]).await?;
            Ok(())
        })
        .await
    }
}
