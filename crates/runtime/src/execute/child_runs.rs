//! Runs that other runs start: executions of their own, which their callers find again after a
//! sleep or a crash.

mod start;

use crate::execute::accounts::CallerAccount;
use crate::execute::child_runs::start::CalledRun;
use crate::execute::completion::RunSignal;
use crate::execute::history;
use crate::loaded_workflow::LoadedWorkflow;
use crate::versions::with_listening_document;
use crate::{Error, Runtime};
use engine::{CallReply, CallTarget, SubworkflowCall, Subworkflows};
use model::{RunError, RunStatus, SpendingLimit, SpendingTotal, Str, Workflow};
use node_api::{NodeError, StartCause};
use std::sync::{Arc, OnceLock, Weak};
use store::executions::{Execution, ParentCall};
use store::workflows::StoredWorkflow;

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
        // A run that was not resumed makes each call for the first time.
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
        let run = self.runner.start_called(called);
        if !waits {
            self.runner.flush_journal(&run.log).await.map_err(failed)?;
            return Ok(CallReply::Started);
        }
        if let Some(log) =
            caller.and_then(|caller| self.recorder.log(&caller.execution.to_string()))
        {
            log.mark_called();
        }
        let awaited = ChildRunGuard { runtime: Arc::downgrade(self), id: Some(run.id) };
        let ended = run.outcome.await;
        awaited.disarm();
        ended.map(CallReply::of).ok_or_else(|| {
            NodeError::failed(format!(
                "Execution {}, which the node called, was interrupted",
                run.id
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
        let started = &execution.started;
        if !started.version_id.is_empty() {
            return self.version(&started.workflow_id, &started.version_id).await;
        }
        let missing = || Error::NoWorkflow { id: started.workflow_id.clone() };
        let caller = self.store.workflow(&started.workflow_id).await?.ok_or_else(missing)?;
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
