//! Accepts runs: checks the limits, opens the journal and records the start.

use crate::Error;
use crate::execute::admission::RunReservation;
use crate::execute::journal::RunJournal;
use crate::execute::run_task::RunTask;
use crate::execute::runner::Runner;
use crate::execute::start::{AcceptedRun, Admission, RunRequest, SlotPolicy, StartContext};
use crate::key_lock::KeyGuard;
use crate::task::spawn_detached;
use engine::{RecordedStep, RunOptions};
use model::{RunEvent, StepChanges, Str};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use store::executions::{CommitWith, NewExecution};
use tokio_util::sync::CancellationToken;

impl Runner {
    /// Accepts a run and starts it. It counts as accepted once its journal is flushed.
    pub fn start(self: &Arc<Self>, request: RunRequest) -> Result<AcceptedRun, Error> {
        Ok(self.accept(request, Admission::default())?.detach())
    }

    /// Accepts a run. It begins when it is awaited or detached.
    pub(crate) fn accept(
        self: &Arc<Self>,
        request: RunRequest,
        admission: Admission,
    ) -> Result<AcceptedRun, Error> {
        self.accept_with(request, admission, StartContext::default())
    }

    pub(crate) fn start_with(
        self: &Arc<Self>,
        request: RunRequest,
        context: StartContext,
    ) -> Result<AcceptedRun, Error> {
        Ok(self.accept_with(request, Admission::default(), context)?.detach())
    }

    pub(crate) fn accept_with(
        self: &Arc<Self>,
        request: RunRequest,
        admission: Admission,
        mut context: StartContext,
    ) -> Result<AcceptedRun, Error> {
        let reservation = self.admit(&admission, &mut context)?;
        let workflow = &request.workflow;
        let policy = workflow.recording_policy(request.mode);
        let execution = NewExecution {
            workflow_id: workflow.id.clone(),
            version_id: workflow.version_id.clone(),
            mode: request.mode.into(),
            started_ms: self.engine.ports.clock.now_ms(),
            retry_of: request.retry_of,
            parent: None,
            is_awaited: false,
            document: context.document.take().or_else(|| workflow.document.clone()),
            static_data: context.static_data.take(),
            saving: policy.saving,
        };
        // The run that goes with it has been accepted: the next poll is to find what is newer.
        if let Some(data) = &execution.static_data {
            workflow.keep_static_data(data);
        }
        let (mode, started_ms) = (execution.mode.clone(), execution.started_ms);
        let log = self.recorder.open(execution, context.commit_with.take(), policy);
        self.recorder.record(
            &log,
            RunEvent::RunStarted {
                run_id: log.run_id(),
                workflow_id: workflow.id.clone(),
                workflow_name: workflow.name.clone(),
                mode: mode.clone(),
                started_ms,
                start_node: request.node.clone(),
                items: request.items.clone(),
                extent: request.extent.clone(),
                called_by_model: context.called_by_model,
            },
        );
        self.record_prior_steps(&log, &context);
        let options = RunOptions {
            extent: request.extent,
            use_pin_data: request.mode == "manual",
            recorded: context.recorded.into(),
            notes: context.interrupted_step.map(|(_, notes)| notes).unwrap_or_default(),
            called_by_model: context.called_by_model,
            ..self.options.clone()
        };
        let RunRequest { workflow, cause, node, items, request_id, .. } = request;
        Ok(self.spawn(RunTask {
            log,
            workflow,
            start: engine::RunStart { cause, node, items },
            mode,
            options,
            reply: admission.reply,
            reservation: Some(reservation),
            cancel: CancellationToken::new(),
            slot: SlotPolicy::Acquire,
            request_id,
        }))
    }

    fn admit(
        self: &Arc<Self>,
        admission: &Admission,
        context: &mut StartContext,
    ) -> Result<RunReservation, Error> {
        if self.is_closed.load(Ordering::Relaxed) {
            return Err(Error::Stopping);
        }
        let max_accepted = self.limits.max_running + self.limits.max_queued;
        if self.n_accepted.load(Ordering::Relaxed) >= max_accepted {
            return Err(Error::Overload);
        }
        match context.reservation.take() {
            Some(reservation) => Ok(reservation),
            None => self.reserve(admission.bytes),
        }
    }

    /// The journal of a run is complete: it also has what was done before the run began.
    fn record_prior_steps(&self, log: &RunJournal, context: &StartContext) {
        let mut runs: HashMap<&Str, usize> = HashMap::new();
        for RecordedStep { node, task, changed, .. } in &context.recorded {
            let count = runs.entry(node).or_default();
            let (node, run_index) = (node.clone(), *count);
            *count += usize::from(task.is_some());
            let started_ms = task.as_ref().map_or(0, |task| task.start_time_ms);
            self.recorder
                .record(log, RunEvent::NodeStarted { node: node.clone(), run_index, started_ms });
            let ended = match task {
                Some(task) => {
                    // What the workflow keeps between runs is not put back to what it was then.
                    let changed = StepChanges { static_data: None, ..changed.clone() };
                    RunEvent::NodeFinished { node, run_index, task: task.clone(), changed }
                }
                None => RunEvent::NodeSilent { node },
            };
            self.recorder.record(log, ended);
        }
        for (node, task) in &context.served {
            self.recorder
                .record(log, RunEvent::SubNodeCalled { node: node.clone(), task: task.clone() });
        }
        let Some((node, notes)) = &context.interrupted_step else { return };
        let started_ms = self.engine.ports.clock.now_ms();
        self.recorder
            .record(log, RunEvent::NodeStarted { node: node.clone(), run_index: 0, started_ms });
        for (key, value) in notes.iter() {
            self.recorder.record(
                log,
                RunEvent::StepRecorded {
                    node: node.clone(),
                    key: key.clone(),
                    value: value.clone(),
                },
            );
        }
    }

    /// Starts a run for a delivery, unless it was received before. The delivery is recorded
    /// together with the start of the run: one that a crash cut off is accepted when it is sent
    /// again, and no other is. Callers that bring the same delivery meanwhile wait for its result.
    /// A caller that hangs up does not leave it half accepted.
    pub(crate) async fn start_once(
        self: &Arc<Self>,
        key: String,
        request: RunRequest,
        admission: Admission,
    ) -> Result<Option<AcceptedRun>, Error> {
        // Those that wait for each other take memory as well.
        let reservation = Some(self.reserve(admission.bytes)?);
        let guard = self.delivery_locks.lock(key).await;
        let commit_with = Some(CommitWith::Delivery(guard.key().as_str().into()));
        let context = StartContext { commit_with, reservation, ..StartContext::default() };
        let runner = self.clone();
        spawn_detached(
            async move { runner.accept_delivery(&guard, request, admission, context).await },
        )
        .await
    }

    async fn accept_delivery(
        self: &Arc<Self>,
        guard: &KeyGuard<String>,
        request: RunRequest,
        admission: Admission,
        context: StartContext,
    ) -> Result<Option<AcceptedRun>, Error> {
        if self.store.is_delivered(guard.key()).await? {
            return Ok(None);
        }
        let run = self.accept_with(request, admission, context)?.detach();
        self.wait_accepted(&run.log).await?;
        Ok(Some(run))
    }
}
