//! The clients of models against a server of this machine that misbehaves in every way that servers do, and against recorded traffic.

#![expect(clippy::unwrap_used, reason = "a helper of a test may stop it")]

#[path = "models/faults.rs"]
mod faults;
#[path = "models/openai.rs"]
mod openai;
#[path = "models/replay.rs"]
mod replay;
#[path = "models/server.rs"]
mod server;
#[path = "models/storm.rs"]
mod storm;
