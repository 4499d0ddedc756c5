//! Stops and removes runs, and with them those that they wait for.
//!
//! Invariant: a run that was reported as stopped does not continue. A cancelled run may be about to
//! sleep, so that its end is awaited and checked.

use crate::execute::completion::RunSignal;
use crate::key_lock::KeyGuard;
use crate::task::spawn_detached;
use crate::{Error, Runtime};
use futures::StreamExt as _;
use model::{RunStatus, Str};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// How long it may take until nobody else is at a run, and until one that was told to stop has come
/// to its end.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs that nobody waits for are stopped so many at a time.
const STOPS_AT_ONCE: usize = 16;

impl Runtime {
    /// Stops a run, and with it all that it waits for. One that is waited for fails the node that
    /// called it. Goes on also if nobody waits for it any more.
    pub async fn stop_execution(self: &Arc<Self>, id: i64) -> Result<(), Error> {
        let runtime = self.clone();
        spawn_detached(async move { runtime.stop_now(id).await }).await
    }

    /// Removes a run. Those that it waits for have nobody left who wants their results, and are
    /// stopped. Goes on also if nobody waits for it any more.
    pub async fn delete_execution(self: &Arc<Self>, id: i64) -> Result<bool, Error> {
        let runtime = self.clone();
        spawn_detached(async move { runtime.delete_now(id).await }).await
    }

    /// Removes a workflow with all its runs, those that go on too; `false` if it is not there. Goes
    /// on also if nobody waits for it any more.
    pub async fn delete_workflow(self: &Arc<Self>, id: &str) -> Result<bool, Error> {
        let (runtime, id) = (self.clone(), Str::from(id));
        spawn_detached(async move { runtime.delete_workflow_now(&id).await }).await
    }

    async fn delete_workflow_now(self: &Arc<Self>, id: &str) -> Result<bool, Error> {
        match self.deactivate(id).await {
            Err(Error::NoWorkflow { .. }) => return Ok(false),
            other => other?,
        }
        let its = self.recorder.runs_of(id);
        let stopped = its.iter().filter(|run| self.runner.cancel(**run));
        let all = futures::future::join_all(stopped.map(|run| self.runner.wait_stopped(*run)));
        if timeout(STOP_TIMEOUT, all).await.is_err() {
            return Err(Error::Busy {
                id: its.into_iter().find(|run| self.runner.is_running(*run)).unwrap_or_default(),
            });
        }
        // One that begins or is woken from now on finds no row, and ends.
        let Some(callers) = self.store.delete_workflow(id).await? else { return Ok(false) };
        for run in self.recorder.runs_of(id) {
            self.runner.cancel(run);
        }
        for caller in callers {
            self.runner.signal(RunSignal::ChildFinished(caller));
        }
        self.reload().await?;
        self.clone().stop_all_abandoned(None).await;
        Ok(true)
    }

    /// Stops the runs whose end a run that is over has waited for, or any such run.
    pub(crate) async fn stop_all_abandoned(self: Arc<Self>, by: Option<i64>) {
        match self.store.abandoned(by).await {
            Ok(all) => {
                let stops = futures::stream::iter(all)
                    .for_each_concurrent(STOPS_AT_ONCE, |id| self.clone().stop_abandoned(id));
                stops.await;
            }
            // The next start finds them.
            Err(error) => {
                tracing::error!(%error, "Could not look up orphaned runs.")
            }
        }
    }

    /// Nobody wants what a run would give.
    pub(crate) async fn stop_abandoned(self: Arc<Self>, id: i64) {
        while !self.is_stopping() {
            match self.stop_awaited(id).await {
                Err(Error::Busy { .. }) => {}
                Err(error) => {
                    return tracing::error!(%error, execution = id, "Could not stop an orphaned run.");
                }
                Ok(()) => return,
            }
        }
    }

    async fn stop_now(self: &Arc<Self>, id: i64) -> Result<(), Error> {
        let guard = self.lock_with_timeout(id).await?;
        let was_running = self.runner.cancel(id);
        if was_running && timeout(STOP_TIMEOUT, self.runner.wait_stopped(id)).await.is_err() {
            return Err(Error::Busy { id });
        }
        let Some(execution) = self.store.execution(id).await? else {
            // One that nobody keeps is gone with its end.
            return if was_running { Ok(()) } else { Err(Error::NoExecution { id }) };
        };
        let status = execution.state.status;
        if was_running && status.is_over() {
            return Ok(());
        }
        let is_unresumed = status == RunStatus::Running && self.is_recovering(id);
        if !matches!(status, RunStatus::Waiting | RunStatus::Uncertain) && !is_unresumed {
            return Err(Error::WrongStatus { id, status: status.name() });
        }
        self.store.set_status(id, RunStatus::Cancelled).await?;
        drop(guard);
        self.stop_awaited_by(id).await?;
        self.runner.signal_caller(execution.started.parent);
        Ok(())
    }

    async fn delete_now(self: &Arc<Self>, id: i64) -> Result<bool, Error> {
        let guard = self.lock_with_timeout(id).await?;
        if !self.wait_released(id).await? {
            return Err(Error::WrongStatus { id, status: RunStatus::Running.name() });
        }
        let was_there = self.store.delete_execution(id).await?;
        drop(guard);
        self.stop_awaited_by(id).await?;
        Ok(was_there)
    }

    async fn stop_awaited_by(self: &Arc<Self>, caller: i64) -> Result<(), Error> {
        for called in self.store.abandoned(Some(caller)).await? {
            match self.stop_awaited(called).await {
                // The caller is stopped or gone, which is what was asked for; this one is stopped
                // as soon as it can be.
                Err(Error::Busy { id }) => self.runner.signal(RunSignal::Orphaned(id)),
                other => other?,
            }
        }
        Ok(())
    }

    async fn stop_awaited(self: &Arc<Self>, called: i64) -> Result<(), Error> {
        match Box::pin(self.stop_now(called)).await {
            // It has just come to its end.
            Err(Error::WrongStatus { .. } | Error::NoExecution { .. }) => Ok(()),
            other => other,
        }
    }

    async fn lock_with_timeout(&self, id: i64) -> Result<KeyGuard<i64>, Error> {
        timeout(STOP_TIMEOUT, self.run_locks.lock(id)).await.map_err(|_| Error::Busy { id })
    }
}
