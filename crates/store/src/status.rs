//! What a store says about itself, for readiness and metrics.

use crate::inspect::DiskSpace;
use crate::{Error, WriterMetrics};

/// The state of a store. Implemented for SQLite; the server reports it.
#[async_trait::async_trait]
pub trait StoreStatus: Send + Sync {
    /// Checks that something can be written; tries only if the last write failed.
    async fn is_writable(&self) -> Result<(), Error>;
    /// How many writes are queued.
    fn backlog(&self) -> usize;
    /// What the writer has done so far.
    fn writer_metrics(&self) -> &WriterMetrics;
    /// How large the store is, and how much space is left.
    fn disk_space(&self) -> DiskSpace;
}
