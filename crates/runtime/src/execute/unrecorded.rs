//! Runs a trigger alone, without a record: polls, and questions that start no run.

use crate::execute::runner::Runner;
use crate::loaded_workflow::{self, LoadedWorkflow};
use engine::{ExecutionLimits, FailureHandling, RunOptions, RunOutcome};
use model::{Items, RunRange, Str};
use node_api::StartCause;
use store::workflows::StaticDataChange;
use tokio_util::sync::CancellationToken;

/// What a poll has found.
pub(crate) struct PollResult {
    pub(crate) outcome: RunOutcome,
    pub(crate) static_data: Option<StaticDataChange>,
}

impl Runner {
    /// Polls a trigger. Nothing of it is recorded; the caller decides about its static data.
    pub(crate) async fn poll_trigger(
        &self,
        workflow: &LoadedWorkflow,
        node: &Str,
        longest_ms: u64,
        cancel: CancellationToken,
    ) -> PollResult {
        let before = workflow.static_data();
        let outcome =
            self.run_unrecorded(workflow, node, None, "trigger", longest_ms, cancel).await;
        let static_data = loaded_workflow::changes(&before, &outcome.static_data);
        PollResult { outcome, static_data }
    }

    /// Asks a trigger something that starts no run, such as what was said before. Nothing of it is
    /// recorded or remembered.
    pub(crate) async fn ask_trigger(
        &self,
        workflow: &LoadedWorkflow,
        node: &Str,
        items: Items,
        longest_ms: u64,
    ) -> RunOutcome {
        self.run_unrecorded(
            workflow,
            node,
            Some(items),
            "webhook",
            longest_ms,
            CancellationToken::new(),
        )
        .await
    }

    async fn run_unrecorded(
        &self,
        workflow: &LoadedWorkflow,
        node: &Str,
        items: Option<Items>,
        mode: &str,
        longest_ms: u64,
        cancel: CancellationToken,
    ) -> RunOutcome {
        let _slot = self.slots.acquire().await;
        let limits = &self.options.limits;
        let options = RunOptions {
            // No log is open under this name, so that its events lead nowhere.
            run_id: "look".into(),
            acting_workflow: workflow.id.clone(),
            variables: self.variables_of(&workflow.project_id),
            mode: mode.into(),
            static_data: Some(workflow.static_data()),
            extent: RunRange::until(Some(node.clone())),
            use_pin_data: false,
            failures: FailureHandling::Caller,
            limits: ExecutionLimits {
                timeout_ms: Some(limits.timeout_ms.unwrap_or(longest_ms).min(longest_ms)),
                ..limits.clone()
            },
            ..self.options.clone()
        };
        let start = engine::RunStart { cause: StartCause::Hand, node: Some(node.clone()), items };
        self.engine.run(workflow.plan.clone(), start, options, cancel).await
    }
}
