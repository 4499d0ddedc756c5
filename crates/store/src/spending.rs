//! What was spent on models, by day, workflow, session and model.

use crate::Error;
use model::{SpendingTotal, Str};

/// What was spent on one model in one way on one day.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpendingRow {
    /// `2026-11-15`, in UTC.
    pub day: Str,
    pub workflow_id: Str,
    pub provider: Str,
    pub model: Str,
    pub calls: u64,
    pub input: u64,
    pub cached: u64,
    pub output: u64,
    pub dollars: f64,
}

/// Which rows are wanted.
#[derive(Clone, Debug, Default)]
pub struct SpendingFilter {
    /// The first and the last day.
    pub from: Option<Str>,
    pub to: Option<Str>,
    pub workflow_id: Option<Str>,
    /// Only workflows of these projects.
    pub within: Option<Vec<Str>>,
}

/// The account of all models. Written together with the events of the runs that spent it.
#[async_trait::async_trait]
pub trait SpendingStore: Send + Sync {
    /// Sums over all sessions, newest day first.
    async fn spending(&self, filter: SpendingFilter) -> Result<Vec<SpendingRow>, Error>;
    /// What each workflow spent on a day.
    async fn spent_on(&self, day: Str) -> Result<Vec<(Str, SpendingTotal)>, Error>;
    /// Forgets which session has spent what on the days before one; the sums stay.
    async fn merge_sessions(&self, before: Str) -> Result<(), Error>;
    /// What a session of a workflow spent on a day.
    async fn spent_by_session(
        &self,
        day: Str,
        workflow_id: Str,
        session: Str,
    ) -> Result<SpendingTotal, Error>;
}

/// The day that something was spent on.
pub fn day_of(at_ms: i64) -> Str {
    let moment = jiff::Timestamp::from_millisecond(at_ms).unwrap_or_default();
    moment.strftime("%Y-%m-%d").to_string().into()
}
