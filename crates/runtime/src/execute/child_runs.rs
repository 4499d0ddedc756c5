//! Runs that other runs start: executions of their own, which their callers find again after a
//! sleep or a crash.

use crate::execute::accounts::CallerAccount;
use crate::execute::completion::RunSignal;
use crate::execute::history;
use crate::execute::start::CalledRun;
use crate::loaded_workflow::LoadedWorkflow;
use crate::resume::resumption::ResumeReason;
use crate::schedule::clock::{WAKE_BATCH, WakeCursor, log_and_continue};
use crate::task::catch_panic;
use crate::versions::with_listening_document;
use crate::{Error, Runtime};
use engine::{CallReply, CallTarget, SubworkflowCall, Subworkflows};
use model::{RunError, RunStatus, SpendingLimit, SpendingTotal, Str, Workflow};
use node_api::{NodeError, StartCause};
use std::sync::{Arc, OnceLock, Weak};
use store::executions::{Execution, ParentCall, UnfinishedExecution};
use store::workflows::StoredWorkflow;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

/// The engine's port for calls. The runtime holds the engine, so that this knows the runtime
/// without holding it.
#[derive(Default)]
pub(crate) struct ChildRuns {
    runtime: OnceLock<Weak<Runtime>>,
}

impl ChildRuns {
    pub(crate) fn attach(&self, runtime: &Arc<Runtime>) {
        let _ = self.runtime.set(Arc::downgrade(runtime));
    }
}

#[async_trait::async_trait]
impl Subworkflows for ChildRuns {
    async fn call(&self, call: SubworkflowCall) -> Result<CallReply, NodeError> {
        let Some(runtime) = self.runtime.get().and_then(Weak::upgrade) else {
            // The process ends; the caller goes on from its journal in the next one.
            return std::future::pending().await;
        };
        let (cause, caller) = (call.cause, call.place.run_id.clone());
        let made = runtime.call(call).await;
        if let (StartCause::Error, Err(error)) = (cause, &made) {
            tracing::error!(execution = %caller, code = error.code().name(), "Could not start the error workflow.");
        }
        made
    }
}

impl Runtime {
    async fn call(self: &Arc<Self>, call: SubworkflowCall) -> Result<CallReply, NodeError> {
        let place = &call.place;
        let caller = place.run_id.parse().ok().map(|execution| ParentCall {
            execution,
            step: place.step as i64,
            number: place.number as i64,
        });
        // A run that was not taken up again comes by each place for the first time.
        if let Some(caller) = caller.filter(|_| self.recorder.was_resumed(&place.run_id))
            && let Some(found) = self.store.called(caller).await.map_err(failed)?
        {
            return self.reply_of(found, call.waits).await.map_err(failed);
        }
        let (workflow, document) = self.workflow_for(&call).await?;
        let SubworkflowCall {
            items, cause, waits, depth, called_by_model, spending, cancel, ..
        } = call;
        let called = CalledRun {
            workflow,
            document,
            caller,
            items,
            cause,
            waits,
            depth,
            called_by_model,
            spending,
            cancel,
        };
        let taken = self.runner.start_called(called);
        if !waits {
            self.runner.flush_journal(&taken.log).await.map_err(failed)?;
            return Ok(CallReply::Started);
        }
        if let Some(log) =
            caller.and_then(|caller| self.recorder.log(&caller.execution.to_string()))
        {
            log.mark_called();
        }
        let awaited = ChildRunGuard { runtime: Arc::downgrade(self), id: Some(taken.id) };
        let ended = taken.outcome.await;
        awaited.disarm();
        ended.map(CallReply::of).ok_or_else(|| {
            NodeError::failed(format!(
                "Execution {}, which the node called, was interrupted",
                taken.id
            ))
        })
    }

    /// What became of a run that was called before.
    async fn reply_of(&self, found: Execution, waits: bool) -> Result<CallReply, Error> {
        if !waits {
            return Ok(CallReply::Started);
        }
        let events = if found.state.status.is_over() {
            self.store.journal(found.id).await?
        } else {
            Vec::new()
        };
        let mut outcome = history::outcome(&found, events);
        if outcome.status == RunStatus::Error && outcome.error.is_none() {
            let message = found.state.error.unwrap_or_else(|| "The called run failed".into());
            outcome.error =
                Some(RunError { node: None, ..NodeError::failed(message).to_run_error("") });
        }
        Ok(CallReply::of(outcome))
    }

