//! The community MCP node, over streamable HTTP.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("mcpClientHttpApi", "MCP client (HTTP)")
        .fields([
            Field::destination("httpStreamUrl", "HTTP stream URL")
                .placeholder("https://mcp.example.com/mcp")
                .required(),
            Field::plain("httpTimeout", "HTTP timeout").number(),
            Field::destination("messagesPostEndpoint", "Messages post endpoint").advanced(),
            Field::secret("headers", "Additional headers")
                .long()
                .hint("One NAME=VALUE per line, such as Authorization=Bearer …"),
        ])
        .hosts(&["{httpStreamUrl}"])
}
