//! Runs that other runs start: executions of their own, which their callers find again after a
//! sleep or a crash.

use crate::accounts::Caller;
use crate::clock::{Passed, WAKE_AT_ONCE, alone};
use crate::end::Word;
use crate::loaded::Loaded;
use crate::resume::Resume;
use crate::start::CalledRun;
use crate::task::caught;
use crate::versions::as_it_listens;
use crate::{Error, Runtime, history};
use engine::{Call, CallTarget, Calls, Reply};
use model::{RunError, RunStatus, SpendingLimit, SpentSum, Str, Workflow};
use node_api::{NodeError, StartedBy};
use std::sync::{Arc, OnceLock, Weak};
use store::executions::{CalledFrom, Execution, Left};
use store::workflows::StoredWorkflow;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

/// The engine's port for calls. The runtime holds the engine, so that this knows the runtime
/// without holding it.
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
        let caller = place.run_id.parse().ok().map(|execution| CalledFrom {
            execution,
            step: place.step as i64,
            number: place.number as i64,
        });
        // A run that was not taken up again comes by each place for the first time.
        if let Some(caller) = caller.filter(|_| self.recorder.was_taken_up(&place.run_id))
            && let Some(found) = self.store.called(caller).await.map_err(failed)?
        {
            return self.reply_of(found, call.waits).await.map_err(failed);
        }
        let (workflow, document) = self.workflow_for(&call).await?;
        let Call { items, cause, waits, depth, called_by_model, spending, cancel, .. } = call;
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
            self.runner.written(&taken.log).await.map_err(failed)?;
            return Ok(Reply::Begun);
        }
        if let Some(log) =
            caller.and_then(|caller| self.recorder.log(&caller.execution.to_string()))
        {
            log.note_call();
        }
        let awaited = Awaited { runtime: Arc::downgrade(self), id: Some(taken.id) };
        let ended = taken.outcome.await;
        awaited.let_go();
        ended.map(Reply::of).ok_or_else(|| {
            NodeError::failed(format!("Execution {}, which the node called, broke off", taken.id))
        })
    }

    /// What became of a run that was called before.
    async fn reply_of(&self, found: Execution, waits: bool) -> Result<Reply, Error> {
        if !waits {
            return Ok(Reply::Begun);
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
        Ok(Reply::of(outcome))
    }

    /// The workflow that is called, as it is now, and its document if it is none that is stored.
    async fn workflow_for(&self, call: &Call) -> Result<(Arc<Loaded>, Option<Str>), NodeError> {
        let caller = self.store.workflow(&call.caller).await.map_err(failed)?;
        match &call.target {
            CallTarget::Stored(id) => {
                let missing = || CallTarget::missing(id);
                let (Some(caller), Some(stored)) =
                    (caller, self.store.workflow(id).await.map_err(failed)?)
                else {
                    return Err(missing());
                };
                let stored = as_it_listens(&self.store, stored).await.map_err(failed)?;
                let known = self
                    .active()
                    .get(id)
                    .filter(|known| known.version_id == stored.version_id)
                    .cloned();
                let called = match known {
                    Some(known) => known,
                    None => Arc::new(
                        self.beside_active(Loaded::new(&stored, &self.engine).map_err(failed)?),
                    ),
                };
                if may_call(&caller, &called) { Ok((called, None)) } else { Err(missing()) }
            }
            CallTarget::Text(workflow) => {
                let caller = caller.ok_or_else(|| CallTarget::missing(&call.caller))?;
                Ok((
                    Arc::new(Loaded::of_text(workflow, &caller, &self.engine)),
                    Some(workflow.to_text().into()),
                ))
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
        let workflow = Workflow::parse(&document)
            .map_err(|error| Error::Unreadable { cause: error.to_string().into() })?;
        Ok(Arc::new(Loaded::of_text(&workflow, &caller, &self.engine)))
    }

    /// The runs that called one, directly or through others, the nearest first. Of one whose
    /// workflow is gone nothing limits what is spent.
    pub(crate) async fn callers_of(&self, execution: &Execution) -> Result<Vec<Caller>, Error> {
        let (mut callers, mut above) = (Vec::new(), execution.begun.parent);
        while let Some(CalledFrom { execution: id, .. }) = above {
            let mut caller =
                Caller { id, limit: SpendingLimit::default(), spent: SpentSum::default() };
            above = None;
            if let Some(found) = self.store.execution(id).await? {
                (caller.spent, above) = (found.spent, found.begun.parent);
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
    pub(crate) async fn heed(self: Arc<Self>, mut words: mpsc::UnboundedReceiver<Word>) {
        loop {
            let word = tokio::select! {
                biased;
                () = self.stopping.cancelled() => return,
                Some(word) = words.recv() => word,
                else => return,
            };
            match word {
                Word::MayGoOn(id) => {
                    tokio::spawn(self.clone().wake_in_turn(id));
                }
                Word::IsDecided(id) => {
                    tokio::spawn(self.clone().take_up_decided(id));
                }
                Word::IsUnwritten(id) => {
                    tokio::spawn(self.clone().resume_unwritten(id));
                }
                Word::IsAbandoned(id) => {
                    tokio::spawn(self.clone().stop_abandoned(id));
                }
                Word::CallerIsOver(id) => {
                    tokio::spawn(self.clone().stop_all_abandoned(Some(id)));
                }
            }
        }
    }

    /// Nothing of a caller is read before it has its turn.
    async fn wake_in_turn(self: Arc<Self>, id: i64) {
        let Some(slot) = self.stopping.run_until_cancelled(self.runner.slot()).await.flatten()
        else {
            return;
        };
        if let Err(error) = caught(self.wake_if_answered(id, slot)).await {
            tracing::error!(%error, execution = id, "A run could not be told that the one it waits for is over.");
        }
    }

    async fn wake_if_answered(
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
        let left = Left { id, state: execution.state };
        let resume = Resume::Due(left.state.clone());
        self.wake_or_give_up(left, resume, slot).await
    }

    /// Wakes every run whose called run is over, or about which a person has decided: those that
    /// nobody told, because the process ended or another one did it. Gives back whether some have
    /// to wait.
    pub(crate) async fn wake_answered(
        self: &Arc<Self>,
        passed: &mut Passed,
    ) -> Result<bool, Error> {
        let answered = self.store.answered(passed.answered, WAKE_AT_ONCE).await?;
        let ruled = self.store.decided(passed.decided, WAKE_AT_ONCE).await?;
        let mut has_to_wait = false;
        for (all, passed) in [(&answered, &mut passed.answered), (&ruled, &mut passed.decided)] {
            // Behind the last one it begins anew.
            *passed = all.last().filter(|_| all.len() == WAKE_AT_ONCE).map_or(0, |last| last.id);
            has_to_wait |= *passed > 0;
        }
        let answered = answered.into_iter().map(|left| (Resume::Due(left.state.clone()), left));
        for (resume, left) in
            answered.chain(ruled.into_iter().map(|left| (Resume::RuledBefore, left)))
        {
            let id = left.id;
            if !self.runner.is_running(id)
                && !self.is_recovering(id)
                && !self.setbacks.is_early(id, self.now_ms())
            {
                let Some(slot) = self.slot_for_clock() else { return Ok(true) };
                has_to_wait |= alone(
                    self.wake_or_give_up(left, resume, slot).await,
                    "A run could not be woken: execution",
                    id,
                )?;
            }
        }
        Ok(has_to_wait)
    }
}

/// A run that its caller waits for. It is stopped when the caller is dropped meanwhile, as by a
/// limit of time; but not because the process ends.
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

/// Whether a workflow may call another. Unless the other says otherwise, those of its own project
/// may.
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
