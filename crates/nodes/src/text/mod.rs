//! Nodes for texts and documents: HTML, XML, Markdown, dates, hashes, tokens.

use node_api::Entry;

pub static NODES: &[Entry] = &[];
