//! Chat models and embedders: one folder for each wire format, over one way to ask, to read, and to try again.
//!
//! Invariant: codecs are pure. They turn a request into JSON and an answer into a turn; who asks is elsewhere.
//! Invariant: what fails is told by status and machine-readable fields, never by the words of a provider.

pub mod anthropic;
pub mod ask;
mod bound;
mod calls;
pub mod catalog;
mod counts;
mod events;
pub mod failure;
pub mod gemini;
mod instruct;
pub mod limiter;
pub mod lines;
pub mod ollama;
pub mod openai;
mod options;
pub mod pace;
pub mod refusal;
pub mod retry;
pub mod secret;
pub mod sse;
pub mod wire;
mod with;

pub use options::merged;

/// Whether an answer is asked for piece by piece or at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    #[default]
    Stream,
    Whole,
}
