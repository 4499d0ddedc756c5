//! What is kept of the tools of MCP servers: their definitions as they were approved, for each
//! project.

use crate::Error;
use model::Str;
use node_api::mcp::{McpToolDecision, PinnedMcpTool};

/// Servers that one project may have used. Their addresses may come from items.
pub const MAX_SERVERS: usize = 500;

/// The definitions as people look at them. Servers are compared with them through
/// [`node_api::mcp::McpPins`].
#[async_trait::async_trait]
pub trait McpToolStore: Send + Sync {
    /// The servers that projects have used, by project and name.
    async fn mcp_servers(&self) -> Result<Vec<SeenMcpServer>, Error>;
    /// The tools of one server as a project knows them, by name.
    async fn mcp_tools(&self, project: &str, server: &str) -> Result<Vec<PinnedMcpTool>, Error>;
    /// Approves a definition, or decides against it. `None` if the server lists another one now, or
    /// there is no such tool.
    async fn decide_mcp_tool(
        &self,
        decision: McpToolDecision,
    ) -> Result<Option<PinnedMcpTool>, Error>;
    /// Forgets a server: its next list is approved as it is. `false` if it was not known.
    async fn forget_mcp_server(&self, project: &str, server: &str) -> Result<bool, Error>;
}

/// A server that a project has used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenMcpServer {
    pub project_id: Str,
    pub server: Str,
    pub n_tools: usize,
    /// Tools that wait for a decision.
    pub n_open: usize,
}
