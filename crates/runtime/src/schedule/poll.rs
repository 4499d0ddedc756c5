//! Polling triggers: a poll without new items leaves no run behind; new items start one run, which
//! is stored together with the new state of the trigger.

use crate::execute::start::{RunRequest, StartContext};
use crate::execute::unrecorded::PollResult;
use crate::key_lock::KeyLocks;
use crate::schedule::timers::Timer;
use crate::{Error, LoadedWorkflow, Runtime, lock};
use engine::{RecordedStep, RunOutcome};
use model::{Items, RunError, RunStatus, StepChanges, Str, TaskData, TaskStatus, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

/// A poll that takes longer has failed.
const POLL_TIMEOUT_MS: u64 = 5 * 60 * 1000;

/// After this long a poll counts as harmless, and the next one that is made alone begins.
const HARMLESS_AFTER: Duration = Duration::from_secs(30);

/// A trigger: its workflow and its name.
pub(crate) type TriggerKey = (Str, Str);

#[derive(Default)]
pub(crate) struct Polls {
    /// Triggers that are being polled.
    running: KeyLocks<TriggerKey>,
    /// Those whose last poll failed, with the version of the workflow.
    failing: HashMap<TriggerKey, Str>,
    /// Those whose first poll was recorded before it began.
    pub(crate) recorded: HashSet<TriggerKey>,
}

impl Runtime {
    /// Polls a trigger, unless its last poll is still under way.
    pub(crate) fn spawn_poll(self: &Arc<Self>, timer: &Timer, trigger: Str) {
        let key = (timer.workflow.id.clone(), trigger);
        let Some(guard) = lock(&self.polls).running.try_lock(key) else { return };
        let (runtime, timer) = (self.clone(), timer.clone());
        tokio::spawn(async move {
            let key = guard.key();
            if let Err(error) = runtime.poll(&timer, key).await {
                tracing::error!(%error, workflow = %key.0, node = %key.1, "Could not process the items of a polling trigger.");
            }
        });
    }

    async fn poll(self: &Arc<Self>, timer: &Timer, key: &TriggerKey) -> Result<(), Error> {
        let (workflow, node) = (&timer.workflow, &key.1);
        let Some(attempt) = self.begin_poll(workflow, key).await? else { return Ok(()) };
        let mut poll = pin!(self.runner.poll_trigger(
            workflow,
            node,
            POLL_TIMEOUT_MS,
            self.stopping.child_token()
        ));
        let in_time = tokio::time::timeout(HARMLESS_AFTER, poll.as_mut()).await;
        self.end_poll(key, attempt).await?;
        let polled = match in_time {
            Ok(polled) => polled,
            Err(_) => poll.await,
        };
        // The version that listens now polls for itself; nothing of this poll was stored.
        if polled.outcome.status == RunStatus::Cancelled || !self.is_current(workflow, key) {
            return Ok(());
        }
        match &polled.outcome.error {
            Some(error) => self.poll_failed(timer, key, &polled.outcome, error).await,
            None => {
                if lock(&self.polls).failing.remove(key).is_some() {
                    tracing::info!(workflow = %workflow.id, %node, "Polling trigger recovered.");
                }
                self.start_from_poll(timer, node, polled).await
            }
        }
    }

    /// Whether a trigger listens, and with this version of its workflow.
    pub(crate) fn is_current(&self, workflow: &Arc<LoadedWorkflow>, key: &TriggerKey) -> bool {
        self.active().timer(key).is_some_and(|now| Arc::ptr_eq(&now.workflow, workflow))
    }

    async fn start_from_poll(
        self: &Arc<Self>,
        timer: &Timer,
        node: &Str,
        polled: PollResult,
    ) -> Result<(), Error> {
        let workflow = &timer.workflow;
        let PollResult { outcome, static_data } = polled;
        match outcome.last_items().filter(|items| has_new_items(items)) {
            Some(items) => {
                let before = workflow.static_data();
                let context =
                    StartContext { static_data: static_data.clone(), ..StartContext::default() };
                let run = self.runner.start_with(
                    RunRequest::from_trigger(workflow, node, Some(items.clone())),
                    context,
                )?;
                let accepted = self.runner.wait_accepted(&run.log).await;
                if let (Err(_), Some(data)) = (&accepted, &static_data) {
                    // The run was rejected, so that its items are new again.
                    workflow.take_back_static_data(data, &before);
                }
                accepted
            }
            None => match static_data {
                Some(data) => {
                    self.store.save_static_data(&workflow.id, data.clone()).await?;
                    workflow.keep_static_data(&data);
                    Ok(())
                }
                None => Ok(()),
            },
        }
    }

    /// The first of several failures in a row becomes a run, so that whoever hears of failed runs
    /// hears of it.
    async fn poll_failed(
        self: &Arc<Self>,
        timer: &Timer,
        key: &TriggerKey,
        outcome: &RunOutcome,
        error: &RunError,
    ) -> Result<(), Error> {
        let (workflow, node) = (&timer.workflow, &key.1);
        tracing::warn!(workflow = %workflow.id, name = %workflow.name, %node, code = error.code.name(), "Polling trigger failed.");
        let version = workflow.version_id.clone();
        let is_known =
            lock(&self.polls).failing.insert(key.clone(), version.clone()) == Some(version);
        if is_known {
            return Ok(());
        }
        let tried = outcome.runs_of(node).last().filter(|task| task.error.is_some()).cloned();
        let failed = tried.unwrap_or_else(|| Arc::new(failed_task(outcome, error)));
        let step = RecordedStep {
            node: node.clone(),
            task: Some(failed),
            changed: StepChanges::default(),
            woken_by: None,
            redo: None,
        };
        let context = StartContext { recorded: vec![step], ..StartContext::default() };
        let run =
            self.runner.start_with(RunRequest::from_trigger(workflow, node, None), context)?;
        self.runner.wait_accepted(&run.log).await
    }
}

/// An empty item only stands in for having found nothing.
fn has_new_items(items: &Items) -> bool {
    items.iter().any(|item| item.json.as_object().is_some_and(|json| !json.is_empty()))
}

/// The record of a poll that was cut off before its node could fail.
fn failed_task(outcome: &RunOutcome, error: &RunError) -> TaskData {
    TaskData {
        start_time_ms: outcome.started_ms,
        execution_index: 0,
        execution_time_ms: (outcome.finished_ms - outcome.started_ms).max(0) as u64,
        source: Vec::new(),
        data: BTreeMap::new(),
        error: Some(error.clone()),
        status: TaskStatus::Error,
        input_override: None,
        hints: Vec::new(),
        metadata: None::<Value>,
    }
}
