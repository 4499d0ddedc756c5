//! The community MCP node, over server-sent events.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::service("mcpClientSseApi", "MCP client (SSE)")
        .fields([
            Field::destination("sseUrl", "SSE URL")
                .placeholder("https://mcp.example.com/sse")
                .required(),
            Field::plain("sseTimeout", "SSE timeout").number(),
            Field::destination("messagesPostEndpoint", "Messages post endpoint").advanced(),
            Field::secret("headers", "Additional headers")
                .long()
                .hint("One NAME=VALUE per line, such as Authorization=Bearer …"),
        ])
        .hosts(&["{sseUrl}"])
}
