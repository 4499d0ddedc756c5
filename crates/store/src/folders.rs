//! What is kept of folders: their names, and what lies in what.

use crate::Error;
use model::Str;

/// Folders within folders; no path of a person is longer.
pub const MAX_DEPTH: usize = 20;

#[async_trait::async_trait]
pub trait FolderStore: Send + Sync {
    async fn find_folder(&self, id: &str) -> Result<Option<WorkflowFolder>, Error>;
    /// In the order of their ids, after the one with this id.
    async fn folders(&self, filter: FolderFilter) -> Result<Vec<WorkflowFolder>, Error>;
    /// `None` if the parent is not there, is in another project, or lies too deep.
    async fn add_folder(
        &self,
        name: &str,
        parent: Option<&str>,
        project: &str,
    ) -> Result<Option<WorkflowFolder>, Error>;
    /// Renames a folder, or puts it somewhere else.
    async fn change_folder(&self, id: &str, change: FolderChange) -> Result<FolderUpdate, Error>;
    /// Removes a folder; what lies in it goes to where the folder lay.
    async fn delete_folder(&self, id: &str) -> Result<bool, Error>;
    /// Puts a workflow into a folder of its project, or at the top; `false` if there is no such
    /// folder there.
    async fn move_to_folder(&self, workflow: &str, folder: Option<&str>) -> Result<bool, Error>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowFolder {
    pub id: Str,
    pub name: Str,
    pub parent_id: Option<Str>,
    pub project_id: Str,
    pub created_ms: i64,
    pub updated_ms: i64,
}

#[derive(Clone, Debug, Default)]
pub struct FolderFilter {
    pub project_id: Option<Str>,
    /// Only those of these projects.
    pub within: Option<Vec<Str>>,
    pub after: Option<Str>,
    pub limit: usize,
}

#[derive(Clone, Debug, Default)]
pub struct FolderChange {
    pub name: Option<Str>,
    /// Where it goes: into another folder, or to the top.
    pub parent: Option<Option<Str>>,
}

/// What came of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FolderUpdate {
    Done(WorkflowFolder),
    Missing,
    /// The parent is not there, is in another project, lies too deep, or lies in the folder itself.
    BadParent,
}
