//! Runs that other runs start: executions of their own, which their callers find again after a sleep or a crash.

use crate::loaded::Loaded;
use crate::runner::{CalledRun, Word};
use crate::versions::as_it_listens;
use crate::{Error, Runtime, history, lock};
use engine::{Call, CallTarget, Calls, Reply};
use model::{RunError, RunStatus, Str, Workflow};
use node_api::{NodeError, StartedBy};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;
use store::executions::{CalledFrom, Execution};
use store::workflows::StoredWorkflow;
use tokio::sync::mpsc;

/// How soon a run that was told to stop is told again.
const STOP_AGAIN: Duration = Duration::from_millis(20);

/// The engine's port for calls. The runtime holds the engine, so that this knows the runtime without holding it.
#[derive(Default)]
pub(crate) struct KeptCalls {
    runtime: OnceLock<Weak<Runtime>>,
}

impl KeptCalls {
    pub(crate) fn belong_to(&self, runtime: &Arc<Runtime>) {
        let _ = self.runtime.set(Arc::downgrade(runtime));
    }
}

#[async_trait::async_trait]
impl Calls for KeptCalls {
    async fn call(&self, call: Call) -> Result<Reply, NodeError> {
        let Some(runtime) = self.runtime.get().and_then(Weak::upgrade) else {
            // The process ends; the caller goes on from its journal in the next one.
            return std::future::pending().await;
        };
        let (cause, caller) = (call.cause, call.place.run_id.clone());
        let made = runtime.call(call).await;
        if let (StartedBy::Error, Err(error)) = (cause, &made) {
            tracing::error!(execution = %caller, code = error.code().name(), "The workflow that hears of failures could not be started.");
        }
        made
    }
}

impl Runtime {
    async fn call(self: &Arc<Self>, call: Call) -> Result<Reply, NodeError> {
        let place = &call.place;
        let caller =
            place.run_id.parse().ok().map(|execution| CalledFrom { execution, step: place.step as i64, number: place.number as i64 });
        // A run that was not taken up again comes by each place for the first time.
        if let Some(caller) = caller.filter(|_| self.recorder.was_taken_up(&place.run_id))
            && let Some(found) = self.store.called(caller).await.map_err(failed)?
        {
            return self.reply_of(found, call.waits).await.map_err(failed);
        }
        let (workflow, document) = self.workflow_for(&call).await?;
        let Call { items, cause, waits, depth, spending, cancel, .. } = call;
        let taken = self.runner.start_called(CalledRun { workflow, document, caller, items, cause, waits, depth, spending, cancel });
        if !waits {
            self.runner.written(&taken.log).await.map_err(failed)?;
            return Ok(Reply::Begun);
        }
        let awaited = Awaited { runtime: Arc::downgrade(self), id: Some(taken.id) };
        let ended = taken.outcome.await;
        awaited.let_go();
        ended.map(Reply::of).ok_or_else(|| NodeError::failed(format!("Execution {}, which the node called, broke off", taken.id)))
    }

    /// What became of a run that was called before.
    async fn reply_of(&self, found: Execution, waits: bool) -> Result<Reply, Error> {
        if !waits {
            return Ok(Reply::Begun);
        }
        let events = if found.state.status.is_over() { self.store.journal(found.id).await? } else { Vec::new() };
        let mut outcome = history::outcome(&found, events);
        if outcome.status == RunStatus::Error && outcome.error.is_none() {
            let message = found.state.error.unwrap_or_else(|| "The called run failed".into());
            outcome.error = Some(RunError { node: None, ..NodeError::failed(message).to_run_error("") });
        }
        Ok(Reply::of(outcome))
    }

