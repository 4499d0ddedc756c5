//! The ports: what nodes and agents need of the outside, as traits and plain data. HTTP,
//! connections, files, tables, collections, models, memories, tools and the policy about them, MCP
//! servers.
//!
//! Invariant: nothing here reaches the outside or knows what a node is. `providers`, `local` and
//! `store` implement the traits; `node-api` hands them to nodes.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod ai;
pub mod checkpoints;
pub mod collections;
pub mod connect;
mod error;
pub mod files;
pub mod hosts;
pub mod http;
pub mod mcp;
pub mod policy;
pub mod tables;
pub mod tools;
pub mod untrusted;

pub use error::{ErrorClass, NodeError};
