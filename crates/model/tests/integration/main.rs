//! Tests of the crate from outside, in one binary.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod hostile;
mod operation_properties;
mod operations;
