//! How MCP servers, and our limits for them, refuse.

use crate::NodeError;
use crate::http::HttpError;
use model::{Code, Str};

#[derive(Clone, Debug, thiserror::Error)]
pub enum McpError {
    #[error("This run cannot reach MCP servers")]
    Unavailable,
    #[error("No MCP server named '{name}' is configured{}", listed(.known))]
    UnknownServer { name: Str, known: Vec<Str> },
    #[error("The MCP server '{name}' is misconfigured: {problem}")]
    Config { name: Str, problem: Str },
    #[error("Could not connect to the MCP server '{server}': {reason}")]
    Connect { server: Str, reason: Str },
    #[error("The MCP server '{server}' requires authentication or rejected the credential")]
    Unauthorized { server: Str },
    #[error("{error}")]
    Http { error: HttpError },
    #[error("The MCP server '{server}' did not answer '{what}' within {timeout_ms} ms")]
    Timeout { server: Str, what: Str, timeout_ms: u64 },
    #[error("The MCP server '{server}' closed the connection during '{what}': {reason}")]
    Closed { server: Str, what: Str, reason: Str },
    #[error("The MCP server '{server}' broke the protocol: {reason}")]
    Protocol { server: Str, reason: Str },
    #[error("The MCP server '{server}' returned an error: {message} ({code})")]
    Rejected { server: Str, code: i32, message: Str },
    #[error("The MCP server '{server}' exceeds a limit: {what} (limit {limit})")]
    Limit { server: Str, what: &'static str, limit: usize },
    #[error("The MCP server '{server}' has no tool named '{tool}'")]
    UnknownTool { server: Str, tool: Str },
    #[error("The MCP server '{server}' changed the definition of its tool '{tool}'")]
    ToolChanged { server: Str, tool: Str },
    #[error("The tool '{tool}' of the MCP server '{server}' is not approved")]
    ToolUnapproved { server: Str, tool: Str },
    #[error("The tool '{tool}' of the MCP server '{server}' is not in its allowedTools")]
    ToolNotAllowed { server: Str, tool: Str },
    #[error("The MCP server '{server}' asks for {what}, which is not supported here")]
    Unsupported { server: Str, what: &'static str },
    /// The store of pinned definitions failed.
    #[error("{message}")]
    Store { code: Code, message: Str },
}

fn listed(known: &[Str]) -> String {
    match known.is_empty() {
        true => String::new(),
        false => format!("; configured servers: {}", known.join(", ")),
    }
}

impl McpError {
    pub fn code(&self) -> Code {
        match self {
            McpError::Unavailable | McpError::UnknownServer { .. } => Code::MCP_SERVER_UNKNOWN,
            McpError::Config { .. } => Code::MCP_CONFIG,
            McpError::Connect { .. } | McpError::Closed { .. } => Code::MCP_CONNECTION,
            McpError::Unauthorized { .. } => Code::MCP_UNAUTHORIZED,
            McpError::Http { error } => error.code(),
            McpError::Timeout { .. } => Code::UPSTREAM_TIMEOUT,
            McpError::Protocol { .. }
            | McpError::Rejected { .. }
            | McpError::Unsupported { .. } => Code::MCP_PROTOCOL,
            McpError::Limit { .. } => Code::MCP_LIMIT,
            McpError::UnknownTool { .. } => Code::MCP_TOOL_UNKNOWN,
            McpError::ToolChanged { .. } => Code::MCP_TOOL_CHANGED,
            McpError::ToolUnapproved { .. } | McpError::ToolNotAllowed { .. } => {
                Code::MCP_TOOL_UNAPPROVED
            }
            McpError::Store { code, .. } => *code,
        }
    }

    pub fn hint(&self) -> Option<&'static str> {
        match self {
            McpError::UnknownServer { .. } => {
                Some("The operator adds servers to mcp.json in the data folder.")
            }
            McpError::Config { .. } => Some("Correct its entry in mcp.json in the data folder."),
            McpError::Unauthorized { .. } => Some("Choose or renew the credential of the node."),
            McpError::ToolChanged { .. } => Some(
                "Compare the definitions and approve the new one, in the API under \
                 /mcp/tools, before the tool can be used again.",
            ),
            McpError::ToolUnapproved { .. } => Some(
                "The server added it after its tools were recorded. Approve it, in the API \
                 under /mcp/tools, before it can be used.",
            ),
            McpError::ToolNotAllowed { .. } => {
                Some("The operator lists the tools that may be used in mcp.json.")
            }
            _ => None,
        }
    }
}

impl From<McpError> for NodeError {
    fn from(error: McpError) -> Self {
        let told = NodeError::new(error.code(), error.to_string());
        match error.hint() {
            Some(hint) => told.hint(hint),
            None => told,
        }
    }
}
