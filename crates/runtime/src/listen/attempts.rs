//! What the process does for a workflow without a run, and may die of: activating it, and a
//! trigger's first poll. A workflow that met two deaths in a row is deactivated, so that a start
//! does not end as the last ones did.
//!
//! Invariant: only what was done alone counts. Activations of a start follow one another before
//! anything else goes on. Looks go on side by side; those that a death has met are made again one
//! at a time, once the runs that were resumed are known to be harmless.

use crate::schedule::poll::TriggerKey;
use crate::{Error, LoadedWorkflow, Runtime, lock};
use model::{Code, Str};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::OwnedMutexGuard;

/// Deaths in a row that met what was done alone, at which a workflow is deactivated.
const MAX_DEATHS: u32 = 2;

/// The names of attempts. A start belongs to no workflow.
const START: &str = "start";
const ACTIVATE: &str = "activate";

/// How the start of a poll is recorded on disk, until it has ended.
pub(crate) enum AttemptRecord {
    Unrecorded,
    /// With others that may go on at the same time.
    Shared,
    /// No other of these goes on until this is dropped.
    Exclusive {
        _turn: OwnedMutexGuard<()>,
    },
}

impl Runtime {
    /// Notes that the active workflows are about to be read. If the last process died of that, each
    /// of them is noted this time: it is not worth two writes a workflow otherwise.
    pub(crate) async fn begin_start(&self) {
        match self.store.begin_attempt("", START).await {
            Ok(deaths) => self.is_careful.store(deaths > 0, Ordering::Relaxed),
            // A full disk is no reason not to start.
            Err(error) => tracing::warn!(%error, "Could not record the start."),
        }
    }

    pub(crate) async fn end_start(&self) {
        self.is_careful.store(false, Ordering::Relaxed);
        if let Err(error) = self.store.end_attempt("", START).await {
            tracing::warn!(%error, "Could not record the start.");
        }
    }

    /// Notes that a workflow is about to be activated; `false` if the process has died of it.
    pub(crate) async fn begin_activation(&self, id: &Str) -> Result<bool, Error> {
        if !self.is_careful.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let deaths = self.store.begin_attempt(id, ACTIVATE).await?;
        if deaths < MAX_DEATHS {
            return Ok(true);
        }
        self.deactivate_crashing(id, ACTIVATE, deaths).await?;
        Ok(false)
    }

    pub(crate) async fn end_activation(&self, id: &Str) -> Result<(), Error> {
        if self.is_careful.load(Ordering::Relaxed) {
            self.end_attempt(id, ACTIVATE).await?;
        }
        Ok(())
    }

    /// Records the first poll of a trigger since the start. `None` if it is not to be made: the
    /// process has died of it, or stops, or the trigger listens no more. Later polls are not
    /// recorded: whatever one dies of, the first one of the next process meets again.
    pub(crate) async fn begin_poll(
        &self,
        workflow: &Arc<LoadedWorkflow>,
        key: &TriggerKey,
    ) -> Result<Option<AttemptRecord>, Error> {
        let (id, node) = key;
        if lock(&self.polls).recorded.contains(key) {
            return Ok(Some(AttemptRecord::Unrecorded));
        }
        let deaths = match self.store.begin_attempt(id, &poll_attempt(node)).await {
            // While nothing can be written, polls go unrecorded.
            Err(error) if error.may_pass() => return Ok(Some(AttemptRecord::Unrecorded)),
            other => other?,
        };
        if deaths == 0 {
            lock(&self.polls).recorded.insert(key.clone());
            return Ok(Some(AttemptRecord::Shared));
        }
        // A death met it, and maybe others: which of them it was of shows when each is made alone.
        let Some(permit) =
            self.lock_exclusive_poll().await.filter(|_| self.is_current(workflow, key))
        else {
            return Ok(None);
        };
        let what = exclusive_attempt(node);
        let deaths = match self.store.begin_attempt(id, &what).await {
            Err(error) if error.may_pass() => return Ok(Some(AttemptRecord::Unrecorded)),
            other => other?,
        };
        lock(&self.polls).recorded.insert(key.clone());
        if deaths < MAX_DEATHS {
            return Ok(Some(AttemptRecord::Exclusive { _turn: permit }));
        }
        self.deactivate_crashing(id, &what, deaths).await?;
        self.end_attempt(id, &poll_attempt(node)).await?;
        self.reload().await?;
        Ok(None)
    }

    /// Waits until nothing else is under way that a death could be of; `None` if the process stops.
    async fn lock_exclusive_poll(&self) -> Option<OwnedMutexGuard<()>> {
        let permit = async {
            self.recovered.cancelled().await;
            self.exclusive_poll.clone().lock_owned().await
        };
        tokio::select! {
            biased;
            () = self.stopping.cancelled() => None,
            permit = permit => Some(permit),
        }
    }

    pub(crate) async fn end_poll(
        &self,
        key: &TriggerKey,
        attempt: AttemptRecord,
    ) -> Result<(), Error> {
        let (id, node) = key;
        if matches!(attempt, AttemptRecord::Exclusive { .. }) {
            self.end_attempt(id, &exclusive_attempt(node)).await?;
        }
        if !matches!(attempt, AttemptRecord::Unrecorded) {
            self.end_attempt(id, &poll_attempt(node)).await?;
        }
        Ok(())
    }

    /// What cannot be written now is only looked at more closely after the next start.
    async fn end_attempt(&self, id: &Str, what: &str) -> Result<(), Error> {
        match self.store.end_attempt(id, what).await {
            Err(error) if error.may_pass() => {
                tracing::warn!(%error, workflow = %id, what, "Could not record the end of an attempt.");
                Ok(())
            }
            other => Ok(other?),
        }
    }

    async fn deactivate_crashing(&self, id: &Str, what: &str, deaths: u32) -> Result<(), Error> {
        tracing::error!(
            workflow = %id,
            what,
            deaths,
            code = Code::RUN_QUARANTINED.name(),
            "Workflow deactivated: the process crashed repeatedly while doing this for it."
        );
        self.store.deactivate(id).await?;
        // Should a person activate it again, it has its chances again.
        Ok(self.store.end_attempt(id, what).await?)
    }
}

/// The names of polls in the store. No name of a node makes one of them the other.
fn poll_attempt(node: &str) -> String {
    format!("look {node}")
}

fn exclusive_attempt(node: &str) -> String {
    format!("alone {node}")
}
