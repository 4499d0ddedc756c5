//! Tests of the crate from outside, in one binary.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test may stop at the first surprise")]

extern crate heddle_expr as expr;

mod adversarial;
mod any_text;
mod code;
mod corpus_functions;
mod corpus_native;
mod native_memory;
mod oracle_cases;
mod shared_memory;
