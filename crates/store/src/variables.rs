//! What is kept of variables: texts that workflows may read as `$vars.KEY`.

use crate::Error;
use model::Str;

#[async_trait::async_trait]
pub trait VariableStore: Send + Sync {
    async fn variable(&self, id: &str) -> Result<Option<Variable>, Error>;
    /// By key; all of them, for there are few.
    async fn variables(&self) -> Result<Vec<Variable>, Error>;
    /// For every workflow, or for those of a project, which come before those of everybody.
    async fn add_variable(
        &self,
        key: &str,
        value: &str,
        project: Option<&str>,
    ) -> Result<Variable, Error>;
    /// `false` if there is no such variable.
    async fn change_variable(
        &self,
        id: &str,
        key: &str,
        value: &str,
        project: Option<&str>,
    ) -> Result<bool, Error>;
    async fn delete_variable(&self, id: &str) -> Result<bool, Error>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub id: Str,
    pub key: Str,
    pub value: Str,
    /// Every workflow may read it if there is none.
    pub project_id: Option<Str>,
}
