//! The community MCP node's commands. They are never started: the operator's file takes their place.

use super::prelude::*;

pub(super) fn spec() -> CredentialSpec {
    CredentialSpec::new("mcpClientApi", "MCP client (command)", CredentialGroup::Services).fields([
        Field::plain("command", "Command"),
        Field::plain("args", "Arguments"),
        Field::secret("environments", "Environments").long(),
    ])
}
