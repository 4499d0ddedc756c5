//! Nodes for files: read, write, convert, pack.

mod encoding;
#[allow(dead_code)]
mod sheet;
mod unpack;

use node_api::Entry;

pub static NODES: &[Entry] = &[];
