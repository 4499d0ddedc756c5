//! Nodes that shape items: set, split, join, sort, count.

mod limit;
mod set;

use node_api::{Entry, run};

pub static NODES: &[Entry] = &[run::<set::SetV1>(), run::<set::Set>(), run::<limit::Limit>()];