    /// The workflow that is called, as it is now, and its document if it is none that is stored.
    async fn workflow_for(&self, call: &Call) -> Result<(Arc<Loaded>, Option<Str>), NodeError> {
        let caller = self.store.workflow(&call.caller).await.map_err(failed)?;
        match &call.target {
            CallTarget::Stored(id) => {
                let missing = || CallTarget::missing(id);
                let (Some(caller), Some(stored)) = (caller, self.store.workflow(id).await.map_err(failed)?) else { return Err(missing()) };
                let stored = as_it_listens(&self.store, stored).await.map_err(failed)?;
                let known = self.active().workflows.get(id).filter(|known| known.version_id == stored.version_id).cloned();
                let called = match known {
                    Some(known) => known,
                    None => Arc::new(Loaded::new(&stored, &self.engine).map_err(failed)?),
                };
                if may_call(&caller, &called) { Ok((called, None)) } else { Err(missing()) }
            }
            CallTarget::Text(workflow) => {
                let caller = caller.ok_or_else(|| CallTarget::missing(&call.caller))?;
                Ok((Arc::new(Loaded::of_text(workflow, &caller, &self.engine)), Some(workflow.to_text().into())))
            }
        }
    }

    /// The workflow of a run as it was when the run began.
    pub(crate) async fn workflow_of(&self, execution: &Execution) -> Result<Arc<Loaded>, Error> {
        let begun = &execution.begun;
        if !begun.version_id.is_empty() {
            return self.version(&begun.workflow_id, &begun.version_id).await;
        }
        let missing = || Error::NoWorkflow { id: begun.workflow_id.clone() };
        let caller = self.store.workflow(&begun.workflow_id).await?.ok_or_else(missing)?;
        let document = self.store.document(execution.id).await?.ok_or_else(missing)?;
        let workflow = Workflow::parse(&document).map_err(|error| Error::Unreadable { cause: error.to_string().into() })?;
        Ok(Arc::new(Loaded::of_text(&workflow, &caller, &self.engine)))
    }

    /// How many workflows deep a run was called.
    pub(crate) async fn depth_of(&self, execution: &Execution) -> Result<usize, Error> {
        let (mut depth, mut above) = (0, execution.begun.parent);
        while let Some(caller) = above {
            depth += 1;
            above = self.store.execution(caller.execution).await?.and_then(|found| found.begun.parent);
        }
        Ok(depth)
    }

    /// Wakes callers as the runs they wait for come to their ends, and stops runs that nobody waits for any more.
    pub(crate) async fn heed(self: Arc<Self>, mut words: mpsc::UnboundedReceiver<Word>) {
        loop {
            let word = tokio::select! {
                Some(word) = words.recv() => word,
                () = self.stopping.cancelled() => return,
                else => return,
            };
            match word {
                Word::MayGoOn(id) => {
                    if let Err(error) = self.wake_if_answered(id).await {
                        tracing::error!(%error, execution = id, "A run could not be told that the one it waits for is over.");
                    }
                }
                Word::IsDecided(id) => {
                    tokio::spawn(self.clone().take_up_decided(id));
                }
                Word::IsAbandoned(id) => {
                    tokio::spawn(self.clone().stop_abandoned(id));
                }
            }
        }
    }

    /// A run that was told to stop may go to sleep all the same, if it was about to.
    async fn stop_abandoned(self: Arc<Self>, id: i64) {
        while self.runner.cancel(id) && !self.is_stopping() {
            tokio::time::sleep(STOP_AGAIN).await;
        }
        if let Err(error) = self.stop_awaited(id).await {
            tracing::error!(%error, execution = id, "A run that nobody waits for could not be stopped.");
        }
    }

    async fn wake_if_answered(self: &Arc<Self>, id: i64) -> Result<(), Error> {
        if self.runner.is_running(id) {
            return Ok(());
        }
        let Some(execution) = self.store.execution(id).await? else { return Ok(()) };
        let Some(called) = execution.state.waits_for.filter(|_| execution.state.status == RunStatus::Waiting) else { return Ok(()) };
        let called = self.store.execution(called).await?;
        if called.is_some_and(|called| matches!(called.state.status, RunStatus::Running | RunStatus::Waiting)) {
            return Ok(());
        }
        self.wake_or_give_up(&execution).await
    }

