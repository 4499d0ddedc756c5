//! How many runs ended on which day, how they ended and how long they took.

use crate::Error;
use model::{RunStatus, Str};

/// For so many days it is known how many runs ended, whether or not the runs themselves are still
/// there.
pub const DAYS_COUNTED: i64 = 100;

#[async_trait::async_trait]
pub trait InsightStore: Send + Sync {
    /// Runs that were kept when they ended. Those that were removed since are counted too.
    async fn run_counts(&self, filter: RunCountFilter) -> Result<Vec<RunCount>, Error>;
}

/// Runs of a workflow that began on one day, ended the same way and took as long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCount {
    /// Days since 1970, in UTC.
    pub day: i64,
    pub workflow_id: Str,
    pub status: RunStatus,
    /// To within 5 %.
    pub took_ms: i64,
    pub runs: usize,
}

#[derive(Clone, Debug, Default)]
pub struct RunCountFilter {
    /// Only those that began on these days, in UTC.
    pub first_day: i64,
    pub last_day: i64,
    pub workflow_id: Option<Str>,
    /// Only those of workflows in these projects.
    pub within: Option<Vec<Str>>,
}
