//! Chat models and embedders: one folder for each wire format, over one way to ask, to read, and to
//! try again.
//!
//! Invariant: codecs are pure. They turn a request into JSON and an answer into a turn; who asks is
//! elsewhere. Invariant: what fails is told by status and machine-readable fields, never by the
//! words of a provider.

pub mod anthropic;
pub mod ask;
mod bound;
mod calls;
pub mod catalog;
pub mod client;
pub mod cohere;
mod counts;
mod events;
pub mod failure;
pub mod fallback;
pub mod gemini;
mod instruct;
pub mod limiter;
pub mod lines;
mod list;
pub mod ollama;
pub mod openai;
mod options;
pub mod pace;
pub mod place;
pub mod reading;
pub mod retry;
pub mod secret;
pub mod sse;
mod vectors;
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
