//! Runs a failed execution again, with the version it had or the newest one.

use crate::execute::start::{RunRequest, StartContext, retry_mode};
use crate::resume::journal_state::JournalState;
use crate::{AcceptedRun, Error, Runtime};
use model::{RunStatus, Str};
use std::sync::Arc;

/// Which version of its workflow a run is tried again with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryWith {
    /// The one that failed.
    SameVersion,
    NewestVersion,
}

impl Runtime {
    /// Runs the workflow of a failed run again on what that run began with.
    pub async fn retry(self: &Arc<Self>, id: i64, with: RetryWith) -> Result<AcceptedRun, Error> {
        let execution = self.store.execution(id).await?.ok_or(Error::NoExecution { id })?;
        if !matches!(
            execution.state.status,
            RunStatus::Error | RunStatus::Cancelled | RunStatus::Uncertain
        ) {
            return Err(Error::WrongStatus { id, status: execution.state.status.name() });
        }
        let workflow = match with {
            RetryWith::SameVersion => self.workflow_of(&execution).await?,
            RetryWith::NewestVersion => self.load(&execution.started.workflow_id).await?,
        };
        let started =
            JournalState::read(self.store.first_event(id).await?.into_iter().collect()).started;
        let called_by_model = started.as_ref().and_then(|started| started.called_by_model);
        let (node, items, extent) = started
            .map(|started| (started.node, started.items, started.extent))
            .unwrap_or_default();
        let cause = node_api::StartCause::Hand;
        let request = RunRequest {
            workflow,
            cause,
            node,
            items,
            mode: retry_mode(&execution.started.mode),
            retry_of: Some(id),
            extent,
            request_id: Str::new(),
        };
        let context = StartContext { called_by_model, ..StartContext::default() };
        let run = self.runner.start_with(request, context)?;
        self.runner.wait_accepted(&run.log).await?;
        Ok(run)
    }
}
