//! Tests of the crate from outside, in one binary.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod any_answer;
mod any_body;
mod api;
mod app;
mod mcp;
mod oidc_provider;
mod web;
