//! Versions of workflows: which one listens, and what a run began with.

use crate::{Error, LoadedWorkflow, Runtime};
use std::sync::Arc;
use store::Store;
use store::workflows::StoredWorkflow;

/// Which version of a workflow is to listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionChoice<'v> {
    Newest,
    Version(&'v str),
}

impl Runtime {
    /// A workflow as it was when a run of it began.
    pub async fn version(
        &self,
        workflow_id: &str,
        version_id: &str,
    ) -> Result<Arc<LoadedWorkflow>, Error> {
        if let Some(loaded) =
            self.active().get(workflow_id).filter(|loaded| loaded.version_id == version_id)
        {
            return Ok(loaded.clone());
        }
        let missing = || Error::NoWorkflow { id: workflow_id.into() };
        let stored = self.store.workflow(workflow_id).await?.ok_or_else(missing)?;
        let stored = at_version(&self.store, stored, version_id).await?;
        Ok(Arc::new(self.sharing_active_data(LoadedWorkflow::new(&stored, &self.engine)?)))
    }

    /// Another version of a workflow that listens keeps the same data between runs.
    pub(crate) fn sharing_active_data(&self, loaded: LoadedWorkflow) -> LoadedWorkflow {
        match self.active().known(&loaded.id) {
            Some(active) => loaded.after(active),
            None => loaded,
        }
    }

    /// An active workflow with the version that listens. One that comes after an earlier version
    /// goes on with what that keeps.
    pub(crate) async fn load_listening(
        &self,
        stored: &StoredWorkflow,
        earlier: Option<&Arc<LoadedWorkflow>>,
    ) -> Result<Arc<LoadedWorkflow>, Error> {
        let stored = with_listening_document(&self.store, stored.clone()).await?;
        let loaded = LoadedWorkflow::new(&stored, &self.engine)?;
        Ok(Arc::new(match earlier {
            Some(earlier) => loaded.after(earlier),
            None => loaded,
        }))
    }
}

/// A workflow with the document of the version that was chosen to listen.
pub(crate) async fn with_listening_document(
    store: &Arc<dyn Store>,
    stored: StoredWorkflow,
) -> Result<StoredWorkflow, Error> {
    match stored.chosen_version.clone() {
        Some(version) => at_version(store, stored, &version).await,
        None => Ok(stored),
    }
}

pub(crate) async fn at_version(
    store: &Arc<dyn Store>,
    mut stored: StoredWorkflow,
    version_id: &str,
) -> Result<StoredWorkflow, Error> {
    if stored.version_id != version_id {
        stored.document = store
            .version(version_id)
            .await?
            .ok_or_else(|| Error::NoWorkflow { id: stored.id.clone() })?;
        stored.version_id = version_id.into();
    }
    Ok(stored)
}
