//! What is kept of projects: who is in them, and what they hold.

use crate::Error;
use crate::users::User;
use model::Str;

/// Projects and their members. Implemented for SQLite; the API decides by it what somebody sees,
/// and a running workflow which credentials it may use.
#[async_trait::async_trait]
pub trait ProjectStore: Send + Sync {
    async fn project(&self, id: &str) -> Result<Option<Project>, Error>;
    /// The personal ones first, then by name.
    async fn projects(&self) -> Result<Vec<Project>, Error>;
    async fn add_project(&self, name: &str) -> Result<Project, Error>;
    /// `false` if there is no such team.
    async fn rename_project(&self, id: &str, name: &str) -> Result<bool, Error>;
    /// What belongs to it goes to the first owner. Personal ones stay as long as their person;
    /// `false` for them.
    async fn delete_project(&self, id: &str) -> Result<bool, Error>;

    /// The projects that somebody is in: the personal one and those that others have let them into.
    async fn projects_of(&self, user_id: &str) -> Result<Vec<(Str, ProjectRole)>, Error>;
    async fn personal_project(&self, user_id: &str) -> Result<Option<Str>, Error>;
    async fn members(&self, project: &str) -> Result<Vec<(User, ProjectRole)>, Error>;
    /// Adds members or changes their roles, all or none; `false` if one of them is not there.
    async fn set_members(
        &self,
        project: &str,
        members: Vec<(Str, ProjectRole)>,
    ) -> Result<bool, Error>;
    async fn remove_member(&self, project: &str, user_id: &str) -> Result<bool, Error>;

    /// The project that a stored workflow belongs to. Reads without waiting for anything.
    fn project_of_workflow(&self, id: &str) -> Result<Option<String>, Error>;
    /// `false` if there is no such workflow.
    async fn move_workflow(&self, id: &str, project: &str) -> Result<bool, Error>;
    /// Only the new project has it then; shares end.
    async fn move_credential(&self, id: &str, project: &str) -> Result<bool, Error>;
    /// Lets exactly these projects use a credential too; `false` if one of them is not there.
    async fn share_credential(&self, id: &str, projects: Vec<Str>) -> Result<bool, Error>;
    /// Those of these credentials that are there, but not for the workflows of a project.
    async fn inaccessible_credentials(
        &self,
        project: &str,
        credentials: Vec<Str>,
    ) -> Result<Vec<Str>, Error>;
}

/// The project of the first owner, and of everything that came in on the command line.
pub const PERSONAL: &str = "personal";

#[derive(Clone, Debug, PartialEq)]
pub struct Project {
    pub id: Str,
    pub name: Str,
    pub kind: ProjectKind,
    /// Whose it is, if it is a personal one.
    pub owner_id: Option<Str>,
    pub created_ms: i64,
    pub updated_ms: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectKind {
    Personal,
    Team,
}

impl ProjectKind {
    pub fn name(self) -> &'static str {
        match self {
            ProjectKind::Personal => "personal",
            ProjectKind::Team => "team",
        }
    }
}

/// What somebody may do in a project; each may do what those before may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProjectRole {
    Viewer,
    Editor,
    Admin,
}

impl ProjectRole {
    pub const ALL: [ProjectRole; 3] =
        [ProjectRole::Viewer, ProjectRole::Editor, ProjectRole::Admin];

    pub fn name(self) -> &'static str {
        match self {
            ProjectRole::Viewer => "project:viewer",
            ProjectRole::Editor => "project:editor",
            ProjectRole::Admin => "project:admin",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}
