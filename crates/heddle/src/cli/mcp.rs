//! `heddle mcp`.

use super::DataFolder;
use clap::Args;

#[derive(Args)]
#[command(
    after_help = "Put it into the configuration of an MCP client, such as claude_desktop_config.json or .cursor/mcp.json:

  {
    \"mcpServers\": {
      \"heddle\": { \"command\": \"heddle\", \"args\": [\"mcp\"] }
    }
  }

For a server elsewhere, with a key from `heddle api-keys create`:

  {
    \"mcpServers\": {
      \"heddle\": {
        \"command\": \"heddle\",
        \"args\": [\"mcp\", \"--url\", \"https://heddle.example.com\"],
        \"env\": { \"HEDDLE_MCP_KEY\": \"heddle_…\" }
      }
    }
  }

Clients that connect by URL need no command: the address is /mcp, with the key as bearer token.

Without --url, the command connects to the server that runs on the data folder. If none does, it serves the folder itself, schedules and
webhooks included, until the client disconnects. The client then has the rights of the instance's owner; --scope limits them."
)]
pub(crate) struct McpArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Server to connect to instead of the data folder; its API key is read from HEDDLE_MCP_KEY
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Scope to grant the client, such as workflow:read; all scopes if omitted
    #[arg(long, value_name = "SCOPE", conflicts_with = "url")]
    pub(crate) scope: Vec<String>,
}
