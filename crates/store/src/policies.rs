//! What is kept of the operator's policy about tool calls: every version of its text.

use crate::Error;
use model::Str;

/// Older versions than these are dropped.
pub const MAX_POLICY_VERSIONS: i64 = 100;

#[async_trait::async_trait]
pub trait PolicyStore: Send + Sync {
    /// The version in force; 0 while there is none.
    async fn policy_version(&self) -> Result<i64, Error>;
    /// The newest versions, newest first. The first is in force.
    async fn policies(&self, limit: usize) -> Result<Vec<StoredPolicy>, Error>;
    /// Puts a text in force as the next version. `None` if the version in force is another than the
    /// one that was seen.
    async fn set_policy(
        &self,
        text: &str,
        seen: i64,
        by: &str,
    ) -> Result<Option<StoredPolicy>, Error>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPolicy {
    pub version: i64,
    pub text: Str,
    /// Who has put it in force.
    pub changed_by: Str,
    pub changed_ms: i64,
}
