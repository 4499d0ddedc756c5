//! The tool registry: tools that a manifest declares, apart from any workflow, and who may use them.

mod http;
mod manifest;

pub use http::{
    HttpTool, HttpToolBody, PathSegment, RequestPiece, TextPiece, ToolCredential, ToolResponse,
};
pub use manifest::{Manifest, ManifestFile, ManifestFinding, ManifestSource, NoManifests};

use crate::NodeError;
use crate::policy::{Patterns, RateExceeded, SideEffect};
use model::{Object, Str, Value};
use std::sync::Arc;

/// The registered tools of an instance. Implemented by `runtime` over the operator's files and the
/// store; asked by the node that gives them to agents.
#[async_trait::async_trait]
pub trait ToolRegistry: Send + Sync {
    /// The tools that a stored workflow may use, by name. What is given stays as it is, whatever
    /// becomes of the manifest.
    async fn tools_of_workflow(
        &self,
        workflow_id: &str,
    ) -> Result<Vec<Arc<RegisteredTool>>, NodeError>;
    /// Counts a call towards the tool's own limit, or says that there were too many.
    fn count(&self, tool: &RegisteredTool, caller: &str, now_ms: i64) -> Result<(), RateExceeded>;
}

/// A tool as a manifest declares it.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisteredTool {
    /// With its namespace, such as `tickets.search`.
    pub name: Str,
    pub description: Str,
    /// JSON Schema of the arguments, always of an object. `None`: the node or server says it.
    pub input: Option<Value>,
    /// JSON Schema of the answer.
    pub output: Option<Value>,
    /// What calling it does, as the manifest says.
    pub effect: Option<SideEffect>,
    pub timeout_ms: Option<u64>,
    pub retry: Option<ToolRetry>,
    pub limit: Option<ToolRateLimit>,
    pub allow: ToolAccess,
    pub action: ToolAction,
    pub origin: ToolOrigin,
}

/// What a call does.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolAction {
    /// Sends a request.
    Http(Box<HttpTool>),
    /// Runs a node, whose `$fromAI` gives the arguments.
    Node(Box<NodeCall>),
    /// Calls one tool of an MCP server.
    Mcp(Box<McpCall>),
}

/// A node with fixed parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeCall {
    pub type_name: Str,
    pub version: f64,
    pub parameters: Object,
    pub credentials: Vec<ToolCredential>,
}

/// A tool of an MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpCall {
    pub server: McpAddress,
    /// The server's name for it.
    pub tool: Str,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpAddress {
    /// A server of the operator's `mcp.json`.
    Configured(Str),
    Remote {
        url: Str,
        credential: Option<ToolCredential>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolRetry {
    /// The first one included.
    pub attempts: u32,
    pub wait_ms: u64,
}

/// How many calls may be made in a time, by all agents or by each workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolRateLimit {
    pub calls: u32,
    pub window_ms: i64,
    pub per_workflow: bool,
}

/// Who may use a tool. Empty lists allow everybody.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolAccess {
    /// IDs of projects whose workflows may.
    pub projects: Patterns,
    /// IDs of workflows.
    pub workflows: Patterns,
    /// Instance roles of users who may call it through the API.
    pub roles: Patterns,
}

/// Where the declaration is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolOrigin {
    /// A file of the operator's.
    File(Str),
    /// A manifest that was registered for a project.
    Project { project: Str, manifest: Str },
}

impl RegisteredTool {
    /// Whether a workflow of a project may use it.
    pub fn allows(&self, project: &str, workflow: &str) -> bool {
        let is_of_project = match &self.origin {
            ToolOrigin::File(_) => true,
            ToolOrigin::Project { project: own, .. } => own == project,
        };
        is_of_project && self.allow.projects.allow(project) && self.allow.workflows.allow(workflow)
    }

    /// What a call does: as the operator says it, else no less than the tool itself tells.
    pub fn class(&self, declared: Option<SideEffect>, derived: SideEffect) -> SideEffect {
        match (&self.origin, declared) {
            (_, None) => derived,
            (ToolOrigin::File(_), Some(declared)) => declared,
            (ToolOrigin::Project { .. }, Some(declared)) => declared.max(derived),
        }
    }
}

impl ToolAction {
    pub fn kind(&self) -> &'static str {
        match self {
            ToolAction::Http(_) => "http",
            ToolAction::Node(_) => "node",
            ToolAction::Mcp(_) => "mcp",
        }
    }
}

/// Nothing is registered: for tests, and for runs without a data folder.
pub struct NoTools;

#[async_trait::async_trait]
impl ToolRegistry for NoTools {
    async fn tools_of_workflow(&self, _: &str) -> Result<Vec<Arc<RegisteredTool>>, NodeError> {
        Ok(Vec::new())
    }

    fn count(&self, _: &RegisteredTool, _: &str, _: i64) -> Result<(), RateExceeded> {
        Ok(())
    }
}
