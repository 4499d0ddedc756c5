//! Calls of agents that a person is asked about: the few that are open, found without reading a
//! journal.

use crate::Error;
use model::Str;

/// The open approvals of all runs. Written together with the events of the runs that ask.
#[async_trait::async_trait]
pub trait ApprovalStore: Send + Sync {
    /// Those that can be decided at a moment, newest first.
    async fn approvals(&self, filter: ApprovalFilter) -> Result<Vec<OpenApproval>, Error>;
}

/// A call that a person is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewApproval {
    /// By which it is named within its run.
    pub call: Str,
    /// The agent that asks.
    pub node: Str,
    pub tool: Str,
    /// As JSON.
    pub arguments: Str,
    pub digest: Str,
    pub asked_ms: i64,
    pub until_ms: i64,
}

/// One that nobody has decided about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenApproval {
    /// Its place in the list of all.
    pub id: i64,
    pub execution: i64,
    pub workflow_id: Str,
    pub asked: NewApproval,
}

/// What the events of a run say about its approvals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalChange {
    Asked(NewApproval),
    /// Somebody has decided about this call.
    Decided(Str),
    /// This call has a result.
    Made(Str),
    /// The run goes on with what was decided.
    TakenUp,
    /// The step that asked is over.
    Over,
}

/// Which approvals are wanted.
#[derive(Clone, Debug, Default)]
pub struct ApprovalFilter {
    pub execution: Option<i64>,
    pub workflow_id: Option<Str>,
    /// Only those of workflows in these projects.
    pub within: Option<Vec<Str>>,
    /// Only those that are not too late at this moment.
    pub now_ms: i64,
    /// Only those before this one.
    pub before: Option<i64>,
    pub limit: usize,
}
