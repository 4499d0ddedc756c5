//! Nodes that start a run.

mod manual;
mod test_data;

use node_api::{Entry, run};

pub static NODES: &[Entry] = &[run::<manual::ManualTrigger>(), run::<manual::Start>()];

/// Only with `HEDDLE_TEST_NODES=1`.
pub static TEST_NODES: &[Entry] = &[run::<test_data::TestData>(), run::<test_data::VersionTest>()];
