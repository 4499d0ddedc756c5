//! Chat models and embedders, one module for each wire format, over one way to ask, to read, and to try again.

pub mod ask;
mod events;
pub mod failure;
pub mod limiter;
pub mod lines;
pub mod openai;
pub mod pace;
pub mod retry;
pub mod secret;
pub mod sse;
pub mod wire;
