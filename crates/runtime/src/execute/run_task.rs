//! The task of a run: it waits for a slot, runs the engine, answers its caller and finishes.

use crate::execute::admission::{RunGuard, RunReservation};
use crate::execute::inherited_lists;
use crate::execute::journal::{Durability, RunJournal};
use crate::execute::run_handle::RunHandle;
use crate::execute::runner::Runner;
use crate::execute::start::{AcceptedRun, SlotPolicy};
use crate::listen::response_stream::RunResponder;
use crate::loaded_workflow::LoadedWorkflow;
use engine::{Engine, RunOptions, RunOutcome};
use futures::FutureExt as _;
use model::{RunStatus, Str};
use node_api::trigger::ReplyMode;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

/// Everything that a run needs to be under way.
pub(crate) struct RunTask {
    pub(crate) log: Arc<RunJournal>,
    pub(crate) workflow: Arc<LoadedWorkflow>,
    pub(crate) start: engine::RunStart,
    pub(crate) mode: Str,
    pub(crate) options: RunOptions,
    pub(crate) reply: ReplyMode,
    pub(crate) reservation: Option<RunReservation>,
    pub(crate) cancel: CancellationToken,
    pub(crate) slot: SlotPolicy,
    pub(crate) request_id: Str,
}

impl Runner {
    /// The run begins when its handle is polled or detached.
    pub(crate) fn spawn(self: &Arc<Self>, task: RunTask) -> AcceptedRun {
        let log = task.log.clone();
        let (responder, answer, chunks) =
            RunResponder::new(task.reply, Some((self.recorder.clone(), log.clone())));
        let guard = RunGuard::new(self.clone(), log.clone(), task.cancel.clone(), task.reservation);
        let engine = inherited_lists::engine_for(
            &self.engine,
            &task.options.recorded,
            task.start.items.as_ref(),
        );
        let responder = Arc::new(responder);
        let options = RunOptions {
            run_id: log.run_id(),
            acting_workflow: task.workflow.id.clone(),
            variables: self.variables_of(&task.workflow.project_id),
            mode: task.mode,
            start_recorded: true,
            responder: Some(responder.clone()),
            wait_inline: false,
            ..task.options
        };
        let run = RunInProgress {
            runner: self.clone(),
            engine,
            log: log.clone(),
            workflow: task.workflow,
            responder,
            guard,
            request_id: task.request_id,
        };
        // What is logged about the run names the request that it began with.
        let run = run.execute(task.start, options, task.slot, task.cancel).in_current_span();
        AcceptedRun { id: log.id(), log, answer, chunks, outcome: RunHandle::new(run) }
    }
}

struct RunInProgress {
    runner: Arc<Runner>,
    /// Set if the run reads lists from a journal.
    engine: Option<Box<Engine>>,
    log: Arc<RunJournal>,
    workflow: Arc<LoadedWorkflow>,
    responder: Arc<RunResponder>,
    guard: RunGuard,
    request_id: Str,
}

impl RunInProgress {
    async fn execute(
        self,
        start: engine::RunStart,
        mut options: RunOptions,
        slot: SlotPolicy,
        cancel: CancellationToken,
    ) -> RunOutcome {
        let is_called = matches!(slot, SlotPolicy::Inherit);
        let _permit = match slot {
            SlotPolicy::Has(permit) => Some(Ok(permit)),
            // A run that is stopped while it is queued does not wait for a slot any longer.
            SlotPolicy::Acquire => {
                cancel.run_until_cancelled(self.runner.slots.clone().acquire_owned()).await
            }
            SlotPolicy::Inherit => None,
        };
        if self.log.is_resumed() && self.log.durability() == Durability::Ends {
            // On disk it would still sleep, and nobody could tell that it was active when the
            // process died.
            let _ = self.runner.recorder.flush(&self.log).await;
        }
        // Read only now, so that it has what others have changed while it was queued.
        options.static_data = Some(self.workflow.static_data());
        let (run_id, mode) = (options.run_id.clone(), options.mode.clone());
        let engine = self.engine.as_deref().unwrap_or(&self.runner.engine);
        let ran = AssertUnwindSafe(engine.run(self.workflow.plan.clone(), start, options, cancel))
            .catch_unwind()
            .await;
        let outcome = ran
            .unwrap_or_else(|_| self.runner.record_panic(&self.log, &self.workflow, run_id, mode));
        self.finish(outcome, is_called).await
    }

    async fn finish(mut self, outcome: RunOutcome, is_called: bool) -> RunOutcome {
        if outcome.error.is_some() {
            self.responder.fail(&outcome, &self.workflow).await;
        } else if outcome.asks {
            self.responder.wait(&outcome, &self.workflow).await;
        }
        drop(self.responder);
        if let Some(parts) = &outcome.unrecorded_static_data {
            self.log.change_static_data(parts);
        }
        self.guard.release_memory();
        // Were the end of such a run lost, it would be run again and nobody could tell.
        let is_harmless = self.workflow.durability == Durability::Ends
            && !self.log.has_static_data()
            && outcome.status != RunStatus::Waiting;
        let Self { runner, workflow, guard, request_id, .. } = self;
        if is_called && is_harmless {
            // Its caller need not wait for the disk.
            let outcome = outcome.clone();
            tokio::spawn(
                async move { runner.finish(guard, &workflow, &outcome, &request_id).await }
                    .in_current_span(),
            );
        } else {
            runner.finish(guard, &workflow, &outcome, &request_id).await;
        }
        outcome
    }
}
