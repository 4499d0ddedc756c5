//! The one place that says what somebody reaches: which projects, and what may be seen and changed
//! in them.
//!
//! What is out of reach is answered exactly like what is not there.

use super::Principal;
use crate::App;
use crate::error::ApiError;
use model::{Code, Str};
use node_api::collections::{Collection, CollectionError, CollectionName, Collections as _};
use node_api::tables::{Table, TableError, TableName, Tables as _};
use std::collections::HashMap;
use store::credentials::Credential;
use store::executions::Execution;
use store::folders::Folder;
use store::projects::{Project, ProjectRole};
use store::tags::TagReach;
use store::users::Role;
use store::workflows::StoredWorkflow;
use store::{
    Credentials as _, Executions as _, Folders as _, Projects as _, Sqlite, Workflows as _,
};

/// The projects that somebody is in, with their role there. Read anew for every request, so that a
/// change counts at once.
#[derive(Debug)]
pub(crate) enum Reach {
    /// Owners and admins of the instance.
    Everything,
    Projects(HashMap<Str, ProjectRole>),
}

/// What something is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    See,
    Change,
    /// To move it, share it, or say who is in a project.
    Manage,
}

impl Need {
    /// The least role in a project that allows it.
    fn least(self) -> ProjectRole {
        match self {
            Need::See => ProjectRole::Viewer,
            Need::Change => ProjectRole::Editor,
            Need::Manage => ProjectRole::Admin,
        }
    }
}

impl Reach {
    pub(super) async fn of(
        store: &Sqlite,
        user_id: &str,
        role: Role,
    ) -> Result<Self, store::Error> {
        if role >= Role::Admin {
            return Ok(Reach::Everything);
        }
        Ok(Reach::Projects(store.projects_of(user_id).await?.into_iter().collect()))
    }

    fn role_in(&self, project: &str) -> Option<ProjectRole> {
        match self {
            Reach::Everything => Some(ProjectRole::Admin),
            Reach::Projects(known) => known.get(project).copied(),
        }
    }

    /// For lists: only these projects, or all if nothing is said.
    pub(crate) fn within(&self) -> Option<Vec<Str>> {
        match self {
            Reach::Everything => None,
            Reach::Projects(known) => Some(known.keys().cloned().collect()),
        }
    }

    /// Those in which somebody may do this.
    fn projects(&self, need: Need) -> Vec<Str> {
        match self {
            Reach::Everything => Vec::new(),
            Reach::Projects(known) => known
                .iter()
                .filter(|(_, role)| **role >= need.least())
                .map(|(id, _)| id.clone())
                .collect(),
        }
    }

    pub(crate) fn sees(&self, project: &str) -> bool {
        self.role_in(project).is_some()
    }
}

