//! What is kept of workflows: the newest version of each, and all that came before.

use crate::Error;
use model::{Object, Str, Value};

#[async_trait::async_trait]
pub trait Workflows: Send + Sync {
    async fn workflow(&self, id: &str) -> Result<Option<StoredWorkflow>, Error>;
    /// Last changed first.
    async fn workflows(&self, filter: WorkflowFilter) -> Result<Vec<StoredWorkflow>, Error>;
    /// What these workflows are called: pairs of id and name.
    async fn workflow_names(&self, ids: Vec<Str>) -> Result<Vec<(Str, Str)>, Error>;
    /// Saves a new workflow, or a new version of one that is there.
    async fn save_workflow(&self, workflow: NewVersion) -> Result<StoredWorkflow, Error>;
    /// Saves a new workflow into a project.
    async fn add_workflow(&self, workflow: NewVersion, project: &str) -> Result<StoredWorkflow, Error>;
    /// An archived workflow does not listen.
    async fn set_archived(&self, id: &str, archived: bool) -> Result<bool, Error>;
    /// Whether the newest version listens.
    async fn set_active(&self, id: &str, active: bool) -> Result<bool, Error>;
    /// Lets a version listen until another is saved or activated; `false` if the workflow has no such version.
    async fn activate_version(&self, id: &str, version_id: &str) -> Result<bool, Error>;
    /// Gives a version words to know it by; what is not given stays.
    async fn name_version(&self, version_id: &str, words: VersionWords) -> Result<bool, Error>;
    async fn delete_workflow(&self, id: &str) -> Result<bool, Error>;
    /// The document of any version there ever was.
    async fn version(&self, version_id: &str) -> Result<Option<Str>, Error>;
    async fn versions(&self, workflow_id: &str) -> Result<Vec<Version>, Error>;
    /// Keeps what a run has changed of the workflow's own data; what others have changed meanwhile stays.
    async fn save_static_data(&self, id: &str, data: StaticData) -> Result<(), Error>;
    /// A number that changes whenever any process has changed the set of workflows.
    async fn workflows_changed(&self) -> Result<i64, Error>;
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
}

impl StoredWorkflow {
    /// The version that listens when the workflow is active.
    pub fn listening_version(&self) -> &Str {
        self.chosen_version.as_ref().unwrap_or(&self.version_id)
    }
}

/// What a run or a look has changed of the data that a workflow keeps between runs.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticData {
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

#[derive(Clone, Debug)]
pub struct Version {
    pub id: Str,
    pub author: Option<Str>,
    pub words: VersionWords,
    pub created_ms: i64,
}

/// What a person calls a version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionWords {
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
