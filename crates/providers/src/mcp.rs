//! MCP servers: the official client library over our own transports, with limits on all that a
//! server sends, and tools that are used only as they were when they were approved.
//!
//! Invariant: a process is started from the operator's file and from nothing else. Invariant: a
//! workflow's server is reached through the `Http` that the workflow gives.

pub mod config;
mod connection;
mod convert;
mod definition;
mod environment;
mod handler;
mod http;
pub mod limits;
mod message;
mod pipe;
mod process;
mod servers;
mod session;
mod sse;
mod text;

pub use servers::{ConfigSource, OperatorHttp, Servers, address_key};
