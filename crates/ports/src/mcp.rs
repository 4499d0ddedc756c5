//! MCP servers: what a server offers, and calls of it, as one port.

mod error;
mod pins;

pub use error::McpError;
pub use pins::{
    McpPinState, McpPins, McpScope, McpToolDecision, McpToolDefinition, NoMcpPins, PinnedMcpTool,
};

use crate::hosts::SecretBinding;
use crate::http::Http;
use bytes::Bytes;
use model::{Object, Str, Value};
use std::fmt;
use std::sync::Arc;

/// Connects to MCP servers. Implemented by `providers`; called by nodes through `Host::mcp` and by
/// the API.
#[async_trait::async_trait]
pub trait McpServers: Send + Sync {
    /// The servers as one workflow or project may use them: the definitions of tools are pinned for
    /// its project. `None`: there is no difference.
    fn scoped_to(&self, _scope: McpScope) -> Option<Arc<dyn McpServers>> {
        None
    }
    /// The servers of the operator's file, by name.
    async fn configured(&self) -> Vec<McpServerStatus>;
    async fn connect(&self, target: McpTarget) -> Result<Arc<dyn McpConnection>, McpError>;
}

/// Which server is meant.
#[derive(Clone)]
pub enum McpTarget {
    /// One of the operator's file.
    Named(Str),
    /// One that a workflow names by its address.
    Remote(Box<McpEndpoint>),
}

/// The address of a server, and how requests to it are made.
#[derive(Clone)]
pub struct McpEndpoint {
    pub transport: McpTransport,
    pub url: String,
    /// They may carry secrets.
    pub headers: Vec<(String, String)>,
    /// The credential that the headers come from.
    pub bound: Option<Arc<SecretBinding>>,
    pub http: Arc<dyn Http>,
    /// How long one call may take.
    pub timeout_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpTransport {
    /// Streamable HTTP, of whatever revision.
    Http,
    /// HTTP with server-sent events, of revision 2024-11-05.
    Sse,
    /// A process of the operator's.
    Stdio,
}

/// A connection to one server. Dropping it ends the session; dropping the future of a call cancels
/// the call.
#[async_trait::async_trait]
pub trait McpConnection: Send + Sync {
    fn server(&self) -> &McpServerInfo;
    /// All tools, each with what its pinned definition says about it.
    async fn tools(&self) -> Result<Arc<Vec<McpTool>>, McpError>;
    /// All resources, templates or prompts, with the field names of the protocol.
    async fn list(&self, kind: McpListKind) -> Result<Vec<Value>, McpError>;
    /// Calls a tool whose definition is approved; refuses any other.
    async fn call_tool(
        &self,
        name: &str,
        arguments: &Object,
        progress: Option<McpProgressSink>,
    ) -> Result<McpToolResult, McpError>;
    async fn read_resource(&self, uri: &str) -> Result<Vec<McpResource>, McpError>;
    /// A prompt filled in: `description` and `messages`, as the protocol names them.
    async fn prompt(&self, name: &str, arguments: &Object) -> Result<Value, McpError>;
}

/// Hears how far a call is.
pub type McpProgressSink = Arc<dyn Fn(McpProgress) + Send + Sync>;

#[derive(Clone, Debug, PartialEq)]
pub struct McpProgress {
    pub done: f64,
    pub total: Option<f64>,
    pub message: Option<Str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpListKind {
    Resources,
    ResourceTemplates,
    Prompts,
}

/// Who answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct McpServerInfo {
    /// Names the server where its definitions are pinned: a configured name, or an address without
    /// its secrets.
    pub key: Str,
    /// What the server calls itself.
    pub name: Str,
    pub version: Str,
    pub protocol_version: Str,
    /// Text of the server, for a model.
    pub instructions: Option<Str>,
    /// The operator has configured it.
    pub is_configured: bool,
}

/// A tool of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct McpTool {
    pub name: Str,
    pub title: Option<Str>,
    /// Text of the server without control characters, cut to a limit.
    pub description: Str,
    /// JSON Schema of an object.
    pub input_schema: Value,
    pub output_schema: Option<Value>,
    pub hints: McpToolHints,
    pub pin: McpPinState,
}

/// What a server says of its own tool. Nobody checks it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct McpToolHints {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

/// What a call gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct McpToolResult {
    pub content: Vec<McpContent>,
    pub structured: Option<Value>,
    /// The tool says that it failed.
    pub is_error: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum McpContent {
    Text(Str),
    Image(McpFile),
    Audio(McpFile),
    Link { uri: Str, name: Str, mime_type: Option<Str> },
    Resource(McpResource),
}

#[derive(Clone, Debug, PartialEq)]
pub struct McpFile {
    pub mime_type: Str,
    pub bytes: Bytes,
}

#[derive(Clone, Debug, PartialEq)]
pub struct McpResource {
    pub uri: Str,
    pub mime_type: Option<Str>,
    pub body: McpResourceBody,
}

#[derive(Clone, Debug, PartialEq)]
pub enum McpResourceBody {
    Text(Str),
    Bytes(Bytes),
}

/// How a configured server is doing.
#[derive(Clone, Debug, PartialEq)]
pub struct McpServerStatus {
    pub name: Str,
    pub transport: McpTransport,
    /// The command or the address, without secrets.
    pub address: Str,
    pub health: McpHealth,
    /// How often its process was started.
    pub starts: usize,
    /// The last lines that its process wrote to standard error.
    pub stderr: Str,
}

#[derive(Clone, Debug, PartialEq)]
pub enum McpHealth {
    /// Nothing has needed it yet.
    Unused,
    Connected,
    /// It has ended, or was not needed for a while; the next use starts it.
    Stopped,
    Failed(Str),
}

impl McpTransport {
    pub fn name(self) -> &'static str {
        match self {
            McpTransport::Http => "http",
            McpTransport::Sse => "sse",
            McpTransport::Stdio => "stdio",
        }
    }
}

impl McpHealth {
    pub fn name(&self) -> &'static str {
        match self {
            McpHealth::Unused => "unused",
            McpHealth::Connected => "connected",
            McpHealth::Stopped => "stopped",
            McpHealth::Failed(_) => "failed",
        }
    }
}

impl McpListKind {
    pub fn name(self) -> &'static str {
        match self {
            McpListKind::Resources => "resources",
            McpListKind::ResourceTemplates => "resource templates",
            McpListKind::Prompts => "prompts",
        }
    }
}

/// Headers are not shown.
impl fmt::Debug for McpEndpoint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "McpEndpoint({})", self.transport.name())
    }
}

/// There are no servers: for runs without the operator's file, and for tests.
pub struct NoMcpServers;

#[async_trait::async_trait]
impl McpServers for NoMcpServers {
    async fn configured(&self) -> Vec<McpServerStatus> {
        Vec::new()
    }

    async fn connect(&self, _: McpTarget) -> Result<Arc<dyn McpConnection>, McpError> {
        Err(McpError::Unavailable)
    }
}
