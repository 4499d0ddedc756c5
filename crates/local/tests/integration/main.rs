//! Tests of the crate from outside, in one binary.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod demo;
mod embeddings;
mod shelf;
