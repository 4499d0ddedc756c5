//! What the ports reach: the guarded HTTP client, and recorded answers in its place; databases and
//! mail servers; MCP servers; models; conversations and vectors that are kept outside.
//!
//! Invariant: nothing in the product opens a connection to the outside except through
//! [`http::GuardedHttp`] and [`connect::GuardedConnections`], which obey one policy. Invariant:
//! what may be reached is decided by pure functions ([`http::Policy`], [`http::address`]) on parsed
//! values.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod aws;
pub mod connect;
pub mod http;
pub mod mcp;
pub mod memory;
pub mod models;
pub mod vectors;
