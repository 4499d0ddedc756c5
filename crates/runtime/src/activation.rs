//! Which workflows listen: activating them, deactivating them, and saving those that do.

use crate::addresses::taken;
use crate::versions::{self, Listening};
use crate::{Error, Loaded, Runtime};
use model::Str;
use store::addresses::{Claim, Claimed};
use store::workflows::{Activated, NewVersion, StoredWorkflow};

/// How often a change is begun anew because somebody else has changed the workflow meanwhile.
const TRIES: usize = 5;

impl Runtime {
    /// Makes a workflow listen. Everything that could keep it from doing so is told before anything
    /// changes; the first that claims an address has it.
    pub async fn activate(&self, id: &str, listening: Listening<'_>) -> Result<(), Error> {
        let missing = || Error::NoWorkflow { id: id.into() };
        for _ in 0..TRIES {
            let mut stored = self.store.workflow(id).await?.ok_or_else(missing)?;
            if stored.archived {
                return Err(Error::Archived);
            }
            let version = match listening {
                Listening::Newest => Activated::Newest(stored.version_id.clone()),
                Listening::Version(version) => {
                    stored = versions::at_version(&self.store, stored, version).await?;
                    Activated::Chosen(version.into())
                }
            };
            let claims = self.claims_with(&stored).await?;
            match self.store.activate(id, version, claims).await? {
                Claimed::Done(()) => return self.reload().await,
                Claimed::Taken(claim) => return Err(taken(claim)),
                Claimed::Missing => return Err(missing()),
                Claimed::Outdated => {}
            }
        }
        Err(Error::Contended)
    }

    /// Saves a new workflow into a project, or a new version of one that is there. One that is
    /// active listens with it from then on; if it cannot, nothing is saved.
    pub async fn save(&self, version: NewVersion, project: &str) -> Result<StoredWorkflow, Error> {
        for _ in 0..TRIES {
            let known = self.store.workflow(&version.id).await?;
            let claims = match known.filter(|known| known.active) {
                None => None,
                Some(known) => {
                    let (name, document) = (version.name.clone(), version.document.clone());
                    Some(self.claims_with(&StoredWorkflow { name, document, ..known }).await?)
                }
            };
            match self.store.add_workflow(version.clone(), project, claims).await? {
                Claimed::Done(saved) => {
                    if saved.active {
                        self.reload().await?;
                    }
                    return Ok(saved);
                }
                Claimed::Taken(claim) => return Err(taken(claim)),
                Claimed::Missing | Claimed::Outdated => {}
            }
        }
        Err(Error::Contended)
    }

    /// What a workflow claims, if everything is there that it needs to listen.
    async fn claims_with(&self, stored: &StoredWorkflow) -> Result<Vec<Claim>, Error> {
        let loaded = Loaded::new(stored, &self.engine)?;
        self.check_credentials(&loaded.project_id, loaded.credentials()).await?;
        loaded.claims(&self.listen_scope(&loaded.project_id).await?)
    }

    /// Refuses credentials that a project does not have and was not let use.
    pub async fn check_credentials(
        &self,
        project: &str,
        credentials: Vec<Str>,
    ) -> Result<(), Error> {
        match self.store.out_of_reach(project, credentials).await?.into_iter().next() {
            Some(id) => Err(Error::OutOfReach { id }),
            None => Ok(()),
        }
    }

    pub async fn deactivate(&self, id: &str) -> Result<(), Error> {
        self.keep_addresses(id);
        if !self.store.deactivate(id).await? {
            return Err(Error::NoWorkflow { id: id.into() });
        }
        self.reload().await
    }
}
