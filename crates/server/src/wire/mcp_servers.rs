//! MCP servers and the definitions of their tools.

use super::{Id, Json, Text, Timestamp};
use node_api::mcp::{McpHealth, McpServerStatus, McpToolDefinition, PinnedMcpTool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A server: of the operator's file, or one that a project has used by its address.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct McpServer<'a> {
    /// The configured name, or the address without secrets.
    pub(crate) name: &'a str,
    pub(crate) is_configured: bool,
    /// The project whose pinned definitions are counted; none for a configured server that no
    /// project has used.
    pub(crate) project_id: Option<&'a str>,
    /// `stdio`, `http` or `sse`; only for configured servers.
    pub(crate) transport: Option<&'static str>,
    /// The command or address; only for configured servers.
    pub(crate) address: Option<&'a str>,
    /// `unused`, `connected`, `stopped` or `failed`; only for configured servers.
    pub(crate) health: Option<&'static str>,
    /// Why it failed; only for administrators.
    pub(crate) error: Option<&'a str>,
    /// How often its process was started.
    pub(crate) starts: usize,
    /// The end of its standard error; only for administrators.
    pub(crate) stderr: Option<&'a str>,
    pub(crate) tool_count: usize,
    /// Tools that wait for a decision.
    pub(crate) open_count: usize,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct McpServerList<'a> {
    pub(crate) data: Vec<McpServer<'a>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct McpServerQuery {
    pub(crate) project_id: String,
    pub(crate) server: String,
}

/// A tool of a server as a project knows it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct McpTool<'a> {
    pub(crate) name: &'a str,
    /// `approved`, `new`, `changed` or `rejected`.
    pub(crate) state: &'static str,
    pub(crate) approved: Option<McpDefinition<'a>>,
    /// What the server lists instead.
    pub(crate) proposed: Option<McpDefinition<'a>>,
    /// The fields in which the two differ.
    pub(crate) changed_fields: Vec<String>,
    pub(crate) seen_at: Timestamp,
    /// Who decided last; nobody for what was approved on first use.
    pub(crate) decided_by: Option<&'a str>,
    pub(crate) decided_at: Option<Timestamp>,
}

/// A definition and its SHA-256.
#[derive(Serialize, JsonSchema)]
pub(crate) struct McpDefinition<'a> {
    pub(crate) digest: &'a str,
    /// Name, description, input schema and annotations.
    pub(crate) definition: Json,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct McpToolList<'a> {
    pub(crate) data: Vec<McpTool<'a>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct McpToolDecision {
    pub(crate) project_id: Id,
    pub(crate) server: Text<1, 2000>,
    pub(crate) tool: Text<1, 200>,
    /// Of the definition that was looked at.
    pub(crate) digest: Text<64, 64>,
    pub(crate) decision: McpVerdict,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum McpVerdict {
    Approve,
    Reject,
}

/// Which server to connect to: a configured one, or an address without a credential.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct McpConnectionInput {
    pub(crate) project_id: Id,
    pub(crate) server: Option<Text<1, 100>>,
    pub(crate) url: Option<Text<1, 2000>>,
    pub(crate) transport: Option<McpRemoteTransport>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum McpRemoteTransport {
    Http,
    Sse,
}

/// What came of connecting.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct McpConnectionTest<'a> {
    pub(crate) ok: bool,
    pub(crate) error: Option<McpTestError>,
    /// What the server calls itself.
    pub(crate) name: &'a str,
    pub(crate) version: &'a str,
    pub(crate) protocol_version: &'a str,
    pub(crate) tools: Vec<McpTestedTool<'a>>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct McpTestError {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct McpTestedTool<'a> {
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    /// `approved`, `new`, `changed` or `rejected`.
    pub(crate) state: &'static str,
}

impl<'a> McpServer<'a> {
    /// A configured server; what its process says may name files of the machine, so only
    /// administrators see it.
    pub(crate) fn configured(status: &'a McpServerStatus, for_admin: bool) -> Self {
        let error = match &status.health {
            McpHealth::Failed(why) => Some(why.as_str()),
            _ => None,
        };
        Self {
            name: &status.name,
            is_configured: true,
            project_id: None,
            transport: Some(status.transport.name()),
            address: Some(status.address.as_str()).filter(|_| for_admin),
            health: Some(status.health.name()),
            error: error.filter(|_| for_admin),
            starts: status.starts,
            stderr: Some(status.stderr.as_str()).filter(|text| for_admin && !text.is_empty()),
            tool_count: 0,
            open_count: 0,
        }
    }

    pub(crate) fn seen(name: &'a str) -> Self {
        Self {
            name,
            is_configured: false,
            project_id: None,
            transport: None,
            address: None,
            health: None,
            error: None,
            starts: 0,
            stderr: None,
            tool_count: 0,
            open_count: 0,
        }
    }
}

impl<'a> From<&'a PinnedMcpTool> for McpTool<'a> {
    fn from(tool: &'a PinnedMcpTool) -> Self {
        let (approved, proposed) = (definition(&tool.approved), definition(&tool.proposed));
        let changed_fields = match (&approved, &proposed) {
            (Some(approved), Some(proposed)) => differing(approved, proposed),
            _ => Vec::new(),
        };
        Self {
            name: &tool.name,
            state: tool.state.name(),
            approved,
            proposed,
            changed_fields,
            seen_at: Timestamp(tool.seen_ms),
            decided_by: tool.decided_by.as_deref(),
            decided_at: tool.decided_ms.map(Timestamp),
        }
    }
}

fn definition(definition: &Option<McpToolDefinition>) -> Option<McpDefinition<'_>> {
    let McpToolDefinition { json, digest, .. } = definition.as_ref()?;
    let value = model::json::parse(json).unwrap_or_default();
    Some(McpDefinition { digest, definition: Json(value) })
}

fn differing(approved: &McpDefinition<'_>, proposed: &McpDefinition<'_>) -> Vec<String> {
    ["description", "inputSchema", "annotations"]
        .into_iter()
        .filter(|field| approved.definition.0.get(field) != proposed.definition.0.get(field))
        .map(str::to_owned)
        .collect()
}
