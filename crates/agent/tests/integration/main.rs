//! Tests of the crate from outside, in one binary.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod approval;
mod budget;
mod concurrency;
mod flow;
mod form;
mod hostile_calls;
mod hostile_schemas;
mod memory_notes;
mod react;
mod single_call;
mod support;
mod tools;
