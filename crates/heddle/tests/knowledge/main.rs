//! Knowledge from end to end: files go into collections and vector stores, agents and chains find
//! what they need there.

mod collections;
mod harness;
mod pgvector;
#[path = "../../../nodes/tests/servers/mod.rs"]
mod servers;
mod stores;
#[path = "../support/mod.rs"]
mod support;
