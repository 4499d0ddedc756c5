//! Files of workflows, as a port.

use crate::NodeError;
use bytes::Bytes;
use std::sync::Arc;

/// Files inside the folder that workflows may use. Every path is checked against it, symbolic links
/// resolved.
#[async_trait::async_trait]
pub trait FileStorage: Send + Sync {
    /// The files that a workflow may use, where each has its own; `None` if all use the same.
    fn scoped_to(&self, _workflow_id: &str) -> Option<Arc<dyn FileStorage>> {
        None
    }
    async fn read(&self, path: &str) -> Result<Bytes, NodeError>;
    /// Writes a file and gives back its full path.
    async fn write(&self, path: &str, data: &[u8], append: bool) -> Result<String, NodeError>;
    /// Paths that fit a pattern with `*`, `**`, `?` and `{a,b}`, sorted.
    async fn list(&self, pattern: &str) -> Result<Vec<String>, NodeError>;
}
