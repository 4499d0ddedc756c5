//! Tests of the crate from outside, in one binary.

#![expect(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test may stop at the first surprise"
)]

extern crate heddle_providers as providers;

mod answers;
mod any_answer;
mod any_url;
mod certificates;
mod connections;
mod corpus_llm_anthropic;
mod egress;
mod mcp;
mod mock;
mod model_faults;
mod models;
