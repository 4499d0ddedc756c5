//! Starts a run that another one calls.

use crate::AcceptedRun;
use crate::execute::run_task::RunTask;
use crate::execute::runner::Runner;
use crate::execute::start::SlotPolicy;
use crate::loaded_workflow::LoadedWorkflow;
use engine::{RunOptions, Spending};
use model::{Exposure, Items, RunEvent, RunRange, Str};
use node_api::StartCause;
use node_api::trigger::ReplyMode;
use std::sync::Arc;
use store::executions::{NewExecution, ParentCall};
use tokio_util::sync::CancellationToken;

/// A run that another one calls.
pub(super) struct CalledRun {
    pub(super) workflow: Arc<LoadedWorkflow>,
    /// The workflow itself, if it is not a stored one.
    pub(super) document: Option<Str>,
    pub(super) caller: Option<ParentCall>,
    pub(super) items: Items,
    pub(super) cause: StartCause,
    /// Whether its caller waits for its result.
    pub(super) waits: bool,
    pub(super) depth: usize,
    pub(super) called_by_model: Option<Exposure>,
    /// On whose account it spends.
    pub(super) spending: Arc<Spending>,
    pub(super) cancel: CancellationToken,
}

impl Runner {
    /// No limit rejects it: it is part of a run that was accepted.
    pub(super) fn start_called(self: &Arc<Self>, called: CalledRun) -> AcceptedRun {
        let CalledRun { workflow, caller, items, cause, waits, called_by_model, .. } = called;
        let mut policy = workflow.recording_policy(cause.mode());
        // What is done for a run that nobody keeps is not kept either.
        let saving_above = caller
            .filter(|_| cause == StartCause::Workflow)
            .and_then(|caller| self.recorder.saving_of(&caller.execution.to_string()));
        policy.saving = saving_above.map_or(policy.saving, |above| above.and(policy.saving));
        let execution = NewExecution {
            workflow_id: workflow.id.clone(),
            version_id: workflow.version_id.clone(),
            mode: cause.mode().into(),
            started_ms: self.engine.ports.clock.now_ms(),
            retry_of: None,
            parent: caller,
            is_awaited: waits && caller.is_some(),
            document: called.document,
            static_data: None,
            saving: policy.saving,
        };
        if let Some(caller) = caller {
            self.accounts.register(caller.execution, called.spending.account());
        }
        let mode = execution.mode.clone();
        let (workflow_id, started_ms) = (execution.workflow_id.clone(), execution.started_ms);
        let log = self.recorder.open(execution, None, policy);
        let started = RunEvent::RunStarted {
            run_id: log.run_id(),
            workflow_id,
            workflow_name: workflow.name.clone(),
            mode: mode.clone(),
            started_ms,
            start_node: None,
            items: Some(items.clone()),
            extent: RunRange::default(),
            called_by_model,
        };
        self.recorder.record(&log, started);
        let options = RunOptions {
            use_pin_data: false,
            depth: called.depth,
            called_by_model,
            spends_for: Some(called.spending),
            ..self.options.clone()
        };
        // If it waited for a slot of its own, callers could take all slots and wait forever.
        let slot = if waits { SlotPolicy::Inherit } else { SlotPolicy::Acquire };
        self.spawn(RunTask {
            log,
            workflow,
            start: engine::RunStart { cause, node: None, items: Some(items) },
            mode,
            options,
            reply: ReplyMode::default(),
            reservation: None,
            cancel: called.cancel,
            slot,
            request_id: Str::new(),
        })
        .detach()
    }
}