    /// The workflow that is called, as it is now, and its document if it is none that is stored.
    async fn workflow_for(
        &self,
        call: &SubworkflowCall,
    ) -> Result<(Arc<LoadedWorkflow>, Option<Str>), NodeError> {
        let caller = self.store.workflow(&call.caller).await.map_err(failed)?;
        match &call.target {
            CallTarget::Stored(id) => {
                let missing = || CallTarget::missing(id);
                let (Some(caller), Some(stored)) =
                    (caller, self.store.workflow(id).await.map_err(failed)?)
                else {
                    return Err(missing());
                };
                let stored = with_listening_document(&self.store, stored).await.map_err(failed)?;
                let known = self
                    .active()
                    .get(id)
                    .filter(|known| known.version_id == stored.version_id)
                    .cloned();
                let called = match known {
                    Some(known) => known,
                    None => Arc::new(self.sharing_active_data(
                        LoadedWorkflow::new(&stored, &self.engine).map_err(failed)?,
                    )),
                };
                if may_call(&caller, &called) { Ok((called, None)) } else { Err(missing()) }
            }
            CallTarget::Text(workflow) => {
                let caller = caller.ok_or_else(|| CallTarget::missing(&call.caller))?;
                Ok((
                    Arc::new(LoadedWorkflow::of_text(workflow, &caller, &self.engine)),
                    Some(workflow.to_text().into()),
                ))
            }
        }
    }

    /// The workflow of a run as it was when the run began.
    pub(crate) async fn workflow_of(
        &self,
        execution: &Execution,
    ) -> Result<Arc<LoadedWorkflow>, Error> {
        let begun = &execution.started;
        if !begun.version_id.is_empty() {
            return self.version(&begun.workflow_id, &begun.version_id).await;
        }
        let missing = || Error::NoWorkflow { id: begun.workflow_id.clone() };
        let caller = self.store.workflow(&begun.workflow_id).await?.ok_or_else(missing)?;
        let document = self.store.document(execution.id).await?.ok_or_else(missing)?;
        let workflow = Workflow::parse(&document)
            .map_err(|error| Error::Unreadable { cause: error.to_string().into() })?;
        Ok(Arc::new(LoadedWorkflow::of_text(&workflow, &caller, &self.engine)))
    }

    /// The runs that called one, directly or through others, the nearest first. Of one whose
    /// workflow is gone nothing limits what is spent.
    pub(crate) async fn callers_of(
        &self,
        execution: &Execution,
    ) -> Result<Vec<CallerAccount>, Error> {
        let (mut callers, mut above) = (Vec::new(), execution.started.parent);
        while let Some(ParentCall { execution: id, .. }) = above {
            let mut caller = CallerAccount {
                id,
                limit: SpendingLimit::default(),
                spent: SpendingTotal::default(),
            };
            above = None;
            if let Some(found) = self.store.execution(id).await? {
                (caller.spent, above) = (found.spent, found.started.parent);
                caller.limit = match self.workflow_of(&found).await {
                    Ok(workflow) => workflow.plan.budgets.run,
                    Err(Error::Store(error)) => return Err(error.into()),
                    Err(_) => SpendingLimit::default(),
                };
            }
            callers.push(caller);
        }
        Ok(callers)
    }

    /// Wakes callers as the runs they wait for come to their ends, and stops runs that nobody waits
    /// for any more.
    pub(crate) async fn handle_signals(
        self: Arc<Self>,
        mut words: mpsc::UnboundedReceiver<RunSignal>,
    ) {
        loop {
            let word = tokio::select! {
                biased;
                () = self.stopping.cancelled() => return,
                Some(word) = words.recv() => word,
                else => return,
            };
            match word {
                RunSignal::ChildFinished(id) => {
                    tokio::spawn(self.clone().wake_with_slot(id));
                }
                RunSignal::DecisionMade(id) => {
                    tokio::spawn(self.clone().resume_approved(id));
                }
                RunSignal::EndUnwritten(id) => {
                    tokio::spawn(self.clone().resume_unwritten(id));
                }
                RunSignal::Orphaned(id) => {
                    tokio::spawn(self.clone().stop_abandoned(id));
                }
                RunSignal::CallerFinished(id) => {
                    tokio::spawn(self.clone().stop_all_abandoned(Some(id)));
                }
            }
        }
    }

