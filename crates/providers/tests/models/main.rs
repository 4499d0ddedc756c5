//! The clients of models against a server of this machine that misbehaves in every way that servers
//! do, and against recorded traffic.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may stop it")]

mod faults;
mod openai;
mod replay;
mod server;
mod storm;
