//! What is kept of workflows: the newest version of each, and all that came before.

use crate::Error;
use crate::addresses::{Address, AddressClaim, ClaimResult, LostAddress};
use model::{Object, Str, Value};

#[async_trait::async_trait]
pub trait WorkflowStore: Send + Sync {
    async fn workflow(&self, id: &str) -> Result<Option<StoredWorkflow>, Error>;
    /// Last changed first.
    async fn workflows(&self, filter: WorkflowFilter) -> Result<Vec<StoredWorkflow>, Error>;
    /// What these workflows are called: pairs of id and name.
    async fn workflow_names(&self, ids: Vec<Str>) -> Result<Vec<(Str, Str)>, Error>;
    /// Saves a new workflow of the first owner, or a new version of one; one that is active is
    /// refused.
    async fn save_workflow(&self, workflow: NewVersion) -> Result<StoredWorkflow, Error>;
    /// Saves a new workflow into a project, or a new version of one that is there. One that is
    /// active listens with it from then on, at the addresses that are claimed, in the same
    /// transaction; without claims it is [`ClaimResult::Outdated`].
    async fn add_workflow(
        &self,
        workflow: NewVersion,
        project: &str,
        claims: Option<Vec<AddressClaim>>,
    ) -> Result<ClaimResult<StoredWorkflow>, Error>;
    /// The same for a new version of a workflow whose newest version is still the one that was seen;
    /// of any other it is [`ClaimResult::Outdated`].
    async fn replace_version(
        &self,
        workflow: NewVersion,
        seen: &str,
        claims: Option<Vec<AddressClaim>>,
    ) -> Result<ClaimResult<StoredWorkflow>, Error>;
    /// Saves workflows into a project one after the other, all in one transaction, and lets those
    /// listen that are to. Ends behind the first that cannot be saved: those before it are saved,
    /// and nothing is changed for it or behind it.
    async fn import_workflows(
        &self,
        imports: Vec<WorkflowImport>,
        project: &str,
    ) -> Result<Vec<ClaimResult<ImportedWorkflow>>, Error>;
    /// An archived workflow does not listen.
    async fn set_archived(&self, id: &str, archived: bool) -> Result<bool, Error>;
    /// Lets a version listen at the addresses that it claims, until another is saved or activated.
    async fn activate(
        &self,
        id: &str,
        version: ActivatedVersion,
        claims: Vec<AddressClaim>,
    ) -> Result<ClaimResult<()>, Error>;
    /// A workflow that listens no more has no addresses either.
    async fn deactivate(&self, id: &str) -> Result<bool, Error>;
    /// Claims the addresses of a workflow that is active with this version. If one of them is
    /// another's, it is deactivated.
    async fn claim_or_deactivate(
        &self,
        id: &str,
        version_id: &str,
        claims: Vec<AddressClaim>,
    ) -> Result<ClaimResult<()>, Error>;
    /// Every address, with the workflow that has it.
    async fn addresses(&self) -> Result<Vec<(Str, Address)>, Error>;
    /// Those of some workflows.
    async fn addresses_of(&self, workflows: Vec<Str>) -> Result<Vec<(Str, Address)>, Error>;
    /// The workflows that are active, without their documents: of all, or of some.
    async fn listening(&self, of: Option<Vec<Str>>) -> Result<Vec<ListeningWorkflow>, Error>;
    /// Workflows that were deactivated because another one had their address, until they are
    /// activated again.
    async fn lost_addresses(&self) -> Result<Vec<LostAddress>, Error>;
    /// Gives a version words to know it by; what is not given stays.
    async fn name_version(&self, version_id: &str, words: VersionLabel) -> Result<bool, Error>;
    /// Removes a workflow with its runs; gives back which runs had called those. `None` if it is
    /// not there.
    async fn delete_workflow(&self, id: &str) -> Result<Option<Vec<i64>>, Error>;
    /// The document of a version.
    async fn version(&self, version_id: &str) -> Result<Option<Str>, Error>;
    async fn versions(&self, workflow_id: &str) -> Result<Vec<WorkflowVersion>, Error>;
    /// Removes versions without a name beyond so many of each workflow, unless one listens or was
    /// run and the run is kept; how many.
    async fn forget_versions(&self, keep: usize) -> Result<usize, Error>;
    /// Keeps what a run has changed of the workflow's own data; what others have changed meanwhile
    /// stays.
    async fn save_static_data(&self, id: &str, data: StaticDataChange) -> Result<(), Error>;
    /// The IDs of workflows whose newest version has a text somewhere in it.
    async fn workflows_containing(&self, part: &str) -> Result<Vec<Str>, Error>;
    /// A number that changes whenever any process has changed the set of workflows.
    async fn workflows_changed(&self) -> Result<i64, Error>;
    /// Those that were saved, moved, activated, deactivated or deleted after the change with this
    /// number.
    async fn changed_since(&self, change: i64) -> Result<Vec<Str>, Error>;
}