    /// Nothing of a caller is read before it has its turn.
    async fn wake_with_slot(self: Arc<Self>, id: i64) {
        let Some(slot) = self.stopping.run_until_cancelled(self.runner.slot()).await.flatten()
        else {
            return;
        };
        if let Err(error) = catch_panic(self.wake_if_unblocked(id, slot)).await {
            tracing::error!(%error, execution = id, "Could not notify a run that the run it waits for has finished.");
        }
    }

    async fn wake_if_unblocked(
        self: &Arc<Self>,
        id: i64,
        slot: OwnedSemaphorePermit,
    ) -> Result<(), Error> {
        if self.runner.is_running(id) || self.is_recovering(id) {
            return Ok(());
        }
        let Some(execution) = self.store.execution(id).await? else { return Ok(()) };
        let Some(called) =
            execution.state.waits_for.filter(|_| execution.state.status == RunStatus::Waiting)
        else {
            return Ok(());
        };
        let called = self.store.execution(called).await?;
        if called.is_some_and(|called| {
            matches!(called.state.status, RunStatus::Running | RunStatus::Waiting)
        }) {
            return Ok(());
        }
        let left = UnfinishedExecution { id, state: execution.state };
        let resume = ResumeReason::Due(left.state.clone());
        self.wake_or_abandon(left, resume, slot).await
    }

    /// Wakes every run whose called run is over, or about which a person has decided: those that
    /// nobody told, because the process ended or another one did it. Gives back whether some have
    /// to wait.
    pub(crate) async fn wake_unblocked(
        self: &Arc<Self>,
        passed: &mut WakeCursor,
    ) -> Result<bool, Error> {
        let answered = self.store.unblocked(passed.answered, WAKE_BATCH).await?;
        let ruled = self.store.decided(passed.decided, WAKE_BATCH).await?;
        let mut has_to_wait = false;
        for (all, passed) in [(&answered, &mut passed.answered), (&ruled, &mut passed.decided)] {
            // Behind the last one it begins anew.
            *passed = all.last().filter(|_| all.len() == WAKE_BATCH).map_or(0, |last| last.id);
            has_to_wait |= *passed > 0;
        }
        let answered =
            answered.into_iter().map(|left| (ResumeReason::Due(left.state.clone()), left));
        for (resume, left) in
            answered.chain(ruled.into_iter().map(|left| (ResumeReason::ApprovalRecorded, left)))
        {
            let id = left.id;
            if !self.runner.is_running(id)
                && !self.is_recovering(id)
                && !self.resume_backoff.is_backing_off(id, self.now_ms())
            {
                let Some(slot) = self.scheduler_slot() else { return Ok(true) };
                has_to_wait |= log_and_continue(
                    self.wake_or_abandon(left, resume, slot).await,
                    "Could not wake a run: execution",
                    id,
                )?;
            }
        }
        Ok(has_to_wait)
    }
}

/// A run that its caller waits for. It is stopped when the caller is dropped meanwhile, as by a
/// limit of time; but not because the process ends.
struct ChildRunGuard {
    runtime: Weak<Runtime>,
    id: Option<i64>,
}

impl ChildRunGuard {
    fn disarm(mut self) {
        self.id = None;
    }
}

impl Drop for ChildRunGuard {
    fn drop(&mut self) {
        if let (Some(id), Some(runtime)) = (self.id, self.runtime.upgrade())
            && !runtime.is_stopping()
        {
            runtime.runner.signal(RunSignal::Orphaned(id));
        }
    }
}

/// Whether a workflow may call another. Unless the other says otherwise, those of its own project
/// may.
fn may_call(caller: &StoredWorkflow, called: &LoadedWorkflow) -> bool {
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
