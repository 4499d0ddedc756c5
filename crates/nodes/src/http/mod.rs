//! Nodes that call other services over HTTP.

use node_api::Entry;

pub static NODES: &[Entry] = &[];
