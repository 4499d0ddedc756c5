//! Nodes that shape items: set, split, join, sort, count.

mod limit;

use node_api::{Entry, run};

pub static NODES: &[Entry] = &[run::<limit::Limit>()];