#[derive(Clone, Debug)]
pub struct StoredWorkflow {
    pub id: Str,
    pub name: Str,
    pub active: bool,
    pub archived: bool,
    pub version_id: Str,
    /// The version that was chosen to listen; the newest does otherwise.
    pub chosen_version: Option<Str>,
    pub project_id: Str,
    /// The folder it lies in; the top of its project otherwise.
    pub folder_id: Option<Str>,
    /// The JSON as it was saved.
    pub document: Str,
    pub static_data: Option<Str>,
    pub created_ms: i64,
    pub updated_ms: i64,
    /// How often it was activated.
    pub activations: i64,
}

/// What tells whether an active workflow is still as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListeningWorkflow {
    pub id: Str,
    /// The version that listens.
    pub version_id: Str,
    pub project_id: Str,
    pub created_ms: i64,
    /// How often it was activated: what it had while it was active before is gone.
    pub activations: i64,
}

impl StoredWorkflow {
    /// The version that listens when the workflow is active.
    pub fn listening_version(&self) -> &Str {
        self.chosen_version.as_ref().unwrap_or(&self.version_id)
    }
}

/// Which version of a workflow is activated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActivatedVersion {
    /// The newest, which is this one.
    Newest(Str),
    /// One that was chosen, whether or not it is the newest.
    Chosen(Str),
}

/// What a run or a look has changed of the data that a workflow keeps between runs.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticDataChange {
    /// The parts that are new: `global`, `node:RSS`.
    pub changed: Object,
    /// All of it, for a workflow that had nothing kept yet.
    pub whole: Value,
}

#[derive(Clone, Debug)]
pub struct NewVersion {
    pub id: Str,
    pub name: Str,
    pub document: Str,
    pub author: Option<Str>,
    /// Set when the workflow is new and comes with data of its own.
    pub static_data: Option<Str>,
}

/// One of many workflows that are saved together.
#[derive(Clone, Debug)]
pub struct WorkflowImport {
    pub workflow: NewVersion,
    /// The addresses that it listens at if it is active, or is to be.
    pub claims: Option<Vec<AddressClaim>>,
    /// Whether it is to listen at what it claims.
    pub activate: bool,
}

#[derive(Clone, Debug)]
pub struct ImportedWorkflow {
    pub workflow: StoredWorkflow,
    /// Whether it could be made to listen, if it was to.
    pub activated: Option<ClaimResult<()>>,
}

#[derive(Clone, Debug)]
pub struct WorkflowVersion {
    pub id: Str,
    pub author: Option<Str>,
    pub label: VersionLabel,
    pub created_ms: i64,
}

/// What a person calls a version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionLabel {
    pub name: Option<Str>,
    pub description: Option<Str>,
}

#[derive(Clone, Debug, Default)]
pub struct WorkflowFilter {
    pub active: Option<bool>,
    pub name: Option<Str>,
    pub archived: Option<bool>,
    /// Only those that have all of these tags, by name.
    pub tags: Vec<Str>,
    pub project_id: Option<Str>,
    /// Only those in this folder, or at the top.
    pub folder: Option<Option<Str>>,
    /// Only those of these projects.
    pub within: Option<Vec<Str>>,
    /// Only those after this place in the list.
    pub after: Option<(i64, Str)>,
    pub limit: usize,
}
