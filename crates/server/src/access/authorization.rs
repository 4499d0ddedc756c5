//! The one place that says what somebody reaches: which projects, and what may be seen and changed
//! in them.
//!
//! What is out of reach is answered exactly like what is not there.

use super::Principal;
use crate::App;
use crate::error::ApiError;
use model::{Code, Str};
use node_api::ai::{LongTermError, MemorySpace, SpaceName};
use node_api::collections::{Collection, CollectionError, CollectionName};
use node_api::tables::{TableError, TableName, TableRecord};
use std::collections::HashMap;
use store::Store;
use store::credentials::StoredCredential;
use store::executions::Execution;
use store::folders::WorkflowFolder;
use store::projects::{Project, ProjectRole};
use store::tags::TagAccess;
use store::users::UserRole;
use store::workflows::StoredWorkflow;

/// The projects that somebody is in, with their role there. Read anew for every request, so that a
/// change counts at once.
#[derive(Debug)]
pub(crate) enum ProjectAccess {
    /// Owners and admins of the instance.
    All,
    Projects(HashMap<Str, ProjectRole>),
}

/// What something is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessLevel {
    View,
    Edit,
    /// To move it, share it, or say who is in a project.
    Manage,
}

impl AccessLevel {
    /// The least role in a project that allows it.
    fn min_role(self) -> ProjectRole {
        match self {
            AccessLevel::View => ProjectRole::Viewer,
            AccessLevel::Edit => ProjectRole::Editor,
            AccessLevel::Manage => ProjectRole::Admin,
        }
    }
}

impl ProjectAccess {
    pub(super) async fn of(
        store: &dyn Store,
        user_id: &str,
        role: UserRole,
    ) -> Result<Self, store::Error> {
        if role >= UserRole::Admin {
            return Ok(ProjectAccess::All);
        }
        Ok(ProjectAccess::Projects(store.projects_of(user_id).await?.into_iter().collect()))
    }

    fn role_in(&self, project: &str) -> Option<ProjectRole> {
        match self {
            ProjectAccess::All => Some(ProjectRole::Admin),
            ProjectAccess::Projects(known) => known.get(project).copied(),
        }
    }

    /// For lists: only these projects, or all if nothing is said.
    pub(crate) fn project_filter(&self) -> Option<Vec<Str>> {
        match self {
            ProjectAccess::All => None,
            ProjectAccess::Projects(known) => Some(known.keys().cloned().collect()),
        }
    }

    /// Those in which somebody may do this.
    fn projects_with(&self, need: AccessLevel) -> Vec<Str> {
        match self {
            ProjectAccess::All => Vec::new(),
            ProjectAccess::Projects(known) => known
                .iter()
                .filter(|(_, role)| **role >= need.min_role())
                .map(|(id, _)| id.clone())
                .collect(),
        }
    }

    /// Whether somebody may do this with things of a project.
    pub(crate) fn allows(&self, project: &str, need: AccessLevel) -> bool {
        self.role_in(project).is_some_and(|role| role >= need.min_role())
    }

    pub(crate) fn can_view(&self, project: &str) -> bool {
        self.role_in(project).is_some()
    }
}

impl Principal {
    /// Whether something in a project may be used like this; `not_found` is what is said of things
    /// that are not there.
    fn check(
        &self,
        project: &str,
        need: AccessLevel,
        missing: impl FnOnce() -> ApiError,
    ) -> Result<(), ApiError> {
        match self.access.role_in(project) {
            None => Err(missing()),
            Some(role) if role < need.min_role() => {
                let message =
                    format!("The role '{}' in this project does not allow this", role.name());
                Err(ApiError::new(Code::ACCESS_FORBIDDEN, message))
            }
            Some(_) => Ok(()),
        }
    }

    pub(crate) async fn workflow(
        &self,
        app: &App,
        id: &str,
        need: AccessLevel,
    ) -> Result<StoredWorkflow, ApiError> {
        let missing = || {
            ApiError::new(
                Code::WORKFLOW_NOT_FOUND,
                format!("Workflow '{}' does not exist", truncate_id(id)),
            )
        };
        let workflow = app.store.workflow(id).await?.ok_or_else(missing)?;
        self.check(&workflow.project_id, need, missing)?;
        Ok(workflow)
    }

    /// An execution that may be used like this.
    pub(crate) async fn execution(
        &self,
        app: &App,
        id: &str,
        need: AccessLevel,
    ) -> Result<Execution, ApiError> {
        let missing = || {
            ApiError::new(
                Code::EXECUTION_NOT_FOUND,
                format!("Execution '{}' does not exist", truncate_id(id)),
            )
        };
        let number: i64 = id.parse().map_err(|_| missing())?;
        let execution = app.store.execution(number).await?.ok_or_else(missing)?;
        self.check_executions_of(app, &execution.started.workflow_id, need, missing).await?;
        Ok(execution)
    }

    /// The same for one that may be going on: what it has told so far is in the store then. Only
    /// who may see it has it written.
    pub(crate) async fn flushed_execution(
        &self,
        app: &App,
        id: &str,
        need: AccessLevel,
    ) -> Result<Execution, ApiError> {
        let number = id.parse::<i64>().ok();
        if let Some((number, workflow)) =
            number.and_then(|number| Some((number, app.runtime.recorder.workflow_of(number)?)))
            && self.workflow(app, &workflow, need).await.is_ok()
        {
            app.runtime.flush_run(number).await?;
        }
        self.execution(app, id, need).await
    }

