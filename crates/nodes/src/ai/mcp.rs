//! Nodes that use MCP servers: their tools for an agent, and one operation as a step.

pub(super) mod agent_tools;
pub(super) mod client;
pub(super) mod community;
mod headers;
mod results;
mod target;