impl Principal {
    /// Whether something in a project may be used like this; `missing` is what is said of things
    /// that are not there.
    fn check(
        &self,
        project: &str,
        need: Need,
        missing: impl FnOnce() -> ApiError,
    ) -> Result<(), ApiError> {
        match self.reach.role_in(project) {
            None => Err(missing()),
            Some(role) if role < need.least() => {
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
        need: Need,
    ) -> Result<StoredWorkflow, ApiError> {
        let missing = || {
            ApiError::new(
                Code::WORKFLOW_NOT_FOUND,
                format!("There is no workflow with the id '{}'", short(id)),
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
        need: Need,
    ) -> Result<Execution, ApiError> {
        let missing = || {
            ApiError::new(
                Code::EXECUTION_NOT_FOUND,
                format!("There is no execution with the id '{}'", short(id)),
            )
        };
        let number: i64 = id.parse().map_err(|_| missing())?;
        let execution = app.store.execution(number).await?.ok_or_else(missing)?;
        self.check_executions_of(app, &execution.begun.workflow_id, need, missing).await?;
        Ok(execution)
    }

    /// The same for one that may be going on: what it has told so far is in the store then. Only
    /// who may see it has it written.
    pub(crate) async fn told_execution(
        &self,
        app: &App,
        id: &str,
        need: Need,
    ) -> Result<Execution, ApiError> {
        let number = id.parse::<i64>().ok();
        if let Some((number, workflow)) =
            number.and_then(|number| Some((number, app.runtime.recorder.workflow_of(number)?)))
            && self.workflow(app, &workflow, need).await.is_ok()
        {
            app.runtime.settle(number).await?;
        }
        self.execution(app, id, need).await
    }

    /// An execution belongs where its workflow does. Those of workflows that are not stored are
    /// there for whoever reaches everything.
    async fn check_executions_of(
        &self,
        app: &App,
        workflow: &str,
        need: Need,
        missing: impl FnOnce() -> ApiError,
    ) -> Result<(), ApiError> {
        match app.store.workflow(workflow).await? {
            Some(workflow) => self.check(&workflow.project_id, need, missing),
            None if matches!(*self.reach, Reach::Everything) => Ok(()),
            None => Err(missing()),
        }
    }

    /// Whether the executions of a workflow may be seen.
    pub(crate) async fn sees_executions_of(&self, app: &App, workflow: &str) -> bool {
        self.check_executions_of(app, workflow, Need::See, || missing("workflow", workflow))
            .await
            .is_ok()
    }

    /// One that was shared with a project may be seen by those in it, and used by its workflows; no
    /// more.
    pub(crate) async fn credential(
        &self,
        app: &App,
        id: &str,
        need: Need,
    ) -> Result<Credential, ApiError> {
        let missing = || missing("credential", id);
        let credential = app.store.credential(id).await?.ok_or_else(missing)?;
        if !self.reach.sees(&credential.project_id) {
            let is_shared =
                app.store.shares_of(id).await?.iter().any(|project| self.reach.sees(project));
            return match (is_shared, need) {
                (false, _) => Err(missing()),
                (true, Need::See) => Ok(credential),
                (true, _) => Err(ApiError::new(
                    Code::ACCESS_FORBIDDEN,
                    "The credential belongs to another project and is only shared with yours",
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
        need: Need,
    ) -> Result<Project, ApiError> {
        let missing = || missing("project", id);
        let project = app.store.project(id).await?.ok_or_else(missing)?;
        self.check(&project.id, need, missing)?;
        Ok(project)
    }

    pub(crate) async fn folder(&self, app: &App, id: &str, need: Need) -> Result<Folder, ApiError> {
        let missing = || missing("folder", id);
        let folder = app.store.find_folder(id).await?.ok_or_else(missing)?;
        self.check(&folder.project_id, need, missing)?;
        Ok(folder)
    }

    /// Whose tags are meant; all of them for those who reach everything.
    pub(crate) fn tags(&self) -> Option<TagReach> {
        match *self.reach {
            Reach::Everything => None,
            Reach::Projects(_) => {
                let (sees, changes) =
                    (self.reach.projects(Need::See), self.reach.projects(Need::Change));
                Some(TagReach { user_id: self.user_id.clone(), sees, changes })
            }
        }
    }

    pub(crate) async fn table(&self, app: &App, id: &str, need: Need) -> Result<Table, ApiError> {
        let missing = || {
            ApiError::new(
                Code::TABLE_NOT_FOUND,
                format!("There is no data table with the id '{}'", short(id)),
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
        need: Need,
    ) -> Result<Collection, ApiError> {
        let missing = || {
            ApiError::new(
                Code::COLLECTION_NOT_FOUND,
                format!("There is no collection with the id '{}'", short(id)),
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

    /// The project that something new goes into: the one that is named, or one's own.
    pub(crate) async fn home(&self, app: &App, named: Option<&str>) -> Result<Str, ApiError> {
        if let Some(id) = named {
            return Ok(self.project(app, id, Need::Change).await?.id);
        }
        let own = app.store.personal_project(&self.user_id).await?;
        own.ok_or_else(|| ApiError::new(Code::ACCESS_DENIED, "This person is not here any more"))
    }
}

pub(crate) fn missing(what: &str, id: &str) -> ApiError {
    ApiError::new(Code::NOT_FOUND, format!("There is no {what} with the id '{}'", short(id)))
}

fn short(id: &str) -> String {
    id.chars().take(100).collect()
}
