//! Active workflows and the calls they receive.
//!
//! Here belongs what makes a workflow active, which endpoints it claims, how a call finds its
//! trigger, who may call, and how the answer leaves.

pub(crate) mod activation;
pub(crate) mod active;
pub(crate) mod addresses;
pub(crate) mod attempts;
pub(crate) mod auth;
pub mod chat;
pub mod endpoint;
pub(crate) mod listening;
pub mod mcp;
pub(crate) mod reload;
pub(crate) mod response_stream;
pub(crate) mod routes;
pub(crate) mod test_listener;
pub(crate) mod trigger_listeners;
