//! Decisions about uncertain runs that take effect after a while, and can be taken back until then.

use crate::Error;
use model::Str;

/// The store's side of decisions about many runs at once. They outlive the process: what was decided
/// is done at its time by whichever process runs then.
#[async_trait::async_trait]
pub trait HeldDecisionStore: Send + Sync {
    /// Keeps decisions; each replaces an earlier one about the same run. Those about runs that are
    /// not uncertain any more are left out; gives back how many are kept.
    async fn hold_decisions(&self, decisions: Vec<HeldDecision>) -> Result<usize, Error>;
    /// By the moment they take effect, the earliest first.
    async fn held_decisions(&self, filter: HeldDecisionFilter) -> Result<Vec<HeldDecision>, Error>;
    /// When the next one takes effect.
    async fn next_held_decision(&self) -> Result<Option<i64>, Error>;
    /// Forgets what is held about these runs.
    async fn forget_held_decisions(&self, executions: Vec<i64>) -> Result<(), Error>;
}

/// What is to become of the step that an uncertain run stopped at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldDecision {
    pub execution: i64,
    /// Decisions that were made together, and are taken back together.
    pub batch: Str,
    /// What the step came to; it is taken again without.
    pub result: Option<Str>,
    /// How many events of the run whoever decided has seen: if it has gone on since, they mean
    /// another step.
    pub seen: u64,
    pub decided_by: Str,
    pub due_ms: i64,
}

/// Which decisions are wanted.
#[derive(Clone, Debug, Default)]
pub struct HeldDecisionFilter {
    pub batch: Option<Str>,
    pub execution: Option<i64>,
    /// Only those that take effect at this moment or before.
    pub due_ms: Option<i64>,
    /// Only those behind this one, by moment and run.
    pub after: Option<(i64, i64)>,
    pub limit: usize,
}