    /// An execution belongs where its workflow does. Those of workflows that are not stored are
    /// there for whoever reaches everything.
    async fn check_executions_of(
        &self,
        app: &App,
        workflow: &str,
        need: AccessLevel,
        missing: impl FnOnce() -> ApiError,
    ) -> Result<(), ApiError> {
        match app.store.workflow(workflow).await? {
            Some(workflow) => self.check(&workflow.project_id, need, missing),
            None if matches!(*self.access, ProjectAccess::All) => Ok(()),
            None => Err(missing()),
        }
    }

    /// Whether the executions of a workflow may be seen.
    pub(crate) async fn can_view_executions(&self, app: &App, workflow: &str) -> bool {
        self.check_executions_of(app, workflow, AccessLevel::View, || {
            not_found("workflow", workflow)
        })
        .await
        .is_ok()
    }

    /// One that was shared with a project may be seen by those in it, and used by its workflows; no
    /// more.
    pub(crate) async fn credential(
        &self,
        app: &App,
        id: &str,
        need: AccessLevel,
    ) -> Result<StoredCredential, ApiError> {
        let missing = || not_found("credential", id);
        let credential = app.store.credential(id).await?.ok_or_else(missing)?;
        if !self.access.can_view(&credential.project_id) {
            let is_shared =
                app.store.shares_of(id).await?.iter().any(|project| self.access.can_view(project));
            return match (is_shared, need) {
                (false, _) => Err(missing()),
                (true, AccessLevel::View) => Ok(credential),
                (true, _) => Err(ApiError::new(
                    Code::ACCESS_FORBIDDEN,
                    "The credential belongs to another project and is only shared with this one",
                )),
            };
        }
        self.check(&credential.project_id, need, missing)?;
        Ok(credential)
    }

    pub(crate) async fn project(
        &self,
        app: &App,
        id: &str,
        need: AccessLevel,
    ) -> Result<Project, ApiError> {
        let missing = || not_found("project", id);
        let project = app.store.project(id).await?.ok_or_else(missing)?;
        self.check(&project.id, need, missing)?;
        Ok(project)
    }

    pub(crate) async fn folder(
        &self,
        app: &App,
        id: &str,
        need: AccessLevel,
    ) -> Result<WorkflowFolder, ApiError> {
        let missing = || not_found("folder", id);
        let folder = app.store.find_folder(id).await?.ok_or_else(missing)?;
        self.check(&folder.project_id, need, missing)?;
        Ok(folder)
    }

    /// Whose tags are meant; all of them for those who reach everything.
    pub(crate) fn tags(&self) -> Option<TagAccess> {
        match *self.access {
            ProjectAccess::All => None,
            ProjectAccess::Projects(_) => {
                let (sees, changes) = (
                    self.access.projects_with(AccessLevel::View),
                    self.access.projects_with(AccessLevel::Edit),
                );
                Some(TagAccess { user_id: self.user_id.clone(), sees, changes })
            }
        }
    }

    pub(crate) async fn table(
        &self,
        app: &App,
        id: &str,
        need: AccessLevel,
    ) -> Result<TableRecord, ApiError> {
        let missing = || {
            ApiError::new(
                Code::TABLE_NOT_FOUND,
                format!("Data table '{}' does not exist", truncate_id(id)),
            )
        };
        let table =
            app.store.table(&TableName::Id(id.into())).await.map_err(|error| match error {
                TableError::NoTable { .. } => missing(),
                other => other.into(),
            })?;
        self.check(&table.project_id, need, missing)?;
        Ok(table)
    }

    pub(crate) async fn collection(
        &self,
        app: &App,
        id: &str,
        need: AccessLevel,
    ) -> Result<Collection, ApiError> {
        let missing = || {
            ApiError::new(
                Code::COLLECTION_NOT_FOUND,
                format!("Collection '{}' does not exist", truncate_id(id)),
            )
        };
        let collection = app.store.collection(&CollectionName::Id(id.into())).await.map_err(
            |error| match error {
                CollectionError::NoCollection { .. } => missing(),
                other => other.into(),
            },
        )?;
        self.check(&collection.project_id, need, missing)?;
        Ok(collection)
    }

    pub(crate) async fn memory(
        &self,
        app: &App,
        id: &str,
        need: AccessLevel,
    ) -> Result<MemorySpace, ApiError> {
        let missing = || {
            ApiError::new(
                Code::MEMORY_NOT_FOUND,
                format!("Memory '{}' does not exist", truncate_id(id)),
            )
        };
        let space =
            app.store.space(&SpaceName::Id(id.into())).await.map_err(|error| match error {
                LongTermError::NoSpace { .. } => missing(),
                other => other.into(),
            })?;
        self.check(&space.project_id, need, missing)?;
        Ok(space)
    }

    /// The project that something new goes into: the one that is named, or one's own.
    pub(crate) async fn target_project(
        &self,
        app: &App,
        named: Option<&str>,
    ) -> Result<Str, ApiError> {
        if let Some(id) = named {
            return Ok(self.project(app, id, AccessLevel::Edit).await?.id);
        }
        let own = app.store.personal_project(&self.user_id).await?;
        own.ok_or_else(|| ApiError::new(Code::ACCESS_DENIED, "This user no longer exists"))
    }
}

pub(crate) fn not_found(what: &str, id: &str) -> ApiError {
    ApiError::new(Code::NOT_FOUND, format!("There is no {what} with the ID '{}'", truncate_id(id)))
}

fn truncate_id(id: &str) -> String {
    id.chars().take(100).collect()
}
