//! Which workflows listen: activating them, deactivating them, and saving those that do.

use crate::listen::addresses::address_taken;
use crate::versions::{self, VersionChoice};
use crate::{Error, LoadedWorkflow, Runtime};
use model::Str;
use store::addresses::{AddressClaim, ClaimResult};
use store::workflows::{ActivatedVersion, NewVersion, StoredWorkflow};

/// How often a change is begun anew because somebody else has changed the workflow meanwhile.
const TRIES: usize = 5;

impl Runtime {
    /// Makes a workflow listen. Everything that could keep it from doing so is reported before
    /// anything changes; the first that claims an address has it.
    pub async fn activate(&self, id: &str, listening: VersionChoice<'_>) -> Result<(), Error> {
        let missing = || Error::NoWorkflow { id: id.into() };
        for _ in 0..TRIES {
            let mut stored = self.store.workflow(id).await?.ok_or_else(missing)?;
            if stored.archived {
                return Err(Error::Archived);
            }
            let version = match listening {
                VersionChoice::Newest => ActivatedVersion::Newest(stored.version_id.clone()),
                VersionChoice::Version(version) => {
                    stored = versions::at_version(&self.store, stored, version).await?;
                    ActivatedVersion::Chosen(version.into())
                }
            };
            let claims = self.claims_with(&stored).await?;
            match self.store.activate(id, version, claims).await? {
                ClaimResult::Done(()) => return self.reload().await,
                ClaimResult::Taken(claim) => return Err(address_taken(claim)),
                ClaimResult::Missing => return Err(missing()),
                ClaimResult::Outdated => {}
            }
        }
        Err(Error::Contended)
    }

    /// Saves a new workflow into a project, or a new version of one that is there. One that is
    /// active listens with it from then on; if it cannot, nothing is saved.
    pub async fn save(&self, version: NewVersion, project: &str) -> Result<StoredWorkflow, Error> {
        self.save_over(version, project, None).await
    }

    /// The same, unless the newest version is another one by now than was seen.
    pub async fn save_over(
        &self,
        version: NewVersion,
        project: &str,
        seen: Option<&str>,
    ) -> Result<StoredWorkflow, Error> {
        for _ in 0..TRIES {
            let known = self.store.workflow(&version.id).await?;
            if let (Some(known), Some(seen)) = (&known, seen)
                && known.version_id != seen
            {
                return Err(Error::NewerVersion { version: known.version_id.clone() });
            }
            let claims = match known.filter(|known| known.active) {
                None => None,
                Some(known) => {
                    let (name, document) = (version.name.clone(), version.document.clone());
                    Some(self.claims_with(&StoredWorkflow { name, document, ..known }).await?)
                }
            };
            let saved = match seen {
                Some(seen) => self.store.replace_version(version.clone(), seen, claims).await?,
                None => self.store.add_workflow(version.clone(), project, claims).await?,
            };
            match saved {
                ClaimResult::Done(saved) => {
                    if saved.active {
                        self.reload().await?;
                    }
                    return Ok(saved);
                }
                ClaimResult::Taken(claim) => return Err(address_taken(claim)),
                ClaimResult::Missing | ClaimResult::Outdated => {}
            }
        }
        Err(Error::Contended)
    }

    /// What a workflow claims, if everything is there that it needs to listen.
    async fn claims_with(&self, stored: &StoredWorkflow) -> Result<Vec<AddressClaim>, Error> {
        let loaded = LoadedWorkflow::new(stored, &self.engine)?;
        self.check_credentials(&loaded.project_id, loaded.credentials()).await?;
        loaded.claims(&self.listen_scope(&loaded.project_id).await?)
    }

    /// Refuses credentials that a project does not have and was not let use.
    pub async fn check_credentials(
        &self,
        project: &str,
        credentials: Vec<Str>,
    ) -> Result<(), Error> {
        match self.store.inaccessible_credentials(project, credentials).await?.into_iter().next() {
            Some(id) => Err(Error::OutOfReach { id }),
            None => Ok(()),
        }
    }

    pub async fn deactivate(&self, id: &str) -> Result<(), Error> {
        self.reserve_addresses(id);
        if !self.store.deactivate(id).await? {
            return Err(Error::NoWorkflow { id: id.into() });
        }
        self.reload().await
    }
}
