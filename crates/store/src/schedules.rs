//! When triggers are due: rows that outlive the process.

use crate::Error;
use model::Str;

#[async_trait::async_trait]
pub trait ScheduleStore: Send + Sync {
    /// The rows of some workflows, or of all.
    async fn schedules(&self, of: Option<Vec<Str>>) -> Result<Vec<Schedule>, Error>;
    /// Sets rows and lets go of them, and removes others by workflow and node: all of it or
    /// nothing. `false`, and nothing, if a row is not as whoever planned it has found it.
    async fn change_schedules(
        &self,
        set: Vec<PlannedSchedule>,
        removed: Vec<(Str, Str)>,
    ) -> Result<bool, Error>;
    /// Moves a trigger on from the moment at which it was due; `false` if somebody has changed its
    /// row since.
    async fn move_schedule(&self, moved: MovedSchedule) -> Result<bool, Error>;
    /// Takes what is due, for so long that nobody else takes it meanwhile.
    async fn claim_schedules(
        &self,
        now_ms: i64,
        owner: &str,
        lease_ms: i64,
    ) -> Result<Vec<Schedule>, Error>;
    async fn next_schedule(&self) -> Result<Option<i64>, Error>;
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    pub workflow_id: Str,
    pub node: Str,
    pub next_ms: Option<i64>,
    pub last_ms: Option<i64>,
    /// What its timetable said when the next moment was planned; empty in rows from before that was
    /// noted.
    pub rule: Str,
}

/// A row as it is to be, and as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedSchedule {
    pub found: Option<Schedule>,
    pub planned: Schedule,
}

/// A row that was due at a moment, and as it is from then on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedSchedule {
    pub due_ms: Option<i64>,
    pub after: Schedule,
}
