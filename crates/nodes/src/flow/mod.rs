//! Nodes that steer a run: branch, join, loop, wait, stop.

mod no_op;

use node_api::{Entry, run};

pub static NODES: &[Entry] = &[run::<no_op::NoOp>()];
