//! What is kept of variables: texts that every workflow may read as `$vars.KEY`.

use crate::Error;
use model::Str;

#[async_trait::async_trait]
pub trait Variables: Send + Sync {
    async fn variable(&self, id: &str) -> Result<Option<Variable>, Error>;
    /// By key; all of them, for there are few.
    async fn variables(&self) -> Result<Vec<Variable>, Error>;
    async fn add_variable(&self, key: &str, value: &str) -> Result<Variable, Error>;
    /// `false` if there is no such variable.
    async fn change_variable(&self, id: &str, key: &str, value: &str) -> Result<bool, Error>;
    async fn delete_variable(&self, id: &str) -> Result<bool, Error>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub id: Str,
    pub key: Str,
    pub value: Str,
}
