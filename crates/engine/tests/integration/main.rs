//! Tests of the crate from outside, in one binary.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise"
)]

extern crate heddle_engine as engine;

mod code_requests;
mod import;
mod nested_params;
mod ports_and_ranges;
mod run;
