//! The clients of models against a server of this machine that misbehaves in every way that servers
//! do, and against recorded traffic.

mod faults;
mod openai;
mod replay;
mod server;
mod storm;