    /// Wakes every run whose called run is over, or about which a person has decided: those that nobody told, because the process
    /// ended or another one did it.
    pub(crate) async fn wake_answered(self: &Arc<Self>) -> Result<(), Error> {
        for execution in self.store.answered().await?.into_iter().chain(self.store.decided().await?) {
            if !self.runner.is_running(execution.id) {
                self.wake_or_give_up(&execution).await?;
            }
        }
        Ok(())
    }

    async fn wake_or_give_up(self: &Arc<Self>, execution: &Execution) -> Result<(), Error> {
        let woken = self.wake(execution.id, None).await;
        let (taken, failure) = woken.map_or_else(|error| (None, Some(error)), |taken| (taken, None));
        self.expected.hand_over(execution.id, taken);
        match failure {
            None => Ok(()),
            Some(error) => Ok(self.give_up(execution, &error).await?),
        }
    }

    /// Stops a run, and with it the one that it waits for. One that is waited for fails the node that called it.
    pub async fn stop_execution(&self, id: i64) -> Result<(), Error> {
        if self.runner.cancel(id) {
            return Ok(());
        }
        let execution = self.store.execution(id).await?.ok_or(Error::NoExecution { id })?;
        let status = execution.state.status;
        if !matches!(status, RunStatus::Waiting | RunStatus::Uncertain) {
            return Err(Error::WrongStatus { id, status: status.name() });
        }
        if !lock(&self.waking).insert(id) {
            return Err(Error::WrongStatus { id, status: RunStatus::Running.name() });
        }
        let stopped = self.store.set_status(id, RunStatus::Cancelled).await;
        lock(&self.waking).remove(&id);
        stopped?;
        if let Some(called) = execution.state.waits_for {
            self.stop_awaited(called).await?;
        }
        self.runner.tell_caller(execution.begun.parent);
        Ok(())
    }

    /// Removes a run. The one that it waits for has nobody left who wants its result, and is stopped.
    pub async fn delete_execution(&self, id: i64) -> Result<bool, Error> {
        let Some(execution) = self.store.execution(id).await? else { return Ok(false) };
        if self.runner.is_running(id) {
            return Err(Error::WrongStatus { id, status: RunStatus::Running.name() });
        }
        let was_there = self.store.delete_execution(id).await?;
        if let Some(called) = execution.state.waits_for {
            self.stop_awaited(called).await?;
        }
        Ok(was_there)
    }

    async fn stop_awaited(&self, called: i64) -> Result<(), Error> {
        match Box::pin(self.stop_execution(called)).await {
            // It has just come to its end.
            Err(Error::WrongStatus { .. } | Error::NoExecution { .. }) => Ok(()),
            other => other,
        }
    }
}

/// A run that its caller waits for. It is stopped when the caller is dropped meanwhile, as by a limit of time; but not because
/// the process ends.
struct Awaited {
    runtime: Weak<Runtime>,
    id: Option<i64>,
}

impl Awaited {
    fn let_go(mut self) {
        self.id = None;
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        if let (Some(id), Some(runtime)) = (self.id, self.runtime.upgrade())
            && !runtime.is_stopping()
        {
            runtime.runner.say(Word::IsAbandoned(id));
        }
    }
}

/// Whether a workflow may call another. Unless the other says otherwise, those of its own project may.
fn may_call(caller: &StoredWorkflow, called: &Loaded) -> bool {
    match called.caller_policy.as_str() {
        _ if caller.id == called.id => true,
        "any" => true,
        "none" => false,
        "workflowsFromAList" => called.caller_ids.split(',').any(|id| id.trim() == caller.id),
        _ => caller.project_id == called.project_id,
    }
}

fn failed(error: impl Into<Error>) -> NodeError {
    let error = error.into();
    NodeError::new(error.code(), Str::from(error.to_string()))
}
