//! Chat models: one folder for each wire format, and what they share.
//!
//! Invariant: the folders of the formats are pure. They turn a request into JSON and an answer into a turn; who asks is elsewhere.
//! Invariant: what fails is told by status and machine-readable fields, never by the words of a provider.

pub mod anthropic;
mod bound;
mod calls;
pub mod catalog;
mod counts;
pub mod gemini;
mod instruct;
pub mod ollama;
mod options;
pub mod refusal;
mod with;

pub use options::merged;

/// Whether an answer is asked for piece by piece or at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    #[default]
    Stream,
    Whole,
}
