//! The runtime over a real store on disk, with real nodes: what must hold across calls, crashes and
//! restarts.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests stop the test"
)]

mod calls;
mod execute;
mod harness;
mod listen;
mod resume;
mod schedule;
mod test_nodes;
mod workflows;
