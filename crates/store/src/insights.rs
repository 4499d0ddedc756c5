//! What finished runs tell when they are counted.

use crate::Error;
use model::{RunStatus, Str};

#[async_trait::async_trait]
pub trait Insights: Send + Sync {
    /// Runs that are over, newest first.
    async fn finished_runs(&self, filter: FinishedFilter) -> Result<Vec<FinishedRun>, Error>;
}

#[derive(Clone, Debug)]
pub struct FinishedRun {
    pub workflow_id: Str,
    pub status: RunStatus,
    pub started_ms: i64,
    pub stopped_ms: i64,
}

#[derive(Clone, Debug, Default)]
pub struct FinishedFilter {
    /// Only those that began then or later.
    pub since_ms: i64,
    pub workflow_id: Option<Str>,
    /// Only those of workflows in these projects.
    pub within: Option<Vec<Str>>,
    pub limit: usize,
}
