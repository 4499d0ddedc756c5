//! Tests of the crate from outside, in one binary.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test may stop at the first surprise")]

extern crate heddle_store as store;

mod addresses;
mod any_journal;
mod approvals;
mod blobs;
mod conversations;
mod decisions;
mod durability;
mod history;
mod interruptions;
mod large;
#[cfg(unix)]
mod private;
mod removal;
mod scale;
mod schedules;
mod second_factors;
mod sqlite;
mod support;
mod tables;
mod users;
