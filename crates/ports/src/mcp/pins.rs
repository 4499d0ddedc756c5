//! Pinned definitions of tools: what a server's tools looked like when they were approved.

use super::McpError;
use model::Str;
use std::sync::Arc;

/// Keeps the definitions, for each project and server. Implemented by `store`; asked by `providers`
/// each time a server lists its tools.
#[async_trait::async_trait]
pub trait McpPins: Send + Sync {
    /// The pins of one project. `None`: there are no projects.
    fn scoped_to(&self, _scope: McpScope) -> Option<Arc<dyn McpPins>> {
        None
    }
    /// Compares what a server lists with what is pinned, and notes what is new or different. The
    /// first list of a server is approved as it is. Gives a state for each, in the same order.
    async fn compare(
        &self,
        server: &str,
        listed: Vec<McpToolDefinition>,
    ) -> Result<Vec<McpPinState>, McpError>;
}

/// Whose servers and definitions are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpScope {
    /// The project of a workflow.
    Workflow(Str),
    Project(Str),
}

/// A tool as far as it is pinned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpToolDefinition {
    pub name: Str,
    /// Name, description, input schema and hints as JSON with sorted keys.
    pub json: Str,
    /// SHA-256 of that, in hexadecimal.
    pub digest: Str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpPinState {
    /// As it was when it was first used or approved.
    Approved,
    /// The server has added it since.
    New,
    /// It differs from what was approved.
    Changed,
    /// Somebody has decided against it as it is.
    Rejected,
}

/// A tool as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct PinnedMcpTool {
    pub project_id: Str,
    pub server: Str,
    pub name: Str,
    pub state: McpPinState,
    /// What was approved; `None` for a new one.
    pub approved: Option<McpToolDefinition>,
    /// What the server lists instead.
    pub proposed: Option<McpToolDefinition>,
    /// When the server last listed something that was not known.
    pub seen_ms: i64,
    /// Who decided, and when. Nobody for what was approved on first use.
    pub decided_by: Option<Str>,
    pub decided_ms: Option<i64>,
}

/// What somebody decides about a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpToolDecision {
    pub project_id: Str,
    pub server: Str,
    pub tool: Str,
    /// The definition that was looked at: another one that came meanwhile is not decided about.
    pub digest: Str,
    pub approves: bool,
    pub decided_by: Str,
}

impl McpPinState {
    pub fn name(self) -> &'static str {
        match self {
            McpPinState::Approved => "approved",
            McpPinState::New => "new",
            McpPinState::Changed => "changed",
            McpPinState::Rejected => "rejected",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Approved, Self::New, Self::Changed, Self::Rejected]
            .into_iter()
            .find(|state| state.name() == name)
    }
}

/// Approves everything: for runs without a data folder.
pub struct NoMcpPins;

#[async_trait::async_trait]
impl McpPins for NoMcpPins {
    async fn compare(
        &self,
        _: &str,
        listed: Vec<McpToolDefinition>,
    ) -> Result<Vec<McpPinState>, McpError> {
        Ok(vec![McpPinState::Approved; listed.len()])
    }
}
