//! Nodes for files: read, write, convert, pack.

use node_api::Entry;

pub static NODES: &[Entry] = &[];
