//! When triggers are due: rows that outlive the process.

use crate::Error;
use model::Str;

#[async_trait::async_trait]
pub trait Schedules: Send + Sync {
    /// The row of a trigger, if it has one.
    async fn schedule(&self, workflow_id: &str, node: &str) -> Result<Option<Schedule>, Error>;
    /// Sets when a trigger is due next, and when it last was.
    async fn set_schedule(&self, schedule: Schedule) -> Result<(), Error>;
    /// Takes what is due, for so long that nobody else takes it meanwhile.
    async fn claim_schedules(&self, now_ms: i64, owner: &str, lease_ms: i64) -> Result<Vec<Schedule>, Error>;
    async fn next_schedule(&self) -> Result<Option<i64>, Error>;
    /// Forgets the triggers of a workflow, all but these nodes'.
    async fn keep_schedules(&self, workflow_id: &str, nodes: &[Str]) -> Result<(), Error>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pub workflow_id: Str,
    pub node: Str,
    pub next_ms: Option<i64>,
    pub last_ms: Option<i64>,
}
