//! The nodes: one file each, grouped by what they are for. Each group's table lists its nodes, top
//! to bottom.
//!
//! Invariant: a node knows the contract (`node-api`) and never the engine; the world comes in
//! through its `Ctx`. Invariant: everything about a node is in its file: description, behaviour,
//! examples, tests.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod ai;
mod binary;
mod child_process;
pub mod conditions;
pub mod credentials;
pub mod data;
mod expression_spans;
pub mod field_type;
pub mod files;
pub mod flow;
pub mod http;
pub mod integrations;
pub mod text;
pub mod triggers;

pub use ai::{EMBED_TEXTS, TOOL_REGISTRY};
pub use child_process::use_child_program;

use node_api::{NodeEntry, Registry};

/// Every table of nodes that ships.
pub static TABLES: &[&[NodeEntry]] = &[
    triggers::NODES,
    flow::NODES,
    data::NODES,
    text::NODES,
    files::NODES,
    http::NODES,
    integrations::NODES,
    ai::NODES,
];

/// All nodes, ready to be looked up.
pub fn registry() -> Registry {
    Registry::new(TABLES.iter().copied()).with_credentials(credentials::registry())
}

/// The same with the nodes that only tests use.
pub fn registry_with_test_nodes() -> Registry {
    Registry::new(TABLES.iter().copied().chain([triggers::TEST_NODES]))
        .with_credentials(credentials::registry())
}
